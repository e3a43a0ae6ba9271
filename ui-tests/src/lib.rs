//! The table of mistakes: see `fail/`, and `pass/` for what does compile.
