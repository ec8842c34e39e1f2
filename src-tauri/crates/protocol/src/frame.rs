//! What travels between a surface and an instance.

use domain::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
