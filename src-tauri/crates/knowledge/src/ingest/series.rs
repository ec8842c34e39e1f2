//! Runs of section numbers: which numbered headings are sections at all, and where numbering begins again.

use std::collections::BTreeMap;

use documents::Block;

use super::headings::heading_line;
use crate::rules::compiled::{Compiled, captured};

/// How far a number may jump and still follow: headings get lost.
const JUMP: u32 = 5;
/// Headings looked ahead at, to tell a stray number from a new run.
const AHEAD: usize = 12;
/// Most runs: each but the first has a letter.
const MAX_RUNS: u8 = 26;
/// A section `A` comes after all numbers.
const LETTERS: u32 = 100_000;

/// The run of each block whose number names a section: 0 is the first. A heading that is not there only looks so.
pub(crate) type Series = BTreeMap<usize, u8>;

/// Finds the runs of a document.
pub(crate) fn find(rules: &Compiled, blocks: &[Block]) -> Series {
    let mut found = Series::new();
    if rules.headings.iter().all(|heading| heading.rule.series.is_none()) {
        return found;
    }
    let numbered: Vec<(usize, Vec<u32>)> =
        blocks.iter().enumerate().filter_map(|(at, block)| Some((at, number(rules, block)?))).collect();
    let numbered: Vec<(usize, Vec<u32>)> =
        numbered.into_iter().filter(|(_, number)| !is_version(number)).collect();
    let mut run = 0;
    // What was taken of this run.
    let mut taken: Vec<(usize, &[u32])> = Vec::new();
    for (at, (block, number)) in numbered.iter().enumerate() {
        let ahead = &numbered[at + 1..numbered.len().min(at + 1 + AHEAD)];
        let with = support(number, ahead);
        let Some(&(_, last)) = taken.last() else {
            // A lone number is that of a step or a release.
            let alone = match number.as_slice() {
                [chapter] => *chapter <= 1,
                [chapter, _] => *chapter <= JUMP,
                _ => false,
            };
            if alone || (with > 0 && begins(number)) {
                taken.push((*block, number));
            }
            continue;
        };
        let without = support(last, ahead);
        let fits = match step(last, number) {
            Some(1) => with + 1 >= without,
            Some(_) => with >= without,
            None => with > without,
        };
        if !fits {
            continue;
        }
        if number.as_slice() <= last {
            // Back to where numbers went astray; else an appendix or another part begins.
            let recent = taken.len().saturating_sub(AHEAD);
            match taken[recent..].iter().rposition(|(_, before)| step(before, number).is_some()) {
                Some(place) if number.iter().any(|&part| part > 1) => taken.truncate(recent + place + 1),
                _ if run + 1 < MAX_RUNS => {
                    found.extend(taken.drain(..).map(|(block, _)| (block, run)));
                    run += 1;
                }
                _ => continue,
            }
        }
        taken.push((*block, number));
    }
    found.extend(taken.into_iter().map(|(block, _)| (block, run)));
    found
}

/// The number of a heading of a series.
fn number(rules: &Compiled, block: &Block) -> Option<Vec<u32>> {
    let (line, marked) = heading_line(block, block.text.trim())?;
    let (heading, variables) = rules
        .headings
        .iter()
        .filter(|heading| marked.is_some() || heading.rule.unmarked)
        .find_map(|heading| Some((heading, captured(&heading.regex, &line)?)))?;
    let number = variables.get(heading.rule.series.as_ref()?)?;
    number.split('.').map(part).collect()
}

fn part(part: &str) -> Option<u32> {
    match part.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(LETTERS + u32::from(letter - b'A')),
        // `V6` numbers like 6.
        _ => part.trim_start_matches(|c: char| c.is_ascii_uppercase()).parse().ok(),
    }
}

/// How far a number is from another that it can come after: 1 for the next one at some level, and for its first part.
fn step(last: &[u32], number: &[u32]) -> Option<u32> {
    let same = last.iter().zip(number).take_while(|(a, b)| a == b).count();
    let first = *number.get(same)?;
    let step = match last.get(same) {
        Some(&before) if first == LETTERS && before < LETTERS => 1,
        None if first == LETTERS => 1,
        Some(before) => first.checked_sub(*before)?,
        None => first.max(1),
    };
    let deepest = number[same + 1..].iter().copied().max().unwrap_or(0);
    (1..=JUMP).contains(&step.max(deepest)).then_some(step.max(deepest))
}

/// Whether sections can begin with a number: years of a report do not.
fn begins(number: &[u32]) -> bool {
    number.len() > 1 || number[0] < 1_000 || number[0] >= LETTERS
}

/// Whether a number is that of a release: `0.8.36`.
fn is_version(number: &[u32]) -> bool {
    number.len() > 1 && number[0] == 0
}

/// How many of the next numbers follow this one and each other, strays passed over.
fn support(number: &[u32], ahead: &[(usize, Vec<u32>)]) -> usize {
    let mut chains = vec![1; ahead.len()];
    let mut most = 0;
    for at in (0..ahead.len()).rev() {
        for next in at + 1..ahead.len() {
            if chains[at] <= chains[next] && step(&ahead[at].1, &ahead[next].1).is_some() {
                chains[at] = chains[next] + 1;
            }
        }
        if step(number, &ahead[at].1).is_some() {
            most = most.max(chains[at]);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use documents::{BlockKind, BlockPosition};
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::rules::Rules;

    /// Each number with its run.
    fn runs(numbers: &str) -> String {
        let rules = Rules::load(std::path::Path::new("none")).unwrap();
        let rules = rules.named("numbered-manual").unwrap();
        let numbers: Vec<&str> = numbers.split_whitespace().collect();
        let block = |number: &&str| Block {
            label: Some((*number).to_owned()),
            ..Block::new(BlockKind::Heading(1), "Title".into(), BlockPosition::default())
        };
        let blocks: Vec<Block> = numbers.iter().map(block).collect();
        let found = find(rules, &blocks);
        let show = |(at, number): (usize, &&str)| match found.get(&at) {
            None => "-".to_owned(),
            Some(0) => (*number).to_owned(),
            Some(run) => format!("{}:{number}", char::from(b'A' + run)),
        };
        numbers.iter().enumerate().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stray_numbers_are_no_sections_and_appendices_begin_a_run() {
        assert_eq!(runs("1 1.1 1.2 2 2.1 22.25 2.2 3"), "1 1.1 1.2 2 2.1 - 2.2 3");
        assert_eq!(
            runs("1 1.1 2 2.1 2.2 4 5 6 9 2.2.1 2.3 3 3.1"),
            "1 1.1 2 2.1 2.2 - - - - 2.2.1 2.3 3 3.1"
        );
        assert_eq!(runs("1 1.1 2 2.1 1 1.1 1.2 2"), "1 1.1 2 2.1 B:1 B:1.1 B:1.2 B:2");
        assert_eq!(runs("1 2 3 1 2 1 2"), "1 2 3 B:1 B:2 C:1 C:2");
        assert_eq!(runs("1 2 2019 3 4 1999 5"), "1 2 - 3 4 - 5");
        assert_eq!(runs("1 1.1 4 4.1 A.1 A.2 B.1"), "1 1.1 4 4.1 A.1 A.2 B.1");
        assert_eq!(runs("3.1 3.2 9.4 9.5 9.6"), "3.1 3.2 9.4 9.5 9.6");
        assert_eq!(runs("V1.1 V1.2 V2.1 V2.2 V3.1"), "V1.1 V1.2 V2.1 V2.2 V3.1");
    }
}
