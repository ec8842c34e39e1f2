//! Responses.

pub(super) mod encode;
pub(super) mod reader;
