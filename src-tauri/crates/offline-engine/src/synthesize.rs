//! The answer: sentences quoted word for word, each with its citation, under headings of the corpus.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use context::ParsedParagraph;
use serde_json::{Value, json};

use super::arrange::{Part, arrange, quotes};
use super::coverage::Found;
use super::material::Material;
use super::phrase::parts;
use super::safe::{plain, quoted};
use super::select::{Pool, Query};
use super::words::stem_set;

pub(crate) fn synthesize(material: &Material) -> Value {
    let asked = material.question();
    let depth = material.depth();
    let extra: Vec<String> =
        ["USER_ANSWERS", "GUIDANCE"].iter().flat_map(|name| material.remarks(name)).collect();
    let question = Query::new(&asked);
    let mut queries: Vec<Query> = planned(material);
    queries.extend(extra.iter().map(|text| Query::new(text)).filter(|query| !query.stems.is_empty()));
    let feedback = material.text("REPAIR_FEEDBACK").to_owned();
    let paragraphs = material.paragraphs();
    let refused = |paragraph: &ParsedParagraph, sentence: &str| refused(&feedback, paragraph, sentence);
    let mut pool = Pool::new(&paragraphs, &refused);
    pool.score(&question, &queries);
    let arrangement = arrange(&pool, &queries, depth);
    let found = Found::new(&pool, &question, &arrangement.opening, &arrangement.passages);
    let own = own_queries(material, &asked, &extra);
    let mut text = "## In short\n\n".to_owned();
    text.push_str(&found.headline(&pool).unwrap_or_default());
    let mut citations = Vec::new();
    let parts =
        if found.answers() { arrangement.parts } else { nearest(&pool, &found, &arrangement.opening) };
    for part in &parts {
        write_part(&pool, part, &mut text);
        for quote in &part.quotes {
            let reference = &pool.paragraphs[quote.paragraph].reference;
            let bare =
                reference.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(reference);
            citations.push(json!({"source_ref": bare, "claim": quote.text, "quote": quote.text}));
        }
    }
    write_earlier(material, &question, &mut text);
    write_pages(material, &question, &queries, &mut text);
    json!({
        "synthesis": text.trim_end(),
        "citations": citations,
        "confidence": found.confidence(),
        "gaps": found.gaps(&pool, &own),
        "out_of_scope": [],
    })
}

/// The queries of the plan.
fn planned(material: &Material) -> Vec<Query> {
    let plan = material.json("QUERY_PLAN").unwrap_or(Value::Null);
    let list = ["sub_queries", "queries"].iter().find_map(|name| plan.get(*name)?.as_array());
    let mut queries: Vec<Query> = list
        .into_iter()
        .flatten()
        .filter_map(|query| query.get("query").or_else(|| query.get("text")).unwrap_or(query).as_str())
        .take(20)
        .map(Query::new)
        .collect();
    queries.retain(|query| !query.stems.is_empty());
    queries
}

/// Whether an earlier check found fault with a sentence: its paragraph is named, and either the sentence is quoted there
/// or no sentence of the paragraph is.
fn refused(feedback: &str, paragraph: &ParsedParagraph, sentence: &str) -> bool {
    let bare = paragraph.reference.trim_start_matches('(').strip_suffix(')').unwrap_or(&paragraph.reference);
    if feedback.is_empty() || bare.is_empty() || !names(feedback, bare) {
        return false;
    }
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let feedback = flat(feedback);
    let quoted = |text: &str| feedback.contains(&flat(text));
    let any =
        super::words::sentences(&paragraph.text).into_iter().any(|range| quoted(&paragraph.text[range]));
    !any || quoted(sentence)
}

/// Whether a text names a reference, and not only a longer one that begins like it.
fn names(text: &str, reference: &str) -> bool {
    text.match_indices(reference).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '.');
        let mut after = text[at + reference.len()..].chars();
        let next = after.next();
        let longer = next.is_some_and(char::is_alphanumeric)
            || next == Some('(')
            || (next == Some('.') && after.next().is_some_and(char::is_alphanumeric));
        before && !longer
    })
}

