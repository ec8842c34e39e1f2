//! The file: what is read of it, what is said of broken entries, and what is kept.

use automation::{Action, Auth, AutomationFile, Event, FileError};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn file(value: Value) -> AutomationFile {
    AutomationFile::parse(&value.to_string(), "Europe/Budapest").unwrap()
}

fn file_of(event: &str, entries: Value) -> AutomationFile {
    file(json!({"version": 2, "automations": {event: entries}}))
}

fn faults(event: &str, entry: Value) -> Vec<String> {
    let file = file_of(event, json!([entry]));
    file.entries()[0].faults.iter().map(|fault| format!("{} {}", fault.place, fault.message)).collect()
}

fn prompt() -> Value {
    json!([{"type": "prompt", "prompt": "Look"}])
}

#[test]
fn a_file_of_craft_agent_is_read_whole() {
    let file = file(json!({"version": 2, "automations": {
        "SchedulerTick": [{"id": "a1", "name": "Standup", "cron": "0 9 * * 1-5", "timezone": "Europe/Budapest",
            "permissionMode": "safe", "labels": ["Scheduled"],
            "conditions": [{"condition": "time", "weekday": ["mon"], "after": "09:00", "before": "17:00"}],
            "actions": [{"type": "prompt", "prompt": "Check @github", "llmConnection": "x", "model": "y", "thinkingLevel": "low"}]}],
        "LabelAdd": [{"matcher": "^urgent$", "actions": [{"type": "webhook", "url": "${CRAFT_WH_SLACK_URL}", "method": "POST",
            "bodyFormat": "json", "body": {"text": "hello"}, "auth": {"type": "bearer", "token": "${CRAFT_WH_T}"}, "captureResponse": true}]}]}}));
    let faults: Vec<_> = file.entries().iter().flat_map(|entry| &entry.faults).collect();
    assert!(faults.is_empty(), "{faults:?}");
    let events: Vec<_> = file.entries().iter().map(|entry| entry.event).collect();
    assert_eq!(events, [Some(Event::Tick), Some(Event::LabelAdded)]);
    assert!(file.entries()[1].id.starts_with("auto-"));
    let Action::Webhook { auth, capture, .. } = &file.entries()[1].actions[0] else { panic!() };
    assert_eq!((auth, capture), (&Some(Auth::Bearer { token: "${CRAFT_WH_T}".to_owned() }), &true));
}

#[test]
fn a_broken_entry_is_an_entry_that_says_what_is_wrong() {
    for (event, entry, part) in [
        ("SubagentStop", json!({"actions": prompt()}), "no event \"SubagentStop\""),
        ("SchedulerTick", json!({"actions": prompt()}), "/cron a schedule needs"),
        ("SchedulerTick", json!({"cron": "61 * * * *", "actions": prompt()}), "/cron the minute"),
        (
            "SchedulerTick",
            json!({"cron": "* * * * *", "timezone": "Moon", "actions": prompt()}),
            "/timezone there is no time zone",
        ),
        ("LabelAdd", json!({"matcher": "(", "actions": prompt()}), "/matcher this is no pattern"),
        (
            "LabelAdd",
            json!({"matcher": "(a{1000}){1000}", "actions": prompt()}),
            "/matcher the pattern needs too much memory",
        ),
        ("LabelAdd", json!({"matcher": "a".repeat(2_000), "actions": prompt()}), "/matcher it is longer"),
        ("LabelAdd", json!({"cron": "* * * * *", "actions": prompt()}), "/cron only schedules"),
        ("LabelAdd", json!({"actions": []}), "/actions it does nothing"),
        ("LabelAdd", json!({}), "/actions a list of actions"),
        ("LabelAdd", json!("text"), " an object is expected"),
        ("LabelAdd", json!({"actions": [{"type": "shell"}]}), "/actions/0/type \"shell\" is none of"),
        ("LabelAdd", json!({"actions": [{"type": "prompt"}]}), "/actions/0/prompt it is missing"),
        (
            "LabelAdd",
            json!({"actions": [{"type": "veto", "reason": "no"}]}),
            "/actions/0/type LabelAdd has happened already",
        ),
        (
            "PreToolUse",
            json!({"actions": [{"type": "command", "command": "x", "timeoutSeconds": 600}]}),
            "from 1 to 60",
        ),
        (
            "LabelAdd",
            json!({"actions": [{"type": "webhook", "url": "https://example.org", "headers": {"a": "b\r\nc"}}]}),
            "/actions/0/headers",
        ),
        ("LabelAdd", json!({"permissionMode": "root", "actions": prompt()}), "/permissionMode safe, ask"),
        (
            "LabelAdd",
            json!({"conditions": [{"condition": "xor"}], "actions": prompt()}),
            "/conditions/0/condition time, state",
        ),
        (
            "LabelAdd",
            json!({"conditions": [{"condition": "time", "after": "25:00"}], "actions": prompt()}),
            "/conditions/0/after a time",
        ),
        ("LabelAdd", json!({"id": "../x", "actions": prompt()}), "/id letters"),
    ] {
        let said = faults(event, entry.clone());
        assert!(said.iter().any(|fault| fault.contains(part)), "{entry}: {said:?}");
    }
}

