//! Ingest, search and citation checks over the largest corpus there is.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use citations::{Verdict, verify};
use embeddings::{EmbedError, Embedder, LocalEncoder, Model, Purpose};
use knowledge::{Base, IngestOptions, Query, Tier, ingest};

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
            tier: Tier::Standard,
            ..IngestOptions::new(home.path(), format!("measured-{round}"), sources.clone())
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
    let mut opened = Vec::new();
    for _ in 0..21 {
        let start = Instant::now();
        std::hint::black_box(Base::open(home.path(), "measured-0")?);
        opened.push(ms(start.elapsed()));
    }
    figures.push(Figure::plain("knowledge.open", median(opened), "ms").at_most(20.0));
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
    figures.extend(hybrid(home.path(), &sources)?);
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

/// Words, vectors and one hop together, without the model call; the model's own time beside it.
fn hybrid(home: &Path, sources: &[PathBuf]) -> Outcome<Vec<Figure>> {
    let model: Option<Arc<dyn Embedder>> = match std::env::var_os("AGENTNATIVE_MODEL") {
        Some(folder) => Some(Arc::new(LocalEncoder::open(Path::new(&folder))?)),
        None => None,
    };
    if model.is_none() {
        eprintln!(
            "knowledge: AGENTNATIVE_MODEL names no model's folder; hybrid search is timed with vectors that mean nothing"
        );
    }
    let options = IngestOptions {
        tier: Tier::Standard,
        embedder: Some(model.clone().unwrap_or_else(|| Arc::new(SyntheticEmbedder::default()))),
        ..IngestOptions::new(home, "measured-hybrid", sources.to_vec())
    };
    ingest(&options, &mut |_| {}, &AtomicBool::new(false))?;
    let base = Base::open(home, "measured-hybrid")?;
    let meaningless = SyntheticEmbedder::default();
    let encoder: &dyn Embedder = model.as_deref().unwrap_or(&meaningless);
    let (mut encoding, mut searching) = (Vec::new(), Vec::new());
    for (_, text) in windows(&base, 10, if model.is_some() { 200 } else { 2_000 }) {
        let start = Instant::now();
        let vector = encoder.embed(&[&text], Purpose::Query)?.pop();
        encoding.push(ms(start.elapsed()));
        let query = Query { text, limit: 10, hops: 1, vector, ..Query::default() };
        let start = Instant::now();
        std::hint::black_box(base.search(&query)?);
        searching.push(ms(start.elapsed()));
    }
    searching.sort_by(f64::total_cmp);
    let p95 = searching.get(searching.len() * 95 / 100).copied().unwrap_or_default();
    let mut figures = vec![
        Figure::plain("knowledge.hybrid-p50", median(searching), "ms").at_most(5.0),
        Figure::plain("knowledge.hybrid-p95", p95, "ms").at_most(15.0),
    ];
    if model.is_some() {
        figures.push(Figure::plain("knowledge.encode-query-p50", median(encoding), "ms").beside(10.0));
    }
    Ok(figures)
}

/// Vectors of MiniLM's length for measuring time and memory: each text has its own direction, which means nothing.
pub struct SyntheticEmbedder(Model);

impl Default for SyntheticEmbedder {
    fn default() -> Self {
        Self(Model { id: "bench:meaningless".to_owned(), dimensions: 384 })
    }
}

impl Embedder for SyntheticEmbedder {
    fn model(&self) -> &Model {
        &self.0
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            let mut below = dice(seed);
            let values: Vec<f32> = (0..self.0.dimensions).map(|_| below(2_001) as f32 - 1_000.0).collect();
            let length = values.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
            values.into_iter().map(|value| value / length).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

/// Numbers below a bound without a pattern, the same for the same seed.
pub fn dice(mut state: u64) -> impl FnMut(usize) -> usize {
    move |end| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    }
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
    let mut below = dice(0x9e37_79b9);
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
