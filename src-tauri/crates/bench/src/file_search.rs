//! Searching a tree of 100,000 files, beside ripgrep, or beside its libraries put together as it does where it is not
//! installed.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use domain::Mode;
use grep_regex::RegexMatcherBuilder;
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use ignore::{WalkBuilder, WalkState};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools::{CallContext, Parts, Run};

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

const FOLDERS: usize = 1_000;
const FILES: usize = 100;
const ROUNDS: usize = 7;
/// One file of so many has a line that matches.
const NEEDLES: usize = 1_000;

/// For a word that few files hold, and for one in no file.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let scratch = bench.scratch()?;
    let home = std::fs::canonicalize(scratch.path())?;
    let tree = home.join("tree");
    plant(&tree)?;
    let at = CallContext {
        session: "bench".into(),
        run: "bench".into(),
        call: "bench".into(),
        mode: Mode::Safe,
        folders: vec![tree.clone()],
        own: home.join("own"),
    };
    let tools = tools::of_files(&Parts::default());
    let search = tools.iter().find(|tool| tool.info().name == "search").ok_or("there is no search")?;
    let installed = Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut figures = Vec::new();
    for (name, pattern, expected) in
        [("search.rare-100k", "nee+dle", FOLDERS * FILES / NEEDLES), ("search.absent-100k", "abs[e]nt", 0)]
    {
        let (mut ours, mut theirs) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let run = Run {
                cancel: CancellationToken::new(),
                confined: domain::Walls::Open,
                report: Arc::new(|_| {}),
            };
            let outcome = search.run(&json!({"pattern": pattern}), &at, run).await?;
            ours.push(ms(begun.elapsed()));
            let found = outcome.text.matches("needle").count();
            if found != expected {
                return Err(format!("{found} lines were found in place of {expected}").into());
            }
            let begun = Instant::now();
            if installed {
                ripgrep(&tree, pattern)?
            } else {
                libraries(&tree, pattern)?
            };
            theirs.push(ms(begun.elapsed()));
        }
        figures.push(Figure::plain(name, median(ours), "ms").beside(median(theirs)).ratio_at_most(1.2));
    }
    Ok(figures)
}

/// Files of about a kilobyte, a few of them with a needle.
fn plant(tree: &Path) -> Outcome<()> {
    let mut number = 0_usize;
    for folder in 0..FOLDERS {
        let path = tree.join(format!("{:02}/{folder:04}", folder % 40));
        std::fs::create_dir_all(&path)?;
        for file in 0..FILES {
            let mut text = String::with_capacity(1_100);
            for line in 0..20 {
                writeln!(text, "line {line} of file {number}: some words that nobody looks for")?;
            }
            if number.is_multiple_of(NEEDLES) {
                text.push_str("a needle\n");
            }
            std::fs::write(path.join(format!("{file:03}.txt")), text)?;
            number += 1;
        }
    }
    Ok(())
}

fn ripgrep(tree: &Path, pattern: &str) -> Outcome<()> {
    Command::new("rg").arg("-n").arg(pattern).arg(tree).stdout(Stdio::null()).status()?;
    Ok(())
}

fn libraries(tree: &Path, pattern: &str) -> Outcome<()> {
    let matcher = RegexMatcherBuilder::new().line_terminator(Some(b'\n')).build(pattern)?;
    let found = AtomicUsize::new(0);
    WalkBuilder::new(tree).build_parallel().run(|| {
        let (matcher, found) = (matcher.clone(), &found);
        let mut searcher =
            SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).line_number(true).build();
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
            {
                let sink = Lossy(|_, _| {
                    found.fetch_add(1, Ordering::Relaxed);
                    Ok(true)
                });
                let _ = searcher.search_path(&matcher, entry.path(), sink);
            }
            WalkState::Continue
        })
    });
    Ok(())
}
