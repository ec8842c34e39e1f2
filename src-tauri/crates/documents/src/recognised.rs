//! Text that was read from a picture of it: how sure that is, and where each line stands.

use serde::{Deserialize, Serialize};

use crate::PageMark;

/// Most doubtful words that a note names.
const NAMED: usize = 5;

/// What is known of text that was read from a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recognised {
    /// How sure the recogniser was, in hundredths, of the line that it was least sure of; none for text that the file itself
    /// brings along, recognised by another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    /// Words that it was not sure of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubtful: Vec<String>,
    /// Its lines in reading order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<RecognisedLine>,
}

/// Where a line stands: its box in shares of 10,000 of the page's width and height from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognisedLine {
    /// Its page, from 1.
    pub page: u32,
    /// Left, top, width and height.
    #[serde(rename = "box")]
    pub area: [u16; 4],
    /// How many letters and digits it has.
    pub letters: u32,
}

/// A line's box in shares of 10,000, from the left, upper, right and lower shares of 1.
pub(crate) fn shares([left, top, right, bottom]: [f32; 4]) -> [u16; 4] {
    let part = |share: f32| (share.clamp(0.0, 1.0) * 10_000.0).round() as u16;
    let (left, top, right, bottom) = (part(left), part(top), part(right), part(bottom));
    [left, top, right.saturating_sub(left), bottom.saturating_sub(top)]
}

/// The letters and digits of a text: hyphens at the ends of lines and the bars of tables are not the same on paper and in a block.
pub(crate) fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

impl Recognised {
    /// Takes in what is known of text that follows.
    pub fn extend(&mut self, next: &Self) {
        self.score = [self.score, next.score].into_iter().flatten().min();
        for word in &next.doubtful {
            if !self.doubtful.contains(word) {
                self.doubtful.push(word.clone());
            }
        }
        self.lines.extend(&next.lines);
    }

    /// What a reader of `words`, which come from this text, is told.
    pub fn note(&self, words: &str) -> String {
        let mut note = String::from("this text was read from a picture");
        match self.score {
            Some(score) => note.push_str(&format!(" ({score} % sure)")),
            None => note.push_str(" by another program"),
        }
        let here: Vec<&str> = words.split_whitespace().collect();
        let doubtful: Vec<&str> =
            self.doubtful.iter().map(String::as_str).filter(|word| here.contains(word)).take(NAMED).collect();
        if !doubtful.is_empty() {
            note.push_str(&format!(", not sure of \"{}\"", doubtful.join("\", \"")));
        }
        if words.contains(|c: char| c.is_numeric()) {
            note.push_str(": compare its numbers with the page");
        }
        note
    }

    /// What is known of a part of a block's text.
    #[must_use]
    pub fn part(&self, whole: &str, part: &str) -> Self {
        let words: Vec<&str> = part.split_whitespace().collect();
        Self {
            score: self.score,
            doubtful: self.doubtful.iter().filter(|word| words.contains(&word.as_str())).cloned().collect(),
            lines: self.lines_of(whole, &[part.to_owned()]),
        }
    }

    /// The lines of `text` on which one of `quotes` stands; all of them where none is found.
    pub(crate) fn lines_of(&self, text: &str, quotes: &[String]) -> Vec<RecognisedLine> {
        let all: Vec<char> = letters(text).collect();
        let counted: usize = self.lines.iter().map(|line| line.letters as usize).sum();
        // A number that was taken from the text's start as its label stands on the page all the same.
        let ahead = counted.saturating_sub(all.len());
        let mut wanted = vec![false; self.lines.len()];
        for quote in quotes {
            let quote: Vec<char> = letters(quote).collect();
            let Some(start) = all.windows(quote.len().max(1)).position(|window| window == quote) else {
                continue;
            };
            let (start, end) = (ahead + start, ahead + start + quote.len());
            let mut begins = 0;
            for (line, wanted) in self.lines.iter().zip(&mut wanted) {
                let ends = begins + line.letters as usize;
                *wanted |= begins < end && start < ends;
                begins = ends;
            }
        }
        let some = wanted.contains(&true);
        self.lines.iter().zip(wanted).filter(|(_, wanted)| *wanted || !some).map(|(line, _)| *line).collect()
    }
}

impl RecognisedLine {
    pub(crate) fn mark(&self) -> PageMark {
        let [x, y, width, height] = self.area.map(|share| f32::from(share) / 10_000.0);
        PageMark { x, y, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn recognised(lines: &[&str]) -> Recognised {
        let line = |(at, text): (usize, &&str)| RecognisedLine {
            page: 1,
            area: [1_000, 1_000 * at as u16, 5_000, 300],
            letters: letters(text).count() as u32,
        };
        Recognised { lines: lines.iter().enumerate().map(line).collect(), ..Recognised::default() }
    }

    fn found(lines: &[&str], text: &str, quote: &str) -> Vec<u16> {
        recognised(lines)
            .lines_of(text, &[quote.to_owned()])
            .iter()
            .map(|line| line.area[1] / 1_000)
            .collect()
    }

    #[test]
    fn a_quote_is_found_on_its_lines() {
        let lines = ["The keeper trims", "the wick, and in sum-", "mer he rests."];
        let text = "The keeper trims the wick, and in summer he rests.";
        assert_eq!(found(&lines, text, "keeper trims"), [0]);
        assert_eq!(found(&lines, text, "in summer"), [1, 2]);
        assert_eq!(found(&lines, text, "trims the"), [0, 1]);
        assert_eq!(found(&lines, text, "not there"), [0, 1, 2]);
        assert_eq!(found(&lines, text, ""), [0, 1, 2]);
    }

    #[test]
    fn a_part_has_its_own_lines_and_doubts() {
        let table = Recognised {
            doubtful: vec!["1,250".into(), "oil".into()],
            ..recognised(&["Rent", "1,250", "Oil", "99"])
        };
        let part = table.part("Rent | 1,250\nOil | 99", "Rent | 1,250");
        assert_eq!((part.doubtful, part.lines.len()), (vec!["1,250".to_owned()], 2));
    }

    #[test]
    fn a_note_names_doubts_and_warns_of_numbers() {
        let known = Recognised { score: Some(97), doubtful: vec!["wlck".into()], ..Recognised::default() };
        assert_eq!(known.note("trims the oil"), "this text was read from a picture (97 % sure)");
        assert_eq!(
            known.note("the wlck of 1911"),
            "this text was read from a picture (97 % sure), not sure of \"wlck\": compare its numbers with the page"
        );
        assert!(Recognised::default().note("oil").ends_with("by another program"));
    }

    #[test]
    fn a_label_that_is_not_in_the_text_is_on_the_page() {
        let lines = ["12. Rent is due", "on Monday."];
        assert_eq!(found(&lines, "Rent is due on Monday.", "on Monday"), [1]);
        assert_eq!(found(&lines, "Rent is due on Monday.", "Rent"), [0]);
    }

    #[test]
    fn what_is_joined_is_as_sure_as_its_least_sure_part() {
        let mut one = Recognised { score: Some(98), doubtful: vec!["wick".into()], ..recognised(&["a"]) };
        one.extend(&Recognised {
            score: Some(91),
            doubtful: vec!["wick".into(), "oil".into()],
            ..recognised(&["b"])
        });
        assert_eq!((one.score, one.doubtful.len(), one.lines.len()), (Some(91), 2, 2));
    }

    #[test]
    fn a_box_outside_the_page_is_cut() {
        assert_eq!(shares([-0.1, 0.25, 1.2, 0.5]), [0, 2_500, 10_000, 2_500]);
    }
}
