//! Documents of another program's research, as runs that have ended: each is shown, found and followed up like one of this
//! program, and says of itself that nothing in it was checked here.

use std::collections::BTreeMap;
use std::sync::Arc;

use answers::DocumentInput;
use domain::agent::AgentConfig;
use domain::{
    AgentSlug, Budget, Digest, ErrorCode, Problem, Reserve, RunId, RunStatus, SessionId, canonical,
};
use engine::Pinned;
use pipeline::{Event, Graph, Record, State};
use serde_json::{Value, json};
use store::{Blob, Commit, Durability, NewRun, NewSession, RunChange};
use transfer::craft::ResearchDocument;

use crate::turns::run_id;

/// The one stage of such a run.
const STAGE: &str = "document";
/// The name by which its expressions read the answer.
const DATA: &str = "research";
/// The agent of a document that names none.
const NO_AGENT: &str = "imported-research";
/// What a reader has to know of the document.
const NOTICE: &str =
    "Brought over from another program as it was written there. Its citations were not checked here.";
/// The most characters of a run's title.
const MAX_TITLE_CHARS: usize = 120;

/// A document that is ready to be stored.
pub struct Researched {
    /// The commit that makes its run.
    pub commit: Commit,
    /// Its session.
    pub session: String,
    /// The name of the file that it was.
    pub name: String,
}

/// The runs of a session's documents, each following the one before; the same documents give the same runs.
///
/// # Errors
/// `Internal`: the machine does not fold one, which is a defect. `Storage`: a payload is too large.
pub fn research_of(
    documents: Vec<ResearchDocument>,
    source: Digest,
    session: &NewSession,
) -> Result<Vec<Researched>, Problem> {
    let mut previous: Option<RunId> = None;
    let mut made = Vec::with_capacity(documents.len());
    for (number, document) in (0_u32..).zip(documents) {
        let at = u64::try_from(document.at).unwrap_or_default() + u64::from(number);
        let run = run_id(source, &format!("document/{}", document.name), at);
        let name = document.name.clone();
        let commit = commit_of(&run, document, at, previous.replace(run.clone()), session)?;
        made.push(Researched { commit, session: session.id.clone(), name });
    }
    Ok(made)
}

fn commit_of(
    run: &RunId,
    document: ResearchDocument,
    at: u64,
    previous: Option<RunId>,
    session: &NewSession,
) -> Result<Commit, Problem> {
    let agent = if transfer::is_id(&document.agent) { document.agent } else { NO_AGENT.to_owned() };
    let given = given(document.answer);
    let pinned = pinned(&agent, &given)?;
    let output = rendered(&document.question, &given, &pinned);
    let mut blobs = BTreeMap::new();
    let mut keep = |bytes: Vec<u8>| -> Result<Digest, Problem> {
        let digest = Digest::of(&bytes);
        blobs.insert(digest, Blob::new(bytes)?);
        Ok(digest)
    };
    let pinned_bytes = pinned.bytes().map_err(internal)?;
    let pinned_at = keep(pinned_bytes)?;
    let summary = output["title"].as_str().unwrap_or_default().to_owned();
    let output = keep(canonical(&output).into_bytes())?;
    keep(document.question.clone().into_bytes())?;
    let stage = domain::StageId(STAGE.to_owned());
    let events = [
        Event::RunStarted {
            session: SessionId(session.id.clone()),
            agent: AgentSlug(agent.clone()),
            request: document.question.clone(),
            depth: None,
            pinned: pinned_at,
            previous: previous.clone(),
            budget: Budget::default(),
            essential: Reserve::default(),
            retry_ambiguous: false,
            forecast: None,
            inputs: None,
            parent: None,
            base: None,
        },
        Event::StageStarted { stage: stage.clone(), attempt: 1, iteration: 0, conversation: 0 },
        Event::StageCompleted {
            stage,
            attempt: 1,
            output,
            summary,
            passed: None,
            scores: BTreeMap::new(),
            warnings: Vec::new(),
            progress: None,
        },
        Event::RunCompleted,
    ];
    let mut state = State::new(Arc::new(Graph::new(&pinned.config).map_err(internal)?));
    let mut records = Vec::with_capacity(events.len());
    for (seq, event) in (1..).zip(events) {
        let record = Record { seq, at, v: event.version(), active_ms: 0, event };
        state.apply(&record).map_err(internal)?;
        records.push(record);
    }
    let title: String =
        document.question.lines().next().unwrap_or_default().chars().take(MAX_TITLE_CHARS).collect();
    let create = NewRun {
        session: session.clone(),
        agent,
        status: RunStatus::Completed.to_string(),
        line: title.clone(),
        title,
        words: document.question,
        previous_run: previous.map(|run| run.0),
        ..NewRun::default()
    };
    Ok(Commit {
        run: run.0.clone(),
        expect_seq: 0,
        seq_last: state.seq,
        at_ms: at as i64,
        events: engine::encode_log(&records)?,
        blobs: blobs.into_values().collect(),
        change: RunChange::Create(create),
        durability: Durability::Normal,
        ..Commit::default()
    })
}

