//! What was read of a picture.

use crate::Area;

/// A score below this makes a word doubtful.
const SURE: f32 = 0.9;

/// The lines of a picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Quarter turns clockwise by which the picture has to be turned to be read; places are those of the turned picture.
    pub turn: u8,
    /// Its lines from the top down, in no order of reading.
    pub lines: Vec<Line>,
    /// Lines that are too unclear to be read.
    pub unclear: usize,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Where it stands.
    pub area: Area,
    /// Its signs, blanks between words included.
    pub signs: Vec<Sign>,
}

/// A sign of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sign {
    /// The character.
    pub c: char,
    /// Where its middle is, as a share of the line's length.
    pub at: f32,
    /// How sure the recogniser is, from 0 to 1.
    pub score: f32,
}

impl Line {
    /// Its words with blanks.
    pub fn text(&self) -> String {
        self.signs.iter().map(|sign| sign.c).collect()
    }

    /// How sure the recogniser is of it on the whole, from 0 to 1.
    pub fn score(&self) -> f32 {
        let read = self.signs.iter().filter(|sign| sign.c != ' ');
        let (sum, count) = read.fold((0.0, 0), |(sum, count), sign| (sum + sign.score, count + 1));
        if count == 0 { 0.0 } else { sum / count as f32 }
    }

    /// Words with a sign that the recogniser is not sure of.
    pub fn doubtful(&self) -> Vec<String> {
        let words = self.signs.split(|sign| sign.c == ' ');
        words
            .filter(|word| word.iter().any(|sign| sign.score < SURE))
            .map(|word| word.iter().map(|sign| sign.c).collect())
            .collect()
    }
}

impl Reading {
    /// How sure the recogniser is of all of it, from 0 to 1; 0 where nothing was read.
    pub fn score(&self) -> f32 {
        let signs = |line: &Line| line.signs.len() as f32;
        let all: f32 = self.lines.iter().map(signs).sum();
        let sum: f32 = self.lines.iter().map(|line| signs(line) * line.score()).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn line(text: &str, doubt: &[usize]) -> Line {
        let area = Area { x: 0.0, y: 0.0, width: 1.0, height: 1.0, slope: 0.0 };
        let sign = |(at, c)| Sign { c, at: 0.0, score: if doubt.contains(&at) { 0.5 } else { 1.0 } };
        Line { area, signs: text.chars().enumerate().map(sign).collect() }
    }

    #[test]
    fn a_word_with_one_doubtful_sign_is_doubtful() {
        let line = line("pay 1,250 now", &[6]);
        assert_eq!(line.doubtful(), ["1,250"]);
        assert!((line.score() - 10.5 / 11.0).abs() < 1e-6);
        assert_eq!(line.text(), "pay 1,250 now");
    }

    #[test]
    fn long_lines_count_more() {
        let reading = Reading { lines: vec![line("aaaaaaaaa", &[]), line("b", &[0])], ..Reading::default() };
        assert!((reading.score() - 0.95).abs() < 1e-6);
        assert!(Reading::default().score().abs() < 1e-6);
    }
}
