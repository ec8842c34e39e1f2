//! A session as lines of JSON: a header, then a line for each message.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::Limits;
use crate::lines::{Line, Lines};
use crate::report::Report;
use crate::transcript::{Header, Message, Transcript};

/// What the first line says that the file is.
pub const TRANSCRIPT_FORMAT: &str = "agentnative-session";
/// The version of the form that this program writes.
pub const TRANSCRIPT_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct FirstLine {
    format: String,
    version: u32,
    #[serde(flatten)]
    header: Header,
}

/// Why a file can't be read as a session.
#[derive(Debug, thiserror::Error)]
pub enum JsonlError {
    /// Its first line does not say that it is one.
    #[error("the file does not begin with the header of a session ({0})")]
    NotOne(String),
    /// It was written by a newer program.
    #[error("the file has version {found}; this program reads up to version {TRANSCRIPT_VERSION}")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// The system refused.
    #[error("the file can't be read: {0}")]
    Io(#[from] io::Error),
}

/// A line of a file that holds JSON objects.
#[derive(Debug)]
pub enum LineOf {
    /// An object with the number of its line, from 1.
    Object(u64, Map<String, Value>),
    /// The end of the file.
    End,
}

/// Writes a session.
///
/// # Errors
/// Those of writing.
pub fn write_jsonl(transcript: &Transcript, out: &mut impl Write) -> io::Result<()> {
    let first = FirstLine {
        format: TRANSCRIPT_FORMAT.to_owned(),
        version: TRANSCRIPT_VERSION,
        header: transcript.header.clone(),
    };
    serde_json::to_writer(&mut *out, &first)?;
    out.write_all(b"\n")?;
    for message in &transcript.messages {
        serde_json::to_writer(&mut *out, message)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads a session; lines that can't be read are left out and stand in the report under `place`.
///
/// # Errors
/// When it is none, is newer, or can't be read.
pub fn read_jsonl(
    reader: impl BufRead,
    limits: &Limits,
    place: &str,
    report: &mut Report,
) -> Result<Transcript, JsonlError> {
    let mut lines = Lines::new(reader, limits.line_bytes);
    let first = match next_object(&mut lines, place, &mut Report::default())? {
        LineOf::Object(_, first) => first,
        LineOf::End => return Err(JsonlError::NotOne("it is empty".to_owned())),
    };
    if first.get("format").and_then(Value::as_str) != Some(TRANSCRIPT_FORMAT) {
        return Err(JsonlError::NotOne("it names no format that is known".to_owned()));
    }
    let version = first.get("version").and_then(Value::as_u64).unwrap_or_default();
    if version > u64::from(TRANSCRIPT_VERSION) {
        return Err(JsonlError::Newer { found: version });
    }
    let first: FirstLine = serde_json::from_value(Value::Object(first))
        .map_err(|error| JsonlError::NotOne(error.to_string()))?;
    let mut messages = Vec::new();
    while let LineOf::Object(number, object) = next_object(&mut lines, place, report)? {
        let at = || format!("{place}:{number}");
        if let Some(why) = too_much(messages.len(), &lines, limits) {
            report.leave_out("message", "", why, &at());
            break;
        }
        match serde_json::from_value::<Message>(Value::Object(object)) {
            Ok(message) => messages.push(message),
            Err(error) => report.leave_out("message", "", format!("it is not understood: {error}"), &at()),
        }
    }
    Ok(Transcript { header: first.header, messages })
}

/// Why no more of a session is read.
pub(crate) fn too_much<R: BufRead>(messages: usize, lines: &Lines<R>, limits: &Limits) -> Option<String> {
    if messages >= limits.messages {
        return Some(format!("a session has at most {} messages; what follows is left out", limits.messages));
    }
    (lines.kept() > limits.session_bytes).then(|| {
        format!("of a session at most {} bytes are read; what follows is left out", limits.session_bytes)
    })
}

/// The next line that is a JSON object. Others stand in the report.
pub(crate) fn next_object<R: BufRead>(
    lines: &mut Lines<R>,
    place: &str,
    report: &mut Report,
) -> io::Result<LineOf> {
    while let Some(line) = lines.next_line()? {
        let number = lines.number();
        // Most lines are sound: their place is never told.
        let at = || format!("{place}:{number}");
        match line {
            Line::TooLong(bytes) => {
                report.leave_out(
                    "message",
                    "",
                    format!("its line has {bytes} bytes, more than is read"),
                    &at(),
                );
            }
            Line::Text { text, repaired } => {
                let text = text.trim().trim_matches('\0');
                if text.is_empty() {
                    continue;
                }
                match serde_json::from_str::<Value>(text) {
                    Ok(Value::Object(object)) => {
                        if repaired {
                            report.change(
                                "message",
                                "",
                                "its line was not UTF-8 and was read as what it seems to be",
                                &at(),
                            );
                        }
                        return Ok(LineOf::Object(number, object));
                    }
                    Ok(_) => report.leave_out("message", "", "the line is no JSON object", &at()),
                    Err(error) => {
                        report.leave_out("message", "", format!("the line is not JSON: {error}"), &at())
                    }
                }
            }
        }
    }
    Ok(LineOf::End)
}
