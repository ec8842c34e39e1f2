//! Measures ingest, search and citation checks over a folder of documents:
//! `cargo run --release -p citations --example measure_knowledge -- <folder> [queries.jsonl]`.
//!
//! Prints one figure a line. With a file of `{"id","text"}` queries it also writes `run-bm25.trec` and
//! `run-hops.trec` into the system's temporary folder, for scoring.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use citations::{Verdict, verify};
use knowledge::{Base, IngestOptions, Query, Tier, ingest};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder to ingest"));
    let home = tempfile::tempdir().expect("a temporary folder");
    let options =
        IngestOptions { tier: Tier::Standard, ..IngestOptions::new(home.path(), "measured", vec![folder]) };
    let begin = Instant::now();
    let report = ingest(&options, &mut |_| {}, &AtomicBool::new(false)).expect("an ingest");
    let took = begin.elapsed();
    let counts = report.manifest.counts;
    let all = counts.paragraphs + counts.parts;
    println!("paragraphs            {} and {} parts", counts.paragraphs, counts.parts);
    println!("references            {} ({} lead outside)", counts.references, counts.dangling);
    println!("problems              {}", report.files.iter().map(|file| file.problems.len()).sum::<usize>());
    println!("ingest                {:.0} paragraphs/s ({took:.2?})", all as f64 / took.as_secs_f64());

    let begin = Instant::now();
    let base = Base::open(home.path(), "measured").expect("the base");
    println!("open                  {:.2?}", begin.elapsed());
    let begin = Instant::now();
    base.search(&Query { text: "first search".into(), ..Query::default() }).expect("a search");
    println!("first search          {:.2?}", begin.elapsed());

    let windows = windows(&base, 10, 2_000);
    for (name, hops) in [("search", 0), ("search + 1 hop", 1)] {
        let mut times: Vec<Duration> = windows
            .iter()
            .map(|(_, text)| {
                let query = Query { text: text.clone(), limit: 10, hops, ..Query::default() };
                let begin = Instant::now();
                std::hint::black_box(base.search(&query).expect("a search"));
                begin.elapsed()
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!("{name:<22}p50 {:.3?}  p95 {:.3?}  max {:.3?}", at(0.5), at(0.95), at(1.0));
    }

    let quotes = self::windows(&base, 14, 20_000);
    let begin = Instant::now();
    verify(&base, &quotes[0].0, "words that no paragraph of this base would ever hold together");
    println!("first mismatch        {:.2?} (builds the word index)", begin.elapsed());
    let begin = Instant::now();
    let verified =
        quotes.iter().filter(|(id, quote)| verify(&base, id, quote).verdict == Verdict::Verified).count();
    report_checks("verify true quotes", quotes.len(), begin.elapsed());
    println!("                      {verified} verified");
    let mut reasons = std::collections::BTreeMap::<String, usize>::new();
    for (id, quote) in &quotes {
        let found = verify(&base, id, quote);
        if found.verdict != Verdict::Verified {
            *reasons.entry(found.reason).or_default() += 1;
        }
    }
    for (reason, count) in reasons {
        println!("                      {count} x {reason}");
    }
    let begin = Instant::now();
    for pair in quotes.windows(2) {
        std::hint::black_box(verify(&base, &pair[1].0, &pair[0].1));
    }
    report_checks("verify misattributed", quotes.len() - 1, begin.elapsed());

    if let Some(queries) = arguments.next() {
        let text = std::fs::read_to_string(queries).expect("queries");
        for (name, hops) in [("run-bm25.trec", 0), ("run-hops.trec", 1)] {
            let mut run = String::new();
            for line in text.lines() {
                let query: serde_json::Value = serde_json::from_str(line).expect("a query");
                let id = query["id"].as_str().or(query["_id"].as_str()).expect("an id");
                let words = query["text"].as_str().expect("text").to_owned();
                let hits =
                    base.search(&Query { text: words, limit: 100, hops, ..Query::default() }).expect("hits");
                for (rank, hit) in hits.iter().enumerate() {
                    run.push_str(&format!("{id} Q0 {} {} {:.6} k\n", hit.id, rank + 1, hit.score));
                }
            }
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, run).expect("a run file");
            println!("run                   {}", path.display());
        }
    }
}

fn report_checks(name: &str, count: usize, took: Duration) {
    println!("{name:<22}{:.0}/s", count as f64 / took.as_secs_f64());
}

/// Stretches of `length` words from paragraphs spread over the base.
fn windows(base: &Base, length: usize, count: usize) -> Vec<(String, String)> {
    let mut state = 0x9e37_79b9_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let long: Vec<(&str, Vec<&str>)> = base
        .paragraphs()
        .iter()
        .filter(|one| !one.withdrawn)
        .map(|one| (one.id.as_str(), one.text.split_whitespace().collect::<Vec<_>>()))
        .filter(|(_, words)| words.len() > length)
        .collect();
    (0..count)
        .map(|_| {
            let (id, words) = &long[next(long.len())];
            let start = next(words.len() - length);
            ((*id).to_owned(), words[start..start + length].join(" "))
        })
        .collect()
}
