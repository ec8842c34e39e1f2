//! The servers from outside.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod http;
mod knowledge_server;
mod resources;
mod stopping;
mod web_search;
