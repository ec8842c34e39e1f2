//! A conversation as it is put together.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::Digest;
use serde_json::{Map, Value};

use super::{Conversation, FileBytes, MISSING_FILE, Unread};
use crate::names::plain_name;
use crate::report::Report;
use crate::transcript::{Attachment, Header, Message, Role, ToolStatus, ToolUse, Transcript};

/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 200;
/// The most bytes of a picture or another file.
const MAX_FILE_BYTES: usize = 20 << 20;
/// The most bytes of all files of a conversation.
const MAX_FILES_BYTES: usize = 256 << 20;
/// The most messages of a conversation.
const MAX_MESSAGES: usize = 200_000;

/// Collects the messages of a conversation.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) header: Header,
    messages: Vec<Message>,
    files: Vec<FileBytes>,
    file_bytes: usize,
    pub(super) report: Report,
    place: String,
    ids: HashSet<String>,
    /// Where calls of tools stand among the messages, by their ids.
    calls: HashMap<String, usize>,
    /// The call that was made last and has no result yet.
    open: Option<usize>,
    /// Messages for which there was no room.
    over: u64,
}

impl Builder {
    pub(super) fn new(place: String, report: Report) -> Self {
        Self {
            header: Header::default(),
            messages: Vec::new(),
            files: Vec::new(),
            file_bytes: 0,
            report,
            place,
            ids: HashSet::new(),
            calls: HashMap::new(),
            open: None,
            over: 0,
        }
    }

    fn push(&mut self, mut message: Message) -> usize {
        if !self.ids.insert(message.id.clone()) {
            message.id = format!("{}-{}", message.id, self.messages.len());
            self.ids.insert(message.id.clone());
        }
        self.messages.push(message);
        self.messages.len() - 1
    }

    fn has_room(&mut self) -> bool {
        let room = self.messages.len() < MAX_MESSAGES;
        self.over += u64::from(!room);
        room
    }

    /// Something that was written. Nothing where it is empty and no file goes with it.
    pub(super) fn text(&mut self, role: Role, id: &str, at: i64, text: &str, attachments: Vec<Attachment>) {
        if (text.trim().is_empty() && attachments.is_empty()) || !self.has_room() {
            return;
        }
        let mut message = Message::new(role, id, at, text.trim());
        message.attachments = attachments;
        self.push(message);
    }

    /// A call of a tool; its result may come later.
    pub(super) fn call(&mut self, id: &str, at: i64, call: &str, name: &str, input: Value) {
        if !self.has_room() {
            return;
        }
        let mut message = Message::new(Role::Tool, id, at, "");
        let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect();
        let input = match input {
            Value::Object(map) => Value::Object(map),
            Value::Null => Value::Object(Map::new()),
            other => Value::Object(Map::from_iter([("input".to_owned(), other)])),
        };
        message.tool = Some(ToolUse {
            id: call.to_owned(),
            name,
            input,
            status: ToolStatus::Stopped,
            ..ToolUse::default()
        });
        let place = self.push(message);
        if !call.is_empty() {
            self.calls.insert(call.to_owned(), place);
        }
        self.open = Some(place);
    }

    /// Whether a call waits for its result: that with this id, or without an id the last one.
    pub(super) fn is_open(&self, call: &str) -> bool {
        if call.is_empty() { self.open.is_some() } else { self.calls.contains_key(call) }
    }

    /// The result of a call, of the last one where the id is empty. One whose call is not there is passed over.
    pub(super) fn result(
        &mut self,
        call: &str,
        output: &str,
        status: ToolStatus,
        ms: u64,
        media: Vec<Attachment>,
    ) {
        let place = if call.is_empty() { self.open } else { self.calls.get(call).copied() };
        let Some(tool) = place.and_then(|place| self.messages[place].tool.as_mut()) else { return };
        if !tool.output.is_empty() && !output.is_empty() {
            tool.output.push('\n');
        }
        tool.output.push_str(output);
        tool.status = status;
        tool.ms = tool.ms.max(ms);
        tool.media.extend(media);
    }

