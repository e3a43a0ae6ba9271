//! Output to a terminal or a pipe.

pub(super) mod banner;
pub(super) mod commands;
pub(super) mod console;
pub(super) mod format;
mod gates;
pub(super) mod links;
pub(super) mod live;
pub(super) mod paint;
pub(super) mod qr;
pub(super) mod recipe_text;
pub(super) mod summary;
pub(super) mod table;
pub(super) mod view;
