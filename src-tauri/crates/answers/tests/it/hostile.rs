//! Texts that try to be more than words.

use answers::{Document, DocumentInput, build, to_html, to_markdown};
use pretty_assertions::assert_eq;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;

use crate::document::sample;

/// A document whose body is this text.
fn with_body(text: &str) -> Document {
    let mut input = sample();
    input.answer["synthesis"] = json!(text);
    build(&input)
}

/// A document that holds this text wherever text from outside can stand.
fn everywhere(text: &str) -> Document {
    let page = answers::WebReference {
        title: text.into(),
        url: format!("https://a.example/{text}"),
        insight: text.into(),
    };
    let section =
        answers::PriorSection { id: "P1".into(), number: 1, heading: text.into(), excerpt: text.into() };
    build(&DocumentInput {
        title: text.into(),
        question: text.into(),
        notice: Some(text.into()),
        answer: json!({
            "synthesis": format!("{text}\n\n[P1] (ISA 1.1) ({text})\n\n> **Sources**\n> {text}\n> WEB_REF|https://a.example/x|{text}\n> PRIOR_REF|P1|{text}|{text}\n\n{text}"),
            "citations": [{ "source_ref": "ISA 1.1", "claim": text, "quote": text }, { "source_ref": text, "claim": text, "quote": "b" }],
            "confidence": text, "gaps": [text], "out_of_scope": [text],
        }),
        cites_nothing: false,
        plan: Some(
            json!({ "assumptions": [text], "scope": text, "sub_queries": [{ "query": text, "role": text, "target_standards": [text] }] }),
        ),
        judgements: None,
        verification: Some(json!({
            "citations": { "results": [{ "source_ref": "ISA 1.1", "quote": text, "verdict": "verified", "paragraph_id": text, "text": format!("before {text} after") },
                { "source_ref": text, "quote": "b", "verdict": "missing", "reason": text }] },
            "scores": { text: 0.5 }, "unsupported": [text], "contradictions": { "candidates": [{ "claim": text, "reason": text }] },
        })),
        paragraphs: None,
        web_references: vec![page],
        prior_sections: vec![section],
        earlier: Some(domain::EarlierAnswer {
            run: text.into(),
            question: text.into(),
            asked: text.into(),
            agent: text.into(),
            title: text.into(),
        }),
        changed: vec![text.into()],
        followup_number: 1,
        warnings: vec![text.into()],
        skipped: vec![answers::Skipped { title: text.into(), why: text.into() }],
        output: domain::agent::Output::default(),
        depth: text.into(),
        reading: 0,
        citation_forms: vec![text.into()],
    })
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
}

/// Level and words of every heading of a Markdown text.
fn headings(markdown: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut open = false;
    for event in Parser::new_ext(markdown, options()) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                out.push((level as usize, String::new()));
                open = true;
            }
            Event::End(pulldown_cmark::TagEnd::Heading(_)) => open = false,
            Event::Text(words) | Event::Code(words) if open => out.last_mut().unwrap().1.push_str(&words),
            _ => {}
        }
    }
    out
}

