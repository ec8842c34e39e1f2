//! Near copies: the same provision printed twice tells a reader nothing new.

use super::weights::DUPLICATE;

/// Words in a run.
const RUN: usize = 4;

/// What of a text tells whether another is a copy of it.
pub(super) struct Shape {
    /// Hashes of its runs of words, sorted, each once.
    runs: Vec<u64>,
    /// Hashes of its numbers and of the words that turn a meaning, in order: copies agree in every one of them.
    telling: Vec<u64>,
}

/// Numbers, modals and negations: two provisions that differ in one of these are not the same, however alike they
/// look.
fn tells(word: &str) -> bool {
    matches!(
        word,
        "can"
            | "cannot"
            | "could"
            | "except"
            | "may"
            | "might"
            | "must"
            | "neither"
            | "never"
            | "no"
            | "none"
            | "nor"
            | "not"
            | "only"
            | "shall"
            | "should"
            | "unless"
            | "will"
            | "without"
            | "would"
    ) || word.contains(char::is_numeric)
}

impl Shape {
    pub(super) fn of(text: &str) -> Self {
        let (mut words, mut telling) = (Vec::new(), Vec::new());
        let mut lower = String::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                lower.extend(word.chars().flat_map(char::to_lowercase));
            }
            let hash = hash(lower.bytes());
            if tells(&lower) {
                telling.push(hash);
            }
            words.push(hash);
        }
        let run = |words: &[u64]| {
            words.iter().fold(0_u64, |run, word| (run.rotate_left(21) ^ word).wrapping_mul(PRIME))
        };
        let mut runs: Vec<u64> =
            if words.len() < RUN { vec![run(&words)] } else { words.windows(RUN).map(run).collect() };
        runs.sort_unstable();
        runs.dedup();
        Self { runs, telling }
    }

    pub(super) fn copies(&self, other: &Self) -> bool {
        let (few, many) = (self.runs.len().min(other.runs.len()), self.runs.len().max(other.runs.len()));
        if (few as f64) < DUPLICATE * many as f64 || self.telling != other.telling {
            return false;
        }
        // Shared runs of all runs, DUPLICATE of them: that leaves so few of these to be missing there.
        let needed = (DUPLICATE / (1.0 + DUPLICATE) * (few + many) as f64).ceil() as usize;
        let Some(mut spare) = self.runs.len().checked_sub(needed) else { return false };
        let mut at = 0;
        for run in &self.runs {
            while other.runs.get(at).is_some_and(|one| one < run) {
                at += 1;
            }
            if other.runs.get(at) != Some(run) {
                if spare == 0 {
                    return false;
                }
                spare -= 1;
            }
        }
        true
    }
}

const PRIME: u64 = 0x100_0000_01b3;

/// FNV-1a.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::Shape;

    const RULE: &str = "The keeper of the register shall enter every change within 10 days and shall tell the \
                        owner in writing, so that errors are found before the yearly count begins.";

    fn copies(a: &str, b: &str) -> bool {
        Shape::of(a).copies(&Shape::of(b))
    }

    #[test]
    fn a_reprint_with_other_signs_is_a_copy() {
        assert!(copies(RULE, &RULE.replace(',', ";").to_uppercase()));
    }

    #[test]
    fn another_number_modal_or_negation_is_no_copy() {
        for (from, to) in [("10", "30"), ("shall enter", "should enter"), ("are found", "are not found")] {
            assert!(!copies(RULE, &RULE.replace(from, to)), "{to}");
        }
    }

    #[test]
    fn another_text_is_no_copy() {
        assert!(!copies(RULE, "The keeper of the register may refuse an entry."));
        assert!(!copies("", RULE));
    }
}
