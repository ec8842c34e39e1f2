//! Tools of the conversation itself: questions, plans, tasks, another model, results that were too long.

pub(crate) mod ask;
pub(crate) mod call_model;
pub(crate) mod plan;
pub(crate) mod result;
pub(crate) mod tasks;

use crate::{Kind, ToolError};

/// A text that a person reads: trimmed, not empty, not longer than `most` characters, nothing invisible in it.
pub(crate) fn checked_text(what: &str, text: &str, most: usize) -> Result<String, ToolError> {
    let clean = sources::strip_invisible(text).trim().to_owned();
    let length = clean.chars().count();
    if length == 0 {
        return Err(ToolError::new(Kind::Arguments, format!("{what} is empty")));
    }
    if length > most {
        return Err(ToolError::new(
            Kind::Arguments,
            format!("{what} has {length} characters; {most} are the most"),
        ));
    }
    Ok(clean)
}
