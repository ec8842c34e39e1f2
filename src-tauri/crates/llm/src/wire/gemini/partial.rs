//! Arguments of a call that arrive value by value, each with its path.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

/// How deep arguments go.
const MAX_DEPTH: usize = 64;

/// One value, or a piece of a text.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Piece {
    json_path: Option<String>,
    string_value: Option<String>,
    number_value: Option<Number>,
    bool_value: Option<bool>,
    // Null is written as a word or as itself, so that only its presence says something.
    #[serde(default, deserialize_with = "present")]
    null_value: bool,
    will_continue: Option<bool>,
}

fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(from).map(|_| true)
}

/// The arguments so far.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    value: Map<String, Value>,
    /// The path of a text that goes on.
    open: Option<String>,
}

/// A value stands where none can.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MisplacedValue;

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Name(String),
    At(usize),
}

impl Arguments {
    /// Takes a piece.
    pub(super) fn add(&mut self, piece: Piece) -> Result<(), MisplacedValue> {
        let path = piece.json_path.ok_or(MisplacedValue)?;
        let goes_on = self.open.take().is_some_and(|open| open == path);
        if piece.will_continue == Some(true) {
            self.open = Some(path.clone());
        }
        let value = match (piece.string_value, piece.number_value, piece.bool_value) {
            (Some(text), ..) => Value::String(text),
            (None, Some(number), _) => Value::Number(number),
            (None, None, Some(flag)) => Value::Bool(flag),
            (None, None, None) if piece.null_value => Value::Null,
            // It only says that the text has ended.
            (None, None, None) if goes_on => return Ok(()),
            (None, None, None) => return Err(MisplacedValue),
        };
        let place = self.place(&steps(&path).ok_or(MisplacedValue)?)?;
        match (place, value) {
            (Value::String(there), Value::String(more)) if goes_on => there.push_str(&more),
            (place, value) => *place = value,
        }
        Ok(())
    }

    /// Whether a text is still going on.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The arguments.
    pub(super) fn into_value(self) -> Value {
        Value::Object(self.value)
    }

    /// The value at a path, made where it is not there yet. Lists grow by one at their end.
    fn place(&mut self, steps: &[Step]) -> Result<&mut Value, MisplacedValue> {
        let Some((Step::Name(first), rest)) = steps.split_first() else {
            return Err(MisplacedValue);
        };
        let mut place = self.value.entry(first.clone()).or_insert(Value::Null);
        for step in rest {
            place = match step {
                Step::Name(name) => {
                    if place.is_null() {
                        *place = Value::Object(Map::new());
                    }
                    place.as_object_mut().ok_or(MisplacedValue)?.entry(name.clone()).or_insert(Value::Null)
                }
                Step::At(at) => {
                    if place.is_null() {
                        *place = Value::Array(Vec::new());
                    }
                    let list = place.as_array_mut().ok_or(MisplacedValue)?;
                    if *at == list.len() {
                        list.push(Value::Null);
                    }
                    list.get_mut(*at).ok_or(MisplacedValue)?
                }
            };
        }
        Ok(place)
    }
}

/// The steps of a path (RFC 9535, names and indices only): `$.a.b[0]`, `$['odd name']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_DEPTH {
            return None;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() || name == "*" {
                return None;
            }
            steps.push(Step::Name(name.to_owned()));
            rest = after;
            continue;
        }
        let inside = rest.strip_prefix('[')?;
        if let Some(quote) = inside.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            let (name, after) = quoted(&inside[1..], quote)?;
            steps.push(Step::Name(name));
            rest = after.strip_prefix(']')?;
        } else {
            let (digits, after) = inside.split_once(']')?;
            steps.push(Step::At(digits.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

/// A name up to its closing quote, and what follows.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => name.push(letters.next()?.1),
            _ if letter == quote => return Some((name, &text[at + letter.len_utf8()..])),
            _ => name.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn read(pieces: Value) -> Result<Value, MisplacedValue> {
        let mut arguments = Arguments::default();
        for piece in serde_json::from_value::<Vec<Piece>>(pieces).unwrap() {
            arguments.add(piece)?;
        }
        Ok(arguments.into_value())
    }

    #[test]
    fn values_stand_where_their_paths_say() {
        let pieces = json!([
            { "jsonPath": "$.dish", "stringValue": "Las", "willContinue": true },
            { "jsonPath": "$.dish", "stringValue": "agna", "willContinue": true },
            { "jsonPath": "$.dish", "stringValue": "" },
            { "jsonPath": "$.steps[0].minutes", "numberValue": 25 },
            { "jsonPath": "$.steps[0].share", "numberValue": 0.5 },
            { "jsonPath": "$.steps[1].done", "boolValue": false },
            { "jsonPath": "$['odd. \"name\\'']", "nullValue": "NULL_VALUE" },
            { "jsonPath": "$.nothing", "nullValue": null },
            { "jsonPath": "$.grid[0][0]", "stringValue": "é" },
            { "jsonPath": "$.grid[0][1]", "stringValue": "" }
        ]);
        assert_eq!(
            read(pieces).unwrap(),
            json!({
                "dish": "Lasagna",
                "steps": [{ "minutes": 25, "share": 0.5 }, { "done": false }],
                "odd. \"name'": null, "nothing": null, "grid": [["é", ""]]
            })
        );
    }

    #[test]
    fn a_text_that_ended_begins_anew() {
        let pieces = json!([
            { "jsonPath": "$.a", "stringValue": "one" },
            { "jsonPath": "$.a", "stringValue": "two" },
        ]);
        assert_eq!(read(pieces).unwrap(), json!({ "a": "two" }));
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        let deep = format!("${}", ".a".repeat(MAX_DEPTH + 1));
        for path in [
            "",
            "$",
            "a",
            "$.",
            "$..a",
            "$.a[1]",
            "$.a[4000000000]",
            "$.a[-1]",
            "$.a[",
            "$['a",
            "$[0]",
            "$.*",
            &deep,
        ] {
            let pieces = json!([{ "jsonPath": path, "stringValue": "x" }]);
            assert_eq!(read(pieces), Err(MisplacedValue), "{path}");
        }
        let clash = json!([
            { "jsonPath": "$.a", "stringValue": "x" },
            { "jsonPath": "$.a.b", "stringValue": "y" },
        ]);
        assert_eq!(read(clash), Err(MisplacedValue));
        assert_eq!(read(json!([{ "stringValue": "x" }])), Err(MisplacedValue));
        assert_eq!(read(json!([{ "jsonPath": "$.a" }])), Err(MisplacedValue));
    }
}
