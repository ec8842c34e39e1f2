//! The forms of the files, as other programs write them.

use organise::{AutoRules, Icon, LabelList, StatusList, View};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn statuses_of_others_are_read_and_written_as_they_are() {
    let file = json!({
        "version": 1,
        "statuses": [
            {"id": "backlog", "label": "Backlog", "category": "open", "isFixed": false, "isDefault": true, "order": 0},
            {"id": "todo", "label": "Todo", "category": "open", "isFixed": true, "isDefault": false, "order": 1,
             "color": "info", "icon": "🔥"},
            {"id": "done", "label": "Done", "category": "closed", "isFixed": true, "isDefault": false, "order": 3,
             "color": {"light": "#3B82F6", "dark": "#60A5FA"}, "icon": {"type": "file", "value": "done.svg"}},
            {"id": "cancelled", "label": "Cancelled", "category": "closed", "isFixed": true, "isDefault": false,
             "order": 4, "shortcut": "c", "sla": {"days": 3}}
        ],
        "defaultStatusId": "todo",
        "board": true
    });
    let list: StatusList = serde_json::from_value(file.clone()).unwrap();
    assert_eq!(list.faults(), []);
    let odd: Vec<String> = list.oddities().into_iter().map(|odd| odd.pointer).collect();
    assert_eq!(odd, ["/board", "/statuses/3/sla"]);
    assert_eq!(list.find("todo").unwrap().icon, Some(Icon::Text("🔥".to_owned())));
    assert_eq!(serde_json::to_value(&list).unwrap(), file);
}

#[test]
fn labels_of_others_are_read_and_written_as_they_are() {
    let file = json!({
        "version": 1,
        "labels": [{
            "id": "eng", "name": "Engineering", "color": {"light": "#3B82F6", "dark": "#60A5FA"}, "valueType": "string",
            "children": [{"id": "react", "name": "React"}, {"id": "Scheduled", "name": "Scheduled", "pinned": 1}],
            "autoRules": [{"pattern": "\\b([A-Z]{2,5}-\\d+)\\b", "flags": "gi", "valueTemplate": "$1", "description": "keys"}]
        }]
    });
    let list: LabelList = serde_json::from_value(file.clone()).unwrap();
    assert_eq!(list.faults(), []);
    assert_eq!(list.oddities()[0].pointer, "/labels/0/children/1/pinned");
    assert_eq!(AutoRules::new(&list).find("see abc-12")[0].entry, "eng::abc-12");
    assert_eq!(serde_json::to_value(&list).unwrap(), file);
}

#[test]
fn a_view_of_others_is_read_and_written_as_it_is() {
    let raw = json!({
        "id": "recent", "name": "Recent", "description": "d", "color": "foreground/50", "domain": "sessions",
        "expression": "hasUnread == true", "groupBy": "topic",
        "sort": [{"field": "updated_at", "direction": "desc"}, {"field": "relevance", "direction": "asc"}]
    });
    let view: View = serde_json::from_value(raw.clone()).unwrap();
    assert_eq!(view.faults(), []);
    let odd: Vec<String> = view.oddities().into_iter().map(|odd| odd.pointer).collect();
    assert_eq!(odd, ["/domain", "/groupBy", "/sort/1/field"]);
    assert_eq!((view.group(), view.order().len()), (None, 1));
    assert_eq!(serde_json::to_value(&view).unwrap(), raw);
}

#[test]
fn everything_that_is_wrong_has_a_place() {
    let status = |id: &str, category: &str, more: Value| {
        let mut status = json!({"id": id, "label": id, "category": category});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        status
    };
    let file = json!({
        "version": 2,
        "statuses": [
            status("todo", "closed", json!({"shortcut": "x"})),
            status("todo", "closed", json!({"shortcut": "X"})),
            status("a b", "open", json!({"color": "purple", "label": ""})),
            status("done", "closed", json!({"shortcut": "ab", "icon": "\u{0}"}))
        ],
        "defaultStatusId": "tdo"
    });
    let list: StatusList = serde_json::from_value(file).unwrap();
    let pointers: Vec<String> = list.faults().into_iter().map(|fault| fault.pointer).collect();
    assert_eq!(
        pointers,
        [
            "/version",
            "/statuses/0/category",
            "/statuses/1/id",
            "/statuses/1/shortcut",
            "/statuses/1/category",
            "/statuses/2/id",
            "/statuses/2/label",
            "/statuses/2/color",
            "/statuses/3/icon",
            "/statuses/3/shortcut",
            "/statuses",
            "/defaultStatusId"
        ]
    );
    let deep = (0..6).fold(json!([]), |below, depth| {
        json!([{"id": format!("l{depth}"), "name": "L", "children": below, "autoRules": [{"pattern": "("}]}])
    });
    let list: LabelList = serde_json::from_value(json!({"version": 1, "labels": deep})).unwrap();
    let faults = list.faults();
    assert_eq!(faults[0].pointer, "/labels/0/autoRules/0/pattern");
    assert_eq!(
        faults.last().unwrap().pointer,
        "/labels/0/children/0/children/0/children/0/children/0/children"
    );
}