#[test]
fn conditions_are_bounded_in_depth_and_number() {
    let mut deep = json!({"condition": "state", "field": "x", "value": 1});
    for _ in 0..8 {
        deep = json!({"condition": "and", "conditions": [deep]});
    }
    assert!(
        faults("LabelAdd", json!({"conditions": [deep], "actions": prompt()}))[0].contains("at most 8 deep")
    );
    let many: Vec<Value> = vec![json!({"condition": "state", "field": "x", "value": 1}); 101];
    assert!(
        faults("LabelAdd", json!({"conditions": many, "actions": prompt()}))[0].contains("more than 100")
    );
}

#[test]
fn what_is_no_file_is_refused_and_says_why() {
    let parse = |text: &str| AutomationFile::parse(text, "UTC").unwrap_err();
    assert!(matches!(parse("{"), FileError::Json { line: 1, .. }));
    assert!(matches!(parse("{\n \"version\": 2,,\n}"), FileError::Json { line: 2, .. }));
    assert!(matches!(parse("[]"), FileError::Form(_)));
    assert!(matches!(parse(r#"{"automations": []}"#), FileError::Form(_)));
    assert!(matches!(parse(r#"{"automations": {"LabelAdd": {}}}"#), FileError::Form(_)));
    assert_eq!(parse(r#"{"version": 3}"#), FileError::Newer(3));
    assert_eq!(parse(&" ".repeat(3 << 20)), FileError::TooLong);
    assert_eq!(AutomationFile::parse("", "UTC").unwrap().entries().len(), 0);
}

#[test]
fn an_edit_keeps_what_this_program_does_not_know() {
    let file = file(json!({"version": 2, "$schema": "x", "automations": {
        "SubagentStop": [{"id": "other", "mystery": 1}],
        "LabelAdd": [{"id": "mine", "future": {"a": 1}, "actions": prompt()}]}}));
    let said = json!({"name": "Mine", "future": {"a": 1}, "actions": prompt()});
    let (file, id) = file.with(Some("mine"), Event::LabelAdded, &said).unwrap();
    assert_eq!(id, "mine");
    let written: Value = serde_json::from_str(&file.text()).unwrap();
    assert_eq!(written["$schema"], "x");
    assert_eq!(written["automations"]["SubagentStop"], json!([{"id": "other", "mystery": 1}]));
    assert_eq!(written["automations"]["LabelAdd"][0]["future"], json!({"a": 1}));
    let (file, _) = file.with(Some("mine"), Event::LabelRemoved, &said).unwrap();
    let written: Value = serde_json::from_str(&file.text()).unwrap();
    assert_eq!(written["automations"]["LabelAdd"], json!([]));
    assert_eq!(written["automations"]["LabelRemove"][0]["id"], "mine");
    let file = file.without("mine").unwrap();
    assert_eq!(file.without("mine").unwrap_err(), FileError::Unknown("mine".to_owned()));
}

#[test]
fn a_new_automation_gets_an_id_of_its_own() {
    let said = json!({"name": "Árvíz: Morning  check!", "cron": "0 9 * * *", "actions": prompt()});
    let (file, first) = AutomationFile::empty("UTC").with(None, Event::Tick, &said).unwrap();
    let (file, second) = file.with(None, Event::Tick, &said).unwrap();
    assert_eq!((first.as_str(), second.as_str()), ("rv-z-morning-check", "rv-z-morning-check-2"));
    assert!(file.entries().iter().all(|entry| entry.is_sound()));
}

#[test]
fn the_digest_changes_with_every_word_but_not_with_being_off() {
    let digest = |event: &str, entry: Value| file_of(event, json!([entry])).entries()[0].digest;
    let base = json!({"id": "a", "matcher": "x", "actions": prompt()});
    let off = json!({"actions": prompt(), "enabled": false, "matcher": "x", "id": "a"});
    assert_eq!(digest("LabelAdd", base.clone()), digest("LabelAdd", off));
    assert_eq!(digest("LabelAdd", base.clone()), digest("LabelAdded", base.clone()));
    assert_ne!(digest("LabelAdd", base.clone()), digest("LabelRemove", base.clone()));
    let mut unknown = base.clone();
    unknown["future"] = json!(1);
    assert_ne!(digest("LabelAdd", base), digest("LabelAdd", unknown));
}

#[test]
fn two_entries_with_one_id_are_both_there_and_the_second_is_broken() {
    let file =
        file_of("LabelAdd", json!([{"id": "a", "actions": prompt()}, {"id": "a", "actions": prompt()}]));
    let ids: Vec<_> = file.entries().iter().map(|entry| (entry.id.as_str(), entry.is_sound())).collect();
    assert_eq!(ids, [("a", true), ("a-2", false)]);
}
