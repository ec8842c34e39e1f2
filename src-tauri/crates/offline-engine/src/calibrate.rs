//! The plan after a web search: queries are kept; a term is added only when results that bear on the question name it.

use std::collections::{BTreeMap, BTreeSet};

use context::ParsedWebPage;
use serde_json::{Value, json};

use super::material::Material;
use super::outline::named_standards;
use super::safe::plain;
use super::words::{quantised, sentences, stem_set};

/// Pages listed at most.
const MAX_PAGES: usize = 6;

pub(crate) fn calibrate(material: &Material) -> Value {
    let plan = material.json("QUERY_PLAN").unwrap_or(Value::Null);
    let mut queries: Vec<Value> = ["queries", "sub_queries"]
        .iter()
        .find_map(|name| plan.get(*name)?.as_array())
        .into_iter()
        .flatten()
        .filter(|query| query.get("query").is_some_and(Value::is_string))
        .cloned()
        .collect();
    let question = material.question();
    if queries.is_empty() {
        queries.push(json!({"query": question, "role": "primary", "target_standards": []}));
    }
    let mut terms = stem_set(&question);
    for query in &queries {
        terms.extend(stem_set(query["query"].as_str().unwrap_or_default()));
    }
    let pages = relevant_pages(material.web_results(), &terms);
    let added = new_standard(&pages, &queries, &question);
    if let Some((change, query)) = &added {
        queries.push(query.clone());
        let _ = change;
    }
    let changes: Vec<Value> = added.iter().map(|(change, _)| change.clone()).collect();
    let sources: Vec<Value> = pages
        .iter()
        .map(|(page, insight)| json!({"title": plain(&page.title, 160), "url": page.url, "insight": plain(insight, 300)}))
        .collect();
    json!({
        "queries": queries,
        "web_research_context": summary(&pages, added.is_some()),
        "intent_changes": { "sub_queries_added": changes, "sub_queries_modified": [], "sub_queries_demoted": [] },
        "web_sources": sources,
    })
}

/// The pages that share words with the question, best first, each with its most relevant sentence.
fn relevant_pages(pages: Vec<ParsedWebPage>, terms: &BTreeSet<String>) -> Vec<(ParsedWebPage, String)> {
    let mut ranked: Vec<(i64, usize, ParsedWebPage, String)> = Vec::new();
    for (index, page) in pages.into_iter().enumerate() {
        let shared = stem_set(&format!("{} {}", page.title, page.insight)).intersection(terms).count();
        if shared < 2.min(terms.len()) {
            continue;
        }
        let best = sentences(&page.insight)
            .into_iter()
            .take(50)
            .map(|range| &page.insight[range])
            .max_by_key(|sentence| {
                (stem_set(sentence).intersection(terms).count(), std::cmp::Reverse(sentence.len()))
            })
            .unwrap_or_default()
            .to_owned();
        ranked.push((quantised(shared as f64), index, page, best));
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(MAX_PAGES).map(|(_, _, page, best)| (page, best)).collect()
}

/// A standard that at least two of the pages name and no query does: the change, and the query for it.
fn new_standard(
    pages: &[(ParsedWebPage, String)],
    queries: &[Value],
    question: &str,
) -> Option<(Value, Value)> {
    let known: BTreeSet<String> = queries
        .iter()
        .flat_map(|query| {
            let targets = query.get("target_standards").and_then(Value::as_array).into_iter().flatten();
            let mut names: Vec<String> = targets.filter_map(Value::as_str).map(str::to_owned).collect();
            names.extend(named_standards(query["query"].as_str().unwrap_or_default()));
            names
        })
        .chain(named_standards(question))
        .collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (page, _) in pages {
        let names: BTreeSet<String> =
            named_standards(&format!("{} {}", page.title, page.insight)).into_iter().collect();
        names
            .into_iter()
            .filter(|name| !known.contains(name))
            .for_each(|name| *counts.entry(name).or_default() += 1);
    }
    let (name, count) = counts
        .into_iter()
        .filter(|(_, count)| *count >= 2)
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let topic = queries.first()?.get("query")?.as_str()?;
    let query = format!("{name} {topic}");
    let reason = format!("{count} of the results name {name}, which the plan did not");
    Some((
        json!({"query": query, "role": "supporting", "reason": reason}),
        json!({"query": query, "role": "supporting", "target_standards": [name]}),
    ))
}

fn summary(pages: &[(ParsedWebPage, String)], changed: bool) -> String {
    if pages.is_empty() {
        return "None of the results shares enough words with the question; the plan stands as it was."
            .to_owned();
    }
    let mut out = format!("{} of the results bear on the question.", pages.len());
    for (page, insight) in pages.iter().take(3) {
        let (title, insight) = (plain(&page.title, 120), plain(insight, 240));
        if !insight.is_empty() {
            out.push_str(&format!(" {title}: \u{201c}{insight}\u{201d}"));
        }
    }
    out.push_str(if changed {
        " A query was added for a standard they name."
    } else {
        " The plan stands as it was."
    });
    out.push_str(" Selected offline by shared words; the pages were not judged.");
    out
}
