//! Tasks on real repositories in temporary folders.

mod rig;

mod changes;
mod creation;
mod merges;
mod removals;
