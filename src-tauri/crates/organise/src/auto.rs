//! Rules that find labels in what the person writes.

use std::collections::{BTreeSet, HashMap};

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::edit::Fault;
use crate::entry::{Entry, ValueType, normalise};
use crate::expression::reason;
use crate::labels::LabelList;
use crate::mistake::Span;

/// The most labels that one message gets.
pub const MAX_MATCHES: usize = 10;
/// The most rules of all labels together.
pub(crate) const MAX_RULES: usize = 200;
/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 500;
/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;
/// What is read of a message, in bytes.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// How many places of a message a rule looks at: each search is linear in the text, any number of them would not be.
const MAX_PLACES: usize = 50;
/// Flags of a rule that has none: every place, whatever the case.
const FLAGS: &str = "gi";

/// A rule of a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoRule {
    /// A regular expression; its groups are what the value is made of.
    pub pattern: String,
    /// `i`: whatever the case; `m`: `^` and `$` at every line; `s`: a dot is a line break, too; `g` and `u` are always on.
    /// Without flags: `gi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// The value, with `$1` for the first group and so on. Without it: the first group, else all that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_template: Option<String>,
    /// What the rule finds, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl AutoRule {
    fn compile(&self) -> Result<Regex, Fault> {
        if self.pattern.is_empty() || self.pattern.len() > MAX_PATTERN_BYTES {
            let expected = format!("a regular expression of 1 to {MAX_PATTERN_BYTES} bytes");
            return Err(Fault::new("/pattern", expected, format!("one of {} bytes", self.pattern.len())));
        }
        let flags = self.flags.as_deref().unwrap_or(FLAGS);
        if let Some(flag) = flags.chars().find(|flag| !"gimsu".contains(*flag)) {
            return Err(Fault::new("/flags", "some of the letters g, i, m, s and u", format!("`{flag}`")));
        }
        RegexBuilder::new(&self.pattern)
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(flags.contains('s'))
            .size_limit(PATTERN_SIZE)
            .build()
            .map_err(|error| {
                let fault = Fault::new("/pattern", "a regular expression", reason(&error));
                fault.remedy(
                    "look-around and back-references are left out: they can take for ever on some texts",
                )
            })
    }

    pub(crate) fn fault(&self, pointer: &str, value_type: Option<ValueType>) -> Option<Fault> {
        let wrong = match self.compile() {
            Err(fault) => Some(fault),
            Ok(pattern) => {
                let groups = pattern.captures_len() - 1;
                let missing = self.groups_asked_for().find(|group| *group > groups);
                missing.map(|group| {
                    let found = format!("`${group}`");
                    Fault::new(
                        "/valueTemplate",
                        format!("groups of the pattern, of which it has {groups}"),
                        found,
                    )
                })
            }
        };
        let wrong = wrong.or_else(|| {
            let no_place = self.value_template.as_deref().is_some_and(|text| !text.contains('$'))
                && matches!(value_type, Some(ValueType::Number | ValueType::Date));
            let fixed = self.value_template.as_deref().unwrap_or_default();
            (no_place && value_type.is_some_and(|wanted| normalise(fixed, wanted).is_none())).then(|| {
                Fault::new("/valueTemplate", "a value of the label's type, or one with `$1`", "another text")
            })
        });
        wrong.map(|fault| Fault { pointer: format!("{pointer}{}", fault.pointer), ..fault })
    }

    fn groups_asked_for(&self) -> impl Iterator<Item = usize> {
        let template = self.value_template.as_deref().unwrap_or_default();
        template.split('$').skip(1).filter_map(|text| {
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            if end == 0 { None } else { Some(text[..end].parse().unwrap_or(usize::MAX)) }
        })
    }
}

/// A label that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutoMatch {
    /// What the session gets: `bug`, `due::2026-05-01`.
    pub entry: String,
    /// Where it was found, in bytes.
    pub at: Span,
    /// What was found there.
    pub text: String,
}

/// What a rule would do with a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TryOut {
    /// What it finds.
    pub matches: Vec<AutoMatch>,
    /// Places where it matches and the value is not of the label's type; there nothing happens.
    pub refused: Vec<Span>,
}

/// The rules of a tree of labels, ready for messages.
#[derive(Debug, Clone, Default)]
pub struct AutoRules {
    rules: Vec<CompiledRule>,
}

#[derive(Debug, Clone)]
struct CompiledRule {
    label: String,
    value_type: Option<ValueType>,
    pattern: Regex,
    template: Option<String>,
}

impl AutoRules {
    /// The rules of a tree; one that is wrong is left out (see [`LabelList::faults`]).
    pub fn new(labels: &LabelList) -> Self {
        let rules = labels.all().into_iter().flat_map(|label| {
            let ready = |rule: &AutoRule| CompiledRule::new(&label.id, label.value_type, rule).ok();
            label.auto_rules.iter().filter_map(ready)
        });
        Self { rules: rules.take(MAX_RULES).collect() }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The labels that a message gets, at most [`MAX_MATCHES`], in the order of the rules. What stands in code does not
    /// count.
    pub fn find(&self, message: &str) -> Vec<AutoMatch> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let text = without_code(message);
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for rule in &self.rules {
            for hit in rule.hits(&text).matches {
                if seen.insert(hit.entry.clone()) {
                    found.push(hit);
                }
                if found.len() == MAX_MATCHES {
                    return found;
                }
            }
        }
        found
    }
}

