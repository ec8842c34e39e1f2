//! Typed headings: which types a part has, which it lacks, where a missing one belongs, and its insertion.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::parts::Part;
use crate::pattern::{Pattern, any};
use crate::text::{bold_heading, excerpt, heading, prose, words};

/// The headings that parts have to have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HeadingRubric {
    /// Typed headings that the document has to have together.
    pub min_headings: u32,
    /// The types, in the order of a part.
    pub types: Vec<HeadingType>,
    /// Ids or numbers of the parts that have to be complete; all, if empty.
    pub parts: Vec<String>,
    /// The names of types as they follow each other in each of these parts; a name may stand twice. Headings of other types
    /// may stand between them.
    pub order: Vec<String>,
    /// The level of an inserted heading, 1 to 6; three, if left out.
    pub level: Option<u8>,
    /// The file name of the insertion map.
    pub insertion_map_file: Option<String>,
}

/// A type of heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeadingType {
    /// Its name in counts.
    pub name: String,
    /// Titles of this type.
    pub patterns: Vec<Pattern>,
    /// The title that is inserted.
    pub title: String,
    /// Paragraphs before which the heading belongs, where it is missing.
    #[serde(default)]
    pub anchors: Vec<Pattern>,
    /// Whether every part needs it.
    #[serde(default)]
    pub need: Need,
    /// The fewest words below a heading of this type, up to the next heading.
    #[serde(default)]
    pub min_words: u32,
}

/// Whether a part needs a heading of a type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// A part without it is incomplete.
    #[default]
    Required,
    /// It is counted where it stands.
    Optional,
}

/// A typed heading of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HeadingRow {
    /// The part.
    pub part: String,
    /// The line.
    pub line: u32,
    /// The name of the type.
    pub kind: String,
    /// The title.
    pub title: String,
    /// Words below it, up to the next heading.
    #[serde(default)]
    pub words: u32,
}

/// Where a missing heading belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// The part.
    pub part: String,
    /// The name of the type.
    pub kind: String,
    /// The line of the paragraph below it; none: no paragraph matches an anchor.
    pub before_line: Option<u32>,
    /// The line to insert.
    pub heading: String,
    /// The beginning of that paragraph.
    pub paragraph: String,
}

/// The typed headings of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadingCensus {
    /// Every typed heading in order.
    pub rows: Vec<HeadingRow>,
    /// Headings of each type.
    pub by_type: BTreeMap<String, u32>,
    /// Parts with every required type.
    pub complete: Vec<String>,
    /// Parts without, and the names of the types they lack.
    pub incomplete: BTreeMap<String, Vec<String>>,
    /// Parts whose headings follow each other otherwise, and the first name of the order that is not in its place.
    pub disordered: BTreeMap<String, String>,
}

fn title_of(line: &str) -> Option<&str> {
    heading(line).map(|(_, title)| title).or_else(|| bold_heading(line))
}

fn kind_of<'r>(line: &str, rubric: &'r HeadingRubric) -> Option<&'r HeadingType> {
    let title = title_of(line)?;
    rubric.types.iter().find(|kind| any(&kind.patterns, title))
}

fn applies_to(part: &Part, rubric: &HeadingRubric) -> bool {
    rubric.parts.is_empty() || rubric.parts.iter().any(|name| part.is_called(name))
}

/// Whether a part has no heading of a type at all: that is another fault than its place.
fn lacks(rubric: &HeadingRubric, rows: &[HeadingRow], name: &str) -> bool {
    let is_type = rubric.types.iter().any(|kind| kind.name == name);
    is_type && !rows.iter().any(|row| row.kind == name)
}

/// The typed headings of each part.
pub fn census(parts: &[Part], rubric: &HeadingRubric) -> HeadingCensus {
    let mut census = HeadingCensus {
        rows: Vec::new(),
        by_type: rubric.types.iter().map(|kind| (kind.name.clone(), 0)).collect(),
        complete: Vec::new(),
        incomplete: BTreeMap::new(),
        disordered: BTreeMap::new(),
    };
    for part in parts.iter().filter(|part| applies_to(part, rubric)) {
        let from = census.rows.len();
        let mut is_below_typed = false;
        for line in prose(&part.markdown).lines {
            let Some(kind) = kind_of(line.text, rubric) else {
                is_below_typed &= title_of(line.text).is_none();
                if let Some(row) = census.rows.last_mut().filter(|_| is_below_typed) {
                    row.words = row.words.saturating_add(words(line.text));
                }
                continue;
            };
            is_below_typed = true;
            *census.by_type.entry(kind.name.clone()).or_default() += 1;
            census.rows.push(HeadingRow {
                part: part.id.clone(),
                line: line.number,
                kind: kind.name.clone(),
                title: title_of(line.text).unwrap_or_default().to_owned(),
                words: 0,
            });
        }
        let has = |kind: &HeadingType| census.rows[from..].iter().any(|row| row.kind == kind.name);
        let mut wanted =
            rubric.order.iter().filter(|name| !lacks(rubric, &census.rows[from..], name)).peekable();
        for row in &census.rows[from..] {
            wanted.next_if(|name| **name == row.kind);
        }
        let out_of_place = wanted.next().cloned();
        let lacking = rubric.types.iter().filter(|kind| kind.need == Need::Required && !has(kind));
        let lacking: Vec<String> = lacking.map(|kind| kind.name.clone()).collect();
        if let Some(name) = out_of_place {
            census.disordered.insert(part.id.clone(), name);
        }
        if lacking.is_empty() {
            census.complete.push(part.id.clone());
        } else {
            census.incomplete.insert(part.id.clone(), lacking);
        }
    }
    census
}

