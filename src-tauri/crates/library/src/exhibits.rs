//! The documents that an answer was written from: those of the generations that its records cite.

mod dates;
mod distinctions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use answers::{Exhibit, Exhibits};
use domain::SentenceRecord;
use engine::Corpus;
use knowledge::{Base, original_name};

use dates::date;
use distinctions::{is_company, tell_apart};

/// Of more documents only those that are cited are listed.
const MAX_LISTED: usize = 300;
/// How much of a document's beginning is searched for its date and its parties, in bytes.
const HEAD_BYTES: usize = 3_000;

/// A document, with the name that its base has for it and its beginning.
struct Found {
    exhibit: Exhibit,
    name: String,
    head: String,
}

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
    let (mut found, mut is_partial) = (Vec::new(), false);
    for ((base, generation), files) in &cited {
        match Base::open_generation(home, base, generation) {
            Ok(base) => {
                let all = of_base(&base);
                let names: BTreeSet<&str> = files.keys().copied().collect();
                let is_long = all.len() > MAX_LISTED;
                is_partial |= is_long;
                found.extend(all.into_iter().filter(|one| !is_long || names.contains(one.name.as_str())));
            }
            Err(_) => {
                is_partial = true;
                let is_other =
                    |file: &str, other: &str| other != file && original_name(other) == original_name(file);
                found.extend(files.iter().map(|(file, sha256)| {
                    let is_shared = files.keys().any(|other| is_other(file, other));
                    Found::new(file, if is_shared { file } else { original_name(file) }, sha256.clone())
                }));
            }
        }
    }
    let mut found = without_copies(found);
    tell_apart(&mut found);
    let list = found.into_iter().map(|one| one.exhibit).collect();
    if is_partial { Exhibits::cited(list) } else { Exhibits::all(list) }
}

impl Found {
    /// A document of which nothing else is known; `shown` is the name that it is shown by.
    fn new(name: &str, shown: &str, sha256: String) -> Self {
        let aliases = if name == shown { Vec::new() } else { vec![name.to_owned()] };
        let exhibit = Exhibit { file: shown.to_owned(), aliases, sha256, ..Exhibit::default() };
        Self { exhibit, name: name.to_owned(), head: String::new() }
    }
}

/// Files with the same bytes as one document.
fn without_copies(all: Vec<Found>) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::with_capacity(all.len());
    for one in all {
        let same = |other: &&mut Found| other.exhibit.sha256 == one.exhibit.sha256;
        match out.iter_mut().find(same).filter(|_| !one.exhibit.sha256.is_empty()) {
            Some(Found { exhibit: first, .. }) => {
                if first.file != one.exhibit.file && !first.copies.contains(&one.exhibit.file) {
                    first.copies.push(one.exhibit.file);
                }
                first.aliases.extend(one.exhibit.aliases);
            }
            None => out.push(one),
        }
    }
    out
}

fn of_base(base: &Base) -> Vec<Found> {
    let sources = &base.manifest().sources;
    let mut list: Vec<Found> = sources
        .iter()
        .map(|source| Found::new(&source.name, base.shown_name(source), source.sha256.to_string()))
        .collect();
    for paragraph in base.paragraphs().iter() {
        let Some(Found { exhibit, head, .. }) = list.get_mut(paragraph.file as usize) else { continue };
        exhibit.pages = exhibit.pages.max(paragraph.all_pages().map(|pages| pages.1));
        if exhibit.title.is_empty() {
            exhibit.title = title(&paragraph.doc, &paragraph.path).to_owned();
        }
        if head.len() < HEAD_BYTES {
            head.push_str(&paragraph.text);
            head.push('\n');
        }
    }
    for one in &mut list {
        one.exhibit.date = date(&one.head).unwrap_or_default();
    }
    list
}

/// A document's title: its first heading, or the second one where the first is the name of a company.
fn title<'p>(doc: &'p str, path: &'p [String]) -> &'p str {
    let below = path.get(1).map(|heading| heading.trim()).filter(|heading| !heading.is_empty());
    match below {
        Some(below) if is_company(doc) && path.first().is_some_and(|first| first == doc) => below,
        Some(_) | None => doc.trim(),
    }
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
    fn files_with_the_same_bytes_are_one_document_with_the_names_of_both() {
        let one = |name: &str, shown: &str, sha256: &str| Found::new(name, shown, sha256.to_owned());
        let found = without_copies(vec![
            one("a/lease.pdf.md", "a/lease.pdf", "1"),
            one("deed.pdf", "deed.pdf", "2"),
            one("b/lease.pdf", "b/lease.pdf", "1"),
            one("b/lease.pdf", "b/lease.pdf", "1"),
            one("unknown.pdf", "unknown.pdf", ""),
            one("other.pdf", "other.pdf", ""),
        ]);
        let names: Vec<String> = found.iter().map(|one| one.exhibit.files()).collect();
        assert_eq!(names, ["a/lease.pdf, the same as b/lease.pdf", "deed.pdf", "unknown.pdf", "other.pdf"]);
        assert_eq!(found[0].exhibit.aliases, ["a/lease.pdf.md"]);
    }
}
