//! Sources against a server that misbehaves in every way known, with real processes.
#![cfg(target_os = "linux")]
// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used)]

mod calling;
mod living;
mod rig;
mod starting;
mod trees;
