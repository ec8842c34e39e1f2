//! From the recogniser's steps to signs, and blanks that it left out put back.

use crate::Sign;

/// Parts of a line's height, above and below, that are not looked at for ink: neighbours reach in there, but the bar of a T does not.
const MARGIN: f32 = 0.15;
/// A pixel differs so much from the paper that it is ink, of 2.
const INK: f32 = 0.5;
/// Dark pixels in a column that may be dirt.
const DIRT: usize = 2;
/// A gap between words, in pixels of a line that is 48 high; wider between digits, whose cells are wide.
const GAP: f32 = 5.5;
const DIGITS: f32 = 3.0;
/// A one, and each other sign of [`THIN`], is so much thinner than its cell, the more so where a picture is coarse.
const ONE: f32 = 2.5;
const THIN: [char; 4] = ['1', 'i', 'l', 'I'];
/// A gap between words is so many times the usual gap of two letters, and such a share of the line's gaps at blanks.
const TIMES: f32 = 2.5;
const SHARE: f32 = 0.65;

/// The signs of a line by its most likely ones: `steps` holds a row of scores for each step, over the blank and `list`. Runs of
/// one sign are one. A step is `step` of the line's length.
pub(crate) fn decode(steps: &[f32], list: &[String], step: f32) -> Vec<Sign> {
    let width = list.len() + 1;
    let mut signs: Vec<Sign> = Vec::new();
    // The sign of the step before, where its run began, and its best score.
    let mut open: Option<(usize, usize, f32)> = None;
    let mut close = |open: Option<(usize, usize, f32)>, end: usize| {
        let Some((sign, from, score)) = open.filter(|open| open.0 > 0) else { return };
        let at = (from + end) as f32 / 2.0 * step;
        let text = list[sign - 1].chars().map(plain);
        signs.extend(text.map(|c| Sign { c, at, score }));
    };
    for (index, scores) in steps.chunks_exact(width).enumerate() {
        let best = scores
            .iter()
            .enumerate()
            .fold((0, f32::MIN), |best, (at, score)| if *score > best.1 { (at, *score) } else { best });
        match &mut open {
            Some(run) if run.0 == best.0 => run.2 = run.2.max(best.1),
            _ => close(open.replace((best.0, index, best.1)), index),
        }
    }
    close(open, steps.len() / width);
    trimmed(numerals(signs))
}

/// White space of any kind is a blank.
fn plain(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c }
}

/// Signs for Roman numerals as the letters that a page shows: `Ⅲ` is III.
fn numerals(signs: Vec<Sign>) -> Vec<Sign> {
    const LETTERS: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let mut out = Vec::with_capacity(signs.len());
    for sign in signs {
        let (first, small) = if sign.c >= '\u{2170}' { ('\u{2170}', true) } else { ('\u{2160}', false) };
        let place = (sign.c as usize).checked_sub(first as usize);
        match place.and_then(|place| LETTERS.get(place)) {
            Some(letters) => out.extend(letters.chars().map(|c| {
                let c = if small { c.to_ascii_lowercase() } else { c };
                Sign { c, ..sign }
            })),
            None => out.push(sign),
        }
    }
    out
}

fn trimmed(mut signs: Vec<Sign>) -> Vec<Sign> {
    signs.dedup_by(|next, last| next.c == ' ' && last.c == ' ');
    while signs.last().is_some_and(|sign| sign.c == ' ') {
        signs.pop();
    }
    let blanks = signs.iter().take_while(|sign| sign.c == ' ').count();
    signs.drain(..blanks);
    signs
}

/// How many dark pixels each column of a line has; `plane` is the line's picture, `row` wide, of which `width` is the line.
pub(crate) fn ink(plane: &[f32], row: usize, width: usize) -> Vec<usize> {
    let rows = plane.len() / row.max(1);
    let margin = (rows as f32 * MARGIN) as usize;
    let mut shades: Vec<f32> =
        plane.chunks_exact(row.max(1)).flat_map(|line| &line[..width]).copied().collect();
    shades.sort_by(f32::total_cmp);
    // Most of a line is paper, be it light or dark.
    let paper = shades.get(shades.len() * 3 / 4).copied().unwrap_or(1.0);
    let dark = shades.get(shades.len() / 4).copied().unwrap_or(1.0);
    let paper = if paper - dark > 1.0 { paper } else { f32::midpoint(paper, dark) };
    let is_ink = |x: usize, y: usize| (plane[y * row + x] - paper).abs() > INK;
    (0..width).map(|x| (margin..rows - margin).filter(|y| is_ink(x, *y)).count()).collect()
}

