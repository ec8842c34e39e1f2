//! The elements of a JSON list, found one by one without reading the list as a whole.

use std::io::{self, BufRead};

/// Where an element stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) bytes: u64,
    /// Whether the text ended within it.
    pub(super) cut: bool,
}

/// Finds the objects of a list; what stands around them is passed over. An object alone is its only element.
///
/// # Errors
/// Those of reading.
pub(super) fn spans(mut reader: impl BufRead, most: usize) -> io::Result<Vec<Span>> {
    let mut all = Vec::new();
    let (mut at, mut depth, mut start) = (0u64, 0u32, 0u64);
    // Within a text, and after a backslash in it.
    let (mut text, mut escaped) = (false, false);
    loop {
        let piece = match reader.fill_buf() {
            Ok([]) => break,
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for byte in piece {
            at += 1;
            if text {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' => escaped = true,
                    b'"' => text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => text = depth > 0,
                b'{' => {
                    if depth == 0 {
                        start = at - 1;
                    }
                    depth = depth.saturating_add(1);
                }
                b'}' if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        all.push(Span { start, bytes: at - start, cut: false });
                        if all.len() >= most {
                            return Ok(all);
                        }
                    }
                }
                _ => {}
            }
        }
        let taken = piece.len();
        reader.consume(taken);
    }
    if depth > 0 {
        all.push(Span { start, bytes: at - start, cut: true });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn found(text: &str) -> Vec<&str> {
        // A small buffer, so that elements are split over several pieces.
        let all = spans(io::BufReader::with_capacity(3, text.as_bytes()), 100).unwrap();
        all.iter().map(|span| &text[span.start as usize..(span.start + span.bytes) as usize]).collect()
    }

    #[test]
    fn elements_are_found_whatever_stands_in_their_texts() {
        assert_eq!(
            found(r#" [ {"a": "}\"{"} , {"b": [{"c": 1}]},3]"#),
            [r#"{"a": "}\"{"}"#, r#"{"b": [{"c": 1}]}"#]
        );
        assert_eq!(found(r#"{"a": 1}"#), [r#"{"a": 1}"#]);
        assert_eq!(found(""), Vec::<&str>::new());
    }

    #[test]
    fn what_a_file_ends_within_is_told_from_what_is_whole() {
        let all = spans(r#"[{"a": 1}, {"b": "x"#.as_bytes(), 100).unwrap();
        assert_eq!(all.iter().map(|span| span.cut).collect::<Vec<_>>(), [false, true]);
    }
}
