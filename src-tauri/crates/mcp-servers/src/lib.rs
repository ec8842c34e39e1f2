//! MCP servers over stdio and loopback HTTP: the knowledge base, the person's sources, their sessions, checks of documents, the web.
//!
//! Architecture invariant: a server holds no state of a session. Each call is answered from its arguments and
//! the files below the data directory.

mod bridge;
mod http;
mod knowledge_server;
mod manuscript_server;
mod server;
mod session;
mod web;
mod web_server;

pub use bridge::{BridgeHost, BridgeServer, OfferedTool, serve_bridge, serve_bridge_on};
pub use http::{HttpServer, Sessions};
pub use knowledge_server::{
    KnowledgeServer, KnowledgeServerOptions, Meaning, ServeError, serve_knowledge, serve_knowledge_on,
};
pub use manuscript_server::serve_manuscript;
pub use session::{
    ConfigKind, ConfigParams, DiagramChecked, Fault, ModelText, PlanKept, Question, SecretState,
    SessionFilterParams, SessionHost, SessionInfo, SessionLine, SessionList, SessionProgress, SessionServer,
    SessionToolsOptions, SourceTrial, Work, serve_session_tools, serve_session_tools_on,
};
pub use web::{
    BraveSearch, BraveSettingsError, SearxngSearch, WebResult, WebSearch, WebSearchError, web_search_from_env,
};
pub use web_server::{WebServerOptions, academic_services_from_env, serve_web, serve_web_on};
