use super::*;

#[test]
fn an_unverified_statement_is_explained_only_where_its_run_has_it_so() {
    assert_eq!(said_of(State::Unverified, false), "; statement unverified");
    assert!(said_of(State::Unverified, true).contains("a reader has to judge"));
}

#[test]
fn links_are_found_with_brackets_in_their_text() {
    let line = "a “b” ([x \\[2\\]](#cite-1), [y](#cite-2)) [✓](#statement-3) and [z](https://a)";
    let (before, target, after) = next_link(line).unwrap();
    assert_eq!((before, target), ("a “b” (", "cite-1"));
    assert_eq!(statement_after(after), Some(3));
    let (before, target, _) = next_link(after).unwrap();
    assert_eq!((before, target), (", ", "cite-2"));
    assert_eq!(next_link("[z](https://a) and [q](#other)"), None);
    let heading = "## Duties ([Art. 28](#cite-1) [unverified: not checked])\n";
    assert_eq!(unlinked(heading), "## Duties (Art. 28)\n");
}
