//! What was said before, as messages for a model.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use dialogue::{End, Entry, Origin, State, ToolEnd};
use domain::{Attachment, Digest, MediaKind, Problem, Show, UserMessage, whole_words};
use llm::{Message, ModelAnswer, ModelFeatures, Part, Role};
use tools::MAX_SHOWN_BYTES as RESULT_BYTES;

use super::gate;
use super::text::{CONTINUE, RECOVERY};
use crate::core::blobs::Blobs;

/// The most bytes of a text file that are put into the message it is attached to.
const INLINE_BYTES: usize = 100_000;
/// The largest picture or document that goes to a model.
const MEDIA_BYTES: usize = 20 << 20;
/// Results of at most so many bytes are kept whatever room there is.
const SMALL_RESULT: usize = 2_000;
/// Results of the last answers are not left out.
const FRESH_ANSWERS: usize = 3;

/// Something that was said.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// A message of the person.
    Message { message: UserMessage, files: Vec<File> },
    /// What the program told the model, on the person's side.
    Told(String),
    /// An answer of a model with what its calls gave.
    Answer { answer: Arc<ModelAnswer>, calls: Vec<PastCall> },
    /// An answer that no model of this conversation gave: a run's document, or words of the program.
    Said(String),
    /// What stands for everything before it.
    Summary(String),
}

/// A file that goes with a message.
#[derive(Debug, Clone)]
pub(super) struct File {
    attachment: Attachment,
    path: PathBuf,
    /// Absent when it is gone.
    data: Option<Arc<Vec<u8>>>,
}

impl File {
    /// Its name, where it is gone.
    pub(super) fn missing(&self) -> Option<&str> {
        self.data.is_none().then_some(self.attachment.name.as_str())
    }
}

/// A call of a tool and what came of it.
#[derive(Debug, Clone)]
pub(super) struct PastCall {
    call: String,
    tool: String,
    result: Arc<Vec<u8>>,
    failed: bool,
    media: Vec<(String, String, Arc<Vec<u8>>)>,
    /// Where its whole result is kept, when it is long.
    path: PathBuf,
}

/// An ended turn or run as a link of a conversation.
#[derive(Debug)]
pub(super) struct PastTurn {
    pub(super) items: Vec<Item>,
}

impl PastTurn {
    /// Whether nothing before it is read any more.
    pub(super) fn begins_anew(&self) -> bool {
        begins_anew(&self.items)
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let of = |item: &Item| match item {
            Item::Message { message, files } => {
                let files = files.iter().filter_map(|file| file.data.as_ref()).map(|data| data.len());
                message.text.len() + files.sum::<usize>()
            }
            Item::Told(text) | Item::Said(text) | Item::Summary(text) => text.len(),
            Item::Answer { answer, calls } => {
                let results = calls.iter().map(|call| {
                    call.result.len() + call.media.iter().map(|(_, _, data)| data.len()).sum::<usize>()
                });
                2 * answer.text.len() + results.sum::<usize>()
            }
        };
        self.items.iter().map(of).sum()
    }
}

impl Item {
    /// The state of the run, for a stage whose conversation was put into fewer words.
    pub(super) fn checkpoint(state: &str) -> Self {
        Self::Told(format!("<CHECKPOINT>\n{}\n</CHECKPOINT>\n\n{RECOVERY}", context::escape(state.trim())))
    }
}

/// Whether items stand for everything that was said before them.
pub(super) fn begins_anew(items: &[Item]) -> bool {
    matches!(items.first(), Some(Item::Summary(_)))
}

/// Where the files of a session are.
#[derive(Debug, Clone)]
pub(super) struct SessionFiles(pub(super) PathBuf);

impl SessionFiles {
    pub(super) fn new(home: &Path, session: &str) -> Self {
        Self(home.join("sessions").join(session))
    }

    /// Where the whole result of a call is kept, when it is long.
    pub(super) fn result(&self, call: &str) -> PathBuf {
        self.0.join("results").join(format!("{call}.txt"))
    }

    pub(super) fn attachment(&self, id: &str) -> Option<PathBuf> {
        let plain = !id.is_empty() && !id.contains(['/', '\\']) && id != "." && id != "..";
        plain.then(|| self.0.join("attachments").join(id))
    }
}

