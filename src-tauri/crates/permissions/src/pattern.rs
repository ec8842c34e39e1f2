//! Patterns with `*` as regular expressions: anchored, over bytes, linear in the text.

use regex::bytes::{RegexSet, RegexSetBuilder};

/// Parts a subject's words, which can't contain it.
pub(crate) const PART: char = '\0';
/// The longest pattern, in bytes.
pub(crate) const MAX_PATTERN_BYTES: usize = 500;
/// One character that is not a slash or a parting.
const CHARACTER: &str = r"(?:[^/\x00\x80-\xff]|[\xc2-\xf4][\x80-\xbf]+)";

/// Any text for `*`, but no parting.
pub(crate) fn name(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(r"[^\x00]*"),
            c => literal(c, &mut out),
        }
    }
    out
}

/// Words: `*` within one is any text, alone it is one word, and at the end any words.
pub(crate) fn words(pattern: &str) -> String {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let mut out = String::new();
    for (index, word) in words.iter().enumerate() {
        let last = index + 1 == words.len();
        match *word {
            "*" if last && index > 0 => out.push_str(r"(?:\x00[^\x00]*)*"),
            word => {
                if index > 0 {
                    out.push_str(r"\x00");
                }
                out.push_str(&name(word));
            }
        }
    }
    out
}

/// A path: `*` and `?` stay within a name, `**` does not.
pub(crate) fn path(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            out.push_str(r"(?:[^\x00]*/)?");
            rest = after;
            continue;
        }
        if rest == "/**" {
            // The folder itself is meant as well.
            out.push_str(r"(?:/[^\x00]*)?");
            break;
        }
        if let Some(after) = rest.strip_prefix("**") {
            out.push_str(r"[^\x00]*");
            rest = after;
            continue;
        }
        match c {
            '*' => out.push_str(r"[^/\x00]*"),
            '?' => out.push_str(CHARACTER),
            c => literal(c, &mut out),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// A host: `*` is any labels.
pub(crate) fn host(pattern: &str) -> String {
    name(&pattern.to_ascii_lowercase())
}

fn literal(c: char, out: &mut String) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// All of these patterns at once, each with whether capitals make no difference.
pub(crate) fn set(patterns: &[(String, bool)]) -> Result<RegexSet, regex::Error> {
    let anchored = patterns.iter().map(|(pattern, folded)| {
        let flags = if *folded { "(?is)" } else { "(?s)" };
        // Without Unicode, so that a class is one of bytes; letters beyond ASCII stand for their own bytes.
        format!(r"{flags}(?-u)\A(?:{})\z", bytes(pattern))
    });
    RegexSetBuilder::new(anchored).size_limit(64 << 20).build()
}

/// Characters beyond ASCII as escaped bytes: without Unicode a literal one is refused.
fn bytes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!(r"\x{byte:02x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(pattern: String, subject: &str) -> bool {
        set(&[(pattern, false)]).unwrap().is_match(subject.as_bytes())
    }

    #[test]
    fn words_are_anchored_at_both_ends() {
        let joined = |text: &str| text.split(' ').collect::<Vec<_>>().join("\0");
        for (pattern, subject, expected) in [
            ("git status *", "git status", true),
            ("git status *", "git status -s .", true),
            ("git status *", "git statusx", false),
            ("git status *", "xgit status", false),
            ("git status", "git status -s", false),
            ("npm run test:*", "npm run test:unit", true),
            ("npm run test:*", "npm run test:unit extra", false),
            ("git * --stat", "git log --stat", true),
            ("git * --stat", "git log -1 --stat", false),
            ("*", "ls", true),
            ("*", "ls -l", false),
        ] {
            assert_eq!(hits(words(pattern), &joined(subject)), expected, "{pattern}: {subject}");
        }
    }

    #[test]
    fn a_star_in_a_path_stays_within_a_name() {
        for (pattern, subject, expected) in [
            ("**/.env", "/home/eva/app/.env", true),
            ("**/.env", ".env", true),
            ("**/.env", "/home/eva/app/x.env", false),
            ("src/*.rs", "src/main.rs", true),
            ("src/*.rs", "src/a/main.rs", false),
            ("src/**", "src", true),
            ("src/**", "src/a/b", true),
            ("src/**", "srcs/a", false),
            ("/etc/?asswd", "/etc/passwd", true),
            ("/x/?.md", "/x/é.md", true),
            ("/x/?.md", "/x//.md", false),
            ("/ü/*", "/ü/ö", true),
            ("a.c", "abc", false),
            ("a+(b", "a+(b", true),
        ] {
            assert_eq!(hits(path(pattern), subject), expected, "{pattern}: {subject}");
        }
    }

    #[test]
    fn a_pattern_of_five_hundred_stars_is_still_quick_to_refuse() {
        let subject = "a".repeat(10_000);
        assert!(!hits(name(&format!("{}b", "a*".repeat(200))), &subject));
    }
}
