//! What an answer holds, as a model reads it.

use std::sync::atomic::AtomicBool;

use charset::Decoded;
use documents::{Format, Limits};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use url::Url;
use web_library::markdown::document_markdown;

use crate::files::read::media_type;
use crate::files::stopped;
use crate::safe_path::quoted;
use crate::text::{capped, charset_of, count, size};
use crate::{Kind, Media, Outcome, ToolError};

/// The largest page that is read as HTML, in bytes.
const MAX_PAGE_BYTES: usize = 8 << 20;
/// The most text that is given, in bytes.
const MAX_TEXT_BYTES: usize = 512 * 1_024;

/// Reads an answer: by what its bytes say where they say it, else by what its header says.
pub(super) fn read(
    url: &Url,
    declared: &str,
    bytes: Vec<u8>,
    raw: bool,
    cancel: &CancellationToken,
) -> Result<Outcome, ToolError> {
    let kind = declared.split(';').next().unwrap_or_default().trim().to_owned();
    if bytes.is_empty() {
        return Ok(Outcome::text(format!("{url} answers with nothing."), "empty"));
    }
    if let Some((media_type, most)) = media_type(&bytes) {
        if bytes.len() as u64 > most {
            let (is, most) = (size(bytes.len() as u64), size(most));
            return Err(ToolError::new(Kind::TooLarge, format!("{url} has {is}; {most} are the most"))
                .with_guidance("Look for a smaller edition or a part of it."));
        }
        let name = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
        let summary = format!("{media_type}, {}", size(bytes.len() as u64));
        let text = format!("{url} ({summary}) is shown below.");
        let name = if name.is_empty() { "page" } else { name }.to_owned();
        let media = vec![Media { media_type: media_type.to_owned(), name, data: bytes }];
        return Ok(Outcome { media, ..Outcome::text(text, summary) });
    }
    // A text in a wide encoding has a mark; anything else with a NUL is none.
    if charset_of(&bytes).is_none() {
        let kind = if kind.is_empty() { "of an unknown kind" } else { &kind };
        return Err(ToolError::new(
            Kind::Refused,
            format!("{url} is not text: it is {}, {}", quoted(kind), size(bytes.len() as u64)),
        )
        .with_guidance("Look for the document as a page, as text or as a PDF."));
    }
    let Decoded { text, doubt, .. } = charset::decode(&bytes, Some(declared));
    let json = kind == "application/json" || kind.ends_with("+json");
    let page =
        matches!(kind.as_str(), "text/html" | "application/xhtml+xml") || (!json && looks_like_page(&text));
    let whole = |text: &str| {
        let mut outcome = whole(url, text);
        if let Some(doubt) = &doubt {
            outcome.text.push_str(&format!("\n\n({doubt}.)"));
        }
        outcome
    };
    if raw || !(json || page) {
        return Ok(whole(&text));
    }
    if json {
        return Ok(match serde_json::from_str::<Value>(&text) {
            Ok(value) => whole(&serde_json::to_string_pretty(&value).unwrap_or(text.into_owned())),
            Err(_) => whole(&text),
        });
    }
    if text.len() > MAX_PAGE_BYTES {
        return Err(ToolError::new(
            Kind::TooLarge,
            format!("{url} is a page of {}", size(text.len() as u64)),
        )
        .with_guidance("Fetch it with raw to read its source in parts."));
    }
    // Said to be UTF-8 by a mark: the page's own declaration is of the bytes as they were sent.
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let flag = AtomicBool::new(cancel.is_cancelled());
    let limits = Limits { blocks: 50_000, text_bytes: MAX_PAGE_BYTES, ..Limits::default() };
    let document =
        documents::read_bytes(&marked, Format::Html, &limits, &flag).map_err(|error| match error {
            documents::ReadError::Cancelled => stopped(),
            other => ToolError::new(Kind::Failed, format!("{url}: {other}"))
                .with_guidance("Fetch it with raw to read its source, or use another source."),
        })?;
    if document.blocks.is_empty() {
        return Ok(Outcome::text(
            format!("{url} has no text; it may be made by a script in the browser."),
            "no text",
        ));
    }
    let text = document_markdown(url, &document);
    let mut outcome = whole(&text);
    if let Some(title) = &document.title {
        outcome.text = format!("Title: {title}\n{}", outcome.text);
        outcome.summary = format!("{}, {}", capped(title, 80), outcome.summary);
    }
    Ok(outcome)
}

fn looks_like_page(text: &str) -> bool {
    let head = capped(text.trim_start(), 64).to_ascii_lowercase();
    head.starts_with("<!doctype html") || head.starts_with("<html")
}

pub(super) fn whole(url: &Url, text: &str) -> Outcome {
    let kept = capped(text, MAX_TEXT_BYTES);
    let mut out = format!("Address: {url}\n\n{kept}");
    if kept.len() < text.len() {
        out.push_str(&format!("\n\n({} more were left out.)", size((text.len() - kept.len()) as u64)));
    }
    Outcome::text(out, count(kept.lines().count(), "line"))
}
