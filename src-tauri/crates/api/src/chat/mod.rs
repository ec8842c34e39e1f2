//! Commands on conversations.

use domain::{ErrorCode, Problem};

use crate::local::Local;
use crate::request::{Request, Response};
use crate::wire::ChatState;

impl Local {
    /// What a session has besides its runs and turns.
    pub(crate) async fn chat_state(&self, session: &str) -> Result<ChatState, Problem> {
        let setup = self.store().session_setup(session).await?.unwrap_or_default();
        Ok(ChatState { setup: serde_json::from_str(&setup).unwrap_or_default(), ..ChatState::default() })
    }

    /// Carries out a command of this module.
    pub(crate) async fn in_chat(&self, request: Request) -> Result<Response, Problem> {
        Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", request.command().name)))
    }
}
