//! A base of 100,000 paragraphs with vectors, opened and searched by a process of its own.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use embeddings::{Embedder as _, Purpose};
use knowledge::{Base, IngestOptions, Query, ingest};

use crate::figure::{Figure, median, ms};
use crate::knowledge_base::{SyntheticEmbedder, dice};
use crate::{Bench, Outcome};

const PARAGRAPHS: usize = 100_000;
const BASE: &str = "large";

/// Ingests the base and has it opened.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let path = home.path().join("large.jsonl");
    write(&path)?;
    let options = IngestOptions {
        embedder: Some(Arc::new(SyntheticEmbedder::default())),
        ..IngestOptions::new(home.path(), BASE, vec![path])
    };
    ingest(&options, &mut |_| {}, &AtomicBool::new(false))?;
    let child = Command::new(std::env::current_exe()?).arg("--open-large").arg(home.path()).output()?;
    if !child.status.success() {
        return Err(format!("the large base: {}", String::from_utf8_lossy(&child.stderr)).into());
    }
    let mut figures = Vec::new();
    for line in String::from_utf8(child.stdout)?.lines() {
        let Some((name, value)) = line.split_once(' ') else { continue };
        let value: f64 = value.parse()?;
        figures.push(match name {
            "open" => Figure::plain("knowledge.large-open", value, "ms").at_most(60.0),
            "words-p95" => Figure::plain("knowledge.large-words-p95", value, "ms").at_most(15.0),
            "hybrid-p50" => Figure::plain("knowledge.large-hybrid-p50", value, "ms"),
            _ => Figure::plain("knowledge.large-memory", value, "MB").at_most(600.0),
        });
    }
    Ok(figures)
}

/// Opens the base and searches it, prints a figure a line.
pub fn opened(home: &Path) -> Outcome<()> {
    let mut opening = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        std::hint::black_box(Base::open(home, BASE)?);
        opening.push(ms(start.elapsed()));
    }
    println!("open {}", median(opening));
    let base = Base::open(home, BASE)?;
    for (name, share, vectors) in [("words-p95", 95, false), ("hybrid-p50", 50, true)] {
        let mut below = dice(7);
        let mut times = Vec::new();
        // The first search reads the vectors.
        for round in 0..101 {
            let text = sentence(&mut below, 8);
            let vector =
                SyntheticEmbedder::default().embed(&[&text], Purpose::Query)?.pop().filter(|_| vectors);
            let query = Query { text, hops: 1, vector, ..Query::default() };
            let start = Instant::now();
            std::hint::black_box(base.search(&query)?);
            if round > 0 {
                times.push(ms(start.elapsed()));
            }
        }
        times.sort_by(f64::total_cmp);
        println!("{name} {}", times[times.len() * share / 100]);
    }
    if let Some(kilobytes) = peak() {
        println!("memory {}", kilobytes / 1_000.0);
    }
    Ok(())
}

/// The most memory this process held at once, where the system says it.
fn peak() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Made-up words, some far more frequent than others, as in any language.
fn sentence(below: &mut impl FnMut(usize) -> usize, words: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "do", "fen", "gar", "hul", "ki", "lem", "mor", "nas", "pel", "qui", "ros", "sta", "tor", "und",
        "vel", "wim", "yar", "zet", "ost",
    ];
    let word = |below: &mut dyn FnMut(usize) -> usize| {
        let range = 1 + below(30_000);
        let mut number = below(range);
        let mut word = String::new();
        for _ in 0..3 {
            word.push_str(SYLLABLES[number % SYLLABLES.len()]);
            number /= SYLLABLES.len();
        }
        word
    };
    (0..words).map(|_| word(below)).collect::<Vec<_>>().join(" ")
}

fn write(path: &Path) -> Outcome<()> {
    let mut below = dice(1);
    let mut out = std::io::BufWriter::new(fs::File::create(path)?);
    for number in 0..PARAGRAPHS {
        let length = 30 + below(100);
        let text = sentence(&mut below, length);
        let (to, title) = (below(PARAGRAPHS), sentence(&mut below, 4));
        writeln!(
            out,
            r#"{{"id":"L-{number}","title":"{title}","text":"{text}","refs":[{{"to":"L-{to}","kind":"related"}}]}}"#
        )?;
    }
    Ok(out.flush()?)
}
