//! The pieces of a paragraph that can be quoted: sentences, and the items of its enumerations with what leads into them.
//! `Deployers shall: (a) keep logs; (b) inform workers.` is a lead-in and two items, on one line or on several.

use std::ops::Range;

use text_analysis::is_full_stop;

use super::words::sentences;

/// A sentence, a lead-in or an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its bytes in the paragraph; of an item without what joins it to the next.
    pub range: Range<usize>,
    /// The segment that leads into it, if it is an item of an enumeration that has one.
    pub lead: Option<usize>,
    /// The last of the segments below it; itself where there are none.
    pub last: usize,
    /// Whether it is an item.
    pub item: bool,
}

/// How an enumeration counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    /// `(a)`, `a.`
    Letters,
    /// `(1)`, `1.`
    Numbers,
    /// `(i)`, `i.`
    Numerals,
    /// `*`, `-`
    Signs,
}

/// The form of a mark: what it counts with, and whether it stands in parentheses.
type Form = (Count, bool);

/// A mark that may begin an item.
struct Mark<'a> {
    at: usize,
    /// What stands in it: `a`, `12`, `iv`; nothing for a sign.
    label: &'a str,
    enclosed: bool,
    /// Whether it is the first thing on its line.
    opens_line: bool,
    /// Whether a colon stands before it.
    announced: bool,
    end: usize,
}

/// An enumeration that is open while a paragraph is read.
struct Open {
    form: Form,
    /// The number of its newest item, from 1.
    number: usize,
    /// The segment that leads into it.
    lead: Option<usize>,
}

/// The segments of a paragraph, in order.
pub(crate) fn segments(text: &str) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut marks = marks(text).into_iter().peekable();
    let first = marks.peek().map_or(text.len(), |mark| mark.at);
    add_sentences(text, 0..first, &mut found);
    while let Some(mark) = marks.next() {
        let end = marks.peek().map_or(text.len(), |next| next.at);
        match place(&mark, &open) {
            Some((depth, form, number)) => {
                let nested = depth == open.len();
                open.truncate(depth + 1);
                if nested {
                    open.push(Open { form, number, lead: lead_of(text, &found, !open.is_empty()) });
                } else if let Some(list) = open.last_mut() {
                    list.number = number;
                }
                let lead = open.last().and_then(|list| list.lead);
                add_item(text, &mark, end, lead, &mut found);
            }
            None => add_sentences(text, mark.at..end, &mut found),
        }
    }
    for index in (0..found.len()).rev() {
        let last = found[index].last;
        if let Some(lead) = found[index].lead {
            found[lead].last = found[lead].last.max(last);
        }
    }
    found
}

/// The sentences of a stretch. A mark that turned out to be none may have cut one in two.
fn add_sentences(text: &str, range: Range<usize>, found: &mut Vec<Segment>) {
    let mut all = sentences(&text[range.clone()]).into_iter();
    let cut = found.last_mut().filter(|one| !ends_whole(text, one, range.start));
    if let Some((before, rest)) = cut.and_then(|before| Some((before, all.next()?))) {
        before.range.end = range.start + rest.end;
    }
    for sentence in all {
        let range = range.start + sentence.start..range.start + sentence.end;
        found.push(Segment { range, lead: None, last: found.len(), item: false });
    }
}

/// Whether a new sentence or item can begin at a place after a segment.
fn ends_whole(text: &str, before: &Segment, at: usize) -> bool {
    text[before.range.end..at].contains('\n')
        || text[..at].trim_end().ends_with(|c: char| matches!(c, '.' | '!' | '?') || is_full_stop(c))
}

/// An item: its first sentence with its mark, then whatever follows before the next mark.
fn add_item(text: &str, mark: &Mark<'_>, end: usize, lead: Option<usize>, found: &mut Vec<Segment>) {
    let body = mark.end..end;
    let mut all = sentences(&text[body.clone()]).into_iter();
    let Some(first) = all.next() else { return };
    let range = mark.at..unjoined(text, mark.at, body.start + first.end);
    found.push(Segment { range, lead, last: found.len(), item: true });
    for sentence in all {
        let range = body.start + sentence.start..body.start + sentence.end;
        found.push(Segment { range, lead: None, last: found.len(), item: false });
    }
}

