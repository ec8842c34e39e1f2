//! References between parts: the matrix, references to nothing, placeholders, findings that nothing connects.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::findings::Finding;
use crate::integrity::placeholders;
use crate::parts::{Part, key};
use crate::pattern::Pattern;
use crate::text::{Phrases, code_spans, excerpt, prose};

/// How references between parts look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceRubric {
    /// References, with the number or id of the part in the group `part` (else the first group, else the match).
    pub references: Vec<Pattern>,
    /// Places in which a reference is still to be filled.
    pub placeholders: Vec<Pattern>,
    /// References to other parts that the document has to have.
    pub min_references: u32,
}

/// The references of one part to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatrixRow {
    /// The part that refers.
    pub from: String,
    /// The part that is referred to.
    pub to: String,
    /// How often.
    pub count: u32,
    /// The lines.
    pub lines: Vec<u32>,
}

/// The references of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct References {
    /// References to other parts, by the order of the parts.
    pub matrix: Vec<MatrixRow>,
    /// Their number.
    pub count: u32,
    /// The ids of findings that nothing connects.
    pub orphaned: Vec<String>,
    /// References to nothing, placeholders, orphaned and misplaced findings, too few references.
    pub faults: Vec<Fault>,
}

/// The references between the parts of a document.
///
/// A finding is orphaned if its part refers to none of its related parts and no other part names it by its id or a key.
/// A reference of a part to itself does not count.
pub fn analyze(parts: &[Part], findings: &[Finding], rubric: &ReferenceRubric) -> References {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        names.insert(key(&part.id), at);
        names.insert(key(&part.number), at);
    }
    names.remove("");
    let mut cells: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (from, part) in parts.iter().enumerate() {
        for line in prose(&part.markdown).lines {
            let code = code_spans(line.text);
            let mut seen = BTreeSet::new();
            for pattern in &rubric.references {
                for found in pattern.regex().captures_iter(line.text) {
                    let name = found.name("part").or_else(|| found.get(1)).or_else(|| found.get(0));
                    let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
                    let is_code = code.iter().any(|span| span.contains(&name.start()));
                    if is_code || !seen.insert(name.start()) {
                        continue;
                    }
                    match names.get(&key(name.as_str())) {
                        Some(&to) if to == from => {}
                        Some(&to) => cells.entry((from, to)).or_default().push(line.number),
                        None => faults.push(Fault::new(
                            Location::line(&part.id, line.number),
                            Rule::ReferenceDangling,
                            excerpt(found.get(0).map_or("", |whole| whole.as_str())),
                        )),
                    }
                }
            }
        }
        faults.extend(placeholders(&part.id, &part.markdown, &rubric.placeholders));
    }
    let matrix: Vec<MatrixRow> = cells
        .iter()
        .map(|((from, to), lines)| MatrixRow {
            from: parts[*from].id.clone(),
            to: parts[*to].id.clone(),
            count: u32::try_from(lines.len()).unwrap_or(u32::MAX),
            lines: lines.clone(),
        })
        .collect();
    let count = matrix.iter().map(|row| row.count).sum();
    if count < rubric.min_references {
        let found = format!("{count} references to other parts; at least {}", rubric.min_references);
        faults.push(Fault::new(Location::whole(), Rule::ReferencesTooFew, found));
    }
    let texts: Vec<Phrases> = match findings {
        [] => Vec::new(),
        [_, ..] => parts.iter().map(|part| Phrases::new(&part.markdown)).collect(),
    };
    let mut orphaned = Vec::new();
    for finding in findings {
        let Some(&own) = names.get(&key(&finding.part)) else {
            let found = format!("part {:?}", finding.part);
            faults.push(Fault::new(Location::at(&finding.id), Rule::FindingMisplaced, found));
            continue;
        };
        let related = finding.related.iter().filter_map(|name| names.get(&key(name)));
        let refers = related.copied().any(|to| cells.contains_key(&(own, to)));
        let is_named = || {
            let names: Vec<String> = finding.names().collect();
            let mut others = texts.iter().enumerate().filter(|(at, _)| *at != own);
            others.any(|(_, text)| names.iter().any(|name| text.has(name)))
        };
        if !refers && !is_named() {
            orphaned.push(finding.id.clone());
            let found = excerpt(if finding.title.is_empty() { &finding.id } else { &finding.title });
            faults.push(Fault::new(Location::at(&finding.id), Rule::FindingOrphaned, found));
        }
    }
    References { matrix, count, orphaned, faults }
}
