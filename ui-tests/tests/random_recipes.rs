//! The properties of the bundled recipes hold for recipes that were not written by hand: forty
//! random ones, written by the build script.

#[macro_use]
#[path = "../../tests/pure/typed_walk/mod.rs"]
mod typed_walk;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::test_runner::RngSeed;
use typed_walk::walk;

include!(concat!(env!("OUT_DIR"), "/random_recipes.rs"));

proptest! {
    // The same walks every time: a test that fails only sometimes cannot be debugged.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_form_of_every_walk_agrees_and_ends(choices in vec(any::<u8>(), 1..60)) {
        walk_all(&choices);
    }
}
