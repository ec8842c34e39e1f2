//! The blocks of a tool's result, in order and none of them lost: text, resources, links, pictures, sounds, and whatever
//! a later version of the protocol has.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use domain::{MediaFault, MediaKind};
use serde_json::Value;

use crate::text::strip_invisible;

/// The largest file of a result, in bytes.
const MAX_FILE_BYTES: usize = 10 << 20;
/// The most characters of a media type and of a name.
const MAX_LABEL_CHARS: usize = 100;
/// The most characters of a block that nobody here knows.
const MAX_UNKNOWN_CHARS: usize = 20_000;

/// A part of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentPart {
    /// Text, also of resources and links.
    Text(String),
    /// A file: a picture, a sound, a document.
    File {
        /// The name, cleaned; by the part's position where the server gives none.
        name: String,
        /// The type: that of the bytes where they tell, since servers label pictures wrongly; else the server's, cleaned.
        media_type: String,
        /// The bytes.
        data: Vec<u8>,
    },
    /// A file that can't be kept, in words: what it is and why.
    Unkept(String),
}

/// Reads the blocks of a result.
pub fn content_parts(blocks: &[Value]) -> Vec<ContentPart> {
    blocks.iter().enumerate().flat_map(|(index, block)| parts_of(block, index)).collect()
}

