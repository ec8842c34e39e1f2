//! Headings that a source wrote in capitals, as headings of ours.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::{Run, RunContent};

/// Words that stay small within a heading.
const SMALL: [&str; 22] = [
    "a", "an", "and", "as", "at", "but", "by", "for", "from", "in", "into", "nor", "of", "on", "or", "per",
    "the", "to", "upon", "via", "vs", "with",
];
/// Words that are written in capitals, and some that have both.
const ACRONYMS: [&str; 88] = [
    "ADR", "AG", "AI", "AML", "API", "APA", "ARR", "BV", "CCPA", "CEO", "CFIUS", "CFO", "COO", "CTO", "DOJ",
    "DPA", "DPO", "EBITDA", "EEA", "EPA", "ERISA", "ESG", "EU", "EUR", "EURIBOR", "FCPA", "FDA", "FTC",
    "GAAP", "GBP", "GDPR", "GmbH", "HIPAA", "HR", "HSR", "ICC", "IFRS", "IP", "IRS", "ISA", "ISO", "IT",
    "KG", "KYC", "LCIA", "LIBOR", "LLC", "LLP", "LP", "MSA", "NDA", "NV", "OFAC", "OSHA", "PDF", "PLC",
    "PLLC", "Q&A", "R&D", "SA", "SaaS", "SCC", "SCCs", "SEC", "SLA", "SOC", "SOFR", "SOW", "SPA", "SPV",
    "TUPE", "UCC", "UK", "UN", "UNCITRAL", "URL", "US", "USA", "USD", "VAT", "VIE", "WTO", "AAA", "BIS",
    "CPA", "DORA", "EY", "IOI",
];
/// Words before a number or a letter.
const NUMBERED: [&str; 20] = [
    "annex", "appendix", "article", "book", "chapter", "class", "exhibit", "item", "part", "phase", "rule",
    "schedule", "section", "sections", "series", "tab", "table", "title", "tranche", "volume",
];

/// How words are written in a document, to write its headings like them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadingCase {
    /// Names with a form of their own, such as `TelemetryWorks`, by their small letters.
    mixed: BTreeMap<String, String>,
    /// Words that occur in small letters or with one capital.
    plain: BTreeSet<String>,
    /// Words that occur in capitals among others; in a passage in capitals, nothing shows how one of them is written.
    capitals: BTreeSet<String>,
}

impl HeadingCase {
    /// Learns how words are written from a document's text; headings and tables are no running text.
    pub fn learn(text: &str) -> Self {
        let mut case = Self::default();
        for line in text.lines().filter(|line| !line.starts_with(['#', '|'])) {
            let words =
                line.split(|c: char| !is_of_word(c)).filter(|word| word.chars().any(char::is_alphabetic));
            let words: Vec<&str> = words.collect();
            for (at, word) in words.iter().enumerate().filter(|(_, word)| word.chars().count() > 1) {
                let key = word.to_lowercase();
                if is_capitals(word) {
                    let is_alone = |other: Option<&&str>| other.is_none_or(|other| !is_capitals(other));
                    let before = at.checked_sub(1).and_then(|before| words.get(before));
                    if words.len() > 1 && is_alone(before) && is_alone(words.get(at + 1)) {
                        case.capitals.insert(key);
                    }
                } else if word.chars().skip(1).any(char::is_uppercase) {
                    case.mixed.entry(key).or_insert_with(|| (*word).to_owned());
                } else {
                    case.plain.insert(key);
                }
            }
        }
        case
    }

