//! Finding code in template text without its parser: which parts are code, and which names follow `|` and `is`.

use std::fmt;

/// One tag's inside.
pub(super) struct Code<'a> {
    pub text: &'a str,
    pub line: usize,
    /// Whether it is `{% … %}`.
    pub block: bool,
}

/// What a name is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Filter,
    Test,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Filter => "filter",
            Self::Test => "test",
        })
    }
}

/// Whether a text has anything to evaluate.
pub(super) fn has_tags(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}

/// The expression of a text that is exactly one `{{ expression }}`.
pub(super) fn whole_expression(text: &str) -> Option<&str> {
    let text = text.trim();
    let inside = text.strip_prefix("{{")?;
    let end = end_of_code(inside, "}}")?;
    (end + 2 == inside.len()).then(|| inside[..end].trim_matches(['-', '+']).trim())
}

/// The tags of a template.
pub(super) fn code(template: &str) -> Vec<Code<'_>> {
    let mut parts = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while let Some(open) = template[at..].find('{').map(|open| at + open) {
        line += breaks(&template[at..open]);
        let rest = &template[open + 1..];
        let close = match rest.as_bytes().first() {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => {
                let end = rest.find("#}").map_or(template.len(), |end| open + 1 + end + 2);
                line += breaks(&template[open..end]);
                at = end;
                continue;
            }
            _ => {
                at = open + 1;
                continue;
            }
        };
        let inside = &rest[1..];
        let Some(end) = end_of_code(inside, close) else { break };
        let text = inside[..end].trim_matches(['-', '+']);
        let mut next = open + 2 + end + 2;
        if close == "%}" && first_word(text) == Some("raw") {
            next = template[next..].find("endraw").map_or(template.len(), |end| next + end);
        } else {
            parts.push(Code { text, line, block: close == "%}" });
        }
        line += breaks(&template[open..next]);
        at = next;
    }
    parts
}

fn breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Where `close` stands outside strings and brackets.
fn end_of_code(code: &str, close: &str) -> Option<usize> {
    let bytes = code.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at, quote),
            _ if depth == 0 && code.as_bytes()[at..].starts_with(close.as_bytes()) => return Some(at),
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The position of the quote that ends the string which starts at `at`.
fn end_of_string(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// The first word of a block: `for`, `if`, `include`, …
pub(super) fn first_word(code: &str) -> Option<&str> {
    code.split_whitespace().next()
}

/// Names after `|` (filters) and after `is` or `is not` (tests), outside strings.
pub(super) fn names(code: &str) -> Vec<(Kind, &str)> {
    let bytes = code.as_bytes();
    let mut names = Vec::new();
    let mut at = 0;
    let mut expecting = None;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at = end_of_string(bytes, at, quote) + 1;
                expecting = None;
            }
            b'|' => {
                expecting = Some(Kind::Filter);
                at += 1;
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let start = at;
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                let word = &code[start..at];
                let attribute = start > 0 && bytes[start - 1] == b'.';
                expecting = match expecting {
                    Some(Kind::Test) if word == "not" => Some(Kind::Test),
                    Some(kind) => {
                        names.push((kind, word));
                        None
                    }
                    None if word == "is" && !attribute => Some(Kind::Test),
                    None => None,
                };
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                expecting = None;
                at += 1;
            }
        }
    }
    names
}
