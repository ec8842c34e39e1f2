//! Typed tools out of an OpenAPI 3 document.
//!
//! The document is a stranger's: it is read within bounds, references are followed inside it only and never around in a
//! circle, and what can't be used becomes a warning instead of a failure. It decides which paths, parameters and bodies a
//! tool has, never where requests go: that is the source's address.

mod operation;
mod read;
mod schema;

pub use operation::{Location, Operation};
pub use read::{Interface, OpenApiError, read};
