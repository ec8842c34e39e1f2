//! Tools that are built in, and what every tool is to those that run it.
//!
//! Architecture invariant: decides no permission. A tool says what a call would do ([`Tool::plan`]) before it does it.

mod error;
mod tool;

pub use error::{Kind, ToolError};
pub use tool::{At, Media, Outcome, Planned, Progress, Run, Tool, ToolInfo};
