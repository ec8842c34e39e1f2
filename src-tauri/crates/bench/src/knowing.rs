//! Ingest, search and citation checks over the largest corpus there is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use knowledge::verify::Verdict;
use knowledge::{Base, IngestOptions, Query, Tier, ingest, verify};

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

/// All figures of the group.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let (sources, shipped) = match bench.corpora.as_deref().map(largest).transpose()?.flatten() {
        Some(corpus) => (vec![corpus], false),
        None => (vec![primer(home.path())?], true),
    };
    if shipped {
        eprintln!(
            "knowledge: AGENTNATIVE_CORPORA names no folder with a .jsonl corpus; measuring the small primer that ships with the program"
        );
    }
    let mut rates = Vec::new();
    for round in 0..3 {
        let options = IngestOptions {
            home: home.path().to_owned(),
            base: format!("measured-{round}"),
            title: String::new(),
            tier: Tier::Standard,
            citation: String::new(),
            created_at_ms: 0,
            sources: sources.clone(),
        };
        let start = Instant::now();
        let counts = ingest(&options, &mut |_| {}, &AtomicBool::new(false))?.manifest.counts;
        rates.push(counts.paragraphs as f64 / start.elapsed().as_secs_f64());
    }
    let base = Base::open(home.path(), "measured-0")?;
    let mut figures = vec![
        Figure::plain("knowledge.paragraphs", base.paragraphs().len() as f64, "paragraphs"),
        Figure::plain("knowledge.ingest", median(rates), "paragraphs/s").at_least(5_000.0),
    ];
    for (name, hops) in [("knowledge.search-p50", 0), ("knowledge.search-one-hop-p50", 1)] {
        let mut times = Vec::new();
        for (_, text) in windows(&base, 10, 2_000) {
            let query = Query { text, limit: 10, hops, ..Query::default() };
            let start = Instant::now();
            std::hint::black_box(base.search(&query)?);
            times.push(ms(start.elapsed()));
        }
        figures.push(Figure::plain(name, median(times), "ms").at_most(2.0));
    }
    let quotes = windows(&base, 14, 20_000);
    let start = Instant::now();
    let verified =
        quotes.iter().filter(|(id, quote)| verify(&base, id, quote).verdict == Verdict::Verified).count();
    let rate = quotes.len() as f64 / start.elapsed().as_secs_f64();
    figures.push(Figure::plain("knowledge.check-true-quotes", rate, "checks/s").at_least(10_000.0));
    figures.push(Figure::plain("knowledge.true-quotes-flagged", (quotes.len() - verified) as f64, "quotes"));
    let start = Instant::now();
    for pair in quotes.windows(2) {
        std::hint::black_box(verify(&base, &pair[1].0, &pair[0].1));
    }
    let rate = (quotes.len() - 1) as f64 / start.elapsed().as_secs_f64();
    figures.push(Figure::plain("knowledge.check-false-quotes", rate, "checks/s").at_least(10_000.0));
    Ok(figures)
}

/// The largest `.jsonl` file of a folder.
fn largest(folder: &Path) -> Outcome<Option<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "jsonl") {
            files.push((entry.metadata()?.len(), entry.path()));
        }
    }
    files.sort();
    Ok(files.pop().map(|(_, path)| path))
}

/// The shipped corpus as files.
fn primer(home: &Path) -> Outcome<PathBuf> {
    let folder = home.join("primer");
    fs::create_dir(&folder)?;
    for corpus in workspace::shipped_corpora("isa-knowledge-base") {
        for (name, bytes) in &corpus.files {
            let name = Path::new(name).file_name().ok_or("a shipped file has no name")?;
            fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(folder)
}

/// Stretches of so many words from paragraphs all over the base, the same each time, with the paragraphs' ids.
fn windows(base: &Base, length: usize, count: usize) -> Vec<(String, String)> {
    let mut state = 0x9e37_79b9_u64;
    let mut below = move |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let long: Vec<(&str, Vec<&str>)> = base
        .paragraphs()
        .iter()
        .filter(|paragraph| !paragraph.withdrawn)
        .map(|paragraph| (paragraph.id.as_str(), paragraph.text.split_whitespace().collect::<Vec<_>>()))
        .filter(|(_, words)| words.len() > length)
        .collect();
    if long.is_empty() {
        return Vec::new();
    }
    let window = |_| {
        let (id, words) = &long[below(long.len())];
        let start = below(words.len() - length);
        ((*id).to_owned(), words[start..start + length].join(" "))
    };
    (0..count).map(window).collect()
}
