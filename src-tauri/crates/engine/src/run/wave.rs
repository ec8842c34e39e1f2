//! The calls of a stage's wave, rendered from what the run knows.

use std::collections::BTreeSet;

use context::{Scope, TemplateError, Templates};
use domain::agent::{Stage, StageKind, Step};
use domain::{Digest, ErrorCode, NanoUsd, Problem, Reserve};
use llm::ModelRequest;
use pipeline::{Cut, CutContext, PlannedCall};
use serde_json::{Value, json};

use crate::run::child_request::ChildRequest;
use crate::run::collect::tool_name;
use crate::run::evaluate::{Evaluation, Payload, StageRequest, wrong};
use crate::run::pinned::Pinned;

/// The calls of a wave, and what it does without.
#[derive(Debug, Default)]
pub(crate) struct Wave {
    pub(crate) calls: Vec<(PlannedCall, Payload)>,
    pub(crate) cut: Cut,
}

impl Evaluation<'_> {
    /// The calls of a wave.
    pub(crate) fn wave(&mut self, stage: &Stage, wave: u32) -> Result<Wave, Problem> {
        // A folder that is none fails the stage before any call of it begins.
        self.folders(stage)?;
        let mut scope = self.scope(stage);
        let gathered = self.gathered(stage, wave, &scope)?;
        scope.set("collected", &Value::Object(gathered.collected));
        scope.set("telemetry", &Value::Object(gathered.telemetry));
        match stage.steps.get(wave as usize) {
            Some(step) => self.tool_wave(stage, step, &scope),
            None if self.is_handoff(stage, wave) => self.handoff_wave(stage, &scope),
            None => self.model_wave(stage, &scope),
        }
    }

    fn tool_wave(&self, stage: &Stage, step: &Step, scope: &Scope) -> Result<Wave, Problem> {
        let templates = self.templates;
        let err = |error: TemplateError| wrong(stage, &error);
        if let Some(when) = &step.when
            && !templates.truthy(when, scope).map_err(err)?
        {
            return Ok(Wave::default());
        }
        let (source, tool) = step.tool.split_once('/').unwrap_or(("", step.tool.as_str()));
        let mut wave = Wave::default();
        let mut items = items(step.for_each.as_deref(), templates, scope).map_err(err)?;
        wave.cut.items = beyond(&mut items, stage);
        for (index, item) in items.into_iter().enumerate() {
            let mut scope = scope.with("item", &item);
            scope.set("index", &json!(index));
            let args = templates.fill(&Value::Object(step.args.clone()), &scope).map_err(err)?;
            let title = match &step.title {
                Some(title) => templates.render(title, &scope).map_err(err)?,
                None => String::new(),
            };
            let planned = PlannedCall {
                request: Digest::of_json(&json!({ "tool": step.tool, "args": args })),
                reserve: Reserve::default(),
                least: Reserve::default(),
                repeatable: step.idempotent,
                optional: step.optional,
                title: title.chars().take(200).collect(),
                name: String::new(),
            };
            let (source, tool) = (source.to_owned(), tool.to_owned());
            wave.calls.push((planned, Payload::Tool { source, tool, args }));
        }
        Ok(wave)
    }

    fn model_wave(&self, stage: &Stage, scope: &Scope) -> Result<Wave, Problem> {
        let err = |error: TemplateError| wrong(stage, &error);
        if let Some(when) = &stage.model_when
            && !self.templates.truthy(when, scope).map_err(err)?
        {
            return Ok(Wave::default());
        }
        if stage.kind == StageKind::Agent {
            return self.agent_wave(stage, scope);
        }
        let judges = stage.kind == StageKind::Verify;
        // The offline engine is no judge.
        if judges && self.pinned.is_offline() {
            return Ok(Wave::default());
        }
        let mut wave = Wave::default();
        // Replacements are asked for once, whatever the text has been written in.
        let each = stage.for_each.as_deref().filter(|_| !self.is_repair(stage));
        let mut items = items(each, self.templates, scope).map_err(err)?;
        wave.cut.items = beyond(&mut items, stage);
        let mut taken = self.state.committed();
        for (index, item) in items.into_iter().enumerate() {
            let mut scope = scope.with("item", &item);
            scope.set("index", &json!(index));
            let StageRequest { request, input, left_out } = self.request(stage, &scope)?;
            let (planned, payload) = if stage.kind == StageKind::Dialogue {
                (self.turn(stage, &request, input), Payload::Dialogue(Box::new(request)))
            } else {
                let planned = PlannedCall {
                    request: request.digest(),
                    reserve: self.pinned.reserve(self.pinned.asks(stage).1, input, request.max_output_tokens),
                    least: Reserve::default(),
                    repeatable: false,
                    // Without its judge a check says less, and holds.
                    optional: judges,
                    title: stage.title.clone(),
                    name: String::new(),
                };
                (planned, Payload::Model(Box::new(request)))
            };
            if judges {
                // What is left of the budget is not exceeded for it.
                if !self.state.budget.allows(taken + planned.reserve) {
                    wave.cut.unaffordable += 1;
                    continue;
                }
                taken = taken + planned.reserve;
            }
            if !left_out.is_empty() {
                wave.cut.contexts.push(CutContext { item: wave.calls.len() as u32, left_out });
            }
            wave.calls.push((planned, payload));
        }
        Ok(wave)
    }

    /// Runs of other agents, one for each item.
    fn agent_wave(&self, stage: &Stage, scope: &Scope) -> Result<Wave, Problem> {
        let err = |error: TemplateError| wrong(stage, &error);
        let mut wave = Wave::default();
        let mut items = items(stage.for_each.as_deref(), self.templates, scope).map_err(err)?;
        wave.cut.items = beyond(&mut items, stage);
        let mut names = BTreeSet::new();
        for (index, item) in items.into_iter().enumerate() {
            let mut scope = scope.with("item", &item);
            scope.set("index", &json!(index));
            let name = match &stage.item_key {
                Some(expr) => text_of(&self.templates.eval(expr, &scope).map_err(err)?),
                None => String::new(),
            };
            if stage.item_key.is_some() && (name.is_empty() || !names.insert(name.clone())) {
                let what =
                    if name.is_empty() { "is empty".to_owned() } else { format!("{name:?} is used twice") };
                return Err(bad_item(stage, index, format!("its itemKey {what}")));
            }
            let slug =
                self.templates.render(stage.agent.as_deref().unwrap_or_default(), &scope).map_err(err)?;
            let Some(pin) = self
                .pinned
                .agents
                .get(slug.trim())
                .filter(|_| stage.child_agents().any(|known| known == slug.trim()))
            else {
                let known: Vec<&str> = stage.child_agents().collect();
                let what = format!("agent {:?} is not one of {}", slug.trim(), known.join(", "));
                return Err(bad_item(stage, index, what));
            };
            let asked = || self.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default();
            let request = match stage.prompt.as_deref() {
                Some(prompt) => self.prompt(stage, prompt, &scope)?.trim().to_owned(),
                None => asked(),
            };
            let inputs = stage.inputs.clone().map_or(Value::Null, Value::Object);
            let inputs = self.templates.fill(&inputs, &scope).map_err(err)?;
            if let Some(fault) = unfit(pin, &inputs)? {
                return Err(bad_item(stage, index, format!("its inputs do not fit agent {slug}: {fault}")));
            }
            let depth = crate::run::scope::depth_name(self.pinned, self.state);
            let request = ChildRequest {
                agent: slug.trim().to_owned(),
                request,
                inputs,
                depth: pin.config.depth_modes.contains_key(&depth).then_some(depth),
            };
            let (reserve, least) = pin.bounds(stage.child_budget.as_ref());
            let title = [pin.config.name.as_str(), name.as_str()].into_iter().filter(|text| !text.is_empty());
            let planned = PlannedCall {
                request: request.digest(),
                reserve,
                least,
                repeatable: false,
                optional: stage.item_optional,
                title: title.collect::<Vec<_>>().join(": ").chars().take(200).collect(),
                name,
            };
            wave.calls.push((planned, Payload::Agent(Box::new(request))));
        }
        Ok(wave)
    }

    /// A stage's turn: it may use as much as all its calls to the model can, and begins with what two of them can.
    pub(super) fn turn(&self, stage: &Stage, request: &ModelRequest, input: u64) -> PlannedCall {
        let info = &self.pinned.model_info;
        let output = request.max_output_tokens;
        let times = |reserve: Reserve, count: u64| Reserve {
            cost: NanoUsd(reserve.cost.0.saturating_mul(count)),
            tokens: reserve.tokens.saturating_mul(count),
        };
        let most = u64::from(stage.limits.max_calls).saturating_add(1);
        let least = times(self.pinned.reserve(info, input, output), 2);
        let whole = times(self.pinned.reserve(info, info.context_window.max(input), output), most.max(2));
        PlannedCall {
            request: request.digest(),
            reserve: whole,
            least,
            repeatable: false,
            optional: false,
            title: stage.title.clone(),
            name: String::new(),
        }
    }

    /// What the current attempt of a stage did without, in words for a person: items and calls that were not planned,
    /// what the contexts of its calls lack, and optional calls to a model that failed.
    pub(crate) fn did_without(&self, stage: &Stage) -> Vec<String> {
        let mut told = Vec::new();
        let cuts = self.state.stage(&stage.id).map(|state| &state.cuts);
        for (wave, cut) in cuts.into_iter().flatten() {
            let step = stage.steps.get(*wave as usize).map(|step| format!("{}: ", tool_name(step)));
            let step = step.unwrap_or_default();
            if cut.items > 0 {
                let most = stage.limits.max_calls;
                let were = if cut.items == 1 { "item was" } else { "items were" };
                told.push(format!(
                    "{step}{} {were} left out: the stage makes at most {most} calls (limits.maxCalls)",
                    cut.items
                ));
            }
            if cut.unaffordable > 0 {
                let were = if cut.unaffordable == 1 { "call was" } else { "calls were" };
                told.push(format!("{} {were} not made: the budget left no room", cut.unaffordable));
            }
            told.extend(shortened(&cut.contexts));
        }
        let failed: Vec<&Problem> = self
            .calls(stage)
            .filter(|call| call.model && call.planned.optional)
            .filter_map(|call| call.status.result()?.err())
            .collect();
        if let Some(first) = failed.first() {
            let (one, many) = match stage.kind == StageKind::Agent {
                true => ("child run", "child runs"),
                false => ("call to the model", "calls to the model"),
            };
            let (count, of) = (failed.len(), if failed.len() == 1 { one } else { many });
            told.push(format!("{count} {of} failed, and the stage went on without: {}", first.message));
        }
        told
    }
}