/// What the person asked for: the parts of the question and the remarks, each in their own words.
fn own_queries(material: &Material, asked: &str, extra: &[String]) -> Vec<(String, Query)> {
    let request = material.request();
    // A question that leans on an earlier one is looked up with that one's subject, and shown as it was asked.
    let asked = if asked == request { parts(asked) } else { vec![(request, asked.to_owned())] };
    let extra = extra.iter().map(|text| (text.clone(), text.clone()));
    let own = asked.into_iter().chain(extra).map(|(written, meant)| (written, Query::new(&meant)));
    own.filter(|(_, query)| !query.stems.is_empty()).collect()
}

/// What there is instead of an answer: the passages that would have opened it, named as what they are.
fn nearest<'a>(pool: &Pool<'a>, found: &Found, opening: &[usize]) -> Vec<Part<'a>> {
    if opening.is_empty() || !found.is_near() {
        return Vec::new();
    }
    vec![Part { title: "Nearest passages".to_owned(), quotes: quotes(pool, opening) }]
}

fn write_part(pool: &Pool<'_>, part: &Part<'_>, out: &mut String) {
    if !part.title.is_empty() {
        let _ = write!(out, "## {}\n\n", part.title);
    }
    let bullet = if part.quotes.len() > 1 { "- " } else { "" };
    for quote in &part.quotes {
        let indent = if quote.below { "  " } else { "" };
        let _ = writeln!(
            out,
            "{indent}{bullet}\u{201c}{}\u{201d} {}",
            quoted(quote.text),
            pool.paragraphs[quote.paragraph].reference
        );
    }
    out.push_str("\n> **Sources**\n");
    let mut seen = BTreeSet::new();
    for quote in &part.quotes {
        let reference = &pool.paragraphs[quote.paragraph].reference;
        if seen.insert(reference) {
            let _ = writeln!(out, "> {reference}");
        }
    }
    out.push('\n');
}

/// Names the section of the earlier answer that is nearest to the question.
fn write_earlier(material: &Material, question: &Query, out: &mut String) {
    let text = material.text("PRIOR_ANSWER_CONTEXT");
    let mut best: Option<(usize, &str, &str)> = None;
    for line in text.lines() {
        let line = line.trim_start_matches(['-', '*', '#', ' ']);
        let Some((label, rest)) = line.strip_prefix("[P").and_then(|rest| rest.split_once(']')) else {
            continue;
        };
        if label.is_empty() || label.len() > 3 || !label.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let shared = stem_set(rest).intersection(&question.stems).count();
        if best.is_none_or(|(most, ..)| shared > most) {
            best = Some((shared, label, rest.trim()));
        }
    }
    let Some((_, label, rest)) = best.filter(|best| best.0 > 0) else { return };
    let (heading, excerpt) =
        [": ", " - ", " \u{2014} "].iter().find_map(|mark| rest.split_once(mark)).unwrap_or((rest, ""));
    let (heading, excerpt) = (plain(heading, 100), plain(excerpt, 300));
    let excerpt = if excerpt.is_empty() { heading.clone() } else { excerpt };
    let _ = write!(
        out,
        "## Earlier answer\n\nThe earlier answer has a section on this: \u{201c}{heading}\u{201d} [P{label}].\n\n\
         > **Sources**\n> PRIOR_REF|P{label}|{heading}|{excerpt}\n\n"
    );
}

/// Names the web pages that share words with the question, as unchecked.
fn write_pages(material: &Material, question: &Query, queries: &[Query], out: &mut String) {
    let mut terms = question.stems.clone();
    queries.iter().for_each(|query| terms.extend(query.stems.iter().cloned()));
    let pages = material.labelled_pages();
    let bearing: Vec<_> = pages
        .into_iter()
        .filter(|page| {
            page.label
                .strip_prefix('W')
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        })
        .filter(|page| {
            stem_set(&format!("{} {}", page.title, page.insight)).intersection(&terms).count() >= 2
        })
        .take(3)
        .collect();
    if bearing.is_empty() {
        return;
    }
    let labels: Vec<String> = bearing.iter().map(|page| format!("[{}]", page.label)).collect();
    let _ = write!(
        out,
        "## On the web\n\nPages on the subject, not checked against the paragraphs above: {}.\n\n> **Sources**\n",
        labels.join(", ")
    );
    for page in bearing {
        let insight = plain(if page.insight.is_empty() { &page.title } else { &page.insight }, 300);
        let _ = writeln!(out, "> WEB_REF|{}|{insight}", page.url);
    }
    out.push('\n');
}
