//! What a document says of itself where it begins: its edition and its date.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use documents::{BlockKind, Document, Format};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// Blocks in which an edition and a date with their words before them are looked for.
const BLOCKS: usize = 30;
/// Blocks in which a date alone is that of the document.
const OPENING: usize = 6;
/// Longest block that says such a thing, in bytes.
const LINE: usize = 300;
/// Longest edition and date, in characters.
const CHARS: usize = 60;
/// What is looked at of a file for its front matter.
const HEAD: u64 = 8 << 10;

/// The edition and the date of a document, as it writes them; empty where it says none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Front {
    pub(crate) edition: String,
    pub(crate) date: String,
}

const MONTH: &str = "(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|\
                     Aug(?:ust)?|Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)";

fn date_pattern() -> String {
    format!(
        r"(?:[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}}|(?:[0-9]{{1,2}}(?:st|nd|rd|th|\.)? )?{MONTH}\.? (?:[0-9]{{1,2}}, )?[0-9]{{4}})"
    )
}

const EDITION: &str = r"(?:(?:version|edition|revision|release|rev\.)[ :]+v?[0-9][0-9A-Za-z.]{0,11}|(?:[0-9]{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|revised) edition)";
const REVISED: &str = r"\((?P<edition>(?:revised|redrafted|updated|amended)(?: [0-9]{4})?)\)";

impl Front {
    /// What `document` says, whose file's name without ending is `stem`.
    pub(crate) fn of(document: &Document, format: Format, path: &Path, stem: &str) -> Self {
        let is_text = matches!(format, Format::Markdown | Format::Text);
        let mut front = if is_text { Self::matter(path) } else { Self::default() };
        let lines = || {
            let blocks = document.blocks.iter().take(BLOCKS).map(|block| block.text.as_str());
            blocks.filter(|text| text.len() <= LINE)
        };
        let heading = document.blocks.iter().find(|block| matches!(block.kind, BlockKind::Heading(_)));
        let heading = heading.map(|block| block.text.as_str());
        let names = || document.title.as_deref().into_iter().chain([stem]).chain(heading);
        if front.edition.is_empty() {
            static NAMED: LazyLock<Option<Regex>> =
                LazyLock::new(|| Regex::new(&format!(r"(?i){REVISED}|\b(?P<other>{EDITION})")).ok());
            static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
                Regex::new(&format!(
                    r"(?im)^\W*(?:(?P<edition>{EDITION})\W*$|{})",
                    REVISED.replace("edition", "other")
                ))
                .ok()
            });
            let found = names().find_map(|text| captured(&NAMED, text));
            front.edition =
                found.or_else(|| lines().find_map(|text| captured(&SAID, text))).unwrap_or_default();
        }
        if front.date.is_empty() {
            static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
                let word = r"(?:date|dated|as of|as at|effective(?: date| as of| from)?|published|issued|last (?:updated|modified|revised)|updated|stand|datum)";
                let effective = r"\(effective for [^()]{0,120}? (?:on or )?after ";
                Regex::new(&format!(
                    r"(?im)(?:^\W*{word}(?: on)?\W{{1,3}}|{effective})(?P<date>{})",
                    date_pattern()
                ))
                .ok()
            });
            static ALONE: LazyLock<Option<Regex>> =
                LazyLock::new(|| Regex::new(&format!(r"(?m)(?:^|\s)(?P<date>{})\s*$", date_pattern())).ok());
            let alone = || document.blocks.iter().take(OPENING).map(|block| block.text.as_str());
            let found = lines().find_map(|text| captured(&SAID, text));
            front.date =
                found.or_else(|| alone().find_map(|text| captured(&ALONE, text))).unwrap_or_default();
        }
        front
    }

    /// The front matter of a text, between lines of hyphens.
    fn matter(path: &Path) -> Self {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_start_matches('\u{feff}');
        let mut front = Self::default();
        if read.is_err() || text.lines().next().is_none_or(|line| line.trim_end() != "---") {
            return front;
        }
        for line in text.lines().skip(1).take_while(|line| line.trim_end() != "---") {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_matches(['"', '\'']);
            match key.trim().to_lowercase().as_str() {
                "date" | "updated" | "lastmod" | "last_modified" | "effective" if front.date.is_empty() => {
                    front.date = bounded(value);
                }
                key @ ("version" | "revision") if front.edition.is_empty() && !value.is_empty() => {
                    front.edition = bounded(&format!("{key} {value}"));
                }
                "edition" if !value.is_empty() => front.edition = bounded(value),
                _ => {}
            }
        }
        front
    }
}

/// The words of the first group that matched.
fn captured(regex: &LazyLock<Option<Regex>>, text: &str) -> Option<String> {
    let found = regex.as_ref()?.captures(text)?;
    let group = found.iter().skip(1).flatten().next()?;
    Some(bounded(group.as_str()))
}

fn bounded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(CHARS).collect()
}

#[cfg(test)]
mod tests {
    use documents::{Block, BlockPosition};
    use pretty_assertions::assert_eq;

    use super::*;

    fn said(title: &str, stem: &str, blocks: &[&str]) -> (String, String) {
        let block =
            |text: &&str| Block::new(BlockKind::Paragraph, (*text).to_owned(), BlockPosition::default());
        let title = Some(title.to_owned()).filter(|title| !title.is_empty());
        let document = Document { title, blocks: blocks.iter().map(block).collect(), ..Document::default() };
        let front = Front::of(&document, Format::Html, Path::new("none"), stem);
        (front.edition, front.date)
    }

    #[test]
    fn a_document_says_its_edition_and_date_where_it_begins_and_only_there() {
        let is = |edition: &str, date: &str| (edition.to_owned(), date.to_owned());
        assert_eq!(said("International Standard 9 (Revised 2031), Hats", "x", &[]), is("Revised 2031", ""));
        assert_eq!(said("", "handbook rev. 4", &["Handbook"]), is("rev. 4", ""));
        assert_eq!(
            said("", "x", &["Hats", "Version: 2.1", "Date: 2031-05-04"]),
            is("Version: 2.1", "2031-05-04")
        );
        assert_eq!(said("", "x", &["Category: Standards Track June 2031"]), is("", "June 2031"));
        let effective = "(Effective for counts of periods beginning on or after December 15, 2031)";
        assert_eq!(said("", "x", &["Hats", effective]), is("", "December 15, 2031"));
        assert_eq!(said("", "x", &["4. Mai 2031", "Hüte"]), is("", "4. Mai 2031"));
        assert_eq!(said("", "x", &["Whoever read version 2 of the text in May 2031 was tired."]), is("", ""));
    }
}
