//! Bytes as text. The charset of a text is decided in one order of evidence: a byte order mark; the zeros of UTF-16; what
//! came with the bytes; what they say of themselves; ISO-2022-JP; UTF-8, also with a few bytes that are none; a guess by the
//! frequency of letters. What is declared loses to valid UTF-8 with more than ASCII in it, which is no accident.
//!
//! Architecture invariant: no IO, no clock, no randomness; a guess is told as one.

mod declared;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, ISO_8859_2, ISO_8859_4, KOI8_R, KOI8_U, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258,
};

/// The letters of KOI8-U that are no letters in KOI8-R.
const UKRAINIAN: [u8; 8] = [0xa4, 0xa6, 0xa7, 0xad, 0xb4, 0xb6, 0xb7, 0xbd];
/// How much of a text is looked at for a guess, in bytes.
const GUESS_BYTES: usize = 64 << 10;
/// How much of a text tells UTF-16 by its zeros, in bytes.
const WIDE_BYTES: usize = 4_096;
/// The escape of ISO-2022-KR.
const KOREAN: &[u8] = b"\x1b$)C";
/// So many bytes beyond ASCII tell one charset of Latin letters from another; of fewer the most common one is taken.
const TELLING_BYTES: usize = 4;
const LATIN: [&Encoding; 6] =
    [WINDOWS_1250, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258, ISO_8859_2, ISO_8859_4];
/// Of so many characters beyond ASCII one may be broken in a text that is in its declared charset all the same.
const WHOLE_FOR_BROKEN: usize = 20;

/// A charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-32, little-endian.
    Utf32Le,
    /// UTF-32, big-endian.
    Utf32Be,
    /// Another: UTF-8, UTF-16, and those of single and double bytes.
    Encoding(&'static Encoding),
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Self = Self::Encoding(UTF_8);

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
            Self::Encoding(encoding) => encoding.name(),
        }
    }
}

/// By what a charset was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// A byte order mark.
    Mark,
    /// It was declared.
    Declaration,
    /// The bytes fit it and hardly anything else.
    Form,
    /// The frequency of letters.
    Guess,
}

/// Which charset a text is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identified {
    /// The charset.
    pub charset: Charset,
    /// How many bytes its byte order mark has.
    pub mark: usize,
    /// By what it was decided.
    pub evidence: Evidence,
    /// What the text or its sender says of its charset, where that is not so; as words for a note.
    pub conflict: Option<String>,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// Without a byte order mark; a replacement character for what is none in the charset.
    pub text: Cow<'a, str>,
    /// Which charset, and why.
    pub identified: Identified,
    /// What a person should know of it.
    pub doubt: Option<String>,
}

/// Decodes a text. `transport`: the charset or media type that came with it.
pub fn decode<'a>(bytes: &'a [u8], transport: Option<&str>) -> Decoded<'a> {
    let identified = identify(bytes, transport);
    let (text, broken) = text_in(&bytes[identified.mark..], identified.charset);
    let mut doubts: Vec<String> = identified.conflict.iter().cloned().collect();
    let name = identified.charset.name();
    if identified.evidence == Evidence::Guess {
        let line = line_of(bytes, bytes.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b));
        doubts.push(format!(
            "charset guessed: {name} (not UTF-8 from line {line} on); convert it to UTF-8 to be sure"
        ));
    }
    if broken {
        let count = text.matches('\u{fffd}').count();
        let plural = if count == 1 { " is" } else { "s are" };
        let line = text.find('\u{fffd}').map_or(1, |at| line_of(text.as_bytes(), Some(at)));
        doubts.push(format!(
            "{count} character{plural} not {name}, the first in line {line}: read as \u{fffd}"
        ));
    }
    Decoded { text, identified, doubt: (!doubts.is_empty()).then(|| doubts.join("; ")) }
}

