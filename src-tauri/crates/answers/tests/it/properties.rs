//! What holds of any input.

use answers::{
    DocumentInput, PauseInput, build, format_pause, lookup, parse_sections, recover_json, to_answer_json,
    to_html, to_markdown,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::document::sample;
use crate::hostile::{ATTACKS, check};

/// Pieces of Markdown, attacks among them, in any order.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(ATTACKS.to_vec()).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["\n", "\n\n", " ", "# ", "## ", "> ", "- ", "```", "`", "*", "**", "|", "(", ")", "[", "]", "]:", "<", ">", "WEB_REF|", "PRIOR_REF|P2|", "[W1]", "[P2]", "(ISA 315.12)", "; ISA 999.2", "\\", "    ", "---", "===", "&"]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        markdown().prop_map(Value::from),
    ];
    let key = prop_oneof![
        prop::sample::select(vec![
            "query_plan",
            "clarity_score",
            "sub_queries",
            "query",
            "role",
            "assumptions",
            "citations",
            "results",
            "source_ref",
            "quote",
            "verdict",
            "text",
            "start",
            "end",
            "scores",
            "thresholds",
            "unsupported",
            "source_texts",
            "ref",
            "id",
            "synthesis",
            "gaps",
            "confidence",
            "version",
            "answer",
            "rawText",
            "queries",
            "action",
            "skipped",
            "websearch_calibration"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,5}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// `PROPTEST_CASES` asks for more than the few that every test run does.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_body_gives_a_sound_document_and_always_the_same(text in markdown()) {
        let mut input = sample();
        input.answer["synthesis"] = json!(text);
        let document = build(&input);
        check(&document);
        let again = build(&input.clone());
        prop_assert_eq!(to_markdown(&document), to_markdown(&again));
        prop_assert_eq!(to_html(&document), to_html(&again));
        prop_assert!(!to_html(&document).contains("<script"));
        prop_assert_eq!(to_answer_json(&document, json!({})), to_answer_json(&again, json!({})));
    }

    #[test]
    fn any_values_give_a_sound_document(answer in value(), plan in value(), verification in value(), paragraphs in value(), title in markdown()) {
        let input = DocumentInput { title, answer, plan: Some(plan), verification: Some(verification), paragraphs: Some(paragraphs), ..sample() };
        check(&build(&input));
    }

    #[test]
    fn any_data_gives_a_pause_message(data in value(), question in markdown(), path in "\\PC{0,20}") {
        let display = serde_json::from_str(include_str!("../fixtures/display-query-plan.json")).unwrap();
        let input = PauseInput { stage_title: &question, display: Some(&display), status: None, data: &data, questions: std::slice::from_ref(&question), choices: &[], cost: None };
        let message = format_pause(input);
        prop_assert_eq!(&message, &format_pause(input));
        prop_assert_eq!(message.markdown.matches("<details>\n<summary>").count(), 1);
        let outside: Vec<String> = pulldown_cmark::Parser::new(&message.markdown).filter_map(|event| match event {
            pulldown_cmark::Event::Html(raw) | pulldown_cmark::Event::InlineHtml(raw) => Some(raw.to_string()),
            pulldown_cmark::Event::Start(pulldown_cmark::Tag::Heading { .. } | pulldown_cmark::Tag::Link { .. } | pulldown_cmark::Tag::Image { .. }) => Some("more than words".to_owned()),
            _ => None,
        }).collect();
        prop_assert_eq!(outside.len(), 3, "{:?} in {}", outside, message.markdown);
        let _ = lookup(&data, &data, &path);
        let _ = recover_json(&question);
        let _ = parse_sections(&question);
        let _ = answers::FollowUpContext::from_answer(Some(&data));
    }
}