/// Puts blanks where the ink of a line leaves a wide gap between two signs. Between signs of scripts that set none, none is put.
pub(crate) fn with_blanks(signs: Vec<Sign>, ink: &[usize]) -> Vec<Sign> {
    let column = |sign: &Sign| ((sign.at * ink.len() as f32) as usize).min(ink.len());
    let gap = |a: &Sign, b: &Sign| {
        let between = ink.get(column(a)..column(b)).unwrap_or_default();
        between.split(|count| *count > DIRT).map(<[usize]>::len).max().unwrap_or(0) as f32
    };
    let letters = |a: &Sign, b: &Sign| a.c.is_alphanumeric() && b.c.is_alphanumeric() && !ideographic(a.c);
    let usual = middle(signs.windows(2).filter(|w| letters(&w[0], &w[1])).map(|w| gap(&w[0], &w[1])));
    let blanks = middle(signs.windows(3).filter(|w| w[1].c == ' ').map(|w| gap(&w[0], &w[2])));
    let least = GAP.max(TIMES * usual.unwrap_or(0.0)).max(SHARE * blanks.unwrap_or(0.0));
    let end = signs.len().saturating_sub(1);
    let mut out: Vec<Sign> = Vec::with_capacity(signs.len());
    for (index, sign) in signs.into_iter().enumerate() {
        let before = out.len().checked_sub(2).map_or(' ', |at| out[at].c);
        // Thin letters stand apart: one alone at the end of a line belongs to its word. So do the digits behind a point.
        let lone = index == end && sign.c.is_lowercase();
        let decimal =
            |last: char| matches!(last, '.' | ',') && before.is_ascii_digit() && sign.c.is_ascii_digit();
        let joined = |last: char| lone || decimal(last) || !may_part(last, sign.c);
        if let Some(last) = out.last().copied().filter(|last| !joined(last.c)) {
            let digits = last.c.is_ascii_digit() && sign.c.is_ascii_digit();
            let ones = [last.c, sign.c].iter().filter(|c| THIN.contains(c)).count() as f32;
            if gap(&last, &sign) >= least + if digits { DIGITS } else { 0.0 } + ONE * ones {
                let at = f32::midpoint(last.at, sign.at);
                out.push(Sign { c: ' ', at, score: last.score.min(sign.score) });
            }
        }
        out.push(sign);
    }
    out
}

/// Whether a blank may stand between two signs.
fn may_part(a: char, b: char) -> bool {
    let ends = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '%' | '"' | '”' | '’')
    };
    let begins = |c: char| {
        c.is_alphanumeric() || matches!(c, '(' | '[' | '"' | '“' | '‘' | '§' | '$' | '€' | '£' | '@' | '&')
    };
    ends(a) && begins(b) && !ideographic(a) && !ideographic(b)
}

/// Whether a sign is of a script that sets no blanks.
fn ideographic(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..)
}

