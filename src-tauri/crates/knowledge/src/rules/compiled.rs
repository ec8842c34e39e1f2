//! A rule set ready for use: patterns compiled within bounds, templates read.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::error::RuleError;
use super::items::Mark;
use super::set::{
    Conditions, HeadingRule, ItemRule, NumberRule, ReferenceRule, RuleSet, Sign, SignPlace, TermRule,
};
use super::template::Template;

/// Most bytes of a rule file.
pub(crate) const FILE_BYTES: u64 = 1 << 20;
/// Most rules of one sort in a set.
const MAX_RULES: usize = 200;
/// Longest pattern, in bytes.
const PATTERN_BYTES: usize = 2_000;
/// Largest compiled pattern and its cache, in bytes.
const REGEX_BYTES: usize = 1 << 20;

/// A rule set ready for use.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) set: RuleSet,
    /// Tells this version of the set from others: the beginning of its SHA-256.
    pub(crate) version: String,
    pub(crate) signs: Vec<(Sign, Regex)>,
    pub(crate) facts: Vec<Regex>,
    pub(crate) document: Vec<Template>,
    pub(crate) section: Vec<Template>,
    pub(crate) headings: Vec<Heading>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) items: Vec<Items>,
    pub(crate) unnumbered: Vec<Template>,
    pub(crate) footnotes: Vec<Template>,
    pub(crate) references: Vec<Reference>,
}

#[derive(Debug)]
pub(crate) struct Heading {
    pub(crate) rule: HeadingRule,
    pub(crate) regex: Regex,
    /// Variables that it sets; without a template: unsets.
    pub(crate) set: Vec<(String, Option<Template>)>,
    pub(crate) opens: Vec<Template>,
}

#[derive(Debug)]
pub(crate) struct Number {
    pub(crate) rule: NumberRule,
    /// The label as a whole.
    pub(crate) label: Regex,
    /// The beginning of a text, white space behind the number included.
    pub(crate) start: Regex,
    pub(crate) id: Vec<Template>,
    pub(crate) section: Vec<Template>,
    pub(crate) term: Option<Regex>,
}

#[derive(Debug)]
pub(crate) struct Items {
    pub(crate) rule: ItemRule,
    pub(crate) marks: Vec<Mark>,
    pub(crate) id: Vec<Template>,
    pub(crate) term: Option<Regex>,
}

#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) rule: ReferenceRule,
    pub(crate) regex: Regex,
    pub(crate) item: Option<Regex>,
    pub(crate) to: Vec<Template>,
}

/// Whether the conditions hold for these variables.
pub(crate) fn hold<'v>(when: &Conditions, value: impl Fn(&str) -> Option<&'v str>) -> bool {
    when.iter().all(|(name, wanted)| match (wanted.as_str(), value(name).unwrap_or("")) {
        ("*", found) => !found.is_empty(),
        (wanted, found) => wanted == found,
    })
}

