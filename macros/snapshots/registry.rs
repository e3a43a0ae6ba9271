#[automatically_derived]
impl ::surefire::Registry for MyExits {
    const ALL: &'static [Self] = &[Self::Quiet, Self::Unclear];
    const DEFINITIONS: &'static [::surefire::ReasonInfo] = &[
        ::surefire::ReasonInfo::generated(
                "quiet",
                ::surefire::Category::Completed,
                ::core::option::Option::None,
                0u8,
                ::surefire::RunRemedy::Again,
                false,
                true,
            )
            .with_words(
                "Nothing changed since the last release",
                "Nothing changed since the last release",
                "Nothing changed since the last release",
                "Nothing changed since the last release",
            ),
        ::surefire::ReasonInfo::generated(
                "unclear",
                ::surefire::Category::Error,
                ::core::option::Option::Some(::surefire::Family::User),
                41u8,
                ::surefire::RunRemedy::Resume,
                false,
                false,
            )
            .with_words(
                "The agent had a question",
                "The agent had a question",
                "The agent had a question",
                "The agent had a question",
            ),
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
