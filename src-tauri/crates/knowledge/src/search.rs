//! BM25 over title, path, tags and text, with links as an optional second step.
//!
//! The query is built by hand: tantivy's parser drops repeated terms, and on long questions the count of a
//! term is worth real quality.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query as IndexQuery, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, Term};

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::graph::quantised;
use crate::ids::Resolved;
use crate::index::{Stem, stems};
use crate::paragraph::Tier;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The question in words; cut at 4,000 characters.
    pub text: String,
    /// Most hits wanted; at most [`MOST_HITS`], and 10 when zero.
    pub limit: usize,
    /// Only bases of these tiers; empty means any.
    pub tiers: Vec<Tier>,
    /// Ids never returned.
    pub exclude: Vec<String>,
    /// Links to follow from the best hits: 0 is plain BM25.
    pub hops: usize,
    /// Also return paragraphs no longer in force. One that the query names by id is always returned.
    pub withdrawn: bool,
}

/// Most hits one search returns.
pub const MOST_HITS: usize = 100;
const MOST_QUERY_CHARS: usize = 4_000;
const MOST_TERMS: usize = 256;

/// How a hit was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// Its words match.
    Words,
    /// The query names it.
    Id,
    /// A link from a better hit, named here.
    Link {
        /// The hit it was reached from.
        from: String,
        /// What the link means.
        kind: String,
    },
}

/// A paragraph found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// BM25 score plus what links brought, quantised to 1e-6; comparable within one result only.
    pub score: f64,
    /// Words of the query that occur in it, as the query wrote them.
    pub matched: Vec<String>,
    /// A stretch of its text around the first matches.
    pub snippet: String,
    /// How it was found.
    pub via: Via,
}

const TITLE: f32 = 1.0;
const PATH: f32 = 0.2;
const TAGS: f32 = 0.8;
/// Seeds of the link step, and how much of a seed's score its neighbours receive; the more links a seed has,
/// the less each of them says.
const SEEDS: usize = 5;
const SPREAD: f64 = 0.5;