/// What a rule of a label would find in a text, before it is saved.
///
/// # Errors
/// What is wrong with the rule.
pub fn try_out(
    label: &str,
    value_type: Option<ValueType>,
    rule: &AutoRule,
    text: &str,
) -> Result<TryOut, Fault> {
    if let Some(fault) = rule.fault("", value_type) {
        return Err(fault);
    }
    Ok(CompiledRule::new(label, value_type, rule)?.hits(&without_code(text)))
}

impl CompiledRule {
    fn new(label: &str, value_type: Option<ValueType>, rule: &AutoRule) -> Result<Self, Fault> {
        Ok(Self {
            label: label.to_owned(),
            value_type,
            pattern: rule.compile()?,
            template: rule.value_template.clone(),
        })
    }

    fn hits(&self, text: &str) -> TryOut {
        let mut found = TryOut::default();
        for groups in self.pattern.captures_iter(text).take(MAX_PLACES) {
            let Some(whole) = groups.get(0).filter(|whole| !whole.is_empty()) else { continue };
            let at = Span::new(whole.start(), whole.end());
            let value = match (&self.template, self.value_type) {
                // A label without values is just there.
                (None, None) => None,
                (template, wanted) => {
                    let raw = match template {
                        Some(template) => filled(template, &groups),
                        None => groups.get(1).unwrap_or(whole).as_str().to_owned(),
                    };
                    let Some(value) = normalise(&raw, wanted.unwrap_or(ValueType::String)) else {
                        found.refused.push(at);
                        continue;
                    };
                    Some(value)
                }
            };
            let entry = Entry { id: self.label.clone(), value }.to_string();
            found.matches.push(AutoMatch { entry, at, text: whole.as_str().to_owned() });
        }
        found
    }
}

/// A template with its groups in place. What a group holds is not looked at again.
fn filled(template: &str, groups: &regex::Captures<'_>) -> String {
    let mut parts = template.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        match number.parse::<usize>() {
            Ok(number) => out.push_str(groups.get(number).map_or("", |group| group.as_str())),
            Err(_) => {
                out.push('$');
                out.push_str(number);
            }
        }
        out.push_str(rest);
    }
    out
}

/// What is read of a message, with spaces in place of fenced and inline code: every other place stays where it is.
fn without_code(message: &str) -> String {
    let text = &message[..message.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut code: Vec<(usize, usize)> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    // Runs of backticks outside fences: paragraph, length, where.
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    let mut paragraph = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches(' ').trim_end();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| trimmed.chars().take_while(|c| *c == mark).count());
        match fence {
            Some((open, least)) => {
                code.push((start, start + line.len()));
                if mark == Some(open) && length >= least && trimmed.len() == length {
                    fence = None;
                }
            }
            // Backticks behind the mark would make it inline code.
            None if length >= 3 && !(mark == Some('`') && trimmed[length..].contains('`')) => {
                fence = mark.map(|mark| (mark, length));
                code.push((start, start + line.len()));
            }
            None => {
                paragraph += usize::from(trimmed.is_empty());
                let mut at = 0;
                while let Some(begin) = line[at..].find('`').map(|found| at + found) {
                    let length = line[begin..].bytes().take_while(|byte| *byte == b'`').count();
                    runs.push((paragraph, length, start + begin));
                    at = begin + length;
                }
            }
        }
        start += line.len();
    }
    code.extend(inline(&runs));
    blanked(text, &code)
}

/// Inline code: from a run of backticks to the next one of the same length in its paragraph.
fn inline(runs: &[(usize, usize, usize)]) -> Vec<(usize, usize)> {
    let mut next: Vec<Option<usize>> = vec![None; runs.len()];
    let mut later: HashMap<(usize, usize), usize> = HashMap::new();
    for (index, (paragraph, length, _)) in runs.iter().enumerate().rev() {
        next[index] = later.insert((*paragraph, *length), index);
    }
    let mut code = Vec::new();
    let mut index = 0;
    while index < runs.len() {
        let Some(end) = next[index] else {
            index += 1;
            continue;
        };
        code.push((runs[index].2, runs[end].2 + runs[end].1));
        index = end + 1;
    }
    code
}

fn blanked(text: &str, code: &[(usize, usize)]) -> String {
    let mut code = code.to_vec();
    code.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in code {
        out.push_str(&text[at..start.max(at)]);
        for c in text[start.max(at)..end.max(at)].chars() {
            if c == '\n' { out.push('\n') } else { out.extend(std::iter::repeat_n(' ', c.len_utf8())) }
        }
        at = end.max(at);
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::without_code;

    #[test]
    fn code_is_blank_and_everything_else_where_it_was() {
        for (text, left) in [
            ("a `b` c", "a     c"),
            ("a ``b ` c`` d", "a           d"),
            ("a ` b", "a ` b"),
            ("a ` b\n\nc ` d", "a ` b\n\nc ` d"),
            ("a\n```rust\nbug ü\n```\nb", "a\n       \n      \n   \nb"),
            ("~~~\nx\n```\n~~~\ny", "   \n \n   \n   \ny"),
            ("```\nnever closed", "   \n            "),
            ("```not a fence``` x", "                  x"),
            ("", ""),
        ] {
            assert_eq!(without_code(text), left, "{text}");
            assert_eq!(without_code(text).len(), text.len());
        }
    }
}
