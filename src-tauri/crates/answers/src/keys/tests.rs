use super::*;
use pretty_assertions::assert_eq;

fn paragraphs() -> Vec<Keyed> {
    let one = |id: &str, sentences: &[&str]| Keyed {
        id: id.to_owned(),
        source_ref: id.to_owned(),
        sentences: sentences.iter().map(|&one| one.to_owned()).collect(),
    };
    vec![
        one("AC-2(1)", &["Accounts are reviewed.", "Unused ones are removed.", "A log is kept."]),
        one("Art. 5", &["It is prohibited."]),
    ]
}

fn resolved_by(
    synthesis: &str,
    paragraphs: &[Keyed],
    form: KeyForm,
) -> (String, Vec<(String, String, String)>, Vec<String>) {
    let found = resolve_keys(&json!({ "synthesis": synthesis }), paragraphs, form);
    let of = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let citations = found.answer["citations"].as_array().unwrap();
    let citations =
        citations.iter().map(|one| (of(one, "key"), of(one, "claim"), of(one, "quote"))).collect();
    (found.answer["synthesis"].as_str().unwrap().to_owned(), citations, found.unknown)
}

fn resolved(synthesis: &str) -> (String, Vec<(String, String, String)>, Vec<String>) {
    resolved_by(synthesis, &paragraphs(), KeyForm::Marked)
}

fn entry(key: &str, claim: &str, quote: &str) -> (String, String, String) {
    (key.to_owned(), claim.to_owned(), quote.to_owned())
}

