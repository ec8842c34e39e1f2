//! Downloads against a server on this machine that breaks in the ways servers break.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod downloading;
mod server;
