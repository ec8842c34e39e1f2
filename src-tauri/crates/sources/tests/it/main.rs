//! Sources against servers that misbehave in every way known, with real processes and real connections.
#![cfg(target_os = "linux")]
// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used)]

mod asking;
mod calling;
mod http;
mod living;
mod openapi;
mod rest;
mod rig;
mod signing_in;
mod starting;
mod trees;
mod web;