#[test]
fn keys_become_references_and_quotes() {
    let (text, citations, unknown) = resolved(
        "Review them [@1.1]. Remove the rest [@1.2-3; @2.1]. Never do it.[@2.1] Last one [@1.1][@1.3].",
    );
    assert_eq!(
        text,
        "Review them (AC-2(1)). Remove the rest (AC-2(1); Art. 5). Never do it. (Art. 5) Last one (AC-2(1))."
    );
    assert_eq!(
        citations,
        [
            entry("1.1", "Review them.", "Accounts are reviewed."),
            entry("1.2", "Remove the rest.", "Unused ones are removed."),
            entry("1.3", "Remove the rest.", "A log is kept."),
            entry("2.1", "Remove the rest.", "It is prohibited."),
            entry("2.1", "Never do it.", "It is prohibited."),
            entry("1.1", "Last one.", "Accounts are reviewed."),
            entry("1.3", "Last one.", "A log is kept."),
        ]
    );
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn what_models_make_of_the_form_is_read() {
    let both = "So it is (AC-2(1); Art. 5).";
    for (written, shown) in [
        ("[@1.1; 2.1]", both),
        ("[@1.1, @2.1]", both),
        ("[@1.1 @2.1]", both),
        ("[@1.1@2.1]", both),
        ("[@1.1 and @2.1]", both),
        ("[@1.1 & 2.1]", both),
        ("[ @1.1 ;@ 2.1 ]", both),
        ("[@1.1], [@2.1]", both),
        ("[@1.3-2.1]", both),
        ("[@1-2]", both),
        ("(@1.1; @2.1)", both),
        ("([@1.1; @2.1])", both),
        ("\u{3010}@1.1; @2.1\u{3011}", both),
        ("\\[@1.1; @2.1\\]", both),
        ("[@1.1\u{2013}@1.3]", "So it is (AC-2(1))."),
        ("[@1.1 - 1.2]", "So it is (AC-2(1))."),
        ("[@1.2-1.3.]", "So it is (AC-2(1))."),
        ("[@2](x)", "So it is (Art. 5)(x)."),
    ] {
        let (text, citations, unknown) = resolved(&format!("So it is {written}."));
        assert_eq!(text, shown, "{written}");
        assert!(!citations.is_empty() && unknown.is_empty(), "{written}: {citations:?} {unknown:?}");
    }
    assert_eq!(resolved("The Act [@2.1]: no.").0, "The Act (Art. 5): no.");
    assert_eq!(resolved("The whole [@2].").1, [entry("2", "The whole.", "")]);
}

#[test]
fn a_key_that_names_nothing_is_an_unknown_citation_and_told() {
    let (text, citations, unknown) =
        resolved("It holds [@9.1; @1.4]. It holds too [@1.1, 7.2, see x]. Say [@3].");
    assert_eq!(
        text,
        "It holds (unknown citation 9.1; unknown citation 1.4). It holds too (AC-2(1); unknown citation 7.2; \
         unknown citation see x). Say (unknown citation 3)."
    );
    assert_eq!(citations.len(), 6);
    assert_eq!(citations[0], entry("9.1", "It holds.", ""));
    assert_eq!(unknown, ["9.1", "1.4", "7.2", "see x", "3"]);
    let wide = resolved("So it is [@1.1-99].");
    assert_eq!((wide.0.as_str(), wide.2), ("So it is (unknown citation 1.1-99).", vec!["1.1-99".to_owned()]));
}

#[test]
fn other_brackets_numbers_and_code_stay_as_they_are() {
    for text in [
        "A [W1] page.",
        "A [P2] part.",
        "A [link](http://a.example).",
        "`a[@1.1]` it is.",
        "[see 1.1]",
        "[@home] and [@1.1",
        "Earlier work [2] found it.[3] In [2019] UKSC 12, within [0, 1], pays [30] days and [1.1] more than [2.1] does.",
        "[1]: x",
        "[^1] and [[1.1]] and {1.1} and (1.1) and <1.1>",
    ] {
        assert_eq!(resolved(text).0, text);
    }
    let fenced = "It is so:\n\n```\na[@1.1]\n```";
    assert_eq!(resolved(fenced).0, fenced);
}

#[test]
fn words_of_the_material_that_look_like_keys_stay() {
    let own = Keyed {
        id: "guide".into(),
        source_ref: "Guide 3".into(),
        sentences: vec!["The writer sets [@1.1] behind a word, and (@1.1) too.".into()],
    };
    let (text, citations, _) = resolved_by(
        "It says \u{201c}The writer sets [@1.1] behind a word\u{201d} [@1.1].",
        &[own],
        KeyForm::Marked,
    );
    assert_eq!(text, "It says \u{201c}The writer sets [@1.1] behind a word\u{201d} (Guide 3).");
    assert_eq!(citations.len(), 1);
}

#[test]
fn a_model_that_forgets_the_sign_is_understood_where_no_number_can_be_a_document_s() {
    assert_eq!(
        resolved("Review them [1.1]. Remove the rest. [1.2]").0,
        "Review them (AC-2(1)). Remove the rest. (AC-2(1))"
    );
    for stays in [
        // Bare paragraphs, what was not given, what stands within a sentence, what stands beside right keys.
        "Review them [1].",
        "Review them [9.1].",
        "The [1.1] rule is one.",
        "Review them [@1.1]. Remove it [1.2].",
    ] {
        let expected = stays.replace("[@1.1]", "(AC-2(1))");
        assert_eq!(resolved(stays).0, expected);
    }
    let mut numbered = paragraphs();
    numbered[1].sentences[0] = "It is prohibited.[2]".to_owned();
    let text = "Review them [1.1].";
    assert_eq!(resolved_by(text, &numbered, KeyForm::Marked).0, text);
}

#[test]
fn runs_of_earlier_versions_are_read_as_they_were() {
    let (text, citations, unknown) = resolved_by(
        "It holds [9.1; 1.4]. It holds too [1.1, 7.2]. See [3]. All [1.1-3][2] ([2.1]). [1-2] [@1.1] [x]",
        &paragraphs(),
        KeyForm::Bare,
    );
    assert_eq!(text, "It holds. It holds too (AC-2(1)). See. All (AC-2(1); Art. 5). [@1.1] [x]");
    assert_eq!(citations.len(), 6, "{citations:?}");
    assert_eq!(unknown, ["9.1", "1.4", "7.2", "3", "1-2"]);
}

#[test]
fn what_the_model_listed_itself_stays() {
    let answer =
        json!({ "synthesis": "So [@2.1].", "citations": [{ "source_ref": "X", "quote": "q" }], "gaps": [] });
    let found = resolve_keys(&answer, &paragraphs(), KeyForm::Marked).answer;
    assert_eq!(found["citations"][1], json!({ "source_ref": "X", "quote": "q" }));
    assert_eq!(found["gaps"], json!([]));
    assert_eq!(resolve_keys(&json!("text"), &paragraphs(), KeyForm::Marked).answer, json!("text"));
}

#[test]
fn the_mark_of_an_item_is_no_part_of_its_quote() {
    let item = Keyed {
        id: "12.3".into(),
        source_ref: "12.3".into(),
        sentences: vec!["The tenant shall:".into(), "(c) insure the hall.".into()],
    };
    let quote = |form: KeyForm, key: &str| {
        resolved_by(&format!("It is insured {key}."), std::slice::from_ref(&item), form).1[0].2.clone()
    };
    assert_eq!(quote(KeyForm::Marked, "[@1.2]"), "insure the hall.");
    assert_eq!(quote(KeyForm::Bare, "[1.2]"), "(c) insure the hall.", "as earlier runs have it");
}
