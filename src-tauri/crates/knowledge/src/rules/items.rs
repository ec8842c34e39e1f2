//! Marks of items, `(a)(1)(i)(A)`, and which level one belongs to when its letter could be two things.

/// What a mark's levels count with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    Lower,
    Upper,
    LowerRoman,
    UpperRoman,
    Arabic,
}

/// How the marks of a level look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    opens: bool,
    digits: Digits,
    close: char,
}

/// A mark as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found<'t> {
    opens: bool,
    /// The letter or number without brackets.
    pub(crate) body: &'t str,
    close: char,
    /// Its length in the text.
    pub(crate) bytes: usize,
}

impl Mark {
    /// The look of a level from its first mark.
    pub(crate) fn parse(first: &str) -> Option<Self> {
        let found = find(first).filter(|found| found.bytes == first.len())?;
        let digits = match found.body {
            "a" => Digits::Lower,
            "A" => Digits::Upper,
            "i" => Digits::LowerRoman,
            "I" => Digits::UpperRoman,
            "1" => Digits::Arabic,
            _ => return None,
        };
        Some(Self { opens: found.opens, digits, close: found.close })
    }

    fn value(self, found: &Found) -> Option<u32> {
        if (self.opens, self.close) != (found.opens, found.close) {
            return None;
        }
        match self.digits {
            Digits::Lower => letter(found.body, b'a'),
            Digits::Upper => letter(found.body, b'A'),
            Digits::LowerRoman => roman(found.body),
            Digits::UpperRoman => {
                let upper = found.body.bytes().all(|c| c.is_ascii_uppercase());
                upper.then(|| roman(&found.body.to_ascii_lowercase())).flatten()
            }
            Digits::Arabic => found.body.parse().ok().filter(|&value| value > 0),
        }
    }
}

/// The mark at the beginning of a text: `(a)`, `a)`, `1.`; at most 6 letters or digits.
pub(crate) fn find(text: &str) -> Option<Found<'_>> {
    let inner = text.strip_prefix('(').unwrap_or(text);
    let opens = inner.len() < text.len();
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric())?;
    let body = &inner[..end];
    let close = inner[end..].chars().next().filter(|&c| c == ')' || (c == '.' && !opens))?;
    ((1..=6).contains(&body.len())).then(|| Found {
        opens,
        body,
        close,
        bytes: text.len() - inner.len() + end + 1,
    })
}

/// `a` is 1, `z` is 26, `aa` is 27, `bb` is 28.
fn letter(body: &str, first: u8) -> Option<u32> {
    let bytes = body.as_bytes();
    let same = bytes.iter().all(|&c| c == bytes[0]);
    let known = (first..first + 26).contains(&bytes[0]);
    (same && known && bytes.len() <= 3)
        .then(|| u32::from(bytes[0] - first) + 1 + 26 * (bytes.len() as u32 - 1))
}

fn roman(body: &str) -> Option<u32> {
    let digit = |c| {
        Some(match c {
            b'i' => 1,
            b'v' => 5,
            b'x' => 10,
            b'l' => 50,
            b'c' => 100,
            _ => return None,
        })
    };
    let digits: Vec<u32> = body.bytes().map(digit).collect::<Option<_>>()?;
    let mut value = 0;
    for (at, &one) in digits.iter().enumerate() {
        if digits.get(at + 1).is_some_and(|&next| next > one) {
            value -= one as i32
        } else {
            value += one as i32
        }
    }
    u32::try_from(value).ok().filter(|&value| value > 0)
}

/// An open level: which one, and how far it has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) level: usize,
    pub(crate) value: u32,
}

/// Where a mark stands below the open levels: how many of them stay open, and its own. `next` is the mark after it,
/// which tells `(h) (i) (j)` from `(h) (i) (ii)`.
pub(crate) fn place(
    marks: &[Mark],
    open: &[Level],
    found: &Found,
    next: Option<&Found>,
) -> Option<(usize, Level)> {
    let deepest = open.last().map_or(-1, |last| last.level as i64);
    let mut best: Option<(u32, usize, Level)> = None;
    for (level, mark) in marks.iter().enumerate() {
        let Some(value) = mark.value(found) else { continue };
        let here = Level { level, value };
        let (cost, keep) = match open.iter().position(|one| one.level == level) {
            Some(at) if value == open[at].value + 1 => {
                let begins_deeper = |next: &Found| {
                    mark.value(next) != Some(value + 1)
                        && marks.iter().enumerate().any(|(other, mark)| {
                            other as i64 > deepest
                                && mark.value(found) == Some(1)
                                && mark.value(next) == Some(2)
                        })
                };
                (if next.is_some_and(begins_deeper) { 3 } else { 0 }, at)
            }
            Some(at) if value > open[at].value => (5, at),
            // A smaller number of an open level: a list that begins anew.
            Some(at) => (7, at),
            None => {
                let keep = open.iter().take_while(|one| one.level < level).count();
                let next_below = level as i64 == deepest + 1;
                let cost = match (value == 1, next_below) {
                    (true, true) => 1,
                    (true, false) if level as i64 > deepest => 2,
                    (false, true) => 4,
                    _ => 6,
                };
                (cost, keep)
            }
        };
        if best.is_none_or(|(least, _, _)| cost < least) {
            best = Some((cost, keep, here));
        }
    }
    best.map(|(_, keep, level)| (keep, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The levels at which marks are put, one after the other.
    fn levels(styles: &[&str], marks: &[&str]) -> Vec<usize> {
        let styles: Vec<Mark> = styles.iter().map(|style| Mark::parse(style).unwrap()).collect();
        let found: Vec<Found> = marks.iter().map(|mark| find(mark).unwrap()).collect();
        let mut open: Vec<Level> = Vec::new();
        let mut out = Vec::new();
        for (at, one) in found.iter().enumerate() {
            let (keep, level) = place(&styles, &open, one, found.get(at + 1)).unwrap();
            open.truncate(keep);
            open.push(level);
            out.push(level.level);
        }
        out
    }

    const LAW: [&str; 6] = ["(a)", "(1)", "(i)", "(A)", "(1)", "(i)"];

    #[test]
    fn an_i_after_h_is_a_letter_when_j_follows_and_a_numeral_when_ii_follows() {
        let up_to = ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)"];
        let with = |more: &[&'static str]| [&up_to[..], more].concat();
        assert_eq!(levels(&["(a)", "(i)"], &with(&["(i)", "(j)"]))[8..], [0, 0]);
        assert_eq!(levels(&["(a)", "(i)"], &with(&["(i)", "(ii)", "(i)", "(j)"]))[8..], [1, 1, 0, 0]);
    }

    #[test]
    fn levels_open_and_close_in_order() {
        let marks = ["(a)", "(1)", "(i)", "(A)", "(B)", "(ii)", "(2)", "(b)", "(c)", "(1)"];
        assert_eq!(levels(&LAW, &marks), [0, 1, 2, 3, 3, 2, 1, 0, 0, 1]);
    }

    #[test]
    fn the_letters_v_and_x_go_on_in_their_own_series() {
        let marks = ["(a)", "(1)", "(i)", "(ii)", "(iii)", "(iv)", "(v)", "(vi)", "(b)"];
        assert_eq!(levels(&LAW, &marks), [0, 1, 2, 2, 2, 2, 2, 2, 0]);
        let letters: Vec<String> = ('a'..='z').map(|c| format!("({c})")).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(levels(&["(a)", "(i)"], &letters), [0; 26]);
    }
}
