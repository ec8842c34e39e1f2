use organise::{EditError, Group, NewView, View, ViewEntry, ViewList, ViewPatch};
use pretty_assertions::assert_eq;
use serde_json::{Map, json};

fn new(name: &str, expression: &str) -> NewView {
    NewView { name: name.to_owned(), expression: expression.to_owned(), ..NewView::default() }
}

fn entry(id: &str, expression: &str) -> ViewEntry {
    let raw = json!({ "id": id, "name": id, "expression": expression });
    let view: View = serde_json::from_value(raw.clone()).unwrap();
    ViewEntry::new(raw, view)
}

#[test]
fn the_shipped_views_are_right() {
    for entry in ViewList::shipped().views {
        assert!(entry.view.is_ok() && entry.expression.is_ok(), "{entry:?}");
        assert_eq!(entry.view.unwrap().oddities(), []);
    }
}

#[test]
fn a_wrong_expression_is_an_error_on_that_view_alone() {
    let list = ViewList::new(vec![entry("a", "nope == 1"), entry("b", "hasUnread")], Map::new());
    assert!(list.find("a").unwrap().view.is_ok());
    assert_eq!(
        list.find("a").unwrap().expression.as_ref().unwrap_err()[0].message,
        "there is no field `nope`"
    );
    assert!(list.find("b").unwrap().expression.is_ok());
}

#[test]
fn of_two_views_with_one_id_the_first_counts() {
    let list = ViewList::new(vec![entry("a", "true"), entry("a", "false")], Map::new());
    assert!(list.views[0].view.is_ok());
    assert!(list.views[1].view.is_err());
}

#[test]
fn a_view_is_added_changed_moved_and_removed() {
    let mut list = ViewList::shipped();
    let view = NewView { group_by: Some(Group::Label), ..new("Open bugs", "hasLabel(\"bug\")") };
    let id = list.add(view).unwrap();
    assert_eq!(id, "open-bugs");
    list.move_to(&id, 0).unwrap();
    assert_eq!(list.views[0].id, id);
    let patch = ViewPatch {
        name: Some("Bugs".to_owned()),
        expression: Some("hasLabel(\"bug\") and not isArchived".to_owned()),
        group_by: Some(None),
        ..ViewPatch::default()
    };
    list.change(&id, patch).unwrap();
    assert_eq!(
        list.views[0].raw,
        json!({ "id": "open-bugs", "name": "Bugs", "expression": "hasLabel(\"bug\") and not isArchived" })
    );
    list.remove(&id).unwrap();
    assert_eq!(list, ViewList::shipped());
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let mut list = ViewList::new(vec![entry("a", "nope"), entry("b", "true")], Map::new());
    let before = list.clone();
    let error = list.add(new("x", "hasUnraed")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the expression is wrong: there is no field `hasUnraed` (did you mean `hasUnread`?)"
    );
    assert!(matches!(list.add(new("", "true")), Err(EditError::Invalid { .. })));
    let patch =
        |expression: &str| ViewPatch { expression: Some(expression.to_owned()), ..ViewPatch::default() };
    assert!(matches!(list.change("b", patch("(")), Err(EditError::Expression { .. })));
    assert!(matches!(list.change("c", patch("true")), Err(EditError::Unknown { .. })));
    assert_eq!(list, before);
    // A wrong expression can be renamed and mended.
    list.change("a", ViewPatch { name: Some("A".to_owned()), ..ViewPatch::default() }).unwrap();
    list.change("a", patch("isFlagged")).unwrap();
    assert!(list.find("a").unwrap().expression.is_ok());
}
