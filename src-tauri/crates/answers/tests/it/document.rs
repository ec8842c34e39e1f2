//! The answer document, whole.

use answers::{
    DocumentInput, PriorSection, Skipped, SourceEntry, WebReference, build, to_answer_json, to_html,
    to_markdown,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const SYNTHESIS: &str = "\
The auditor identifies risks first (ISA 315.12). Groups differ [W1].

## Identification

Inquiries are made (ISA 315.12; ISA 315.14). Nobody says how often this is done. As said before [P2], scope matters (ISA 999.1).

| Step | Basis |
|---|---|
| Ask | (ISA 315.14) |

> **Sources**
> *ISA 315.12: \"something the answer remembers
> over two lines\"*
> WEB_REF|https://board.example/guide|Guides are new
> PRIOR_REF|P2|Scope|Scope was set

## Groups

- Components are covered too (ISA 600.3)
";

pub fn sample() -> DocumentInput {
    let text = "The auditor shall perform risk procedures.\nInquiries of management are included.";
    let quote = "shall perform risk procedures";
    DocumentInput {
        title: "How is risk | identified?".into(),
        question: "How is risk identified?\nAnd in groups?".into(),
        notice: Some("Primer: an explanatory text, not the standards".into()),
        answer: json!({
            "synthesis": SYNTHESIS,
            "citations": [
                { "source_ref": "ISA 315.12", "claim": "Risks come first", "quote": quote },
                { "source_ref": "ISA 315.14", "claim": "Inquiries | are made", "quote": "Inquiries of all" },
                { "source_ref": "ISA 600.3", "claim": "Components count", "quote": "" },
                { "source_ref": "ISA 700.1", "claim": "Never cited in the text", "quote": "x" },
            ],
            "confidence": 0.82,
            "gaps": ["Small entities"],
            "out_of_scope": ["Reviews"],
        }),
        cites_nothing: false,
        plan: Some(json!({ "query_plan": {
            "assumptions": ["Year end 2026"],
            "scope": "cross-standard",
            "sub_queries": [{ "query": "What is asked?", "role": "core", "target_standards": ["ISA 315"] }, { "text": "Groups?" }],
        } })),
        judgements: None,
        verification: Some(json!({
            "citations": {
                "results": [
                    { "source_ref": "ISA 315.12", "quote": quote, "verdict": "verified", "paragraph_id": "p12", "text": text, "start": 12, "end": 41 },
                    { "source_ref": "ISA 315.14", "quote": "Inquiries of all", "verdict": "quote_mismatch", "reason": "the paragraph says other words", "paragraph_id": "p14", "text": "The procedures include observation." },
                    { "source_ref": "ISA 600.3", "quote": "", "verdict": "missing", "reason": "no such paragraph" },
                ],
                "verified": 1, "total": 3, "score": 0.33,
            },
            "contradictions": { "candidates": [{ "claim": "always", "source_text": "never", "reason": "modal" }] },
            "scores": { "citation": 0.3333, "entity": 1, "style": 0.5 },
            "thresholds": { "citation": 0.9, "entity": 0.8 },
            "unsupported": [{ "sentence": "Components are covered too", "reason": "no paragraph" }],
            "needsRepair": true,
            "source_texts": [{ "id": "p12", "ref": "ISA 315.12", "text": text }],
        })),
        paragraphs: None,
        web_references: vec![
            WebReference {
                title: "Board | guide".into(),
                url: "https://board.example/guide".into(),
                insight: "New in May".into(),
            },
            WebReference { title: "Other".into(), url: "javascript:alert(1)".into(), insight: String::new() },
        ],
        prior_sections: vec![
            PriorSection { id: "P1".into(), number: 1, heading: "Unused".into(), excerpt: "u".into() },
            PriorSection {
                id: "P2".into(),
                number: 2,
                heading: "Scope".into(),
                excerpt: "What is in".into(),
            },
        ],
        earlier: None,
        changed: Vec::new(),
        followup_number: 1,
        warnings: vec!["two repairs did not help".into()],
        skipped: vec![Skipped { title: "Web search".into(), why: "you chose to skip it".into() }],
        output: domain::agent::Output::default(),
        depth: "deep".into(),
        reading: 0,
        citation_forms: vec!["ISA 315.12".into()],
    }
}

/// Compares with a file, or writes it after a wanted change: `UPDATE_EXPECTED=1 cargo test -p answers`.
pub fn assert_is_file(name: &str, text: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&file).unwrap());
}

