//! What travels between a surface and an instance.

use domain::{ErrorCode, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ApiEvent, Request, Response};

/// Text that is never printed: it goes inwards only.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// A command as a window or a program sends it: with the workspace that it is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientCommand {
    /// The command.
    #[serde(flatten)]
    pub request: Request,
    /// The workspace's slug; absent: the person's current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

// What is read and written of all commands and answers is compiled here once, not once more in each program.

impl ClientCommand {
    /// From its JSON.
    ///
    /// # Errors
    /// Where it is no command of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        serde_json::from_slice(bytes).map_err(|error| unreadable(&error))
    }

    /// From its JSON, read already.
    ///
    /// # Errors
    /// Where it is no command of this version.
    pub fn from_value(value: Value) -> Result<Self, Problem> {
        serde_json::from_value(value).map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &serde_json::Error) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("the command can't be read: {error}"))
}

impl Response {
    /// What it says, as JSON without its name; `null` for one that says nothing.
    ///
    /// # Errors
    /// Where it can't be written, which is a defect.
    pub fn into_value(self) -> Result<Value, Problem> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut answer)) => Ok(answer.remove("value").unwrap_or(Value::Null)),
            Ok(_) => Ok(Value::Null),
            Err(error) => {
                Err(Problem::new(ErrorCode::Internal, format!("the answer can't be written: {error}")))
            }
        }
    }
}

impl Frame {
    /// As a line of JSON with its end.
    ///
    /// # Errors
    /// Where it can't be written, which is a defect.
    pub fn to_line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }

    /// From a line; `None` where it is no frame of this version.
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// What a connection to a running instance carries, a line of JSON each way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The first line of a client: the instance's token.
    Hello {
        /// The token.
        token: String,
    },
    /// The first line of an instance that knows the token.
    Welcome,
    /// A command.
    Request {
        /// Returned with the answer.
        id: u64,
        /// The command.
        request: Request,
        /// The slug of the workspace that it is for; absent: the person's current one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workspace: Option<String>,
    },
    /// A command's answer.
    Response {
        /// Of the command.
        id: u64,
        /// The answer.
        result: Result<Response, Problem>,
    },
    /// Something happened.
    Event(ApiEvent),
}
