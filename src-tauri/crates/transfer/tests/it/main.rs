//! Transfers against real files: what leaves, what comes in, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bundles;
mod craft;
mod programs;
mod redaction;
mod support;
mod writing;
