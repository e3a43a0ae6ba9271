//! Every file in `fail/` is one kind of mistake, with the compiler's whole answer beside it; every
//! file in `pass/` is a feature.

#[test]
fn mistakes_and_features() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("fail/*.rs");
    cases.pass("pass/*.rs");
}
