//! What is said of a text's charset: by who sent it, by its XML declaration, by its page.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Where in a page its charset is declared, as the HTML standard has it, in bytes.
const HEAD_BYTES: usize = 1_024;

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declared {
    /// As it is written.
    pub(crate) label: String,
    /// What it means; none for a charset that is not known or cannot be read.
    pub(crate) encoding: Option<&'static Encoding>,
}

impl Declared {
    fn new(label: &str) -> Option<Self> {
        let label = label.trim();
        let encoding = Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT);
        (!label.is_empty()).then(|| Self { label: label.to_owned(), encoding })
    }

    /// One that stands within the text: it could be read, so it is not UTF-16.
    fn within(label: &str) -> Option<Self> {
        let mut declared = Self::new(label)?;
        if [UTF_16LE, UTF_16BE].map(Some).contains(&declared.encoding) {
            declared.encoding = Some(UTF_8);
        } else if declared.label.eq_ignore_ascii_case("x-user-defined") {
            declared.encoding = Some(WINDOWS_1252);
        }
        Some(declared)
    }
}

/// All that is said, the weightiest first. `transport`: a label or a whole media type that came with the bytes.
pub(crate) fn declarations(bytes: &[u8], transport: Option<&str>) -> Vec<Declared> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).to_ascii_lowercase();
    let sent = transport.map(|text| label_in(text).unwrap_or(text)).filter(|label| !label.contains('/'));
    let mut all: Vec<Declared> = sent.and_then(Declared::new).into_iter().collect();
    all.extend(of_xml(&head).and_then(Declared::within));
    all.extend(of_page(&head).and_then(Declared::within));
    all
}

/// The label in a text such as `text/html; charset="utf-8"`.
fn label_in(text: &str) -> Option<&str> {
    let at = text.to_ascii_lowercase().find("charset")?;
    let rest = text.get(at + "charset".len()..)?.trim_start().strip_prefix('=')?.trim_start();
    Some(label(rest.trim_start_matches(['"', '\''])))
}

fn of_xml(head: &str) -> Option<&str> {
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    let rest = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    Some(label(rest.strip_prefix(['"', '\''])?))
}

/// The label of the first `<meta charset=…>` or `<meta … content="…; charset=…">`, comments passed over.
fn of_page(head: &str) -> Option<&str> {
    let mut rest = head;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->")?.1;
            continue;
        }
        let is_meta =
            rest.strip_prefix("<meta").is_some_and(|after| after.starts_with([' ', '\n', '\t', '\r', '/']));
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        if is_meta && let Some(label) = label_in(&rest[..end]) {
            return Some(label);
        }
        rest = &rest[if is_meta { end } else { 1 }..];
    }
    None
}

fn label(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.+".contains(c))).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn declarations_are_found_where_they_may_stand() {
        let labels = |bytes: &str, transport| {
            declarations(bytes.as_bytes(), transport).into_iter().map(|one| one.label).collect::<Vec<_>>()
        };
        assert_eq!(labels("", Some("text/html; Charset=\"KOI8-R\"; x=1")), ["KOI8-R"]);
        assert_eq!(labels("", Some("shift_jis")), ["shift_jis"]);
        assert_eq!(labels("", Some("text/html")), [""; 0]);
        assert_eq!(labels("<?xml version='1.0' encoding = 'Big5'?>", None), ["big5"]);
        assert_eq!(labels(" <?xml version='1.0' encoding='Big5'?>", None), [""; 0]);
        assert_eq!(labels("<!-- <meta charset=x> --><META\nCHARSET = EUC-KR>", None), ["euc-kr"]);
        let old = "<head><meta http-equiv=Content-Type content='text/html; charset=windows-1251'>";
        assert_eq!(labels(old, Some("gbk")), ["gbk", "windows-1251"]);
        assert_eq!(labels("a link with charset=utf-7 in it", None), [""; 0]);
    }

    #[test]
    fn labels_within_a_text_mean_what_can_be_meant() {
        let meant =
            |label: &str| declarations(format!("<meta charset={label}>").as_bytes(), None)[0].encoding;
        assert_eq!(meant("utf-16"), Some(UTF_8));
        assert_eq!(meant("x-user-defined"), Some(WINDOWS_1252));
        assert_eq!(meant("iso-2022-kr"), None);
        assert_eq!(meant("klingon"), None);
    }
}
