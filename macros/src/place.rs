//! Where generated code lies: at the name of the recipe, or of the shared steps.
//!
//! The compiler joins the spans of neighbouring tokens of one expansion. Names lie where the author
//! wrote them, so everything around them has to lie in the same file. It would otherwise lie in the
//! file that defines `recipe!`, and spans would begin in one file and end in another. An
//! incremental build reads such a span back by its start and length, and aborts ("unstable
//! fingerprints") where that now ends elsewhere.

use std::cell::RefCell;
use std::sync::LazyLock;

use proc_macro2::Span;

thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

struct Here {
    span: Span,
    /// `None` outside of a compiler, where spans have no place.
    file: Option<String>,
}

/// Whether rust-analyzer expands the macro: its server does not start without this variable. It
/// maps each token by its place, so there generated code keeps the place that it comes with.
static IN_AN_EDITOR: LazyLock<bool> =
    LazyLock::new(|| std::env::var_os("RUST_ANALYZER_INTERNALS_DO_NOT_USE").is_some());

/// Generates code that lies at `written`.
pub(crate) fn at<T>(written: Span, generate: impl FnOnce() -> T) -> T {
    /// Spans are only valid during one call of the macro, also one that panics.
    struct Forget;

    impl Drop for Forget {
        fn drop(&mut self) {
            HERE.take();
        }
    }

    let span = if *IN_AN_EDITOR { Span::call_site() } else { in_macro(written) };
    HERE.set(Some(Here { span, file: file(written) }));
    let _forget = Forget;
    generate()
}

/// The span of generated code.
pub(crate) fn here() -> Span {
    HERE.with_borrow(|here| here.as_ref().map_or_else(Span::call_site, |here| here.span))
}

/// The span of the definition of a name that was written there. It belongs to the macro: the
/// compiler and clippy do not lint what a macro of another crate defines. So no `allow` is needed,
/// which an author's `forbid` would refuse. Shared steps of another file lie where they are
/// included.
///
/// rust-analyzer has no lints about these names, and renames only what belongs to the author.
pub(crate) fn of_definition(written: Span) -> Span {
    let is_here = || HERE.with_borrow(|here| here.as_ref().is_none_or(|h| h.file == file(written)));
    if *IN_AN_EDITOR {
        written
    } else if is_here() {
        in_macro(written)
    } else {
        here()
    }
}

fn in_macro(written: Span) -> Span {
    written.resolved_at(Span::call_site())
}

fn file(span: Span) -> Option<String> {
    proc_macro::is_available().then(|| span.unwrap().file())
}

/// Like `quote::quote!`, for code that lies [`here`].
macro_rules! quote {
    ($($code:tt)*) => { ::quote::quote_spanned!($crate::place::here()=> $($code)*) };
}
pub(crate) use quote;
