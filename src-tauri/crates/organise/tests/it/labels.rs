use organise::{EditError, Entry, EntryError, LabelList, LabelPatch, NewLabel, RemovalEffect, ValueType};
use pretty_assertions::assert_eq;

fn new(name: &str) -> NewLabel {
    NewLabel { name: name.to_owned(), ..NewLabel::default() }
}

fn texts(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

#[test]
fn the_shipped_tree_is_right() {
    let labels = LabelList::shipped();
    assert_eq!(labels.faults(), []);
    assert_eq!(labels.oddities(), []);
    assert_eq!(labels.family("coding"), ["coding", "bug", "feature"]);
    let path: Vec<&str> = labels.path("bug").into_iter().map(|label| label.name.as_str()).collect();
    assert_eq!(path, ["Kind of work", "Coding", "Bug"]);
    assert_eq!(labels.path("gone").len(), 0);
    assert_eq!(labels.named("KIND OF WORK").unwrap().id, "work");
}

#[test]
fn a_label_is_added_changed_and_moved() {
    let mut labels = LabelList::shipped();
    let id = labels.add(Some("coding"), new("Crash")).unwrap();
    assert_eq!(labels.family("coding"), ["coding", "bug", "feature", "crash"]);
    assert_eq!(labels.add(None, new("Crash!")).unwrap(), "crash-2");
    let patch = LabelPatch {
        name: Some("Crashes".to_owned()),
        value_type: Some(Some(ValueType::Number)),
        ..LabelPatch::default()
    };
    labels.change(&id, patch).unwrap();
    assert_eq!(labels.find(&id).unwrap().value_type, Some(ValueType::Number));
    labels.move_to(&id, Some("work"), 0).unwrap();
    assert_eq!(labels.family("work")[..2], ["work", "crash"]);
    labels.move_to("work", None, 99).unwrap();
    assert_eq!(labels.labels.last().unwrap().id, "work");
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let mut labels = LabelList::shipped();
    let before = labels.clone();
    assert!(matches!(labels.move_to("work", Some("bug"), 0), Err(EditError::BelowItself { .. })));
    assert!(matches!(labels.move_to("work", Some("work"), 0), Err(EditError::BelowItself { .. })));
    assert!(matches!(labels.move_to("bug", Some("gone"), 0), Err(EditError::Unknown { .. })));
    assert!(matches!(labels.remove("work", Some("bug")), Err(EditError::BelowItself { .. })));
    assert!(matches!(labels.remove("work", Some("gone")), Err(EditError::Unknown { .. })));
    assert!(matches!(labels.remove("gone", None), Err(EditError::Unknown { .. })));
    assert!(matches!(labels.add(Some("gone"), new("x")), Err(EditError::Unknown { .. })));
    assert!(matches!(labels.add(None, new("\u{0}")), Err(EditError::Invalid { .. })));
    assert_eq!(labels, before);
}

#[test]
fn a_tree_is_five_deep_at_most() {
    let mut labels = LabelList::empty();
    let mut parent: Option<String> = None;
    for depth in 1..=5 {
        parent = Some(labels.add(parent.as_deref(), new(&format!("Level {depth}"))).unwrap());
    }
    assert!(matches!(labels.add(parent.as_deref(), new("Level 6")), Err(EditError::Invalid { .. })));
    let other = labels.add(None, new("Other")).unwrap();
    assert!(matches!(labels.move_to("level-1", Some(&other), 0), Err(EditError::Invalid { .. })));
}

#[test]
fn sessions_lose_a_removed_label_or_get_another() {
    let mut labels = LabelList::shipped();
    let removed = labels.remove("coding", None).unwrap();
    assert_eq!(removed.ids, ["coding", "bug", "feature"]);
    assert_eq!(removed.labels(&texts(&["bug", "due::2026-05-01"])), Some(texts(&["due::2026-05-01"])));
    assert_eq!(removed.labels(&texts(&["buggy"])), None);
    let removed = RemovalEffect { ids: texts(&["old", "older"]), instead: Some("new".to_owned()) };
    assert_eq!(removed.labels(&texts(&["old", "older", "older::3", "new"])), Some(texts(&["new", "new::3"])));
}

#[test]
fn what_a_session_gets_is_checked_and_normalised() {
    let labels = LabelList::shipped();
    let checked = |text: &str| Entry::checked(text, &labels).map(|entry| entry.to_string());
    assert_eq!(checked(" bug "), Ok("bug".to_owned()));
    assert_eq!(checked("priority::$1.5k"), Ok("priority::1500".to_owned()));
    assert_eq!(checked("due::1 May 2026"), Ok("due::2026-05-01".to_owned()));
    assert_eq!(checked("project::  a \n b"), Ok("project::a b".to_owned()));
    assert_eq!(checked("priority"), Ok("priority".to_owned()));
    assert!(matches!(checked("bug::1"), Err(EntryError::NoValue { .. })));
    let error = checked("due::soon").unwrap_err();
    assert_eq!(error.to_string(), "the label `due` takes a day like 2026-05-01, not `soon`");
    assert_eq!(checked("bgu").unwrap_err().to_string(), "there is no label `bgu`; did you mean `bug`?");
    assert_eq!(Entry::parse("priority::3").display(&labels), "Priority: 3");
    assert_eq!(Entry::parse("gone::3").display(&labels), "gone: 3");
}
