//! The built-in tools on real files, processes and connections.
#![cfg(unix)]
// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(target_os = "linux")]
mod bounded;
#[cfg(target_os = "linux")]
mod bypass;
mod changing;
#[cfg(target_os = "linux")]
mod copying;
mod documents;
mod escaping;
mod fetching;
mod finding;
#[cfg(target_os = "linux")]
mod masked;
mod racing;
mod reading;
mod rig;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod shell_rig;
mod source_tool;
mod spelling;
mod talking;
mod undoing;
