//! The documents of a base by what they are called: their titles and the names of their files.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::Base;
use crate::index::TEXT;
use crate::period::{Period, periods};
use crate::titles::{composed, key, words};

/// Stems with which a document begins: a cover, an address, the parties of a contract.
const OPENING: u32 = 200;

/// The documents of a base and the words of their names.
#[derive(Debug, Default)]
pub(crate) struct DocumentNames {
    documents: Vec<DocumentName>,
    /// Documents by a word of their names.
    words: HashMap<String, BTreeSet<usize>>,
    /// The document of each position, and whether it begins there.
    of: Vec<(u32, bool)>,
}

/// What a document is called.
#[derive(Debug)]
struct DocumentName {
    /// Words of its title, and of its file's name.
    keys: [String; 2],
    /// What it says that it is; where the name does not, its beginning may.
    kinds: Vec<String>,
    named: bool,
    periods: Vec<Period>,
    stems: u32,
}

impl DocumentNames {
    pub(crate) fn of(base: &Base) -> Self {
        let columns = base.columns();
        let files = files(base);
        let mut found = Self::default();
        let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
        for position in 0..columns.len() {
            let (file, doc) = (files.get(position).copied(), columns.doc(position));
            let number = *numbers.entry((file.unwrap_or_default(), doc)).or_insert_with(|| {
                let file = file.and_then(|file| base.manifest().sources.get(file as usize));
                found.add(columns.name(doc), file.map_or("", |file| &file.name))
            });
            let document = &mut found.documents[number];
            let begins = document.stems < OPENING;
            if begins && !document.named {
                let (title, text) = base.paragraphs().words(position);
                document
                    .kinds
                    .extend([title, text].iter().flat_map(|text| kinds(text)).map(|(kind, _)| kind));
            }
            found.of.push((number as u32, begins));
            document.stems += base.index().lengths(position)[TEXT];
        }
        // What is hardly longer than a beginning has none.
        for (number, begins) in &mut found.of {
            *begins &= found.documents[*number as usize].stems >= 2 * OPENING;
        }
        found
    }

    fn add(&mut self, title: &str, file: &str) -> usize {
        let number = self.documents.len();
        let file = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let name = format!("{title} {file}");
        let name = composed(&name);
        for (_, word) in words(&name) {
            self.words.entry(word.to_lowercase()).or_default().insert(number);
        }
        let file = file.rsplit('/').next().unwrap_or(file);
        let kinds: Vec<String> = kinds(&name).into_iter().map(|(kind, _)| kind).collect();
        self.documents.push(DocumentName {
            keys: [key(title), key(file)],
            named: !kinds.is_empty(),
            kinds,
            periods: periods(&name).into_iter().map(|(period, _)| period).collect(),
            stems: 0,
        });
        number
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// The document at a position of the base.
    pub(crate) fn at(&self, position: usize) -> usize {
        self.of.get(position).map_or(0, |&(number, _)| number as usize)
    }

    /// The document that begins at a position.
    pub(crate) fn opened_at(&self, position: usize) -> Option<usize> {
        self.of.get(position).filter(|(_, begins)| *begins).map(|&(number, _)| number as usize)
    }

    /// What a document's name says that it is, or its beginning where the name does not.
    pub(crate) fn kinds(&self, document: usize) -> &[String] {
        self.documents.get(document).map_or(&[], |one| &one.kinds)
    }

    /// The periods that a document's name states.
    pub(crate) fn periods(&self, document: usize) -> &[Period] {
        self.documents.get(document).map_or(&[], |one| &one.periods)
    }

    /// Documents with a word in their names, in lower case.
    pub(crate) fn with_word(&self, word: &str) -> BTreeSet<usize> {
        self.words.get(word).cloned().unwrap_or_default()
    }

    /// Whether a name is that of a document's file.
    pub(crate) fn is_file(&self, document: usize, name: &str) -> bool {
        self.documents.get(document).is_some_and(|one| one.keys[1] == key(name))
    }

    /// Documents whose title or file name, of two words or more, stands in a text as a whole, and where.
    pub(crate) fn whole_names(&self, text: &str) -> Vec<(usize, Range<usize>)> {
        let words: Vec<(usize, &str)> = words(text).collect();
        let lower: Vec<String> = words.iter().map(|(_, word)| word.to_lowercase()).collect();
        let near: BTreeSet<usize> =
            lower.iter().filter_map(|word| self.words.get(word)).flatten().copied().collect();
        let stands = |key: &String| {
            let count = key.split(' ').count();
            let at = lower.windows(count).position(|window| count > 1 && window.join(" ") == *key)?;
            let (last, word) = words[at + count - 1];
            Some(words[at].0..last + word.len())
        };
        near.into_iter()
            .filter_map(|document| Some((document, self.documents[document].keys.iter().find_map(stands)?)))
            .collect()
    }
}

/// What a text calls documents, in order, without the plural, and where: `contract`, the form `10 k` of an authority.
pub(crate) fn kinds(text: &str) -> Vec<(String, Range<usize>)> {
    static KIND: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)(?:\b|_)(?:\d{1,2}-[a-z]|addendum|agreement|amendment|contract|deck|handbook|invoice|lease|letter",
            r"|manual|memo|memorandum|minutes|policy|prospectus|report|transcript)s?(?:\b|_)",
        ))
        .ok()
    });
    let found = KIND.iter().flat_map(|kind| kind.find_iter(text));
    let kind = |word: &str| {
        let kind = key(word);
        if kind == "minutes" { kind } else { kind.trim_end_matches('s').to_owned() }
    };
    found.map(|found| (kind(found.as_str()), found.range())).collect()
}

/// The file of each position, by its place among the sources; nothing where there is one file only, or files do not
/// stand one after the other.
pub(crate) fn files(base: &Base) -> Vec<u32> {
    let sources = &base.manifest().sources;
    let mut files: Vec<u32> = Vec::new();
    for (number, source) in (0..).zip(sources) {
        let first = files.len();
        let inside = |position: usize| base.paragraphs().read(position).file == number;
        let end = first.saturating_add(usize::try_from(source.paragraphs).unwrap_or(usize::MAX));
        if end > base.paragraphs().len() || (end > first && !(inside(first) && inside(end - 1))) {
            return Vec::new();
        }
        files.resize(end, number);
    }
    if sources.len() > 1 && files.len() == base.paragraphs().len() { files } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::kinds;
    use pretty_assertions::assert_eq;

    #[test]
    fn kinds_are_told_in_names_and_questions() {
        let told = |text: &str| kinds(text).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
        assert_eq!(told("Harbour 10-K 2021"), ["10 k"]);
        assert_eq!(told("lease_harbour_quay"), ["lease"]);
        assert_eq!(told("Contracts, and the MINUTES of May"), ["contract", "minutes"]);
        assert_eq!(told("The reporter released it"), Vec::<String>::new());
    }
}
