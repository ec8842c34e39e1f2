//! A run of serial model stages: its commits, its growth, its time, and the step from an answer to the next question.

use std::time::Instant;

use app::{Exit, UiKind};
use pipeline::Event;

use crate::disk::Raw;
use crate::figure::{Figure, median, ms};
use crate::rig::{Rig, USEFUL};
use crate::{Bench, Outcome};

const ROUNDS: usize = 11;
/// Durable commits of LangGraph 1.1 with its SQLite saver for a graph of six nodes.
const LANGGRAPH_COMMITS: f64 = 15.0;
/// Growth over useful bytes of the same.
const LANGGRAPH_GROWTH: f64 = 4.04;

/// All figures of the group.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut figures = timed(bench).await?;
    figures.extend(grown(bench).await?);
    Ok(figures)
}

/// Runs of six stages and raw commits of the same bytes by turns.
async fn timed(bench: &Bench) -> Outcome<Vec<Figure>> {
    let folder = bench.scratch()?;
    let mut raw = Raw::create(folder.path()).await?;
    let rig = Rig::open(&folder.path().join("home"), None).await?;
    let (mut whole, mut exported, mut steps, mut theirs, mut larges) =
        (vec![], vec![], vec![], vec![], vec![]);
    let mut commits = 0;
    for round in 0..=ROUNDS {
        let before = rig.store.stats().full_transactions;
        let mut events = rig.engine.subscribe();
        rig.marks.take();
        rig.marks.prepare(6);
        let start = Instant::now();
        let run = rig.start(6).await?;
        let done = loop {
            match events.recv().await?.kind {
                UiKind::Event { record } if record.event == Event::RunCompleted => break start.elapsed(),
                UiKind::Done { exit, problem } if exit != Exit::Completed => {
                    return Err(format!("the run ended as {exit:?}: {problem:?}").into());
                }
                _ => {}
            }
        };
        rig.engine.wait(&run).await?;
        let end = start.elapsed();
        commits = rig.store.stats().full_transactions - before;
        let (asked, answered) = rig.marks.take();
        let mut times = Vec::new();
        for n in 0..commits {
            times.push(raw.commit(if n < 6 { USEFUL } else { 1_000 }).await?);
        }
        // The first round finds nothing in its caches.
        if round > 0 {
            whole.push(ms(done));
            exported.push(ms(end));
            let pairs = answered.iter().zip(asked.iter().skip(1));
            steps.extend(pairs.map(|(answered, asked)| ms(asked.duration_since(*answered))));
            theirs.push(times.iter().sum());
            larges.extend(times.into_iter().take(6));
        }
    }
    rig.store.close().await?;
    raw.close().await?;
    let (raw_all, raw_one, step) = (median(theirs), median(larges), median(steps));
    Ok(vec![
        Figure::plain("stages.six-commits", commits as f64, "commits").beside(LANGGRAPH_COMMITS).at_most(8.0),
        // From the call that starts the run until its last event is durable and told.
        Figure::plain("stages.six-wall", median(whole), "ms").beside(raw_all).ratio_at_most(2.5),
        // The same until the files derived from the log are written, too.
        Figure::plain("stages.six-wall-with-files", median(exported), "ms").beside(raw_all),
        Figure::plain("stages.answer-to-next", step, "ms").beside(raw_one),
        // Without what a raw commit of the answer's bytes took in the same rounds.
        Figure::plain("stages.answer-to-next-over-commit", step - raw_one, "ms").at_most(1.0),
    ])
}

async fn grown(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut grown = Vec::new();
    for stages in [3, 6, 12] {
        let home = bench.scratch()?;
        let rig = Rig::open(home.path(), None).await?;
        rig.store.checkpoint().await?;
        let before = rig.store.sizes().await?.database;
        let run = rig.start(stages).await?;
        rig.engine.wait(&run).await?;
        rig.store.checkpoint().await?;
        grown.push((rig.store.sizes().await?.database - before) as f64);
        rig.store.close().await?;
    }
    let useful = (6 * USEFUL) as f64;
    let (early, late) = ((grown[1] - grown[0]) / 3.0, (grown[2] - grown[1]) / 6.0);
    Ok(vec![
        Figure::plain("stages.six-growth", grown[1], "bytes").beside(useful).ratio_at_most(1.15),
        Figure::plain("stages.six-growth-factor", grown[1] / useful, "x useful").beside(LANGGRAPH_GROWTH),
        // Bytes a stage between the 7th and the 12th, beside those between the 4th and the 6th.
        Figure::plain("stages.growth-linear", late, "bytes/stage").beside(early).ratio_at_most(1.1),
    ])
}
