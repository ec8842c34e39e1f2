//! Two runs beside each other: what they pinned, and which of their stages differ because of what.
//!
//! Requests are computed again from each log and compared by what they ask: the session that a provider's cache goes
//! by, times, costs and ids are no difference.

use std::collections::{BTreeMap, BTreeSet};

use context::Templates;
use domain::agent::{Stage, StageKind};
use domain::{Digest, Problem, RunId, StageId};
use engine::{Engine, Payload, Pinned, StoredRun, WrittenDocument, depth_name};
use engine_types::{PinDifference, StageComparison};
use pipeline::{CallKey, Event, Phase};
use serde_json::Value;

/// What two runs do not have in common.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What they pinned, where that differs.
    pub pins: Vec<PinDifference>,
    /// Every stage of both, in order.
    pub stages: Vec<StageComparison>,
    /// The document of the first, where it has one.
    pub left: Option<WrittenDocument>,
    /// The document of the second.
    pub right: Option<WrittenDocument>,
}

impl Comparison {
    /// Whether nothing differs but when the runs were and what they cost.
    pub fn is_same(&self) -> bool {
        let texts =
            [&self.left, &self.right].map(|written| written.as_ref().map(|one| one.markdown.as_str()));
        self.pins.is_empty() && self.stages.iter().all(|stage| stage.same) && texts[0] == texts[1]
    }
}

/// One run, ready to be compared.
struct Compared {
    loaded: StoredRun,
    /// What every call of a stage asked, with what came of it.
    asked: BTreeMap<StageId, BTreeMap<CallKey, ComparedCall>>,
    /// The name of its earlier answer's blob.
    follow_up: Option<Digest>,
    edited: BTreeSet<StageId>,
}

/// A call.
struct ComparedCall {
    /// The request as it was computed again; `None` where that can't be done any more.
    payload: Option<Payload>,
    /// What tells the request from another.
    digest: Digest,
    /// What came of it; `None`: it failed or never ended.
    outcome: Option<Digest>,
}

/// Compares two runs.
///
/// # Errors
/// A run that is not there or can't be read.
pub async fn compare(engine: &Engine, left: &RunId, right: &RunId) -> Result<Comparison, Problem> {
    let (left, right) = (compared(engine, left).await?, compared(engine, right).await?);
    let stages = stages(&left, &right, &Templates::new());
    let pins = pins(&left, &right);
    let left = engine.document(left.loaded).await?;
    let right = engine.document(right.loaded).await?;
    Ok(Comparison { pins, stages, left, right })
}

async fn compared(engine: &Engine, run: &RunId) -> Result<Compared, Problem> {
    let loaded = engine.load(run).await?;
    let records = loaded.records.clone();
    let mut sent = engine.sent(engine.load(run).await?, None).await?;
    let mut asked: BTreeMap<StageId, BTreeMap<CallKey, ComparedCall>> = BTreeMap::new();
    for stage in &loaded.pinned.config.control_flow.stages {
        let calls = loaded.state.calls.iter().filter(|(key, _)| key.stage == stage.id);
        let calls = calls.map(|(key, call)| {
            let payload = sent.remove(key);
            let digest = payload.as_ref().map_or(call.planned.request, asks);
            let outcome = call.status.result().and_then(Result::ok);
            (key.clone(), ComparedCall { payload, digest, outcome })
        });
        asked.insert(stage.id.clone(), calls.collect());
    }
    let edited = records.iter().filter_map(|record| match &record.event {
        Event::Edited { stage, .. } => Some(stage.clone()),
        _ => None,
    });
    let follow_up = loaded.state.follow_up.as_ref().and_then(|follow_up| follow_up.context);
    Ok(Compared { edited: edited.collect(), asked, follow_up, loaded })
}

/// What a request asks, whoever asks it: without the key of its session's cache.
fn asks(payload: &Payload) -> Digest {
    match payload {
        Payload::Model(request) | Payload::Dialogue(request) => {
            llm::ModelRequest { cache_key: None, ..(**request).clone() }.digest()
        }
        other @ (Payload::Tool { .. } | Payload::Agent(_)) => other.digest(),
    }
}

impl Compared {
    fn pinned(&self) -> &Pinned {
        &self.loaded.pinned
    }

    fn stage(&self, name: &str) -> Option<&Stage> {
        self.pinned().config.control_flow.stages.iter().find(|stage| stage.name == name)
    }

    fn phase(&self, stage: &Stage) -> Phase {
        self.loaded.state.stage(&stage.id).map_or(Phase::Pending, |stage| stage.phase)
    }

    fn output(&self, stage: &Stage) -> Option<Digest> {
        self.loaded.state.stage(&stage.id).and_then(|stage| stage.output)
    }

