//! JSON text of programs that cut or write text carelessly: halves of surrogate pairs, and bytes that are no UTF-8.

use std::borrow::Cow;

/// The first halves of a pair.
pub const HIGH_HALVES: std::ops::RangeInclusive<u16> = 0xD800..=0xDBFF;
/// The second halves.
pub const LOW_HALVES: std::ops::RangeInclusive<u16> = 0xDC00..=0xDFFF;

/// JSON without escapes of half a character: they become U+FFFD.
pub fn without_halves(json: &str) -> Cow<'_, str> {
    replace_halves(json, |_| char::REPLACEMENT_CHARACTER)
}

/// The text of a JSON message. Bytes that are no UTF-8 and halves of pairs become U+FFFD, so that one of them costs one
/// character and not the message.
pub fn readable_json(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) => match without_halves(text) {
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        },
        Err(_) => Cow::Owned(without_halves(&String::from_utf8_lossy(bytes)).into_owned().into_bytes()),
    }
}

/// Puts another character where a half stands alone. Pairs stay as they are.
pub fn replace_halves(json: &str, with: impl Fn(u16) -> char) -> Cow<'_, str> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    let bytes = json.as_bytes();
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        let here = at + found;
        let Some(unit) = unit(bytes, here) else {
            at = here + 2;
            continue;
        };
        at = here + 6;
        if HIGH_HALVES.contains(&unit) && self::unit(bytes, at).is_some_and(|next| LOW_HALVES.contains(&next))
        {
            at += 6;
        } else if HIGH_HALVES.contains(&unit) || LOW_HALVES.contains(&unit) {
            out.push_str(&json[kept..here]);
            out.push(with(unit));
            kept = at;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[kept..]);
    Cow::Owned(out)
}

/// The unit of an escape that begins at a position.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn only_halves_that_stand_alone_are_replaced() {
        for stays in [
            r#"{"a":"\ud83d\udc4b"}"#,
            r#"{"a":"\\ud83d"}"#,
            r#"{"a":"\u00e9 \uD7FF \uE000"}"#,
            r#"{"a":"\ud8"#,
            r#"\ud8é!"#,
            "\\",
        ] {
            assert!(matches!(without_halves(stays), Cow::Borrowed(same) if same == stays), "{stays}");
        }
        for (cut, mended) in [
            (r#"{"a":"x\ud83d"}"#, "{\"a\":\"x\u{FFFD}\"}"),
            (r#"{"a":"\uDC4By"}"#, "{\"a\":\"\u{FFFD}y\"}"),
            (r#"\\\ud83d\ud83d\udc4b"#, "\\\\\u{FFFD}\\ud83d\\udc4b"),
            (r#"\udc4b\ud83d"#, "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(without_halves(cut), mended, "{cut}");
        }
    }

    #[test]
    fn a_byte_that_is_no_text_costs_one_character() {
        let read = readable_json(b"{\"a\":\"x\xff y\\ud83d\"}");
        assert_eq!(read, "{\"a\":\"x\u{FFFD} y\u{FFFD}\"}".as_bytes());
        assert!(matches!(readable_json(b"{}"), Cow::Borrowed(b"{}")));
    }
}