#[test]
fn the_markdown_is_exactly_this() {
    assert_is_file("document.md", &to_markdown(&build(&sample())));
}

#[test]
fn the_page_is_exactly_this() {
    let html = to_html(&build(&sample()));
    let (head, rest) = html.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    assert_is_file("document.html", &format!("{head}<style></style>{body}"));
}

#[test]
fn the_answer_file_holds_what_a_follow_up_needs() {
    let value = to_answer_json(&build(&sample()), json!({ "model": "m" }));
    assert_eq!(value["version"], json!(1));
    assert_eq!(value["provenance"], json!({ "model": "m" }));
    assert_eq!(value["original_query"], json!("How is risk identified?\nAnd in groups?"));
    assert_eq!(
        value["citations"][0],
        json!({ "number": 1, "anchor": "cite-1", "source_ref": "ISA 315.12", "paragraph_id": "p12", "claim": "Risks come first",
            "quote": "shall perform risk procedures", "verdict": "verified", "reason": "", "in_body": true })
    );
    assert_eq!(value["sub_queries"][1], json!({ "text": "Groups?", "role": "", "standards": [] }));
    let context = answers::FollowUpContext::from_answer(Some(&value)).unwrap();
    assert_eq!(context.number, 2);
    assert_eq!(
        context.sections.iter().map(|section| section.heading.as_str()).collect::<Vec<_>>(),
        ["Identification", "Groups"]
    );
    assert_eq!(context.paragraph_ids, ["p12", "p14", "ISA 999.1", "ISA 600.3", "ISA 700.1"]);
}

#[test]
fn nothing_at_all_still_gives_a_document() {
    let document = build(&DocumentInput::default());
    assert_eq!(
        to_markdown(&document),
        "# Answer\n\n## Gaps and Limits\n\n### What did not go as planned\n\n- the run produced no answer text\n"
    );
    assert!(to_html(&document).contains("Citations were not verified"));
}

#[test]
fn without_verification_every_citation_is_marked() {
    let mut input = sample();
    input.verification = None;
    let markdown = to_markdown(&build(&input));
    assert!(markdown.contains("([ISA 315.12](#cite-1) [unverified: not checked])"), "{markdown}");
    assert!(
        markdown.contains("- no citation was checked\n") && !markdown.contains("## Verification Summary")
    );
}

#[test]
fn a_text_is_taken_from_what_was_retrieved_when_verification_has_none() {
    let mut input = sample();
    input.paragraphs = Some(json!([{ "id": "x3", "ref": "ISA 600.3", "text": "Text of six hundred." }]));
    let document = build(&input);
    let citation = document.citations.iter().find(|citation| citation.source_ref == "ISA 600.3").unwrap();
    assert_eq!(citation.text.as_deref(), Some("Text of six hundred."));
    assert_eq!(citation.mark(), Some("[unverified: no such paragraph]"));
}

#[test]
fn verification_that_is_half_there_is_read_as_far_as_it_goes() {
    for verification in [
        json!({}),
        json!(null),
        json!("x"),
        json!({ "citations": [{ "source_ref": "ISA 315.12", "verdict": "VERIFIED", "text": "abc", "quote": "b", "start": 900, "end": 2 }] }),
        json!({ "citations": { "results": [{ "source_ref": "ISA 315.12", "verdict": "excellent" }, 5, { "quote": "x" }] }, "scores": [1], "thresholds": { "a": "b" } }),
    ] {
        let mut input = sample();
        input.verification = Some(verification);
        let document = build(&input);
        assert!(to_html(&document).contains("Verification Summary"));
        assert!(
            document
                .citations
                .iter()
                .filter(|citation| citation.mark().is_none())
                .all(|citation| citation.text.as_deref() == Some("abc"))
        );
    }
}

