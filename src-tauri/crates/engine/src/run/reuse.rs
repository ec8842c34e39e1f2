//! A run that repeats another: calls that ask what its base run asked take over what they gave there, outputs that were
//! edited beforehand stand, and pauses are answered as they were.

use std::collections::{BTreeMap, BTreeSet};

use domain::agent::{Stage, StageKind};
use domain::{Digest, ErrorCode, NanoUsd, Problem, StageId, Usage, canonical};
use pipeline::{
    Action, Answer, BaseRun, CallKey, ChildEnd, Event, Graph, PauseKind, Record, ReusedCall, State,
};
use serde_json::{Value, json};

use crate::core::engine::{Engine, RepeatedRun};
use crate::core::payloads::Payloads;
use crate::run::pinned::Pinned;
use crate::run::reply::Reply;
use crate::run::values::read;

/// What a call of the base run gave.
#[derive(Debug, Clone)]
pub(crate) struct ReusableCall {
    pub(crate) output: Digest,
    pub(crate) from: ReusedCall,
}

/// What a run can take over from its base run.
#[derive(Debug, Default)]
pub(crate) struct ReuseTable {
    /// By what was asked, and of whom; where several asked the same, each by its place, in order.
    by_request: BTreeMap<Digest, Vec<(CallKey, ReusableCall)>>,
    /// Calls of the attempts that stand, of stages whose output is edited beforehand: it does not matter what they gave.
    edited: BTreeMap<CallKey, ReusableCall>,
    /// How the person answered the pauses of stages, in order.
    replies: BTreeMap<StageId, Vec<Reply>>,
    /// Stages that run again in any case.
    anew: BTreeSet<StageId>,
}

/// A call on its way through the log of the base run.
struct Traced {
    /// What it asked, and of whom; nothing where it is never taken over.
    request: Option<Digest>,
    usage: Usage,
    cost: NanoUsd,
    origin: Option<ReusedCall>,
}

impl ReuseTable {
    /// From the log of the base run.
    pub(crate) async fn of(
        base: &BaseRun,
        graph: &Graph,
        records: &[Record],
        payloads: &dyn Payloads,
    ) -> Result<Self, Problem> {
        let mut table = Self::default();
        if let Some(from) = &base.from {
            table.anew = graph.dependents(from);
            table.anew.insert(from.clone());
        }
        let Some(Event::RunStarted { pinned, .. }) = records.first().map(|record| &record.event) else {
            return Ok(table);
        };
        let mut pinned = crate::run::pinned::read(payloads, *pinned).await?;
        let base_graph = Graph::new(&pinned.config)
            .map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
        let mut state = State::new(std::sync::Arc::new(base_graph));
        let mut traced: BTreeMap<CallKey, Traced> = BTreeMap::new();
        let mut edit: BTreeMap<StageId, (Digest, Option<String>)> = BTreeMap::new();
        for record in records {
            match &record.event {
                Event::Repinned { pinned: moved, .. } => {
                    pinned = crate::run::pinned::read(payloads, *moved).await?;
                }
                Event::StagePlanned { stage, attempt, wave, calls, .. } => {
                    for (item, call) in calls.iter().enumerate() {
                        let key = CallKey {
                            stage: stage.clone(),
                            attempt: *attempt,
                            wave: *wave,
                            item: item as u32,
                        };
                        let request = pinned.reuse_key(stage, *wave, call.request, call.repeatable);
                        let traced_call =
                            Traced { request, usage: Usage::default(), cost: NanoUsd(0), origin: None };
                        traced.insert(key, traced_call);
                    }
                }
                Event::CallReused { key, output, from } => {
                    if let Some(call) = traced.get_mut(key) {
                        call.origin = Some(from.clone());
                    }
                    table.take(base, &traced, key, *output);
                }
                Event::ModelCallCompleted { key, answer, usage, cost, .. } => {
                    if let Some(call) = traced.get_mut(key) {
                        call.usage += *usage;
                        call.cost += *cost;
                    }
                    if let Answer::Valid { output, .. } = answer {
                        table.take(base, &traced, key, *output);
                    }
                }
                Event::ModelCallFailed { key, usage, cost, .. } => {
                    if let Some(call) = traced.get_mut(key) {
                        call.usage += *usage;
                        call.cost += *cost;
                    }
                }
                Event::ToolCallCompleted { key, output, .. } => table.take(base, &traced, key, *output),
                Event::ChildRunFinished { key, end, usage, cost, .. } => {
                    // In sums over its whole life.
                    if let Some(call) = traced.get_mut(key) {
                        (call.usage, call.cost) = (*usage, *cost);
                    }
                    if let ChildEnd::Gated { output } = end {
                        table.take(base, &traced, key, *output);
                    }
                }
                Event::Edited { stage, output, depth } => {
                    edit.insert(stage.clone(), (*output, depth.clone()));
                }
                Event::Resumed { pause, decision, .. } => {
                    let paused = state.pause(pause).filter(|pause| pause.kind == PauseKind::Stage);
                    let goes_on = !matches!(decision.action, Action::Cancel | Action::Raise { .. });
                    if let Some(stage) = paused.map(|pause| pause.stage.clone()).filter(|_| goes_on) {
                        let (output, depth) = match edit.remove(&stage) {
                            Some((output, depth)) => (Some(output).filter(|_| decision.edited), depth),
                            None => (None, None),
                        };
                        let edit = match output {
                            Some(output) => Some(read(payloads, output).await?),
                            None => None,
                        };
                        table.replies.entry(stage).or_default().push(Reply {
                            choice: Some(decision.choice.clone()),
                            text: decision.text.clone(),
                            answers: decision.answers.clone(),
                            edit,
                            depth,
                            unattended: true,
                            because: Some(format!("answered as in run {}", base.run)),
                            ..Reply::default()
                        });
                    }
                }
                _ => {}
            }
            state.apply(record).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
        }
        table.keep_edited(base, &state, &traced);
        Ok(table)
    }

