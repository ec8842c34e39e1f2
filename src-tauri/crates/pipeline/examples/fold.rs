//! Prints how long it takes to fold 100,000 decoded events (goal: 50 ms): `cargo run --release -p pipeline --example fold`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use domain::{AgentSlug, Budget, Digest, NanoUsd, Reserve, SessionId, StageId, Usage};
use pipeline::{Answer, CallKey, Cut, Event, Graph, PlannedCall, Record, State};

const EVENTS: usize = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    for (what, calls, stages) in [("one run of 6 stages", 8_300, 6), ("runs of 6 stages, 8 calls each", 8, 6)]
    {
        let log = lived(stages, calls)?;
        let runs = EVENTS.div_ceil(log.len());
        let mut times: Vec<f64> = Vec::new();
        let graph = Arc::new(graph(stages)?);
        for _ in 0..9 {
            let mut states: Vec<State> = (0..runs).map(|_| State::new(graph.clone())).collect();
            let start = Instant::now();
            for state in &mut states {
                for record in &log {
                    state.apply(record)?;
                }
            }
            let folded = (runs * log.len()) as f64;
            times.push(start.elapsed().as_secs_f64() * 1e3 * EVENTS as f64 / folded);
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{what} ({runs} x {} events): median {:.1} ms, best {:.1} ms per {EVENTS} events",
            log.len(),
            times[4],
            times[0]
        );
    }
    Ok(())
}

fn graph(stages: usize) -> Result<Graph, Box<dyn Error>> {
    let stage = |index: usize| {
        let (kind, steps) =
            if index.is_multiple_of(2) { ("model", "[]") } else { ("tools", r#"[{"tool":"t/t"}]"#) };
        format!(r#"{{"id":"stage-{index}","name":"s","title":"S","kind":"{kind}","steps":{steps}}}"#)
    };
    let stages: Vec<String> = (0..stages).map(stage).collect();
    let config = format!(
        r#"{{"slug":"a","name":"A","description":"d","controlFlow":{{"stages":[{}]}}}}"#,
        stages.join(",")
    );
    Ok(Graph::new(&serde_json::from_str(&config)?)?)
}

/// The log of a run whose waves have so many calls each.
fn lived(stages: usize, calls: u32) -> Result<Vec<Record>, Box<dyn Error>> {
    let mut state = State::new(Arc::new(graph(stages)?));
    let mut log = Vec::new();
    let mut append = |state: &mut State, event: Event| -> Result<(), Box<dyn Error>> {
        let record = Record { seq: state.seq + 1, at: 0, v: 1, active_ms: 1, event };
        state.apply(&record)?;
        log.push(record);
        Ok(())
    };
    let reserve = Reserve { cost: NanoUsd(1), tokens: 1 };
    append(
        &mut state,
        Event::RunStarted {
            session: SessionId::from("s"),
            agent: AgentSlug::from("a"),
            request: String::new(),
            depth: None,
            pinned: Digest([0; 32]),
            previous: None,
            budget: Budget::default(),
            essential: reserve,
            retry_ambiguous: false,
            forecast: None,
            inputs: None,
            parent: None,
            base: None,
        },
    )?;
    for index in 0..stages {
        let stage = StageId(format!("stage-{index}"));
        let planned = PlannedCall {
            request: Digest([1; 32]),
            reserve,
            least: Reserve::default(),
            repeatable: true,
            optional: false,
            title: String::new(),
            name: String::new(),
        };
        append(
            &mut state,
            Event::StageStarted { stage: stage.clone(), attempt: 1, iteration: 0, conversation: 0 },
        )?;
        let wave = vec![planned; calls as usize];
        append(
            &mut state,
            Event::StagePlanned {
                stage: stage.clone(),
                attempt: 1,
                wave: 0,
                calls: wave,
                cut: Cut::default(),
            },
        )?;
        for item in 0..calls {
            let key = CallKey { stage: stage.clone(), attempt: 1, wave: 0, item };
            let (request, output) = (Digest([1; 32]), Digest([2; 32]));
            let (asked, ended) = if index.is_multiple_of(2) {
                (
                    Event::ModelCallRequested { key: key.clone(), r#try: 1, request, reserve },
                    Event::ModelCallCompleted {
                        key,
                        r#try: 1,
                        answer: Answer::Valid { output, left_out: Vec::new() },
                        usage: Usage { input: 1, ..Usage::default() },
                        cost: NanoUsd(1),
                        stop: "end_turn".to_owned(),
                        model: "m".to_owned(),
                        response_id: None,
                        truncated: false,
                        ms: 1,
                        receipt: pipeline::Receipt::default(),
                    },
                )
            } else {
                (
                    Event::ToolCallRequested { key: key.clone(), r#try: 1, request },
                    Event::ToolCallCompleted { key, r#try: 1, output, ms: 1 },
                )
            };
            append(&mut state, asked)?;
            append(&mut state, ended)?;
        }
        append(
            &mut state,
            Event::StageCompleted {
                stage,
                attempt: 1,
                output: Digest([3; 32]),
                summary: String::new(),
                passed: None,
                scores: Default::default(),
                warnings: Vec::new(),
                progress: None,
            },
        )?;
    }
    append(&mut state, Event::RunCompleted)?;
    Ok(log)
}
