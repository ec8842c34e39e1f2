//! The providers of this crate through their public interface.

#![allow(clippy::unwrap_used)]

mod embedders;
mod extraction;
mod offline;
mod scripted;
mod shelf;
