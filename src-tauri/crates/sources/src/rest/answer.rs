//! What an interface answered.

use serde_json::Value;

/// A successful answer.
#[derive(Debug, Clone, PartialEq)]
pub struct RestAnswer {
    /// From 200 to 299, or 304.
    pub status: u16,
    /// Its media type without parameters, in lower case; empty: it named none.
    pub media_type: String,
    /// Its content.
    pub body: RestBody,
    /// Bytes on the wire.
    pub bytes: usize,
    /// Milliseconds.
    pub ms: u64,
    /// Where the next page is, when it says so (RFC 8288), as a path below the address with its parameters.
    pub next: Option<String>,
}

/// The content of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum RestBody {
    /// None.
    Empty,
    /// JSON.
    Json(Value),
    /// Text.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

impl RestBody {
    /// Reads the content by its media type and, where that says nothing, by itself.
    pub(super) fn read(media_type: &str, bytes: Vec<u8>, clean: impl Fn(String) -> String) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        let json = media_type == "application/json" || media_type.ends_with("+json");
        let binary = ["image/", "audio/", "video/", "font/"].iter().any(|kind| media_type.starts_with(kind))
            || matches!(media_type, "application/pdf" | "application/zip" | "application/octet-stream");
        let text = match String::from_utf8(bytes) {
            Ok(text) if !binary || json => clean(text),
            Ok(text) => return Self::Bytes(text.into_bytes()),
            Err(error) if !binary && media_type.starts_with("text/") => {
                clean(String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
            Err(error) => return Self::Bytes(error.into_bytes()),
        };
        if json || (media_type.is_empty() && text.trim_start().starts_with(['{', '['])) {
            return serde_json::from_str(&text).map_or_else(|_| Self::Text(text), Self::Json);
        }
        Self::Text(text)
    }
}
