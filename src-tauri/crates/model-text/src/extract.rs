//! JSON out of a model's text: the whole text, a fenced block, or the first balanced object or array that satisfies the
//! schema. Linear in the text's length, whatever the text.

mod repair;
mod scan;
mod shape;

use std::fmt;

use domain::Usage;
use jsonschema::Validator;
use serde_json::Value;

pub use self::shape::{outermost, prose, reshape};
use scan::Scanner;

/// The names of the fields that an object must have, of the value of its schema's `required`.
pub fn required_names(required: Option<&Value>) -> Vec<&str> {
    required.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Candidates that are parsed and validated at most.
const MAX_CANDIDATES: usize = 64;
/// Validation messages that are kept at most.
const MAX_FAULTS: usize = 20;
/// The longest validation message, in bytes.
const MAX_MESSAGE_BYTES: usize = 300;

/// JSON found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The value; it satisfies the schema it was asked for.
    pub value: Value,
    /// Where it was.
    pub how: JsonOrigin,
    /// Whether it had to be mended first (lone surrogates, bare control characters in strings).
    pub repaired: bool,
}

/// Where the JSON was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonOrigin {
    /// The text was nothing else.
    Whole,
    /// In a fenced block.
    Fenced,
    /// In the middle of other text.
    Balanced,
}

/// Why no JSON could be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExtractError {
    /// The text is empty.
    #[error("the answer is empty")]
    Empty,
    /// There is no complete JSON in it.
    #[error("the answer holds no complete JSON object or array ({reason})")]
    NoJson {
        /// What the parser said of the whole text.
        reason: String,
    },
    /// There is JSON, but it doesn't satisfy the schema.
    #[error("the answer does not satisfy its schema:{}", list(faults))]
    Invalid {
        /// The largest candidate.
        value: Box<Value>,
        /// What is wrong with it, at most 20.
        faults: Vec<SchemaFault>,
    },
}

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer into the value; empty for the value itself.
    pub path: String,
    /// What was expected, at most 300 bytes.
    pub message: String,
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.path.is_empty() { "(the value)" } else { &self.path }, self.message)
    }
}

fn list(faults: &[SchemaFault]) -> String {
    faults.iter().map(|fault| format!("\n- {fault}")).collect()
}

/// Finds the first JSON value in a text that satisfies the schema, if there is one to satisfy.
pub fn extract(text: &str, validator: Option<&Validator>) -> Result<Extraction, ExtractError> {
    let whole = text.trim_start_matches('\u{feff}').trim();
    if whole.is_empty() {
        return Err(ExtractError::Empty);
    }
    let mut attempt = Attempt { validator, left: MAX_CANDIDATES, rejected: None };
    if whole.starts_with(['{', '['])
        && let Some(found) = attempt.consider(whole, JsonOrigin::Whole)
    {
        return Ok(found);
    }
    let candidates = fenced(whole)
        .map(|block| (block, JsonOrigin::Fenced))
        .chain(Scanner::new(whole).map(|candidate| (candidate, JsonOrigin::Balanced)));
    for (candidate, how) in candidates {
        if attempt.left == 0 {
            break;
        }
        if let Some(found) = attempt.consider(candidate, how) {
            return Ok(found);
        }
    }
    Err(match attempt.rejected {
        Some((_, value, faults)) => ExtractError::Invalid { value: Box::new(value), faults },
        None => ExtractError::NoJson {
            reason: serde_json::from_str::<serde::de::IgnoredAny>(whole)
                .err()
                .map_or_else(|| "only a bare scalar".to_owned(), |error| error.to_string()),
        },
    })
}

struct Attempt<'a> {
    validator: Option<&'a Validator>,
    left: usize,
    rejected: Option<(usize, Value, Vec<SchemaFault>)>,
}

impl Attempt<'_> {
    fn consider(&mut self, candidate: &str, how: JsonOrigin) -> Option<Extraction> {
        let candidate = candidate.trim();
        if !candidate.starts_with(['{', '[']) {
            return None;
        }
        let (value, repaired) = match serde_json::from_str(candidate) {
            Ok(value) => (value, false),
            Err(_) => (serde_json::from_str(&repair::repair(candidate)?).ok()?, true),
        };
        self.left = self.left.saturating_sub(1);
        let faults = self.validator.map(|validator| faults(validator, &value)).unwrap_or_default();
        if faults.is_empty() {
            return Some(Extraction { value, how, repaired });
        }
        if self.rejected.as_ref().is_none_or(|(length, ..)| *length < candidate.len()) {
            self.rejected = Some((candidate.len(), value, faults));
        }
        None
    }
}

/// What is wrong with a value, at most 20.
pub fn faults(validator: &Validator, value: &Value) -> Vec<SchemaFault> {
    validator
        .iter_errors(value)
        .take(MAX_FAULTS)
        .map(|error| {
            let mut message = ByteLimit(String::new());
            // A message quotes the value, which may be huge: writing stops at the cap, and that is no failure.
            let _ = fmt::write(&mut message, format_args!("{error}"));
            SchemaFault { path: error.instance_path().to_string(), message: message.0 }
        })
        .collect()
}

/// Takes so many bytes and refuses the rest.
struct ByteLimit(String);

impl fmt::Write for ByteLimit {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_MESSAGE_BYTES.saturating_sub(self.0.len());
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        self.0.push_str(&text[..text.floor_char_boundary(room)]);
        self.0.push('…');
        Err(fmt::Error)
    }
}

/// The insides of fenced blocks, in order. An opening fence ends at the next line that starts with a fence.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let open = fence(rest)?;
        let inside = &rest[open..];
        let inside = &inside[inside.find('\n')? + 1..];
        let close = fence(inside).unwrap_or(inside.len());
        let block = &inside[..close];
        rest = inside[close..].split_once('\n').map_or("", |(_, after)| after);
        Some(block)
    })
}

/// Where the next line that starts with a fence begins.
fn fence(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start_matches([' ', '\t']).starts_with("```") {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Whether an answer probably was cut by its output limit: it used at least 95 % of it.
pub fn likely_truncated(usage: &Usage, max_output_tokens: u64) -> bool {
    max_output_tokens > 0 && u128::from(usage.output) * 100 >= u128::from(max_output_tokens) * 95
}
