//! JSON inside of text that should have been JSON.

use serde_json::Value;

use crate::prior::step_fence;

/// The longest text that is searched, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// The JSON object in a text: the whole text, else a fenced block, else the first balanced object. Linear in the text.
pub fn recover_json(text: &str) -> Option<Value> {
    if text.len() > MAX_TEXT_BYTES {
        return None;
    }
    whole(text).or_else(|| fenced(text)).or_else(|| balanced(text))
}

fn whole(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object)
}

fn fenced(text: &str) -> Option<Value> {
    let mut open = None;
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines() {
        let before = open;
        open = step_fence(open, line);
        match (before, open) {
            (None, Some(_)) => block.clear(),
            (Some(_), Some(_)) => block.push(line),
            (Some(_), None) => {
                if let Some(found) = whole(&block.join("\n")) {
                    return Some(found);
                }
            }
            (None, None) => {}
        }
    }
    None
}

/// Follows strings and braces once; a brace that opens nothing readable is passed over with all it holds.
fn balanced(text: &str) -> Option<Value> {
    let (mut depth, mut start, mut in_string, mut escaped) = (0_u32, 0, false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' if depth > 0 => in_string = true,
            '{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0
                    && let Some(found) = whole(&text[start..=at])
                {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn an_object_is_found_whole_fenced_or_in_prose() {
        let found = Some(json!({ "a": "}{" }));
        assert_eq!(recover_json(" {\"a\":\"}{\"} "), found);
        assert_eq!(recover_json("Here:\n```json\n{\"a\":\"}{\"}\n```\nDone."), found);
        assert_eq!(recover_json("I think {so} that {\"a\":\"}{\"} fits"), found);
        assert_eq!(recover_json("{\"a\": [1, 2"), None);
        assert_eq!(recover_json("[1]"), None);
    }
}
