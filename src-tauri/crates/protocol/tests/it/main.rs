//! The table of commands, and what is made of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod typescript;
