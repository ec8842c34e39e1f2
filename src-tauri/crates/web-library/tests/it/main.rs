//! The library against real servers on loopback.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod academic;
mod bounds;
mod rig;
mod robots;
mod server;
mod visits;
mod walk;
