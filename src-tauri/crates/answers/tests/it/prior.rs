//! The earlier answer in a follow-up.

use answers::{
    DocumentInput, FollowUpContext, FollowUpError, PriorSection, build, parse_sections, to_html, to_markdown,
};
use domain::EarlierAnswer;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::document::sample;

fn ids(markdown: &str) -> Vec<(String, String)> {
    parse_sections(markdown).into_iter().map(|section| (section.id, section.heading)).collect()
}

fn pair(id: &str, heading: &str) -> (String, String) {
    (id.to_owned(), heading.to_owned())
}

#[test]
fn sections_are_cut_at_second_level_headings_only() {
    let markdown = "# Title\n\nLead.\n\n## One\n\nText.\n\n### Deeper\n\nMore.\n\n## *Two* `x` ##\n\n```\n## Not a heading\n```\n\n~~~~\n## Nor this\n~~~\n## Nor that\n~~~~\n\n## Three\n";
    assert_eq!(ids(markdown), [pair("P1", "One"), pair("P2", "Two x"), pair("P3", "Three")]);
    assert_eq!(parse_sections(markdown)[0].excerpt, "Text. ### Deeper More.");
}

#[test]
fn sections_that_code_writes_are_left_out() {
    let markdown = "## Original Question\n\nq\n\n## A\n\na\n\n## verification summary\n\n## Citations Used\n\n## External References\n\n## Prior Research References\n\n## Gaps and Limits\n\n## Appendix: Research Decomposition\n\n## Out-of-Scope Notes\n\n## B\n";
    assert_eq!(ids(markdown), [pair("P1", "A"), pair("P2", "B")]);
    assert_eq!(ids(""), []);
}

#[test]
fn excerpts_end_at_a_word_within_500_characters_and_leave_sources_out() {
    let words = "w\u{e9}rd ".repeat(200);
    let markdown =
        format!("## A\n\n{words}\n\n## B\n\nText [W1].\n\n> **Sources**\n> *ISA 1.1: \"x\"*\n\nAfter.\n");
    let sections = parse_sections(&markdown);
    assert!(sections[0].excerpt.chars().count() <= 500);
    assert!(sections[0].excerpt.ends_with("w\u{e9}rd..."));
    assert_eq!(sections[1].excerpt, "Text [W1]. After.");
}

#[test]
fn a_context_is_read_from_an_answer_file() {
    let queries: Vec<_> = (1..=7)
        .map(|index| json!({ "text": format!("q{index}"), "role": "core", "standards": ["ISA 315"] }))
        .collect();
    let answer = json!({
        "version": 1,
        "answer": "## Risk\n\nIt is assessed (ISA 315.12).\n",
        "original_query": "How is risk assessed?",
        "followup_number": 1,
        "citations": [{ "source_ref": "ISA 315.12", "paragraph_id": "p-12" }, { "source_ref": "ISA 330.5" }, { "source_ref": "ISA 315.12", "paragraph_id": "p-12" }],
        "sub_queries": queries,
        "limits": { "gaps": ["Who decides it"] },
    });
    let context = FollowUpContext::from_answer(Some(&answer)).unwrap();
    assert_eq!(context.number, 2);
    assert_eq!(context.paragraph_ids, ["p-12", "ISA 330.5"]);
    assert_eq!(context.sub_queries.len(), 5);
    assert_eq!(
        context.summary(),
        "This is follow-up number 2 to an earlier question. Plan for what is new, goes deeper or was left open.

Earlier question: How is risk assessed?

Answered (Risk): It is assessed (ISA 315.12).

Left open:
- Who decides it"
    );
    assert_eq!(
        context.context_text(),
        "The question follows up on the answer below. Build on it, do not repeat it, and point to its sections by their labels.

## [P1] Risk

It is assessed (ISA 315.12)."
    );
}

#[test]
fn what_can_not_be_read_is_an_error_fit_for_a_warning() {
    let read = |value: serde_json::Value| FollowUpContext::from_answer(Some(&value)).unwrap_err();
    assert_eq!(FollowUpContext::from_answer(None).unwrap_err(), FollowUpError::Missing);
    assert_eq!(read(json!(null)), FollowUpError::Missing);
    assert_eq!(read(json!([1])), FollowUpError::Malformed("not a JSON object".into()));
    assert_eq!(read(json!({ "answer": 5 })), FollowUpError::Malformed("its `answer` is not a text".into()));
    assert_eq!(
        read(json!({ "version": "x", "answer": "a" })),
        FollowUpError::Malformed("its version is not a number".into())
    );
    assert_eq!(read(json!({ "version": 2, "answer": "a" })), FollowUpError::Version(2));
    assert_eq!(read(json!({ "answer": "  " })), FollowUpError::Empty);
    assert_eq!(read(json!({})).to_string(), "the earlier answer has no text, so this run starts without it");
}

#[test]
fn the_list_of_prior_research_names_the_earlier_answer_and_the_first_statement_of_a_section() {
    let listed = PriorSection {
        id: "P2".to_owned(),
        number: 2,
        heading: "Scope".to_owned(),
        excerpt: "- \u{201c}What is **in**.\u{201d} (Primer 4.3) - \u{201c}What is out.\u{201d} (Primer 4.4)"
            .to_owned(),
    };
    let earlier = EarlierAnswer {
        run: "run-01ab".to_owned(),
        question: "How is risk <b>found</b>?".to_owned(),
        asked: "2026-11-28".to_owned(),
        agent: "Research".to_owned(),
        title: "Risk [1]".to_owned(),
    };
    let input = DocumentInput { prior_sections: vec![listed.clone()], ..sample() };
    assert!(
        to_markdown(&build(&input)).contains("- [P2] Scope - - "),
        "runs of earlier versions stay as they are"
    );

    let document = build(&DocumentInput { earlier: Some(earlier), ..input });
    let markdown = to_markdown(&document);
    let (_, list) = markdown.split_once("## Prior Research References\n\n").unwrap();
    let lines: Vec<&str> = list.lines().take(2).collect();
    assert!(
        lines[0].starts_with("- Earlier answer: [Risk ") && lines[0].contains("(agentnative://run/run-01ab)"),
        "{list}"
    );
    assert!(
        lines[0].contains("(Research, 28 November 2026, asked: \u{201c}How is risk ")
            && !lines[0].contains("<b>"),
        "{list}"
    );
    assert_eq!(lines[1], "- [P2] Scope - \u{201c}What is in.\u{201d}");
    let html = to_html(&document);
    let named = "<li>Earlier answer: <a href=\"agentnative://run/run-01ab\">Risk [1]</a> (Research, 28 November 2026, asked: \u{201c}How is risk &lt;b&gt;found&lt;/b&gt;?\u{201d})</li>";
    assert!(html.contains(named), "{html}");
    assert!(html.contains("<li id=\"prior-2\">[P2] Scope - \u{201c}What is in.\u{201d}</li>"), "{html}");
}
