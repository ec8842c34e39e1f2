//! The providers of this crate through their public interface.

mod extraction;
mod offline;
mod scripted;
mod shelf;
