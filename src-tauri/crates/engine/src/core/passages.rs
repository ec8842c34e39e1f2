//! What of a run or turn can be found again by its words.

use std::collections::BTreeSet;

use dialogue::{Event, Record};
use domain::agent::StageKind;
use domain::{Digest, Problem, UserMessage};
use pipeline::Phase;
use serde_json::Value;
use store::{BlobHash, Passage, Role};

use crate::core::engine::Engine;
use crate::core::stored::StoredRun;

/// What is indexed of a tool's result, in bytes: beyond it are mostly data.
const MAX_RESULT_BYTES: usize = 16 << 10;

/// Texts of a turn's log as they come, each once.
#[derive(Debug, Default)]
pub(crate) struct UniqueTexts {
    known: BTreeSet<Digest>,
}

impl UniqueTexts {
    /// The text of one record, where it has one that was not met before; `read` gives the bytes of a payload.
    pub(crate) fn passage<B: AsRef<[u8]>>(
        &mut self,
        record: &Record,
        read: impl FnOnce(Digest) -> Option<B>,
    ) -> Option<Passage> {
        let (role, digest, step) = match &record.event {
            Event::TurnStarted { message, .. } => (Role::User, *message, String::new()),
            Event::Steered { message } => (Role::User, *message, format!("s{}", record.seq)),
            Event::ModelAnswered { call, text: Some(text), .. } => {
                (Role::Assistant, *text, format!("m{call}"))
            }
            Event::ToolEnded { call, result, .. } => (Role::Tool, *result, call.clone()),
            Event::TurnEnded { answer: Some(answer), .. } => (Role::Assistant, *answer, String::new()),
            _ => return None,
        };
        if !self.known.insert(digest) {
            return None;
        }
        let bytes = read(digest)?;
        let bytes = bytes.as_ref();
        let message = if role == Role::User { message(bytes) } else { None };
        let attachments = message.as_ref().is_some_and(|message| !message.attachments.is_empty());
        let text = message.map_or_else(|| passage_text(role, bytes), |message| message.text);
        passage(role, step, record.at as i64, cut(role, text), digest, attachments)
    }

    /// Passes over what is stored already.
    pub(crate) fn skip(&mut self, records: &[Record]) {
        for record in records {
            let _ = self.passage(record, |_| None::<Vec<u8>>);
        }
    }
}

/// The texts of a whole turn; `read` gives the bytes of a payload.
pub fn passages_of_turn<B: AsRef<[u8]>>(
    records: &[Record],
    mut read: impl FnMut(Digest) -> Option<B>,
) -> Vec<Passage> {
    let mut said = UniqueTexts::default();
    records.iter().filter_map(|record| said.passage(record, &mut read)).collect()
}

/// The question of a staged run; its text is a blob of its own.
pub(crate) fn question(request: &str, at_ms: i64) -> Option<Passage> {
    passage(Role::User, String::new(), at_ms, request.to_owned(), Digest::of(request.as_bytes()), false)
}

/// A staged run's document: its Markdown, in the output of the stage that made it.
pub(crate) fn document(markdown: &str, output: Digest, at_ms: i64) -> Option<Passage> {
    passage(Role::Document, String::new(), at_ms, markdown.to_owned(), output, false)
}

/// The text of a passage in the bytes of its payload.
pub fn passage_text(role: Role, bytes: &[u8]) -> String {
    let text = match role {
        Role::User => message(bytes).map(|message| message.text),
        Role::Document => serde_json::from_slice::<Value>(bytes)
            .ok()
            .and_then(|output| output.get("markdown").and_then(Value::as_str).map(str::to_owned)),
        Role::Assistant | Role::Tool => None,
    };
    text.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

/// What is indexed of a passage in the bytes of its payload.
pub fn indexed_text(role: Role, bytes: &[u8]) -> String {
    cut(role, passage_text(role, bytes))
}

fn cut(role: Role, mut text: String) -> String {
    if role == Role::Tool {
        text.truncate(text.floor_char_boundary(MAX_RESULT_BYTES));
    }
    text
}

/// What the person wrote, unless the payload is a bare text.
fn message(bytes: &[u8]) -> Option<UserMessage> {
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.get("text")?;
    serde_json::from_value(value).ok()
}

fn passage(
    role: Role,
    step: String,
    at_ms: i64,
    text: String,
    digest: Digest,
    attachments: bool,
) -> Option<Passage> {
    let blob = BlobHash::from_bytes(digest.0);
    (!text.trim().is_empty()).then_some(Passage { role, step, at_ms, text, blob, attachments })
}

impl Engine {
    /// What can be found again of a staged run: the person's question, and its document where it has one.
    pub async fn passages_of_run(&self, loaded: &StoredRun) -> Result<Vec<Passage>, Problem> {
        let mut passages = Vec::new();
        let at_ms = loaded.row.created_at;
        if let Some(start) = loaded.state.start.as_ref().filter(|start| start.parent.is_none()) {
            passages.extend(question(&start.request, at_ms));
        }
        let mut stages = loaded.pinned.config.control_flow.stages.iter();
        let output = stages
            .rfind(|stage| stage.kind == StageKind::Render)
            .and_then(|stage| loaded.state.stage(&stage.id))
            .filter(|stage| stage.phase == Phase::Completed)
            .and_then(|stage| stage.output);
        if let Some(output) = output {
            let bytes = self.parts().store.get_blob(BlobHash::from_bytes(output.0)).await;
            let bytes = bytes.map_err(crate::core::problem::store)?;
            passages.extend(document(&passage_text(Role::Document, &bytes), output, at_ms));
        }
        Ok(passages)
    }
}
