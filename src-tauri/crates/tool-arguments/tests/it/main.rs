//! Arguments as models write them, and what is read of each.

// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tool_arguments::{Naming, argument_fault, read};

/// Of every kind that tools here and at sources have.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "content": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1},
            "ratio": {"type": "number"},
            "hidden": {"type": "boolean"},
            "glob": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "numbers": {"type": "array", "items": {"type": "integer"}},
            "edits": {"type": "array", "items": {"$ref": "#/$defs/edit"}},
            "options": {
                "type": "object",
                "properties": {"depth": {"type": "integer"}, "dry_run": {"type": "boolean"}},
                "additionalProperties": false,
            },
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "mode": {"type": "string", "enum": ["read-only", "all"]},
            "level": {"enum": [1, 2, 3]},
            "until": {"type": ["integer", "null"]},
            "either": {"oneOf": [{"type": "integer"}, {"type": "boolean"}]},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "data": {"description": "Anything."},
            "user_id": {"type": "string"},
            "when": {"allOf": [{"type": "integer"}]},
        },
        "required": ["path"],
        "additionalProperties": false,
        "$defs": {
            "edit": {
                "type": "object",
                "properties": {"old": {"type": "string"}, "new": {"type": "string"}, "all": {"type": "boolean"}},
                "required": ["old", "new"],
                "additionalProperties": false,
            },
        },
    })
}

fn of(given: Value) -> (Value, usize) {
    let done = read(&schema(), Naming::Ours, given);
    let again = read(&schema(), Naming::Ours, done.value.clone());
    assert_eq!(again.value, done.value, "read twice it is the same");
    assert!(again.notes.is_empty(), "{:?}", again.notes);
    (done.value, done.notes.len())
}

fn fault(arguments: &Value) -> Option<String> {
    argument_fault(&jsonschema::validator_for(&schema()).unwrap(), &schema(), arguments)
}

/// With a path, which is required.
fn with_path(mut fields: Value) -> Value {
    fields["path"] = json!("a");
    fields
}

#[test]
fn what_is_plain_is_read_as_it_is_meant() {
    let table = [
        // Nothing for an optional argument.
        (json!({"limit": null, "glob": null, "edits": null, "hidden": null}), json!({})),
        (json!({"limit": "", "hidden": "null", "tags": "None"}), json!({})),
        (json!({"mode": null, "options": {"depth": null}}), json!({"options": {}})),
        (json!({"mode": ""}), json!({})),
        (
            json!({"until": null, "maybe": null, "data": null}),
            json!({"until": null, "maybe": null, "data": null}),
        ),
        (json!({"until": "null"}), json!({"until": null})),
        // Numbers and truth values as text, and the other way round.
        (json!({"limit": "2"}), json!({"limit": 2})),
        (json!({"limit": " 2 "}), json!({"limit": 2})),
        (json!({"limit": "2.0"}), json!({"limit": 2})),
        (json!({"limit": 2.0}), json!({"limit": 2})),
        (json!({"limit": 1e3}), json!({"limit": 1000})),
        (json!({"limit": ["2"]}), json!({"limit": 2})),
        (json!({"ratio": "0.5"}), json!({"ratio": 0.5})),
        (json!({"ratio": "3"}), json!({"ratio": 3})),
        (json!({"hidden": "true"}), json!({"hidden": true})),
        (json!({"hidden": "False"}), json!({"hidden": false})),
        (json!({"hidden": 1}), json!({"hidden": true})),
        (json!({"hidden": "no"}), json!({"hidden": false})),
        (json!({"user_id": 42}), json!({"user_id": "42"})),
        (json!({"content": true}), json!({"content": "true"})),
        (json!({"when": "7"}), json!({"when": 7})),
        (json!({"until": "7"}), json!({"until": 7})),
        (json!({"maybe": "7"}), json!({"maybe": 7})),
        (json!({"level": "2"}), json!({"level": 2})),
        // JSON within a text, also fenced and written twice; values alone where a list is wanted.
        (
            json!({"edits": "[{\"old\": \"x\", \"new\": \"y\"}]"}),
            json!({"edits": [{"old": "x", "new": "y"}]}),
        ),
        (json!({"edits": "{\"old\": \"x\", \"new\": \"y\"}"}), json!({"edits": [{"old": "x", "new": "y"}]})),
        (json!({"edits": {"old": "x", "new": "y"}}), json!({"edits": [{"old": "x", "new": "y"}]})),
        (
            json!({"edits": ["{\"old\": \"x\", \"new\": \"y\"}"]}),
            json!({"edits": [{"old": "x", "new": "y"}]}),
        ),
        (
            json!({"edits": "```json\n[{\"old\": \"x\", \"new\": \"y\"}]\n```"}),
            json!({"edits": [{"old": "x", "new": "y"}]}),
        ),
        (json!({"tags": "a"}), json!({"tags": ["a"]})),
        (json!({"tags": "[\"a\", \"b\"]"}), json!({"tags": ["a", "b"]})),
        (json!({"tags": "\"[\\\"a\\\"]\""}), json!({"tags": ["a"]})),
        (json!({"tags": "[id]"}), json!({"tags": ["[id]"]})),
        (json!({"tags": [1, 2]}), json!({"tags": ["1", "2"]})),
        (json!({"numbers": "3"}), json!({"numbers": [3]})),
        (json!({"numbers": ["3", 4.0]}), json!({"numbers": [3, 4]})),
        (json!({"options": "{\"depth\": \"3\"}"}), json!({"options": {"depth": 3}})),
        (json!({"headers": {"Retry-After": 5}}), json!({"headers": {"Retry-After": "5"}})),
        (json!({"glob": 5}), json!({"glob": "5"})),
        // Deeper inside, and names.
        (
            json!({"edits": [{"old_string": "x", "newString": "y", "replace_all": "false"}]}),
            json!({"edits": [{"old": "x", "new": "y", "all": false}]}),
        ),
        (
            json!({"Limit": 2, "userId": "u", "user-id": null}),
            json!({"limit": 2, "userId": "u", "user-id": null}),
        ),
        (json!({"userId": "u"}), json!({"user_id": "u"})),
        (
            json!({"options": {"dryRun": "true", "Depth": 1}}),
            json!({"options": {"dry_run": true, "depth": 1}}),
        ),
        (json!({"mode": "ALL"}), json!({"mode": "all"})),
        (json!({"mode": "readOnly"}), json!({"mode": "read-only"})),
    ];
    for (given, expected) in table {
        assert_eq!(of(with_path(given.clone())).0, with_path(expected), "{given}");
    }
}

