use organise::{AutoRule, AutoRules, LabelList, LabelPatch, NewLabel, ValueType, try_out};
use pretty_assertions::assert_eq;
use serde_json::Map;

fn rule(pattern: &str, flags: Option<&str>, template: Option<&str>) -> AutoRule {
    AutoRule {
        pattern: pattern.to_owned(),
        flags: flags.map(str::to_owned),
        value_template: template.map(str::to_owned),
        description: None,
        rest: Map::new(),
    }
}

/// A tree with one label, called Found, and these rules.
fn found(kind: Option<ValueType>, rules: Vec<AutoRule>, message: &str) -> Vec<String> {
    let mut labels = LabelList::empty();
    let new = NewLabel { name: "Found".to_owned(), color: None, value_type: kind };
    let id = labels.add(None, new).unwrap();
    labels.change(&id, LabelPatch { auto_rules: Some(rules), ..LabelPatch::default() }).unwrap();
    AutoRules::new(&labels).find(message).into_iter().map(|found| found.entry).collect()
}

#[test]
fn the_shipped_rule_finds_a_day() {
    let rules = AutoRules::new(&LabelList::shipped());
    let found = rules.find("The report is due on 2026-05-12, deadline: 2026-06-01. Ignore 2026-07-01.");
    let entries: Vec<(&str, &str)> =
        found.iter().map(|found| (found.entry.as_str(), found.text.as_str())).collect();
    assert_eq!(
        entries,
        [("due::2026-05-12", "due on 2026-05-12"), ("due::2026-06-01", "deadline: 2026-06-01")]
    );
}

#[test]
fn values_are_made_of_groups_and_take_the_labels_type() {
    let number = Some(ValueType::Number);
    let text = Some(ValueType::String);
    for (kind, rule, message, expected) in [
        (
            text,
            rule(r"\b([A-Z]{2,5}-\d+)\b", Some("g"), Some("$1")),
            "See ABC-12 and DE-3",
            "found::ABC-12 found::DE-3",
        ),
        (text, rule(r"\b([a-z]{2,5}-\d+)\b", None, None), "See ABC-12", "found::ABC-12"),
        (number, rule(r"budget (\S+)", None, None), "budget $1.5M", "found::1500000"),
        (number, rule(r"budget (\S+)", None, None), "budget none", ""),
        (text, rule(r"(\w+)@(\w+)", None, Some("$2/$1")), "eva@home", "found::home/eva"),
        (text, rule(r"(a)(b)?", None, Some("$1-$2")), "a", "found::a-"),
        (text, rule(r"(\$\d)x", None, Some("$1")), "$1x", "found::$1"),
        (None, rule(r"\bcrash(es|ed)?\b", None, None), "It crashed. It crashes.", "found"),
        (None, rule(r"v(\d)", None, Some("$1")), "v3", "found::3"),
        (text, rule(r"^b$", Some("m"), None), "a\nb\nc", "found::b"),
        (text, rule(r"x*", None, None), "aaa", ""),
    ] {
        assert_eq!(found(kind, vec![rule.clone()], message).join(" "), expected, "{rule:?} on {message}");
    }
}

#[test]
fn code_is_left_out() {
    let bug = vec![rule("bug", None, None)];
    assert_eq!(found(None, bug.clone(), "`bug` and\n```\nbug\n```\nno more"), Vec::<String>::new());
    assert_eq!(found(None, bug, "`code` bug"), ["found"]);
}

#[test]
fn a_message_gets_ten_labels_at_most_and_each_once() {
    let keys: String = (0..100).map(|number| format!("K-{} ", number % 30)).collect();
    let entries = found(Some(ValueType::String), vec![rule(r"K-\d+", None, None)], &keys);
    assert_eq!(entries.len(), 10);
    assert_eq!(entries[9], "found::K-9");
}

#[test]
fn patterns_that_hang_other_engines_end_here() {
    let message = format!("{}!", "a".repeat(200_000));
    for pattern in [r"(a+)+$", r"(a|a)*b", r"(.*)*x", r"a.*[^A-Z]|[A-Z]"] {
        found(None, vec![rule(pattern, None, None)], &message);
    }
}

#[test]
fn a_rule_can_be_tried_before_it_is_saved() {
    let tried =
        try_out("priority", Some(ValueType::Number), &rule(r"p(\w)", None, None), "ü p1 px `p2`").unwrap();
    let found: Vec<(&str, u32)> =
        tried.matches.iter().map(|found| (found.entry.as_str(), found.at.start)).collect();
    assert_eq!(found, [("priority::1", 3)]);
    assert_eq!(tried.refused.len(), 1);
}

#[test]
fn a_wrong_rule_is_refused_with_its_place() {
    for (kind, rule, pointer, found) in [
        (None, rule("(", None, None), "/pattern", "unclosed group"),
        (
            None,
            rule("(?=x)", None, None),
            "/pattern",
            "look-around, including look-ahead and look-behind, is not su…",
        ),
        (None, rule(r"(a)\1", None, None), "/pattern", "backreferences are not supported"),
        (None, rule("", None, None), "/pattern", "one of 0 bytes"),
        (
            None,
            rule(r"\w{500}{500}", None, None),
            "/pattern",
            "Compiled regex exceeds size limit of 1048576 bytes.",
        ),
        (None, rule("a", Some("gy"), None), "/flags", "`y`"),
        (None, rule("(a)", None, Some("$2")), "/valueTemplate", "`$2`"),
        (
            None,
            rule("(a)", None, Some("$99999999999999999999999")),
            "/valueTemplate",
            "`$18446744073709551615`",
        ),
        (Some(ValueType::Number), rule("a", None, Some("much")), "/valueTemplate", "another text"),
    ] {
        let fault = try_out("x", kind, &rule, "").unwrap_err();
        assert_eq!((fault.pointer.as_str(), fault.found.as_str()), (pointer, found), "{rule:?}");
    }
}
