//! Word documents as a reader of the file finds them.
// The lint spares test functions but not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod exhibits;
mod heading_case;
mod hostile;
mod markdown;
mod notes;
mod parts;
mod revision;
mod support;
mod text;
mod typography;
