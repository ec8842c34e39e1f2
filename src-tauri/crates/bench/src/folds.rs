//! Folding a log of 100,000 events, decoded already and from the store.

use std::sync::Arc;
use std::time::Instant;

use domain::{AgentSlug, Budget, Digest, NanoUsd, Reserve, SessionId, StageId, Usage};
use pipeline::{Answer, Cut, Effect, Event, Graph, PlannedCall, Record, State};
use store::{Commit, DataDir, Durability, NewRun, NewSession, RunChange, Store};

use crate::figure::{Figure, median, ms};
use crate::rig::config;
use crate::{Bench, Outcome};

const EVENTS: usize = 100_000;
const ROUNDS: usize = 7;
/// Events of one commit: a model stage's end and the next one's begin are five, a wave of four tool calls thirteen.
const BATCH: usize = 10;

/// Both ways.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let graph = Arc::new(Graph::new(&serde_json::from_value(config(6))?)?);
    let log = lived(&graph)?;
    let mut decoded = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let state = folded(&graph, &log)?;
        decoded.push(ms(start.elapsed()));
        std::hint::black_box(state);
    }
    let home = bench.scratch()?;
    let store = Store::open(&DataDir::open(home.path())?, "bench").await?;
    keep(&store, &log).await?;
    let (mut loading, mut decoding, mut all) = (vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let batches = store.load_events("r").await?;
        loading.push(ms(start.elapsed()));
        let begun = Instant::now();
        let records = engine::decode_batches(&batches)?;
        decoding.push(ms(begun.elapsed()));
        std::hint::black_box(folded(&graph, &records)?);
        all.push(ms(start.elapsed()));
    }
    store.close().await?;
    Ok(vec![
        Figure::plain("fold.decoded", median(decoded), "ms").at_most(50.0),
        Figure::plain("fold.from-store", median(all), "ms").at_most(250.0),
        Figure::plain("fold.from-store-reading", median(loading), "ms"),
        Figure::plain("fold.from-store-decoding", median(decoding), "ms"),
    ])
}

fn folded(graph: &Arc<Graph>, log: &[Record]) -> Outcome<State> {
    let mut state = State::new(graph.clone());
    for record in log {
        state.apply(record)?;
    }
    Ok(state)
}

async fn keep(store: &Store, log: &[Record]) -> Outcome<()> {
    let new = NewRun {
        session: NewSession { id: "s".to_owned(), ..NewSession::default() },
        agent: "six".to_owned(),
        status: "running".to_owned(),
        title: String::new(),
        ..NewRun::default()
    };
    let mut change = RunChange::Create(new);
    let mut last = 0;
    for batch in log.chunks(BATCH) {
        let commit = Commit {
            run: "r".to_owned(),
            expect_seq: last,
            seq_last: last + batch.len() as u64,
            events: engine::encode_log(batch)?,
            change: std::mem::take(&mut change),
            durability: Durability::Normal,
            ..Commit::default()
        };
        last = commit.seq_last;
        store.commit(commit).await?;
    }
    Ok(())
}

/// The log of a run of six stages with as many calls each as make 100,000 events.
fn lived(graph: &Arc<Graph>) -> Outcome<Vec<Record>> {
    let mut log = Log { state: State::new(graph.clone()), records: Vec::with_capacity(EVENTS) };
    let reserve = Reserve { cost: NanoUsd(1), tokens: 1 };
    log.push(Event::RunStarted {
        session: SessionId::from("s"),
        agent: AgentSlug::from("six"),
        request: "A question.".to_owned(),
        depth: None,
        pinned: Digest::of(b"pinned"),
        previous: None,
        budget: Budget::default(),
        essential: reserve,
        retry_ambiguous: false,
        forecast: None,
        inputs: None,
        parent: None,
        base: None,
    })?;
    let calls = (EVENTS - 20) / 6 / 2;
    for node in &graph.nodes {
        let stage = node.id.clone();
        let planned = |call: usize| PlannedCall {
            request: Digest::of(call.to_le_bytes()),
            reserve,
            least: Reserve::default(),
            repeatable: false,
            optional: false,
            title: String::new(),
            name: String::new(),
        };
        log.push(Event::StageStarted { stage: stage.clone(), attempt: 1, iteration: 0, conversation: 0 })?;
        let calls = (0..calls).map(planned).collect();
        log.push(Event::StagePlanned {
            stage: stage.clone(),
            attempt: 1,
            wave: 0,
            calls,
            cut: Cut::default(),
        })?;
        while log.one_call()? {}
        log.push(completed(stage))?;
    }
    log.push(Event::RunCompleted)?;
    Ok(log.records)
}

fn completed(stage: StageId) -> Event {
    Event::StageCompleted {
        output: Digest::of(stage.as_str()),
        stage,
        attempt: 1,
        summary: String::new(),
        passed: None,
        scores: Default::default(),
        warnings: Vec::new(),
        progress: None,
    }
}

struct Log {
    state: State,
    records: Vec<Record>,
}

impl Log {
    fn push(&mut self, event: Event) -> Outcome<()> {
        let at = 1_780_000_000_000 + self.state.seq * 7;
        let record = Record { seq: self.state.seq + 1, at, v: 1, active_ms: 7, event };
        self.state.apply(&record)?;
        self.records.push(record);
        Ok(())
    }

    /// Lets the next call be requested and end. False: there is none.
    fn one_call(&mut self) -> Outcome<bool> {
        let Some(requested) = self.state.decide().into_iter().next() else { return Ok(false) };
        self.push(requested)?;
        let call = self.state.effects().into_iter().find_map(|effect| match effect {
            Effect::Call { key, r#try, .. } => Some((key, r#try)),
            _ => None,
        });
        let Some((key, r#try)) = call else { return Ok(false) };
        let output = Digest::of(self.state.seq.to_le_bytes());
        self.push(Event::ModelCallCompleted {
            key,
            r#try,
            answer: Answer::Valid { output, left_out: Vec::new() },
            usage: Usage { input: 1_234, output: 567, ..Usage::default() },
            cost: NanoUsd(1),
            stop: "end_turn".to_owned(),
            model: "scripted".to_owned(),
            response_id: None,
            truncated: false,
            ms: 1_234,
            receipt: pipeline::Receipt::default(),
        })?;
        Ok(true)
    }
}
