//! The documents that an answer was written from: those of the generations that its records cite.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use answers::{Exhibit, Exhibits};
use domain::{MONTHS, SentenceRecord};
use engine::Corpus;
use knowledge::Base;

/// Of more documents only those that are cited are listed.
const MAX_LISTED: usize = 300;
/// How much of a document's beginning is searched for its date, in bytes.
const HEAD_BYTES: usize = 3_000;
/// How far behind the words that announce it a date may stand, in bytes.
const REACH_BYTES: usize = 24;
/// Words before the date that a document gives itself, the surest first. A bare "dated" often speaks of another document.
const ANNOUNCED: [&str; 9] = [
    "order effective date",
    "effective date",
    "effective as of",
    "entered into as of",
    "made as of",
    "dated as of",
    "as of date",
    "meeting date",
    "as of",
];
/// How the name of a company ends.
const COMPANIES: [&str; 14] = [
    "ag",
    "co",
    "corp",
    "corporation",
    "gmbh",
    "inc",
    "kg",
    "limited",
    "llc",
    "llp",
    "ltd",
    "n.v",
    "plc",
    "s.a",
];

/// The documents of every generation that records cite or that was asked, in the order of their bases and files; only the cited ones
/// where a generation is gone or there are very many. Reads the bases: for a thread that may block.
pub fn exhibits(home: &Path, records: &[SentenceRecord], asked: &[Corpus]) -> Exhibits {
    let mut cited: BTreeMap<(&str, &str), BTreeMap<&str, String>> = BTreeMap::new();
    for citation in records.iter().flat_map(|record| &record.citations) {
        let files = cited.entry((&citation.base, &citation.generation)).or_default();
        if let Some(document) = &citation.document {
            files.insert(&document.name, document.sha256.to_string());
        }
    }
    // What was asked was reviewed as well where nothing of it is cited.
    if !cited.is_empty() {
        for corpus in asked {
            cited.entry((&corpus.base, &corpus.generation)).or_default();
        }
    }
    let (mut list, mut is_partial) = (Vec::new(), false);
    for ((base, generation), files) in &cited {
        match Base::open_generation(home, base, generation) {
            Ok(base) => {
                let all = of_base(&base);
                let names: BTreeSet<&str> = files.keys().copied().collect();
                let is_long = all.len() > MAX_LISTED;
                is_partial |= is_long;
                list.extend(all.into_iter().filter(|one| !is_long || names.contains(one.file.as_str())));
            }
            Err(_) => {
                is_partial = true;
                list.extend(files.iter().map(|(file, sha256)| Exhibit {
                    file: (*file).to_owned(),
                    sha256: sha256.clone(),
                    ..Exhibit::default()
                }));
            }
        }
    }
    if is_partial { Exhibits::cited(list) } else { Exhibits::all(list) }
}

fn of_base(base: &Base) -> Vec<Exhibit> {
    let sources = &base.manifest().sources;
    let mut list: Vec<Exhibit> = sources
        .iter()
        .map(|source| Exhibit {
            file: source.name.clone(),
            sha256: source.sha256.to_string(),
            ..Exhibit::default()
        })
        .collect();
    let mut heads = vec![String::new(); list.len()];
    for paragraph in base.paragraphs().iter() {
        let at = paragraph.file as usize;
        let (Some(one), Some(head)) = (list.get_mut(at), heads.get_mut(at)) else { continue };
        one.pages = one.pages.max(paragraph.page);
        if one.title.is_empty() {
            one.title = title(&paragraph.doc, &paragraph.path).to_owned();
        }
        if head.len() < HEAD_BYTES {
            head.push_str(&paragraph.text);
            head.push('\n');
        }
    }
    for (one, head) in list.iter_mut().zip(&heads) {
        one.date = date(head).unwrap_or_default();
    }
    list
}