fn items(for_each: Option<&str>, templates: &Templates, scope: &Scope) -> Result<Vec<Value>, TemplateError> {
    let Some(expr) = for_each else { return Ok(vec![Value::Null]) };
    Ok(match templates.eval(expr, scope)? {
        Value::Array(items) => {
            let mut seen = BTreeSet::new();
            items.into_iter().filter(|item| !item.is_null() && seen.insert(domain::canonical(item))).collect()
        }
        Value::Null => Vec::new(),
        one => vec![one],
    })
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => domain::canonical(other),
    }
}

fn bad_item(stage: &Stage, index: usize, what: String) -> Problem {
    let which = stage.for_each.as_ref().map(|_| format!("item {}: ", index + 1)).unwrap_or_default();
    Problem::new(ErrorCode::InvalidConfig, format!("stage {}: {which}{what}", stage.title))
        .with_action("correct the agent's configuration and start a new run")
}

/// Why inputs do not satisfy an agent's schema, where it has one.
fn unfit(pin: &Pinned, inputs: &Value) -> Result<Option<String>, Problem> {
    let Some(schema) = &pin.input_schema else { return Ok(None) };
    let validator = jsonschema::validator_for(schema).map_err(|error| {
        Problem::new(ErrorCode::InvalidConfig, format!("agent {}: bad inputSchema: {error}", pin.config.slug))
    })?;
    Ok(validator.iter_errors(inputs).next().map(|error| {
        let at = error.instance_path().to_string();
        if at.is_empty() { error.to_string() } else { format!("{at}: {error}") }
    }))
}

/// Drops the items beyond a stage's limit, and counts them.
fn beyond(items: &mut Vec<Value>, stage: &Stage) -> u32 {
    let most = stage.limits.max_calls as usize;
    let beyond = items.len().saturating_sub(most);
    items.truncate(most);
    u32::try_from(beyond).unwrap_or(u32::MAX)
}

/// That contexts were shortened, with the first in full.
fn shortened(contexts: &[CutContext]) -> Option<String> {
    let first = contexts.first()?.left_out.join("; ");
    Some(match contexts.len() {
        1 => format!("the context did not fit into the model's window and was shortened: {first}"),
        many => format!(
            "the contexts of {many} calls did not fit into the model's window and were shortened; of the first: {first}"
        ),
    })
}
