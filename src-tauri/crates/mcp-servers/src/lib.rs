//! MCP servers over stdio and loopback HTTP: the knowledge base.
//!
//! Architecture invariant: a server holds no state of a session. Each call is answered from its arguments and
//! the files below the data directory.

mod knowledge_server;
mod web;

pub use knowledge_server::{
    HttpServer, KnowledgeServer, KnowledgeServerOptions, Meaning, ServeError, serve_knowledge,
    serve_knowledge_on,
};
pub use web::{BraveSearch, BraveSettingsError, WebResult, WebSearch, WebSearchError};