/// Reads what a turn's state refers to.
pub(super) struct Reader<'a> {
    pub(super) blobs: &'a mut Blobs,
    pub(super) answers: &'a mut HashMap<Digest, Arc<ModelAnswer>>,
    pub(super) spoken: &'a mut HashMap<Digest, Item>,
    pub(super) own: &'a SessionFiles,
}

impl Reader<'_> {
    /// Everything that was said in a turn.
    pub(super) async fn items(&mut self, state: &State) -> Result<Vec<Item>, Problem> {
        let mut items = Vec::new();
        // What asks for fewer words is no part of what was said.
        if let Some(start) = state.start.as_ref().filter(|start| start.origin != Origin::Compaction) {
            items.push(self.message(start.message).await?);
            if let Origin::Plan(plan) = &start.origin {
                items.push(Item::Said(plan.text.clone()));
            }
        }
        let mut said: BTreeSet<Digest> = BTreeSet::new();
        let stopped = state.end == Some(End::Stopped);
        for (at, entry) in state.entries.iter().enumerate() {
            match entry {
                // An empty answer is no message.
                Entry::Answer { text: None, tools, .. } if tools.is_empty() => {}
                Entry::Answer { answer, text, tools, .. } => {
                    said.extend(text);
                    items.push(self.answer(state, *answer, tools).await?);
                }
                Entry::Partial { text, .. } if stopped && at + 1 == state.entries.len() => {
                    said.insert(*text);
                    items.push(Item::Said(self.blobs.text(*text).await?));
                }
                Entry::Partial { text, .. } => {
                    let partial = self.blobs.text(*text).await?;
                    let kept = whole_words(&partial).trim();
                    if !kept.is_empty() {
                        items.push(Item::Said(kept.to_owned()));
                        items.push(Item::Told(CONTINUE.to_owned()));
                    }
                }
                Entry::Steering { message } => items.push(self.message(*message).await?),
                Entry::Nudge { text } => items.push(Item::Told(self.blobs.text(*text).await?)),
                Entry::Compacted { summary, checkpoint, .. } => {
                    let asked = items.iter().find(|item| matches!(item, Item::Message { .. })).cloned();
                    items = vec![Item::Summary(self.blobs.text(*summary).await?)];
                    if let Some(checkpoint) = checkpoint {
                        items.push(Item::checkpoint(&self.blobs.text(*checkpoint).await?));
                    }
                    items.extend(asked);
                }
            }
        }
        if let Some(answer) = state.answer.filter(|answer| !said.contains(answer))
            && !matches!(state.end, Some(End::Handed) | None)
        {
            items.push(Item::Said(self.blobs.text(answer).await?));
        }
        if stopped {
            items.push(Item::Told("(I stopped this turn before it was over.)".to_owned()));
        }
        Ok(items)
    }

    async fn message(&mut self, digest: Digest) -> Result<Item, Problem> {
        if let Some(known) = self.spoken.get(&digest) {
            return Ok(known.clone());
        }
        let message: UserMessage = self.blobs.json(digest).await?;
        let mut files = Vec::new();
        for attachment in &message.attachments {
            let path = self.own.attachment(&attachment.id).unwrap_or_default();
            let data = tokio::fs::read(&path).await.ok().map(Arc::new);
            files.push(File { attachment: attachment.clone(), path, data });
        }
        let item = Item::Message { message, files };
        self.spoken.insert(digest, item.clone());
        Ok(item)
    }

    async fn answer(&mut self, state: &State, digest: Digest, tools: &[String]) -> Result<Item, Problem> {
        let answer = match self.answers.get(&digest) {
            Some(answer) => answer.clone(),
            None => {
                let answer: Arc<ModelAnswer> = Arc::new(self.blobs.json(digest).await?);
                self.answers.insert(digest, answer.clone());
                answer
            }
        };
        let mut calls = Vec::new();
        for id in tools {
            let known = state.tools.get(id);
            let result = match known.and_then(|call| call.result) {
                Some(result) => {
                    let whole = self.blobs.get(result).await?;
                    let tool = known.map_or("", |call| call.asked.tool.as_str());
                    gate::recalled(tool, &whole).map_or(whole, Arc::new)
                }
                None => Arc::new(b"It was not run.".to_vec()),
            };
            let mut media = Vec::new();
            for show in known.into_iter().flat_map(|call| &call.show) {
                if let Show::Media { media_type, data, name } = show {
                    media.push((media_type.clone(), name.clone(), self.blobs.get(*data).await?));
                }
            }
            calls.push(PastCall {
                call: id.clone(),
                tool: known.map(|call| call.asked.tool.clone()).unwrap_or_default(),
                result,
                failed: known.and_then(|call| call.end).is_none_or(|end| end != ToolEnd::Ok),
                media,
                path: self.own.result(id),
            });
        }
        Ok(Item::Answer { answer, calls })
    }
}

