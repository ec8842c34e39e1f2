//! Headings of the corpus, and the standards they are about.

use std::collections::BTreeSet;

use serde_json::Value;

use super::material::Material;
use super::words::stem_set;

/// A heading of the corpus.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    /// The innermost heading.
    pub title: String,
    /// The headings above it.
    pub above: String,
    /// Standards it is about.
    pub standards: Vec<String>,
    /// Stems of the innermost heading.
    pub own: BTreeSet<String>,
    /// Stems of all headings.
    pub all: BTreeSet<String>,
}

impl Heading {
    fn new(title: &str, above: &str, standards: Vec<String>) -> Option<Self> {
        let title = clean(title);
        let above = clean(above);
        (!title.is_empty()).then(|| Self {
            own: stem_set(&title),
            all: stem_set(&format!("{above} {title}")),
            title,
            above,
            standards,
        })
    }
}

/// One line without control characters, cut at 120 characters.
fn clean(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_matches([' ', '-', '*', '#', '>', ':']).chars().take(120).collect()
}

/// The headings of `CORPUS_OUTLINE`, best first as they were given, at most 60.
pub(crate) fn headings(material: &Material) -> Vec<Heading> {
    let mut found: Vec<Heading> = match material.json("CORPUS_OUTLINE") {
        Some(json) => {
            let list = ["sections", "headings", "outline", "items"]
                .iter()
                .find_map(|name| json.get(*name))
                .unwrap_or(&json);
            list.as_array().into_iter().flatten().filter_map(from_value).collect()
        }
        None => material.text("CORPUS_OUTLINE").lines().filter_map(from_line).collect(),
    };
    let mut seen = BTreeSet::new();
    found.retain(|heading| seen.insert((heading.above.clone(), heading.title.clone())));
    found.truncate(60);
    found
}

fn from_value(item: &Value) -> Option<Heading> {
    if let Some(line) = item.as_str() {
        return from_line(line);
    }
    let text = |names: &[&str]| {
        names.iter().find_map(|name| item.get(*name)?.as_str()).filter(|text| !text.is_empty())
    };
    let path: Vec<&str> = match item.get("path") {
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(path)) => path.split(" > ").collect(),
        Some(_) | None => Vec::new(),
    };
    let mut levels = path;
    for name in
        [text(&["title", "heading", "name"]), text(&["section"]).filter(|section| section.contains(' '))]
    {
        if let Some(name) = name.filter(|name| !levels.contains(name)) {
            levels.push(name);
        }
    }
    let (title, above) = levels.split_last()?;
    let mut standards = Vec::new();
    for field in ["standards", "target_standards", "tags"] {
        match item.get(field) {
            Some(Value::Array(names)) => {
                standards.extend(names.iter().filter_map(Value::as_str).map(str::to_owned))
            }
            Some(Value::String(names)) => {
                standards.extend(names.split([',', ';']).map(|name| name.trim().to_owned()))
            }
            Some(_) | None => {}
        }
    }
    standards.extend(named_standards(&levels.join(" ")));
    Heading::new(title, &above.join(" > "), distinct(standards))
}

/// `- Materiality > Performance materiality [ISA 320] (3)` and the like.
fn from_line(line: &str) -> Option<Heading> {
    let standards = distinct(named_standards(line));
    let mut text = line.trim();
    while let Some(open) =
        text.rfind(['(', '[', '—', '|']).filter(|open| *open > 0 && text[*open..].len() < 120)
    {
        let tail = &text[open..];
        let noted = tail.ends_with([')', ']']) || tail.starts_with(['—', '|']);
        if !noted || !tail.chars().any(|c| c.is_ascii_digit()) {
            break;
        }
        text = text[..open].trim_end();
    }
    match text.rsplit_once(" > ") {
        Some((above, title)) => Heading::new(title, above, standards),
        None => Heading::new(text, "", standards),
    }
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names
        .into_iter()
        .filter(|name| !name.is_empty() && name.len() <= 40 && seen.insert(name.clone()))
        .take(6)
        .collect()
}

/// Names of standards in a text: a word in capitals and a number, as `ISA 570`, `ISQM 1`, `AU-C 240`, `IFRS 9`.
pub(crate) fn named_standards(text: &str) -> Vec<String> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']')).collect();
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let [name, number] = pair else { continue };
        let number = number.trim_end_matches(['.', '?', '!', ':']);
        let named = (2..=6).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
            && name.starts_with(|c: char| c.is_ascii_uppercase());
        let whole = number.split('.').next().unwrap_or_default();
        if named && !whole.is_empty() && whole.len() <= 4 && whole.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(format!("{name} {whole}"));
        }
    }
    found
}
