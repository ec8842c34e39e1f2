//! What a run is likely to use, from its agent's limits and from earlier runs.

use domain::agent::{AgentConfig, Stage, StageKind};
use domain::{NanoUsd, Problem, Reserve, Usage};
use llm::ModelInfo;
use protocol::{Forecast, ForecastQuery, ForecastStage};
use serde_json::{Value, json};
use store::{ModelCallFilter, StageStatistics};
use support::blocking;
use workspace::Agent;

use crate::Connections;

/// Earlier runs that are looked at.
const RUNS: u32 = 20;
/// How often a model is asked once more when its answer does not satisfy the schema.
const CORRECTIONS: u64 = 1;
/// Tokens that a section of a prompt is taken to have while no run has told.
const SECTION: u64 = 1_200;
/// Calls of a stage that makes one an item, while no run has told.
const ITEMS: u64 = 3;
/// The part of the output tokens wanted that an answer is taken to have while no run has told.
const USED: u64 = 4;

/// What earlier runs say of an agent.
#[derive(Default)]
struct RunHistory {
    runs: u32,
    stages: Vec<StageStatistics>,
    /// Whether they asked the same model: then their answers are as long as the next one's.
    same_model: bool,
}

impl Connections {
    /// What a run is likely to cost.
    pub async fn run_forecast(&self, query: ForecastQuery) -> Result<Forecast, Problem> {
        let files = self.env.files();
        let slug = query.agent.clone();
        let agent = blocking(move || files.agent(&slug).map_err(|error| error.problem())).await?;
        let orchestrator = &agent.config.orchestrator;
        let (connection, model) = self
            .choose_connection(query.connection.clone(), query.model.clone(), None, &agent.config)
            .await?;
        let provider = self.env.engine.parts().provider(&connection)?;
        let model = model.unwrap_or_else(|| provider.default_model());
        let info = provider.model(&model);
        let past = self.past(&agent.config, &connection, [&model, &info.id]).await?;
        let mut scope = depth(&agent.config, query.depth.as_deref());
        scope.set("web_search", &json!(self.env.engine.parts().hosts.web_search().await));
        let templates = &self.env.engine.parts().templates;
        let runs_at = |stage: &&Stage| {
            let Some(when) = &stage.when else { return true };
            // Only what the depth and the web search decide is known before the run.
            let known = templates.expr_paths(when).iter().all(|path| {
                path.first().is_some_and(|root| root.starts_with("depth") || root == "web_search")
            });
            !known || templates.truthy(when, &scope).unwrap_or(true)
        };
        let stages: Vec<ForecastStage> = agent
            .config
            .control_flow
            .stages
            .iter()
            .filter(|stage| stage.kind == StageKind::Model)
            .filter(runs_at)
            .map(|stage| forecast(&agent, stage, &info, &past, &query.request))
            .collect();
        let budget = orchestrator.budget_usd.map(NanoUsd::from_usd);
        let flat = info.abilities.flat_rate;
        let most: NanoUsd = stages.iter().map(|stage| stage.most).sum();
        Ok(Forecast {
            connection,
            model,
            cost: stages.iter().map(|stage| stage.cost).sum(),
            // A budget is set aside before each call: beyond it the run stops and asks.
            most: budget.filter(|limit| !flat && *limit < most).unwrap_or(most),
            tokens: stages.iter().map(|stage| stage.usage.total()).fold(0, u64::saturating_add),
            stages,
            runs: past.runs,
            equivalent: flat,
            unpriced: !info.priced,
            budget,
        })
    }

    /// The newest runs over the same connection with the same model; else any of the agent, whose input is about as long.
    async fn past(
        &self,
        config: &AgentConfig,
        connection: &str,
        models: [&str; 2],
    ) -> Result<RunHistory, Problem> {
        let any = ModelCallFilter { agent: Some(config.slug.0.clone()), ..ModelCallFilter::default() };
        // A provider may call what was asked by another name.
        for model in models {
            let (connection, model) = (Some(connection.to_owned()), Some(model.to_owned()));
            let same = ModelCallFilter { connection, model, ..any.clone() };
            let (runs, stages) = self.env.store().stage_statistics(&same, "completed", RUNS).await?;
            if runs > 0 {
                return Ok(RunHistory { runs, stages, same_model: true });
            }
        }
        let (runs, stages) = self.env.store().stage_statistics(&any, "completed", RUNS).await?;
        Ok(RunHistory { runs, stages, same_model: false })
    }
}