impl Base {
    /// The best paragraphs for a query, best first; ties by id, so that equal inputs give equal results.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>, KnowledgeError> {
        if !query.tiers.is_empty() && !query.tiers.contains(&self.manifest().tier) {
            return Ok(Vec::new());
        }
        let limit = if query.limit == 0 { 10 } else { query.limit.min(MOST_HITS) };
        let text = clipped(&query.text, MOST_QUERY_CHARS);
        let words = stems(text);
        let named = self.named_in(text);
        let excluded: BTreeSet<usize> = query
            .exclude
            .iter()
            .flat_map(|id| match self.resolve(id) {
                Some(Resolved::Paragraph(position)) => vec![position],
                Some(Resolved::Section(positions)) => positions,
                None => Vec::new(),
            })
            .collect();
        let allowed = |position: usize| {
            !excluded.contains(&position)
                && (query.withdrawn || !self.paragraphs()[position].withdrawn || named.contains(&position))
        };
        let wanted = (limit.max(SEEDS) + excluded.len()).max(32) * 2;
        let mut scores: BTreeMap<usize, (f64, Via)> = self
            .bm25(&words, wanted)?
            .into_iter()
            .filter(|&(position, _)| allowed(position))
            .map(|(position, score)| (position, (score, Via::Words)))
            .collect();
        let top = scores.values().map(|(score, _)| *score).fold(0.0, f64::max);
        for &position in named.iter().filter(|&&position| allowed(position)) {
            let entry = scores.entry(position).or_insert((0.0, Via::Id));
            *entry = (entry.0 + top + 1.0, Via::Id);
        }
        if query.hops > 0 {
            self.spread(&mut scores, query.hops.min(3), &allowed);
        }
        let mut ranked: Vec<(f64, usize, Via)> =
            scores.into_iter().map(|(position, (score, via))| (quantised(score), position, via)).collect();
        let paragraphs = self.paragraphs();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| paragraphs[a.1].id.cmp(&paragraphs[b.1].id)));
        ranked.truncate(limit);
        Ok(ranked
            .into_iter()
            .map(|(score, position, via)| {
                let paragraph = &paragraphs[position];
                let (matched, snippet) = matches(text, &words, paragraph);
                Hit { id: paragraph.id.clone(), score, matched, snippet, via }
            })
            .collect())
    }

    fn bm25(&self, words: &[Stem], wanted: usize) -> Result<Vec<(usize, f64)>, KnowledgeError> {
        let mut counts: BTreeMap<&str, f32> = BTreeMap::new();
        for word in words.iter().take(MOST_TERMS) {
            *counts.entry(&word.stem).or_default() += 1.0;
        }
        let reader = self.reader()?;
        let fields = [
            (reader.fields.text, 1.0),
            (reader.fields.title, TITLE),
            (reader.fields.path, PATH),
            (reader.fields.tags, TAGS),
        ];
        let searcher = reader.searcher();
        let mut clauses: Vec<(Occur, Box<dyn IndexQuery>)> = Vec::new();
        for (stem, count) in counts {
            for (field, boost) in fields {
                let term = Term::from_field_text(field, stem);
                if searcher.doc_freq(&term)? > 0 {
                    let one = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
                    clauses.push((Occur::Should, Box::new(BoostQuery::new(one, count * boost))));
                }
            }
        }
        if clauses.is_empty() {
            return Ok(Vec::new());
        }
        let found: Vec<(f32, DocAddress)> =
            searcher.search(&BooleanQuery::new(clauses), &TopDocs::with_limit(wanted).order_by_score())?;
        let mut hits = Vec::with_capacity(found.len());
        for (score, address) in found {
            let column = searcher.segment_reader(address.segment_ord).fast_fields().u64("position")?;
            let Some(position) = column.first(address.doc_id) else { continue };
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            if position < self.paragraphs().len() {
                hits.push((position, f64::from(score)));
            }
        }
        Ok(hits)
    }

    fn spread(&self, scores: &mut BTreeMap<usize, (f64, Via)>, hops: usize, allowed: &dyn Fn(usize) -> bool) {
        let mut seeds: Vec<(f64, usize)> =
            scores.iter().map(|(&p, &(score, _))| (quantised(score), p)).collect();
        seeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        seeds.truncate(SEEDS);
        for (score, seed) in seeds {
            let links = self.graph().edges(seed).len().max(1) as f64;
            for (position, (share, _, edge, from)) in self.graph().walk(seed, hops) {
                if !allowed(position) {
                    continue;
                }
                let gain = score * SPREAD * share / crate::graph::DECAY / links.sqrt();
                let entry = scores.entry(position).or_insert_with(|| {
                    let link = Via::Link {
                        from: self.paragraphs()[from].id.clone(),
                        kind: self.graph().kind(edge).to_owned(),
                    };
                    (0.0, link)
                });
                entry.0 += gain;
            }
        }
    }

    /// Paragraphs that the query names by id. A bare whole number is a number, not an id.
    fn named_in(&self, text: &str) -> BTreeSet<usize> {
        static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?i)\b\d+ (?:CFR|C\.F\.R\.) (?:part |§ ?)?\d+(?:\.\d+)?(?:\([a-z0-9]+\))*",
                r"|\b(?:art\.|article|recital|annex) ?[0-9IVX]+(?:\([a-z0-9]+\))*",
                r"|\b[a-z]{2,6}-\d+(?: ?\(\d+\))?[a-z]?",
                r"|\b(?:ISA|ISQM|ISAE|ISRE|ISRS|IFRS|IAS|AS) \d+[a-z]?(?:\.[a-z]?\d+)?",
                r"|§ ?\d+(?:\.\d+)*(?:\([a-z0-9]+\))*",
                r"|\b\d+(?:\.\d+)+(?:\([a-z0-9]+\))*(?: ?¶ ?\d+)?",
            ))
            .ok()
        });
        let Some(pattern) = ID.as_ref() else { return BTreeSet::new() };
        let mut named = BTreeSet::new();
        for found in pattern.find_iter(text).take(16) {
            match self.resolve(found.as_str()) {
                Some(Resolved::Paragraph(position)) => {
                    // A part is shown as the whole it belongs to.
                    let whole = self.paragraphs()[position].part_of.as_deref();
                    named.insert(whole.and_then(|id| self.position(id)).unwrap_or(position));
                }
                Some(Resolved::Section(positions)) => named.extend(positions.into_iter().take(4)),
                None => {}
            }
        }
        named
    }
}

