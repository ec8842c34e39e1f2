//! Which rule set fits a document.

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

/// The set with the most points, and how sure that is, from 0 to 1. What no set knows is a numbered manual.
pub(crate) fn detect(
    rules: &Rules,
    document: &Document,
    name: &str,
) -> Result<(Arc<Compiled>, f32), RuleError> {
    let mut best: Option<(u32, &Arc<Compiled>)> = None;
    for set in rules.all() {
        let points = points(set, document, name);
        if points >= ENOUGH && best.is_none_or(|(most, _)| points > most) {
            best = Some((points, set));
        }
    }
    match best {
        Some((points, set)) => Ok((set.clone(), (points as f32 / (2 * ENOUGH) as f32).min(1.0))),
        None => Ok((rules.named(GENERAL)?.clone(), 0.0)),
    }
}

fn points(set: &Compiled, document: &Document, name: &str) -> u32 {
    let mut sum = 0;
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
    }
    sum
}
