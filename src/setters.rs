//! A method per field for options that code outside cannot write out, because they may get more
//! fields.

/// Adds methods to a struct that replace one field each, and are named after it.
macro_rules! setters {
    ($options:ident { $($field:ident: $value:ty),* $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("The same with this [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )*
        }
    };
}
