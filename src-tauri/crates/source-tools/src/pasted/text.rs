//! A configuration as data, in whichever notation it is written: JSON with or without comments, TOML or YAML.

use domain::{ErrorCode, Problem};
use serde_json::{Map, Value};

/// The most bytes of a text that is read.
const MAX_TEXT_BYTES: usize = 16 << 20;

fn wrong(what: String) -> Problem {
    Problem::new(ErrorCode::InvalidInput, what)
}

/// Reads a text as an object. A byte order mark, comments and commas before a closing bracket are passed over; members that
/// stand there without the braces around them are an object.
pub(super) fn parsed(text: &str) -> Result<Map<String, Value>, Problem> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(wrong(format!("the text has {} bytes; at most {MAX_TEXT_BYTES} are read", text.len()))
            .with_action("give the part with the servers alone"));
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    let strict = strict_json(text);
    let strict = strict.trim();
    if strict.starts_with('"') {
        // `"github": {…},` as it is copied out of the middle of a file.
        let members = strict.trim_end_matches([',', ' ', '\n', '\r', '\t']);
        return object(json(&format!("{{{members}}}"))?);
    }
    if strict.starts_with(['{', '[']) && !strict.starts_with("[mcp") && !is_table(text) {
        return object(json(strict)?);
    }
    if let Ok(table) = toml::from_str::<toml::Table>(text) {
        return object(serde_json::to_value(table).map_err(|error| wrong(error.to_string()))?);
    }
    match serde_yaml_ng::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => object(value),
        Ok(_) | Err(_) => {
            let why = toml::from_str::<toml::Table>(text).err();
            let why = why.map(|error| error.message().to_owned()).unwrap_or_default();
            Err(wrong(match is_table(text) {
                true => format!("the text is not valid TOML: {why}"),
                false => "the text is not JSON, TOML or YAML".to_owned(),
            }))
        }
    }
}

/// Whether a text begins like a table of TOML, `[name]` or `[[name]]`, and not like a list of JSON.
fn is_table(text: &str) -> bool {
    let begin = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    begin.is_some_and(|line| {
        let name = line.strip_prefix('[').map(|rest| rest.trim_start_matches('['));
        name.is_some_and(|name| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.contains(']')
        })
    })
}

fn json(text: &str) -> Result<Value, Problem> {
    serde_json::from_str(text).map_err(|error| wrong(format!("the text is not valid JSON: {error}")))
}

fn object(value: Value) -> Result<Map<String, Value>, Problem> {
    match value {
        Value::Object(object) => Ok(object),
        // A list of servers, each with its name.
        list @ Value::Array(_) => Ok(Map::from_iter([("mcpServers".to_owned(), list)])),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err(wrong("the text is not an object".to_owned()))
        }
    }
}

/// JSON without comments and without commas before a closing bracket. Lines stay where they are, so that an error names the
/// one that the person sees.
fn strict_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Where a comma stands that nothing has followed yet.
    let mut comma: Option<usize> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => {
                comma = None;
                out.push('"');
                while let Some(inside) = letters.next() {
                    out.push(inside);
                    match inside {
                        '\\' => out.extend(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '/' if letters.peek() == Some(&'/') => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                }
            }
            '/' if letters.peek() == Some(&'*') => {
                letters.next();
                let mut before = ' ';
                for inside in letters.by_ref() {
                    if inside == '\n' {
                        out.push('\n');
                    }
                    if before == '*' && inside == '/' {
                        break;
                    }
                    before = inside;
                }
            }
            ',' => {
                comma = Some(out.len());
                out.push(',');
            }
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    out.replace_range(at..=at, " ");
                }
                out.push(letter);
            }
            _ => {
                if !letter.is_whitespace() {
                    comma = None;
                }
                out.push(letter);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn comments_and_commas_of_editors_are_passed_over_and_texts_stay_whole() {
        let text = "\u{feff}// head\n{\n  /* a\n b */ \"a\": \"x // no, /* no */ \\\" ,}\", // tail\n  \"b\": [1, 2, /* last */ ],\n}\n// end";
        let read = parsed(text).unwrap();
        assert_eq!(Value::Object(read), json!({"a": "x // no, /* no */ \" ,}", "b": [1, 2]}));
    }

    #[test]
    fn an_error_names_the_line_that_the_person_sees() {
        let error = parsed("{\n// one\n/* two\n three */\n\"a\": nope\n}").unwrap_err();
        assert!(error.message.contains("line 5"), "{}", error.message);
    }

    #[test]
    fn other_notations_and_parts_of_a_file_are_read() {
        for (text, value) in [
            ("\"a\": {\"b\": 1},\n", json!({"a": {"b": 1}})),
            ("# c\n[a.b]\nc = [\"d\", 'e']\n", json!({"a": {"b": {"c": ["d", "e"]}}})),
            ("[[a]]\nb = 1\n", json!({"a": [{"b": 1}]})),
            ("a:\n  - b: \"c\"\n    d: [e]\n", json!({"a": [{"b": "c", "d": ["e"]}]})),
            ("[{\"name\": \"a\"}]", json!({"mcpServers": [{"name": "a"}]})),
        ] {
            assert_eq!(Value::Object(parsed(text).unwrap()), value, "{text}");
        }
        for text in ["x", "[a", "{", "{\"a\": }", "[a]\nb = \n", "- a\n- b", "\"a\": {"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hostile_texts_end_quickly() {
        let deep = "[".repeat(200_000);
        let many = format!("{{{}", "/*".repeat(200_000));
        let bomb =
            format!("a: &a [x]\n{}", (0..30).map(|n| format!("b{n}: &b{n} [*a, *a]\n")).collect::<String>());
        for text in [deep, many, " ".repeat((16 << 20) + 1)] {
            assert!(parsed(&text).is_err());
        }
        drop(parsed(&bomb));
    }
}
