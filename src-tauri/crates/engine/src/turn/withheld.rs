//! Tools of a conversation that stages share, of which the present stage may not call every one: all stages show the model the
//! same list, so that what it has read stays in the provider's cache.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

use super::gate;
use super::stage::{SharedTask, is_named};

/// A tool that the present stage may not call.
struct Withheld {
    inner: Arc<dyn Tool>,
    /// What it may call instead, in words.
    instead: String,
}

/// The tool as the present stage has it: itself, or one that refuses.
pub(super) fn withheld(tool: Arc<dyn Tool>, shared: &SharedTask) -> Arc<dyn Tool> {
    let may = !shared.hands_over && shared.tools.iter().any(|wanted| is_named(wanted, tool.info()));
    if may {
        return tool;
    }
    let own = if shared.hands_over { &[][..] } else { shared.tools.as_slice() };
    let names: Vec<&str> = own.iter().map(String::as_str).chain([gate::NAME]).collect();
    Arc::new(Withheld { inner: tool, instead: names.join(", ") })
}

impl Withheld {
    fn refused(&self) -> ToolError {
        let name = &self.inner.info().name;
        ToolError::new(Kind::Refused, format!("the present stage may not call {name}"))
            .with_guidance(format!("In this stage you may call: {}.", self.instead))
    }
}

#[async_trait]
impl Tool for Withheld {
    fn info(&self) -> &ToolInfo {
        self.inner.info()
    }

    fn is_auxiliary(&self) -> bool {
        self.inner.is_auxiliary()
    }

    async fn plan(&self, _: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        Err(self.refused())
    }

    async fn run(&self, _: &Value, _: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        Err(self.refused())
    }
}
