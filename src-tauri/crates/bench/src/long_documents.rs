//! A document of 400 pages with 600 footnotes: assembled from its parts, as a file of Word and as PDF, by the program from
//! outside.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

const PARTS: usize = 100;
const PARAGRAPHS: usize = 24;
const NOTES: usize = 600;
/// The reports that are assembled; together they have the same pages and footnotes.
const REPORTS: usize = 17;
const REPORT_PARAGRAPHS: usize = 141;
const ROUNDS: usize = 5;
/// How often the memory of the program is read.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

const SENTENCE: &str = "The Borrower shall repay each Loan in full on the Termination Date together with accrued interest, \
    and no amount that was repaid may be borrowed again unless the Lenders agree in writing. ";

/// Time and memory.
pub fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let folder = bench.scratch()?;
    let text = folder.path().join("long.md");
    fs::write(&text, long())?;
    let reports = folder.path().join("reports.json");
    fs::write(&reports, assembly().to_string())?;
    let assembled = folder.path().join("assembled");
    let mut figures = measured("assembly", |_| {
        taken(
            Command::new(&bench.program)
                .args(["manuscript", "check", "assemble"])
                .arg(&reports)
                .arg("-o")
                .arg(&assembled),
        )
    })?;
    for (kind, ending) in [("word", "docx"), ("pdf", "pdf")] {
        figures.extend(measured(kind, |round| {
            let out = folder.path().join(format!("long-{round}.{ending}"));
            taken(Command::new(&bench.program).args(["manuscript", "word"]).arg(&text).arg("-o").arg(&out))
        })?);
    }
    Ok(figures)
}

/// The time and the memory of a step, over several rounds.
fn measured(kind: &str, step: impl Fn(usize) -> Outcome<(f64, u64)>) -> Outcome<Vec<Figure>> {
    let (mut times, mut most) = (Vec::new(), 0);
    for round in 0..ROUNDS {
        let (time, memory) = step(round)?;
        times.push(time);
        most = most.max(memory);
    }
    let megabytes = most as f64 / 1024.0;
    Ok(vec![
        Figure::plain(&format!("documents.{kind}-400-pages"), median(times), "ms").at_most(3_000.0),
        Figure::plain(&format!("documents.{kind}-memory"), megabytes, "MiB").at_most(400.0),
    ])
}

/// What the assembly of the reports takes.
fn assembly() -> Value {
    let parts: Vec<Value> = (0..REPORTS).map(report).collect();
    json!({
        "title": { "title": "A long memorandum", "lines": ["For the board"] },
        "parts": parts,
        "file_name": "long.md",
        "rubric": { "toc_title": "Contents", "notes_title": "Footnotes", "footer": "END OF DOCUMENT" },
    })
}

fn report(at: usize) -> Value {
    let (mut markdown, mut notes) = (String::new(), Vec::new());
    for paragraph in 0..REPORT_PARAGRAPHS {
        markdown.push_str(&SENTENCE.repeat(4));
        if paragraph % 4 == 0 {
            let label = (notes.len() + 1).to_string();
            markdown.push_str(&format!("[^{label}]"));
            let text = format!("agreement-{at}.md, 1.{paragraph}: “{}” [VERIFIED]", SENTENCE.trim_end());
            notes.push(json!({ "label": label, "text": text }));
        }
        markdown.push_str("\n\n");
    }
    json!({ "id": format!("part-{at}"), "number": format!("{}", at + 1), "title": format!("Report {at}"), "markdown": markdown,
        "footnotes": notes })
}

fn long() -> String {
    let mut text = String::from("# A long memorandum\n\n");
    let mut note = 0;
    for part in 1..=PARTS {
        text.push_str(&format!("## Part {part}\n\n"));
        for paragraph in 0..PARAGRAPHS {
            text.push_str(&SENTENCE.repeat(4));
            if paragraph % 4 == 0 {
                note += 1;
                text.push_str(&format!("[^{note}]"));
            }
            text.push_str("\n\n");
        }
        text.push_str("| Item | Value |\n|---|--:|\n");
        (0..12).for_each(|row| text.push_str(&format!("| Figure {row} of part {part} | {row},000 |\n")));
        text.push('\n');
    }
    for note in 1..=NOTES {
        text.push_str(&format!("[^{note}]: Credit agreement, page {note}: “{}”\n", SENTENCE.trim_end()));
    }
    text
}

/// Milliseconds, and the most memory in KiB.
fn taken(command: &mut Command) -> Outcome<(f64, u64)> {
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let ended = loop {
        let seen = fs::read_to_string(&status).unwrap_or_default();
        let peak = seen
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        most = most.max(peak.unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    if !ended.success() {
        return Err(format!("{command:?}: {ended}").into());
    }
    Ok((ms(begun.elapsed()), most))
}
