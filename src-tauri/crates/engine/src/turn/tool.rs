//! Tools as a turn offers them.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Validator;
use llm::ToolCall;
use tools::{Tool, ToolInfo};

use super::arguments;
use super::host::TurnContext;

/// What became of a call's arguments.
pub(super) struct CheckedCall {
    /// What was read otherwise than it was written, in words.
    pub(super) adapted: Vec<String>,
    /// What is wrong with them, in words; `None`: nothing.
    pub(super) faults: Option<String>,
}

/// A tool with its schema compiled.
pub(super) struct Offered {
    pub(super) tool: Arc<dyn Tool>,
    /// Absent where the schema itself can't be read: the tool then judges its arguments itself.
    validator: Option<Validator>,
}

impl Offered {
    /// All of a kit's tools by their names for the model.
    pub(super) fn all(kit: &TurnContext) -> HashMap<String, Arc<Self>> {
        let offered = kit.tools.iter().map(|tool| {
            let validator = jsonschema::validator_for(&tool.info().parameters).ok();
            (tool.info().name.clone(), Arc::new(Self { tool: tool.clone(), validator }))
        });
        offered.collect()
    }

    pub(super) fn info(&self) -> &ToolInfo {
        self.tool.info()
    }

    /// Reads a call's arguments, and checks them.
    pub(super) fn read(&self, call: &ToolCall) -> CheckedCall {
        let info = self.info();
        let read = arguments::read_call(&info.parameters, &info.source, call);
        let raw = call.raw.as_deref();
        let faults = tool_arguments::faults(self.validator.as_ref(), &info.parameters, &read.value, raw);
        CheckedCall { adapted: read.notes, faults }
    }

    /// Whether it may run beside others.
    pub(super) fn only_reads(&self) -> bool {
        let info = self.info();
        info.trusted && info.hints.read_only == Some(true)
    }

    /// Whether running it twice does no harm.
    pub(super) fn repeatable(&self) -> bool {
        let info = self.info();
        info.trusted && (info.hints.read_only == Some(true) || info.hints.idempotent == Some(true))
    }
}
