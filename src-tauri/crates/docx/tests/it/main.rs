//! Word documents as a reader of the file finds them.
// The lint spares test functions but not the functions they share.
#![allow(clippy::unwrap_used, clippy::expect_used)]

// What heading_case.rs and exhibits.rs name as of their own crate: their own tests are compiled with these.
use docx::{Run, RunContent};
use heading_case::HeadingCase;

#[allow(dead_code)]
#[path = "../../src/exhibits.rs"]
mod exhibits;
#[allow(dead_code)]
#[path = "../../src/heading_case.rs"]
mod heading_case;
mod hostile;
mod markdown;
mod notes;
mod parts;
mod revision;
mod support;
mod text;
