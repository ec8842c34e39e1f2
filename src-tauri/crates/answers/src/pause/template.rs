//! Titles and items with `{path list}` in them.

use serde_json::{Value, json};

use crate::json::{is_empty, lookup, plain};

/// Fills a template; `{count}` is the number of items. A field without a value takes the text before it along, and the
/// bracket which that text opened; what leads from such a field to the first one with a value is left out too.
pub(super) fn fill(template: &str, at: &Value, root: &Value, count: Option<usize>) -> String {
    let mut out = String::new();
    let mut rest = template;
    let (mut fields, mut shown) = (0, 0);
    // The bracket that a field without a value left open.
    let mut dangling: Option<char> = None;
    while let Some((literal, field, tail)) = next_field(rest) {
        let literal = dangling.take().and_then(|close| literal.strip_prefix(close)).unwrap_or(literal);
        let value = match (field, count) {
            ("count", Some(count)) => Some(json!(count)),
            _ => lookup(at, root, field),
        };
        match value.filter(|value| !is_empty(value)) {
            Some(value) => {
                let skips = fields > 0 && shown == 0;
                out.push_str(if skips {
                    &literal[literal.trim_end_matches(['(', '[']).len()..]
                } else {
                    literal
                });
                out.push_str(&plain(&value));
                shown += 1;
            }
            None => dangling = literal.chars().next_back().and_then(closing),
        }
        fields += 1;
        rest = tail;
    }
    let tail = dangling.and_then(|close| rest.strip_prefix(close)).unwrap_or(rest);
    if fields == 0 || shown > 0 {
        out.push_str(tail);
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn closing(open: char) -> Option<char> {
    match open {
        '[' => Some(']'),
        '(' => Some(')'),
        _ => None,
    }
}

/// The text before the next field, the field, and what follows.
fn next_field(template: &str) -> Option<(&str, &str, &str)> {
    let open = template.find('{')?;
    let close = open + template[open..].find('}')?;
    Some((&template[..open], template[open + 1..close].trim(), &template[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_missing_field_takes_the_text_before_it_along() {
        let template = "[{role}] {query|text} - {target_standards|isa_standards}";
        let fill = |item: Value| fill(template, &item, &Value::Null, None);
        assert_eq!(
            fill(json!({ "role": "core", "query": "q", "target_standards": ["A", "B"] })),
            "[core] q - A, B"
        );
        assert_eq!(fill(json!({ "text": "q", "isa_standards": ["A"] })), "q - A");
        assert_eq!(fill(json!({ "role": "core", "text": "q" })), "[core] q");
        assert_eq!(fill(json!({ "text": "q" })), "q");
        assert_eq!(fill(json!({})), "");
    }

    #[test]
    fn titles_count_and_name() {
        let template = "{count} queries planned ({depth_mode|depth} mode, {scope} scope)";
        let fill = |item: Value| fill(template, &item, &Value::Null, Some(5));
        assert_eq!(
            fill(json!({ "depth": "deep", "scope": "wide" })),
            "5 queries planned (deep mode, wide scope)"
        );
        assert_eq!(
            super::fill(
                "{original} -> {modified} ({reason})",
                &json!({ "modified": "m" }),
                &Value::Null,
                None
            ),
            "m"
        );
    }
}
