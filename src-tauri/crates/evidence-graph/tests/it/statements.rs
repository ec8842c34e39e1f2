//! Keys and differences of single sentences.

use std::collections::BTreeSet;

use evidence_graph::{ConflictKind, Statement, address_key, origin_of, text_key};
use pretty_assertions::assert_eq;

fn key(text: &str) -> String {
    Statement::of(text).key()
}

fn difference(first: &str, second: &str) -> Option<ConflictKind> {
    let difference = Statement::of(first).difference(&Statement::of(second), &BTreeSet::new());
    difference.map(|one| one.kind)
}

#[test]
fn the_same_statement_in_another_dress_has_one_key() {
    let pairs = [
        ("The fee is $5 million.", "The fee is 5,000,000 dollars"),
        ("Records are kept for seven years", "Records: kept for 7 years!"),
        ("It was founded on 3 May 1990.", "It was founded on May 3, 1990."),
        ("The ﬁlter removes 12 % of dust.", "The filter removes 12 percent of dust"),
        ("The share is at least 20%", "The share is no less than 20 per cent"),
    ];
    for (first, second) in pairs {
        assert_eq!(key(first), key(second));
    }
}

#[test]
fn what_turns_a_statement_round_changes_its_key() {
    let pairs = [
        ("The fee is $5 million.", "The fee is $5 billion."),
        ("Records may be kept.", "Records must be kept."),
        ("Records may be kept.", "Records may not be kept."),
        ("The share is at least 20%", "The share is at most 20%"),
        ("It lasts 12 months", "It lasts 12 days"),
        ("Article 6 applies", "Article 7 applies"),
        ("The fees are 10 dollars, 20 dollars", "The fees are 11 dollars, 20 dollars"),
        ("At most 12 may vote", "At most 15 may vote"),
    ];
    for (first, second) in pairs {
        assert!(key(first) != key(second), "{first} / {second}");
    }
}

#[test]
fn a_day_of_may_is_no_permission() {
    assert_eq!(
        difference("At most 12 may vote here.", "At least 12 may vote here."),
        Some(ConflictKind::Bound)
    );
    assert_eq!(key("It began on 12 May."), key("It began on May 12."));
    assert_eq!(key("It began on 12 may 2020."), key("It began on 12 May 2020."));
}

#[test]
fn who_acts_on_whom_is_told_apart() {
    let reversed = |first: &str, second: &str| Statement::of(first).is_reversed(&Statement::of(second));
    assert_eq!(key("Acme acquired Bolt."), key("Bolt acquired Acme."));
    assert!(reversed("Acme acquired Bolt.", "Bolt acquired Acme."));
    assert!(!reversed("Acme acquired Bolt.", "Bolt was acquired by Acme."));
    assert!(reversed("Bolt acquired Acme.", "Bolt was acquired by Acme."));
    assert!(!reversed("The revenue of Acme grew.", "Acme revenue grew."));
}

#[test]
fn names_and_addresses_have_one_form() {
    assert_eq!(text_key("  Ａcme—Corp. (“UK”) "), "acme corp uk");
    assert!(text_key("C++") != text_key("C"));
    assert_eq!(address_key("http://WWW.Example.org:/a/?utm_source=x&p=1#top"), "example.org:/a?p=1");
    assert_eq!(address_key("kb:base/doc"), "kb:base/doc");
    assert_eq!(origin_of("https://news.example.co.uk/a"), "example.co.uk");
    assert_eq!(origin_of("https://a.b.example.org:8080/x"), "example.org");
    assert_eq!(origin_of("kb:base/doc"), "kb:base/doc");
    assert_eq!(origin_of("https://10.0.0.1/x"), "10.0.0.1");
}

#[test]
fn rounding_is_no_difference_and_the_kinds_are_told() {
    let cases = [
        ("Acme had revenue of $12.4 million.", "Acme had revenue of $12,412,000.", None),
        (
            "Acme had revenue of $12.4 million.",
            "Acme had revenue of $13,412,000.",
            Some(ConflictKind::Number),
        ),
        (
            "The retention period of records is 12 months.",
            "The retention period of records is 12 days.",
            Some(ConflictKind::Unit),
        ),
        (
            "The buffer holds at least 5 litres of water.",
            "The buffer holds at most 5 litres of water.",
            Some(ConflictKind::Bound),
        ),
        ("The buffer holds at least 5 litres of water.", "The buffer holds 9 litres of water.", None),
        (
            "The buffer holds at least 5 litres of water.",
            "The buffer holds 4 litres of water.",
            Some(ConflictKind::Number),
        ),
        ("The town hall was opened in 1856.", "The town hall was opened in 1900.", Some(ConflictKind::Date)),
        ("The town hall was opened in May 1856.", "The town hall was opened in 1856.", None),
        ("The auditor must report fraud.", "The auditor may report fraud.", Some(ConflictKind::Modal)),
        (
            "The auditor must report fraud.",
            "The auditor must not report fraud.",
            Some(ConflictKind::Negation),
        ),
    ];
    for (first, second, kind) in cases {
        assert_eq!(difference(first, second), kind, "{first} / {second}");
        assert_eq!(difference(second, first), kind, "{second} / {first}");
    }
}