#[test]
fn all_arguments_may_stand_in_a_text_or_in_one_more_object() {
    for given in [
        json!("{\"file_path\": \"a\"}"),
        json!("\"{\\\"path\\\": \\\"a\\\"}\""),
        json!({"arguments": {"path": "a"}}),
        json!({"input": "{\"path\": \"a\"}"}),
        json!({"Path": "a"}),
        json!({"absolutePath": "a"}),
    ] {
        assert_eq!(of(given.clone()).0, json!({"path": "a"}), "{given}");
    }
    assert_eq!(of(Value::Null).0, json!({}));
}

#[test]
fn a_text_that_is_wanted_stays_the_text_that_it_is() {
    for text in ["2", "true", "null", "", "{\"a\": 1}", "[1]", " spaced ", "```json\n{}\n```", "None"] {
        let given = json!({"path": text, "content": text, "glob": text, "user_id": text});
        assert_eq!(of(given.clone()), (given, 0), "{text}");
    }
}

#[test]
fn what_satisfies_the_schema_is_not_touched() {
    let valid = [
        json!({"path": "a", "either": true, "data": {"limit": "2", "x": null}, "level": 1}),
        json!({"path": "a", "edits": [], "tags": ["1", "null"], "headers": {"X": "true", "x": "null"}}),
        json!({"path": "a", "until": null, "maybe": 3, "options": {}, "ratio": 2.5}),
    ];
    for given in valid {
        assert_eq!(fault(&given), None);
        assert_eq!(of(given.clone()), (given, 0));
    }
}

