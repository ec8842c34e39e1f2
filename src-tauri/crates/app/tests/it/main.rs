//! The api over a real engine: the shipped agent, its own knowledge base, and the offline engine.

// The lint's exception for tests covers test functions only, not what they share.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod automations;
mod canaries;
mod chat_server;
mod connections;
mod connections_vault;
mod drafts;
mod extras;
mod maintenance;
mod organising;
mod rechecking;
mod replaced;
mod research;
mod session_tools;
mod sessions;
mod source_secrets;
mod sources;
mod staged;
mod tokens;
mod tools;
mod transferring;
mod undoing;
mod unfinished;
mod uploads;
mod usage;
mod workspaces;
mod world;
