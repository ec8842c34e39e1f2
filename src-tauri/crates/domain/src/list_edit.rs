//! Edits of long lists: rows that stay as they are are told by their places and not sent again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ErrorCode, Problem};

/// The most rows of a list as edited.
const MAX_ROWS: usize = 100_000;

/// A piece of a list as edited; the list is its pieces in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "piece")]
pub enum ListPiece {
    /// Rows of the stage's output.
    Kept {
        /// The number of the first, from 0.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A row that was changed or added.
    Row {
        /// The row.
        row: Value,
    },
}

/// An output with its lists as edited, by their fields.
///
/// # Errors
/// `InvalidInput` for a list or rows that the output does not have, and for too many rows.
pub fn with_lists(output: &Value, lists: &BTreeMap<String, Vec<ListPiece>>) -> Result<Value, Problem> {
    let refused = |what: String| {
        Problem::new(ErrorCode::InvalidInput, what)
            .with_action("read the pause again and edit what it shows; it is still open")
    };
    let mut edited = output.clone();
    for (field, pieces) in lists {
        let Some(before) = output.get(field).and_then(Value::as_array) else {
            return Err(refused(format!("the output has no list {field:?} to edit")));
        };
        let mut rows: Vec<Value> = Vec::new();
        for piece in pieces {
            match piece {
                ListPiece::Kept { first, count } => {
                    let (first, count) = (*first as usize, *count as usize);
                    let Some(kept) = before.get(first..first.saturating_add(count)) else {
                        let what = format!(
                            "list {field:?} has {} rows, not the {count} from {first} on",
                            before.len()
                        );
                        return Err(refused(what));
                    };
                    if rows.len() + kept.len() > MAX_ROWS {
                        return Err(refused(format!("list {field:?} would have more than {MAX_ROWS} rows")));
                    }
                    rows.extend_from_slice(kept);
                }
                ListPiece::Row { row } => rows.push(row.clone()),
            }
        }
        if rows.len() > MAX_ROWS {
            return Err(refused(format!("list {field:?} would have more than {MAX_ROWS} rows")));
        }
        edited[field.as_str()] = Value::Array(rows);
    }
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_edited_by_its_places() {
        let output = json!({ "facts": ["a", "b", "c", "d"], "note": "n" });
        let lists = |pieces: Value| serde_json::from_value(json!({ "facts": pieces })).unwrap();
        let kept = |first: u32, count: u32| json!({ "piece": "kept", "first": first, "count": count });
        let pieces = json!([kept(3, 1), { "piece": "row", "row": "B" }, kept(0, 1)]);
        let edited = with_lists(&output, &lists(pieces)).unwrap();
        assert_eq!(edited, json!({ "facts": ["d", "B", "a"], "note": "n" }));
        for (pieces, why) in
            [(json!([kept(3, 2)]), "has 4 rows"), (json!(vec![kept(0, 4); 25_001]), "more than 100000 rows")]
        {
            let refused = with_lists(&output, &lists(pieces)).unwrap_err();
            assert!(refused.code == ErrorCode::InvalidInput && refused.message.contains(why), "{refused:?}");
        }
        let other = BTreeMap::from([("note".to_owned(), Vec::new())]);
        assert!(with_lists(&output, &other).unwrap_err().message.contains("no list"));
    }
}
