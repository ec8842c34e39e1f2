//! MCP sources: starting their servers, listing and calling their tools, and ending them with everything they started.
//!
//! A [`Source`] is one server: a process spoken to over stdio, or an address spoken to over HTTP. The [`Pool`] shares sources between runs and ends them all
//! at shutdown. Every server is started through the [guard](process_guard), so that a tree dies with its owner even after a
//! `kill -9`. What a server sends is bounded before it is parsed: a hostile one costs a typed [`SourceError`], never
//! memory, time beyond a deadline, or a process left behind. Permission is decided elsewhere.

mod batch;
mod config;
mod connection;
mod content;
mod elicit;
mod error;
mod event;
mod http;
mod lines;
mod oauth;
pub mod openapi;
mod outcome;
mod pending_requests;
mod pool;
mod program;
mod reason;
pub mod rest;
mod schema;
mod source;
mod stderr;
mod text;
mod tools;
mod transport;
mod wire;

pub use config::{CallLimits, Era, SourceConfig};
pub use content::{ContentPart, content_parts, content_text};
pub use elicit::{Elicitation, ElicitationAnswer, Elicitor, Question};
pub use error::{SourceError, SourceErrorKind};
pub use event::{SourceEvent, SourceState};
pub use http::HttpServer;
pub use oauth::{
    Authorizer, Credential, CredentialFault, CredentialStore, MemoryStore, Oauth, SignInFault, SignInPage,
    sign_in, sign_out,
};
pub use outcome::ToolOutcome;
pub use pool::{Lease, Pool};
pub use reason::Reason;
pub use source::Source;
pub use text::strip_invisible;
pub use tools::{Tool, ToolHints, ToolTable, UnusableTool};
