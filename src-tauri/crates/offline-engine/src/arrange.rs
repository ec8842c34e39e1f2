//! The sections of an answer: an opening, one section for each thing looked up that paragraphs support, related points.

use std::collections::{BTreeMap, BTreeSet};

use context::ParsedParagraph;

use super::material::Depth;
use super::phrase::topic;
use super::safe::plain;
use super::segments::Segment;
use super::select::{Pool, Query};

/// One quote of the answer.
pub(crate) struct Quote<'a> {
    pub paragraph: usize,
    pub text: &'a str,
    /// Whether it is an item below the quote before it.
    pub below: bool,
}

/// One section of the answer.
pub(crate) struct Part<'a> {
    /// Its heading; empty where the text before it has one already.
    pub title: String,
    pub quotes: Vec<Quote<'a>>,
}

/// Sections, and the passages they are made of.
pub(crate) struct Arrangement<'a> {
    pub parts: Vec<Part<'a>>,
    pub passages: Vec<usize>,
    /// Those that open the answer.
    pub opening: Vec<usize>,
}

/// Sentences of the opening, of the first section, of every other, and of one paragraph in a section.
fn sizes(depth: Depth) -> (usize, usize, usize, usize) {
    match depth {
        Depth::Quick => (3, 3, 2, 2),
        Depth::Standard => (4, 5, 3, 3),
        Depth::Deep => (4, 7, 4, 4),
    }
}

/// Paragraphs of one section, at most.
const MAX_PARAGRAPHS: usize = 3;
/// Related points, at most.
const MAX_RELATED: usize = 4;

pub(crate) fn arrange<'a>(pool: &Pool<'a>, queries: &[Query], depth: Depth) -> Arrangement<'a> {
    let (lead, first, other, each) = sizes(depth);
    let opening = pool.opening(lead);
    let mut parts = vec![Part { title: String::new(), quotes: quotes(pool, &opening) }];
    let mut used = opening.clone();
    // Without a plan the question is the only thing that was looked for.
    let owners = owners(pool, queries);
    let mut body: Vec<usize> = Vec::new();
    for (index, query) in queries.iter().enumerate() {
        let among: Vec<usize> = ranked(pool, Some(query), |at| owners.get(at) == Some(&Some(index)))
            .into_iter()
            .take(MAX_PARAGRAPHS)
            .collect();
        let count = if body.is_empty() { first } else { other };
        let mut chosen = pool.choose(&among, Some(query), &used, count, each);
        if sentences(pool, &chosen) < 2 {
            // What opens the answer may stand in its section again, where the section has too little without it.
            chosen = pool.choose(&among, Some(query), &body, count, each);
        }
        if sentences(pool, &chosen) < 2 || !pool.is_topical(&chosen) {
            continue;
        }
        let title = title(pool, &chosen, query);
        parts.push(Part { title, quotes: quotes(pool, &chosen) });
        body.extend(&chosen);
        used.extend(&chosen);
    }
    let strong = pool.floor(72);
    let among = ranked(pool, None, |_| true);
    let room = depth.sentences().saturating_sub(sentences(pool, &used)).clamp(1, MAX_RELATED);
    let mut related: Vec<usize> = Vec::new();
    for index in pool.choose(&among, None, &used, MAX_RELATED * 2, 1) {
        if pool.passages[index].score >= strong
            && related.len() < if body.is_empty() { MAX_RELATED } else { room }
        {
            related.push(index);
        }
    }
    if !related.is_empty() {
        parts.push(Part { title: "Related points".to_owned(), quotes: quotes(pool, &related) });
        used.extend(&related);
    }
    Arrangement { parts: merged(parts), passages: used, opening }
}

fn sentences(pool: &Pool<'_>, passages: &[usize]) -> usize {
    passages.iter().map(|index| pool.passages[*index].weight()).sum()
}

/// For each paragraph the query it answers best, if it has enough to do with the question at all. Where a heading is what
/// a query looks for, the paragraphs below it come first.
fn owners(pool: &Pool<'_>, queries: &[Query]) -> Vec<Option<usize>> {
    let most = pool.worth.iter().copied().fold(0.0, f64::max);
    let sought: Vec<bool> =
        queries.iter().map(|query| (0..pool.paragraphs.len()).any(|at| is_sought(pool, query, at))).collect();
    (0..pool.paragraphs.len())
        .map(|at| {
            let fits = queries.iter().enumerate().map(|(index, query)| {
                let other = sought[index] && !is_sought(pool, query, at);
                let fit = fit(pool, query, at) * if other { 0.55 } else { 1.0 };
                (super::words::quantised(fit), index)
            });
            let best = fits.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))?;
            let sought = is_sought(pool, &queries[best.1], at);
            // A side issue gets a section only if it was looked for.
            if !sought && pool.titles[at].narrows(&queries[0].stems) >= 0.5 {
                return None;
            }
            let least = if sought { 0.25 } else { 0.6 };
            let inner: BTreeSet<String> = pool.titles[at].own.union(&pool.texts[at]).cloned().collect();
            let near = pool.coverage(&queries[best.1], &inner) >= 0.25;
            (pool.worth[at] >= least * most && best.0 >= 3_000 && near).then_some(best.1)
        })
        .collect()
}

