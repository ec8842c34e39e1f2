//! Prints what an ingest of files and folders finds, and how fast: `cargo run -p knowledge --example ingest_folder -- <path> …`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use knowledge::ingest::preview;
use knowledge::{IngestOptions, ingest};

fn main() {
    let sources: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let home = tempfile::tempdir().expect("a temporary folder");
    let options = IngestOptions::new(home.path(), "measured", sources);
    let begin = Instant::now();
    let found = preview(&options, &mut |_| {}, &AtomicBool::new(false)).expect("a preview");
    println!("preview {:.2?}, cited as {}", begin.elapsed(), found.citation);
    for file in &found.files {
        println!(
            "{} ({}, {} {} %): {} paragraphs {:?}, {} references, {} dangling, {} duplicates, {} problems",
            file.name,
            file.format,
            file.rules,
            file.confidence,
            file.paragraphs,
            file.kinds,
            file.resolved,
            file.dangling,
            file.duplicates,
            file.problems.len() as u64 + file.more_problems
        );
        for sample in &file.samples {
            println!("    {} [{}] {:.80}", sample.id, sample.kind, sample.text.replace('\n', " / "));
        }
        for (from, reference) in file.references.iter().take(5) {
            println!("    {from} -> {} ({})", reference.to, reference.kind);
        }
        for one in file.dangling_samples.iter().take(5) {
            println!("    {} -> {} leads nowhere", one.from, one.to);
        }
        for one in file.duplicate_samples.iter().take(5) {
            println!("    {} is there twice: {:?}", one.id, one.became);
        }
        for problem in file.problems.iter().take(5) {
            println!("    {:?} {:?}: {}", problem.line, problem.page, problem.what);
        }
    }
    for turn in ["first", "again"] {
        let begin = Instant::now();
        let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).expect("an ingest");
        let counts = report.manifest.counts;
        let all = counts.paragraphs + counts.parts;
        let took = begin.elapsed();
        println!(
            "{turn}: {all} paragraphs in {took:.2?}, {:.0}/s, unchanged {}",
            all as f64 / took.as_secs_f64(),
            report.unchanged
        );
    }
}