/// Parts as one text, with a line for each file.
pub fn content_text(parts: &[ContentPart]) -> String {
    let lines = parts.iter().map(|part| match part {
        ContentPart::Text(text) => text.trim_end().to_owned(),
        ContentPart::File { name, media_type, data } => file_line(name, media_type, data),
        ContentPart::Unkept(words) => words.clone(),
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A file in words: what it is, and why a model is not shown it. What a drawing says stands in its text.
fn file_line(name: &str, media_type: &str, data: &[u8]) -> String {
    let (why, source) = match MediaKind::parse(data) {
        Ok(_) => (String::new(), String::new()),
        Err(fault @ MediaFault::Drawing) => {
            (format!("; it {fault}"), format!("\n{}", String::from_utf8_lossy(data)))
        }
        Err(fault) => (format!("; it {fault}"), String::new()),
    };
    format!("({name}: {media_type}, {} bytes{why}){source}", data.len())
}

fn parts_of(block: &Value, index: usize) -> Vec<ContentPart> {
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    match block.get("type").and_then(Value::as_str) {
        Some("text") => match text(block, "text") {
            Some(text) => vec![ContentPart::Text(text)],
            None => vec![unknown(block)],
        },
        Some("image" | "audio") => match text(block, "data") {
            Some(data) => vec![file(&data, text(block, "mimeType"), "", index)],
            None => vec![unknown(block)],
        },
        Some("resource_link") => vec![ContentPart::Text(link(block))],
        Some("resource") => match block.get("resource") {
            Some(resource) if resource.is_object() => {
                let uri = text(resource, "uri").unwrap_or_default();
                let mut parts = Vec::new();
                if !uri.is_empty() {
                    parts.push(ContentPart::Text(uri.clone()));
                }
                parts.extend(text(resource, "text").map(ContentPart::Text));
                if let Some(blob) = text(resource, "blob") {
                    let name = uri.rsplit('/').next().unwrap_or_default();
                    parts.push(file(&blob, text(resource, "mimeType"), name, index));
                }
                if parts.is_empty() { vec![unknown(block)] } else { parts }
            }
            Some(_) | None => vec![unknown(block)],
        },
        Some(_) | None => match block {
            // Some servers give plain texts where blocks belong.
            Value::String(text) => vec![ContentPart::Text(text.clone())],
            Value::Null => Vec::new(),
            other => vec![unknown(other)],
        },
    }
}

/// A link with everything that tells what it leads to.
fn link(block: &Value) -> String {
    let field =
        |name: &str| block.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let name = field("title").or_else(|| field("name"));
    let mut line = match (name, field("uri")) {
        (Some(name), Some(uri)) => format!("{name}: {uri}"),
        (None, Some(only)) | (Some(only), None) => only.to_owned(),
        (None, None) => return block.to_string(),
    };
    let size = block.get("size").and_then(Value::as_u64).map(|size| format!("{size} bytes"));
    let more: Vec<String> = field("mimeType").map(str::to_owned).into_iter().chain(size).collect();
    if !more.is_empty() {
        line.push_str(&format!(" ({})", more.join(", ")));
    }
    if let Some(words) = field("description") {
        line.push_str(&format!(" - {words}"));
    }
    line
}

/// A block of a kind that is not known, as it came.
fn unknown(block: &Value) -> ContentPart {
    ContentPart::Text(block.to_string().chars().take(MAX_UNKNOWN_CHARS).collect())
}

fn file(data: &str, media_type: Option<String>, name: &str, index: usize) -> ContentPart {
    // Some servers put a whole data address where its data belongs.
    let (media_type, data) = match data.strip_prefix("data:").and_then(|data| data.split_once(";base64,")) {
        Some((kind, data)) => (media_type.or_else(|| Some(kind.to_owned())), data),
        None => (media_type, data),
    };
    let clean = |text: &str| strip_invisible(text).trim().chars().take(MAX_LABEL_CHARS).collect::<String>();
    let media_type = media_type.map(|kind| clean(&kind)).filter(|kind| !kind.is_empty());
    let media_type = media_type.unwrap_or_else(|| "application/octet-stream".to_owned());
    if data.len() / 4 * 3 > MAX_FILE_BYTES {
        let most = MAX_FILE_BYTES >> 20;
        return ContentPart::Unkept(format!("({media_type}, larger than {most} MiB: left out)"));
    }
    let Some(data) = decoded(data) else {
        return ContentPart::Unkept(format!("({media_type} that is not well encoded: left out)"));
    };
    // Text in a binary place is text.
    let kind = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_text = kind.starts_with("text/")
        || ["json", "xml", "yaml", "toml", "javascript", "x-sh", "sql", "octet-stream"]
            .iter()
            .any(|part| kind.ends_with(part));
    if is_text
        && kind != "image/svg+xml"
        && let Ok(text) = std::str::from_utf8(&data)
        && !text.is_empty()
        && !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}'))
    {
        return ContentPart::Text(text.to_owned());
    }
    let media_type = MediaKind::detect(&data).map_or(media_type, |kind| kind.as_str().to_owned());
    let name = clean(name);
    let name = match name.is_empty() {
        true => {
            let ending = media_type.rsplit('/').next().unwrap_or("bin");
            let ending = ending.split(['+', ';']).next().unwrap_or_default();
            let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
            format!("result-{}.{ending}", index + 1)
        }
        false => name,
    };
    ContentPart::File { name, media_type, data }
}

/// Base64 as servers write it: with or without padding, of either alphabet, broken into lines.
fn decoded(data: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let plain: String = data.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let alphabet = if plain.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    GeneralPurpose::new(&alphabet, config).decode(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn shown(blocks: Value) -> String {
        content_text(&content_parts(blocks.as_array().unwrap()))
    }

    #[test]
    fn every_block_is_told_in_order() {
        let blocks = json!([
            { "type": "text", "text": "a" },
            { "type": "resource", "resource": { "uri": "x://r/README.md", "text": "b" } },
            { "type": "resource_link", "uri": "x://c", "name": "c", "mimeType": "text/plain", "size": 3, "description": "d" },
            { "type": "resource", "resource": { "uri": "x://e.txt", "mimeType": "text/plain", "blob": "ZQ==" } },
            { "type": "audio", "mimeType": "audio/wav", "data": "AAAA" },
            { "type": "hologram", "depth": 3 },
            "plain",
        ]);
        // Whether its members keep their order is a matter of how the whole program is built.
        let unknown = blocks[5].to_string();
        let lines = [
            "a",
            "x://r/README.md",
            "b",
            "c: x://c (text/plain, 3 bytes) - d",
            "x://e.txt",
            "e",
            "(result-5.wav: audio/wav, 3 bytes; it is of a kind that models do not read)",
            &unknown,
            "plain",
        ];
        assert_eq!(shown(blocks), lines.join("\n"));
    }

    #[test]
    fn base64_is_read_as_servers_write_it() {
        for data in
            ["iVBORw0KGgo=", "iVBORw0KGgo", "iVBO\nRw0K\r\nGgo=", "data:image/png;base64,iVBORw0KGgo="]
        {
            let block = json!({ "type": "image", "mimeType": "image/png", "data": data });
            let parts = content_parts(&[block]);
            assert!(
                matches!(&parts[..], [ContentPart::File { data, .. }] if data.starts_with(b"\x89PNG")),
                "{data}"
            );
        }
        let broken = json!([{ "type": "image", "mimeType": "image/png", "data": "?" }]);
        assert_eq!(shown(broken), "(image/png that is not well encoded: left out)");
    }
}