    fn take(&mut self, base: &BaseRun, traced: &BTreeMap<CallKey, Traced>, key: &CallKey, output: Digest) {
        let Some(call) = traced.get(key) else { return };
        let Some(request) = call.request else { return };
        let found = ReusableCall { output, from: origin(base, key, call) };
        self.by_request.entry(request).or_default().push((key.clone(), found));
    }

    fn keep_edited(&mut self, base: &BaseRun, state: &State, traced: &BTreeMap<CallKey, Traced>) {
        for stage in base.edits.keys() {
            let standing = state.stage(stage).and_then(|stage| {
                let last = stage.history.last()?;
                Some(
                    stage
                        .history
                        .iter()
                        .rfind(|one| Some(one.output) == stage.output)
                        .unwrap_or(last)
                        .attempt,
                )
            });
            let Some(standing) = standing else { continue };
            for (key, call) in traced.iter().filter(|(key, _)| &key.stage == stage && key.attempt == standing)
            {
                let done = state.calls.get(key).map(|call| &call.status);
                if let Some(pipeline::CallStatus::Done(output)) = done {
                    let found = ReusableCall { output: *output, from: origin(base, key, call) };
                    self.edited.insert(CallKey { attempt: 1, ..key.clone() }, found);
                }
            }
        }
    }

    /// What a call takes over, where there is something.
    pub(crate) fn find(
        &self,
        pinned: &Pinned,
        key: &CallKey,
        request: Digest,
        repeatable: bool,
    ) -> Option<&ReusableCall> {
        if self.anew.contains(&key.stage) {
            return None;
        }
        let asked = pinned.reuse_key(&key.stage, key.wave, request, repeatable);
        let same = asked.and_then(|asked| self.by_request.get(&asked)).map(Vec::as_slice).unwrap_or_default();
        // A person who asked once more wanted another answer: each place has its own.
        let here = same.iter().rfind(|(place, _)| place == key).or(same.last());
        here.map(|(_, found)| found).or_else(|| self.edited.get(key))
    }

    /// How the person answered the next pause of a stage, of which so many were answered.
    pub(crate) fn reply(&self, stage: &StageId, answered: usize) -> Option<&Reply> {
        self.replies.get(stage).filter(|_| !self.anew.contains(stage))?.get(answered)
    }
}

impl Engine {
    /// What a run that repeats another begins with, and the blobs of its edits.
    pub(crate) async fn base_run(
        &self,
        repeated: &RepeatedRun,
        pinned: &Pinned,
    ) -> Result<(BaseRun, Vec<Vec<u8>>), Problem> {
        let loaded = self.load(&repeated.run).await?;
        let before = loaded
            .state
            .start
            .ok_or_else(|| Problem::new(ErrorCode::Corrupt, format!("run {} has no start", repeated.run)))?;
        let from = repeated.from.as_deref().map(|name| pinned.stage_called(name)).transpose()?;
        let mut edits = before.base.as_ref().map(|base| base.edits.clone()).unwrap_or_default();
        if let Some(from) = from {
            let graph = Graph::new(&pinned.config)
                .map_err(|error| Problem::new(ErrorCode::InvalidConfig, error.to_string()))?;
            let anew = graph.dependents(&from.id);
            edits.retain(|stage, _| stage != &from.id && !anew.contains(stage));
        }
        let mut blobs = Vec::new();
        for digest in edits.values() {
            let value = read(&self.parts().store, *digest).await?;
            blobs.push(canonical(&value).into_bytes());
        }
        for (name, value) in &repeated.edits {
            let stage = pinned.stage_called(name)?;
            pinned.check_edit(stage, value)?;
            let bytes = canonical(value).into_bytes();
            edits.insert(stage.id.clone(), Digest::of(&bytes));
            blobs.push(bytes);
        }
        let cache_key = before.base.map_or(before.session.0, |base| base.cache_key);
        let from = from.map(|stage| stage.id.clone());
        Ok((BaseRun { run: repeated.run.clone(), cache_key, from, edits }, blobs))
    }
}

