//! Room for Surefire's own rows: erased by index, typed `on`, static path, by name.
