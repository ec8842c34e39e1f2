//! The answer: sentences quoted word for word, each with its citation, under headings of the corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use context::ParsedParagraph;
use serde_json::{Value, json};

use super::material::{Depth, Material};
use super::phrase::content_phrase;
use super::safe::plain;
use super::select::{Passage, Pool, Query};
use super::words::{is_stop, stem, stem_set, words};

/// One quote of the answer.
struct Quote<'a> {
    paragraph: usize,
    text: &'a str,
}

/// One section of the answer.
struct Part<'a> {
    title: String,
    quotes: Vec<Quote<'a>>,
}

pub(super) fn synthesize(material: &Material) -> Value {
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
    let each = match depth {
        Depth::Quick => 2,
        Depth::Standard => 3,
        Depth::Deep => 4,
    };
    let chosen = pool.choose(depth.sentences(), each);
    let found = Found::new(&pool, &chosen, &question, &queries);
    if chosen.is_empty() {
        return json!({
            "synthesis": "## In short\n\nThe knowledge base holds no passage that answers this question.",
            "citations": [], "confidence": 0.0, "gaps": found.gaps(&asked, &queries), "out_of_scope": [],
        });
    }
    let parts = arrange(&pool, &chosen, &queries, depth);
    let mut text = String::new();
    let mut citations = Vec::new();
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
        "confidence": found.confidence(depth),
        "gaps": found.gaps(&asked, &queries),
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

/// What the chosen passages cover.
struct Found {
    question: f64,
    queries: Vec<f64>,
    sentences: usize,
    stems: BTreeSet<String>,
}

impl Found {
    fn new(pool: &Pool<'_>, chosen: &[&Passage], question: &Query, queries: &[Query]) -> Self {
        let mut stems = BTreeSet::new();
        let mut best = vec![0.0; queries.len()];
        for passage in chosen {
            let own = pool.stems_of(passage);
            for (index, query) in queries.iter().enumerate() {
                best[index] = f64::max(best[index], pool.coverage(query, &own));
            }
            stems.extend(own);
        }
        let sentences = chosen.iter().map(|passage| passage.sentences.len()).sum();
        Self { question: pool.coverage(question, &stems), queries: best, sentences, stems }
    }

    /// From what share of the question's words and of the planned queries the answer covers; never near certainty, since
    /// words in common are not yet an answer.
    fn confidence(&self, depth: Depth) -> f64 {
        let covered = self.queries.iter().filter(|how| **how >= COVERED).count() as f64
            / self.queries.len().max(1) as f64;
        let queries = if self.queries.is_empty() { self.question } else { covered };
        let length = (self.sentences as f64 / (depth.sentences() as f64 * 0.6)).min(1.0);
        ((0.5 * self.question + 0.3 * queries + 0.1 * length).min(0.85) * 100.0).round() / 100.0
    }

    fn gaps(&self, question: &str, queries: &[Query]) -> Vec<String> {
        let mut gaps: Vec<String> = queries
            .iter()
            .zip(&self.queries)
            .filter(|(_, how)| **how < COVERED)
            .take(8)
            .map(|(query, _)| {
                format!("No passage was found that answers \u{201c}{}\u{201d}.", plain(&query.text, 160))
            })
            .collect();
        let mut missing: Vec<String> = words(question)
            .into_iter()
            .filter(|word| !is_stop(word) && !self.stems.contains(&stem(word)))
            .collect();
        missing.dedup();
        missing.truncate(8);
        if !missing.is_empty() {
            gaps.push(format!("Words of the question that no quoted passage has: {}.", missing.join(", ")));
        }
        gaps.push(
            "Written offline: the answer quotes the nearest passages and draws no conclusion of its own."
                .to_owned(),
        );
        gaps
    }
}

/// The share of a query's words from which on it counts as covered.
const COVERED: f64 = 0.5;

/// The opening with the best two or three, then a section for each heading with at least two sentences, best first. What
/// is left are related points; without any such heading passages stand under the query they answer.
fn arrange<'a>(pool: &Pool<'a>, chosen: &[&Passage], queries: &[Query], depth: Depth) -> Vec<Part<'a>> {
    let lead = if depth == Depth::Quick { 2 } else { 3 };
    let opening = pool.opening(chosen, lead);
    let mut parts = vec![Part { title: "In short".to_owned(), quotes: quotes(pool, &opening) }];
    let quoted: BTreeSet<(usize, usize)> = opening
        .iter()
        .flat_map(|passage| passage.sentences.clone().map(|index| (passage.paragraph, index)))
        .collect();

    let mut by_heading: BTreeMap<String, (usize, Vec<&Passage>)> = BTreeMap::new();
    for (place, passage) in chosen.iter().enumerate() {
        if passage.sentences.clone().any(|index| quoted.contains(&(passage.paragraph, index))) {
            continue;
        }
        let title = title_of(pool.paragraphs[passage.paragraph]);
        by_heading.entry(title).or_insert((place, Vec::new())).1.push(passage);
    }
    let mut whole: Vec<(usize, String, Vec<&Passage>)> = Vec::new();
    let mut by_query: BTreeMap<usize, (usize, Vec<&Passage>)> = BTreeMap::new();
    for (title, (place, passages)) in by_heading {
        let count: usize = passages.iter().map(|passage| passage.sentences.len()).sum();
        if count >= 2 && !title.is_empty() {
            whole.push((place, title, passages));
        } else {
            for passage in passages {
                let query = passage.best.map_or(usize::MAX, |best| best.0);
                by_query.entry(query).or_insert((place, Vec::new())).1.push(passage);
            }
        }
    }
    let headless = whole.is_empty();
    whole.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut left: Vec<(usize, usize, Vec<&Passage>)> =
        by_query.into_iter().map(|(query, (place, passages))| (place, query, passages)).collect();
    left.sort_by_key(|(place, query, _)| (*place, *query));
    for (_, title, passages) in whole {
        parts.push(Part { title, quotes: quotes(pool, &passages) });
    }
    let mut related = Vec::new();
    for (_, query, passages) in left {
        match queries.get(query) {
            Some(query) if headless && passages.len() >= 2 => {
                parts.push(Part {
                    title: capital(&plain(&content_phrase(&query.text), 80)),
                    quotes: quotes(pool, &passages),
                });
            }
            Some(_) | None => related.extend(passages),
        }
    }
    if !related.is_empty() {
        parts.push(Part { title: "Related points".to_owned(), quotes: quotes(pool, &related) });
    }
    merged(parts)
}