/// The words of a query that a search looks for, each once, as the query wrote them.
pub fn terms(query: &str) -> Vec<String> {
    let text = clipped(query, MOST_QUERY_CHARS);
    let mut seen = BTreeSet::new();
    let words = stems(text).into_iter().take(MOST_TERMS);
    words
        .filter(|word| seen.insert(word.stem.clone()))
        .map(|word| text[word.from..word.to].to_owned())
        .collect()
}

/// Where words of a query stand in a text, in bytes, in order.
pub fn found_in(query: &str, text: &str) -> Vec<std::ops::Range<usize>> {
    let words = stems(clipped(query, MOST_QUERY_CHARS));
    let wanted: BTreeSet<&str> = words.iter().map(|word| word.stem.as_str()).collect();
    let places = stems(text).into_iter().filter(|stem| wanted.contains(stem.stem.as_str()));
    places.map(|stem| stem.from..stem.to).collect()
}

pub(crate) fn clipped(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

const SNIPPET_BYTES: usize = 280;

fn matches(query: &str, words: &[Stem], paragraph: &crate::Paragraph) -> (Vec<String>, String) {
    let wanted: BTreeMap<&str, &Stem> = words.iter().rev().map(|word| (word.stem.as_str(), word)).collect();
    let in_text = stems(&paragraph.text);
    let places: Vec<usize> =
        in_text.iter().filter(|stem| wanted.contains_key(stem.stem.as_str())).map(|stem| stem.from).collect();
    let mut found: BTreeSet<&str> =
        in_text.iter().map(|stem| stem.stem.as_str()).filter(|stem| wanted.contains_key(stem)).collect();
    let around = format!("{} {}", paragraph.title, paragraph.tags.join(" "));
    let elsewhere = stems(&around);
    found.extend(elsewhere.iter().map(|stem| stem.stem.as_str()).filter(|stem| wanted.contains_key(stem)));
    let mut matched: Vec<&Stem> = found.into_iter().filter_map(|stem| wanted.get(stem).copied()).collect();
    matched.sort_by_key(|stem| stem.from);
    // The window with the most matches; the first of equals.
    let mut best = (0, 0);
    for (first, &start) in places.iter().enumerate() {
        let inside = places[first..].iter().take_while(|&&at| at < start + SNIPPET_BYTES).count();
        if inside > best.1 {
            best = (start, inside);
        }
    }
    let matched = matched.iter().map(|stem| query[stem.from..stem.to].to_owned()).collect();
    (matched, window(&paragraph.text, best.0))
}

fn window(text: &str, at: usize) -> String {
    if text.len() <= SNIPPET_BYTES + 40 {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut start =
        text.floor_char_boundary(at.saturating_sub(40).min(text.len().saturating_sub(SNIPPET_BYTES)));
    let mut end = text.floor_char_boundary((start + SNIPPET_BYTES).min(text.len()));
    if start > 0 {
        start += text[start..end].find(char::is_whitespace).map_or(0, |space| space + 1);
    }
    if end < text.len() {
        end = start + text[start..end].rfind(char::is_whitespace).unwrap_or(end - start);
    }
    let inner = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}{inner}{}", if start > 0 { "… " } else { "" }, if end < text.len() { " …" } else { "" })
}
