//! One command outside of a conversation: its exit code, and what it said.

use std::time::Duration;

use domain::Walls;
use tokio_util::sync::CancellationToken;

use super::registry::Shells;
use crate::{CallContext, Kind, ToolError};

/// The most of what it said that is given back, in bytes.
const MAX_OUTPUT_BYTES: usize = 64 << 10;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellResult {
    /// Its exit code; 128 + n for a signal.
    pub code: Option<i32>,
    /// The last of what it said, output and errors together.
    pub text: String,
}

/// A command that is run once.
#[derive(Debug, Clone)]
pub struct OneShotCommand<'a> {
    /// The command.
    pub command: &'a str,
    /// Variables that it sees besides; they can't be read by the shell as anything but values.
    pub variables: &'a [(String, String)],
    /// What the system keeps it from.
    pub confined: Walls,
    /// How long it may take.
    pub deadline: Duration,
}

/// Runs a command below the guard, as a call of `shell` is run, and waits for its end.
///
/// # Errors
/// When it can't be started, takes too long (it is then ended with all that it began), says too much, or is cancelled.
pub async fn run_once(
    shells: &Shells,
    once: OneShotCommand<'_>,
    at: &CallContext,
    cancel: &CancellationToken,
) -> Result<ShellResult, ToolError> {
    shells.knows_search_path().await;
    let text = with_variables(once.variables, once.command);
    let (shells, place, confined, stop) = (shells.clone(), at.clone(), once.confined, cancel.clone());
    let started = tokio::task::spawn_blocking(move || shells.start(&text, &place, confined, &stop)).await;
    let running = started.map_err(|error| {
        ToolError::new(Kind::Failed, format!("the shell could not be started: {error}"))
    })??;
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ToolError::new(Kind::Cancelled, "the command was stopped")),
        code = running.ended() => Ok(code),
        () = tokio::time::sleep(once.deadline) => Err(ToolError::new(
            Kind::Deadline,
            format!("the command was ended after {} seconds", once.deadline.as_secs()),
        )),
        () = running.output.too_much.cancelled() => {
            Err(ToolError::new(Kind::TooLarge, "the command was ended because it did not stop talking"))
        }
    };
    match ended {
        Ok(code) => Ok(ShellResult { code, text: running.output.last(MAX_OUTPUT_BYTES).0 }),
        Err(error) => {
            running.stop();
            running.ended().await;
            Err(error)
        }
    }
}

/// The command below assignments whose values are quoted whole.
fn with_variables(variables: &[(String, String)], command: &str) -> String {
    let mut text = String::new();
    for (name, value) in variables {
        let plain = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain {
            let value = value.replace('\0', "").replace('\'', "'\\''");
            text.push_str(&format!("export {name}='{value}'\n"));
        }
    }
    text.push_str(command);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_read_as_anything_else() {
        let hostile =
            [("AN_LABEL".to_owned(), "'; touch x #\n$(id)".to_owned()), ("1X".to_owned(), "y".to_owned())];
        assert_eq!(with_variables(&hostile, "true"), "export AN_LABEL=''\\''; touch x #\n$(id)'\ntrue");
    }
}
