//! What a run is likely to use, from its agent's limits and from earlier runs.

use std::collections::BTreeMap;

use domain::agent::{AgentConfig, Stage, StageKind};
use domain::connection::OFFLINE;
use domain::{
    ForecastRange, ForecastScore, NanoUsd, Problem, Reserve, RunForecast, RunId, RunStatus, RunUse, Usage,
};
use engine::{RunMeta, WebSearchUse};
use futures_util::future::BoxFuture;
use llm::ModelInfo;
use protocol::{AgentForecasts, Forecast, ForecastQuery, ForecastReport, ForecastStage};
use serde_json::{Value, json};
use store::{ModelCallFilter, RunFilter, StageStatistics};
use support::blocking;
use workspace::Agent;

use crate::Connections;

/// The stored status of a run that gave what it was for.
const COMPLETED: &str = RunStatus::Completed.as_str();
/// Earlier runs that are looked at for what each stage uses.
const RUNS: u32 = 20;
/// Earlier runs of the same agent, model and depth that a range comes from.
const HISTORY: usize = 50;
/// Finished runs of the agent among which these are looked for.
const LOOKED_AT: u32 = 400;
/// Runs of earlier versions whose logs are read for it.
const OLD: u32 = 20;
/// How often a model is asked once more when its answer does not satisfy the schema.
const CORRECTIONS: u64 = 1;
/// Tokens that a section of a prompt is taken to have while no run has told.
const SECTION: u64 = 1_200;
/// Calls of a stage that makes one an item, while no run has told.
const ITEMS: u64 = 3;
/// Calls of a stage that holds a dialogue, while no run has told.
const STEPS: u64 = 6;
/// The part of the output tokens wanted that an answer is taken to have while no run has told.
const USED: u64 = 4;

/// Agents that start agents are followed so deep.
const LEVELS: u32 = 4;

/// What a stage is expected to use, and the most tokens that it can use.
type StageForecast = (ForecastStage, u64);

/// What an agent is expected to use.
struct AgentForecast {
    /// The earlier runs that it comes from.
    runs: u32,
    /// Its stages that ask a model, those of the agents that stages start included.
    stages: Vec<StageForecast>,
    /// Whether a stage is left out because no web search is set up.
    lacks_search: bool,
}

