//! Escaping. After it a text holds no `<`, `>` or bare `&`, so nothing in it can be read as a tag.

/// Escapes text between tags; control characters other than line breaks and tabs are removed.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Escapes an attribute's value: as [`escape`], and quotes, line breaks and tabs as references.
pub fn escape_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

const REFERENCES: [(&str, char); 10] = [
    ("&amp;", '&'),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&#39;", '\''),
    ("&#10;", '\n'),
    ("&#9;", '\t'),
    ("&#91;", '['),
    ("&#40;", '('),
    ("&#12304;", '\u{3010}'),
];

/// Undoes [`escape`] and [`escape_attribute`]. A reference that they never write stays as it is.
pub fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (written, c) =
            REFERENCES.into_iter().find(|(written, _)| rest.starts_with(written)).unwrap_or(("&", '&'));
        out.push(c);
        rest = &rest[written.len()..];
    }
    out.push_str(rest);
    out
}
