//! A session's folder: `session.jsonl` and the files beside it.

use std::collections::{BTreeSet, HashSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::BoundedReader;
use super::research::ResearchDocument;
use super::text::{FOLDERS, placed};
use crate::jsonl::{JsonlError, LineOf, next_object, too_much};
use crate::limits::{Limits, ReadError, open_plain};
use crate::lines::Lines;
use crate::names::plain_name;
use crate::report::Report;
use crate::transcript::{Attachment, Header, Message, Role, ToolStatus, ToolUse, Transcript};

/// What stands in texts for the session's folder.
pub const SESSION_PATH: &str = "{{SESSION_PATH}}";
/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 200;

/// A session that was read.
#[derive(Debug)]
pub struct Read {
    /// What was said.
    pub transcript: Transcript,
    /// Files to copy: from where, and the name below the session's folder.
    pub files: Vec<Folder>,
    /// Documents that research in it made.
    pub research: Vec<ResearchDocument>,
    /// What can't be taken over.
    pub report: Report,
}

/// A file of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub from: PathBuf,
    /// Where it goes, below the session's folder.
    pub to: String,
}

/// Whether the first line of a `.jsonl` file is the header of such a session.
pub fn is_session(first: &str) -> bool {
    let Ok(Value::Object(first)) = serde_json::from_str(first) else { return false };
    first.contains_key("id") && !first.contains_key("format") && !first.contains_key("role")
}

/// When something happened last in a session, as far as its header says; 0 where it does not.
pub fn last_activity(folder: &Path, limits: &Limits) -> i64 {
    let Ok((file, _)) = open_plain(&folder.join("session.jsonl")) else { return 0 };
    let mut lines = Lines::new(BufReader::new(file), limits.line_bytes);
    match next_object(&mut lines, "", &mut Report::default()) {
        Ok(LineOf::Object(_, first)) => {
            let header = header_of(&first, "");
            header.updated_at.max(header.created_at)
        }
        Ok(LineOf::End) | Err(_) => 0,
    }
}

/// Reads a session; `here` is what its folder will be called in texts.
///
/// # Errors
/// When there is no header, or the file can't be read.
pub fn read_session(folder: &Path, here: &str, limits: &Limits) -> Result<Read, JsonlError> {
    let path = folder.join("session.jsonl");
    let place = path.display().to_string();
    let mut report = Report::default();
    let (file, _) = open_plain(&path).map_err(|error| match error {
        ReadError::Io { error, .. } => JsonlError::Io(error),
        other => JsonlError::NotOne(other.to_string()),
    })?;
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file), limits.line_bytes);
    let first = match next_object(&mut lines, &place, &mut report)? {
        LineOf::Object(_, first) => first,
        LineOf::End => return Err(JsonlError::NotOne("it is empty".to_owned())),
    };
    // A header that was lost leaves messages, and these are what counts.
    let headless = first.contains_key("type") && first.contains_key("content");
    let mut header = if headless { Header::default() } else { header_of(&first, here) };
    if headless {
        report.change("session", "", "its header is missing; its title is made of its first message", &place);
    }
    if header.id.is_empty() {
        header.id = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    }
    let mut reading = Reading { here, place: &place, seen: HashSet::new(), plans: BTreeSet::new(), report };
    let mut messages = Vec::new();
    if headless {
        messages.extend(reading.message(1, &first));
    } else if let Some(summary) = first.get("transferredSessionSummary").and_then(Value::as_str) {
        let at = header.created_at;
        messages.push(Message::new(Role::Info, "summary", at, placed(summary, here)));
    }
    while let LineOf::Object(number, object) = next_object(&mut lines, &place, &mut reading.report)? {
        if let Some(why) = too_much(messages.len(), &lines, limits) {
            reading.report.leave_out("message", "", why, &format!("{place}:{number}"));
            break;
        }
        messages.extend(reading.message(number, &object));
    }
    let Reading { mut report, plans, .. } = reading;
    if header.title.trim().is_empty() {
        let first = messages.iter().find(|message| message.role == Role::User);
        header.title = title_of(first.map_or("", |message| message.text.as_str()));
    }
    let times = || messages.iter().map(|message| message.at).filter(|at| *at > 0);
    if header.created_at <= 0 {
        header.created_at = times().min().unwrap_or_default();
    }
    header.updated_at = header.updated_at.max(times().max().unwrap_or_default()).max(header.created_at);
    let mut look = BoundedReader::new(limits);
    let mut files = Vec::new();
    for (there, to) in FOLDERS.iter().filter(|(_, to)| !to.is_empty()) {
        for (from, name) in look.walk(&folder.join(there)) {
            files.push(Folder { from, to: format!("{to}/{name}") });
        }
    }
    let asked =
        messages.iter().find(|message| message.role == Role::User).map_or("", |message| &message.text);
    let research = look.research(folder, &plans, asked, header.updated_at);
    report.take(look.report);
    Ok(Read { transcript: Transcript { header, messages }, files, research, report })
}