    /// The calls of a stage by attempt, wave and item: the name of a stage may have another id in another agent.
    fn calls(&self, stage: &Stage) -> BTreeMap<(u32, u32, u32), &ComparedCall> {
        let calls = self.asked.get(&stage.id).into_iter().flatten();
        calls.map(|(key, asked)| ((key.attempt, key.wave, key.item), asked)).collect()
    }

    fn request(&self) -> &str {
        self.loaded.state.start.as_ref().map_or("", |start| &start.request)
    }

    /// The name of its inputs' blob.
    fn inputs(&self) -> Option<Digest> {
        self.loaded.state.start.as_ref().and_then(|start| start.inputs)
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "not started",
        Phase::Running => "not ended",
        Phase::Completed => "completed",
        Phase::Skipped => "skipped",
        Phase::Failed => "failed",
    }
}

fn stages(left: &Compared, right: &Compared, templates: &Templates) -> Vec<StageComparison> {
    let of = |run: &Compared| {
        let stages = run.pinned().config.control_flow.stages.iter();
        stages.map(|stage| (stage.name.clone(), stage.title.clone())).collect::<Vec<_>>()
    };
    let mut names = of(left);
    names.extend(of(right).into_iter().filter(|(name, _)| left.stage(name).is_none()));
    let mut found: Vec<StageComparison> = Vec::new();
    for (name, title) in names {
        let (Some(one), Some(other)) = (left.stage(&name), right.stage(&name)) else {
            let here = |run: &Compared| run.stage(&name).map(|stage| phase_word(run.phase(stage)).to_owned());
            found.push(StageComparison {
                same: false,
                same_requests: false,
                same_output: false,
                left: here(left).unwrap_or_default(),
                right: here(right).unwrap_or_default(),
                because: vec!["only one of the agents has it".to_owned()],
                parts: Vec::new(),
                name,
                title,
            });
            continue;
        };
        let (a, b) = (left.calls(one), right.calls(other));
        let same_requests = a.len() == b.len()
            && a.iter().all(|(key, asked)| b.get(key).is_some_and(|b| b.digest == asked.digest));
        let ended = (left.phase(one), right.phase(other));
        let same_output = ended.0 == ended.1 && left.output(one) == right.output(other);
        let same = same_requests && same_output;
        let differing: Vec<String> =
            found.iter().filter(|stage| !stage.same_output).map(|stage| stage.name.clone()).collect();
        let because = if same {
            Vec::new()
        } else {
            causes(left, right, one, other, templates, &differing, same_requests)
        };
        found.push(StageComparison {
            same,
            same_requests,
            same_output,
            left: phase_word(ended.0).to_owned(),
            right: phase_word(ended.1).to_owned(),
            because,
            parts: if same_requests { Vec::new() } else { parts(&a, &b) },
            name,
            title,
        });
    }
    found
}