#[test]
fn a_quote_is_marked_at_its_place_even_when_offsets_are_wrong() {
    let mut input = sample();
    input.verification = Some(json!({ "citations": { "results": [
        { "source_ref": "ISA 315.12", "quote": "vérité", "verdict": "verified", "text": "Ça\r\nla vérité, dit-on", "start": 1, "end": 3 },
    ] } }));
    input.answer = json!({ "synthesis": "It is so (ISA 315.12).", "citations": [{ "source_ref": "ISA 315.12", "claim": "c", "quote": "vérité" }] });
    let document = build(&input);
    assert!(to_html(&document).contains("Ça\nla <mark>vérité</mark>, dit-on"));
    assert!(
        to_markdown(&document).contains("**ISA 315.12**: Ça\\\n> la **vérité**, dit-on"),
        "{}",
        to_markdown(&document)
    );
}

#[test]
fn labels_that_name_nothing_are_reported() {
    let mut input = sample();
    input.answer = json!({ "synthesis": "Rates rose a lot [W7]. Scope was wide before [P9]." });
    let document = build(&input);
    assert!(
        document
            .limits
            .warnings
            .contains(&"the answer uses the label [W7], but the run has no such page".to_owned())
    );
    assert!(
        document.limits.warnings.contains(
            &"the answer uses the label [P9], but the earlier answer has no such section".to_owned()
        )
    );
}

#[test]
fn the_best_bar_needs_every_citation_verified() {
    let mut input = sample();
    input.answer = json!({ "synthesis": "It is so (ISA 315.12).", "citations": [{ "source_ref": "ISA 315.12", "claim": "c", "quote": "shall perform risk procedures" }] });
    let mut verification = input.verification.clone().unwrap();
    verification["citations"]["results"].as_array_mut().unwrap().truncate(1);
    verification["needsRepair"] = Value::Bool(false);
    verification["unsupported"] = json!([]);
    input.verification = Some(verification);
    let html = to_html(&build(&input));
    assert!(
        html.contains("<div class=\"bar good\"><strong>1 of 1 citation verified</strong></div>"),
        "{html}"
    );
}

#[test]
fn sources_stand_in_one_order_and_pages_keep_their_numbers() {
    let document = build(&sample());
    let kinds: Vec<&str> = document.sections[1]
        .sources
        .iter()
        .map(|entry| match entry {
            SourceEntry::Paragraph(_) => "paragraph",
            SourceEntry::Note(_) => "note",
            SourceEntry::Prior(_) => "prior",
            SourceEntry::Web(_) => "web",
        })
        .collect();
    assert_eq!(kinds, ["paragraph", "paragraph", "paragraph", "prior", "web"]);
}

/// A paragraph that two sections quote from.
fn quoted_twice() -> DocumentInput {
    let text = "A threshold is set first (see 4.8). It leaves room for errors, e.g. small ones. Nobody likes it much. Teams may not skip it, and they write it down. More is said here.";
    let quotes = [
        "A threshold is set first (see 4.8).",
        "they write it down",
        "It leaves room for errors",
        "Teams may",
    ];
    let found = |quote: &str, reason: &str| {
        let start = text.find(quote).unwrap();
        json!({ "source_ref": "Primer 4.3", "quote": quote, "verdict": "verified", "reason": reason, "paragraph_id": "4.3",
            "text": text, "start": start, "end": start + quote.trim_end_matches('.').len() })
    };
    let plain = "the paragraph holds the quote";
    let long = "A claim in other words than the paragraph's, ".repeat(8);
    DocumentInput {
        answer: json!({
            "synthesis": "## First\n\n\u{201C}A threshold is set first (see 4.8).\u{201D} (Primer 4.3)\n\n## Second\n\nIt is so that they write it down (Primer 4.3).\n",
            "citations": [
                { "source_ref": "Primer 4.3", "claim": quotes[0], "quote": quotes[0] },
                { "source_ref": "Primer 4.3", "claim": "\u{201C}They write it down.\u{201D}", "quote": quotes[1] },
                { "source_ref": "Primer 4.3", "claim": long, "quote": quotes[2] },
                { "source_ref": "Primer 4.3", "claim": "Teams may", "quote": quotes[3] },
            ],
        }),
        verification: Some(json!({
            "citations": { "results": [found(quotes[0], plain), found(quotes[1], plain), found(quotes[2], plain),
                found(quotes[3], "the paragraph holds the quote; the quote stops before a negation (\"not\"): read on")] },
            "scores": { "citation": 1, "contradiction": 0.86 },
            "thresholds": { "citation": 0.95 },
        })),
        prior_sections: Vec::new(),
        web_references: Vec::new(),
        warnings: Vec::new(),
        ..sample()
    }
}

