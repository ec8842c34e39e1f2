use super::*;
use pretty_assertions::assert_eq;

#[test]
fn list_marks_and_numbers_are_told_from_words() {
    let label = |text| mark(text, false).map(|mark| mark.label.map(str::to_owned));
    let some = |label: &str| Some(Some(label.to_owned()));
    assert_eq!(label("(a) first"), some("(a)"));
    assert_eq!(label("(iv) fourth"), some("(iv)"));
    assert_eq!(label("12. The auditor"), some("12"));
    assert_eq!(label("A20. Examples"), some("A20"));
    assert_eq!(label("2.1.3 Scope"), some("2.1.3"));
    assert_eq!(label("• point"), Some(None));
    assert_eq!(label("12 months later"), None);
    assert_eq!(label("(see below) it"), None);
    assert_eq!(label("I. Newton"), None);
    assert_eq!(label("e.g. this"), None);
    assert_eq!(label("a word"), None);
}
