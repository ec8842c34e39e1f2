//! The document and the pause messages as their readers see them.

mod document;
mod hostile;
mod pause;
mod prior;
mod properties;
