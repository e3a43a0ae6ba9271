//! A panic in one of our macros is our defect, and is reported as one.
//!
//! Without this the compiler would say "proc macro panicked", and then complain about every use of
//! what was not generated. The panic's own output is silenced by the compiler while a macro runs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::TokenStream;
use quote::quote;

/// Runs a macro. If it panics, the result is what `salvage` makes of an error at the macro's call.
pub(crate) fn guard(
    called: &str,
    expand: impl FnOnce() -> TokenStream,
    salvage: impl FnOnce(&TokenStream) -> TokenStream,
) -> TokenStream {
    match catch(expand) {
        Ok(items) => items,
        Err(panic) => {
            let error = report(called, &panic);
            attempt(|| salvage(&error)).unwrap_or(error)
        }
    }
}

/// The result, or `None` if this panics too: salvaging uses the same code, which may have the
/// defect.
pub(crate) fn attempt<T>(salvage: impl FnOnce() -> T) -> Option<T> {
    catch(salvage).ok()
}

/// The result, or the panic's message.
fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    // No state of the interrupted run is used afterwards: each run parses the author's tokens
    // again.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| words(payload.as_ref()))
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".to_owned())
}

fn report(called: &str, panic: &str) -> TokenStream {
    let version = env!("CARGO_PKG_VERSION");
    let message = format!(
        "this is a defect in surefire, not in your recipe: `{called}` of surefire {version} panicked ({panic}); \
         correct other errors first, if there are any, and if this one stays, report it with what you wrote here"
    );
    quote!(::core::compile_error! { #message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_panic_nothing_is_added() {
        let answer = guard(
            "recipe!",
            || {
                quote!(
                    struct Example;
                )
            },
            |_| unreachable!("nothing panicked"),
        );
        assert_eq!(
            answer.to_string(),
            quote!(
                struct Example;
            )
            .to_string()
        );
    }

    #[test]
    fn a_panic_is_reported_as_ours() {
        let found = 3;
        let formatted = guard(
            "recipe!",
            || panic!("step {found} is gone"),
            |error| quote!(#error struct Stub;),
        );
        let answer = formatted.to_string();
        assert!(answer.contains("this is a defect in surefire, not in your recipe"), "{answer}");
        assert!(answer.contains("panicked (step 3 is gone)"), "{answer}");
        assert!(answer.ends_with("struct Stub ;"), "{answer}");

        let literal = guard("steps!", || panic!("no steps"), Clone::clone).to_string();
        assert!(
            literal.contains("`steps!`") && literal.contains("panicked (no steps)"),
            "{literal}"
        );
        let other = guard("catalog!", || std::panic::panic_any(7), Clone::clone).to_string();
        assert!(other.contains("panicked (no message)"), "{other}");
    }

    #[test]
    fn a_second_panic_leaves_the_error() {
        let answer = guard("recipe!", || panic!("first"), |_| panic!("second")).to_string();
        assert!(answer.contains("panicked (first)") && !answer.contains("second"), "{answer}");
    }
}
