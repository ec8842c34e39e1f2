//! Requests to an HTTP interface: below one address, with credentials that the caller never sees.
//!
//! What is asked for comes from a model and is not trusted: a path can't lead out of the address, a redirect not to
//! another origin, a header not replace a credential. What is answered is bounded before it is kept, and no credential
//! stands in an answer, an error or a line of the log.

mod answer;
mod config;
mod error;
mod log;
mod redact;
mod send;
mod target;

pub use answer::{RestAnswer, RestBody};
pub use config::{FreshToken, Present, RestConfig};
pub use error::{RestError, RestErrorKind};
pub use log::LogLine;
pub use send::Rest;
pub use target::{Body, RestRequest};
