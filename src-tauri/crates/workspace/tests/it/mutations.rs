use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{AGENT_MD, Home, PROMPT, answer_schema, config};

/// Every pointer of a value, in order.
fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                walk(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), out);
            }),
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, value)| walk(value, &format!("{at}/{index}"), out));
            }
            _ => {}
        }
    }
    let mut out = Vec::new();
    walk(value, "", &mut out);
    out
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!([])),
        Just(json!({})),
        Just(json!({"": {"": ""}})),
        Just(json!([[["{{"]]])),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-2.0f64..2.0).prop_map(Value::from),
        Just(json!(u64::MAX)),
        Just(json!(1e300)),
        ".{0,40}".prop_map(Value::from),
        "(\\{\\{|\\}\\}|\\{%|%\\}|outputs\\.|find|\\.|\\||\\(|\\[|'|\"| |é|item){0,12}".prop_map(Value::from),
        "(find|answer|check|write|verify|model|tools|\\.\\./|/|a|0){1,4}".prop_map(Value::from),
        Just(json!("(".repeat(5_000))),
        Just(json!("((a{1000}){1000}){1000}")),
    ]
}

#[derive(Debug, Clone)]
enum Change {
    Set(usize, Value),
    Remove(usize),
    Copy(usize, usize),
    Rename(usize, String),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (any::<usize>(), odd_value()).prop_map(|(at, value)| Change::Set(at, value)),
        2 => any::<usize>().prop_map(Change::Remove),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(from, to)| Change::Copy(from, to)),
        1 => (any::<usize>(), ".{0,12}").prop_map(|(at, name)| Change::Rename(at, name)),
    ]
}

fn apply(value: &mut Value, change: Change) {
    let pointers = pointers(value);
    let pick = |at: usize| pointers[at % pointers.len()].clone();
    match change {
        Change::Set(at, new) => *value.pointer_mut(&pick(at)).unwrap() = new,
        Change::Copy(from, to) => {
            let copied = value.pointer(&pick(from)).unwrap().clone();
            *value.pointer_mut(&pick(to)).unwrap() = copied;
        }
        Change::Remove(at) => {
            let _ = take(value, &pick(at));
        }
        Change::Rename(at, name) => {
            let pointer = pick(at);
            if let Some(taken) = take(value, &pointer)
                && let Some(Value::Object(parent)) =
                    pointer.rsplit_once('/').and_then(|(parent, _)| value.pointer_mut(parent))
            {
                parent.insert(name, taken);
            }
        }
    }
}

fn take(value: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, name) = pointer.rsplit_once('/')?;
    match value.pointer_mut(parent)? {
        Value::Object(fields) => fields.remove(&name.replace("~1", "/").replace("~0", "~")),
        Value::Array(items) => {
            name.parse().ok().filter(|at| *at < items.len()).map(|at: usize| items.remove(at))
        }
        _ => None,
    }
}

/// Every problem says something, and its pointer is one.
fn is_well_said(home: &Home) {
    for problem in home.problems() {
        assert!(!problem.expected.is_empty() && !problem.found.is_empty(), "{problem:?}");
        assert!(problem.pointer.is_empty() || problem.pointer.starts_with('/'), "{problem:?}");
        assert!(problem.to_string().len() < 8_000, "{problem:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_of_a_config_makes_loading_panic(changes in prop::collection::vec(change(), 1..5)) {
        let home = Home::new();
        let mut mutated = config();
        for change in changes {
            apply(&mut mutated, change);
        }
        home.config(&mutated);
        is_well_said(&home);
    }

    #[test]
    fn no_change_of_a_schema_makes_loading_panic(changes in prop::collection::vec(change(), 1..4)) {
        let home = Home::new();
        let mut mutated = answer_schema();
        for change in changes {
            apply(&mut mutated, change);
        }
        home.write("schemas/answer.json", mutated.to_string());
        is_well_said(&home);
    }

    #[test]
    fn no_change_of_bytes_makes_loading_panic(
        which in 0usize..4, at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..6), cut in 0usize..6,
    ) {
        let home = Home::new();
        let (name, text) = [
            ("AGENT.md", AGENT_MD.to_owned()),
            ("config.json", config().to_string()),
            ("prompts/answer.md", PROMPT.to_owned()),
            ("schemas/answer.json", answer_schema().to_string()),
        ][which].clone();
        let mut changed = text.into_bytes();
        let from = at.index(changed.len());
        let to = (from + cut).min(changed.len());
        changed.splice(from..to, bytes);
        home.write(name, changed);
        is_well_said(&home);
    }
}
