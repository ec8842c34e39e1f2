//! The document and the pause messages as their readers see them.
// The lint spares test functions but not the functions they share.
#![allow(clippy::unwrap_used)]

mod compare;
mod document;
mod hostile;
mod keys;
mod pause;
mod prior;
mod properties;
mod revision;
mod word;