#[test]
fn what_is_ambiguous_is_left_and_told_with_what_there_is() {
    let table = [
        // A fraction may have been a version; an object has several texts; two values for one.
        (json!({"content": 1.1}), "1.1 is not of type"),
        (json!({"content": {"a": 1}}), "is not of type"),
        (json!({"content": ["a", "b"]}), "is not of type"),
        (json!({"limit": "2.5"}), "is not of type"),
        (json!({"limit": 2.5}), "is not of type"),
        (json!({"limit": "1,000"}), "is not of type"),
        (json!({"limit": [1, 2]}), "is not of type"),
        (json!({"hidden": "maybe"}), "is not of type"),
        (json!({"hidden": 2}), "is not of type"),
        // A truth value or a number: both would do.
        (json!({"either": "1"}), "not valid under"),
        (json!({"mode": "none of them"}), "is not one of"),
        (json!({"file_path": "b"}), "no argument `file_path`, but `path`"),
        (json!({"timeout": 5}), "there is no argument `timeout`"),
        (json!({"limits": 5}), "no argument `limits`, but `limit`"),
        (json!({"numbers": "three"}), "is not of type"),
    ];
    for (given, told) in table {
        let (value, _) = of(with_path(given.clone()));
        let fault = fault(&value).unwrap_or_else(|| panic!("{given} was read as {value}"));
        assert!(fault.contains(told), "{given}: {fault}");
    }
    assert!(fault(&of(json!({"path": null})).0).unwrap().contains("null is not of type"));
}

#[test]
fn a_source_is_read_by_its_schema_and_not_by_names_of_others() {
    let parameters = json!({
        "properties": {"path": {"type": "string"}, "per_page": {"type": "integer"}},
        "required": ["path"],
    });
    let read = |given| read(&parameters, Naming::Foreign, given).value;
    assert_eq!(read(json!({"path": "a", "perPage": "5"})), json!({"path": "a", "per_page": 5}));
    assert_eq!(read(json!({"file_path": "a"})), json!({"file_path": "a"}));
    // Where any name may be given, one that is alike is another.
    let open = json!({"properties": {"key": {"type": "string"}}, "additionalProperties": true});
    let given = json!({"Key": 1, "more": null});
    assert_eq!(tool_arguments::read(&open, Naming::Foreign, given.clone()).value, given);
}

#[test]
fn what_was_read_otherwise_is_counted_and_named() {
    let given = json!({"file_path": "a", "limit": "2", "hidden": null, "numbers": ["1"]});
    let notes = read(&schema(), Naming::Ours, given).notes;
    let expected = [
        "`file_path` read as `path`",
        "limit: \"2\" read as 2",
        "hidden: null read as not given",
        "numbers.0: \"1\" read as 1",
    ];
    assert_eq!(notes, expected);
    let many: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    let notes = read(&schema(), Naming::Ours, with_path(json!({"numbers": many}))).notes;
    assert_eq!((notes.len(), notes.last().unwrap().as_str()), (13, "38 more"));
}

/// What another program counts in another unit is told, not done.
#[test]
fn an_unknown_argument_is_told_with_those_that_there_are() {
    let shell = json!({
        "type": "object",
        "properties": {
            "background": {"type": "boolean"},
            "command": {"type": "string"},
            "timeout_seconds": {"type": "integer"},
        },
        "required": ["command"],
        "additionalProperties": false,
    });
    let fault = |given: Value| {
        argument_fault(
            &jsonschema::validator_for(&shell).unwrap(),
            &shell,
            &read(&shell, Naming::Ours, given).value,
        )
    };
    assert_eq!(
        fault(json!({"command": "x", "timeout": 5000})).unwrap(),
        "there is no argument `timeout`, but `timeout_seconds`. The arguments are: command (string, required), \
         background (boolean), timeout_seconds (integer)."
    );
    assert_eq!(
        fault(json!({})).unwrap(),
        "`command` is missing. The arguments are: command (string, required), background (boolean), \
         timeout_seconds (integer)."
    );
    let given = json!({"path": "a", "edits": [{"old": "x", "new": "y", "every": true}]});
    let words = crate::fault(&given).unwrap();
    assert!(words.starts_with("/edits/0: there is no argument `every`."), "{words}");
}

proptest::proptest! {
    /// Whatever is given, reading ends, and what fits stays.
    #[test]
    fn reading_never_breaks_what_fits(path: String, content: String, limit in 1_u32.., hidden: bool, tags: Vec<String>) {
        let given = json!({"path": path, "content": content, "limit": limit, "hidden": hidden, "tags": tags});
        proptest::prop_assert_eq!(read(&schema(), Naming::Ours, given.clone()).value, given);
    }

    #[test]
    fn any_text_for_any_argument_is_read_without_a_panic(text: String, name in "[a-z]{2,8}") {
        let fields = schema()["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        for field in fields.into_iter().chain([name]) {
            let mut given = json!({});
            given[field] = json!(text);
            let _ = read(&schema(), Naming::Ours, given);
        }
    }
}
