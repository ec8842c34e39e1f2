//! Finding balanced JSON in the middle of other text.

/// How deep a candidate may nest: what the parser accepts.
const MAX_DEPTH: usize = 127;
/// Bytes that may be looked at for each byte of text; beyond that the text is taken to hold no JSON.
const EFFORT: usize = 6;

/// Yields spans that are balanced and have JSON's syntax, from the left, without overlap.
///
/// From each bracket an automaton runs until the value is complete or a byte can't continue it; most wrong starts end
/// after a few bytes, and the total effort is bounded by a multiple of the text's length.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    effort: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, effort: text.len().saturating_mul(EFFORT).saturating_add(4_096) }
    }
}

impl<'a> Iterator for Scanner<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        while let Some(offset) = bytes.get(self.at..)?.iter().position(|byte| matches!(byte, b'{' | b'[')) {
            let start = self.at + offset;
            let (seen, complete) = balanced(&bytes[start..], self.effort);
            self.effort = self.effort.checked_sub(seen)?;
            if complete {
                self.at = start + seen;
                return Some(&self.text[start..start + seen]);
            }
            self.at = start + 1;
        }
        None
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// A value.
    Value,
    /// A value or `]`.
    FirstItem,
    /// A key or `}`.
    FirstKey,
    /// A key.
    Key,
    /// `:`.
    Colon,
    /// `,` or the closing bracket.
    More,
}

/// Reads one bracketed value; the bytes that were looked at, and whether it is complete.
fn balanced(bytes: &[u8], limit: usize) -> (usize, bool) {
    let mut stack: Vec<u8> = Vec::new();
    let mut expect = Expect::Value;
    let mut at = 0;
    let end = bytes.len().min(limit);
    while at < end {
        let byte = bytes[at];
        match (byte, expect) {
            (b' ' | b'\t' | b'\n' | b'\r', _) => at += 1,
            (b'{' | b'[', Expect::Value | Expect::FirstItem) => {
                if stack.len() == MAX_DEPTH {
                    return (at + 1, false);
                }
                stack.push(byte);
                expect = if byte == b'{' { Expect::FirstKey } else { Expect::FirstItem };
                at += 1;
            }
            (b'}', Expect::FirstKey | Expect::More) | (b']', Expect::FirstItem | Expect::More) => {
                let open = if byte == b'}' { b'{' } else { b'[' };
                if stack.pop() != Some(open) {
                    return (at + 1, false);
                }
                at += 1;
                if stack.is_empty() {
                    return (at, true);
                }
                expect = Expect::More;
            }
            (b',', Expect::More) => {
                expect = if stack.last() == Some(&b'{') { Expect::Key } else { Expect::Value };
                at += 1;
            }
            (b':', Expect::Colon) => {
                expect = Expect::Value;
                at += 1;
            }
            (b'"', Expect::FirstKey | Expect::Key | Expect::Value | Expect::FirstItem) => {
                at += 1;
                while at < end && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if at >= end {
                    return (end, false);
                }
                at += 1;
                expect = if matches!(expect, Expect::FirstKey | Expect::Key) {
                    Expect::Colon
                } else {
                    Expect::More
                };
            }
            (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', Expect::Value | Expect::FirstItem) => {
                let start = at;
                while at < end
                    && matches!(bytes[at], b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E')
                    && at - start < 400
                {
                    at += 1;
                }
                let word = &bytes[start..at];
                let literal = matches!(word, b"true" | b"false" | b"null");
                if !literal && word.iter().any(|byte| byte.is_ascii_lowercase() && *byte != b'e') {
                    return (at, false);
                }
                expect = Expect::More;
            }
            _ => return (at + 1, false),
        }
    }
    (end, false)
}
