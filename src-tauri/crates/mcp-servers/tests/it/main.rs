//! The servers from outside.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod knowledge_server;
mod web_search;
