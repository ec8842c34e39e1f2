//! What was used, what it cost, and what a run would cost.

use domain::{LimitReached, LimitSettings, LimitSpan, NanoUsd, RunForecast, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which usage is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UsageQuery {
    /// From this moment on, in milliseconds since 1970.
    pub from: Option<i64>,
    /// Up to this moment.
    pub to: Option<i64>,
    /// Only of this session.
    pub session: Option<String>,
    /// Only of this run.
    pub run: Option<String>,
    /// Only of this agent.
    pub agent: Option<String>,
    /// Only over this connection.
    pub connection: Option<String>,
    /// Only of this model.
    pub model: Option<String>,
    /// Minutes east of UTC, by which days are cut.
    pub utc_offset_minutes: i32,
}

/// Usage added up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    /// All of it.
    pub total: UsageSum,
    /// By day, oldest first: `YYYY-MM-DD`. Days without usage are left out.
    pub days: Vec<UsageSum>,
    /// By agent, dearest first.
    pub agents: Vec<UsageSum>,
    /// By model, dearest first.
    pub models: Vec<UsageSum>,
    /// By connection, dearest first.
    pub connections: Vec<UsageSum>,
    /// By session, dearest first; at most 50. `title` is the session's.
    pub sessions: Vec<UsageSum>,
    /// By stage (`agent/stage`), dearest first.
    pub stages: Vec<UsageSum>,
}

/// One sum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageSum {
    /// The day, slug or id that it is of.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// Requests that were answered.
    pub calls: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Tokens.
    pub usage: Usage,
    /// Money that is billed by use.
    pub cost: NanoUsd,
    /// What flat-rate connections would have cost by use.
    pub equivalent: NanoUsd,
    /// Requests whose model has no known price: their cost counts as nothing.
    pub unpriced: u64,
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// When it ended, in milliseconds since 1970.
    pub at: i64,
    /// The session.
    pub session: String,
    /// The run.
    pub run: String,
    /// The agent.
    pub agent: String,
    /// The stage's id.
    pub stage: String,
    /// The call's key.
    pub call: String,
    /// Which attempt of it.
    pub r#try: u32,
    /// The connection.
    pub connection: String,
    /// The model that answered.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// Its cost, or what it would have cost.
    pub cost: NanoUsd,
    /// Whether the cost is only an equivalent: a flat rate pays.
    pub equivalent: bool,
    /// Whether no price of the model is known.
    pub unpriced: bool,
    /// Whether it failed.
    pub failed: bool,
    /// Milliseconds it took.
    pub ms: u64,
    /// The id under which the provider's support finds it.
    pub request_id: Option<String>,
}

/// The limits on money, and what is used of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitReport {
    /// As the user set them.
    pub settings: LimitSettings,
    /// What is used today and this month: over all connections, then over each that has limits of its own.
    pub uses: Vec<LimitSpending>,
}

/// What is used of a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitSpending {
    /// What the limit is for.
    pub span: LimitSpan,
    /// The day (`2026-11-28`) or the month (`2026-11`).
    pub of: String,
    /// The connection; absent: all together.
    pub connection: Option<String>,
    /// The limit that holds, raises included; absent: none.
    pub limit: Option<NanoUsd>,
    /// Money spent.
    pub spent: NanoUsd,
    /// Money set aside for calls under way.
    pub held: NanoUsd,
}

/// What a run is to be forecast for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ForecastQuery {
    /// The agent.
    pub agent: String,
    /// The depth; without it the agent's default.
    pub depth: Option<String>,
    /// The connection; without it as a run would take.
    pub connection: Option<String>,
    /// The model; without it as a run would take.
    pub model: Option<String>,
    /// The question, where it is typed already.
    pub request: String,
}

/// What a run is likely to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// The connection it would use.
    pub connection: String,
    /// The model it would use.
    pub model: String,
    /// Its stages that ask a model.
    pub stages: Vec<ForecastStage>,
    /// Likely money: told to nobody unless `range` comes from runs of the same agent, model and depth.
    pub cost: NanoUsd,
    /// The most it can be: where the first limit on money or the budget stops it, or less where no stage can use so much.
    /// Absent where nothing would stop it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<NanoUsd>,
    /// The limit on money that would stop it first, with what is used of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitReached>,
    /// Likely tokens, input and output.
    pub tokens: u64,
    /// Earlier runs that the likely figures come from; 0: they come from the agent's limits alone.
    pub runs: u32,
    /// Whether the money is only an equivalent.
    pub equivalent: bool,
    /// Whether no price of the model is known.
    pub unpriced: bool,
    /// Whether a stage is left out because no web search is set up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_web_search: bool,
    /// The budget it would run under, in money.
    pub budget: Option<NanoUsd>,
    /// The range that is stored with the run and scored when it is finished.
    pub range: RunForecast,
}

/// How well finished runs were foreseen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastReport {
    /// Finished runs that had a forecast, of the newest 1,000.
    pub runs: u32,
    /// How many of them were forecast from earlier runs, not from limits.
    pub from_history: u32,
    /// The part of those from history that used what lies between low and high, 0 to 1; 0.8 is aimed at. Absent without any.
    pub coverage: Option<f64>,
    /// The median of what was used over what was likely. Absent where nothing was expected.
    pub median_ratio: Option<f64>,
    /// The same by agent, most runs first.
    pub agents: Vec<AgentForecasts>,
}

/// How well an agent's runs were foreseen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentForecasts {
    /// The agent's slug.
    pub agent: String,
    /// Its name for people.
    pub title: String,
    /// Finished runs that had a forecast.
    pub runs: u32,
    /// How many of them were forecast from earlier runs.
    pub from_history: u32,
    /// The part of those that used what lies between low and high.
    pub coverage: Option<f64>,
    /// The median of what was used over what was likely.
    pub median_ratio: Option<f64>,
}

/// One stage of a forecast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastStage {
    /// The stage's id.
    pub stage: String,
    /// Its title.
    pub title: String,
    /// Likely requests.
    pub calls: f64,
    /// Likely tokens.
    pub usage: Usage,
    /// Likely money.
    pub cost: NanoUsd,
    /// The most it can be.
    pub most: NanoUsd,
}
