//! What a model gives a tool, read by the tool's schema: names in another case or under another program's, numbers as text,
//! nothing for null, JSON within a text. What stays ambiguous is left as it is, and told with what there is.
//!
//! Architecture invariant: no IO, no clock, no randomness. Arguments that satisfy their schema are the same afterwards but
//! for whole numbers written with a fraction (2.0). A text where the schema takes a text is never changed. Reading what
//! was read changes nothing.

mod faults;
mod names;
mod reader;
mod schema;

pub use faults::{argument_fault, faults};
pub use names::{ToolName, tool_name};
pub use reader::{Naming, ReadArguments, read};
