//! Texts of web pages as plain text.

/// The text without tags, entities, control and invisible characters, on one line, at most `most` characters.
pub(super) fn plain(text: &str, most: usize) -> String {
    // Tags first: an entity may spell a bracket that is meant as one.
    let text = entities(&without_tags(text));
    let mut out = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        let word: String = word.chars().filter(|c| !is_hidden(*c)).collect();
        let length = word.chars().count();
        if length == 0 {
            continue;
        }
        if count + length + 1 > most {
            if out.is_empty() {
                out.extend(word.chars().take(most));
            }
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
        count += length + 1;
    }
    out
}

/// A `<` that opens a tag goes with everything up to its `>`; one that stands between words stays.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match rest.find('>').filter(|_| tag) {
            Some(close) => rest = &rest[close + 1..],
            // A tag that is never closed takes the rest with it.
            None if tag => return out,
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Character references once: what they spell is not read again.
fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let spelled = rest.bytes().take(12).position(|byte| byte == b';').and_then(|end| {
            let name = &rest[1..end];
            let c = match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                "nbsp" => ' ',
                _ => {
                    let number = name.strip_prefix('#')?;
                    let code = match number.strip_prefix(['x', 'X']) {
                        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                        None => number.parse().ok()?,
                    };
                    char::from_u32(code)?
                }
            };
            Some((c, end + 1))
        });
        match spelled {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Characters that hide or reorder others.
fn is_hidden(c: char) -> bool {
    matches!(u32::from(c), 0xAD | 0x34F | 0x61C | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF0..=0xFFFB | 0xE000..=0xF8FF | 0xE0000..=0x10FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn tags_and_entities_become_plain_text() {
        assert_eq!(plain("What is <strong>ISA 320</strong>&#39;s  aim?", 100), "What is ISA 320's aim?");
        assert_eq!(plain("a < b &amp;&lt; c &#x2014; d &unknown; &", 100), "a < b &< c — d &unknown; &");
        assert_eq!(plain("<script>x</script>y<img src=x", 100), "xy");
        assert_eq!(plain("a\u{0}b\u{202e}c\nd", 100), "a bc d");
    }

    #[test]
    fn an_entity_can_not_spell_an_entity_or_a_tag() {
        assert_eq!(plain("&amp;lt;b&gt;", 100), "&lt;b>");
    }

    #[test]
    fn long_texts_are_cut_at_a_word() {
        assert_eq!(plain("one two three", 8), "one two");
        assert_eq!(plain(&"x".repeat(50), 8), "xxxxxxxx");
        assert_eq!(plain(&"&".repeat(100_000), 4), "&&&&");
    }
}
