//! Texts as surfaces take them: of bounded length, and with ranges as browsers count.

use std::ops::Range;

use protocol::TextRange;

/// Ranges of bytes, in order, as ranges of UTF-16 code units.
pub fn ranges(text: &str, places: &[Range<usize>]) -> Vec<TextRange> {
    let (mut at, mut units) = (0, 0_u32);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        if place.start < at || place.end > text.len() || place.start > place.end {
            continue;
        }
        units += length(&text[at..place.start]);
        let start = units;
        units += length(&text[place.start..place.end]);
        found.push(TextRange { start, end: units });
        at = place.end;
    }
    found
}

fn length(text: &str) -> u32 {
    text.chars().map(|c| c.len_utf16() as u32).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_as_browsers_do() {
        let text = "aé😀 risk ü";
        let start = text.find("risk").unwrap();
        let ranges = ranges(text, &[start..start + 4, start + 5..text.len()]);
        assert_eq!(ranges, [TextRange { start: 5, end: 9 }, TextRange { start: 10, end: 11 }]);
    }
}
