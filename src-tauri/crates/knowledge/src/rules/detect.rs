//! Which rule set fits a document.

use std::collections::BTreeMap;
use std::sync::Arc;

use documents::{BlockKind, Document};

use super::set::SignPlace;
use super::{Compiled, GENERAL, RuleError, Rules};

/// Blocks that are looked at.
const BLOCKS: usize = 5_000;
/// Blocks whose text is searched.
const TEXTS: usize = 200;
/// Points that are needed.
const ENOUGH: u32 = 100;
/// Longest block that may be a heading without saying so, in bytes.
pub(crate) const HEADING_BYTES: usize = 200;

/// The set that fits a document.
pub(crate) struct Detected {
    pub(crate) rules: Arc<Compiled>,
    /// How sure that is, from 0 to 1.
    pub(crate) sure: f32,
    /// The set whose look the document has without being such a document itself.
    pub(crate) only_looks: Option<Arc<Compiled>>,
}

/// The set with the most points of those that fit. What no set knows is a numbered manual.
pub(crate) fn detect(rules: &Rules, document: &Document, name: &str) -> Result<Detected, RuleError> {
    let name = name.rsplit('/').next().unwrap_or(name).replace(['_', '-'], " ");
    let (mut best, mut only_looks): (Option<(u32, &Arc<Compiled>)>, _) = (None, None);
    for set in rules.all() {
        let (points, fits) = points(set, document, &name);
        if points >= ENOUGH && !fits {
            only_looks = Some(set.clone());
        } else if points >= ENOUGH && best.is_none_or(|(most, _)| points > most) {
            best = Some((points, set));
        }
    }
    Ok(match best {
        Some((points, set)) => {
            let sure = (points as f32 / (2 * ENOUGH) as f32).min(1.0);
            Detected { rules: set.clone(), sure, only_looks: None }
        }
        None => Detected { rules: rules.named(GENERAL)?.clone(), sure: 0.0, only_looks },
    })
}

/// The points of a set, and whether the document has what the set needs and nothing that speaks against it.
fn points(set: &Compiled, document: &Document, name: &str) -> (u32, bool) {
    let (mut sum, mut against) = (0, false);
    let mut needs: BTreeMap<&str, bool> = BTreeMap::new();
    for (sign, regex) in &set.signs {
        let mut places = 0;
        if sign.place == SignPlace::Name {
            let title = document.title.as_deref().unwrap_or("");
            places = u32::from(regex.is_match(name)) + u32::from(regex.is_match(title));
        } else {
            for (at, block) in document.blocks.iter().take(BLOCKS).enumerate() {
                let is_heading = matches!(block.kind, BlockKind::Heading(_));
                let found = match sign.place {
                    SignPlace::Heading if is_heading || block.text.len() <= HEADING_BYTES => {
                        match &block.label {
                            Some(label) => {
                                regex.is_match(&format!("{label} {}", block.text))
                                    || regex.is_match(&format!("{label}. {}", block.text))
                            }
                            None => regex.is_match(&block.text),
                        }
                    }
                    SignPlace::Number if !is_heading => {
                        regex.is_match(block.label.as_deref().unwrap_or(&block.text))
                    }
                    SignPlace::Text if at < TEXTS => regex.is_match(&block.text),
                    SignPlace::Heading | SignPlace::Number | SignPlace::Text | SignPlace::Name => false,
                };
                places += u32::from(found);
                if places >= sign.most {
                    break;
                }
            }
        }
        sum += sign.points * places.min(sign.most);
        against |= sign.against && places > 0;
        if let Some(need) = &sign.needs {
            *needs.entry(need).or_default() |= places > 0;
        }
    }
    (sum, !against && needs.values().all(|met| *met))
}
