//! Do the things a sentence names occur in the paragraphs it cites? Numbers, dates, terms in quotation marks
//! and named standards are compared; whether the sentence follows from the text is not decided here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use knowledge::{Base, Folded, Paragraph, tight};
use regex::Regex;

use super::attribution::{comparable, within};
use super::records::BaseParagraph;
use super::{cited, clipped};

/// A sentence of an answer with the paragraphs it cites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitedStatement {
    /// The sentence.
    pub text: String,
    /// The citations that stand for it.
    pub source_refs: Vec<String>,
}

/// What kind of thing a sentence names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntityKind {
    /// A number, with its percent sign.
    Number,
    /// A date with a month's name.
    Date,
    /// Words in quotation marks.
    Term,
    /// A term that the base defines, in quotation marks or with capitals.
    DefinedTerm,
    /// A standard, article or control by its usual name.
    Standard,
}

impl EntityKind {
    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Term => "term",
            Self::DefinedTerm => "defined_term",
            Self::Standard => "standard",
        }
    }
}

/// A thing a sentence names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// As the sentence writes it.
    pub text: String,
}

/// One entity of one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityCheck {
    /// The thing named.
    pub entity: Entity,
    /// The cited paragraph it occurs in, when it does.
    pub found_in: Option<String>,
}

/// What checking one claim found.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimCheck {
    /// Each entity once, in the order of kinds and texts.
    pub entities: Vec<EntityCheck>,
    /// Citations that name nothing in the base.
    pub missing: Vec<String>,
}

impl ClaimCheck {
    /// The share of entities found, 1.0 when there are none.
    pub fn score(&self) -> f64 {
        let found = self.entities.iter().filter(|one| one.found_in.is_some()).count();
        if self.entities.is_empty() { 1.0 } else { found as f64 / self.entities.len() as f64 }
    }
}

/// Longest sentence looked at, in characters.
const CLAIM_CHARS: usize = 8_000;

/// Looks for each thing a claim names in the text, title, tags and ids of the paragraphs it cites. A term that the base
/// defines is also found where a cited paragraph defines it or refers to its definition.
pub fn verify_entities(base: &Base, claim: &CitedStatement) -> ClaimCheck {
    let mut places: Vec<BaseParagraph<'_>> = Vec::new();
    let mut missing = Vec::new();
    for source in &claim.source_refs {
        match cited(base, source) {
            Ok(found) => places.extend(found.into_iter().map(|at| (base, at))),
            Err(_) => missing.push(source.clone()),
        }
    }
    places.dedup_by_key(|(_, at)| *at);
    let entities = check_entities(&places, claim);
    ClaimCheck { entities, missing }
}

/// [`verify_entities`] over paragraphs of several bases.
pub(crate) fn check_entities(places: &[BaseParagraph<'_>], claim: &CitedStatement) -> Vec<EntityCheck> {
    let text = clipped(&claim.text, CLAIM_CHARS);
    let cited: Vec<(&Paragraph, Material)> =
        places.iter().map(|(base, at)| &base.paragraphs()[*at]).map(|one| (one, Material::of(one))).collect();
    let mut named = entities(text, &claim.source_refs);
    let mut bases: Vec<&Base> = places.iter().map(|(base, _)| *base).collect();
    bases.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let defined = |term: &str| bases.iter().any(|base| base.definitions().places(term).is_some());
    let capitalised: Vec<&str> = bases.iter().flat_map(|base| base.definitions().capitalised(text)).collect();
    named = named
        .into_iter()
        .map(|one| match one.kind {
            EntityKind::Term if defined(&one.text) => Entity { kind: EntityKind::DefinedTerm, ..one },
            _ => one,
        })
        .collect();
    named.extend(
        capitalised.into_iter().map(|term| Entity { kind: EntityKind::DefinedTerm, text: term.to_owned() }),
    );
    named
        .into_iter()
        .map(|entity| {
            // A paragraph of Article 5 is a place in Article 5.
            let inside = |one: &Paragraph| {
                let named = entity.kind == EntityKind::Standard;
                named && within(&comparable(&one.id), &comparable(&entity.text))
            };
            let held = cited.iter().find(|(one, material)| material.holds(one, &entity) || inside(one));
            let found_in = match (held, entity.kind) {
                (Some((one, _)), _) => Some(one.id.clone()),
                (None, EntityKind::DefinedTerm) => definition_near(places, &entity.text),
                (None, _) => None,
            };
            EntityCheck { found_in, entity }
        })
        .collect()
}

/// The definition of a term that is cited itself or that a cited paragraph refers to.
fn definition_near(places: &[BaseParagraph<'_>], term: &str) -> Option<String> {
    places.iter().find_map(|(base, at)| {
        let defined = base.definitions().places(term)?;
        if defined.contains(at) {
            return Some(base.paragraphs()[*at].id.clone());
        }
        let linked = base.neighbours(&base.paragraphs()[*at].id).ok()?;
        linked
            .into_iter()
            .find(|link| base.position(&link.id).is_some_and(|place| defined.contains(&place)))
            .map(|link| link.id)
    })
}

static STANDARD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:ISAs?|ISQMs?|ISREs?|ISAEs?|ISRSs?|IFRS|IAS|IFRIC|SAS|AU-C|COSO|IESBA)\s\d+[A-Z]?(?:\.[A-Z]?\d+)?",
        r"|\b[A-Z]{2}-\d{1,3}(?:\s?\(\d{1,3}\))*",
        r"|\b\d{1,2} CFR (?:part )?\d+(?:\.\d+)?(?:\([a-zA-Z0-9]{1,5}\))*",
        r"|\b(?:Art\.|Article|Recital|Annex)\s[0-9IVX]+(?:\([a-z0-9]+\))*",
    ))
    .ok()
});
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let month = "(?:January|February|March|April|May|June|July|August|September|October|November|December)";
    Regex::new(&format!(
        r"\b(?:\d{{1,2}} {month}(?: \d{{4}})?|{month} \d{{1,2}}(?:, \d{{4}})?|{month} \d{{4}})\b"
    ))
    .ok()
});
static TERM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"[“"]([^“”"\n]{3,120})[”"]"#).ok());
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^|[^\w.\-])(\d+(?:[.,]\d+)*(?:\]?\s?(?:%|percent\b|per cent\b))?)").ok()
});

