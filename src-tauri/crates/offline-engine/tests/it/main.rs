//! The offline engine through its public interface.

#![allow(clippy::unwrap_used)]

mod answers;
mod engine;
mod shelf;
