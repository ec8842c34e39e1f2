//! OpenAI: schemas in strict mode, and answers back from it.

use llm::wire::openai::schema::{AdaptedSchema, adapt, parameters, undo_nulls, undo_nulls_in};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

fn strict(schema: Value) -> Value {
    match adapt(&schema, true) {
        AdaptedSchema::Strict(schema) => schema,
        other => panic!("{other:?}"),
    }
}

#[test]
fn optional_properties_become_or_null_and_every_object_is_closed() {
    let adapted = strict(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answer", "type": "object", "required": ["name"],
        "properties": {
            "name": { "type": "string", "minLength": 2, "pattern": "^[a-z]+$", "default": "x" },
            "limit": { "type": "integer", "minimum": 1, "description": "How many." },
            "kind": { "enum": ["a", "b"] },
            "fixed": { "const": 3 },
            "when": { "type": ["string", "null"], "format": "date" },
            "site": { "type": "string", "format": "uri" },
            "more": { "$ref": "#/$defs/more", "description": "beside a reference" },
            "either": { "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "number" }, "minItems": 1 }] },
        },
        "$defs": { "more": { "properties": { "deep": { "$ref": "#/$defs/more" } } } },
    }));
    assert_eq!(
        adapted,
        json!({
            "type": "object",
            "required": ["name", "limit", "kind", "fixed", "when", "site", "more", "either"],
            "properties": {
                "name": { "type": "string", "pattern": "^[a-z]+$" },
                "limit": { "description": "How many.", "type": ["integer", "null"], "minimum": 1 },
                "kind": { "type": ["string", "null"], "enum": ["a", "b", null] },
                "fixed": { "type": ["integer", "null"], "enum": [3, null] },
                "when": { "type": ["string", "null"], "format": "date" },
                "site": { "type": ["string", "null"] },
                "more": { "anyOf": [{ "$ref": "#/$defs/more" }, { "type": "null" }] },
                "either": { "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "number" }, "minItems": 1 },
                    { "type": "null" },
                ] },
            },
            "additionalProperties": false,
            "$defs": { "more": {
                "type": "object", "required": ["deep"],
                "properties": { "deep": { "anyOf": [{ "$ref": "#/$defs/more" }, { "type": "null" }] } },
                "additionalProperties": false,
            } },
        })
    );
    // What is adapted already stays as it is.
    assert_eq!(strict(adapted.clone()), adapted);
}

#[test]
fn older_definitions_and_single_allofs_are_understood() {
    let adapted = strict(json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "allOf": [{ "$ref": "#/definitions/a" }], "description": "words" } },
        "definitions": { "a": { "type": "boolean" } },
    }));
    assert_eq!(adapted["properties"]["a"], json!({ "$ref": "#/$defs/a" }));
    assert_eq!(adapted["$defs"], json!({ "a": { "type": "boolean" } }));
}

#[test]
fn bounds_are_left_out_where_the_host_refuses_them() {
    let schema = json!({ "type": "object", "required": ["a"], "properties": {
        "a": { "type": "array", "minItems": 1, "items": { "type": "string", "format": "date", "pattern": "x" } },
    } });
    let AdaptedSchema::Strict(lean) = adapt(&schema, false) else { panic!() };
    assert_eq!(lean["properties"]["a"], json!({ "type": "array", "items": { "type": "string" } }));
}

#[test]
fn what_strict_mode_can_not_say_is_sent_loosely_or_in_words() {
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    for loose in [
        object(json!({ "map": { "type": "object", "additionalProperties": { "type": "string" } } })),
        object(json!({ "free": { "type": "object" } })),
        object(json!({ "any": {} })),
        object(json!({ "list": { "type": "array" } })),
        object(json!({ "pair": { "type": "array", "prefixItems": [{ "type": "string" }], "items": false } })),
        object(json!({ "both": { "allOf": [{ "type": "string" }, { "type": "string" }] } })),
        json!({ "type": "object", "properties": {}, "additionalProperties": true }),
        json!({ "type": "object", "properties": { "a": true } }),
    ] {
        assert_eq!(adapt(&loose, true), AdaptedSchema::Loose(loose.clone()), "{loose}");
    }
    for words in [
        json!({ "type": "array", "items": { "type": "string" } }),
        json!({ "anyOf": [{ "type": "object", "properties": {} }] }),
        json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/s.json" } } }),
        json!(true),
        json!({}),
        json!("text"),
    ] {
        assert_eq!(adapt(&words, true), AdaptedSchema::Words, "{words}");
    }
}

#[test]
fn a_schema_that_is_too_deep_or_too_large_is_not_strict() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..11 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    assert!(matches!(adapt(&deep, true), AdaptedSchema::Loose(_)));
    for _ in 0..400 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    assert_eq!(adapt(&deep, true), AdaptedSchema::Words);
    let wide: serde_json::Map<String, Value> =
        (0..5_001).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
    assert!(matches!(adapt(&json!({ "type": "object", "properties": wide }), true), AdaptedSchema::Loose(_)));
    let values: Vec<u32> = (0..1_001).collect();
    assert!(matches!(
        adapt(&json!({ "type": "object", "properties": { "a": { "enum": values } } }), true),
        AdaptedSchema::Loose(_)
    ));
}

