//! What every client is sent: the engine's updates as messages, in one order.

pub(crate) mod convert;
pub(super) mod follow;
pub(super) mod hub;
pub(super) mod sessions;
pub(super) mod spacing;
pub(super) mod stream;
pub(super) mod update;
pub(super) mod viewers;
pub(super) mod views;
pub(super) mod work;
