//! Places in which a text weighs the opposite view.

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::parts::Part;
use crate::pattern::Pattern;
use crate::text::{excerpt, prose};

/// How such places look, and which parts need them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CounterRubric {
    /// Patterns by name.
    pub patterns: Vec<CounterPattern>,
    /// Ids or numbers of the parts that need such places; all, if empty.
    pub parts: Vec<String>,
    /// Places that each of these parts needs.
    pub min_per_part: u32,
}

/// A pattern with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterPattern {
    /// The name.
    pub name: String,
    /// What such a place looks like.
    pub pattern: Pattern,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CounterPlace {
    /// The part.
    pub part: String,
    /// The line.
    pub line: u32,
    /// The first pattern that matches.
    pub pattern: String,
    /// The line's text.
    pub excerpt: String,
}

/// The places of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterPlaces {
    /// The places in order, at most one a line.
    pub places: Vec<CounterPlace>,
    /// Parts that need more.
    pub lacking: Vec<String>,
    /// A fault for each of these parts.
    pub faults: Vec<Fault>,
}

/// Finds the places of a document.
pub fn detect(parts: &[Part], rubric: &CounterRubric) -> CounterPlaces {
    let mut found = CounterPlaces { places: Vec::new(), lacking: Vec::new(), faults: Vec::new() };
    for part in parts {
        let from = found.places.len();
        for line in prose(&part.markdown).lines {
            if let Some(pattern) = rubric.patterns.iter().find(|entry| entry.pattern.is_in(line.text)) {
                found.places.push(CounterPlace {
                    part: part.id.clone(),
                    line: line.number,
                    pattern: pattern.name.clone(),
                    excerpt: excerpt(line.text),
                });
            }
        }
        let is_needed = rubric.parts.is_empty() || rubric.parts.iter().any(|name| part.is_called(name));
        let count = found.places.len() - from;
        if is_needed && count < rubric.min_per_part as usize {
            found.lacking.push(part.id.clone());
            let said = format!("{count} places; at least {}", rubric.min_per_part);
            found.faults.push(Fault::new(Location::at(&part.id), Rule::CounterMissing, said));
        }
    }
    found
}
