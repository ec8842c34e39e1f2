//! Links between paragraphs that a sentence claims: `AC-2 is related to AC-3`, `paragraph 12 refers to A20`. Only plain
//! statements between two ids are taken, so that nothing is called wrong that was not said.

use std::sync::LazyLock;

use domain::RelationRecord;
use knowledge::{Base, Resolved, tight};
use regex::Regex;

/// Links of one sentence at most.
const MAX_LINKS: usize = 20;
/// Paragraphs of a section that are looked at.
const SECTION: usize = 40;

static CLAIMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:is|are|was|were|been)\s+(?:also\s+|directly\s+|closely\s+)?(?:related|linked)\s+to\b",
        r"|\brelates?\s+to\b",
        r"|\b(?:cross-)?refers?\s+(?:back\s+|also\s+|on\s+)?to\b",
        r"|\bpoints?\s+to\b",
        r"|\b(?:references|mentions|cites)\b",
        r"|\b(?:is|was|were|been)\s+(?:incorporated|moved|merged)\s+(?:in)?to\b",
        r"|\b(?:is|was|were|been)\s+(?:superseded|replaced)\s+by\b",
        r"|\bsee\s+also\b",
    ))
    .ok()
});
/// An id: with a label before it, or with letters and digits of its own.
static ID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:\b\d{1,2}\s(?:CFR|C\.F\.R\.)\s(?:part\s)?|\b(?i:paragraphs?|paras?\.?|sections?|articles?|art\.|recitals?|annex|controls?|requirements?)\s|§\s?|\b[A-Z][A-Za-z]{1,11}\s)",
        r"[A-Z]{0,3}-?[0-9IVX][\w.()#¶-]*",
        r"|\b[A-Z]{1,3}-?\d[\w.()#-]*",
        r"|\b\d+\.\d[\w.()]*",
    ))
    .ok()
});

/// The links that a sentence claims, each looked up. `cited` is the paragraph that the sentence cites, when it is one.
pub(crate) fn claimed_links(base: &Base, sentence: &str, cited: Option<&str>) -> Vec<RelationRecord> {
    let (Some(claims), Some(ids)) = (CLAIMS.as_ref(), ID.as_ref()) else { return Vec::new() };
    let mut found: Vec<RelationRecord> = Vec::new();
    for claim in claims.find_iter(sentence) {
        let words = claim.as_str().split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let from = if words == "see also" { cited } else { id_before(&sentence[..claim.start()], ids) };
        let Some(from) = from.map(trimmed).filter(|id| base.resolve(id).is_some()) else { continue };
        for to in ids_after(&sentence[claim.end()..], ids) {
            let record = looked_up(base, from, to, &words);
            if record.from != record.to && !found.contains(&record) && found.len() < MAX_LINKS {
                found.push(record);
            }
        }
    }
    found
}

/// The id that a text ends with, but for a word such as `also`.
fn id_before<'s>(text: &'s str, ids: &Regex) -> Option<&'s str> {
    let last = ids.find_iter(text).last()?;
    let gap = text[last.end()..].trim();
    matches!(gap, "" | "," | "also" | "itself" | "has" | "have" | "and has" | "in turn")
        .then_some(last.as_str())
}

/// The ids that a text starts with: `AC-3, AC-5 and paragraph 12`.
fn ids_after<'s>(text: &'s str, ids: &Regex) -> Vec<&'s str> {
    const BETWEEN: [&str; 12] =
        ["", ",", "and", ", and", "or", "both", "the", ";", "to", "the control", "controls", "and to"];
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(next) = ids.find(rest) {
        if !BETWEEN.contains(&rest[..next.start()].trim()) {
            break;
        }
        let id = trimmed(next.as_str());
        found.push(id);
        rest = &rest[next.start() + id.len()..];
    }
    found
}

/// Without the sentence's punctuation and without a parenthesis that was opened outside.
fn trimmed(id: &str) -> &str {
    let mut id = id;
    loop {
        let before = id;
        id = id.trim_end_matches(['.', ',', ';', ':', '-']);
        if id.ends_with(')') && id.matches(')').count() > id.matches('(').count() {
            id = &id[..id.len() - 1];
        }
        if id == before {
            return id;
        }
    }
}

fn looked_up(base: &Base, from: &str, to: &str, claimed: &str) -> RelationRecord {
    let (near, far) = (members(base, from), members(base, to));
    let mut kinds: Vec<String> = Vec::new();
    for id in &near {
        for link in base.neighbours(id).unwrap_or_default() {
            if far.contains(&link.id) {
                kinds.push(link.kind);
            }
        }
        // A reference to what the base does not hold is a link all the same.
        if far.is_empty()
            && let Ok(paragraph) = base.paragraph(id)
        {
            let same = paragraph.refs.iter().filter(|one| tight(&one.to) == tight(to));
            kinds.extend(same.map(|one| one.kind.clone()));
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    let own = |ids: &[String], written: &str| match ids {
        [one] => one.clone(),
        _ => written.to_owned(),
    };
    RelationRecord {
        from: own(&near, from),
        to: own(&far, to),
        claimed: claimed.to_owned(),
        exists: !kinds.is_empty(),
        kinds,
    }
}

fn members(base: &Base, id: &str) -> Vec<String> {
    match base.resolve(id) {
        Some(Resolved::Paragraph(place)) => vec![base.paragraphs()[place].id.clone()],
        Some(Resolved::Section(places)) => {
            places.into_iter().take(SECTION).map(|place| base.paragraphs()[place].id.clone()).collect()
        }
        None => Vec::new(),
    }
}
