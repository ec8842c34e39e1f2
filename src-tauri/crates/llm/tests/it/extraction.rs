use std::time::Instant;

use llm::{ExtractError, JsonOrigin, extract, likely_truncated};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(
        &json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}),
    )
    .unwrap()
}

fn found(text: &str) -> (Value, JsonOrigin) {
    let found = extract(text, Some(&validator())).unwrap();
    (found.value, found.how)
}

#[test]
fn json_is_found_wherever_models_put_it() {
    for (text, how) in [
        ("{\"a\": 1}", JsonOrigin::Whole),
        ("\u{feff}  {\"a\": 1}\n", JsonOrigin::Whole),
        ("Here it is:\n```json\n{\"a\": 1}\n```\nDone.", JsonOrigin::Fenced),
        ("```\nnot json\n```\n```json\n{\"a\": 1}\n```", JsonOrigin::Fenced),
        ("Sure! {\"a\": 1} as asked, with [1] note.", JsonOrigin::Balanced),
        ("The set {x} and [W1], \"quoted { text\": {\"a\": 1}", JsonOrigin::Balanced),
        ("{\"b\": 2} then {\"a\": 1}", JsonOrigin::Balanced),
        ("{ he said \"hi {\"a\": 1}", JsonOrigin::Balanced),
    ] {
        assert_eq!(found(text), (json!({"a": 1}), how), "{text}");
    }
}

#[test]
fn brackets_and_quotes_inside_strings_do_not_confuse() {
    let value = json!({"a": 1, "b": "}] \" \\ ```\n{"});
    assert_eq!(found(&format!("x {value} y")), (value, JsonOrigin::Balanced));
}

#[test]
fn lone_surrogates_and_bare_line_breaks_are_mended() {
    let got =
        extract("{\"a\": 1, \"b\": \"x\\ud83d y\\ud83d\\ude00 line\nbreak\"}", Some(&validator())).unwrap();
    assert_eq!(got.value["b"], "x\u{fffd} y😀 line\nbreak");
    assert!(got.repaired);
}

#[test]
fn failures_say_what_was_expected_and_where() {
    assert_eq!(extract("  ", None), Err(ExtractError::Empty));
    assert!(matches!(extract("no json here", None), Err(ExtractError::NoJson { .. })));
    assert!(matches!(extract("{\"a\": 1, \"b\": [1, 2", None), Err(ExtractError::NoJson { .. })));
    let Err(ExtractError::Invalid { faults, value }) = extract("{\"a\": \"x\"}", Some(&validator())) else {
        panic!()
    };
    assert_eq!(*value, json!({"a": "x"}));
    assert_eq!(faults[0].path, "/a");
    assert!(faults[0].message.contains("integer"), "{faults:?}");
    let many: Value = (0..100)
        .map(|index| (format!("k{index}"), json!("x".repeat(10_000))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let strict = jsonschema::validator_for(&json!({"additionalProperties": {"type": "integer"}})).unwrap();
    let Err(ExtractError::Invalid { faults, .. }) = extract(&many.to_string(), Some(&strict)) else {
        panic!()
    };
    assert_eq!(faults.len(), 20);
    assert!(faults.iter().all(|fault| fault.message.len() < 400));
}

#[test]
fn ten_megabytes_of_adversarial_text_are_read_in_linear_time() {
    let fill = |unit: &str| unit.repeat(10_000_000 / unit.len());
    let texts = [
        fill("{"),
        fill("["),
        fill("{\""),
        fill("[\""),
        fill("{\"a\":"),
        fill("[1,"),
        fill("```\n"),
        fill("```json\n{\n"),
        fill("{} "),
        fill("[1] "),
        fill("\\u"),
        fill("\"\\ud800"),
        format!("{{\"a\": \"{}", fill("x")),
        format!("{}{}", fill("[1,[1,"), "{\"a\""),
        fill("[[\"a\",[\"b\","),
        fill("{\"a\":{\"b\":[1,{\"c\":\"} "),
    ];
    let validator = validator();
    for text in &texts {
        let start = Instant::now();
        let _ = extract(text, Some(&validator));
        let took = start.elapsed();
        println!("{:>6} ms  {}", took.as_millis(), &text[..12]);
        // One second is the goal of an optimised build; this bound only catches what isn't linear.
        assert!(took.as_secs() < 20, "{:?} for {}", took, &text[..12]);
    }
}

#[test]
fn truncation_is_suspected_from_ninety_five_percent_on() {
    let usage = |output| domain::Usage { output, ..domain::Usage::default() };
    assert!(likely_truncated(&usage(950), 1000));
    assert!(!likely_truncated(&usage(949), 1000));
    assert!(!likely_truncated(&usage(949), 0));
    assert!(likely_truncated(&usage(u64::MAX), u64::MAX));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_object_is_found_in_prose_without_brackets(value in prop::collection::btree_map(".*", value(), 0..4), before in "[a-z \\n\"']{0,30}", after in "[a-z \\n\"'`]{0,30}") {
        let value = Value::Object(value.into_iter().collect());
        let text = format!("{before}{value}{after}");
        prop_assert_eq!(extract(&text, None).unwrap().value, value);
    }

    #[test]
    fn any_text_is_survived(text in "[\\[\\]{}\":,\\\\`\\n a1u]{0,200}") {
        let _ = extract(&text, Some(&validator()));
    }
}
