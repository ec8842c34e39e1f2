//! What a prompt holds, as the offline engine sees it.

use std::collections::BTreeMap;

use context::{ParsedParagraph, ParsedSection, ParsedWebPage, parse_sections};
use llm::{ModelRequest, Role};
use serde_json::Value;

use super::phrase::about;

/// The sections of a request.
#[derive(Debug, Default)]
pub(crate) struct Material {
    sections: Vec<ParsedSection>,
    /// Text of the last user message outside all sections.
    loose: String,
}

impl Material {
    pub(crate) fn of(request: &ModelRequest) -> Self {
        let mut sections = parse_sections(&request.system);
        for message in request.messages.iter().filter(|message| message.role == Role::User) {
            sections.extend(parse_sections(&message.content));
        }
        for paragraph in sections.iter_mut().flat_map(|section| &mut section.paragraphs) {
            paragraph.text = unwrapped(&paragraph.text);
        }
        let last = request.messages.iter().rev().find(|message| message.role == Role::User);
        let loose = last.map(|message| message.content.clone()).unwrap_or_default();
        Self { sections, loose }
    }

    /// A section's text, trimmed; empty when there is none. Of several with that name the last counts.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.sections
            .iter()
            .rev()
            .find(|section| section.name == name)
            .map_or("", |section| section.body.trim())
    }

    /// A section's JSON, if it is JSON.
    pub(crate) fn json(&self, name: &str) -> Option<Value> {
        let text = self.text(name);
        if text.starts_with(['{', '[']) { serde_json::from_str(text).ok() } else { None }
    }

    /// The sections' names and texts, for whoever fills fields by name.
    pub(crate) fn named(&self) -> BTreeMap<String, &str> {
        self.sections.iter().map(|section| (section.name.to_lowercase(), section.body.trim())).collect()
    }

    /// The question, with the subject of the one before where it does not stand alone.
    pub(crate) fn question(&self) -> String {
        let request = self.request();
        match self.text("EARLIER_QUESTION") {
            "" => request,
            earlier => about(&request, earlier),
        }
    }

    /// The question, word for word.
    pub(crate) fn request(&self) -> String {
        let named = ["REQUEST", "QUESTION", "USER_REQUEST", "ORIGINAL_QUERY", "QUERY"];
        let text = named.into_iter().map(|name| self.text(name)).find(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| if self.sections.is_empty() { self.loose.trim() } else { "" });
        let mut text = text.to_owned();
        text.truncate(text.floor_char_boundary(4_000));
        text
    }

    /// All paragraphs, each id once (the first, which has the higher score in its section).
    pub(crate) fn paragraphs(&self) -> Vec<&ParsedParagraph> {
        let mut seen = std::collections::BTreeSet::new();
        self.sections
            .iter()
            .flat_map(|section| &section.paragraphs)
            .filter(|one| seen.insert(one.id.as_str()))
            .collect()
    }

    /// Web pages with labels, as the synthesis is given them.
    pub(crate) fn labelled_pages(&self) -> Vec<&ParsedWebPage> {
        self.sections
            .iter()
            .flat_map(|section| &section.web_pages)
            .filter(|page| is_web_address(&page.url))
            .collect()
    }

    /// Web results, however they are written.
    pub(crate) fn web_results(&self) -> Vec<ParsedWebPage> {
        let mut pages: Vec<ParsedWebPage> = self.labelled_pages().into_iter().cloned().collect();
        let json = self.json("WEB_SEARCH_RESULTS");
        let items = json.as_ref().map(|json| json.get("results").unwrap_or(json)).and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            if let Some(page) =
                context::WebReference::from_value(item).filter(|page| is_web_address(&page.url))
            {
                pages.push(ParsedWebPage {
                    label: String::new(),
                    title: page.title,
                    url: page.url,
                    insight: page.insight,
                });
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        pages.retain(|page| seen.insert(page.url.clone()));
        pages
    }

    /// What the person said after the question: answers, remarks, guidance.
    pub(crate) fn remarks(&self, name: &str) -> Vec<String> {
        let text = self.text(name);
        let mut remarks = Vec::new();
        match self.json(name) {
            Some(json) => strings(&json, &mut remarks),
            None => remarks
                .extend(text.lines().map(|line| line.trim_start_matches(['-', '*', ' ']).trim().to_owned())),
        }
        remarks.retain(|remark| !remark.is_empty());
        remarks.truncate(20);
        // A decision, such as that the web is left out, is no subject: nothing is looked up or answered for it.
        remarks.into_iter().filter_map(|remark| replies::subject(&remark)).collect()
    }

    /// The depth: what the settings say, else the plan, else standard.
    pub(crate) fn depth(&self) -> Depth {
        let named = |value: Option<Value>, field: &str| {
            value.and_then(|value| value.get(field)?.as_str().map(str::to_owned))
        };
        let name =
            named(self.json("SETTINGS"), "depth").or_else(|| named(self.json("QUERY_PLAN"), "depth_mode"));
        match name.as_deref() {
            Some("quick") => Depth::Quick,
            Some("deep") => Depth::Deep,
            Some(_) | None => Depth::Standard,
        }
    }

    /// A number of the settings.
    pub(crate) fn setting(&self, name: &str) -> Option<u64> {
        self.json("SETTINGS")?.get(name)?.as_u64()
    }
}