fn line_of(bytes: &[u8], at: Option<usize>) -> usize {
    bytes[..at.unwrap_or(0)].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Bytes without a mark in a charset, and whether some are none in it.
pub fn text_in(bytes: &[u8], charset: Charset) -> (Cow<'_, str>, bool) {
    let wide = |unit: fn([u8; 4]) -> u32| {
        let (units, rest) = bytes.as_chunks::<4>();
        let signs = units.iter().map(|one| char::from_u32(unit(*one)));
        let broken = !rest.is_empty() || signs.clone().any(|one| one.is_none());
        let text: String = signs.map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        (Cow::Owned(if rest.is_empty() { text } else { text + "\u{fffd}" }), broken)
    };
    match charset {
        Charset::Utf32Le => wide(u32::from_le_bytes),
        Charset::Utf32Be => wide(u32::from_be_bytes),
        Charset::Encoding(encoding) => encoding.decode_without_bom_handling(bytes),
    }
}

/// The charset of a text. `transport`: the charset or media type that came with it.
pub fn identify(bytes: &[u8], transport: Option<&str>) -> Identified {
    let found = |charset, mark, evidence| Identified { charset, mark, evidence, conflict: None };
    let by_mark = |encoding, mark| found(Charset::Encoding(encoding), mark, Evidence::Mark);
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => return by_mark(UTF_8, 3),
        [0xff, 0xfe, 0, 0, ..] => return found(Charset::Utf32Le, 4, Evidence::Mark),
        [0, 0, 0xfe, 0xff, ..] => return found(Charset::Utf32Be, 4, Evidence::Mark),
        [0xff, 0xfe, ..] => return by_mark(UTF_16LE, 2),
        [0xfe, 0xff, ..] => return by_mark(UTF_16BE, 2),
        _ => {}
    }
    if let Some(encoding) = wide(bytes) {
        return found(Charset::Encoding(encoding), 0, Evidence::Form);
    }
    let form = form(bytes);
    let declared = declared::declarations(bytes, transport);
    let mut conflict = None;
    if form != Form::Ascii {
        for one in &declared {
            let label = &one.label;
            let Some(encoding) = one.encoding else {
                conflict.get_or_insert_with(|| format!("declared {label}, which can't be read"));
                continue;
            };
            let fits = match form {
                Form::Utf8 => encoding == UTF_8,
                _ => fits(bytes, encoding),
            };
            if fits {
                return Identified {
                    conflict,
                    ..found(Charset::Encoding(encoding), 0, Evidence::Declaration)
                };
            }
            conflict.get_or_insert_with(|| format!("declared {label}, but it is not"));
        }
    }
    if form == Form::Ascii && bytes.windows(KOREAN.len()).any(|part| part == KOREAN) {
        conflict.get_or_insert_with(|| "it looks like ISO-2022-KR, which can't be read".to_owned());
    }
    let other = match form {
        Form::Ascii | Form::Utf8 | Form::NearlyUtf8 => found(Charset::UTF_8, 0, Evidence::Form),
        Form::Escaped | Form::Other => found(Charset::Encoding(guess(bytes)), 0, Evidence::Guess),
    };
    let conflict = conflict.map(|conflict| format!("{conflict}: read as {}", other.charset.name()));
    Identified { conflict, ..other }
}

/// What bytes look like, without regard to what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Ascii,
    /// ASCII with escapes to other charsets: ISO-2022-JP.
    Escaped,
    /// UTF-8 with more than ASCII.
    Utf8,
    /// UTF-8 with a few bytes that are none.
    NearlyUtf8,
    Other,
}

fn form(bytes: &[u8]) -> Form {
    if bytes.is_ascii() {
        let escaped = bytes.windows(2).any(|pair| matches!(pair, [0x1b, b'$' | b'(']));
        return if escaped && guess(bytes) == ISO_2022_JP { Form::Escaped } else { Form::Ascii };
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => Form::Utf8,
        Err(_) => {
            let (mut whole, mut broken) = (0_usize, 0_usize);
            for part in bytes.utf8_chunks() {
                whole += part.valid().chars().filter(|c| !c.is_ascii()).count();
                broken += part.invalid().len();
            }
            if whole > broken { Form::NearlyUtf8 } else { Form::Other }
        }
    }
}