/// Where a result comes from in the end.
fn origin(base: &BaseRun, key: &CallKey, call: &Traced) -> ReusedCall {
    call.origin.clone().unwrap_or_else(|| ReusedCall {
        run: base.run.clone(),
        key: key.clone(),
        usage: call.usage,
        cost: call.cost,
    })
}

impl Pinned {
    /// A stage by its id or its name.
    fn stage_called(&self, name: &str) -> Result<&Stage, Problem> {
        let stages = &self.config.control_flow.stages;
        let found = stages.iter().find(|stage| stage.id.as_str() == name || stage.name == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
            let what =
                format!("agent {} has no stage {name:?}; there are {}", self.config.slug, known.join(", "));
            Problem::new(ErrorCode::InvalidInput, what)
        })
    }

    /// Whether a value can stand in place of a stage's output.
    fn check_edit(&self, stage: &Stage, value: &Value) -> Result<(), Problem> {
        if matches!(stage.kind, StageKind::Verify | StageKind::Render) {
            let what =
                format!("the output of {} can't be edited: it is made of those before it", stage.title);
            return Err(Problem::new(ErrorCode::InvalidInput, what)
                .with_action("edit the output of a stage before it"));
        }
        // Where the stage makes its output from the answer, the answer's schema says nothing about it.
        let schema =
            self.schemas.get(&stage.id).filter(|_| stage.output.is_none() && stage.for_each.is_none());
        let Some(validator) = schema.and_then(|schema| jsonschema::validator_for(schema).ok()) else {
            return Ok(());
        };
        let faults = llm::extract::faults(&validator, value);
        let list: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", fault.path, fault.message)).collect();
        if list.is_empty() {
            return Ok(());
        }
        let what = format!("the edit of {} does not satisfy its schema: {}", stage.title, list.join("; "));
        Err(Problem::new(ErrorCode::InvalidInput, what))
    }

    /// What a call asks, and of whom: equal for two calls of which one can stand for the other. Nothing for calls that are
    /// made again in any case: turns, whose world is the person's, and tools that change something.
    fn reuse_key(&self, stage: &StageId, wave: u32, request: Digest, repeatable: bool) -> Option<Digest> {
        let stage = self.stage(stage)?;
        let of = match stage.steps.get(wave as usize) {
            Some(_) if !repeatable => return None,
            Some(step) => {
                let source = step.tool.split('/').next().unwrap_or_default();
                let corpus =
                    self.corpus.as_ref().map(|corpus| (&corpus.base, &corpus.generation, &corpus.digest));
                json!({ "source": self.sources.get(source), "corpus": corpus })
            }
            None => match stage.kind {
                StageKind::Model | StageKind::Verify => {
                    json!({ "provider": self.asks(stage).1.provider, "requests": self.requests })
                }
                StageKind::Agent if !self.has_turns(stage) => json!({ "agents": self.agents_of(stage) }),
                StageKind::Agent | StageKind::Dialogue | StageKind::Tools | StageKind::Render => return None,
            },
        };
        Some(Digest::of_json(&json!({ "asks": request, "of": of })))
    }

    /// What the runs that a stage may start pin, and theirs.
    fn agents_of(&self, stage: &Stage) -> BTreeMap<String, Option<Digest>> {
        let pin = |slug: &str| self.of_child(slug).ok().and_then(|pinned| pinned.digest().ok());
        stage.child_agents().map(|slug| (slug.to_owned(), pin(slug))).collect()
    }

    /// Whether one of the runs that a stage may start, or of theirs, has a stage that is a conversation.
    fn has_turns(&self, stage: &Stage) -> bool {
        let has = |pinned: &Pinned| {
            let own = &pinned.config.control_flow.stages;
            let theirs = pinned.agents.values().flat_map(|agent| &agent.config.control_flow.stages);
            own.iter().chain(theirs).any(|stage| stage.kind == StageKind::Dialogue)
        };
        stage.child_agents().any(|slug| self.of_child(slug).is_ok_and(|pinned| has(&pinned)))
    }
}
