//! Asks a turn's model on behalf of its tools.

use std::sync::{OnceLock, Weak};

use async_trait::async_trait;
use domain::{ErrorCode, Problem, RunId};
use engine::Engine;
use engine::turn::Question;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tools::{Asker, CallContext, Kind, ToolError};

/// Questions to the model of the turn that a call belongs to.
#[derive(Default)]
pub struct TurnAsker {
    /// Told once it is there: the engine needs its host first.
    engine: OnceLock<Weak<Engine>>,
}

impl TurnAsker {
    pub fn tell(&self, engine: Weak<Engine>) {
        // Told twice it would be the same one.
        let _ = self.engine.set(engine);
    }
}

#[async_trait]
impl Asker for TurnAsker {
    async fn ask(
        &self,
        at: &CallContext,
        prompt: &str,
        schema: Option<&Value>,
        cancel: &CancellationToken,
    ) -> Result<String, ToolError> {
        let engine = self.engine.get().and_then(Weak::upgrade);
        let engine = engine.ok_or_else(|| ToolError::new(Kind::Unavailable, "the program is ending"))?;
        let question = Question { prompt: prompt.to_owned(), schema: schema.cloned() };
        let asked = engine.ask_model(&RunId(at.run.clone()), &at.call, question, cancel).await;
        asked.map_err(failure)
    }
}

fn failure(problem: Problem) -> ToolError {
    let kind = match problem.code {
        ErrorCode::Cancelled | ErrorCode::Conflict => Kind::Cancelled,
        ErrorCode::ContextTooLong => Kind::TooLarge,
        ErrorCode::InvalidInput => Kind::Arguments,
        ErrorCode::Deadline => Kind::Deadline,
        ErrorCode::Budget => Kind::Refused,
        ErrorCode::NotFound
        | ErrorCode::InvalidConfig
        | ErrorCode::Busy
        | ErrorCode::NewerData
        | ErrorCode::Storage
        | ErrorCode::Corrupt
        | ErrorCode::Source
        | ErrorCode::Provider
        | ErrorCode::InvalidAnswer
        | ErrorCode::Permission
        | ErrorCode::Internal => Kind::Failed,
    };
    let error = ToolError::new(kind, problem.message);
    match problem.action {
        Some(action) => error.with_guidance(action),
        None => error,
    }
}