/// The shortest line that can have been wrapped, in bytes.
const MIN_WRAPPED_BYTES: usize = 45;

/// A text whose lines were wrapped in mid-sentence, with spaces there; other line breaks stay.
fn unwrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut length = 0;
    for (index, line) in text.split('\n').enumerate() {
        let goes_on = line.starts_with(|c: char| c.is_lowercase() || matches!(c, '"' | '('))
            && length >= MIN_WRAPPED_BYTES
            && !opens_item(line)
            && !out.ends_with(['.', '!', '?', ':', ';']);
        if index > 0 {
            out.push(if goes_on { ' ' } else { '\n' });
        }
        out.push_str(line);
        length = line.len();
    }
    out
}

/// Whether a line opens with the mark of an item: `b.`, `(iv)`.
fn opens_item(line: &str) -> bool {
    let mark = line.split(' ').next().unwrap_or_default();
    let label = mark.trim_start_matches('(').trim_end_matches([')', '.']);
    mark.len() > label.len() && label.len() <= 4 && label.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// How much is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Quick,
    Standard,
    Deep,
}

impl Depth {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Deep => "deep",
        }
    }

    /// Sub-queries when the settings name no number.
    pub(crate) fn queries(self) -> usize {
        match self {
            Self::Quick => 3,
            Self::Standard => 5,
            Self::Deep => 8,
        }
    }

    /// Sentences of an answer, about.
    pub(crate) fn sentences(self) -> usize {
        match self {
            Self::Quick => 6,
            Self::Standard => 14,
            Self::Deep => 28,
        }
    }
}

/// An address that can stand in a marker line: http or https, without spaces or pipes.
pub(crate) fn is_web_address(url: &str) -> bool {
    (url.starts_with("https://") || url.starts_with("http://"))
        && url.len() <= 2_000
        && url.chars().all(|c| {
            !c.is_whitespace() && !c.is_control() && !matches!(c, '|' | '<' | '>' | '"' | '`' | '\\')
        })
}

/// Every text in a value, depth first; the values of objects, not their keys.
fn strings(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.trim().to_owned()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(map) => match map.get("answer") {
            Some(answer) => strings(answer, out),
            None => map.values().for_each(|item| strings(item, out)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn only_line_breaks_in_mid_sentence_become_spaces() {
        let long = "A package that handles its configuration files in";
        assert_eq!(unwrapped(&format!("{long}\nthe script.\nNext.")), format!("{long} the script.\nNext."));
        assert_eq!(unwrapped("one item\ntwo items"), "one item\ntwo items");
        assert_eq!(unwrapped(&format!("{long}; and\nb. the script")), format!("{long}; and\nb. the script"));
        assert_eq!(unwrapped(&format!("{long}:\nthe script\n\n# x")), format!("{long}:\nthe script\n\n# x"));
    }
}