/// Where an item ends without `; and`, `; or` or a mark that joins it to the next.
fn unjoined(text: &str, start: usize, end: usize) -> usize {
    let mut item = text[start..end].trim_end();
    for word in [" and/or", " and", " or"] {
        let rest = item.strip_suffix(word).filter(|rest| rest.trim_end().ends_with([';', ',']));
        item = rest.unwrap_or(item);
    }
    start + item.trim_end_matches([';', ',', ' ']).len()
}

/// What leads into an enumeration that begins after these segments: a text that ends with a colon, or the item that it
/// stands below.
fn lead_of(text: &str, found: &[Segment], nested: bool) -> Option<usize> {
    let last = found.len().checked_sub(1)?;
    let announces = text[found[last].range.clone()].ends_with([':', '—', '–']);
    (announces || (nested && found[last].item)).then_some(last)
}

/// Where a mark belongs: the depth of its enumeration, its form, its number. Nothing where it is no item.
fn place(mark: &Mark<'_>, open: &[Open]) -> Option<(usize, Form, usize)> {
    let readings = readings(mark);
    let begun = readings.iter().rev().find(|(form, number)| *number == 1 && form.0 != Count::Signs);
    if let Some((form, number)) = begun.filter(|_| mark.announced) {
        return Some((open.len(), *form, *number));
    }
    for (depth, list) in open.iter().enumerate().rev() {
        let next = readings.iter().find(|(form, number)| {
            *form == list.form && (form.0 == Count::Signs || *number == list.number + 1)
        });
        if let Some((form, number)) = next {
            return Some((depth, *form, *number));
        }
    }
    if let Some((form, number)) = readings.iter().rev().find(|(_, number)| *number == 1 && mark.opens_line) {
        return Some((open.len(), *form, *number));
    }
    // Numbers that were left out of a list of lines.
    let known = |form: Form| open.iter().rposition(|list| list.form == form);
    readings
        .iter()
        .filter(|_| mark.opens_line)
        .find_map(|(form, number)| known(*form).map(|depth| (depth, *form, *number)))
}

/// What a mark can mean: `i` is a letter or a numeral.
fn readings(mark: &Mark<'_>) -> Vec<(Form, usize)> {
    let label = mark.label;
    let mut all = Vec::new();
    if label.is_empty() {
        return vec![((Count::Signs, false), 1)];
    }
    if let Ok(number) = label.parse::<usize>() {
        return vec![((Count::Numbers, mark.enclosed), number)];
    }
    if let [letter] = label.as_bytes() {
        all.push(((Count::Letters, mark.enclosed), usize::from(letter.to_ascii_lowercase() - b'a') + 1));
    }
    const NUMERALS: [&str; 15] =
        ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"];
    let lower = label.to_ascii_lowercase();
    if let Some(at) = NUMERALS.iter().position(|one| *one == lower) {
        all.push(((Count::Numerals, mark.enclosed), at + 1));
    }
    all
}

/// Everything that has the form of a mark, in order.
fn marks(text: &str) -> Vec<Mark<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim_start();
        let start = at + line.len() - body.len();
        at += line.len();
        let mut from = start;
        if let Some((label, enclosed, length)) = mark_at(&text[start..], true) {
            let announced = text[..start].trim_end().ends_with(':');
            let end = start + length;
            found.push(Mark { at: start, label, enclosed, opens_line: true, announced, end });
            from = end;
        }
        for (offset, _) in text[from..at].match_indices(" (") {
            let place = from + offset + 1;
            let before = joined_before(&text[start..place]);
            let ends = before.ends_with([':', ';', '.', '—']);
            if let Some((label, enclosed, length)) = mark_at(&text[place..at], false).filter(|_| ends) {
                let announced = before.ends_with([':', '—']);
                let end = place + length;
                found.push(Mark { at: place, label, enclosed, opens_line: false, announced, end });
            }
        }
    }
    found
}

