//! A run that repeats another: calls that ask what its base run asked take over what they gave there, outputs that were
//! edited beforehand stand, and pauses are answered as they were.

use std::collections::{BTreeMap, BTreeSet};

use domain::agent::{Stage, StageKind};
use domain::{Digest, ErrorCode, NanoUsd, Problem, StageId, Usage, canonical};
use engine_types::{Corpus, RepeatedRun, Reply};
use pipeline::{
    Action, Answer, BaseRun, CallKey, ChildEnd, Event, Graph, PauseKind, PlannedCall, Record, ReusedCall,
    State,
};
use serde_json::{Value, json};

use crate::core::payloads::Payloads;
use crate::run::pinned::Pinned;
use crate::run::values::read;
use crate::run::verdict::schema_faults;

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
    pub(crate) async fn read(
        base: &BaseRun,
        graph: &Graph,
        records: &[Record],
        payloads: &dyn Payloads,
    ) -> Result<Self, Problem> {
        let mut table = Self::default();
        if let Some(from) = &base.from {
            table.anew = from_on(graph, from);
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
                    let of = pinned.asked_of(stage, *wave);
                    for (item, call) in calls.iter().enumerate() {
                        let key = CallKey {
                            stage: stage.clone(),
                            attempt: *attempt,
                            wave: *wave,
                            item: item as u32,
                        };
                        let request = asked(of.as_ref(), call);
                        let call =
                            Traced { request, usage: Usage::default(), cost: NanoUsd(0), origin: None };
                        traced.insert(key, call);
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
                let stands = stage.history.iter().rfind(|one| Some(one.output) == stage.output);
                Some(stands.or(stage.history.last())?.attempt)
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

    /// What the calls of a wave take over, where there is something for them.
    pub(crate) fn find<'c>(
        &self,
        pinned: &Pinned,
        stage: &StageId,
        wave: u32,
        calls: impl Iterator<Item = (&'c CallKey, &'c PlannedCall)>,
    ) -> Vec<(CallKey, ReusableCall)> {
        if self.anew.contains(stage) {
            return Vec::new();
        }
        let of = pinned.asked_of(stage, wave);
        let found = calls.filter_map(|(key, call)| {
            let same = asked(of.as_ref(), call).and_then(|asked| self.by_request.get(&asked));
            // A person who asked once more wanted another answer: each place has its own.
            let here = same.and_then(|same| same.iter().rfind(|(place, _)| place == key).or(same.last()));
            let call = here.map(|(_, found)| found).or_else(|| self.edited.get(key))?;
            Some((key.clone(), call.clone()))
        });
        found.collect()
    }

    /// How the person answered the next pause of a stage, of which so many were answered.
    pub(crate) fn reply(&self, stage: &StageId, answered: usize) -> Option<&Reply> {
        self.replies.get(stage).filter(|_| !self.anew.contains(stage))?.get(answered)
    }
}

/// What a run that repeats another begins with, and the blobs of its edits.
pub(crate) async fn base_run(
    base: &State,
    repeated: &RepeatedRun,
    pinned: &Pinned,
    graph: &Graph,
    payloads: &dyn Payloads,
) -> Result<(BaseRun, Vec<Vec<u8>>), Problem> {
    let before = base.start.as_ref();
    let before = before
        .ok_or_else(|| Problem::new(ErrorCode::Corrupt, format!("run {} has no start", repeated.run)))?;
    let from = repeated.from.as_deref().map(|name| pinned.stage_called(name)).transpose()?;
    let anew = from.map(|from| from_on(graph, &from.id)).unwrap_or_default();
    let (mut edits, mut blobs) = (BTreeMap::new(), Vec::new());
    for (name, value) in &repeated.edits {
        let stage = pinned.stage_called(name)?;
        pinned.check_edit(stage, value)?;
        let bytes = canonical(value).into_bytes();
        edits.insert(stage.id.clone(), Digest::of(&bytes));
        blobs.push(bytes);
    }
    for (stage, digest) in before.base.iter().flat_map(|base| &base.edits) {
        if !edits.contains_key(stage) && !anew.contains(stage) {
            edits.insert(stage.clone(), *digest);
            blobs.push(payloads.payload(*digest).await?);
        }
    }
    let cache_key =
        before.base.as_ref().map_or_else(|| before.session.0.clone(), |base| base.cache_key.clone());
    let from = from.map(|stage| stage.id.clone());
    Ok((BaseRun { run: repeated.run.clone(), cache_key, from, edits }, blobs))
}

/// A stage and all that depends on it.
fn from_on(graph: &Graph, stage: &StageId) -> BTreeSet<StageId> {
    let mut stages = graph.dependents(stage);
    stages.insert(stage.clone());
    stages
}

/// What a call asks, and of whom: equal for two calls of which one can stand for the other.
fn asked(of: Option<&Value>, call: &PlannedCall) -> Option<Digest> {
    of.map(|of| Digest::of_json(&json!({ "asks": call.request, "of": of })))
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
        let faults = schema.and_then(|schema| schema_faults(schema, value));
        faults.map_or(Ok(()), |faults| {
            let what = format!("the edit of {} does not satisfy its schema: {faults}", stage.title);
            Err(Problem::new(ErrorCode::InvalidInput, what))
        })
    }

    /// Of whom the calls of a wave ask: what has to be equal besides the request. Nothing for calls that are made again in
    /// any case: turns, whose world is the person's, and runs that have turns.
    fn asked_of(&self, stage: &StageId, wave: u32) -> Option<Value> {
        let stage = self.stage(stage)?;
        if let Some(step) = stage.steps.get(wave as usize) {
            let source = step.tool.split('/').next().unwrap_or_default();
            let named = |corpus: &Corpus| json!([corpus.base, corpus.generation, corpus.digest]);
            let (corpus, beside) = (self.corpus.as_ref().map(named), self.beside().map(named));
            // A tool that changes something is called again.
            return step
                .idempotent
                .then(|| json!({ "source": self.sources.get(source), "corpus": corpus, "beside": beside }));
        }
        match stage.kind {
            StageKind::Model | StageKind::Verify => {
                Some(json!({ "provider": self.asks(stage).1.provider, "requests": self.requests }))
            }
            StageKind::Agent if !self.has_turns(stage) => Some(json!({ "agents": self.agents_of(stage) })),
            StageKind::Agent | StageKind::Dialogue | StageKind::Tools | StageKind::Render => None,
        }
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