/// Whether bytes are a text in a charset, but for few.
fn fits(bytes: &[u8], encoding: &'static Encoding) -> bool {
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    if !broken {
        return true;
    }
    let (mut whole, mut wrong) = (0_usize, 0_usize);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if c == char::REPLACEMENT_CHARACTER { wrong += 1 } else { whole += 1 }
    }
    whole >= wrong * WHOLE_FOR_BROKEN
}

/// UTF-16 without a mark: every other byte of what is ASCII in it is zero.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(WIDE_BYTES) & !1];
    let zeros = |parity: usize| head.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    let many = |zeros: usize| half >= 4 && zeros * 10 >= half * 3;
    let few = |zeros: usize| zeros * 20 < half;
    match (even, odd) {
        (even, odd) if many(odd) && few(even) => Some(UTF_16LE),
        (even, odd) if many(even) && few(odd) => Some(UTF_16BE),
        _ => None,
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    // What is plain ASCII tells nothing but the word before the first other byte.
    let first = bytes.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b).unwrap_or(0);
    let rest = &bytes[first.saturating_sub(64)..];
    let head = &rest[..rest.len().min(GUESS_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(head, head.len() == rest.len());
    let guessed = detector.guess(None, Utf8Detection::Deny);
    let few = head.iter().filter(|byte| !byte.is_ascii()).count() < TELLING_BYTES;
    match guessed {
        guessed if guessed.is_single_byte() && has_kana(head) => SHIFT_JIS,
        _ if few && LATIN.contains(&guessed) => WINDOWS_1252,
        // The two differ in eight letters of Ukrainian alone.
        _ if guessed == KOI8_U && !head.iter().any(|byte| UKRAINIAN.contains(byte)) => KOI8_R,
        guessed => guessed,
    }
}

/// Whether bytes are Japanese in Shift_JIS: no Latin text has the first byte of a kana again and again.
fn has_kana(bytes: &[u8]) -> bool {
    let is_kana = |pair: &&[u8]| matches!(pair, [0x82, 0x9f..=0xf1] | [0x83, 0x40..=0x96]);
    bytes.windows(2).filter(is_kana).count() >= 2
        && SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, GBK, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
    use pretty_assertions::assert_eq;

    use super::*;

    const RUSSIAN: &str = "Срок оплаты составляет тридцать дней.";
    const JAPANESE: &str = "監査人は、取引先の確認状を入手しなければならない。";

    fn bytes_in(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        let (bytes, _, lost) = encoding.encode(text);
        assert!(!lost, "{text}");
        bytes.into_owned()
    }

    #[test]
    fn a_declared_charset_is_taken_without_a_word() {
        for (text, encoding, label) in [
            (JAPANESE, SHIFT_JIS, "Shift_JIS"),
            ("付款期限为三十天。", GBK, "gb2312"),
            ("付款期限為三十天。", BIG5, "big5"),
            ("지급 기한은 삼십 일이다.", EUC_KR, "euc-kr"),
            (RUSSIAN, WINDOWS_1251, "cp1251"),
            (RUSSIAN, KOI8_R, "koi8-r"),
            ("Größe", WINDOWS_1252, "latin1"),
        ] {
            let bytes = bytes_in(text, encoding);
            let pages = [
                ([format!("<p><meta charset={label}>").as_bytes(), &bytes].concat(), None),
                ([format!("<?xml encoding=\"{label}\"?>").as_bytes(), &bytes].concat(), None),
                (bytes.clone(), Some(label)),
            ];
            for (page, transport) in pages {
                let decoded = decode(&page, transport);
                assert!(decoded.text.ends_with(text), "{label}: {}", decoded.text);
                assert_eq!(decoded.doubt, None, "{label}");
            }
        }
    }

    #[test]
    fn a_declaration_that_is_not_so_is_told() {
        for label in ["windows-1251", "latin1", "shift_jis"] {
            let decoded = decode(RUSSIAN.as_bytes(), Some(label));
            assert_eq!(decoded.text, RUSSIAN);
            assert_eq!(decoded.doubt, Some(format!("declared {label}, but it is not: read as UTF-8")));
        }
        let page = [b"<meta charset=utf-8>".as_slice(), &bytes_in(RUSSIAN, WINDOWS_1251)].concat();
        let decoded = decode(&page, None);
        assert!(decoded.text.ends_with(RUSSIAN), "{}", decoded.text);
        let doubt = decoded.doubt.unwrap();
        assert!(
            doubt.contains("declared utf-8, but it is not") && doubt.contains("guessed: windows-1251"),
            "{doubt}"
        );
        let unknown = decode("Größe".as_bytes(), Some("iso-2022-kr")).doubt.unwrap();
        assert_eq!(unknown, "declared iso-2022-kr, which can't be read: read as UTF-8");
        assert_eq!(decode(b"plain", Some("utf-16")).doubt, None);
        // The second declaration is right.
        let page = [b"<meta charset=koi8-r>".as_slice(), &bytes_in(RUSSIAN, KOI8_R)].concat();
        assert!(decode(&page, Some("utf-8")).text.ends_with(RUSSIAN));
    }

    #[test]
    fn a_guess_is_told_as_one() {
        for (text, encoding) in [
            (RUSSIAN, WINDOWS_1251),
            (JAPANESE, SHIFT_JIS),
            ("plain\n\ncafé", WINDOWS_1252),
            ("naïve", WINDOWS_1252),
        ] {
            let bytes = bytes_in(text, encoding);
            let decoded = decode(&bytes, None);
            assert_eq!(decoded.text, text);
            let doubt = decoded.doubt.unwrap();
            assert!(doubt.contains(&format!("charset guessed: {}", encoding.name())), "{doubt}");
        }
        let decoded = decode(&bytes_in(JAPANESE, ISO_2022_JP), None).text.into_owned();
        assert_eq!(decoded, JAPANESE);
        let korean = decode(b"\x1b$)C\x0e0!\x0f", None).doubt.unwrap();
        assert_eq!(korean, "it looks like ISO-2022-KR, which can't be read: read as UTF-8");
        // Colours of a terminal are no charset.
        assert_eq!(decode(b"\x1b(B plain \x1b[0m", None).doubt, None);
    }

    #[test]
    fn wide_text_is_known_by_its_mark_or_its_zeros() {
        let wide =
            |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<_>>();
        for mark in ["\u{feff}", ""] {
            let text = format!("{mark}Name;Größe\n名前;1\n");
            assert_eq!(decode(&wide(&text, u16::to_le_bytes), None).text, "Name;Größe\n名前;1\n");
            assert_eq!(decode(&wide(&text, u16::to_be_bytes), None).text, "Name;Größe\n名前;1\n");
        }
        let long: Vec<u8> = "\u{feff}a😀".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        assert_eq!(decode(&long, None).text, "a😀");
        let long: Vec<u8> = "\u{feff}a😀".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        assert_eq!(decode(&long, None).text, "a😀");
        assert_eq!(
            decode(&[&long[..], &[0]].concat(), None).doubt.unwrap(),
            "1 character is not UTF-32BE, the first in line 1: read as \u{fffd}"
        );
        assert!(decode(b"binary\0\0\0\x01", None).text.contains('\0'));
    }

    #[test]
    fn a_few_wrong_bytes_do_not_turn_a_text_into_another() {
        let decoded = decode(b"# \xc3\x9cbersicht\nGr\xc3\xb6\xc3\x9fe: 5\nstray: \xff\n", None);
        assert_eq!(decoded.text, "# Übersicht\nGröße: 5\nstray: \u{fffd}\n");
        assert_eq!(decoded.doubt.unwrap(), "1 character is not UTF-8, the first in line 3: read as \u{fffd}");
        let mut japanese = bytes_in(JAPANESE, SHIFT_JIS);
        japanese.push(0xff);
        let decoded = decode(&japanese, Some("shift_jis"));
        assert_eq!(decoded.text, format!("{JAPANESE}\u{fffd}"));
        assert!(decoded.doubt.unwrap().contains("not Shift_JIS"));
    }
}