/// What a forecast of an agent, and of those that its stages start, goes by.
struct ForecastBasis<'a> {
    connection: &'a str,
    /// The model by the name that was asked for, and by the provider's.
    models: [&'a str; 2],
    info: &'a ModelInfo,
    depth: Option<&'a str>,
    web_search: bool,
    request: &'a str,
}

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
        let basis = ForecastBasis {
            connection: &connection,
            models: [&model, &info.id],
            info: &info,
            depth: query.depth.as_deref(),
            web_search: self.env.engine.parts().hosts.web_search().await == WebSearchUse::Ready,
            request: &query.request,
        };
        let AgentForecast { runs: past_runs, stages, lacks_search } = self.stages(&agent, &basis, 0).await?;
        let most_tokens = stages.iter().map(|(_, most)| *most).fold(0, u64::saturating_add);
        let stages: Vec<ForecastStage> = stages.into_iter().map(|(stage, _)| stage).collect();
        let name = query.depth.as_deref().unwrap_or(&agent.config.default_depth);
        let used = self.used(&agent.config, [&model, &info.id], name).await?;
        let budget = orchestrator.budget_usd.map(NanoUsd::from_usd);
        let flat = info.abilities.flat_rate;
        let maxima: NanoUsd = stages.iter().map(|stage| stage.most).sum();
        let cost: NanoUsd = stages.iter().map(|stage| stage.cost).sum();
        let limit = if flat || !info.priced { None } else { self.money_left(&connection).await? };
        // Each call is set aside before it is made: beyond the first bound the run stops and asks. Without one nobody
        // knows: all maxima together are no forecast.
        let bound =
            [budget.filter(|_| !flat), limit.as_ref().map(|(left, _)| *left)].into_iter().flatten().min();
        let most = if maxima.0 == 0 { Some(maxima) } else { bound.map(|bound| bound.min(maxima)) };
        let limit = limit.filter(|(left, _)| most == Some(*left)).map(|(_, limit)| limit);
        let high = most.unwrap_or(maxima);
        let tokens = stages.iter().map(|stage| stage.usage.total()).fold(0, u64::saturating_add);
        let limits = RunForecast {
            cost: ForecastRange { low: 0, likely: cost.0.min(high.0), high: high.0 },
            tokens: ForecastRange { low: 0, likely: tokens, high: most_tokens.max(tokens) },
            runs: 0,
            unpriced: !info.priced,
        };
        Ok(Forecast {
            connection,
            model,
            cost,
            most,
            limit,
            tokens,
            range: foreseen(&used).map_or(limits, |range| RunForecast { unpriced: !info.priced, ..range }),
            stages,
            runs: past_runs,
            equivalent: flat,
            unpriced: !info.priced,
            no_web_search: lacks_search,
            budget,
        })
    }

    /// What each stage that asks a model is expected to use, with the most tokens.
    fn stages<'s>(
        &'s self,
        agent: &'s Agent,
        basis: &'s ForecastBasis<'s>,
        level: u32,
    ) -> BoxFuture<'s, Result<AgentForecast, Problem>> {
        Box::pin(async move {
            let past = self.past(&agent.config, basis.connection, basis.models).await?;
            // An agent that has no depth of that name works at its own.
            let name = basis.depth.filter(|name| level == 0 || agent.config.depth_modes.contains_key(*name));
            let mut scope = depth(&agent.config, name);
            scope.set("offline", &json!(basis.info.provider == OFFLINE));
            let templates = &self.env.engine.parts().templates;
            // Only what the depth, the model and the web search decide is known before the run.
            let mut runs_with = |stage: &Stage, web_search: bool| {
                let Some(when) = &stage.when else { return true };
                scope.set("web_search", &json!(web_search));
                let known = templates.expr_paths(when).iter().all(|path| {
                    let root = path.first().map_or("", String::as_str);
                    root.starts_with("depth") || matches!(root, "offline" | "web_search")
                });
                !known || templates.truthy(when, &scope).unwrap_or(true)
            };
            let (mut stages, mut lacks_search) = (Vec::new(), false);
            for stage in &agent.config.control_flow.stages {
                if !runs_with(stage, basis.web_search) {
                    lacks_search |= !basis.web_search && runs_with(stage, true);
                    continue;
                }
                match stage.kind {
                    StageKind::Model | StageKind::Dialogue => {
                        stages.push(forecast(agent, stage, basis.info, &past, basis.request));
                    }
                    StageKind::Agent if level < LEVELS => {
                        let (of_children, lacks) = self.children(agent, stage, basis, level).await?;
                        stages.push(of_children);
                        lacks_search |= lacks;
                    }
                    StageKind::Agent | StageKind::Tools | StageKind::Verify | StageKind::Render => {}
                }
            }
            Ok(AgentForecast { runs: past.runs, stages, lacks_search })
        })
    }

    /// What the runs that a stage starts are expected to use; of several agents the one that can use the most. Beside it,
    /// whether one of them lacks a web search.
    async fn children(
        &self,
        agent: &Agent,
        stage: &Stage,
        basis: &ForecastBasis<'_>,
        level: u32,
    ) -> Result<(StageForecast, bool), Problem> {
        let (mut largest, mut lacks): (Option<StageForecast>, bool) = (None, false);
        for slug in stage.child_agents() {
            let (files, slug) = (self.env.files(), slug.to_owned());
            let child = blocking(move || files.agent(&slug).map_err(|error| error.problem())).await?;
            let AgentForecast { stages, lacks_search, .. } = self.stages(&child, basis, level + 1).await?;
            lacks |= lacks_search;
            let one = run_of(stage, &stages);
            if largest.as_ref().is_none_or(|(_, most)| one.1 > *most) {
                largest = Some(one);
            }
        }
        let (mut one, most_tokens) = largest.unwrap_or_else(|| run_of(stage, &[]));
        let items = items_of(stage);
        let runs = items.min(ITEMS);
        let most_runs = items.saturating_mul(attempts_of(agent, stage));
        one.calls *= runs as f64;
        one.usage = scaled(&one.usage, runs as f64);
        one.cost = NanoUsd(one.cost.0.saturating_mul(runs));
        one.most = NanoUsd(one.most.0.saturating_mul(most_runs));
        Ok(((one, most_tokens.saturating_mul(most_runs)), lacks))
    }

    /// What the newest finished runs of the same agent, model and depth used.
    async fn used(
        &self,
        config: &AgentConfig,
        models: [&str; 2],
        depth: &str,
    ) -> Result<Vec<RunUse>, Problem> {
        let mut used = Vec::new();
        let mut old = 0;
        for run in self.finished(Some(config.slug.0.clone()), LOOKED_AT).await? {
            let meta = match RunMeta::read(&run.meta) {
                Some(meta) => meta,
                // A run of an earlier version: its log has it all.
                None if old < OLD => {
                    old += 1;
                    let Ok(meta) = self.env.engine.run_meta(&RunId(run.id)).await else { continue };
                    meta
                }
                None => continue,
            };
            if models.contains(&meta.model.as_str()) && meta.depth == depth {
                used.extend(meta.used);
            }
            if used.len() >= HISTORY {
                break;
            }
        }
        Ok(used)
    }

    /// Finished runs of the workspace, newest first.
    async fn finished(&self, agent: Option<String>, most: u32) -> Result<Vec<store::Run>, Problem> {
        let filter = RunFilter {
            agent,
            statuses: vec![COMPLETED.to_owned()],
            kind: "run".to_owned(),
            workspace: self.env.scope(),
            ..RunFilter::default()
        };
        Ok(self.env.store().list_runs(&filter, None, most).await?.runs)
    }

    /// How well finished runs were foreseen when they began.
    pub async fn usage_forecasts(&self, agent: Option<String>) -> Result<ForecastReport, Problem> {
        let mut all = Vec::new();
        let mut by_agent: BTreeMap<String, Vec<(RunForecast, RunUse)>> = BTreeMap::new();
        for run in self.finished(agent, store::MAX_PAGE).await? {
            let scored = RunMeta::read(&run.meta).and_then(|meta| Some((meta.forecast?, meta.used?)));
            all.extend(scored);
            by_agent.entry(run.agent).or_default().extend(scored);
        }
        let files = self.env.files();
        let names: BTreeMap<String, String> = blocking(move || {
            let agents = files.agents().into_iter();
            Ok(agents.filter_map(|entry| Some((entry.slug, entry.agent.ok()?.config.name))).collect())
        })
        .await?;
        let mut agents: Vec<AgentForecasts> = by_agent
            .into_iter()
            .filter(|(_, scored)| !scored.is_empty())
            .map(|(agent, scored)| {
                let ForecastScore { runs, from_history, coverage, median_ratio } = ForecastScore::of(&scored);
                let title = names.get(&agent).cloned().unwrap_or_else(|| agent.clone());
                AgentForecasts { agent, title, runs, from_history, coverage, median_ratio }
            })
            .collect();
        agents.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.agent.cmp(&b.agent)));
        let ForecastScore { runs, from_history, coverage, median_ratio } = ForecastScore::of(&all);
        Ok(ForecastReport { runs, from_history, coverage, median_ratio, agents })
    }

    /// The newest runs over the same connection with the same model; else any of the agent, whose input is about as long.
    async fn past(
        &self,
        config: &AgentConfig,
        connection: &str,
        models: [&str; 2],
    ) -> Result<RunHistory, Problem> {
        let (agent, workspace) = (Some(config.slug.0.clone()), self.env.scope());
        let any = ModelCallFilter { agent, workspace, ..ModelCallFilter::default() };
        // A provider may call what was asked by another name.
        for model in models {
            let (connection, model) = (Some(connection.to_owned()), Some(model.to_owned()));
            let same = ModelCallFilter { connection, model, ..any.clone() };
            let (runs, stages) = self.env.store().stage_statistics(&same, COMPLETED, RUNS).await?;
            if runs > 0 {
                return Ok(RunHistory { runs, stages, same_model: true });
            }
        }
        let (runs, stages) = self.env.store().stage_statistics(&any, COMPLETED, RUNS).await?;
        Ok(RunHistory { runs, stages, same_model: false })
    }
}