/// A document's title: its first heading, or the second one where the first is the name of a company.
fn title<'p>(doc: &'p str, path: &'p [String]) -> &'p str {
    let last = doc.split_whitespace().last().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    let below = path.get(1).map(|heading| heading.trim()).filter(|heading| !heading.is_empty());
    match below {
        Some(below)
            if COMPANIES.contains(&last.as_str()) && path.first().is_some_and(|first| first == doc) =>
        {
            below
        }
        Some(_) | None => doc.trim(),
    }
}

/// The date that a document gives itself at its beginning, in its words.
fn date(head: &str) -> Option<String> {
    let small = head.to_ascii_lowercase();
    ANNOUNCED.iter().find_map(|announced| {
        small.match_indices(announced).find_map(|(at, _)| {
            // Within a sentence it is the day of a figure.
            let is_own =
                *announced != "as of" || small[..at].is_empty() || small[..at].ends_with(['\n', '(']);
            let from = at + announced.len();
            let mut starts = (from..=from + REACH_BYTES).take_while(|_| is_own);
            starts.find_map(|start| date_at(head.get(start..)?, small.get(start..)?))
        })
    })
}

/// A date that words begin with: `March 1, 2025`, `1 March 2025`, `2025-03-01`.
fn date_at(words: &str, small: &str) -> Option<String> {
    let number =
        |from: usize| small.get(from..).map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let month = |from: usize| {
        let rest = small.get(from..)?;
        MONTHS
            .iter()
            .find(|month| rest.split_once(' ').is_some_and(|(word, _)| word.eq_ignore_ascii_case(month)))
            .map(|month| month.len())
    };
    let end = if let Some(length) = month(0) {
        let day = length + 1;
        let comma = day + number(day);
        let year = comma + if small.get(comma..)?.starts_with(", ") { 2 } else { 1 };
        (matches!(comma - day, 1 | 2) && number(year) == 4).then_some(year + 4)?
    } else {
        let first = number(0);
        match first {
            1 | 2 => {
                let year = first + 2 + month(first + 1)?;
                (small.get(first..)?.starts_with(' ') && number(year) == 4).then_some(year + 4)?
            }
            4 => {
                let is_date =
                    small.get(4..5)? == "-" && number(5) == 2 && small.get(7..8)? == "-" && number(8) == 2;
                is_date.then_some(10)?
            }
            _ => return None,
        }
    };
    Some(words.get(..end)?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_company_is_no_title() {
        let path = ["LARKSPUR, INC.", "REGISTER OF SUB-PROCESSORS"].map(str::to_owned);
        assert_eq!(title("LARKSPUR, INC.", &path), "REGISTER OF SUB-PROCESSORS");
        assert_eq!(title("LARKSPUR, INC.", &path[..1]), "LARKSPUR, INC.");
        assert_eq!(
            title("MASTER AGREEMENT", &["MASTER AGREEMENT", "RECITALS"].map(str::to_owned)),
            "MASTER AGREEMENT"
        );
    }

    #[test]
    fn the_date_is_the_one_that_a_document_gives_itself() {
        for (head, date) in [
            (
                "This Agreement is entered into as of March 1, 2025 (the \"Effective Date\") by and between",
                "March 1, 2025",
            ),
            (
                "Order Form No.: 7\nOrder Effective Date: January 1, 2025\nMSA dated December 18, 2024",
                "January 1, 2025",
            ),
            ("Effective Date: 1 June 2025", "1 June 2025"),
            ("Headline Metrics (as of 2026-03-31)", "2026-03-31"),
            ("As of: March 31, 2026", "March 31, 2026"),
        ] {
            assert_eq!(super::date(head).as_deref(), Some(date), "{head}");
        }
        for head in [
            "ARR of $41.2M as of March 31, 2026",
            "the Agreement dated 1 March 2025",
            "as of this date",
            "as of May, the term",
            "",
        ] {
            assert_eq!(super::date(head), None, "{head}");
        }
    }
}
