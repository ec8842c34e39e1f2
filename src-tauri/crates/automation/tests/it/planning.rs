//! Which automations fire.

use std::collections::BTreeMap;

use automation::{
    ActionPhase, AutomationFile, Event, Occurrence, Rate, SkipReason, State, Variables, Verdict, expand, plan,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// 2026-01-05T09:30:00Z, a Monday.
const MONDAY: i64 = 1_767_605_400_000;

fn file(event: &str, entry: Value) -> AutomationFile {
    let whole = json!({"version": 2, "automations": {event: [entry]}});
    AutomationFile::parse(&whole.to_string(), "UTC").unwrap()
}

fn enabled(file: &AutomationFile) -> BTreeMap<String, String> {
    file.entries().iter().map(|entry| (entry.id.clone(), entry.digest.to_string())).collect()
}

fn decided(event: &str, entry: Value, happened: &Occurrence) -> Verdict {
    let file = file(event, entry);
    let state = State { enabled: &enabled(&file), rate: &Rate::default() };
    plan(file.entries(), happened, state)[0].verdict
}

fn label(name: &str) -> Occurrence {
    Occurrence::new(Event::LabelAdded, MONDAY)
        .on(name)
        .with("label", name)
        .with("labels", json!([name, "bug"]))
}

fn acts() -> Value {
    json!([{"type": "prompt", "prompt": "Look"}])
}

#[test]
fn nothing_fires_that_the_person_has_not_enabled_as_it_stands() {
    let file = file("LabelAdd", json!({"id": "a", "actions": acts()}));
    let rate = Rate::default();
    let verdict = |enabled: &BTreeMap<String, String>| {
        plan(file.entries(), &label("x"), State { enabled, rate: &rate })[0].verdict
    };
    assert_eq!(verdict(&BTreeMap::new()), Verdict::Refused(SkipReason::NotEnabled));
    let other = BTreeMap::from([("a".to_owned(), "0".repeat(64))]);
    assert_eq!(verdict(&other), Verdict::Refused(SkipReason::Changed));
    assert_eq!(verdict(&enabled(&file)), Verdict::Fire);
}

#[test]
fn what_is_off_broken_or_not_matched_does_not_fire() {
    let cases = [
        (json!({"actions": acts(), "enabled": false}), Verdict::Refused(SkipReason::Off)),
        (json!({"actions": []}), Verdict::Refused(SkipReason::Broken)),
        (json!({"actions": acts(), "matcher": "^urgent$"}), Verdict::Refused(SkipReason::Matcher)),
        (json!({"actions": acts(), "matcher": "^x"}), Verdict::Fire),
    ];
    for (entry, wanted) in cases {
        assert_eq!(decided("LabelAdd", entry.clone(), &label("x")), wanted, "{entry}");
    }
}

#[test]
fn conditions_hold_or_not() {
    let happened = Occurrence::new(Event::ModeChanged, MONDAY)
        .with("permissionMode", "allow-all")
        .with("labels", json!(["bug", "priority::3"]))
        .with("isFlagged", true)
        .with("sessionName", "Fix login");
    let happened =
        Occurrence { before: BTreeMap::from([("permissionMode".to_owned(), json!("safe"))]), ..happened };
    let state =
        |field: &str, key: &str, value: Value| json!({"condition": "state", "field": field, key: value});
    let time = |rest: Value| {
        let mut time = json!({"condition": "time"});
        time.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        time
    };
    for (condition, holds) in [
        (state("permissionMode", "value", json!("allow-all")), true),
        (state("permissionMode", "not_value", json!("allow-all")), false),
        (state("permissionMode", "from", json!("safe")), true),
        (state("permissionMode", "from", json!("ask")), false),
        (state("permissionMode", "to", json!("allow-all")), true),
        (state("sessionStatus", "to", json!("done")), false),
        (state("labels", "contains", json!("bug")), true),
        (state("labels", "contains", json!("bu")), false),
        (state("sessionName", "contains", json!("login")), true),
        (state("isFlagged", "value", json!("true")), true),
        (state("nothing", "value", json!("")), false),
        (state("nothing", "not_value", json!("x")), true),
        (time(json!({"weekday": ["mon", "tue"]})), true),
        (time(json!({"weekday": ["Sunday"]})), false),
        (time(json!({"after": "09:00", "before": "17:00"})), true),
        (time(json!({"after": "09:31"})), false),
        (time(json!({"before": "09:30"})), false),
        (time(json!({"after": "22:00", "before": "06:00"})), false),
        (time(json!({"after": "10:00", "before": "11:00", "timezone": "Europe/Budapest"})), true),
        (json!({"condition": "and", "conditions": []}), true),
        (json!({"condition": "or", "conditions": []}), false),
        (json!({"condition": "not", "conditions": [state("isFlagged", "value", json!(false))]}), true),
        (
            json!({"condition": "or", "conditions": [state("isFlagged", "value", json!(false)), time(json!({"after": "09:00"}))]}),
            true,
        ),
    ] {
        let wanted = if holds { Verdict::Fire } else { Verdict::Refused(SkipReason::Condition) };
        let entry = json!({"actions": acts(), "conditions": [condition]});
        assert_eq!(decided("PermissionModeChange", entry.clone(), &happened), wanted, "{entry}");
    }
}

#[test]
fn the_hours_after_midnight_belong_to_the_evening_before() {
    let night = json!({"condition": "time", "weekday": ["sun"], "after": "22:00", "before": "06:00"});
    let entry = json!({"actions": acts(), "conditions": [night]});
    let at = |hour: i64| Occurrence { at: MONDAY + hour * 3_600_000, ..label("x") };
    assert_eq!(decided("LabelAdd", entry.clone(), &at(-5)), Verdict::Fire);
    assert_eq!(decided("LabelAdd", entry, &at(14)), Verdict::Refused(SkipReason::Condition));
}

#[test]
fn too_many_a_minute_fire_nothing_but_what_may_veto() {
    let mut rate = Rate::default();
    for second in 0..10 {
        assert!(rate.allows(Event::ToolBefore, MONDAY + second));
        rate.note(Event::ToolBefore, MONDAY + second);
    }
    let happened = Occurrence::new(Event::ToolBefore, MONDAY + 1_000).on("shell");
    let actions = json!([{"type": "veto", "reason": "no"}, {"type": "prompt", "prompt": "Look"}]);
    let file = file("PreToolUse", json!({"id": "a", "actions": actions}));
    let on = enabled(&file);
    let decision = plan(file.entries(), &happened, State { enabled: &on, rate: &rate })[0];
    assert_eq!(decision.verdict, Verdict::VetoesOnly(SkipReason::Rate));
    assert_eq!(decision.actions(ActionPhase::Vetoes).count(), 1);
    assert_eq!(decision.actions(ActionPhase::Effects).count(), 0);
    assert!(rate.allows(Event::ToolBefore, MONDAY + 70_000));
    // A clock that was put back.
    assert!(rate.allows(Event::ToolBefore, MONDAY - 3_600_000));
    assert!(!rate.allows(Event::ToolBefore, MONDAY + 500));
}

#[test]
fn a_chain_of_automations_ends() {
    for (depth, wanted) in [(0, Verdict::Fire), (2, Verdict::Fire), (3, Verdict::Refused(SkipReason::Chain))]
    {
        let happened = Occurrence { depth, ..label("x") };
        assert_eq!(decided("LabelAdd", json!({"actions": acts()}), &happened), wanted);
    }
}

#[test]
fn variables_have_both_names_and_are_put_in_once() {
    let happened = Occurrence { session: Some("260105-swift-river".to_owned()), ..label("$AN_SESSION_ID") };
    let variables = Variables::new(&happened, "Europe/Budapest");
    let put = |text: &str| expand(text, |name| variables.get(name).map(str::to_owned));
    assert_eq!(
        put("${AN_LABEL} in $CRAFT_SESSION_ID at ${AN_LOCAL_TIME} on $AN_LOCAL_DATE"),
        ("$AN_SESSION_ID in 260105-swift-river at 10:30 on 2026-01-05".to_owned(), vec![])
    );
    assert_eq!(put("$HOME costs $5 and ${x"), ("$HOME costs $5 and ${x".to_owned(), vec![]));
    assert_eq!(
        put("${NOPE} $AN_NOPE"),
        ("${NOPE} $AN_NOPE".to_owned(), vec!["NOPE".to_owned(), "AN_NOPE".to_owned()])
    );
    assert_eq!(variables.get("CRAFT_EVENT"), Some("LabelAdd"));
    assert!(variables.all().any(|(name, value)| name == "AN_EVENT" && value == "LabelAdd"));
}

#[test]
fn a_text_does_not_grow_without_bound() {
    let long = "$AN_MESSAGE".repeat(10_000);
    let happened = Occurrence::new(Event::TurnBefore, MONDAY).with("message", "ű".repeat(50_000));
    let variables = Variables::new(&happened, "UTC");
    let (text, _) = expand(&long, |name| variables.get(name).map(str::to_owned));
    assert!(text.len() <= 200_000);
}
