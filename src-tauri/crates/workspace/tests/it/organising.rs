//! Statuses, labels and views as files.

use std::fs;

use organise::{LabelList, StatusList, ViewList};
use workspace::{
    Workspace, labels_text, parse_labels, parse_statuses, parse_views, statuses_text, view_problems,
    views_text,
};

#[test]
fn a_workspace_without_files_has_none_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(home.path());
    assert!(workspace.statuses().unwrap().is_none());
    assert!(workspace.labels().unwrap().is_none());
    assert!(workspace.views().unwrap().is_none());
}

#[test]
fn what_is_written_is_read_back() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(home.path());
    for folder in ["statuses", "labels"] {
        fs::create_dir_all(workspace.root().join(folder)).unwrap();
    }
    fs::write(workspace.root().join("statuses/config.json"), statuses_text(&StatusList::shipped())).unwrap();
    fs::write(workspace.root().join("labels/config.json"), labels_text(&LabelList::shipped())).unwrap();
    fs::write(workspace.root().join("views.json"), views_text(&ViewList::shipped())).unwrap();
    let statuses = workspace.statuses().unwrap().unwrap();
    assert_eq!((statuses.list, statuses.odd.len()), (StatusList::shipped(), 0));
    let labels = workspace.labels().unwrap().unwrap();
    assert_eq!((labels.list, labels.odd.len()), (LabelList::shipped(), 0));
    let views = workspace.views().unwrap().unwrap();
    assert_eq!((views.list, views.odd.len()), (ViewList::shipped(), 0));
}

#[test]
fn what_others_wrote_is_kept_and_what_is_not_known_is_said() {
    let text = r##"{
  "version": 1,
  "statuses": [
    {"id": "todo", "label": "Todo", "category": "open", "isFixed": true, "isDefault": false, "order": 1, "color": "info"},
    {"id": "done", "label": "Done", "category": "closed", "color": {"light": "#3B82F6", "dark": "#60A5FA"}},
    {"id": "cancelled", "label": "Cancelled", "category": "closed", "sla": 3}
  ],
  "defaultStatusId": "todo"
}"##;
    let statuses = parse_statuses("statuses/config.json", text).unwrap();
    let odd: Vec<String> = statuses.odd.iter().map(ToString::to_string).collect();
    assert_eq!(odd.len(), 1);
    assert!(odd[0].starts_with("statuses/config.json:6 /statuses/2/sla: "), "{}", odd[0]);
    assert!(statuses_text(&statuses.list).contains("\"sla\": 3"));

    let text = r#"{"version": 1, "labels": [{"id": "eng", "name": "Engineering", "x": 1, "valueType": "string",
        "autoRules": [{"pattern": "\\b([A-Z]{2,5}-\\d+)\\b", "flags": "gi", "valueTemplate": "$1"}]}], "y": []}"#;
    let labels = parse_labels("labels/config.json", text).unwrap();
    assert_eq!(labels.odd.len(), 2);
    let written = labels_text(&labels.list);
    assert_eq!(parse_labels("labels/config.json", &written).unwrap().list, labels.list);
}

#[test]
fn a_broken_list_is_told_with_line_and_place() {
    let text = "{\n  \"version\": 1,\n  \"statuses\": [\n    {\"id\": \"todo\", \"label\": \"Todo\", \"category\": \"opn\"}\n  ]\n}";
    let problems = parse_statuses("s.json", text).unwrap_err();
    assert_eq!((problems[0].pointer.as_str(), problems[0].line), ("/statuses/0/category", Some(4)));
    assert_eq!(problems[0].remedy.as_deref(), Some("did you mean `open`?"));

    let text = "{\"version\": 1,\n\"labels\": [{\"id\": \"a\", \"name\": \"A\", \"children\": [\n{\"id\": \"a\", \"name\": \"\"}]}]}";
    let problems = parse_labels("l.json", text).unwrap_err();
    let places: Vec<(&str, Option<usize>)> =
        problems.iter().map(|problem| (problem.pointer.as_str(), problem.line)).collect();
    assert_eq!(places, [("/labels/0/children/0/id", Some(3)), ("/labels/0/children/0/name", Some(3))]);

    for text in [
        "",
        "[]",
        "{",
        "{\"version\": 2, \"views\": []}",
        "{\"version\": 1}",
        "{\"version\": 1, \"views\": {}}",
    ] {
        assert!(parse_views("v.json", text).is_err(), "{text}");
        assert!(parse_labels("l.json", text).is_err(), "{text}");
        assert!(parse_statuses("s.json", text).is_err(), "{text}");
    }
}

#[test]
fn a_broken_view_costs_no_other_one_and_stays_in_the_file() {
    let text = r#"{
  "version": 1,
  "views": [
    {"id": "new", "name": "New", "color": "accent", "expression": "hasUnread == true"},
    {"id": "bad", "name": "Bad", "expression": "hasUnraed == true"},
    {"id": "none", "expression": 3},
    7,
    {"id": "new", "name": "Again", "expression": "true", "mine": 1, "groupBy": "satus"}
  ],
  "more": 1
}"#;
    let views = parse_views("views.json", text).unwrap();
    let right: Vec<bool> = views.list.views.iter().map(|entry| entry.view.is_ok()).collect();
    assert_eq!(right, [true, true, false, false, false]);
    assert!(views.list.views[0].expression.is_ok());
    let problems = view_problems("views.json", text, &views.list);
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines[0],
        "views.json:5 /views/1/expression: expected an expression, found there is no field `hasUnraed` (did you mean \
         `hasUnread`?)"
    );
    assert!(lines.iter().any(|line| line.starts_with("views.json:6 /views/2")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("views.json:7 /views/3")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("views.json:8 /views/4/id")), "{lines:?}");
    let odd: Vec<&str> = views.odd.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(odd, ["/more", "/views/4/mine", "/views/4/groupBy"]);
    let written: serde_json::Value = serde_json::from_str(&views_text(&views.list)).unwrap();
    let read: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(written, read);
}

#[test]
fn files_that_are_no_texts_are_told() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(home.path());
    fs::create_dir_all(workspace.root().join("labels/config.json")).unwrap();
    fs::write(workspace.root().join("views.json"), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(workspace.labels().unwrap_err().len(), 1);
    assert_eq!(workspace.views().unwrap_err().len(), 1);
}