/// The messages of a request.
pub(super) fn messages<'a>(
    items: impl IntoIterator<Item = &'a Item>,
    abilities: &ModelFeatures,
    elide: bool,
) -> Vec<Message> {
    let items: Vec<&Item> = items.into_iter().collect();
    let answers = items.iter().filter(|item| matches!(item, Item::Answer { .. })).count();
    let mut seen = 0;
    let mut out: Vec<Message> = Vec::new();
    for item in items {
        match item {
            Item::Message { message, files } => add(&mut out, Role::User, spoken(message, files, abilities)),
            Item::Told(text) => add(&mut out, Role::User, vec![Part::Text { text: text.clone() }]),
            Item::Said(text) => add(&mut out, Role::Assistant, vec![Part::Text { text: text.clone() }]),
            Item::Summary(text) => {
                let text = format!(
                    "<earlier_conversation>\n{}\n</earlier_conversation>\n\nWhat was said before has been put into \
                     the words above.",
                    context::escape(text)
                );
                add(&mut out, Role::User, vec![Part::Text { text }]);
            }
            Item::Answer { answer, calls } => {
                seen += 1;
                let parts = answered(answer, calls);
                let results = results(&parts, calls, abilities, elide && seen + FRESH_ANSWERS <= answers);
                add(&mut out, Role::Assistant, parts);
                add(&mut out, Role::User, results);
            }
        }
    }
    // Where a conversation grows the prefix is the same up to its last messages of the person's side.
    let mut marks = 2;
    for message in out.iter_mut().rev().filter(|message| message.role == Role::User) {
        message.cache = marks > 0;
        marks = usize::max(marks, 1) - 1;
    }
    out
}

/// Long results that would be left out of a request, with where they are to be kept.
pub(super) fn elidable<'a>(items: impl IntoIterator<Item = &'a Item>) -> Vec<(PathBuf, Arc<Vec<u8>>)> {
    let answers: Vec<&Vec<PastCall>> = items
        .into_iter()
        .filter_map(|item| {
            let Item::Answer { calls, .. } = item else { return None };
            Some(calls)
        })
        .collect();
    let old = answers.len().saturating_sub(FRESH_ANSWERS);
    let long = answers.into_iter().take(old).flatten().filter(|call| call.result.len() > SMALL_RESULT);
    long.map(|call| (call.path.clone(), call.result.clone())).collect()
}

/// Adds to what the same side said last, else as a message of its own.
fn add(out: &mut Vec<Message>, role: Role, parts: Vec<Part>) {
    if parts.is_empty() {
        return;
    }
    match out.last_mut().filter(|last| last.role == role) {
        Some(last) => last.parts.extend(parts),
        None => out.push(Message { role, content: String::new(), parts, cache: false }),
    }
    // One text alone stands as the message's own: what providers without parts read.
    if let Some(last) = out.last_mut()
        && last.content.is_empty()
        && let [Part::Text { text }] = last.parts.as_slice()
    {
        last.content = text.clone();
        last.parts.clear();
    }
}

fn answered(answer: &ModelAnswer, calls: &[PastCall]) -> Vec<Part> {
    if answer.parts.is_empty() {
        let text = answer.text.clone();
        return if text.trim().is_empty() { Vec::new() } else { vec![Part::Text { text }] };
    }
    let mut ids = BTreeSet::new();
    let mut own = calls.iter();
    let mut parts = Vec::with_capacity(answer.parts.len());
    for part in &answer.parts {
        let Part::ToolCall(call) = part else {
            parts.push(part.clone());
            continue;
        };
        // Calls that were never taken up have no result to go back with them.
        let Some(made) = own.next() else { continue };
        let mut call = call.clone();
        // The name that its result has, which every provider takes.
        if !made.tool.is_empty() {
            call.name.clone_from(&made.tool);
        }
        if call.id.is_empty() || !ids.insert(call.id.clone()) {
            call.id = made.call.clone();
        }
        parts.push(Part::ToolCall(call));
    }
    parts
}