    /// A heading in capitals with capitals where a title has them; any other, and one that quotes, as it is. Numbers, acronyms, and
    /// names that the text writes in capitals stay.
    pub fn display<'t>(&self, heading: &'t str) -> Cow<'t, str> {
        let quotes = ['"', '\u{201c}', '\u{201d}', '\u{ab}', '\u{bb}', '`', '\u{201e}'];
        // A letter of a script without capitals is not shouted.
        let is_shouted = heading.chars().all(|c| !c.is_alphabetic() || c.is_uppercase())
            && heading
                .split(|c: char| !c.is_alphabetic())
                .any(|word| word.chars().count() > 4 || self.plain.contains(&word.to_lowercase()));
        if !is_shouted || heading.contains(quotes) {
            return Cow::Borrowed(heading);
        }
        let mut out = String::with_capacity(heading.len());
        let (mut before, mut begins) = (String::new(), true);
        let mut rest = heading;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !is_of_word(c) && !matches!(c, '.' | '-')).unwrap_or(rest.len());
            let (joined, after) = rest.split_at(end);
            if joined.chars().any(char::is_alphanumeric) {
                let ends = !after.chars().any(char::is_alphanumeric);
                out.push_str(&self.joined(joined, &before, begins, ends));
                let number = joined.ends_with('.') && joined.chars().any(|c| c.is_ascii_digit());
                (before, begins) = (joined.trim_end_matches('.').to_lowercase(), number);
            } else {
                out.push_str(joined);
            }
            let sign = after.chars().next();
            if let Some(c) = sign {
                begins |= matches!(c, ':' | ';' | '\u{2014}' | '\u{2013}' | '(' | '/');
                out.push(c);
            }
            rest = &after[sign.map_or(0, char::len_utf8)..];
        }
        Cow::Owned(out)
    }

    /// A line of Markdown: a heading as [`Self::display`] shows it, any other as it is.
    pub fn line<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let words = line.trim_start_matches('#').trim_start();
        match line.starts_with('#') {
            true => Cow::Owned(format!("{}{}", &line[..line.len() - words.len()], self.display(words))),
            false => Cow::Borrowed(line),
        }
    }

    /// A heading of a file, as [`Self::display`] shows it; one in parts of different looks stays.
    pub fn display_runs(&self, runs: &mut [Run]) {
        if let [Run { content: RunContent::Text(words), .. }] = runs {
            *words = self.display(words).into_owned();
        }
    }

    /// Words that hyphens join.
    fn joined(&self, words: &str, before: &str, begins: bool, ends: bool) -> String {
        let parts: Vec<&str> = words.split('-').collect();
        if parts.len() > 1 && words.chars().any(|c| c.is_ascii_digit()) {
            return words.to_owned();
        }
        let last = parts.len() - 1;
        let is_edge = |at: usize| (begins && at == 0) || (ends && at == last);
        let shown = parts.iter().enumerate().map(|(at, part)| self.word(part, before, is_edge(at)));
        shown.collect::<Vec<_>>().join("-")
    }

    fn word(&self, word: &str, before: &str, is_edge: bool) -> String {
        let name = word.trim_end_matches('.');
        let key = name.to_lowercase();
        let is_short = name.chars().count() == 1;
        let counts = word.chars().any(|c| c.is_ascii_digit()) || name.contains('.');
        if counts || (is_short && (NUMBERED.contains(&before) || is_edge || key == "i")) {
            return word.to_owned();
        }
        if is_roman(name) && (name.chars().all(|c| "IVX".contains(c)) || NUMBERED.contains(&before)) {
            return word.to_owned();
        }
        let dots = &word[name.len()..];
        if let Some(known) = ACRONYMS.iter().find(|known| known.eq_ignore_ascii_case(name)) {
            return format!("{known}{dots}");
        }
        if let Some(own) = self.mixed.get(&key) {
            return format!("{own}{dots}");
        }
        if SMALL.contains(&key.as_str()) {
            return if is_edge { titled(word) } else { word.to_lowercase() };
        }
        let has_vowel = key.contains(['a', 'e', 'i', 'o', 'u', 'y']);
        let is_written_so = self.capitals.contains(&key) && !self.plain.contains(&key);
        let spoken = ["ltd", "mr", "mrs", "dr", "st"].contains(&key.as_str());
        if is_written_so || name.contains('&') || (!has_vowel && key.is_ascii() && !spoken) {
            return word.to_owned();
        }
        titled(word)
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '&')
}

fn is_capitals(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !word.chars().any(char::is_lowercase)
}

/// A number of Roman letters, as one writes it: `IV`, not `IIII`.
fn is_roman(word: &str) -> bool {
    let mut rest = word;
    for (one, five, ten) in [("C", "D", "M"), ("X", "L", "C"), ("I", "V", "X")] {
        if ten == "M" {
            rest = rest.trim_start_matches('M');
        }
        let (nine, four) = (format!("{one}{ten}"), format!("{one}{five}"));
        if let Some(after) = rest.strip_prefix(&nine).or_else(|| rest.strip_prefix(&four)) {
            rest = after;
            continue;
        }
        rest = rest.strip_prefix(five).unwrap_or(rest);
        let ones = rest.len() - rest.trim_start_matches(one).len();
        if ones > 3 {
            return false;
        }
        rest = &rest[ones..];
    }
    !word.is_empty() && rest.is_empty()
}

fn titled(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next();
    first.into_iter().chain(chars.flat_map(char::to_lowercase)).collect()
}