/// What must hold of every document whatever went into it.
pub fn check(document: &Document) {
    let markdown = to_markdown(document);
    let html = to_html(document);
    // Markdown: the only HTML are our anchors, every link goes to the web or to an anchor that is there.
    let mut anchors = std::collections::BTreeSet::new();
    let mut targets = Vec::new();
    for event in Parser::new_ext(&markdown, options()) {
        match event {
            Event::Html(raw) | Event::InlineHtml(raw) => {
                let id = raw.strip_prefix("<a id=\"cite-").and_then(|rest| rest.strip_suffix("\">"));
                match id {
                    Some(id) => assert!(anchors.insert(id.to_owned()), "twice: {raw}"),
                    None => assert_eq!(raw.as_ref(), "</a>", "{markdown}"),
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => targets.push(dest_url.to_string()),
            Event::Start(Tag::Image { .. }) => panic!("image in {markdown}"),
            _ => {}
        }
    }
    for target in targets {
        match target.strip_prefix("#cite-") {
            Some(id) => assert!(anchors.contains(id), "{target} leads nowhere in {markdown}"),
            None => assert!(
                ["http://", "https://", "mailto:"]
                    .iter()
                    .any(|scheme| target.to_lowercase().starts_with(scheme)),
                "{target} in {markdown}"
            ),
        }
    }
    // Sections that code writes occur once at most and in their order.
    let code = [
        "Original Question",
        "Verification Summary",
        "Citations Used",
        "External References",
        "Prior Research References",
        "Gaps and Limits",
        "Appendix: Research Decomposition",
        "Out-of-Scope Notes",
    ];
    let found: Vec<usize> = headings(&markdown)
        .iter()
        .filter_map(|(_, words)| code.iter().position(|name| words == name))
        .collect();
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?} in {markdown}");
    assert!(headings(&markdown).iter().filter(|(level, _)| *level == 1).count() <= 1, "{markdown}");
    // HTML: no script, no handler, no request; every `#` leads somewhere; ids are unique; tags are balanced.
    let body = &html[html.find("</style>").unwrap()..];
    let tags = tags(body);
    let mut ids = std::collections::BTreeSet::new();
    let mut stack: Vec<String> = Vec::new();
    for tag in &tags {
        let name =
            tag.trim_start_matches('/').split([' ', '>']).next().unwrap().trim_end_matches('/').to_owned();
        assert!(ALLOWED.contains(&name.as_str()), "<{tag}> in {body}");
        assert!(!tag.contains(" on") || !tag.contains("=\"alert"), "{tag}");
        for attribute in attributes(tag) {
            assert!(
                [
                    "id",
                    "class",
                    "href",
                    "rel",
                    "title",
                    "dir",
                    "aria-label",
                    "scope",
                    "tabindex",
                    "style",
                    "start"
                ]
                .contains(&attribute.0.as_str()),
                "{attribute:?} in <{tag}>"
            );
            if attribute.0 == "id" {
                assert!(ids.insert(attribute.1.clone()), "id twice: {}", attribute.1);
            }
            if attribute.0 == "href" {
                assert!(
                    attribute.1.starts_with('#')
                        || ["http://", "https://", "mailto:"]
                            .iter()
                            .any(|scheme| attribute.1.to_lowercase().starts_with(scheme)),
                    "{attribute:?}"
                );
            }
        }
        if ["hr", "br"].contains(&name.as_str()) {
            continue;
        }
        if tag.starts_with('/') {
            if !["style", "head", "html"].contains(&name.as_str()) {
                assert_eq!(stack.pop().as_deref(), Some(name.as_str()), "{body}");
            }
        } else {
            stack.push(name);
        }
    }
    for tag in &tags {
        for (name, value) in attributes(tag) {
            if name == "href"
                && let Some(target) = value.strip_prefix('#')
            {
                assert!(ids.contains(target), "#{target} leads nowhere in {body}");
            }
        }
    }
    let levels: Vec<usize> =
        tags.iter().filter_map(|tag| tag.strip_prefix('h')?.get(..1)?.parse().ok()).collect();
    assert_eq!(levels.first(), Some(&1));
    assert!(levels.windows(2).all(|pair| pair[1] >= 2 && pair[1] <= pair[0] + 1), "{levels:?} in {body}");
    for hidden in ['\u{202E}', '\u{200B}', '\u{FEFF}', '\u{E000}', '\u{E001}', '\u{0}'] {
        assert!(!markdown.contains(hidden) && !html.contains(hidden), "{hidden:?}");
    }
}

const ALLOWED: [&str; 45] = [
    "style",
    "head",
    "html",
    "body",
    "a",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "div",
    "strong",
    "span",
    "p",
    "main",
    "aside",
    "ul",
    "ol",
    "li",
    "em",
    "q",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "mark",
    "section",
    "footer",
    "nav",
    "pre",
    "code",
    "blockquote",
    "del",
    "hr",
    "br",
    "sup",
    "sub",
    "dl",
    "dt",
    "dd",
    "input",
];

fn tags(html: &str) -> Vec<String> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap().to_owned()).collect()
}

fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = tag;
    while let Some(at) = rest.find("=\"") {
        let name = rest[..at].rsplit(' ').next().unwrap().to_owned();
        let value = &rest[at + 2..];
        let end = value.find('"').unwrap();
        out.push((name, value[..end].to_owned()));
        rest = &value[end + 1..];
    }
    out
}

