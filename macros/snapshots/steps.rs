///Steps that several recipes share.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
pub(crate) enum review_loop {}
impl review_loop {
    ///The prompt of the step `Review`.
    pub(crate) const REVIEW: &'static ::core::primitive::str = "Review the changes.";
    ///The prompt of the step `Fix`.
    pub(crate) const FIX: &'static ::core::primitive::str = FIX;
}
const _: () = ::core::assert!(
    ! ::surefire::__private::blank(review_loop::FIX),
    "the prompt of step `Fix` is empty: say what the agent is to do"
);
impl review_loop {
    #[doc(hidden)]
    pub(crate) const __REVIEW_TOOLS_0: &'static [::surefire::Tool] = TEST;
}
const _: () = if let ::core::option::Option::Some(__surefire_flaw) = ::surefire::__private::tools_flaw(
    &[&[::surefire::Tool::Read], review_loop::__REVIEW_TOOLS_0],
) {
    ::core::panic!("{}", __surefire_flaw)
};
#[doc(hidden)]
macro_rules! __surefire_steps_review_loop {
    ($($call:tt)*) => {
        ::surefire::__private::splice! { (clean) { step Review { prompt :
        "Review the changes.", tools : [read, ..TEST], outcomes : [NoIssues,
        IssuesFound], NoIssues => clean if changed, IssuesFound(findings) => Fix, } step
        Fix { prompt : FIX, outcomes : [Complete], Complete => Review } } $($call)* }
    };
}
#[doc(hidden)]
pub(crate) use __surefire_steps_review_loop as review_loop;
