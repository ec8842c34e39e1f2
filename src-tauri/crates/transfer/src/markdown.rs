//! A session as Markdown.

use std::fmt::Write as _;

use serde_json::Value;

use crate::transcript::{Role, ToolUse, Transcript};

/// The most bytes of a tool's result that are written; the rest is only counted.
pub(crate) const MAX_OUTPUT_BYTES: usize = 20_000;

/// Writes a session. What models and tools said is cleaned of HTML; results stand in fenced blocks.
pub fn to_markdown(transcript: &Transcript) -> String {
    let header = &transcript.header;
    let mut out = format!("# {}\n", plain(&header.title));
    let mut facts = Vec::new();
    if header.created_at > 0 {
        facts.push(day(header.created_at));
    }
    for (name, value) in [("model", &header.model), ("agent", &header.agent), ("status", &header.status)] {
        if !value.is_empty() {
            facts.push(format!("{name}: {}", plain(value)));
        }
    }
    if !header.labels.is_empty() {
        facts.push(format!("labels: {}", plain(&header.labels.join(", "))));
    }
    if !facts.is_empty() {
        let _ = write!(out, "\n{}\n", facts.join(" · "));
    }
    for message in &transcript.messages {
        if let Some(tool) = &message.tool {
            out.push_str(&tool_block(tool));
            continue;
        }
        let _ = write!(out, "\n## {}\n", message.role.title());
        for attachment in &message.attachments {
            let _ = write!(out, "\n*Attached: {} ({} bytes)*\n", plain(&attachment.name), attachment.bytes);
        }
        let text = match message.role {
            Role::User
            | Role::Error
            | Role::Status
            | Role::Info
            | Role::Warning
            | Role::System
            | Role::Auth => quoted(&message.text),
            Role::Assistant | Role::Plan | Role::Tool => lowered(&answers::sanitise(&message.text)),
        };
        if !text.trim().is_empty() {
            let _ = write!(out, "\n{}\n", text.trim_end());
        }
    }
    out
}

fn tool_block(tool: &ToolUse) -> String {
    let title = if tool.title.is_empty() { &tool.name } else { &tool.title };
    let intent = if tool.intent.is_empty() { String::new() } else { format!(": {}", plain(&tool.intent)) };
    let mut out = format!("\n**{}**{intent} ({})\n", plain(title), tool.status.as_str());
    if !matches!(&tool.input, Value::Null) && tool.input != Value::Object(serde_json::Map::new()) {
        let input = serde_json::to_string_pretty(&tool.input).unwrap_or_default();
        out.push_str(&fenced(&input, "json"));
    }
    if !tool.output.trim().is_empty() {
        out.push_str(&fenced(&cut(&tool.output), ""));
    }
    out
}

/// A result without what is too much of it.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= MAX_OUTPUT_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_OUTPUT_BYTES);
    format!("{}\n… {} more bytes", &text[..end], text.len() - end)
}

/// A block whose fence is longer than any within.
fn fenced(text: &str, language: &str) -> String {
    let (mut longest, mut row) = (2usize, 0usize);
    for c in text.chars() {
        row = if c == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    let fence = "`".repeat(longest + 1);
    format!("\n{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Words of a person as they typed them: every line is a quote, and nothing in it is HTML.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let _ = writeln!(out, "> {}", line.replace('<', "&lt;"));
    }
    out
}

/// Headings of an answer stand below those of the session.
fn lowered(text: &str) -> String {
    let (mut out, mut fence) = (String::with_capacity(text.len() + 16), None);
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if fence.is_none()
            && line.len() - trimmed.len() < 4
            && (1..=4).contains(&level)
            && trimmed[level..].starts_with(' ')
        {
            out.push_str("##");
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// One line without what Markdown or HTML would take for more.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&') {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
}

/// A day, UTC.
pub(crate) fn day(ms: i64) -> String {
    let days = ms.div_euclid(86_400_000) + 719_468;
    // Counted in years that begin in March, so that the leap day is the last.
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let number = if month < 10 { month + 3 } else { month - 9 };
    let date = of_year - (153 * month + 2) / 5 + 1;
    format!("{:04}-{number:02}-{date:02}", year + era * 400 + i64::from(number <= 2))
}