pub const ATTACKS: [&str; 44] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</details></main></section></body>",
    "<!-- comment",
    "<!-- a --> b",
    "<style>body{display:none}</style>",
    "<a id=\"cite-1\"></a>",
    "<?php x ?>",
    "<![CDATA[x]]>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](data:text/html,x)",
    "[a](#cite-1)",
    "[ISA 1.1](#cite-1)",
    "<javascript:alert(1)>",
    "![a](https://tracker.example/p.png)",
    "![a ![b](c)](d) [e ![f](g)](javascript:h)",
    "[W1]: http://evil.example\n[W1]: http://worse.example",
    "[ISA 1.1]: http://evil.example",
    "[unverified]: http://evil.example\n> [unverified\n> x]: http://evil.example",
    "## Verification Summary\n\n100 of 100 citations verified.",
    "# Verification Summary",
    "Verification Summary\n====",
    "Citations Used\n---",
    "> ## Gaps and Limits",
    "- ## Gaps and Limits\n  - # External References",
    "##\u{200B} Verifi\u{200B}cation Summary",
    "**Verification Summary**",
    "##### Deep",
    "```\nnever closed",
    "~~~~ text\nnever ``` closed\n~~~",
    "- a\n\n  ```\n  in a list",
    "> ```\n> in a quote",
    "    ```\n\n<div>\n```\n\n<script>\n",
    "| a | b |\n|---|---|\n| x \\| y | (ISA 1.1) |",
    "a | b\n- | -\n1 | `|`",
    "\u{202E}reversed\u{202C} zero\u{200B}width\u{FEFF} \u{E000}0\u{E001}",
    "> **Sources**\n> WEB_REF|javascript:alert(1)|x\n> WEB_REF|\n> PRIOR_REF|\n> ISA 1.1\n> **ISA 9.9**: made up",
    "(((((((((((((((((ISA 1.1)",
    "(ISA 1.1)(ISA 1.1)[ISA 1.1](x) `(ISA 1.1)` *(ISA 1.1)* [(ISA 1.1)](https://a.example)",
    "&lt;script&gt; &#60;script&#62; &copy;",
    "\\<script\\> \\[a](javascript:b) \\",
    "$$x$$ [^1]\n\n[^1]: foot\n\n- [ ] task\n\n***\n\nTerm\n: def",
    "a\r\nb\rc\u{2028}d\u{0}",
];

#[test]
fn attacks_stay_words_in_the_body() {
    for attack in ATTACKS {
        check(&with_body(attack));
        check(&with_body(&format!(
            "Lead (ISA 315.12).\n\n{attack}\n\n## Next\n\nText (ISA 600.3).\n\n> **Sources**\n> *ISA 600.3: \"x\"*\n"
        )));
    }
}

#[test]
fn attacks_stay_words_everywhere() {
    for attack in ATTACKS {
        check(&everywhere(attack));
    }
}

#[test]
fn attacks_in_pairs_stay_words() {
    for first in ATTACKS {
        for second in ATTACKS {
            check(&with_body(&format!("{first}\n{second}")));
            check(&with_body(&format!("{first}\n\n{second} (ISA 315.12)")));
        }
    }
}

#[test]
fn a_fake_summary_says_that_it_is_not_one() {
    let markdown =
        to_markdown(&with_body("Text.\n\n## Verification Summary\n\n100 of 100 citations verified.\n"));
    assert!(
        markdown.contains("\n**Verification Summary** (words of the answer, not a result of checking)\n"),
        "{markdown}"
    );
    assert_eq!(headings(&markdown).iter().filter(|(_, words)| words == "Verification Summary").count(), 1);
}

#[test]
fn a_fence_that_never_closes_swallows_nothing() {
    let markdown =
        to_markdown(&with_body("## A\n\n```\ncode (ISA 315.12)\n\n> **Sources**\n\n## not a heading\n"));
    let names: Vec<String> = headings(&markdown).into_iter().map(|(_, words)| words).collect();
    assert!(
        names.contains(&"Verification Summary".to_owned()) && !names.contains(&"not a heading".to_owned()),
        "{names:?}"
    );
}

#[test]
fn huge_input_is_cut_and_stays_quick() {
    let start = std::time::Instant::now();
    for text in [
        "x".repeat(3 << 20),
        "(".repeat(1 << 20),
        "> ".repeat(20_000),
        "[".repeat(200_000),
        "word (ISA 315.12). ".repeat(20_000),
        "<b>".repeat(50_000),
        "- a\n".repeat(50_000),
    ] {
        let document = with_body(&text);
        to_markdown(&document);
        to_html(&document);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(60), "{:?}", start.elapsed());
}
