static OFFER: Catalog = {
    const IDS: &[&::core::primitive::str] = &[
        <Release as ::surefire::Recipe>::ID,
        <announce::Announce as ::surefire::Recipe>::ID,
    ];
    const _: () = ::core::assert!(
        ! ::surefire::__private::same(< Release as ::surefire::Recipe > ::ID, <
        announce::Announce as ::surefire::Recipe > ::ID,),
        "`announce::Announce` has the id of `Release`, which is in this catalog already; give one of them another `id`"
    );
    const _: () = ::core::assert!(
        ::surefire::__private::offers_restarts(< Release as ::surefire::Recipe >
        ::OUTLINE, IDS),
        "`Release` restarts a recipe that is not in this catalog; add that one as well"
    );
    const _: () = ::core::assert!(
        ::surefire::__private::offers_restarts(< announce::Announce as ::surefire::Recipe
        > ::OUTLINE, IDS),
        "`announce::Announce` restarts a recipe that is not in this catalog; add that one as well"
    );
    ::surefire::Catalog::new(
        &[
            <Release as ::surefire::Recipe>::ANY,
            <announce::Announce as ::surefire::Recipe>::ANY,
        ],
    )
};
