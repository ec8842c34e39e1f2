//! The servers from outside.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bridge;
mod http;
mod knowledge_server;
mod resources;
mod session_tools;
mod stopping;
mod web_search;
mod web_server;
