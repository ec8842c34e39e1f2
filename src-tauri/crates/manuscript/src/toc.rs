//! Tables of contents.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::parts::Part;
use crate::text::{heading, prose};

/// An entry of a table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TocEntry {
    /// The level of its heading, 1 to 6.
    pub level: u8,
    /// The heading.
    pub title: String,
    /// The anchor of the heading, unique in the document.
    pub anchor: String,
    /// The part.
    pub part: String,
}

/// The headings of a document down to a level, with anchors as Markdown readers form them.
pub fn entries(parts: &[Part], depth: u8) -> Vec<TocEntry> {
    let mut anchors: BTreeMap<String, u32> = BTreeMap::new();
    let mut entries = Vec::new();
    for part in parts {
        for line in prose(&part.markdown).lines {
            let Some((level, title)) = heading(line.text).filter(|(_, title)| !title.is_empty()) else {
                continue;
            };
            let title = plain(title);
            let anchor = unique(&slug(&title), &mut anchors);
            if level <= depth {
                entries.push(TocEntry { level, title, anchor, part: part.id.clone() });
            }
        }
    }
    entries
}

/// A title without emphasis and marks of footnotes.
fn plain(title: &str) -> String {
    let mut plain = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find("[^") {
        let (before, mark) = rest.split_at(at);
        let Some(end) = mark.find(']') else { break };
        plain.push_str(before);
        rest = &mark[end + 1..];
    }
    plain.push_str(rest);
    plain.replace(['*', '`'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn slug(title: &str) -> String {
    let lower = title.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn unique(slug: &str, anchors: &mut BTreeMap<String, u32>) -> String {
    let mut anchor = slug.to_owned();
    while anchors.contains_key(&anchor) {
        let count = anchors.entry(slug.to_owned()).or_default();
        *count += 1;
        anchor = format!("{slug}-{count}");
    }
    anchors.insert(anchor.clone(), 0);
    anchor
}

/// The table as a list of links.
pub fn markdown(entries: &[TocEntry]) -> String {
    let top = entries.iter().map(|entry| entry.level).min().unwrap_or(1);
    let mut list = String::new();
    for entry in entries {
        let indent = usize::from(entry.level - top) * 2;
        let title = entry.title.replace('[', "\\[").replace(']', "\\]");
        let _ = writeln!(list, "{:indent$}- [{title}](#{})", "", entry.anchor);
    }
    list
}