#[test]
fn a_tool_is_strict_only_where_nothing_of_its_own_changes() {
    let whole = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
    let (sent, strict) = parameters(&whole, true);
    assert!(strict);
    assert_eq!(sent["additionalProperties"], false);
    let optional = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    assert_eq!(parameters(&optional, true), (optional.clone(), false));
    assert_eq!(parameters(&json!({}), true), (json!({ "type": "object", "properties": {} }), false));
    assert_eq!(parameters(&json!(null), true), (json!({ "type": "object", "properties": {} }), false));
}

#[test]
fn nulls_that_the_schema_does_not_allow_are_taken_out_of_an_answer() {
    let schema = json!({
        "type": "object", "required": ["name", "kept"],
        "properties": {
            "name": { "type": "string" },
            "kept": { "type": "string" },
            "limit": { "type": "integer" },
            "free": { "type": ["string", "null"] },
            "list": { "type": "array", "items": { "$ref": "#/$defs/one" } },
            "either": { "anyOf": [
                { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "x": { "type": "string" } }, "additionalProperties": false },
                { "type": "object", "required": ["b"], "properties": { "b": { "type": "string" }, "x": { "type": ["string", "null"] } } },
            ] },
            "whole": { "allOf": [{ "properties": { "y": { "type": "string" } } }] },
        },
        "$defs": { "one": { "type": "object", "properties": { "note": { "type": "string" }, "next": { "$ref": "#/$defs/one" } } } },
    });
    let answer = json!({
        "name": "x", "kept": null, "limit": null, "free": null, "unknown": null,
        "list": [{ "note": null, "next": { "note": null, "next": null } }, { "note": "n", "next": null }],
        "either": { "b": "1", "x": null },
        "whole": { "y": null },
    });
    assert_eq!(
        undo_nulls(&schema, answer),
        json!({
            "name": "x", "kept": null, "free": null, "unknown": null,
            "list": [{ "next": {} }, { "note": "n" }],
            "either": { "b": "1", "x": null },
            "whole": {},
        })
    );
    assert_eq!(
        undo_nulls(&schema, json!({ "name": "x", "either": { "a": "1", "x": null } })),
        json!({ "name": "x", "either": { "a": "1" } })
    );
    assert_eq!(undo_nulls_in(&schema, r#"{"name": "x", "limit": null}"#).unwrap(), r#"{"name":"x"}"#);
    for same in [r#"{"name": "null"}"#, "null", "no json, null", r#"{"free":null}"#] {
        assert_eq!(undo_nulls_in(&schema, same), None, "{same}");
    }
}

#[test]
fn hostile_schemas_end_in_time() {
    let mut branches = json!({ "$ref": "#" });
    for _ in 0..6 {
        branches = json!({ "anyOf": [branches.clone(), branches.clone(), branches] });
    }
    let schema = json!({ "type": "object", "properties": { "a": branches.clone() }, "anyOf": [branches.clone(), branches] });
    let mut answer = json!({ "a": null });
    for _ in 0..80 {
        answer = json!({ "a": answer });
    }
    undo_nulls(&schema, answer);
    undo_nulls(&json!({ "$ref": "#" }), json!({ "a": null }));
    undo_nulls(&json!({ "$ref": "#/x", "x": { "$ref": "#/x" } }), json!([null]));
}

/// Schemas of objects as agents write them, with an answer that strict mode could give.
fn cases() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        Just((json!({ "type": "string" }), json!("text"))),
        Just((json!({ "type": "integer" }), json!(3))),
        Just((json!({ "type": ["string", "null"] }), json!(null))),
        Just((json!({ "enum": ["a", "b"] }), json!("b"))),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let field = (inner.clone(), any::<bool>(), any::<bool>());
        let object = prop::collection::vec(field, 0..4).prop_map(|fields| {
            let mut properties = serde_json::Map::new();
            let mut required = Vec::new();
            let mut answer = serde_json::Map::new();
            for (at, ((schema, value), optional, null)) in fields.into_iter().enumerate() {
                let name = format!("p{at}");
                if !optional {
                    required.push(name.clone());
                }
                answer.insert(name.clone(), if optional && null { Value::Null } else { value });
                properties.insert(name, schema);
            }
            (json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }), Value::Object(answer))
        });
        let list = inner.prop_map(|(schema, value)| (json!({ "type": "array", "items": schema }), json!([value])));
        prop_oneof![object, list]
    })
}

proptest! {
    #[test]
    fn an_answer_in_strict_mode_satisfies_the_agents_schema_after_all((inner, value) in cases()) {
        let schema = json!({ "type": "object", "properties": { "it": inner }, "required": ["it"], "additionalProperties": false });
        let answer = json!({ "it": value });
        let AdaptedSchema::Strict(adapted) = adapt(&schema, true) else { panic!("{schema}") };
        prop_assert!(jsonschema::is_valid(&adapted, &answer), "{adapted} {answer}");
        let undone = undo_nulls(&schema, answer);
        prop_assert!(jsonschema::is_valid(&schema, &undone), "{schema} {undone}");
        prop_assert_eq!(undo_nulls(&schema, undone.clone()), undone);
    }
}
