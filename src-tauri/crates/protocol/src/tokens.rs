//! What the model requests of a run were made of, in tokens.

use domain::{NanoUsd, RunId, StageId, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model requests of a run and of its child runs, by section. Tokens of sections are estimates, computed again from the
/// log; usage and cost are what the provider reported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunTokens {
    /// The run.
    pub run: RunId,
    /// Its requests in the order in which they were first sent, child runs after the requests of their parent.
    pub requests: Vec<RequestTokens>,
    /// Sums by stage: of the agent and its stage.
    pub stages: Vec<TokenSum>,
    /// Sums by section.
    pub sections: Vec<TokenSum>,
    /// Estimated input tokens of all requests that could be computed again.
    pub estimated: u64,
    /// What the provider reported for all requests, repeated attempts included.
    pub measured: Usage,
    /// What the provider's figures cost, flat rates as they would have cost by use.
    pub cost: NanoUsd,
    /// Requests that could not be computed again, in words.
    pub left_out: Vec<String>,
    /// The requests under other strategies, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<StrategyTokens>,
}

/// One model request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestTokens {
    /// The run that sent it.
    pub run: RunId,
    /// Its agent.
    pub agent: String,
    /// The stage.
    pub stage: StageId,
    /// The stage's title.
    pub title: String,
    /// `stage#attempt.wave.item`; for a stage that calls tools with the number of the request behind it: `… m2`.
    pub key: String,
    /// The model.
    pub model: String,
    /// How often it was sent; the provider's figures are of all attempts, the sections of the last one.
    pub tries: u32,
    /// What it was made of, in order.
    pub sections: Vec<SectionTokens>,
    /// Estimated input tokens: the sum of its sections.
    pub estimated: u64,
    /// What the provider reported.
    pub measured: Usage,
    /// What that cost, a flat rate as it would have cost by use.
    pub cost: NanoUsd,
}

/// A section of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionTokens {
    /// `system`, `tools`, `schema`, a section's name, `text` for what stands in none, `format` for what messages cost besides;
    /// of a stage that calls tools `answers` and `results`, and `conversation` for what was said before the stage.
    pub name: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// Thousandths of the request.
    pub share: u32,
    /// Estimated tokens of it that the provider read from its cache: what it reported, laid over the request's beginning.
    pub cached: u64,
}

/// A sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenSum {
    /// Of what.
    pub name: String,
    /// Requests.
    pub requests: u32,
    /// Estimated tokens.
    pub tokens: u64,
    /// Thousandths of the whole.
    pub share: u32,
}

/// How the requests of a run are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenStrategy {
    /// Each request shows the whole outputs of all earlier stages.
    Naive,
    /// Each request as it was sent.
    Fresh,
    /// Sections with outputs of earlier stages are replaced by a short handoff of each.
    Handoff,
    /// The requests of a run are one conversation: what was said before is read again, mostly from the cache.
    Continue,
}

/// The same requests under a strategy; every figure is recomputed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StrategyTokens {
    /// The strategy.
    pub strategy: TokenStrategy,
    /// Estimated input tokens that are not read from a cache.
    pub input: u64,
    /// Estimated input tokens that a cache could hold: the beginning of an earlier request.
    pub cached: u64,
    /// Output tokens, as the provider reported them; the same under each strategy.
    pub output: u64,
    /// What that would cost by the run's prices.
    pub cost: NanoUsd,
}

impl StrategyTokens {
    /// All input tokens.
    pub fn whole_input(&self) -> u64 {
        self.input.saturating_add(self.cached)
    }
}
