//! JSON out of texts made to be slow: 10 MB of each kind, beside 5 MB of it.

use std::time::Instant;

use llm::extract;
use serde_json::json;

use crate::Outcome;
use crate::figure::{Figure, ms};

const MEGABYTES: usize = 10;
/// Kinds that take less than this many milliseconds tell nothing about growth.
const TOO_SHORT: f64 = 50.0;

/// What is repeated.
const KINDS: [&str; 17] = [
    "{",
    "[",
    "{\"",
    "[\"",
    "{\"a\":",
    "[1,",
    "```\n",
    "```json\n{\n",
    "```json\n{\"a\":\n```\n",
    "{} ",
    "[1] ",
    "\\u",
    "\"\\ud800",
    "[[\"a\",[\"b\",",
    "{\"a\":{\"b\":[1,{\"c\":\"} ",
    "{\"a\": \"\n\"} ",
    "]}",
];

/// The slowest kind's time and the worst growth.
pub fn measure() -> Outcome<Vec<Figure>> {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
    let validator = jsonschema::validator_for(&schema)?;
    let time = |text: &str| {
        let times = std::iter::repeat_with(|| {
            let start = Instant::now();
            let _ = std::hint::black_box(extract(text, Some(&validator)));
            ms(start.elapsed())
        });
        times.take(3).fold(f64::INFINITY, f64::min)
    };
    let mut texts: Vec<(String, String)> = KINDS
        .iter()
        .map(|kind| {
            let fill = |megabytes: usize| kind.repeat(megabytes * 1_000_000 / kind.len());
            (fill(MEGABYTES / 2), fill(MEGABYTES))
        })
        .collect();
    // An answer that is nearly right: one string without its end, and one object of many fields whose last is wrong.
    let string = |megabytes: usize| format!("Here: {{\"a\": \"{}", "x\\n".repeat(megabytes * 333_333));
    let fields =
        |megabytes: usize| format!("{{{}\"a\": x}}", "\"k\": \"value\", ".repeat(megabytes * 71_428));
    texts.push((string(MEGABYTES / 2), string(MEGABYTES)));
    texts.push((fields(MEGABYTES / 2), fields(MEGABYTES)));
    let (mut slowest, mut worst) = (0.0_f64, (0.0, 1.0));
    for (half, whole) in &texts {
        let (half, whole) = (time(half), time(whole));
        slowest = slowest.max(whole);
        if whole > TOO_SHORT && whole / half > worst.0 / worst.1 {
            worst = (whole, half);
        }
    }
    Ok(vec![
        Figure::plain("extraction.slowest-10MB", slowest, "ms").at_most(1_000.0),
        Figure::plain("extraction.growth-10MB", worst.0, "ms").beside(worst.1).ratio_at_most(2.5),
    ])
}