/// The things a sentence names. What was taken as a standard or a date is not counted as a number again.
fn entities(text: &str, source_refs: &[String]) -> BTreeSet<Entity> {
    let mut found = BTreeSet::new();
    let mut rest = text.to_owned();
    for source in source_refs.iter().filter(|source| !source.is_empty()) {
        rest = without(&rest, source);
    }
    let terms: Vec<String> = TERM
        .as_ref()
        .into_iter()
        .flat_map(|pattern| pattern.captures_iter(&rest))
        .filter_map(|captures| captures.get(1).map(|term| term.as_str().trim().to_owned()))
        .collect();
    found.extend(terms.into_iter().map(|text| Entity { kind: EntityKind::Term, text }));
    for (kind, pattern) in [(EntityKind::Standard, &STANDARD), (EntityKind::Date, &DATE)] {
        let Some(pattern) = pattern.as_ref() else { continue };
        found.extend(pattern.find_iter(&rest).map(|one| Entity { kind, text: one.as_str().to_owned() }));
        rest = pattern.replace_all(&rest, " ").into_owned();
    }
    if let Some(pattern) = NUMBER.as_ref() {
        for captures in pattern.captures_iter(&rest) {
            let Some(number) = captures.get(1) else { continue };
            let text = number.as_str().replace(']', "").trim().to_owned();
            // Marks of footnotes and list numbers are no statements.
            let before = rest[..number.start()].trim_end();
            let mark = before.ends_with("[^") || (before.is_empty() && rest[number.end()..].starts_with('.'));
            if !mark {
                found.insert(Entity { kind: EntityKind::Number, text });
            }
        }
    }
    found
}

/// A text without the places where some words stand whole: `1.1` is not in `1.15`.
fn without(text: &str, words: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (from, _) in text.match_indices(words) {
        let to = from + words.len();
        if from >= at && super::boundary::starts_word(text, from) && super::boundary::ends_word(text, to) {
            out.push_str(&text[at..from]);
            out.push(' ');
            at = to;
        }
    }
    out.push_str(&text[at..]);
    out
}

/// A cited paragraph in the forms entities are compared in.
struct Material {
    folded: String,
    numbers: BTreeSet<String>,
    names: String,
}

impl Material {
    fn of(paragraph: &Paragraph) -> Self {
        let around = format!("{} {} {}", paragraph.title, paragraph.context, paragraph.text);
        let folded = Folded::of(&around).text.to_lowercase();
        let numbers = numbers_in(&folded);
        let mut names = format!("|{}|", tight(&paragraph.id));
        for name in
            paragraph.tags.iter().chain(paragraph.refs.iter().map(|r| &r.to)).chain([&paragraph.section])
        {
            names.push_str(&tight(name));
            names.push('|');
        }
        Self { folded, numbers, names }
    }

    fn holds(&self, paragraph: &Paragraph, entity: &Entity) -> bool {
        let wanted = Folded::of(&entity.text).text.to_lowercase();
        match entity.kind {
            EntityKind::Number => numbers_in(&wanted).iter().all(|number| self.numbers.contains(number)),
            EntityKind::Date | EntityKind::Term | EntityKind::DefinedTerm => {
                holds_words(&self.folded, wanted.trim_matches(['.', ',', ';', '\'', ' ']))
            }
            EntityKind::Standard => {
                let name = tight(&entity.text);
                self.names.contains(&format!("|{name}|"))
                    || self.names.contains(&format!("|{name}."))
                    || self.names.contains(&format!("|{name}("))
                    || holds_words(&self.folded, &wanted)
                    || tight(&paragraph.doc) == name
            }
        }
    }
}

fn holds_words(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        super::boundary::starts_word(text, at) && super::boundary::ends_word(text, at + wanted.len())
    })
}

/// Numbers of a folded lower-case text: digits without group commas, `%` for every way to say percent, and
/// the words one to twelve.
fn numbers_in(text: &str) -> BTreeSet<String> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let mut found = BTreeSet::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        if let Some(value) = WORDS.iter().position(|one| *one == word) {
            found.insert(value.to_string());
            continue;
        }
        let per = words.get(at + 1).is_some_and(|next| {
            next.starts_with("percent")
                || *next == "%"
                || (*next == "per" && words.get(at + 2).is_some_and(|w| w.starts_with("cent")))
        });
        let percent = word.ends_with('%') || per;
        for part in word.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')) {
            let part = part.trim_matches(['.', ',']).replace(',', "");
            if part.contains(|c: char| c.is_ascii_digit()) {
                found.insert(if percent { format!("{part}%") } else { part });
            }
        }
    }
    found
}
