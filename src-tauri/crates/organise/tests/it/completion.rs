use organise::{Choice, CompletionKind, Completions, Field, KnownValues, complete};
use pretty_assertions::assert_eq;

fn known() -> KnownValues {
    let choice = |value: &str, label: &str| Choice { value: value.to_owned(), label: label.to_owned() };
    KnownValues {
        values: vec![
            (Field::SessionStatus, vec![choice("todo", "Todo"), choice("done", "Done")]),
            (Field::Labels, vec![choice("bug", "Bug"), choice("due", "Due"), choice("a\"b", "Quoted")]),
        ],
    }
}

/// What fits at the `|` of a text.
fn at(text: &str) -> (Completions, String) {
    let caret = text.find('|').unwrap();
    let text = text.replace('|', "");
    let found = complete(&text, caret, &known());
    let replaced = text[found.replace.start as usize..found.replace.end as usize].to_owned();
    (found, replaced)
}

fn inserts(text: &str) -> Vec<String> {
    at(text).0.items.into_iter().map(|item| item.insert).collect()
}

#[test]
fn values_of_a_field_come_first_where_they_fit() {
    assert_eq!(inserts("sessionStatus == |")[..2], ["\"todo\"", "\"done\""]);
    assert_eq!(inserts("sessionStatus == \"d|"), ["\"todo\"", "\"done\""]);
    assert_eq!(inserts("sessionStatus == \"don|"), ["\"done\""]);
    assert_eq!(inserts("sessionStatus not in (\"todo\", \"|"), ["\"todo\"", "\"done\""]);
    assert_eq!(inserts("isFlagged and contains(labels, \"b|"), ["\"bug\"", "\"a\\\"b\""]);
    assert_eq!(inserts("hasLabel(\"du|"), ["\"due\""]);
    assert_eq!(inserts("permissionMode == \"|"), ["\"safe\"", "\"ask\"", "\"allow-all\""]);
    assert_eq!(at("name == \"x|").0.items, []);
}

#[test]
fn a_begun_word_is_replaced_whole() {
    let (found, replaced) = at("isFlagged and hasU|nr == true");
    assert_eq!(replaced, "hasUnr");
    assert_eq!(found.items[0].insert, "hasUnread");
    assert_eq!(found.items[0].kind, CompletionKind::Field);
    let (found, replaced) = at("tokenUsage.to|");
    assert_eq!(replaced, "tokenUsage.to");
    assert_eq!(found.items[0].insert, "tokenUsage.totalTokens");
    let (found, _) = at("dayss|");
    assert_eq!((found.items[0].insert.as_str(), found.items.len()), ("daysSince(", 1));
    let (found, replaced) = at("sessionStatus == \"to|");
    assert_eq!((replaced.as_str(), found.items[0].insert.as_str()), ("\"to", "\"todo\""));
}

#[test]
fn what_fits_depends_on_what_stands_before() {
    assert_eq!(inserts("hasUnread |")[..3], ["and ", "or ", "== "]);
    assert_eq!(inserts("messageCount |")[..2], ["< ", "<= "]);
    assert_eq!(inserts("name |")[..2], ["== ", "!= "]);
    assert!(inserts("name n|").contains(&"not in (".to_owned()));
    for text in ["|", "hasUnread and |", "(|", "not |", "daysSince(|", "if |", "1 + |"] {
        let found = at(text).0.items;
        assert!(found.iter().any(|item| item.kind == CompletionKind::Field), "{text}");
        assert!(found.iter().all(|item| item.kind != CompletionKind::Operator), "{text}");
    }
}

#[test]
fn what_is_wrong_before_the_caret_completes_nothing() {
    for text in ["name = |", "name == 'x|", "1.2.|", "é|"] {
        assert_eq!(at(text).0.items, [], "{text}");
    }
}