fn middle(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn list(signs: &str) -> Vec<String> {
        signs.chars().map(String::from).collect()
    }

    /// Steps in which `text`'s signs are likely, `.` being the blank.
    fn steps(text: &str, list: &[String]) -> Vec<f32> {
        let row = |c: char| {
            let best = list.iter().position(|sign| sign.starts_with(c)).map_or(0, |at| at + 1);
            (0..=list.len()).map(move |at| if at == best { 0.9 } else { 0.01 })
        };
        text.chars().flat_map(row).collect()
    }

    fn text(signs: &[Sign]) -> String {
        signs.iter().map(|sign| sign.c).collect()
    }

    #[test]
    fn runs_are_one_sign_and_the_blank_parts_two() {
        let list = list("abc ");
        let signs = decode(&steps("..aa.ab..c", &list), &list, 0.1);
        assert_eq!(text(&signs), "aabc");
        let at: Vec<f32> = signs.iter().map(|sign| (sign.at * 100.0).round()).collect();
        assert_eq!(at, [30.0, 55.0, 65.0, 95.0]);
        assert_eq!(text(&decode(&steps(" .a  b .", &list), &list, 0.1)), "a b");
        assert_eq!(decode(&[], &list, 0.1), Vec::new());
    }

    #[test]
    fn a_numeral_is_written_with_letters() {
        let list = list("ⅢⅸA\u{3000}B");
        assert_eq!(text(&decode(&steps("Ⅲ.ⅸ.A\u{3000}B", &list), &list, 0.1)), "IIIixA B");
    }

    /// A line of signs, each with eight columns of ink and `gaps` columns of paper behind it.
    fn line(signs: &str, gaps: &[usize]) -> (Vec<Sign>, Vec<usize>) {
        let mut ink = Vec::new();
        let mut middles = Vec::new();
        for (at, _) in signs.chars().enumerate() {
            middles.push(ink.len() + 4);
            ink.extend([9; 8]);
            ink.extend(std::iter::repeat_n(0, gaps.get(at).copied().unwrap_or(2)));
        }
        let sign = |(c, middle): (char, usize)| Sign { c, at: middle as f32 / ink.len() as f32, score: 1.0 };
        (signs.chars().zip(middles).map(sign).collect(), ink)
    }

    fn read(signs: &str, gaps: &[usize]) -> String {
        let (signs, ink) = line(signs, gaps);
        text(&with_blanks(signs, &ink))
    }

    #[test]
    fn a_blank_is_put_where_the_gap_is_wide() {
        assert_eq!(read("ofISA", &[2, 9, 2, 2]), "of ISA");
        assert_eq!(read("dated12", &[2, 2, 2, 2, 12]), "dated 12");
        assert_eq!(read("dated12", &[2, 2, 2, 2, 4]), "dated12");
        assert_eq!(read("wide", &[9, 9, 9]), "wide", "spaced letters are one word");
    }

    #[test]
    fn a_number_is_not_parted_where_its_digits_are_thin() {
        assert_eq!(read("1911", &[5, 5, 9]), "1911");
        assert_eq!(read("ab12500", &[2, 12, 2, 13, 2, 2]), "ab 12 500");
        assert_eq!(read("a3.14", &[9, 9, 9, 2]), "a3.14", "nor at its point, where all gaps are wide");
        assert_eq!(read("(3,641.68)", &[2, 2, 2, 2, 2, 2, 9, 2, 2]), "(3,641.68)");
        assert_eq!(read("Travel", &[2, 2, 2, 2, 9]), "Travel");
        assert_eq!(read("of1.Rent", &[2, 2, 2, 9, 2, 2, 2]), "of1. Rent");
    }

    #[test]
    fn a_word_is_not_parted_where_its_letters_are_thin() {
        assert_eq!(read("ability", &[2, 2, 2, 7, 2, 2]), "ability");
        assert_eq!(read("viability", &[2, 7, 2, 2, 7, 7, 7, 2]), "viability");
        assert_eq!(read("alllocal", &[2, 2, 12, 2, 2, 2, 2]), "all local");
    }

    #[test]
    fn scripts_without_blanks_get_none() {
        assert_eq!(read("中文字", &[2, 20, 2]), "中文字");
    }

    #[test]
    fn the_bar_of_a_letter_is_ink() {
        // A T is narrow without it, and far from the letter behind it.
        let (width, rows) = (20, 48);
        let mut plane = vec![1.0; width * rows];
        for y in 7..10 {
            plane[y * width + 4..y * width + 16].fill(-1.0);
        }
        let ink = ink(&plane, width, width);
        assert!(ink[5] > DIRT && ink[15] > DIRT && ink[17] == 0, "{ink:?}");
    }

    #[test]
    fn dirt_is_no_ink() {
        let (width, rows) = (10, 20);
        let mut plane = vec![1.0; width * rows];
        for y in 0..rows {
            plane[y * width + 3] = -1.0;
        }
        plane[10 * width + 7] = -1.0;
        let ink = ink(&plane, width, width);
        assert!(ink[3] > DIRT && ink[7] <= DIRT && ink[5] == 0, "{ink:?}");
    }
}
