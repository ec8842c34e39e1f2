use super::*;
use pretty_assertions::assert_eq;

fn replace_statements(
    attempt: &Value,
    named: &Value,
    answer: &Value,
    paragraphs: &[Keyed],
) -> ResolvedAnswer {
    super::replace_statements(attempt, named, answer, paragraphs, KeyForm::Marked)
}

fn paragraphs() -> Vec<Keyed> {
    vec![Keyed {
        id: "p".into(),
        source_ref: "P 1".into(),
        sentences: vec!["It is kept for five years.".into()],
    }]
}

fn statement(n: u64, words: &str, claim: &str) -> Value {
    json!({ "n": n, "statement": words, "claim": claim })
}

#[test]
fn only_what_was_named_is_replaced() {
    let attempt = json!({
        "synthesis": "## In short\n\n**First** it is *kept* for ten years (P 1). Then it is burned (P 1).\n\n- One more thing (P 1).\n- The last thing here (P 1).\n",
        "citations": [
            { "source_ref": "P 1", "claim": "First it is kept for ten years.", "quote": "x" },
            { "source_ref": "P 1", "claim": "Then it is burned.", "quote": "y" },
        ],
        "gaps": [],
    });
    let named = json!([
        statement(1, "First it is kept for ten years (P 1).", "First it is kept for ten years."),
        statement(3, "One more thing (P 1).", "One more thing."),
    ]);
    let answer = json!({ "replacements": [
        { "n": 1, "text": "It is kept for five years [@1.1]." },
        { "n": 2, "text": "Nobody asked." },
        { "n": 3, "text": "" },
    ], "gaps": ["Who burns it"] });
    let found = replace_statements(&attempt, &named, &answer, &paragraphs());
    assert_eq!(
        found.answer["synthesis"],
        "## In short\n\nIt is kept for five years (P 1). Then it is burned (P 1).\n\n- The last thing here (P 1).\n"
    );
    let quotes: Vec<&str> = found.answer["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["quote"].as_str().unwrap())
        .collect();
    assert_eq!(quotes, ["y", "It is kept for five years."]);
    assert_eq!(found.answer["gaps"], json!(["Who burns it"]));
    assert_eq!((found.unknown, found.notes), (vec![], vec![]));
}

#[test]
fn a_gap_that_is_answered_is_none_any_more() {
    let attempt = json!({
        "synthesis": "It is so (P 1). The paragraphs do not say how long it is kept. The paragraphs do not say who burns it.\n",
        "citations": [], "gaps": ["How long it is kept", "Who burns it", "When"],
    });
    let answer = json!({ "replacements": [], "gaps": ["When"], "filled": [
        { "n": 1, "text": "It is kept for five years [@1.1]." },
        { "n": 1, "text": "Twice [@1.1]." },
        { "n": 2, "text": "Nobody knows." },
        { "n": 3, "text": "Now [@7.7]." },
        { "n": 4, "text": "There is no such gap [@1.1]." },
    ]});
    let found = replace_statements(&attempt, &Value::Null, &answer, &paragraphs());
    assert_eq!(
        found.answer["synthesis"],
        "It is so (P 1). The paragraphs do not say who burns it.\n\nIt is kept for five years (P 1).\n\n## Found in a second search\n\n### How long it is kept\n\nIt is kept for five years (P 1).\n"
    );
    assert_eq!(found.answer["gaps"], json!(["Who burns it", "When"]));
    assert_eq!(found.answer["citations"][0]["quote"], "It is kept for five years.");
    assert_eq!(found.unknown, ["7.7"]);
}

#[test]
fn a_gap_that_is_answered_in_part_keeps_the_rest_and_the_summary_is_told() {
    let attempt = json!({
        "synthesis": "## In short\n\nIt is so (P 1). The paragraphs do not say how long it is kept. The paragraphs do not say who burns it.\n\n## More\n\nIt is so (P 1).\n",
        "citations": [], "gaps": ["How long it is kept and who burns it"],
    });
    let fill = |short: &str, open: &str| {
        json!({ "replacements": [], "filled": [
            { "n": 1, "text": "It is kept for five years [@1.1]. Nobody else says so.", "short": short, "open": open },
        ]})
    };
    let found = replace_statements(&attempt, &Value::Null, &fill("", "Who burns it."), &paragraphs());
    assert_eq!(
        found.answer["synthesis"],
        "## In short\n\nIt is so (P 1). The paragraphs do not say who burns it.\n\nIt is kept for five years (P 1).\n\n## More\n\nIt is so (P 1).\n\n## Found in a second search\n\n### How long it is kept and who burns it\n\nIt is kept for five years (P 1). Nobody else says so.\n"
    );
    assert_eq!(found.answer["gaps"], json!(["Who burns it"]));
    assert_eq!(found.answer["citations"].as_array().unwrap().len(), 1, "the same words once");
    let found =
        replace_statements(&attempt, &Value::Null, &fill("Five years it is [@1.1].", ""), &paragraphs());
    assert!(found.answer["synthesis"].as_str().unwrap().contains("\n\nFive years it is (P 1).\n\n## More"));
    assert_eq!(found.answer["gaps"], json!([]));
}

#[test]
fn an_answer_to_a_gap_that_is_taken_out_leaves_the_gap() {
    let attempt = json!({
        "synthesis": "It is so (P 1).\n\n## Found in a second search\n\n### How *long*\n\nFor ten years it is kept (P 1).\n\n### Who\n\nThe keeper burns all of it (P 1).\n",
        "citations": [{ "source_ref": "P 1", "claim": "For ten years it is kept.", "quote": "x" }], "gaps": [],
    });
    let named = |all: bool| {
        let one = statement(1, "For ten years it is kept (P 1).", "For ten years it is kept.");
        let other = statement(2, "The keeper burns all of it (P 1).", "The keeper burns all of it.");
        if all { json!([one, other]) } else { json!([one]) }
    };
    let out =
        json!({ "replacements": [{ "n": 1, "text": "" }, { "n": 2, "text": "" }], "gaps": ["How long"] });
    let found = replace_statements(&attempt, &named(false), &out, &paragraphs());
    assert_eq!(
        found.answer["synthesis"],
        "It is so (P 1).\n\n## Found in a second search\n\n### Who\n\nThe keeper burns all of it (P 1).\n"
    );
    assert_eq!(found.answer["gaps"], json!(["How long"]), "once");
    let found = replace_statements(&attempt, &named(true), &out, &paragraphs());
    assert_eq!(found.answer["synthesis"], "It is so (P 1).\n");
    assert_eq!(found.answer["gaps"], json!(["How long", "Who"]));
}

#[test]
fn what_can_not_be_found_or_used_changes_nothing() {
    let attempt = json!({ "synthesis": "It is so (P 1).", "citations": [] });
    let named = json!([statement(1, "It was so.", "It was so.")]);
    let found =
        replace_statements(&attempt, &named, &json!({ "replacements": [{ "n": 1, "text": "x" }] }), &[]);
    assert_eq!((&found.answer, found.notes.len()), (&attempt, 1));
    assert_eq!(replace_statements(&attempt, &Value::Null, &json!("?"), &[]).answer, attempt);
    assert_eq!(replace_statements(&Value::Null, &named, &json!({}), &[]).answer, Value::Null);
}