/// A text without white space and `and` or `or` at its end.
fn joined_before(text: &str) -> &str {
    let text = text.trim_end();
    let bare = [" and/or", " and", " or"].into_iter().find_map(|word| text.strip_suffix(word));
    bare.unwrap_or(text).trim_end()
}

/// The mark at the beginning of a text: its label, whether it is enclosed, its length with the space after it. Only at the
/// beginning of a line may it stand without parentheses.
fn mark_at(text: &str, opens_line: bool) -> Option<(&str, bool, usize)> {
    let ends = |length: usize| text[length..].starts_with([' ', '\t']).then_some(length + 1);
    if let Some(rest) = text.strip_prefix('(') {
        let close = rest.find(')').filter(|close| (1..=4).contains(close))?;
        let label = &rest[..close];
        return Some((is_label(label).then_some(label)?, true, ends(close + 2)?));
    }
    if !opens_line {
        return None;
    }
    if let Some(sign) = text.chars().next().filter(|c| matches!(c, '*' | '-' | '–' | '•')) {
        return Some(("", false, ends(sign.len_utf8())?));
    }
    let stop = text.find(['.', ')']).filter(|stop| (1..=4).contains(stop))?;
    let label = &text[..stop];
    Some((is_label(label).then_some(label)?, false, ends(stop + 1)?))
}

/// A number, one letter, or a Roman numeral.
fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    !bytes.is_empty()
        && ((bytes.len() <= 2 && bytes.iter().all(u8::is_ascii_digit))
            || (bytes.len() == 1 && bytes[0].is_ascii_lowercase())
            || bytes.iter().all(|byte| b"ivx".contains(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// Each segment's text, with its lead-in's number.
    fn read(text: &str) -> Vec<(&str, Option<usize>)> {
        segments(text).into_iter().map(|one| (&text[one.range], one.lead)).collect()
    }

    #[test]
    fn items_on_one_line_have_their_lead_in() {
        assert_eq!(
            read(
                "A lamp is clean. Owners shall: (a) dust the lamp referred to in points (b) and (c); and (b) dim it. It then lasts."
            ),
            [
                ("A lamp is clean.", None),
                ("Owners shall:", None),
                ("(a) dust the lamp referred to in points (b) and (c)", Some(1)),
                ("(b) dim it.", Some(1)),
                ("It then lasts.", None),
            ]
        );
    }

    #[test]
    fn items_on_lines_nest() {
        let text =
            "Before use:\na. Specify:\n1. Owners; and\n2. Lamps;\nb. Dim the lamp; or\nc. See (b) above.";
        assert_eq!(
            read(text),
            [
                ("Before use:", None),
                ("a. Specify:", Some(0)),
                ("1. Owners", Some(1)),
                ("2. Lamps", Some(1)),
                ("b. Dim the lamp", Some(0)),
                ("c. See (b) above.", Some(0)),
            ]
        );
        let last: Vec<usize> = segments(text).into_iter().map(|one| one.last).collect();
        assert_eq!(last, [5, 3, 2, 3, 4, 5]);
    }

    #[test]
    fn a_letter_i_after_h_is_a_letter_and_else_a_numeral() {
        let leads = |text: &str| read(text).into_iter().map(|one| one.1).collect::<Vec<_>>();
        let text = "Of: (a) clean: (i) dusted; (ii) wiped; (b) dim.";
        assert_eq!(leads(text), [None, Some(0), Some(1), Some(1), Some(0)]);
        let text = "Of: (a) a; (b) b; (c) c; (d) d; (e) e; (f) f; (g) g; (h) h: (i) one; (ii) two.";
        assert_eq!(leads(text).last(), Some(&Some(8)));
        let text = "Of: (a) a; (b) b; (c) c; (d) d; (e) e; (f) f; (g) g; (h) h; (i) i.";
        assert_eq!(leads(text).last(), Some(&Some(0)));
    }

    #[test]
    fn numbers_in_running_text_are_no_items() {
        let text = "Article 6 (1) applies. In 2 (two) cases it does not; see (b) there.";
        assert_eq!(
            read(text),
            [("Article 6 (1) applies.", None), ("In 2 (two) cases it does not; see (b) there.", None)]
        );
    }
}
