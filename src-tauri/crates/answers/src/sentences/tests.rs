use super::*;
use crate::blocks::leaves;
use pretty_assertions::assert_eq;

#[test]
fn sentences_without_a_source_are_found_and_only_those() {
    let text = "The auditor shall plan the work (ISA 300.2). Nobody says why this holds. That follows, e.g. from practice. (ISA 300.3) Rates rose last year [W1]. Short one.\n\n- A list item with no source at all\n- Another one, with it (ISA 300.2)\n\n> A quote that claims many things.\n\nThe steps are these three:\n";
    let refs = Refs::new(["ISA 300.2"].into_iter(), &[]);
    assert_eq!(
        uncited(&leaves(text), &refs, &QuotedWords::default()),
        ["Nobody says why this holds.", "A list item with no source at all"]
    );
}

#[test]
fn a_quotation_closed_by_one_citation_is_cited_as_a_whole() {
    let text = "\u{201C}The first thing holds here. The second thing holds too.\u{201D} (ISA 300.2) Nobody says why that is.\n\n- \"One more thing is said. And then another one.\" (ISA 300.2)\n- \u{201C}This one is said. Without any source at all.\u{201D}\n";
    let refs = Refs::new(["ISA 300.2"].into_iter(), &[]);
    assert_eq!(
        uncited(&leaves(text), &refs, &QuotedWords::default()),
        ["Nobody says why that is.", "\u{201C}This one is said. Without any source at all.\u{201D}"]
    );
}

#[test]
fn each_sentence_comes_with_its_citations_and_the_quotes_given_for_them() {
    let listed = |source_ref: &str, claim: &str, quote: &str| ListedCitation {
        source_ref: source_ref.to_owned(),
        claim: claim.to_owned(),
        quote: quote.to_owned(),
        ..ListedCitation::default()
    };
    let answer = "## In short\n\nThe team **plans** the work (ISA 300.2; ISA 300.3). Rates rose last year [W1]. Yes.\n\nNobody says why this holds. It must (see ISA 300.2) be written down.\n\n| a | b |\n|---|---|\n| no | kept for long (ISA 300.3) |\n\n> **Sources**\n> (ISA 300.2)\n\nThe steps are these three:\n";
    let given = [
        listed("(ISA 300.2)", "It is written down.", "be written down"),
        listed("(ISA 300.2)", "The work is planned.", "plans the work"),
    ];
    let sentence = |text: &str, claim: &str, citations: &[(&str, &str)], labelled| CitedSentence {
        text: text.to_owned(),
        claim: claim.to_owned(),
        citations: citations
            .iter()
            .map(|(a, b)| SentenceCitation {
                source_ref: (*a).to_owned(),
                quote: (*b).to_owned(),
                paragraph_id: None,
            })
            .collect(),
        labelled,
        row: None,
    };
    assert_eq!(
        cited_sentences(answer, &given, &[]),
        [
            sentence(
                "The team plans the work (ISA 300.2; ISA 300.3).",
                "The team plans the work.",
                &[("ISA 300.2", "plans the work"), ("ISA 300.3", "")],
                false
            ),
            sentence("Rates rose last year [W1].", "Rates rose last year.", &[], true),
            sentence("Nobody says why this holds.", "Nobody says why this holds.", &[], false),
            sentence(
                "It must (see ISA 300.2) be written down.",
                "It must be written down.",
                &[("ISA 300.2", "be written down")],
                false
            ),
            CitedSentence {
                row: Some("no | b".into()),
                ..sentence("kept for long (ISA 300.3)", "kept for long", &[("ISA 300.3", "")], false)
            },
        ]
    );
}

#[test]
fn labels_of_lists_claim_nothing_and_short_statements_do() {
    for label in [
        "Old system, January to June.",
        "Oversight of the provider.",
        "Security and privacy plans.",
        "New system, July to December.",
    ] {
        assert!(!claims_something(label), "{label}");
    }
    for said in [
        "Management prepares the statements.",
        "It is kept ten years.",
        "Auditors must sign it.",
        "The partner signed the report.",
        "Keep the papers for years.",
    ] {
        assert!(claims_something(said), "{said}");
    }
}

#[test]
fn labels_are_read_with_their_numbers() {
    assert_eq!(labels("a [W1] [P12] [X1] [W] [W1x] [W", &QuotedWords::default()), [('W', 1), ('P', 12)]);
}

#[test]
fn a_quote_between_marks_names_its_source_and_an_absence_needs_none() {
    let listed = [ListedCitation {
        source_ref: "(Art. 5(1))".into(),
        quote: "It shall be kept for five years".into(),
        ..ListedCitation::default()
    }];
    let text = "The law says \u{201c}It shall be kept for five years\u{201d} of it. \
                It is burned after that, says somebody. \
                The paragraphs given do not state who burns it. The sources require a fire.";
    let found = cited_sentences(text, &listed, &[]);
    let shown: Vec<(usize, Option<&str>)> = found
        .iter()
        .map(|one| (one.citations.len(), one.citations.first().map(|one| one.source_ref.as_str())))
        .collect();
    assert_eq!(shown, [(1, Some("Art. 5(1)")), (0, None), (0, None)], "{found:?}");
}

#[test]
fn sentences_of_scripts_without_blanks_are_told_apart_and_claim_something() {
    assert_eq!(split("付款期限为三十日。[3.2]逾期须付利息。"), ["付款期限为三十日。[3.2]", "逾期须付利息。"]);
    assert!(claims_something("逾期付款的利率为每年百分之五。"));
    assert!(!claims_something("付款期限"));
}