fn depth(config: &AgentConfig, asked: Option<&str>) -> context::Scope {
    let name = asked.unwrap_or(&config.default_depth);
    let mut depth: serde_json::Map<String, Value> =
        config.depth_modes.get(name).map(|mode| mode.clone().into_iter().collect()).unwrap_or_default();
    depth.insert("name".to_owned(), json!(name));
    let mut scope = context::Scope::new();
    scope.set("depth", &Value::Object(depth));
    scope.set("depth_name", &json!(name));
    scope
}

fn forecast(
    agent: &Agent,
    stage: &Stage,
    info: &ModelInfo,
    past: &RunHistory,
    request: &str,
) -> ForecastStage {
    let orchestrator = &agent.config.orchestrator;
    let named = orchestrator.per_stage_desired_tokens.get(stage.id.as_str()).copied();
    let wanted = stage.desired_tokens.or(named).unwrap_or(orchestrator.max_output_tokens);
    let caps = [stage.max_output_tokens.unwrap_or(u64::MAX), orchestrator.max_output_tokens, info.max_output];
    let output = caps.into_iter().fold(wanted, u64::min);
    let window = orchestrator.context_window.min(info.context_window);
    let input = window.saturating_sub(orchestrator.min_output_budget.min(output));

    let items = if stage.for_each.is_some() { u64::from(stage.limits.max_calls) } else { 1 };
    let units = &agent.config.control_flow.repair_units;
    let repairs = units
        .iter()
        .filter(|unit| unit.stages.contains(&stage.id))
        .map(|unit| u64::from(unit.max_iterations));
    let replans = u64::from(stage.pause.as_ref().is_some_and(|pause| pause.replan_on_answers));
    let attempts = (1 + repairs.sum::<u64>()).saturating_mul(1 + replans);
    let most_calls = items.saturating_mul(attempts).saturating_mul(1 + CORRECTIONS);
    let Reserve { cost: dearest, .. } = info.reserve(input, output);

    let told = past.stages.iter().find(|told| told.stage == stage.id.as_str());
    let (calls, each) = match told {
        Some(told) => {
            // A stage that some runs leave out counts for the part of them that has it.
            let calls = told.calls_per_run * f64::from(told.runs) / f64::from(past.runs.max(1));
            let mean = told.mean;
            let each = if past.same_model {
                mean
            } else {
                // Another model writes and thinks more or less, and its cache is not this one's.
                Usage {
                    input: mean.total() - mean.output,
                    output: mean.output.max(output / USED),
                    ..Usage::default()
                }
            };
            (calls, each)
        }
        // Earlier runs that had no use for this stage say that the next one may not either.
        None if past.runs > 0 => (0.0, Usage::default()),
        None => {
            let prompt = stage
                .prompt
                .as_ref()
                .and_then(|file| agent.prompts.get(file))
                .map_or(0, |text| context::estimate(text));
            let schema =
                agent.schemas.get(&stage.id).map_or(0, |schema| context::estimate(&schema.to_string()));
            let sections = SECTION * stage.context.len() as u64;
            let input = (prompt + schema + sections + context::estimate(request)).min(input);
            let calls = if stage.for_each.is_some() { items.min(ITEMS) } else { 1 };
            (calls as f64, Usage { input, output: output / USED, ..Usage::default() })
        }
    };
    let times = |tokens: u64| (tokens as f64 * calls).round() as u64;
    ForecastStage {
        stage: stage.id.to_string(),
        title: stage.title.clone(),
        calls,
        usage: Usage {
            input: times(each.input),
            output: times(each.output),
            thinking: times(each.thinking),
            cache_read: times(each.cache_read),
            cache_write: times(each.cache_write),
            cache_write_long: times(each.cache_write_long),
        },
        cost: NanoUsd(times(info.cost(&each).0)),
        most: NanoUsd(dearest.0.saturating_mul(most_calls)),
    }
}