/// Why a stage differs, as far as can be told: what it reads of what differs, then what came back to the same question.
fn causes(
    left: &Compared,
    right: &Compared,
    one: &Stage,
    other: &Stage,
    templates: &Templates,
    differing: &[String],
    same_requests: bool,
) -> Vec<String> {
    let mut causes = Vec::new();
    let mut cause = |text: String| {
        if !causes.contains(&text) {
            causes.push(text);
        }
    };
    let edited = (left.edited.contains(&one.id), right.edited.contains(&other.id));
    if edited.0 || edited.1 {
        cause(match edited {
            (true, true) => "its output was edited in both".to_owned(),
            (true, false) => "its output was edited in the first".to_owned(),
            (false, _) => "its output was edited in the second".to_owned(),
        });
    }
    let (mut reads, others) = (reads(left.pinned(), one, templates), reads(right.pinned(), other, templates));
    reads.extend(others);
    for name in differing {
        if reads.contains(&("outputs".to_owned(), name.clone()))
            || reads.contains(&("outputs".to_owned(), String::new()))
        {
            let title = left.stage(name).or(right.stage(name)).map_or(name.as_str(), |stage| &stage.title);
            cause(format!("the output of {title}"));
        }
    }
    let named = |root: &str| reads.iter().any(|(name, _)| name == root);
    let (a, b) = (left.pinned(), right.pinned());
    if one != other {
        cause("its configuration".to_owned());
    }
    if prompts(a, one) != prompts(b, other) {
        cause("its prompt".to_owned());
    }
    if a.schemas.get(&one.id) != b.schemas.get(&other.id) {
        cause("its output schema".to_owned());
    }
    if one.asks_model() && a.asks(one).0 != b.asks(other).0 {
        cause("the model".to_owned());
    }
    let depth = |run: &Compared| depth_name(run.pinned(), &run.loaded.state);
    let effort = one.asks_model() && a.config.orchestrator != b.config.orchestrator;
    if depth(left) != depth(right) && (named("depth") || named("depth_name") || one.asks_model()) {
        cause("the depth".to_owned());
    } else if effort {
        cause("the agent's limits for models".to_owned());
    }
    if left.request() != right.request() && named("request") {
        cause("the question".to_owned());
    }
    if left.inputs() != right.inputs() && named("inputs") {
        cause("the inputs".to_owned());
    }
    if a.data != b.data && named("data") {
        cause("the agent's data files".to_owned());
    }
    if a.material != b.material && named("material") {
        cause("the files given with the question".to_owned());
    }
    if left.follow_up != right.follow_up
        && (named("followup") || named("followup_number") || !one.steps.is_empty())
    {
        cause("the earlier answer".to_owned());
    }
    if a.no_web_search != b.no_web_search && named("web_search") {
        cause("whether the web can be searched".to_owned());
    }
    let said = |run: &Compared, stage: &Stage| {
        let state = &run.loaded.state;
        let own = state.stage(&stage.id).map(|stage| stage.feedback.clone()).unwrap_or_default();
        let decided: Vec<_> = state
            .pauses
            .iter()
            .filter_map(|pause| pause.decision.as_ref())
            .filter(|decision| decision.has_content())
            .map(|decision| (decision.text.clone(), decision.answers.clone()))
            .collect();
        (own, decided, state.guidance.clone())
    };
    let (said_left, said_right) = (said(left, one), said(right, other));
    if said_left.0 != said_right.0 && named("feedback")
        || said_left.1 != said_right.1 && (named("user_answers") || named("decisions"))
        || said_left.2 != said_right.2 && named("guidance")
    {
        cause("what the person said".to_owned());
    }
    let base = |pinned: &Pinned| {
        pinned.corpus.as_ref().map(|corpus| (corpus.base.clone(), corpus.generation.clone()))
    };
    let searches = !one.steps.is_empty() || one.kind == StageKind::Verify;
    if base(a) != base(b) && (named("corpus") || searches) {
        cause("the knowledge base".to_owned());
    }
    let (calls, others) = (left.calls(one), right.calls(other));
    let answered = calls.iter().any(|(key, asked)| {
        others.get(key).is_some_and(|other| other.digest == asked.digest && other.outcome != asked.outcome)
    });
    if answered && (same_requests || causes.is_empty()) {
        causes.push(match one.kind {
            StageKind::Model | StageKind::Dialogue => {
                "the model answered the same request otherwise".to_owned()
            }
            StageKind::Agent => "the child run with the same inputs gave something else".to_owned(),
            StageKind::Tools | StageKind::Verify | StageKind::Render => {
                "a call with the same arguments gave something else".to_owned()
            }
        });
    }
    causes
}

/// What the expressions and prompts of a stage read: the first two names of each path.
fn reads(pinned: &Pinned, stage: &Stage, templates: &Templates) -> BTreeSet<(String, String)> {
    let mut texts = Vec::new();
    strings(&serde_json::to_value(stage).unwrap_or_default(), &mut texts);
    let prompts = prompts(pinned, stage);
    let paths = texts.iter().flat_map(|text| templates.paths(text));
    let paths = paths.chain(prompts.iter().flat_map(|text| templates.template_paths(text)));
    paths
        .map(|path| {
            let mut names = path.into_iter();
            (names.next().unwrap_or_default(), names.next().unwrap_or_default())
        })
        .collect()
}

/// Every text in a value that may be an expression; names of fields and prose are read as paths of their own, and harm
/// nothing: only the names of a run's variables are looked for.
fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(map) => map.values().for_each(|item| strings(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The prompts that a stage uses.
fn prompts<'p>(pinned: &'p Pinned, stage: &Stage) -> Vec<&'p str> {
    let repair = stage.repair.iter();
    let sections = stage.context.iter().chain(stage.repair.iter().flat_map(|form| &form.context));
    let names = stage
        .prompt
        .iter()
        .chain(repair.map(|form| &form.prompt))
        .chain(sections.filter_map(|section| section.prompt.as_ref()))
        .chain(stage.pass.iter().filter_map(|rule| rule.feedback.as_ref()));
    names.filter_map(|name| pinned.prompts.get(name)).map(String::as_str).collect()
}

