//! MCP servers over stdio and loopback HTTP: the knowledge base.
//!
//! Architecture invariant: a server holds no state of a session. Each call is answered from its arguments and
//! the files below the data directory.

mod http;
mod knowledge_server;
mod web;

pub use http::{HttpServer, Sessions};
pub use knowledge_server::{
    KnowledgeServer, KnowledgeServerOptions, Meaning, ServeError, serve_knowledge,
    serve_knowledge_on,
};
pub use web::{BraveSearch, BraveSettingsError, WebResult, WebSearch, WebSearchError};