/// Where the missing headings belong, in the order of parts and types.
///
/// A paragraph directly below a typed heading is no place for another, and no paragraph gets two.
pub fn insertions(parts: &[Part], rubric: &HeadingRubric) -> Vec<Insertion> {
    let census = census(parts, rubric);
    let level = usize::from(rubric.level.unwrap_or(3).clamp(1, 6));
    let mut insertions = Vec::new();
    for part in parts {
        let Some(lacking) = census.incomplete.get(&part.id) else { continue };
        let paragraphs = paragraphs(&part.markdown, rubric);
        let mut is_taken = vec![false; paragraphs.len()];
        for kind in rubric.types.iter().filter(|kind| lacking.contains(&kind.name)) {
            let mut free = paragraphs.iter().enumerate().filter(|(at, _)| !is_taken[*at]);
            let place = free.find(|(_, (_, text))| any(&kind.anchors, text)).map(|(at, _)| at);
            if let Some(at) = place {
                is_taken[at] = true;
            }
            insertions.push(Insertion {
                part: part.id.clone(),
                kind: kind.name.clone(),
                before_line: place.map(|at| paragraphs[at].0),
                heading: format!("{} {}", "#".repeat(level), kind.title),
                paragraph: place.map(|at| excerpt(&paragraphs[at].1)).unwrap_or_default(),
            });
        }
    }
    insertions
}

/// The paragraphs that a heading may be set over, with the number of their first line.
fn paragraphs(markdown: &str, rubric: &HeadingRubric) -> Vec<(u32, String)> {
    let mut paragraphs: Vec<(u32, String)> = Vec::new();
    let mut is_open = false;
    let mut below_typed = false;
    let mut last = 0;
    for line in prose(markdown).lines {
        let joined = line.number == last + 1;
        last = line.number;
        if line.text.trim().is_empty() {
            is_open = false;
        } else if title_of(line.text).is_some() {
            (is_open, below_typed) = (false, kind_of(line.text, rubric).is_some());
        } else if is_open && joined {
            if let Some((_, text)) = paragraphs.last_mut() {
                text.push('\n');
                text.push_str(line.text);
            }
        } else if below_typed {
            // It stays with its heading: line zero takes it out below.
            paragraphs.push((0, line.text.to_owned()));
            (is_open, below_typed) = (true, false);
        } else {
            paragraphs.push((line.number, line.text.to_owned()));
            is_open = true;
        }
    }
    paragraphs.retain(|(number, _)| *number > 0);
    paragraphs
}

/// Inserts headings. Insertions without a line, and lines that a part does not have, change nothing.
pub fn apply(parts: &[Part], insertions: &[Insertion]) -> Vec<Part> {
    let mut changed = parts.to_vec();
    for part in &mut changed {
        let mut places: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for insertion in insertions.iter().filter(|insertion| insertion.part == part.id) {
            if let Some(line) = insertion.before_line {
                places.entry(line).or_default().push(&insertion.heading);
            }
        }
        if places.is_empty() {
            continue;
        }
        let mut markdown = String::with_capacity(part.markdown.len());
        for (line, number) in part.markdown.split_inclusive('\n').zip(1..) {
            for heading in places.get(&number).into_iter().flatten() {
                markdown.push_str(heading);
                markdown.push_str("\n\n");
            }
            markdown.push_str(line);
        }
        part.markdown = markdown;
    }
    changed
}

/// Incomplete parts, headings out of order or without enough text, and too few headings.
pub fn faults(census: &HeadingCensus, rubric: &HeadingRubric) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (part, lacking) in &census.incomplete {
        for kind in lacking {
            faults.push(Fault::new(
                Location::at(part),
                Rule::HeadingMissing,
                format!("no heading of type {kind}"),
            ));
        }
    }
    for (part, name) in &census.disordered {
        let said = format!("{name} does not stand where it belongs: {}", rubric.order.join(", "));
        faults.push(Fault::new(Location::at(part), Rule::HeadingOrder, said));
    }
    for row in &census.rows {
        let least = rubric.types.iter().find(|kind| kind.name == row.kind).map_or(0, |kind| kind.min_words);
        if row.words < least {
            let said = format!("{} words below {:?}; at least {least}", row.words, row.title);
            faults.push(Fault::new(Location::line(&row.part, row.line), Rule::TooShort, said));
        }
    }
    let count = census.rows.len();
    if count < rubric.min_headings as usize {
        let found = format!("{count} typed headings; at least {}", rubric.min_headings);
        faults.push(Fault::new(Location::whole(), Rule::HeadingsTooFew, found));
    }
    faults
}
