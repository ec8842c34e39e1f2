//! What models write as text: values in JSON, thinking and calls of tools that their servers did not take out.
//!
//! Architecture invariant: no IO, no clock, no randomness; what is read is data, and nothing of it is carried out here.

mod call;
pub mod extract;
mod splitter;

pub use call::{OfferedTool, WrittenCall};
pub use extract::{ExtractError, Extraction, JsonOrigin, SchemaFault, extract, likely_truncated};
pub use splitter::{Piece, Splitter, split};
