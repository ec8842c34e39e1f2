//! `kb verify`.

use std::io::{BufRead, Read as _, Write as _};
use std::path::Path;

use citations::BatchRow;
use domain::{ErrorCode, Problem};
use knowledge::Base;
use serde_json::{Value, json};

use crate::outcome::Outcome;
use crate::terminal::json_line;

/// The longest row of a batch, and the largest answer, in bytes.
const MAX_ROW: usize = 1 << 20;
const MAX_ANSWER: u64 = 64 << 20;

pub(super) fn one(base: &Base, source_ref: &str, quote: &str) -> Outcome {
    let found = citations::verify(base, source_ref, quote);
    println!(
        "{}",
        json_line(&json!({
            "verdict": found.verdict, "reason": found.reason, "paragraph": found.paragraph_id,
            "also_found_in": found.also_found_in,
        }))
    );
    if found.verdict == domain::Verdict::Verified { Outcome::Done } else { Outcome::Failed }
}

/// Checks the sentence records of an `answer.json` against the generations they name.
pub(super) fn answer(home: &Path, path: &Path) -> Result<Outcome, Problem> {
    let bad = |what: String| Problem::new(ErrorCode::InvalidInput, format!("{}: {what}", path.display()));
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| bad(error.to_string()))?;
    file.take(MAX_ANSWER + 1).read_to_end(&mut text).map_err(|error| bad(error.to_string()))?;
    if text.len() as u64 > MAX_ANSWER {
        return Err(bad(format!("more than {MAX_ANSWER} bytes")));
    }
    let value: Value = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
    let records = app::recheck_answer(home, &value)?;
    println!("{records} statement records hold: documents, paragraphs, ranges and quotes are as they were");
    Ok(Outcome::Done)
}

pub(super) fn batch(base: &Base, path: &Path) -> Result<Outcome, Problem> {
    let bad =
        |error: std::io::Error| Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display()));
    let mut input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::io::BufReader::new(std::fs::File::open(path).map_err(bad)?))
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = String::new();
    let mut number = 0;
    let mut faulty = 0;
    loop {
        line.clear();
        number += 1;
        if input.read_line(&mut line).map_err(bad)? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let row = match serde_json::from_str::<BatchRow>(&line) {
            _ if line.len() > MAX_ROW => Err(format!("longer than {MAX_ROW} bytes")),
            Ok(row) => Ok(row),
            Err(error) => Err(error.to_string()),
        };
        let verdict = match row {
            Ok(row) => {
                citations::verify_batch(base, std::iter::once(&row)).next().map(|verdict| json!(verdict))
            }
            Err(error) => {
                faulty += 1;
                eprintln!("line {number}: not a row {{\"id\", \"source_ref\", \"quote\"}}: {error}");
                None
            }
        };
        if let Some(verdict) = verdict {
            writeln!(out, "{verdict}").map_err(bad)?;
        }
    }
    out.flush().map_err(bad)?;
    Ok(if faulty == 0 { Outcome::Done } else { Outcome::Usage })
}
