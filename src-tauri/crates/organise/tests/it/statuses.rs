use organise::{Category, Colour, EditError, NewStatus, StatusList, StatusPatch};
use pretty_assertions::assert_eq;

fn new(label: &str) -> NewStatus {
    NewStatus { label: label.to_owned(), category: Category::Open, color: None, icon: None, shortcut: None }
}

fn ids(list: &StatusList) -> Vec<&str> {
    list.sorted().into_iter().map(|status| status.id.as_str()).collect()
}

#[test]
fn the_shipped_list_is_right() {
    let list = StatusList::shipped();
    assert_eq!(list.faults(), []);
    assert_eq!(list.oddities(), []);
    let names: Vec<&str> = list.sorted().into_iter().map(|status| status.label.as_str()).collect();
    assert_eq!(names, ["Todo", "In Progress", "Needs Review", "Done", "Cancelled"]);
    assert_eq!(list.known_or_default("done"), "done");
    assert_eq!(list.known_or_default("gone"), "todo");
}

#[test]
fn a_status_is_added_changed_moved_and_removed() {
    let mut list = StatusList::shipped();
    let id = list.add(new(" Waiting for a reply ")).unwrap();
    assert_eq!(id, "waiting-for-a-reply");
    assert_eq!(list.add(new("Waiting for a reply")).unwrap(), "waiting-for-a-reply-2");
    assert_eq!(list.add(new("待機中")).unwrap(), "status");
    list.move_to(&id, 1).unwrap();
    assert_eq!(ids(&list)[..3], ["todo", "waiting-for-a-reply", "in-progress"]);
    let patch = StatusPatch {
        label: Some("Waiting".to_owned()),
        category: Some(Category::Closed),
        color: Some(Some(Colour::theme("info/50"))),
        ..StatusPatch::default()
    };
    list.change(&id, patch).unwrap();
    assert_eq!(list.find(&id).unwrap().label, "Waiting");
    list.set_default(&id).unwrap();
    let removed = list.remove(&id, None).unwrap();
    assert_eq!((removed.ids, removed.instead.as_deref()), (vec![id.clone()], Some("todo")));
    assert_eq!(list.default_status_id, "todo");
    assert_eq!(list.find(&id), None);
    let removed = list.remove("in-progress", Some("needs-review")).unwrap();
    assert_eq!(removed.instead.as_deref(), Some("needs-review"));
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let mut list = StatusList::shipped();
    let before = list.clone();
    for fixed in ["todo", "done", "cancelled"] {
        assert!(matches!(list.remove(fixed, None), Err(EditError::Fixed { .. })));
    }
    let close = StatusPatch { category: Some(Category::Closed), ..StatusPatch::default() };
    assert!(matches!(list.change("todo", close), Err(EditError::Fixed { .. })));
    let error = list.move_to("doen", 0).unwrap_err();
    assert_eq!(error.problem().action.as_deref(), Some("did you mean `done`?"));
    assert!(matches!(list.remove("in-progress", Some("nope")), Err(EditError::Unknown { .. })));
    assert!(matches!(list.remove("in-progress", Some("in-progress")), Err(EditError::Unknown { .. })));
    for label in ["", " ", "a\nb", &"x".repeat(201)] {
        assert!(matches!(list.add(new(label)), Err(EditError::Invalid { .. })), "{label:?}");
    }
    let taken = NewStatus { shortcut: Some("1".to_owned()), ..new("Taken") };
    assert!(matches!(list.add(taken), Err(EditError::Invalid { .. })));
    let painted = NewStatus { color: Some(Colour::theme("url(x)")), ..new("Painted") };
    assert!(matches!(list.add(painted), Err(EditError::Invalid { .. })));
    assert_eq!(list, before);
}

#[test]
fn a_list_is_bounded() {
    let mut list = StatusList::shipped();
    for number in 0..45 {
        list.add(new(&format!("Number {number}"))).unwrap();
    }
    assert!(matches!(list.add(new("One more")), Err(EditError::Invalid { .. })));
}
