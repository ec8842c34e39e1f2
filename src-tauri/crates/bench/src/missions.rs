//! The graph of a mission at 10,000 claims: a page of it, findings taken in, an analysis.

use std::time::Instant;

use domain::mission::{Findings, FoundCitation, FoundClaim, FoundSource, SourceKind};
use domain::{Proof, SentenceVerdict};
use evidence_graph::{Check, Context, Graph, ItemKind, PageQuery, Requirements, analyse, integrate, page};

use crate::Outcome;
use crate::figure::{Figure, median, ms};

const CLAIMS: usize = 10_000;
const BATCH: usize = 100;
const FINDINGS: usize = 50;
const ROUNDS: usize = 9;

/// Milliseconds of each.
pub fn measure() -> Outcome<Vec<Figure>> {
    let mut graph = Graph::default();
    for batch in 0..CLAIMS / BATCH {
        let (findings, context) = found(batch * BATCH, BATCH);
        let changes = integrate(&graph, &findings, &context).changes;
        graph.apply(&changes)?;
    }
    let day = "2026-01-01".parse()?;
    let analysis = analyse(&graph, &Requirements::default(), day)?;
    graph.apply(&analysis.changes)?;
    let query = PageQuery { text: "valve".to_owned(), ..PageQuery::of(ItemKind::Claim) };
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
