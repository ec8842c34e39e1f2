//! What a turn depends on: stored with its start, so that a resumed one is asked as it was.

use domain::agent::Effort;
use domain::{NanoUsd, Reserve, Usage};
use llm::ToolSpec;
use serde::{Deserialize, Serialize};
use tool_arguments::ToolName;

use super::host::TurnContext;
use crate::run::pinned::CallCost;

/// Everything that a turn pins, as one blob.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pinned {
    /// The connection's slug.
    pub(super) connection: String,
    /// The model.
    pub(super) model: String,
    /// What it can do and costs.
    pub(super) model_info: llm::ModelInfo,
    /// The system prompt.
    pub(super) system: String,
    /// The tools, in the order in which the model is shown them.
    pub(super) tools: Vec<PinnedTool>,
    /// How hard to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<Effort>,
    /// What the person is told besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
}

/// A tool as the model is shown it, and what a person reads of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PinnedTool {
    /// As the model is shown it.
    #[serde(flatten)]
    pub(super) spec: ToolSpec,
    /// What a person reads.
    pub(super) title: String,
    /// The source's slug; empty for what is built in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) source: String,
}

/// Below this window a model is not shown auxiliary tools.
const SMALL_WINDOW_TOKENS: u64 = 16_384;

impl Pinned {
    /// The same with other tools and instructions.
    pub(super) fn with_context(&self, kit: &TurnContext, effort: Option<Effort>) -> Self {
        let small = self.model_info.context_window < SMALL_WINDOW_TOKENS;
        let tools = kit.tools.iter().filter(|tool| !(small && tool.is_auxiliary())).map(|tool| {
            let info = tool.info();
            PinnedTool {
                spec: ToolSpec {
                    name: info.name.clone(),
                    description: info.description.clone(),
                    parameters: info.parameters.clone(),
                },
                title: info.title.clone(),
                source: info.source.clone(),
            }
        });
        // A model that calls no tools is not shown any: its provider would refuse the request.
        let tools = if self.model_info.abilities.tools { tools.collect() } else { Vec::new() };
        Self { tools, system: kit.system.clone(), notes: kit.notes.clone(), effort, ..self.clone() }
    }

    /// The tool that a model means by a name, as it may write it.
    pub(super) fn meant(&self, asked: &str) -> Option<&str> {
        match self.tool_name(asked) {
            ToolName::Found(name) => Some(name),
            ToolName::Ambiguous(_) | ToolName::Unknown(_) => None,
        }
    }

    /// The same, or which tools it may be.
    pub(super) fn tool_name(&self, asked: &str) -> ToolName<'_> {
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
        tool_arguments::tool_name(asked, &names)
    }

    /// A tool by its name for the model.
    pub(super) fn tool(&self, name: &str) -> Option<&PinnedTool> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    /// Whether a flat rate pays: what calls cost is an equivalent, and counts in no budget of money.
    fn flat_rate(&self) -> bool {
        self.model_info.abilities.flat_rate
    }

    /// The most a call can use of the turn's budget.
    pub(super) fn reserve(&self, input: u64, max_output: u64) -> Reserve {
        let reserve = self.model_info.reserve(input, max_output);
        if self.flat_rate() { Reserve { cost: NanoUsd(0), ..reserve } } else { reserve }
    }

    /// What a call cost. What the provider says counts before what the table says.
    pub(super) fn call_cost(&self, usage: &Usage, reported: Option<NanoUsd>) -> CallCost {
        let cost = reported.unwrap_or_else(|| self.model_info.cost(usage));
        let unpriced = !self.model_info.priced && reported.is_none();
        if self.flat_rate() {
            CallCost { cost: NanoUsd(0), equivalent: cost, flat: true, unpriced }
        } else {
            CallCost { cost, equivalent: NanoUsd(0), flat: false, unpriced }
        }
    }

    /// The most output tokens of an answer.
    pub(super) fn max_output(&self) -> u64 {
        const MAX_OUTPUT_TOKENS: u64 = 32_000;
        let window = self.model_info.context_window;
        self.model_info.max_output.min(MAX_OUTPUT_TOKENS).min((window / 2).max(1)).max(1)
    }
}
