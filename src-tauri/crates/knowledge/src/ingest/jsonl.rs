//! JSONL rows: the corpora's shapes and the primer's, read into one.

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::draft::Draft;
use crate::paragraph::{Paragraph, Reference};

/// A row with every field name the known corpora use. Unknown fields are ignored.
#[derive(Deserialize)]
struct Row {
    #[serde(alias = "_id", deserialize_with = "text_or_number")]
    id: String,
    #[serde(default)]
    doc: Option<Value>,
    #[serde(default)]
    document: Option<Value>,
    #[serde(default)]
    section: Option<Value>,
    #[serde(default)]
    chapter: Option<Value>,
    #[serde(default)]
    title: Option<Value>,
    #[serde(default)]
    path: Option<Value>,
    #[serde(default)]
    family: Option<Value>,
    #[serde(default)]
    kind: Option<Value>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    citation: Option<String>,
    #[serde(default, alias = "standards")]
    tags: Option<Value>,
    #[serde(default)]
    refs: Option<Vec<Value>>,
    #[serde(default)]
    withdrawn: Option<bool>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    superseded_by: Option<Value>,
    #[serde(default)]
    items: Option<Vec<Item>>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(deserialize_with = "text_or_number")]
    id: String,
    #[serde(default)]
    text: String,
}

/// Judged collections number their documents.
fn text_or_number<'de, D: serde::Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(serde_json::Number),
    }
    Ok(match Id::deserialize(from)? {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    })
}

/// What is wrong with a row, in words for the report.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct RowFault(String);

/// One row's paragraph and its parts.
pub(crate) fn read_row(line: &str, number: usize) -> Result<Vec<Draft>, RowFault> {
    let row: Row = serde_json::from_str(line).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => RowFault(format!("not a paragraph: {error}")),
        _ => RowFault(format!("not JSON: {error}")),
    })?;
    if row.id.trim().is_empty() {
        return Err(RowFault("\"id\" is empty".into()));
    }
    let mut title = row.title.map(plain).unwrap_or_default();
    let text = row.text.or(row.citation);
    if text.is_none() && title.is_empty() {
        return Err(RowFault(format!("paragraph '{}' has no \"text\"", short(&row.id))));
    }
    let text = text.unwrap_or_default();
    // Where there is nothing but a title, it is the text.
    let text = if text.trim().is_empty() { std::mem::take(&mut title) } else { text };
    if text.trim().is_empty() {
        return Err(RowFault(format!("paragraph '{}' has an empty \"text\"", short(&row.id))));
    }
    let scanned = row.refs.is_none();
    let mut refs = Vec::new();
    for reference in row.refs.unwrap_or_default() {
        let read = read_reference(&reference).ok_or_else(|| {
            let id = short(&row.id);
            RowFault(format!("paragraph '{id}': a reference is neither an id nor {{\"to\", \"kind\"}}"))
        })?;
        if !refs.contains(&read) {
            refs.push(read);
        }
    }
    let mut superseded_by = words(row.superseded_by);
    superseded_by.extend(
        refs.iter()
            .filter(|r| matches!(r.kind.as_str(), "incorporated-into" | "moved-to"))
            .map(|r| r.to.clone()),
    );
    let gone = |status: &str| {
        ["withdrawn", "superseded", "repealed", "revoked"].iter().any(|s| status.eq_ignore_ascii_case(s))
    };
    let mut path = match row.path {
        Some(Value::String(path)) => {
            path.split('>').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
        }
        other => words(other),
    };
    if let (true, Some(family)) = (path.is_empty(), row.family.map(plain).filter(|name| !name.is_empty())) {
        path.push(family);
    }
    let chapter = row.chapter.map(plain);
    let mut section = row.section.map(plain).or_else(|| chapter.clone()).unwrap_or_default();
    // Where a chapter has a number of its own, its title is the level above, and the section is the heading in words.
    if let Some(chapter) = chapter.filter(|chapter| path.is_empty() && section != *chapter) {
        path.push(std::mem::replace(&mut title, std::mem::replace(&mut section, chapter)));
    }
    let whole = Paragraph {
        id: row.id.trim().to_owned(),
        doc: row.doc.or(row.document).map(plain).unwrap_or_default(),
        section,
        title,
        path,
        kind: row.kind.map(plain).filter(|kind| !kind.is_empty()).unwrap_or_else(|| "paragraph".into()),
        text,
        tags: words(row.tags),
        refs,
        withdrawn: row.withdrawn.unwrap_or(false) || row.status.as_deref().is_some_and(gone),
        superseded_by,
        ..Paragraph::default()
    };
    let parts: Vec<Draft> = row
        .items
        .unwrap_or_default()
        .into_iter()
        .filter(|item| !item.id.trim().is_empty() && !item.text.trim().is_empty())
        .map(|item| Draft {
            line: number,
            scan_references: false,
            paragraph: Paragraph {
                id: item.id.trim().to_owned(),
                doc: whole.doc.clone(),
                section: whole.section.clone(),
                title: whole.title.clone(),
                path: whole.path.clone(),
                kind: "item".into(),
                text: item.text,
                tags: whole.tags.clone(),
                withdrawn: whole.withdrawn,
                part_of: Some(whole.id.clone()),
                ..Paragraph::default()
            },
            ..Draft::default()
        })
        .collect();
    let mut drafts =
        vec![Draft { line: number, scan_references: scanned, paragraph: whole, ..Draft::default() }];
    drafts.extend(parts);
    Ok(drafts)
}

fn read_reference(value: &Value) -> Option<Reference> {
    let field = |names: [&str; 3]| {
        let values = names.into_iter().filter_map(|name| value.get(name).cloned().map(plain));
        values.into_iter().find(|text| !text.is_empty())
    };
    let (to, kind) = match value {
        Value::String(_) | Value::Number(_) => (plain(value.clone()), None),
        _ => (field(["to", "id", "target"])?, field(["kind", "rel", "type"])),
    };
    (!to.is_empty()).then(|| Reference { to, kind: kind.unwrap_or_else(|| "refers".into()) })
}

fn words(value: Option<Value>) -> Vec<String> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(values)) => values.into_iter().map(plain).filter(|one| !one.is_empty()).collect(),
        Some(other) => Some(plain(other)).filter(|one| !one.is_empty()).into_iter().collect(),
    }
}

fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

fn short(id: &str) -> String {
    id.chars().take(60).collect()
}
