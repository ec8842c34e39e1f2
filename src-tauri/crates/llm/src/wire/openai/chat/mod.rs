//! Chat Completions.

pub(super) mod encode;
pub(super) mod hosts;
pub(super) mod reader;