/// Parts with the same title become one.
fn merged(parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let mut out: Vec<Part<'_>> = Vec::new();
    for part in parts {
        match out.iter_mut().find(|other| other.title.eq_ignore_ascii_case(&part.title)) {
            Some(other) => other.quotes.extend(part.quotes),
            None => out.push(part),
        }
    }
    out.retain(|part| !part.quotes.is_empty());
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A paragraph's innermost heading, safe to stand as one.
fn title_of(paragraph: &ParsedParagraph) -> String {
    let inner = paragraph.heading.rsplit(" > ").next().unwrap_or_default();
    capital(plain(inner, 100).trim_end_matches(['.', ':', '…']))
}

/// Passages as quotes: by paragraph in the order given, neighbouring sentences joined into one quote.
fn quotes<'a>(pool: &Pool<'a>, passages: &[&Passage]) -> Vec<Quote<'a>> {
    let mut order: Vec<usize> = Vec::new();
    let mut sentences: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for passage in passages {
        if !order.contains(&passage.paragraph) {
            order.push(passage.paragraph);
        }
        sentences.entry(passage.paragraph).or_default().extend(passage.sentences.clone());
    }
    let mut quotes = Vec::new();
    for paragraph in order {
        let (source, ranges): (&'a ParsedParagraph, _) =
            (pool.paragraphs[paragraph], &pool.ranges[paragraph]);
        let mut run: Option<(usize, usize)> = None;
        let chosen = sentences.remove(&paragraph).unwrap_or_default();
        for index in chosen {
            run = match run {
                Some((first, last))
                    if index == last + 1
                        && !source.text[ranges[last].end..ranges[index].start].contains('\n') =>
                {
                    Some((first, index))
                }
                Some((first, last)) => {
                    quotes
                        .push(Quote { paragraph, text: &source.text[ranges[first].start..ranges[last].end] });
                    Some((index, index))
                }
                None => Some((index, index)),
            };
        }
        if let Some((first, last)) = run {
            quotes.push(Quote { paragraph, text: &source.text[ranges[first].start..ranges[last].end] });
        }
    }
    quotes
}

fn write_part(pool: &Pool<'_>, part: &Part<'_>, out: &mut String) {
    let _ = write!(out, "## {}\n\n", part.title);
    let bullet = if part.quotes.len() > 1 { "- " } else { "" };
    for quote in &part.quotes {
        let _ = writeln!(
            out,
            "{bullet}\u{201c}{}\u{201d} {}",
            quote.text, pool.paragraphs[quote.paragraph].reference
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
        let line = line.trim_start_matches(['-', '*', ' ']);
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
