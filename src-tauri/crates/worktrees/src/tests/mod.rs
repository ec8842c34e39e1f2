//! Tasks on real repositories in temporary folders.

mod rig;

mod changes;
mod creation;
mod endings;
mod merges;
