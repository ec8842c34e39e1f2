//! Chapters whose heading is set in several lines: `CHAPTER`, `TWO`, `The title`.

use super::assemble::LARGER;
use super::paragraphs::{Draft, Kind};

const UNITS: [&str; 19] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Puts the parts of such headings together: the number becomes the title's label.
pub(super) fn merged(drafts: Vec<Draft>, body: f32) -> Vec<Draft> {
    let mut out: Vec<Draft> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let titled = draft.can_be_heading() && draft.label.is_none() && draft.size >= LARGER * body;
        let number = out.last().filter(|last| titled && last.page == draft.page && last.lines == 1);
        let Some(number) = number.filter(|last| last.kind == Kind::Text && last.size <= 1.05 * draft.size)
        else {
            out.push(draft);
            continue;
        };
        let name = out.len().checked_sub(2).map(|at| &out[at]);
        let named = name.is_some_and(|name| name.page == draft.page && is_name(&name.text));
        let label = match number.text.split_once(' ') {
            Some((name, number)) if is_name(name) => label(name, number),
            None if named => name.and_then(|name| label(&name.text, &number.text)),
            None if number.size >= LARGER * body => spelled(&number.text).map(|number| number.to_string()),
            Some(_) | None => None,
        };
        if label.is_some() {
            out.truncate(out.len() - 1 - usize::from(named));
        }
        out.push(Draft { label, ..draft });
    }
    out
}

/// Whether a line is the word above a number.
pub(super) fn is_name(text: &str) -> bool {
    ["chapter", "appendix", "annex"].iter().any(|name| text.trim().eq_ignore_ascii_case(name))
}

fn label(name: &str, number: &str) -> Option<String> {
    let letter = number.len() == 1 && number.bytes().all(|c| c.is_ascii_uppercase());
    if letter && !name.trim().eq_ignore_ascii_case("chapter") {
        return Some(format!("Appendix {number}"));
    }
    let digits = (1..=3).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    if digits { Some(number.to_owned()) } else { spelled(number).map(|number| number.to_string()) }
}

/// `TWO` is 2, `TWENTYTWO` and `Twenty-two` are 22.
fn spelled(words: &str) -> Option<usize> {
    let lower = words.to_ascii_lowercase();
    let unit = |word: &str| UNITS.iter().position(|unit| *unit == word).map(|at| at + 1);
    unit(&lower).or_else(|| {
        let (tens, rest) =
            TENS.iter().enumerate().find_map(|(at, ten)| Some((20 + 10 * at, lower.strip_prefix(ten)?)))?;
        match rest.trim_start_matches(['-', ' ']) {
            "" => Some(tens),
            rest => unit(rest).filter(|unit| *unit < 10).map(|unit| tens + unit),
        }
    })
}

#[cfg(test)]
mod tests;