impl Compiled {
    /// Reads the rule file `file` with these bytes.
    pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Self, RuleError> {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| RuleError::File { file: file.into(), what: error.to_string() })?;
        let set = read_set(value.clone()).map_err(|(pointer, what)| RuleError::Value {
            file: file.into(),
            pointer,
            what,
        })?;
        let mut version = domain::Digest(Sha256::digest(value.to_string().as_bytes()).into()).to_string();
        version.truncate(16);
        Self::compile(set, version).map_err(|(pointer, what)| RuleError::Value {
            file: file.into(),
            pointer,
            what,
        })
    }

    fn compile(set: RuleSet, version: String) -> Result<Self, Fault> {
        let ok = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        if set.name.is_empty() || set.name.len() > 64 || !set.name.bytes().all(ok) {
            return Err(("/name".into(), "expected 1 to 64 lower-case letters, digits and hyphens".into()));
        }
        if !set.citation.is_empty() && !set.citation.contains("{id}") {
            return Err(("/citation".into(), "expected a citation form with {id} in it".into()));
        }
        if set.unnumbered.is_empty() {
            return Err(("/unnumbered".into(), "expected at least one template".into()));
        }
        let mut compiled = Self {
            version,
            signs: Vec::new(),
            facts: Vec::new(),
            document: templates("/document", &set.document)?,
            section: templates("/section", &set.section)?,
            headings: Vec::new(),
            numbers: Vec::new(),
            items: Vec::new(),
            unnumbered: templates("/unnumbered", &set.unnumbered)?,
            footnotes: templates("/footnotes", &set.footnotes)?,
            references: Vec::new(),
            set: RuleSet::default(),
        };
        for (at, template) in compiled.unnumbered.iter().enumerate() {
            if !template.variables().any(|name| name == "count") {
                let what = "without {count}, paragraphs would share an id".to_owned();
                return Err((format!("/unnumbered/{at}"), what));
            }
        }
        for (at, sign) in set.detect.iter().enumerate() {
            let pointer = format!("/detect/{at}/pattern");
            let regex = match sign.place {
                SignPlace::Heading => regex(&pointer, &format!("^(?:{})$", sign.pattern))?,
                SignPlace::Number => regex(&pointer, &format!(r"^(?:{})(?:\s|$)", sign.pattern))?,
                SignPlace::Text | SignPlace::Name => regex(&pointer, &sign.pattern)?,
            };
            compiled.signs.push((sign.clone(), regex));
        }
        for (at, fact) in set.facts.iter().enumerate() {
            compiled.facts.push(regex(&format!("/facts/{at}"), fact)?);
        }
        for (at, rule) in set.headings.iter().enumerate() {
            let place = format!("/headings/{at}");
            let mut set = Vec::new();
            for (name, value) in &rule.set {
                let value = match value.as_str() {
                    "" => None,
                    value => Some(
                        Template::parse(value)
                            .map_err(|what| (format!("{place}/set/{name}"), what.to_owned()))?,
                    ),
                };
                set.push((name.clone(), value));
            }
            compiled.headings.push(Heading {
                set,
                regex: regex(&format!("{place}/pattern"), &format!("^(?:{})$", rule.pattern))?,
                opens: templates(&format!("{place}/opens"), &rule.opens)?,
                rule: rule.clone(),
            });
        }
        for (at, rule) in set.numbers.iter().enumerate() {
            compiled.numbers.push(number(&format!("/numbers/{at}"), rule)?);
        }
        for (at, rule) in set.items.iter().enumerate() {
            compiled.items.push(items(&format!("/items/{at}"), rule)?);
        }
        for (at, rule) in set.references.iter().enumerate() {
            compiled.references.push(reference(&format!("/references/{at}"), rule)?);
        }
        compiled.set = set;
        Ok(compiled)
    }
}

/// A JSON pointer, and what is wrong there.
type Fault = (String, String);

fn number(place: &str, rule: &NumberRule) -> Result<Number, Fault> {
    let pointer = format!("{place}/pattern");
    let label = regex(&pointer, &format!("^(?:{})$", rule.pattern))?;
    if let Some(growth) = &rule.grows
        && !label.capture_names().flatten().any(|name| name == growth.group)
    {
        return Err((format!("{place}/grows/group"), format!("the pattern has no group '{}'", growth.group)));
    }
    Ok(Number {
        label,
        start: regex(&pointer, &format!(r"^(?:{})[\s\u{{a0}}]+", rule.pattern))?,
        id: required(&format!("{place}/id"), &rule.id)?,
        section: templates(&format!("{place}/section"), &rule.section)?,
        term: term(place, rule.term.as_ref())?,
        rule: rule.clone(),
    })
}

fn items(place: &str, rule: &ItemRule) -> Result<Items, Fault> {
    let mut marks = Vec::new();
    for (at, mark) in rule.marks.iter().enumerate() {
        let fault = || {
            let what =
                format!("'{mark}' is not the first mark of a level: (a), (1), (i), (A), (I), a. or 1)");
            (format!("{place}/marks/{at}"), what)
        };
        marks.push(Mark::parse(mark).ok_or_else(fault)?);
    }
    if marks.is_empty() || marks.len() > 12 {
        return Err((format!("{place}/marks"), "expected 1 to 12 marks".into()));
    }
    Ok(Items {
        marks,
        id: required(&format!("{place}/id"), &rule.id)?,
        term: term(place, rule.term.as_ref())?,
        rule: rule.clone(),
    })
}

