//! Mending what models get wrong inside JSON strings.

/// The text with lone surrogate escapes replaced by U+FFFD and bare control characters in strings escaped; nothing when
/// there is nothing to mend.
pub(super) fn repair(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    let mut string = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                string = !string;
                at += 1;
            }
            b'\\' if string => match surrogate(bytes, at) {
                Some(high) if high < 0xdc00 && surrogate(bytes, at + 6).is_some_and(|low| low >= 0xdc00) => {
                    at += 12
                }
                Some(_) => {
                    out.push_str(&text[copied..at]);
                    out.push_str("\\ufffd");
                    at += 6;
                    copied = at;
                }
                None => at += 2,
            },
            control @ 0..=0x1f if string => {
                out.push_str(&text[copied..at]);
                out.push_str(&format!("\\u{control:04x}"));
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// The code unit of a `\uD800` to `\uDFFF` escape at a position.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    let unit =
        digits.iter().try_fold(0u32, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}