fn header_of(first: &Map<String, Value>, here: &str) -> Header {
    let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let flag = |name: &str| first.get(name).and_then(Value::as_bool).unwrap_or_default();
    let list = |name: &str| -> Vec<String> {
        let items = first.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).take(200).collect()
    };
    let mut title = text("name");
    if title.trim().is_empty() {
        title = text("preview");
    }
    let folder = placed(&text("workingDirectory"), here);
    let mode = match text("permissionMode").as_str() {
        mode @ ("safe" | "ask" | "allow-all") => mode.to_owned(),
        _ => String::new(),
    };
    Header {
        id: text("id"),
        title: title_of(&title),
        created_at: first.get("createdAt").map(time).unwrap_or_default(),
        updated_at: first
            .get("lastMessageAt")
            .or_else(|| first.get("lastUsedAt"))
            .map(time)
            .unwrap_or_default(),
        status: text("sessionStatus"),
        labels: list("labels"),
        flagged: flag("isFlagged"),
        unread: flag("hasUnread"),
        archived: flag("isArchived"),
        mode,
        connection: text("llmConnection"),
        model: text("model"),
        agent: String::new(),
        folders: if folder.starts_with('/') { vec![folder] } else { Vec::new() },
        sources: list("enabledSourceSlugs"),
    }
}

/// A time in milliseconds, whether it is written as that or as seconds; 0 where it is none.
fn time(value: &Value) -> i64 {
    let number = match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    // Beyond the year 5000 nothing was said.
    number.filter(|at| (0..95_617_584_000_000).contains(at)).unwrap_or_default()
}

fn title_of(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect()
}

/// Messages as they are read.
struct Reading<'a> {
    here: &'a str,
    place: &'a str,
    seen: HashSet<String>,
    /// Names of files that were plans to agree to.
    plans: BTreeSet<String>,
    report: Report,
}

impl Reading<'_> {
    fn message(&mut self, number: u64, object: &Map<String, Value>) -> Option<Message> {
        let place = self.place;
        let at = || format!("{place}:{number}");
        let text = |name: &str| object.get(name).map(|value| self.text(value)).unwrap_or_default();
        let word = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let role = match word {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            "error" => Role::Error,
            "status" => Role::Status,
            "system" => Role::System,
            "info" => Role::Info,
            "warning" => Role::Warning,
            "plan" => Role::Plan,
            "auth-request" => Role::Auth,
            other => {
                let why = format!("messages of type {other:?} are not known");
                self.report.leave_out("message", "", why, &at());
                return None;
            }
        };
        let mut message = Message::new(
            role,
            text("id"),
            object.get("timestamp").map(time).unwrap_or_default(),
            text("content"),
        );
        message.turn = text("turnId");
        message.intermediate = object.get("isIntermediate").and_then(Value::as_bool).unwrap_or_default();
        if role == Role::Tool {
            message.tool = Some(self.tool(object));
        }
        if role == Role::Error && message.text.is_empty() {
            message.text = [text("errorTitle"), text("errorDetails"), text("errorOriginal")]
                .into_iter()
                .find(|text| !text.is_empty())
                .unwrap_or_default();
        }
        let plan = object.get("planPath").and_then(Value::as_str);
        self.plans.extend(plan.and_then(|path| path.rsplit(['/', '\\']).next()).map(str::to_owned));
        message.attachments = object
            .get("attachments")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(attachment)
            .take(100)
            .collect();
        if message.id.is_empty() {
            message.id = format!("line-{number}");
        }
        if !self.seen.insert(message.id.clone()) {
            let why = "another message before it has the same id; this one got a new id";
            self.report.change("message", &message.id, why, &at());
            message.id = format!("{}-line-{number}", message.id);
            self.seen.insert(message.id.clone());
        }
        Some(message)
    }

    fn tool(&self, object: &Map<String, Value>) -> ToolUse {
        let text = |name: &str| object.get(name).map(|value| self.text(value)).unwrap_or_default();
        let status = match object.get("toolStatus").and_then(Value::as_str).unwrap_or("completed") {
            "pending" => ToolStatus::Pending,
            "executing" => ToolStatus::Executing,
            "error" => ToolStatus::Error,
            "backgrounded" => ToolStatus::Backgrounded,
            _ => ToolStatus::Completed,
        };
        let mut output = text("toolResult");
        if output.is_empty() {
            output = text("content");
        }
        let shown =
            object.get("toolDisplayMeta").and_then(|meta| meta.get("displayName")).and_then(Value::as_str);
        ToolUse {
            id: text("toolUseId"),
            name: text("toolName"),
            title: match shown {
                Some(shown) => shown.to_owned(),
                None => text("toolDisplayName"),
            },
            intent: text("toolIntent"),
            input: match object.get("toolInput") {
                Some(input @ Value::Object(_)) => self.value(input),
                _ => Value::Object(Map::new()),
            },
            output,
            status,
            ms: object.get("toolDuration").and_then(Value::as_f64).map_or(0, |ms| ms.max(0.0) as u64),
            parent: object.get("parentToolUseId").and_then(Value::as_str).map(str::to_owned),
            media: Vec::new(),
        }
    }

    /// A text as it is here; what is no text is written as JSON.
    fn text(&self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::String(text) => placed(text, self.here),
            other => placed(&other.to_string(), self.here),
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(placed(text, self.here)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(name, value)| (name.clone(), self.value(value))).collect())
            }
            other => other.clone(),
        }
    }
}

fn attachment(value: &Value) -> Option<Attachment> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let stored = text("storedPath");
    let name = [text("name"), text("fileName"), stored].into_iter().find(|name| !name.is_empty())?;
    // Only what lies in the session's own folder is taken over.
    let own = stored.contains("/attachments/") || stored.starts_with("attachments/");
    Some(Attachment {
        name: plain_name(name),
        file: if own { stored.rsplit('/').next().unwrap_or_default().to_owned() } else { String::new() },
        media_type: [text("mimeType"), text("type")]
            .into_iter()
            .find(|kind| kind.contains('/'))
            .unwrap_or("")
            .to_owned(),
        bytes: value.get("size").and_then(Value::as_u64).unwrap_or_default(),
    })
}