#[test]
fn a_paragraph_is_given_in_full_once_and_then_in_the_sentences_around_its_quotes() {
    let markdown = to_markdown(&build(&quoted_twice()));
    let entries: Vec<&str> = markdown.lines().filter(|line| line.contains("**Primer 4.3**")).collect();
    assert_eq!(
        entries,
        [
            "> <a id=\"cite-1\"></a>**Primer 4.3**: **A threshold is set first (see 4.8)**. **It leaves room for errors**, e.g. small ones. Nobody likes it much. **Teams may** not skip it, and **they write it down**. More is said here.",
            "> **Primer 4.3**: [...] Teams may not skip it, and **they write it down**. [...] ([full text](#cite-1))",
        ]
    );
}

#[test]
fn citations_used_has_one_row_for_each_verdict_and_does_not_repeat_quotes() {
    let markdown = to_markdown(&build(&quoted_twice()));
    let (_, table) = markdown.split_once("## Citations Used").unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| 1 | [Primer")).collect();
    assert_eq!(rows.len(), 2, "{rows:#?}");
    assert!(
        rows[0].starts_with(
            "| 1 | [Primer 4.3](#cite-1) | verified | 3 | quoted word for word; A claim in other"
        ),
        "{}",
        rows[0]
    );
    assert!(rows[0].ends_with("... |") && rows[0].len() < 240, "{}", rows[0]);
    assert_eq!(
        rows[1],
        "| 1 | [Primer 4.3](#cite-1) | verified: the quote stops before a negation (\"not\"): read on | 1 | quoted word for word |"
    );
}

#[test]
fn a_score_without_a_threshold_is_not_shown() {
    let document = build(&quoted_twice());
    for text in [to_markdown(&document), to_html(&document)] {
        assert!(!text.contains("Contradiction"), "{text}");
    }
}

/// Records as the verify stage keeps them, one left to a reader.
pub fn with_records() -> DocumentInput {
    let record = |n: usize, verdict: &str, method: &str| {
        json!({
            "n": n, "sentence": format!("Sentence {n} (ISA 315.12)."), "claim": format!("Sentence {n}."),
            "citations": [{ "source_ref": "ISA 315.12", "base": "b", "generation": "g000001", "quote": "",
                            "verdict": "unverified", "method": "lookup", "reason": "no quote" }],
            "verdict": verdict, "proof": "none", "method": method, "reason": "why",
        })
    };
    let mut input = sample();
    let checks = input.verification.as_mut().and_then(serde_json::Value::as_object_mut).unwrap();
    checks.insert(
        "answer".into(),
        json!({
            "records": [record(1, "verified", "quoted"), record(2, "unverified", "no-model"), record(3, "missing", "lookup")],
            "axes": [{ "axis": "citation", "held": 2, "checked": 3, "score": 0.67 },
                     { "axis": "relation", "held": 0, "checked": 0, "score": 1.0 }],
        }),
    );
    checks["scores"]["citation"] = json!(0.67);
    checks["scores"]["relation"] = json!(1.0);
    input
}

#[test]
fn the_summary_counts_the_checks_of_each_axis_and_the_sentences_by_verdict() {
    let document = build(&with_records());
    let markdown = to_markdown(&document);
    assert!(markdown.contains("| Citation | 2 of 3 | 0.67 |"), "{markdown}");
    assert!(markdown.contains("| Relation | nothing to check | - |"), "{markdown}");
    assert!(markdown.contains("\n- Not answered: Small entities\n"), "{markdown}");
    let headline = "**3 statements: 1 quoted word for word, 1 unverified, 1 not supported by the source. 1 gap is named.**";
    assert!(markdown.contains(headline), "{markdown}");
    assert!(
        markdown
            .contains("| <a id=\"statement-3\"></a>3 | Sentence 3. | ✗ not supported by the source | why |")
    );
    assert!(!markdown.contains("{\""), "{markdown}");
    assert!(to_html(&document).contains("<td class=\"number\">2 of 3</td>"));
    let answer = answers::to_answer_json(&document, json!({}));
    assert_eq!(answer["sentences"]["version"], answers::RECORDS_VERSION);
    assert_eq!(answer["sentences"]["records"][2]["verdict"], "missing");
}

#[test]
fn an_answer_with_a_gap_is_never_marked_good() {
    let mut input = sample();
    let checks = input.verification.as_mut().and_then(serde_json::Value::as_object_mut).unwrap();
    let verified = checks["citations"]["results"][0].clone();
    let quote = verified["quote"].clone();
    checks.clear();
    checks.insert("citations".into(), json!({ "results": [verified] }));
    input.answer = json!({
        "synthesis": "It is so (ISA 315.12).",
        "citations": [{ "source_ref": "ISA 315.12", "claim": "It is so", "quote": quote }],
    });
    assert!(to_html(&build(&input)).contains("class=\"bar good\""));
    input.answer["gaps"] = json!(["Who decides it"]);
    let document = build(&input);
    assert_eq!(document.headline.as_ref().map(|one| one.level), Some(answers::Level::Open));
    let html = to_html(&document);
    assert!(html.contains("class=\"bar open\"") && html.contains("Not answered: Who decides it"), "{html}");
}

#[test]
fn an_answer_that_says_what_the_sources_do_not_say_is_never_marked_good() {
    let mut input = with_records();
    let records = input.verification.as_mut().and_then(|one| one.pointer_mut("/answer/records")).unwrap();
    let kept: Vec<serde_json::Value> = records.as_array().unwrap()[..1].to_vec();
    *records = json!(kept);
    input.verification.as_mut().unwrap()["needsRepair"] = json!(false);
    input.answer = json!({ "synthesis": "Sentence 1 (ISA 315.12).", "gaps": [] });
    input.question = "Which trucks are insured?".to_owned();
    let headline = build(&input).headline.unwrap();
    assert_eq!(headline.level, answers::Level::Open, "it answers another question");
    assert!(headline.text.ends_with("mentions: trucks, insured."), "{}", headline.text);
    input.question = "What does sentence 1 say?".to_owned();
    assert_eq!(build(&input).headline.unwrap().level, answers::Level::Good);
    input.answer["synthesis"] = json!("Sentence 1 (ISA 315.12). The paragraphs do not say who pays.");
    let headline = build(&input).headline.unwrap();
    assert_eq!(headline.level, answers::Level::Open);
    assert!(headline.text.ends_with("1 sentence says what the sources do not say."), "{}", headline.text);
}

#[test]
fn a_judge_changes_only_sentences_that_were_left_to_a_reader() {
    let mut input = with_records();
    let finding = |n: usize| json!({ "n": n, "finding": "entailed", "reason": "it says so" });
    input.judgements =
        Some(json!({ "judge": "small-1", "judgements": [finding(1), finding(2), finding(3), finding(9)] }));
    let document = build(&input);
    let found: Vec<(String, String)> = document
        .records
        .iter()
        .map(|one| {
            (serde_json::to_value(one.verdict).unwrap().as_str().unwrap().to_owned(), one.method.to_string())
        })
        .collect();
    let row = |verdict: &str, method: &str| (verdict.to_owned(), method.to_owned());
    assert_eq!(
        found,
        [row("verified", "quoted"), row("judged_supported", "judge:small-1"), row("missing", "lookup")]
    );
}

#[test]
fn a_report_whose_statements_name_no_sources_lists_none_of_them() {
    let answer = json!({ "synthesis": "The parser was changed. Its checks passed." });
    let listed = build(&DocumentInput { answer: answer.clone(), ..DocumentInput::default() });
    assert!(!listed.uncited_sentences.is_empty());
    let report = build(&DocumentInput { answer, cites_nothing: true, ..DocumentInput::default() });
    assert!(report.uncited_sentences.is_empty());
    assert!(!to_markdown(&report).contains("citation"), "{}", to_markdown(&report));
}

#[test]
fn a_citation_with_a_label_reads_as_its_file_and_page_everywhere() {
    let text = "Working papers are kept for seven years after the report.";
    let quote = "kept for seven years";
    let (id, label) = ("retention:retention/p1", "retention_[2].pdf, page 1");
    let input = DocumentInput {
        title: "Retention".into(),
        answer: json!({
            "synthesis": format!("They are kept for seven years ({id})."),
            "citations": [{ "source_ref": format!("({id})"), "claim": "Seven years", "quote": quote }],
        }),
        verification: Some(json!({ "citations": {
            "results": [{ "source_ref": format!("({id})"), "quote": quote, "verdict": "verified", "paragraph_id": id, "text": text }],
            "source_texts": [{ "id": id, "ref": format!("({id})"), "label": label, "text": text, "file": "retention_[2].pdf", "page": 1 }],
        } })),
        ..DocumentInput::default()
    };
    let document = build(&input);
    let markdown = to_markdown(&document);
    assert!(
        markdown.contains("They are kept for seven years ([retention\\_[2].pdf, page 1](#cite-1))."),
        "{markdown}"
    );
    let html = to_html(&document);
    let word = format!("{:?}", answers::to_word(&document, &answers::Exhibits::default()));
    for shown in [markdown.as_str(), &html, &word] {
        assert!(!shown.contains(id), "{shown}");
        // Said once: no place is repeated behind a label that says it.
        assert!(!shown.contains("(retention"), "{shown}");
    }
    assert!(html.contains(">retention_[2].pdf, page 1</a>"), "{html}");
    assert_eq!(
        to_answer_json(&document, Value::Null)["citations"][0]["source_ref"],
        json!(format!("({id})"))
    );
}

#[test]
fn headings_and_quotations_within_quotations_are_set_as_the_run_has_them() {
    let text = "\u{201c}Hall\u{201d} means the building.";
    let mut input = DocumentInput {
        answer: json!({
            "synthesis": format!("## CHANGE OF CONTROL\n\n\u{201c}{text}\u{201d} (A 1)"),
            "citations": [{ "source_ref": "(A 1)", "claim": text, "quote": text }],
        }),
        verification: Some(json!({ "citations": { "results": [
            { "source_ref": "(A 1)", "quote": text, "verdict": "verified", "paragraph_id": "1", "text": text, "start": 0, "end": text.len() }
        ] } })),
        ..DocumentInput::default()
    };
    let shown = |input: &DocumentInput| {
        let document = build(input);
        let note = answers::to_footnoted(&document, true).footnotes[0].text.clone();
        [to_markdown(&document), to_html(&document), note]
    };
    let [markdown, html, note] = shown(&input);
    assert!(markdown.contains("## CHANGE OF CONTROL\n\n\u{201c}\u{201c}Hall\u{201d} means"), "{markdown}");
    assert!(html.contains(">CHANGE OF CONTROL</h2>"), "{html}");
    assert!(note.contains(": \u{201c}\u{201c}Hall\u{201d} means"), "{note}");
    input.reading = 2;
    let [markdown, html, note] = shown(&input);
    assert!(markdown.contains("## Change of Control\n\n\u{201c}\u{2018}Hall\u{2019} means"), "{markdown}");
    assert!(html.contains(">Change of Control</h2>"), "{html}");
    assert!(note.contains(": \u{201c}\u{2018}Hall\u{2019} means"), "{note}");
}
