//! The addresses of what a client may read: `kb://<base>/documents/<name>?from=<id>` and
//! `kb://<base>/paragraphs/<id>`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// RFC 3986 "unreserved" stays as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The templates, as clients fill them in (RFC 6570).
pub(super) const PARAGRAPH_TEMPLATE: &str = "kb://{base}/paragraphs/{id}";
pub(super) const DOCUMENT_TEMPLATE: &str = "kb://{base}/documents/{name}{?from}";

/// Something that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Paragraph { base: String, id: String },
    Document { base: String, name: String, from: Option<String> },
}

impl Address {
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix("kb://")?;
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let mut parts = rest.split('/').map(decoded);
        let (base, kind, name) = (parts.next()??, parts.next()??, parts.next()??);
        if parts.next().is_some() || base.is_empty() || name.is_empty() {
            return None;
        }
        match (kind.as_str(), query) {
            ("paragraphs", None) => Some(Self::Paragraph { base, id: name }),
            ("documents", None) => Some(Self::Document { base, name, from: None }),
            ("documents", Some(query)) => {
                let from = Some(decoded(query.strip_prefix("from=")?)?);
                Some(Self::Document { base, name, from })
            }
            _ => None,
        }
    }

    pub(super) fn uri(&self) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, KEPT).to_string();
        match self {
            Self::Paragraph { base, id } => format!("kb://{}/paragraphs/{}", encoded(base), encoded(id)),
            Self::Document { base, name, from } => {
                let from = from.as_ref().map(|from| format!("?from={}", encoded(from))).unwrap_or_default();
                format!("kb://{}/documents/{}{from}", encoded(base), encoded(name))
            }
        }
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn every_id_survives_the_way_there_and_back() {
        for id in ["4.12", "2 CFR 200.516(a)(7)", "4.9.1 ¶2", "manual:scope/p2", "a?b#c%20&d", "§ 5"] {
            let paragraph = Address::Paragraph { base: "nist-800-53".into(), id: id.into() };
            assert_eq!(Address::parse(&paragraph.uri()), Some(paragraph));
            let document = Address::Document { base: "b".into(), name: id.into(), from: Some(id.into()) };
            assert_eq!(Address::parse(&document.uri()), Some(document));
        }
    }

    #[test]
    fn other_addresses_are_none() {
        for uri in [
            "",
            "kb://",
            "kb://b",
            "kb://b/paragraphs/",
            "kb://b/paragraphs/1/2",
            "kb://b/other/1",
            "kb://b/paragraphs/1?from=2",
            "kb://b/documents/1?to=2",
            "kb://b/paragraphs/%ff",
            "file:///etc/passwd",
        ] {
            assert_eq!(Address::parse(uri), None, "{uri}");
        }
    }
}
