//! One answer out of the answers for its parts.

use serde_json::{Value, json};

/// Answers `{ synthesis, citations, gaps, out_of_scope, confidence }` for the parts of one text, in their order, as one: the
/// texts below one another, the lists together, and the least confidence.
pub fn join_parts(parts: &[Value]) -> Value {
    if let [only] = parts {
        return only.clone();
    }
    let texts = parts.iter().filter_map(|part| part.get("synthesis")?.as_str()).map(str::trim);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let list = |name: &str| -> Vec<Value> {
        let lists = parts.iter().filter_map(|part| part.get(name)?.as_array());
        let mut all: Vec<Value> = Vec::new();
        for entry in lists.flatten().filter(|entry| !entry.is_null()) {
            if !all.contains(entry) {
                all.push(entry.clone());
            }
        }
        all
    };
    let confidence = parts.iter().filter_map(|part| part.get("confidence")?.as_f64()).reduce(f64::min);
    json!({
        "synthesis": texts.join("\n\n"),
        "citations": list("citations"),
        "gaps": list("gaps"),
        "out_of_scope": list("out_of_scope"),
        "confidence": confidence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_below_one_another_and_the_least_sure_one_counts() {
        let parts = [
            json!({ "synthesis": "## In short\n\nIt binds [@1.1].\n", "gaps": ["term"], "confidence": 0.9 }),
            json!({ "synthesis": " ", "confidence": 0.8 }),
            json!({ "synthesis": "## Risk\n\nIt ends [@2.1].", "gaps": ["term", "notice"], "confidence": 0.7,
                "citations": [{ "source_ref": "a", "quote": "b" }] }),
        ];
        let expected = json!({
            "synthesis": "## In short\n\nIt binds [@1.1].\n\n## Risk\n\nIt ends [@2.1].",
            "citations": [{ "source_ref": "a", "quote": "b" }],
            "gaps": ["term", "notice"], "out_of_scope": [], "confidence": 0.7,
        });
        assert_eq!(join_parts(&parts), expected);
    }

    #[test]
    fn a_single_answer_stays_as_it_is() {
        let only = json!({ "synthesis": " as it is ", "other": 1 });
        assert_eq!(join_parts(std::slice::from_ref(&only)), only);
    }
}
