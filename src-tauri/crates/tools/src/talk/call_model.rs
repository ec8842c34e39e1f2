//! `call_model`: another question to a model, apart from the conversation.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{CallEffect, Preview};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::arguments::{self, Effect, info};
use crate::files::stopped;
use crate::text::{capped, count};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// The longest prompt, in bytes.
const MAX_PROMPT_BYTES: usize = 400_000;
/// The largest schema, in bytes.
const MAX_SCHEMA_BYTES: usize = 64_000;

/// Asks a model for a call of [`call_model`](crate::built_in); the caller counts what it costs.
#[async_trait]
pub trait Asker: Send + Sync {
    /// The model's answer; with a schema it is JSON that satisfies it.
    ///
    /// # Errors
    /// When there is no answer: the budget is used, the model fails, it was stopped. It ends soon after `cancel`.
    async fn ask(
        &self,
        at: &CallContext,
        prompt: &str,
        schema: Option<&Value>,
        cancel: &CancellationToken,
    ) -> Result<String, ToolError>;
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    prompt: String,
    #[serde(default)]
    schema: Option<Value>,
}

/// The tool.
pub(crate) struct CallModel {
    info: ToolInfo,
    asker: Arc<dyn Asker>,
}

impl CallModel {
    pub(crate) fn new(asker: Arc<dyn Asker>) -> Self {
        let info = info(
            "call_model",
            "Ask a model",
            "Asks a model one question apart from this conversation and gives its answer: to sum up a long text, to sort, \
             to check, to have data in a fixed form. The model sees only the prompt, has no tools and costs money.",
            Effect::ReadsAfar,
            300,
            json!({
                "prompt": {"type": "string", "description": "All that the model needs to know."},
                "schema": {"type": "object", "description": "A JSON Schema that the answer has to satisfy."},
            }),
            &["prompt"],
        );
        Self { info, asker }
    }
}

fn given(arguments: &Value) -> Result<Arguments, ToolError> {
    let given: Arguments = arguments::read(arguments)?;
    if given.prompt.trim().is_empty() {
        return Err(ToolError::new(Kind::Arguments, "the prompt is empty"));
    }
    if given.prompt.len() > MAX_PROMPT_BYTES {
        return Err(ToolError::new(
            Kind::TooLarge,
            format!("the prompt has {}; {MAX_PROMPT_BYTES} are the most", count(given.prompt.len(), "byte")),
        ));
    }
    match &given.schema {
        Some(schema) if !schema.is_object() => {
            Err(ToolError::new(Kind::Arguments, "the schema is not an object"))
        }
        Some(schema) if schema.to_string().len() > MAX_SCHEMA_BYTES => {
            Err(ToolError::new(Kind::TooLarge, "the schema is larger than 64 kB"))
        }
        _ => Ok(given),
    }
}

#[async_trait]
impl Tool for CallModel {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let given = given(arguments)?;
        let line = sources::strip_invisible(given.prompt.trim().lines().next().unwrap_or_default());
        Ok(PlannedOperation {
            effect: CallEffect::Model,
            intent: format!("Ask a model: {}", capped(&line, 100)),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let given = given(arguments)?;
        // Whoever asks ends it when it is stopped, since what it cost has to be noted then.
        let asked = self.asker.ask(at, &given.prompt, given.schema.as_ref(), &run.cancel).await;
        let text = match asked {
            Err(_) if run.cancel.is_cancelled() => return Err(stopped()),
            asked => asked?,
        };
        let summary = count(text.lines().count(), "line");
        Ok(Outcome::text(text, summary))
    }
}