/// The range of what earlier runs used; `None` without any.
fn foreseen(used: &[RunUse]) -> Option<RunForecast> {
    Some(RunForecast {
        cost: ForecastRange::from_values(used.iter().map(|one| one.cost.0).collect())?,
        tokens: ForecastRange::from_values(used.iter().map(|one| one.tokens).collect())?,
        runs: u32::try_from(used.len()).unwrap_or(u32::MAX),
        unpriced: false,
    })
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

fn times(tokens: u64, calls: f64) -> u64 {
    (tokens as f64 * calls).round() as u64
}

/// What so many calls use of which one uses `each`.
fn scaled(each: &Usage, calls: f64) -> Usage {
    Usage {
        input: times(each.input, calls),
        output: times(each.output, calls),
        thinking: times(each.thinking, calls),
        cache_read: times(each.cache_read, calls),
        cache_write: times(each.cache_write, calls),
        cache_write_long: times(each.cache_write_long, calls),
    }
}

/// The most items that a stage works on; of a dialogue, the most calls to the model.
fn items_of(stage: &Stage) -> u64 {
    let most = u64::from(stage.limits.max_calls);
    if stage.kind == StageKind::Dialogue {
        most.saturating_add(1)
    } else if stage.for_each.is_some() {
        most
    } else {
        1
    }
}

/// How often a stage works on an item at most.
fn attempts_of(agent: &Agent, stage: &Stage) -> u64 {
    let units = &agent.config.control_flow.repair_units;
    let repairs = units
        .iter()
        .filter(|unit| unit.stages.contains(&stage.id))
        .map(|unit| u64::from(unit.max_iterations));
    let replans = u64::from(stage.pause.as_ref().is_some_and(|pause| pause.replan_on_answers));
    (1 + repairs.sum::<u64>()).saturating_mul(1 + replans)
}

/// One run that a stage starts, from the stages of its agent.
fn run_of(stage: &Stage, stages: &[StageForecast]) -> StageForecast {
    let mut usage = Usage::default();
    stages.iter().for_each(|(one, _)| usage += one.usage);
    let one = ForecastStage {
        stage: stage.id.to_string(),
        title: stage.title.clone(),
        calls: stages.iter().map(|(one, _)| one.calls).sum(),
        usage,
        cost: stages.iter().map(|(one, _)| one.cost).sum(),
        most: stages.iter().map(|(one, _)| one.most).sum(),
    };
    (one, stages.iter().map(|(_, most)| *most).fold(0, u64::saturating_add))
}

fn forecast(
    agent: &Agent,
    stage: &Stage,
    info: &ModelInfo,
    past: &RunHistory,
    request: &str,
) -> StageForecast {
    let orchestrator = &agent.config.orchestrator;
    let named = orchestrator.per_stage_desired_tokens.get(stage.id.as_str()).copied();
    let wanted = stage.desired_tokens.or(named).unwrap_or(orchestrator.max_output_tokens);
    let caps = [stage.max_output_tokens.unwrap_or(u64::MAX), orchestrator.max_output_tokens, info.max_output];
    let output = caps.into_iter().fold(wanted, u64::min);
    let window = orchestrator.context_window.min(info.context_window);
    let input = window.saturating_sub(orchestrator.min_output_budget.min(output));

    let items = items_of(stage);
    let most_calls = items.saturating_mul(attempts_of(agent, stage)).saturating_mul(1 + CORRECTIONS);
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
            let is_dialogue = stage.kind == StageKind::Dialogue;
            let calls = items.min(if is_dialogue { STEPS } else { ITEMS });
            let output = output / USED / if is_dialogue { calls } else { 1 };
            // Each call of a dialogue is sent what was said and what tools gave before it.
            let said = if is_dialogue { (output + SECTION) * (calls - 1) / 2 } else { 0 };
            let input = (prompt + schema + sections + said + context::estimate(request)).min(input);
            (calls as f64, Usage { input, output, ..Usage::default() })
        }
    };
    let most_tokens = most_calls.saturating_mul(input.saturating_add(output));
    let stage = ForecastStage {
        stage: stage.id.to_string(),
        title: stage.title.clone(),
        calls,
        usage: scaled(&each, calls),
        cost: NanoUsd(times(info.cost(&each).0, calls)),
        most: NanoUsd(dearest.0.saturating_mul(most_calls)),
    };
    (stage, most_tokens)
}