fn reference(place: &str, rule: &ReferenceRule) -> Result<Reference, Fault> {
    let regex = regex(&format!("{place}/pattern"), &rule.pattern)?;
    let lists = regex.capture_names().flatten().any(|name| name == "list");
    if lists != rule.item.is_some() {
        let what = "a group 'list' in the pattern and 'item' belong together".to_owned();
        return Err((format!("{place}/item"), what));
    }
    Ok(Reference {
        regex,
        item: rule.item.as_ref().map(|item| self::regex(&format!("{place}/item"), item)).transpose()?,
        to: templates(&format!("{place}/to"), &rule.to)?,
        rule: rule.clone(),
    })
}

fn term(place: &str, rule: Option<&TermRule>) -> Result<Option<Regex>, Fault> {
    let Some(rule) = rule else { return Ok(None) };
    let pointer = format!("{place}/term/pattern");
    let regex = regex(&pointer, &format!("^(?:{})", rule.pattern))?;
    if !regex.capture_names().flatten().any(|name| name == "term") {
        return Err((pointer, "expected a group 'term'".into()));
    }
    Ok(Some(regex))
}

fn regex(pointer: &str, pattern: &str) -> Result<Regex, Fault> {
    if pattern.len() > PATTERN_BYTES {
        return Err((pointer.into(), format!("a pattern of more than {PATTERN_BYTES} bytes")));
    }
    RegexBuilder::new(pattern)
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .nest_limit(50)
        .build()
        .map_err(|error| (pointer.into(), error.to_string()))
}

fn templates(pointer: &str, texts: &[String]) -> Result<Vec<Template>, Fault> {
    let read = |(at, text): (usize, &String)| {
        Template::parse(text).map_err(|what| (format!("{pointer}/{at}"), what.to_owned()))
    };
    texts.iter().enumerate().map(read).collect()
}

fn required(pointer: &str, texts: &[String]) -> Result<Vec<Template>, Fault> {
    if texts.is_empty() {
        return Err((pointer.into(), "expected at least one template".into()));
    }
    templates(pointer, texts)
}

/// Reads the value into the type. Lists of rules are tried one by one, so that a fault has its place.
fn read_set(mut value: Value) -> Result<RuleSet, Fault> {
    // Files of earlier versions say what becomes of an id that two files use.
    value.as_object_mut().map(|set| set.remove("collisions"));
    fn each<T: DeserializeOwned>(value: &Value, name: &str) -> Result<(), Fault> {
        let Some(Value::Array(rules)) = value.get(name) else { return Ok(()) };
        if rules.len() > MAX_RULES {
            return Err((format!("/{name}"), format!("more than {MAX_RULES} rules")));
        }
        for (at, rule) in rules.iter().enumerate() {
            T::deserialize(rule).map_err(|error| (format!("/{name}/{at}"), error.to_string()))?;
        }
        Ok(())
    }
    each::<Sign>(&value, "detect")?;
    each::<HeadingRule>(&value, "headings")?;
    each::<NumberRule>(&value, "numbers")?;
    each::<ItemRule>(&value, "items")?;
    each::<ReferenceRule>(&value, "references")?;
    for name in ["facts", "document", "section", "unnumbered", "footnotes", "labels"] {
        each::<String>(&value, name)?;
    }
    serde_json::from_value(value).map_err(|error| (String::new(), error.to_string()))
}

/// The variables that a match's named groups set.
pub(crate) fn captured(regex: &Regex, text: &str) -> Option<BTreeMap<String, String>> {
    let captures = regex.captures(text)?;
    let named = regex.capture_names().flatten().filter_map(|name| {
        captures.name(name).map(|value| (name.to_owned(), value.as_str().trim().to_owned()))
    });
    Some(named.collect())
}
