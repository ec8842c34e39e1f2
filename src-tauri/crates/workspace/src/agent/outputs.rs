//! What is known about a stage's output before it runs: enough to tell a misspelt path from a good one.

use std::collections::BTreeSet;

use domain::agent::{Stage, StageKind};
use serde_json::{Map, Value};

/// How many references of a schema are followed.
const MAX_REFERENCES: u32 = 32;

/// The form of a stage's output.
#[derive(Debug, Clone)]
pub(super) enum Form<'a> {
    /// Nothing is known.
    Open,
    /// A list, one item for each instance.
    List,
    /// An object with these fields.
    Fields(BTreeSet<&'a str>),
    /// What its JSON Schema says; beside it, the fields of the output when the stage is skipped.
    Schema(&'a Value, BTreeSet<&'a str>),
}

/// Why a path can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Miss {
    /// How many names of the path exist.
    pub depth: usize,
    /// The names there are at that place; none for a list.
    pub known: Vec<String>,
    /// Whether that place is a list.
    pub list: bool,
}

/// What a stage puts out.
pub(super) fn form<'a>(stage: &'a Stage, schema: Option<&'a Value>) -> Form<'a> {
    let skipped = keys(stage.skipped_output.as_ref());
    if let Some(output) = &stage.output {
        let mut fields: BTreeSet<&str> = output.keys().map(String::as_str).collect();
        fields.extend(skipped);
        verified(stage, &mut fields);
        return Form::Fields(fields);
    }
    match stage.kind {
        // The answers for the parts of one text are one answer.
        StageKind::Model if stage.for_each.is_some() && stage.cites.is_none() => Form::List,
        StageKind::Model | StageKind::Dialogue => match schema {
            Some(schema) => Form::Schema(schema, skipped),
            None => Form::Open,
        },
        StageKind::Tools | StageKind::Verify => {
            let mut fields: BTreeSet<&str> =
                stage.steps.iter().filter_map(|step| step.collect.as_deref()).collect();
            fields.extend(skipped);
            verified(stage, &mut fields);
            Form::Fields(fields)
        }
        // What runs of other agents put out.
        StageKind::Agent if stage.for_each.is_some() && stage.item_key.is_none() => Form::List,
        StageKind::Agent | StageKind::Render => Form::Open,
    }
}

fn keys(map: Option<&Map<String, Value>>) -> BTreeSet<&str> {
    map.into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

/// What a verify stage's rule adds.
fn verified(stage: &Stage, fields: &mut BTreeSet<&str>) {
    if stage.kind == StageKind::Verify {
        fields.extend([
            "scores",
            "unsupported",
            "passed",
            "needs_repair",
            "needsRepair",
            "feedback",
            "rewrite",
        ]);
    }
}

/// Why the rest of a path can't be read from an output, if it can't.
pub(super) fn miss(form: &Form<'_>, rest: &[String]) -> Option<Miss> {
    let first = rest.first()?;
    match form {
        Form::Open => None,
        Form::List => Some(Miss { depth: 0, known: Vec::new(), list: true }),
        Form::Fields(fields) => (!fields.contains(first.as_str())).then(|| Miss {
            depth: 0,
            known: fields.iter().map(|field| (*field).to_owned()).collect(),
            list: false,
        }),
        Form::Schema(_, skipped) if skipped.contains(first.as_str()) => None,
        Form::Schema(schema, _) => in_schema(schema, schema, rest, 0),
    }
}

fn in_schema(root: &Value, node: &Value, rest: &[String], depth: usize) -> Option<Miss> {
    let name = rest.get(depth)?;
    let node = follow(root, node)?;
    let fields = node.as_object()?;
    let combined = [
        "anyOf",
        "oneOf",
        "allOf",
        "if",
        "patternProperties",
        "$ref",
        "$dynamicRef",
        "not",
        "dependentSchemas",
    ];
    if combined.iter().any(|keyword| fields.contains_key(*keyword)) {
        return None;
    }
    if fields.get("type").and_then(Value::as_str) == Some("array") {
        return Some(Miss { depth, known: Vec::new(), list: true });
    }
    let properties = fields.get("properties")?.as_object()?;
    if let Some(next) = properties.get(name) {
        return in_schema(root, next, rest, depth + 1);
    }
    // A schema that lists properties and does not speak of others is taken at its word.
    let closed = matches!(fields.get("additionalProperties"), None | Some(Value::Bool(false)));
    closed.then(|| Miss { depth, known: properties.keys().cloned().collect(), list: false })
}

/// The schema behind references within the document; nothing when they lead nowhere or in a circle.
fn follow<'a>(root: &'a Value, mut node: &'a Value) -> Option<&'a Value> {
    for _ in 0..MAX_REFERENCES {
        match node.get("$ref").and_then(Value::as_str) {
            None => return Some(node),
            Some(target) => node = root.pointer(target.strip_prefix('#')?)?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn path(text: &str) -> Vec<String> {
        text.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn a_schema_tells_which_paths_exist() {
        let schema = json!({"type": "object", "properties": {
            "plan": {"$ref": "#/$defs/plan"}, "free": {"type": "object"},
            "open": {"type": "object", "properties": {"a": {}}, "additionalProperties": true},
            "list": {"type": "array"}, "loop": {"$ref": "#/properties/loop"}
        }, "$defs": {"plan": {"properties": {"query": {"type": "string"}}}}});
        let form = Form::Schema(&schema, BTreeSet::from(["reason"]));
        for good in ["plan.query", "free.x.y", "open.b", "list", "loop.x", "reason", "plan"] {
            assert_eq!(miss(&form, &path(good)), None, "{good}");
        }
        let found = |text: &str| miss(&form, &path(text)).map(|miss| (miss.depth, miss.list));
        assert_eq!(found("plans"), Some((0, false)));
        assert_eq!(found("plan.queries"), Some((1, false)));
        assert_eq!(found("list.first"), Some((1, true)));
    }
}
