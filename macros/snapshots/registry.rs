#[automatically_derived]
impl ::surefire::Registry for MyExits {
    const ALL: &'static [Self] = &[Self::Quiet, Self::Unclear];
    const DEFINITIONS: &'static [::surefire::ReasonInfo] = &[
        ::surefire::ReasonInfo {
            code: "quiet",
            category: ::surefire::Category::Completed,
            message: "Nothing changed since the last release",
            title: "Nothing changed since the last release",
            family: ::core::option::Option::None,
            exit_code: 0u8,
            diagnosis: "Nothing changed since the last release",
            hint: "Nothing changed since the last release",
            remedy: ::surefire::RunRemedy::Again,
            auto_resumable: false,
            goal_met: true,
        },
        ::surefire::ReasonInfo {
            code: "unclear",
            category: ::surefire::Category::Error,
            message: "The agent had a question",
            title: "The agent had a question",
            family: ::core::option::Option::Some(::surefire::Family::User),
            exit_code: 41u8,
            diagnosis: "The agent had a question",
            hint: "The agent had a question",
            remedy: ::surefire::RunRemedy::Resume,
            auto_resumable: false,
            goal_met: false,
        },
    ];
    const TABLE: &'static &'static [::surefire::ReasonInfo] = {
        static TABLE: &[::surefire::ReasonInfo] = <MyExits as ::surefire::Registry>::DEFINITIONS;
        &TABLE
    };
    #[inline]
    fn index(self) -> ::core::primitive::usize {
        match self {
            Self::Quiet { .. } => 0usize,
            Self::Unclear { .. } => 1usize,
        }
    }
    #[inline]
    fn from_index(index: ::core::primitive::usize) -> ::core::option::Option<Self> {
        match index {
            0usize => ::core::option::Option::Some(Self::Quiet),
            1usize => ::core::option::Option::Some(Self::Unclear),
            _ => ::core::option::Option::None,
        }
    }
}
const _: () = ::core::assert!(
    ! ::surefire::__private::standard("quiet"),
    "the code `quiet` belongs to a standard exit reason; give `Quiet` another `code`"
);
const _: () = ::core::assert!(
    ! ::surefire::__private::standard("unclear"),
    "the code `unclear` belongs to a standard exit reason; give `Unclear` another `code`"
);