/// The parts in which the first call differs that both made and that differs.
fn parts(
    left: &BTreeMap<(u32, u32, u32), &ComparedCall>,
    right: &BTreeMap<(u32, u32, u32), &ComparedCall>,
) -> Vec<String> {
    let differing = left.iter().filter_map(|(key, one)| Some((one, right.get(key)?)));
    let Some((one, other)) = differing.into_iter().find(|(one, other)| one.digest != other.digest) else {
        return vec!["number of calls".to_owned()];
    };
    let mut parts = Vec::new();
    match (&one.payload, &other.payload) {
        (Some(Payload::Model(a) | Payload::Dialogue(a)), Some(Payload::Model(b) | Payload::Dialogue(b))) => {
            let plain = [
                ("model", a.model != b.model),
                ("system", a.system != b.system),
                ("schema", a.schema != b.schema),
                ("output limit", a.max_output_tokens != b.max_output_tokens),
                ("effort", a.effort != b.effort || a.thinking != b.thinking),
                ("tools", a.tools != b.tools),
            ];
            parts.extend(plain.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()));
            let sections = |request: &llm::ModelRequest| {
                let texts = request.messages.iter().map(|message| message.content.as_str());
                texts.flat_map(context::parse_sections).collect::<Vec<_>>()
            };
            let (mine, theirs) = (sections(a), sections(b));
            let names = mine.iter().chain(&theirs).map(|section| section.name.clone());
            for name in names {
                let of = |sections: &[context::ParsedSection]| {
                    sections.iter().find(|section| section.name == name).cloned()
                };
                if of(&mine) != of(&theirs) && !parts.contains(&name) {
                    parts.push(name);
                }
            }
        }
        (Some(Payload::Tool { .. }), Some(Payload::Tool { .. })) => parts.push("arguments".to_owned()),
        _ => {}
    }
    parts
}

fn pins(left: &Compared, right: &Compared) -> Vec<PinDifference> {
    let (a, b) = (left.pinned(), right.pinned());
    let mut found = Vec::new();
    let mut differ = |what: &str, left: String, right: String| {
        if left != right {
            found.push(PinDifference { what: what.to_owned(), left, right });
        }
    };
    let depth = |run: &Compared| depth_name(run.pinned(), &run.loaded.state);
    differ("question", left.request().to_owned(), right.request().to_owned());
    differ("agent", a.config.slug.0.clone(), b.config.slug.0.clone());
    differ("depth", depth(left), depth(right));
    differ("connection", a.connection.clone(), b.connection.clone());
    differ("model", a.model.clone(), b.model.clone());
    let judge = |pinned: &Pinned| pinned.judge.as_ref().map(|judge| judge.id.clone()).unwrap_or_default();
    differ("judge", judge(a), judge(b));
    let base = |pinned: &Pinned| {
        let corpus = pinned.corpus.as_ref();
        corpus.map(|corpus| format!("{} {}", corpus.base, corpus.generation)).unwrap_or_default()
    };
    differ("knowledge base", base(a), base(b));
    let web = |pinned: &Pinned| if pinned.no_web_search { "off".to_owned() } else { "on".to_owned() };
    differ("web search", web(a), web(b));
    // What follows is long: that it differs is said, and the parts below show how.
    let mut long = |what: String, differs: bool| {
        if differs {
            found.push(PinDifference { what, left: String::new(), right: String::new() });
        }
    };
    long("inputs".to_owned(), left.inputs() != right.inputs());
    long("material".to_owned(), a.material != b.material);
    long("earlier answer".to_owned(), left.follow_up != right.follow_up);
    let names: BTreeSet<&String> = a.prompts.keys().chain(b.prompts.keys()).collect();
    for name in names {
        long(format!("prompt {name}"), a.prompts.get(name) != b.prompts.get(name));
    }
    let names: BTreeSet<&String> = a.data.keys().chain(b.data.keys()).collect();
    for name in names {
        long(format!("data {name}"), a.data.get(name) != b.data.get(name));
    }
    let stages = |pinned: &Pinned| pinned.config.control_flow.stages.clone();
    for stage in stages(a) {
        let other = right.stage(&stage.name);
        long(format!("stage {}", stage.title), other.is_none_or(|other| *other != stage));
        if let Some(other) = other {
            let schemas = (a.schemas.get(&stage.id), b.schemas.get(&other.id));
            long(format!("schema of {}", stage.title), schemas.0 != schemas.1);
        }
    }
    for stage in stages(b).iter().filter(|stage| left.stage(&stage.name).is_none()) {
        long(format!("stage {}", stage.title), true);
    }
    let rest = |pinned: &Pinned| {
        let mut config = pinned.config.clone();
        config.control_flow.stages.clear();
        config
    };
    long("settings".to_owned(), rest(a) != rest(b));
    let slugs: BTreeSet<&String> = a.sources.keys().chain(b.sources.keys()).collect();
    for slug in slugs {
        long(format!("source {slug}"), a.sources.get(slug) != b.sources.get(slug));
    }
    found
}