    /// What follows belongs to no call any more.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// Keeps a file; `None` where it is too large, which stands in the report.
    pub(super) fn file(&mut self, name: &str, media_type: &str, bytes: Vec<u8>) -> Option<Attachment> {
        if bytes.len() > MAX_FILE_BYTES || self.file_bytes + bytes.len() > MAX_FILES_BYTES {
            let why = format!(
                "it has {} bytes; at most {MAX_FILE_BYTES} are taken, and {MAX_FILES_BYTES} of a conversation",
                bytes.len()
            );
            self.report.leave_out("file", name, why, &self.place);
            return None;
        }
        let found = media_type_of(&bytes);
        let media_type = match found {
            Some(found) => found.to_owned(),
            None if media_type.contains('/') => {
                media_type.chars().filter(|c| !c.is_control()).take(100).collect()
            }
            None => "application/octet-stream".to_owned(),
        };
        let mut plain = plain_name(if name.is_empty() { "picture" } else { name });
        if !plain.contains('.') {
            plain = format!("{plain}.{}", extension_of(&media_type));
        }
        // The same bytes have the same name, however often they are read.
        let file = format!("{}-{plain}", Digest::of(&bytes).short());
        let attachment =
            Attachment { name: plain, file: file.clone(), media_type, bytes: bytes.len() as u64 };
        self.file_bytes += bytes.len();
        if !self.files.iter().any(|known| known.name == file) {
            self.files.push(FileBytes { name: file, bytes });
        }
        Some(attachment)
    }

    /// Keeps a file that is written in base64, with or without the beginning of a `data:` address.
    pub(super) fn encoded(&mut self, name: &str, media_type: &str, text: &str) -> Option<Attachment> {
        let (media_type, data) = match text.strip_prefix("data:").and_then(|rest| rest.split_once(',')) {
            Some((kind, data)) => (kind.split(';').next().unwrap_or_default(), data),
            None => (media_type, text),
        };
        let data: String =
            data.chars().filter(|c| !c.is_ascii_whitespace()).take(MAX_FILE_BYTES / 3 * 4 + 8).collect();
        match STANDARD.decode(data.as_bytes()) {
            Ok(bytes) if !bytes.is_empty() => self.file(name, media_type, bytes),
            Ok(_) | Err(_) => {
                self.report.leave_out("file", name, "its bytes can't be read", &self.place);
                None
            }
        }
    }

    /// Notes a file that is named and is not there. Gives what stands for it in the text.
    pub(super) fn missing(&mut self, name: &str) -> String {
        self.report.leave_out("file", name, "it is named and not in the export", &self.place);
        let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect();
        format!("{MISSING_FILE}{name}]")
    }

    /// The conversation, under the id that names it.
    pub(super) fn finish(mut self, key: String) -> Result<Conversation, Unread> {
        if !self.messages.iter().any(|message| message.role == Role::User)
            || !self.messages.iter().any(|message| message.role != Role::Info)
        {
            return Err(Unread::Empty);
        }
        if self.over > 0 {
            let why = format!("a session has at most {MAX_MESSAGES} messages; what follows is left out");
            self.report.leave_out("message", &format!("{} of them", self.over), why, &self.place);
        }
        self.header.title = title_of(&self.header.title);
        if self.header.title.is_empty() {
            let first =
                self.messages.iter().find(|message| message.role == Role::User && !message.text.is_empty());
            self.header.title = title_of(first.map_or("", |message| message.text.as_str()));
        }
        let times = || self.messages.iter().map(|message| message.at).filter(|at| *at > 0);
        if self.header.created_at <= 0 {
            self.header.created_at = times().min().unwrap_or_default();
        }
        let last = times().max().unwrap_or_default();
        self.header.updated_at = self.header.updated_at.max(last).max(self.header.created_at);
        let Self { header, messages, files, report, place, .. } = self;
        Ok(Conversation { key, transcript: Transcript { header, messages }, files, report, place })
    }
}

/// The first line of a text as a title.
pub(super) fn title_of(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().filter(|c| !c.is_control()).take(MAX_TITLE_CHARS).collect()
}

/// A time as ISO 8601 or in seconds, in milliseconds since 1970; 0 where it is none.
pub(super) fn time_of(value: Option<&Value>) -> i64 {
    let ms = match value {
        Some(Value::Number(number)) => number.as_f64().map(|seconds| (seconds * 1_000.0) as i64),
        Some(Value::String(text)) => {
            let text = text.trim();
            let stamp = text.parse::<jiff::Timestamp>().or_else(|_| format!("{text}Z").parse());
            stamp.ok().map(jiff::Timestamp::as_millisecond)
        }
        _ => None,
    };
    // Beyond the year 5000 nothing was said.
    ms.filter(|at| (0..95_617_584_000_000).contains(at)).unwrap_or_default()
}

/// A text as JSON where it is an object, else as it is.
pub(super) fn arguments_of(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(object @ Value::Object(_)) => object,
        Ok(_) | Err(_) => Value::String(text.to_owned()),
    }
}

/// The text of a field; empty where it is none.
pub(super) fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list; none where it is none.
pub(super) fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What the bytes of a file say that it is.
fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', ..] => Some("application/pdf"),
        _ => None,
    }
}

fn extension_of(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "application/pdf" => "pdf",
        kind if kind.starts_with("text/") => "txt",
        _ => "bin",
    }
}
