//! Long documents and their checks through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chain;
mod checks;
mod documents;
mod extremes;
mod notes;
mod numbers;
mod registers;
mod rig;
mod score;
mod sheet;