fn results(parts: &[Part], calls: &[PastCall], abilities: &ModelFeatures, elide: bool) -> Vec<Part> {
    let ids = parts.iter().filter_map(|part| {
        let Part::ToolCall(call) = part else { return None };
        Some((&call.id, &call.name))
    });
    let mut out = Vec::new();
    let mut shown = Vec::new();
    for ((id, name), call) in ids.zip(calls) {
        let text = String::from_utf8_lossy(&call.result);
        let content = if elide && text.len() > SMALL_RESULT {
            format!(
                "(The result of this call, {} bytes, is left out here to save room. It is kept whole in {}: read it \
                 there if it is needed again.)",
                text.len(),
                call.path.display()
            )
        } else {
            capped(&text, &call.path)
        };
        out.push(Part::ToolResult { call: id.clone(), name: name.clone(), content, is_error: call.failed });
        for (media_type, file, data) in &call.media {
            shown.extend(media(media_type, file, data, None, abilities, elide, &call.tool));
        }
    }
    out.extend(shown);
    out
}

/// A result as a model is shown it: cut in the middle where it is long, with where the whole is.
pub(super) fn capped(text: &str, path: &Path) -> String {
    if text.len() <= RESULT_BYTES {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(RESULT_BYTES * 3 / 4);
    let tail = text.ceil_char_boundary(text.len() - RESULT_BYTES / 5);
    format!(
        "{}\n\n(… {} bytes are left out here. The whole result, {} bytes, is in {} …)\n\n{}",
        &text[..head],
        tail - head,
        text.len(),
        path.display(),
        &text[tail..]
    )
}

fn media(
    media_type: &str,
    name: &str,
    data: &[u8],
    path: Option<&Path>,
    abilities: &ModelFeatures,
    elide: bool,
    from: &str,
) -> Vec<Part> {
    let fits = data.len() <= MEDIA_BYTES && !elide;
    // By its bytes: what a server or a name calls it may be wrong, and providers refuse the whole request then.
    let kind = MediaKind::parse(data);
    let media_type = kind.as_ref().map_or(media_type, |kind| kind.as_str());
    let read = kind.as_ref().is_ok_and(|kind| match kind.is_picture() {
        true => abilities.images,
        false => abilities.documents,
    });
    if fits && read {
        let label = Part::Text { text: format!("{name} ({media_type}), from {from}:") };
        let (data, media_type) = (BASE64_STANDARD.encode(data), media_type.to_owned());
        return match media_type.starts_with("image/") {
            true => vec![label, Part::Image { media_type, data }],
            false => vec![label, Part::Document { media_type, name: name.to_owned(), data }],
        };
    }
    let why = match (fits, elide, kind) {
        (false, true, _) => "is left out here to save room".to_owned(),
        (false, false, _) => "is too large to be shown to a model".to_owned(),
        (true, _, Err(fault)) => fault.to_string(),
        (true, _, Ok(_)) => "can't be read by this model".to_owned(),
    };
    let place = path.map(|path| format!("; it is in {}", path.display())).unwrap_or_default();
    let text = format!("({name} ({media_type}, {} bytes), from {from}, {why}{place}.)", data.len());
    vec![Part::Text { text }]
}

fn spoken(message: &UserMessage, files: &[File], abilities: &ModelFeatures) -> Vec<Part> {
    let mut parts = Vec::new();
    if !message.text.trim().is_empty() {
        parts.push(Part::Text { text: message.text.clone() });
    }
    for File { attachment, path, data } in files {
        let Some(data) = data else {
            let text = format!("(The attached file {} is not there any more.)", attachment.name);
            parts.push(Part::Text { text });
            continue;
        };
        match std::str::from_utf8(data) {
            Ok(text) if !text.contains('\0') => parts.push(inlined(attachment, path, text)),
            _ => parts.extend(media(
                &attachment.media_type,
                &attachment.name,
                data,
                Some(path),
                abilities,
                false,
                "the person",
            )),
        }
    }
    parts
}

fn inlined(attachment: &Attachment, path: &Path, text: &str) -> Part {
    let end = text.floor_char_boundary(INLINE_BYTES.min(text.len()));
    let rest = match text.len() - end {
        0 => String::new(),
        left => format!("\n(… {left} more bytes are in {} …)", path.display()),
    };
    let text = format!(
        "<attached_file name=\"{}\" path=\"{}\">\n{}{rest}\n</attached_file>",
        context::escape_attribute(&attachment.name),
        context::escape_attribute(&path.display().to_string()),
        context::escape(&text[..end]),
    );
    Part::Text { text }
}