/// The answer in the form that a document is made of.
fn given(answer: Value) -> Value {
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    let citations: Vec<Value> = list("citations")
        .into_iter()
        .map(|citation| match citation {
            Value::String(reference) => json!({"source_ref": reference}),
            other => other,
        })
        .collect();
    json!({
        "answer": {
            "synthesis": answer["answer"],
            "citations": citations,
            "gaps": list("gaps"),
            "out_of_scope": list("out_of_scope"),
        },
        "plan": {"sub_queries": list("sub_queries")},
        "pages": list("web_references"),
        "notice": NOTICE,
    })
}

/// What the run pins: an agent with the answer as its data and one stage, which makes the document of it.
fn pinned(agent: &str, given: &Value) -> Result<Pinned, Problem> {
    let config: AgentConfig = serde_json::from_value(json!({
        "slug": agent, "name": agent, "description": "Research of another program.",
        "data": {DATA: "answer.json"},
        "controlFlow": {"stages": [{
            "id": STAGE, "name": STAGE, "title": "Document", "kind": "render",
            "document": {
                "answer": "data.research.answer", "plan": "data.research.plan",
                "webReferences": "data.research.pages", "notice": "data.research.notice",
            },
        }]},
    }))
    .map_err(internal)?;
    Ok(Pinned {
        config,
        prompts: BTreeMap::new(),
        schemas: BTreeMap::new(),
        repairs: BTreeMap::new(),
        sources: BTreeMap::new(),
        corpus: None,
        connection: String::new(),
        model: String::new(),
        model_info: llm::ModelInfo::free("", "", 1, 1),
        judge: None,
        requests: 2,
        reading: 2,
        material: Vec::new(),
        attached: None,
        agents: BTreeMap::new(),
        input_schema: None,
        data: BTreeMap::from([(DATA.to_owned(), given.clone())]),
        checkpoint: None,
        no_web_search: false,
        vault_locked: false,
        workspace: String::new(),
    })
}

/// What the stage gives: the same that the engine computes when it makes the document.
fn rendered(question: &str, given: &Value, pinned: &Pinned) -> Value {
    let title = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = match title.chars().count() {
        0..=200 => title,
        _ => title.chars().take(199).chain(['…']).collect(),
    };
    let document = answers::build(&DocumentInput {
        title: title.clone(),
        question: question.to_owned(),
        notice: Some(NOTICE.to_owned()),
        answer: given["answer"].clone(),
        plan: Some(given["plan"].clone()),
        web_references: serde_json::from_value(given["pages"].clone()).unwrap_or_default(),
        output: pinned.config.output.clone(),
        depth: pinned.config.default_depth.clone(),
        reading: pinned.reading,
        ..DocumentInput::default()
    });
    let named_no_source =
        document.statements.iter().filter(|one| one.state >= answers::State::NoSource).count();
    json!({
        "title": title,
        "markdown": answers::to_markdown(&document),
        "verdicts": {},
        "unsupported": document.limits.unsupported.len() + document.uncited_sentences.len() + named_no_source,
        "warnings": document.limits.warnings,
        "headline": document.headline,
    })
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::Internal, format!("a document could not be brought over: {error}"))
}