/// Whether a paragraph's own heading is what a query looks for.
fn is_sought(pool: &Pool<'_>, query: &Query, at: usize) -> bool {
    let own = &pool.titles[at].own;
    !own.is_empty() && own.is_subset(&query.stems)
}

/// How well a paragraph answers a query; best where its own heading is what is looked for.
fn fit(pool: &Pool<'_>, query: &Query, at: usize) -> f64 {
    let title = &pool.titles[at];
    let both: BTreeSet<String> = title.all.union(&pool.texts[at]).cloned().collect();
    let sought = if is_sought(pool, query, at) { 0.4 } else { 0.0 };
    0.45 * pool.coverage(query, &title.all) + 0.55 * pool.coverage(query, &both) + sought
}

/// The paragraphs that a test admits, those with the best sentences first; where a query is given, also by how well they
/// answer it.
fn ranked(pool: &Pool<'_>, query: Option<&Query>, admits: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut best = vec![0; pool.paragraphs.len()];
    for passage in &pool.passages {
        best[passage.paragraph] = passage.score.max(best[passage.paragraph]);
    }
    let mut order: Vec<(i64, usize)> = (0..pool.paragraphs.len())
        .filter(|at| admits(*at))
        .map(|at| {
            (best[at] + query.map_or(0, |query| super::words::quantised(0.6 * fit(pool, query, at))), at)
        })
        .collect();
    order.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, at)| at).collect()
}

/// A section's title: the heading its passages share or that was looked for, else the heading of the first; without
/// headings the query, where it is no sentence.
fn title(pool: &Pool<'_>, passages: &[usize], query: &Query) -> String {
    let paragraphs: Vec<usize> = passages.iter().map(|index| pool.passages[*index].paragraph).collect();
    let sought = paragraphs.iter().find(|at| is_sought(pool, query, **at));
    let headings = sought.into_iter().chain(&paragraphs).map(|at| title_of(pool.paragraphs[*at]));
    headings.into_iter().find(|title| !title.is_empty()).unwrap_or_else(|| {
        let title = capital(&plain(&topic(&query.text), 80));
        if title.is_empty() || is_sentence(&title) { "Findings".to_owned() } else { title }
    })
}

/// Whether a phrase is a piece of a sentence and no heading: it has a verb that only helps another.
fn is_sentence(phrase: &str) -> bool {
    const HELPERS: [&str; 18] = [
        "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "must", "shall",
        "should", "may", "can", "will",
    ];
    super::words::words(phrase).iter().any(|word| HELPERS.contains(&word.as_str()))
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

/// Passages as quotes: by paragraph in the order given, neighbouring segments of a line joined into one quote, items below
/// what leads into them.
pub(crate) fn quotes<'a>(pool: &Pool<'a>, passages: &[usize]) -> Vec<Quote<'a>> {
    let mut order: Vec<usize> = Vec::new();
    let mut chosen: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for index in passages {
        let passage = &pool.passages[*index];
        if !order.contains(&passage.paragraph) {
            order.push(passage.paragraph);
        }
        let segments = chosen.entry(passage.paragraph).or_default();
        segments.extend(passage.segments.clone().chain(passage.leads.iter().copied()));
    }
    let mut quotes = Vec::new();
    for paragraph in order {
        let (source, segments): (&'a ParsedParagraph, _) =
            (pool.paragraphs[paragraph], &pool.segments[paragraph]);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for index in chosen.remove(&paragraph).unwrap_or_default() {
            match runs.last_mut() {
                Some((_, last)) if index == *last + 1 && on_one_line(source, segments, *last, index) => {
                    *last = index;
                }
                _ => runs.push((index, index)),
            }
        }
        for (first, last) in runs {
            let text = &source.text[segments[first].range.start..segments[last].range.end];
            // The mark of an item is no part of its words.
            let mark = if segments[first].item { domain::list_mark(text) } else { 0 };
            let text = text[mark..].trim_start();
            quotes.push(Quote { paragraph, text, below: segments[first].lead.is_some() });
        }
    }
    quotes
}

fn on_one_line(source: &ParsedParagraph, segments: &[Segment], before: usize, after: usize) -> bool {
    !source.text[segments[before].range.end..segments[after].range.start].contains('\n')
}
