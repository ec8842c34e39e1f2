//! The workspace's files as a person and the program meet them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod agents;
mod broken;
mod connections;
mod conversations;
mod files;
mod gates;
mod mutations;
mod organising;
mod permissions;
mod run_files;
mod schemas;
mod shipped;
mod sources;
mod support;
mod themes;
