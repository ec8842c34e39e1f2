//! The graph of a mission at 10,000 claims: a page of it, findings taken in, an analysis. Four agents at the same time beside
//! the same four one after another.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::mission::{Findings, FoundCitation, FoundClaim, FoundSource, SourceKind};
use domain::{Proof, SentenceVerdict};
use evidence_graph::{Check, Context, Graph, ItemKind, PageQuery, Requirements, analyse, integrate, page};

use engine::ResolvedAgent;
use engine::mission::{MissionSetup, StartMission};
use llm::{Answer, ScriptedProvider};
use serde_json::json;

use crate::figure::{Figure, median, ms};
use crate::rig::{Rig, agent};
use crate::{Bench, Outcome};

const CLAIMS: usize = 10_000;
const BATCH: usize = 100;
const FINDINGS: usize = 50;
const ROUNDS: usize = 9;
/// The wait before each of the events that an answer consists of: about 200 ms for all of them.
const EVENT_DELAY: Duration = Duration::from_millis(70);
const AGENTS: u32 = 4;
const MISSIONS: usize = 3;

/// All figures of the group.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut figures = graph()?;
    figures.push(side_by_side(bench).await?);
    Ok(figures)
}

/// A mission whose agents work at the same time: how often faster it is than the same one agent after another.
async fn side_by_side(bench: &Bench) -> Outcome<Figure> {
    let home = bench.scratch()?;
    let provider = ScriptedProvider::answering(|_| Answer::text("nothing found").delay(EVENT_DELAY));
    let rig = Rig::over(home.path(), Arc::new(provider)).await?;
    let mut times = Vec::new();
    for parallel in [1, AGENTS] {
        let mut rounds = Vec::with_capacity(MISSIONS);
        for _ in 0..MISSIONS {
            let began = Instant::now();
            let mission = rig.engine.begin_mission(start(parallel)?).await?;
            rig.engine.wait(&mission).await?;
            rounds.push(ms(began.elapsed()));
            let made = rig.engine.mission_view(&mission).await?.invocations.len();
            if made != AGENTS as usize {
                return Err(format!("the mission invoked {made} agents, not {AGENTS}").into());
            }
        }
        times.push(median(rounds));
    }
    Ok(Figure::plain("missions.parallel-speedup", times[0] / times[1], "x").at_least(2.5))
}

/// A mission of one iteration with as many questions as agents.
fn start(parallel: u32) -> Outcome<StartMission> {
    let profile = json!({
        "slug": "survey", "name": "Survey", "description": "Questions at the same time.",
        "successCriteria": { "coverage": 1.0 }, "pauses": [],
        "constraints": { "iterations": AGENTS / parallel, "maxParallel": parallel, "noProgressRounds": 10 },
    });
    let mut researcher = agent(1)?;
    researcher.config.capabilities = vec!["research".to_owned()];
    Ok(StartMission {
        order: MissionSetup {
            profile: serde_json::from_value(profile)?,
            agents: vec![ResolvedAgent { agent: researcher, sources: Vec::new(), corpus: None }],
            left_out: Vec::new(),
            connection: "scripted".to_owned(),
            model: None,
            corpora: Vec::new(),
            readers: BTreeSet::new(),
            workspace: String::new(),
        },
        request: "What is a pump? What is a valve? What is a gauge? What is a filter?".to_owned(),
        session: None,
        as_of: "2026-01-01".to_owned(),
        unattended: true,
        previous: None,
        base: None,
        report_only: false,
        without: Vec::new(),
        imported: None,
    })
}

/// Milliseconds of each.
fn graph() -> Outcome<Vec<Figure>> {
    let mut graph = Graph::default();
    for batch in 0..CLAIMS / BATCH {
        let (findings, context) = found(batch * BATCH, BATCH);
        let changes = integrate(&graph, &findings, &context).changes;
        graph.apply(&changes)?;
    }
    let day = "2026-01-01".parse()?;
    let analysis = analyse(&graph, &Requirements::default(), day)?;
    graph.apply(&analysis.changes)?;
    let query = PageQuery { text: "valve".to_owned(), ..PageQuery::new(ItemKind::Claim) };
    let (more, context) = found(CLAIMS, FINDINGS);
    let timed = |work: &dyn Fn() -> Outcome<usize>| -> Outcome<f64> {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let began = Instant::now();
            std::hint::black_box(work()?);
            times.push(ms(began.elapsed()));
        }
        Ok(median(times))
    };
    let paged = timed(&|| Ok(page(&graph, &query).items.len()))?;
    let taken_in = timed(&|| {
        let mut next = graph.clone();
        next.apply(&integrate(&next, &more, &context).changes)?;
        Ok(next.claims().len())
    })?;
    let analysed = timed(&|| Ok(analyse(&graph, &Requirements::default(), day)?.changes.changes.len()))?;
    Ok(vec![
        Figure::plain("missions.page-10k-claims", paged, "ms").at_most(20.0),
        Figure::plain("missions.integrate-50-findings", taken_in, "ms").at_most(30.0),
        Figure::plain("missions.analyse-10k-claims", analysed, "ms"),
    ])
}

/// So many claims from one source for every ten, each checked word for word.
fn found(first: usize, count: usize) -> (Findings, Context) {
    let mut findings = Findings::default();
    let mut context = Context { by: format!("bench {first}"), ..Context::default() };
    for at in 0..count {
        let number = first + at;
        let source = format!("s{}", number / 10);
        if at == 0 || number.is_multiple_of(10) {
            findings.sources.push(FoundSource {
                id: source.clone(),
                title: format!("Manual {}", number / 10),
                address: format!("kb:bench/manual-{}", number / 10),
                kind: SourceKind::Official,
                object: None,
                published: None,
                retrieved: None,
            });
        }
        let check = Check { verdict: SentenceVerdict::Verified, proof: Proof::Quoted, paragraph: None };
        context.checks.insert(format!("/claims/{at}/citations/0"), check);
        let text = format!("Pump {number} of station {} opens its valve at {number} kilopascal", number % 97);
        findings.claims.push(FoundClaim {
            citations: vec![FoundCitation { source, quote: text.clone(), paragraph: None, page: None }],
            entities: vec![format!("Station {}", number % 97)],
            text,
            kind: domain::mission::ClaimKind::Fact,
            confidence: None,
            dated: false,
            answers: None,
        });
    }
    (findings, context)
}
