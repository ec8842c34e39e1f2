//! Parts of a request that its provider refuses: the request is sent again without them, with a line in their place, so
//! that no part of one message blocks a conversation. A refused request costs nothing.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, LazyLock};

use domain::Digest;
use parking_lot::Mutex;
use serde_json::Value;

use crate::{Fault, ModelAnswer, ModelRequest, Part, ProviderError, Role};

/// The most tries of one request.
const MAX_TRIES: usize = 12;
/// The most pictures and documents that are tried one by one.
const MAX_SINGLE: usize = 6;
/// The most refused parts that are remembered.
const MAX_REMEMBERED: usize = 512;
/// The most characters of a provider's reason that are repeated.
const MAX_REASON_CHARS: usize = 240;

/// Words of refusals that are about a picture or document.
const OF_MEDIA: [&str; 22] = [
    "image",
    "picture",
    "media",
    "document",
    "pdf",
    "file_data",
    "input_file",
    "inline_data",
    "inlinedata",
    "base64",
    "mime",
    "png",
    "jpeg",
    "jpg",
    "webp",
    "gif",
    "pixel",
    "vision",
    "mmproj",
    "multimodal",
    "file data",
    "visual",
];
/// Words of refusals that are about thinking which went back.
const OF_THINKING: [&str; 5] = ["signature", "thinking", "encrypted", "reasoning item", "thought"];
/// Words of refusals that are about settings, which no part can be the cause of.
const OF_SETTINGS: [&str; 17] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "temperature",
    "tool_choice",
    "response_format",
    "json_schema",
    "reasoning_effort",
    "reasoning.effort",
    "budget_tokens",
    "thinking.type",
    "stream_options",
    "unsupported parameter",
    "unknown parameter",
    "unrecognized request argument",
    "input_schema",
];

/// A part that was refused: at which place, by the digest of its data, and why.
struct Refused {
    place: String,
    part: Digest,
    why: String,
}

/// Parts that were refused, for the life of this process: they are not sent again.
static REFUSED: LazyLock<Mutex<VecDeque<Refused>>> = LazyLock::new(Mutex::default);

/// What of one request is left out, and what is tried next.
pub(super) struct Omissions {
    /// Whole, as it was asked.
    request: Arc<ModelRequest>,
    /// The host and the model.
    place: String,
    /// What was known before the first try.
    known: BTreeSet<Digest>,
    out: BTreeSet<Digest>,
    /// Further sets of parts to leave out, made at the first refusal.
    rungs: Option<VecDeque<BTreeSet<Digest>>>,
    first: Option<ProviderError>,
    tries: usize,
}

impl Omissions {
    pub(super) fn new(request: ModelRequest, host: &str) -> Self {
        let place = format!("{host} {}", request.model);
        let mut known = BTreeSet::new();
        {
            let refused = REFUSED.lock();
            let here: BTreeSet<Digest> =
                refused.iter().filter(|one| one.place == place).map(|one| one.part).collect();
            if !here.is_empty() {
                known = keys(&request, |_| true).into_iter().filter(|key| here.contains(key)).collect();
            }
        }
        Self {
            request: Arc::new(request),
            place,
            out: known.clone(),
            known,
            rungs: None,
            first: None,
            tries: 0,
        }
    }

    /// The request as it is sent now.
    pub(super) fn request(&self) -> ModelRequest {
        if self.out.is_empty() {
            return (*self.request).clone();
        }
        let mut sent = (*self.request).clone();
        let why = self.reason();
        for message in &mut sent.messages {
            if message.role == Role::User && self.out.contains(&Digest::of(&message.content)) {
                message.content = line("An earlier text", &why);
            }
            message.parts.retain_mut(|part| {
                if !key(part).is_some_and(|key| self.out.contains(&key)) {
                    return true;
                }
                match part {
                    Part::Opaque { .. } | Part::ToolCall(_) => return false,
                    Part::ToolResult { content, .. } => *content = line("The result of this call", &why),
                    part => *part = Part::Text { text: line(&named(part), &why) },
                }
                true
            });
        }
        sent.stands_for = Some(self.request.clone());
        sent
    }

    /// Whether there is something else to try after a refusal; [`Self::request`] then gives it. `body`: what was sent.
    pub(super) fn next(&mut self, error: &ProviderError, body: Option<&str>) -> bool {
        self.tries += 1;
        if self.tries > MAX_TRIES || !is_about_parts(error) {
            return false;
        }
        let first = self.first.get_or_insert_with(|| error.clone()).clone();
        let named = body.map(|body| self.named_in(error, body)).unwrap_or_default();
        if !named.is_subset(&self.out) {
            self.out.extend(named);
            return true;
        }
        let mut rungs = self.rungs.take().unwrap_or_else(|| self.ladder(&first));
        let next = rungs.pop_front();
        self.rungs = Some(rungs);
        match next {
            Some(next) => {
                self.out = next.union(&self.known).copied().collect();
                true
            }
            None => false,
        }
    }

    /// What failed first: what is told when nothing helped.
    pub(super) fn first(&mut self) -> Option<ProviderError> {
        self.first.take()
    }

    /// The answer came: what was left out for it is remembered, and told with it.
    pub(super) fn answered(&self, answer: &mut ModelAnswer) {
        if self.out.is_empty() {
            return;
        }
        let why = self.reason();
        let mut thoughts = 0;
        for message in &self.request.messages {
            if message.role == Role::User && self.out.contains(&Digest::of(&message.content)) {
                answer.left_out.push(format!("An earlier text was left out: the provider refused it{why}"));
            }
            for part in &message.parts {
                if !key(part).is_some_and(|key| self.out.contains(&key)) {
                    continue;
                }
                if matches!(part, Part::Opaque { .. }) {
                    thoughts += 1;
                    continue;
                }
                answer
                    .left_out
                    .push(format!("{} was left out: the provider did not take it{why}", named(part)));
            }
        }
        if thoughts > 0 {
            answer.left_out.push(format!("Earlier thinking was left out: the provider did not take it{why}"));
        }
        let mut refused = REFUSED.lock();
        for part in self.out.difference(&self.known) {
            if refused.len() >= MAX_REMEMBERED {
                refused.pop_front();
            }
            refused.push_back(Refused { place: self.place.clone(), part: *part, why: why.clone() });
        }
    }

    /// The provider's words, in brackets; empty where there are none.
    fn reason(&self) -> String {
        if let Some(first) = &self.first {
            let words: String = first.message.chars().take(MAX_REASON_CHARS).collect();
            return format!(" ({})", words.trim());
        }
        let refused = REFUSED.lock();
        let one = refused.iter().rev().find(|one| one.place == self.place && self.known.contains(&one.part));
        one.map(|one| one.why.clone()).unwrap_or_default()
    }

    /// The pictures and documents that a refusal names by their position in what was sent.
    fn named_in(&self, error: &ProviderError, body: &str) -> BTreeSet<Digest> {
        let none = BTreeSet::new();
        let Some(pointer) = pointer_in(&error.message) else { return none };
        let Ok(body) = serde_json::from_str::<Value>(body) else { return none };
        let Some(block) = body.pointer(&pointer) else { return none };
        let mut strings = Vec::new();
        strings_of(block, &mut strings);
        let parts = self.request.messages.iter().flat_map(|message| &message.parts);
        parts
            .filter_map(|part| match part {
                Part::Image { data, .. } | Part::Document { data, .. } => {
                    strings.iter().any(|text| text.ends_with(data.as_str())).then(|| key(part)).flatten()
                }
                Part::Text { .. } | Part::ToolCall(_) | Part::ToolResult { .. } | Part::Opaque { .. } => None,
            })
            .collect()
    }

    fn ladder(&self, error: &ProviderError) -> VecDeque<BTreeSet<Digest>> {
        let says = |words: &[&str]| {
            let lower = error.message.to_lowercase();
            words.iter().any(|word| lower.contains(word))
        };
        let media: BTreeSet<Digest> = keys(&self.request, is_media).into_iter().collect();
        let thinking: BTreeSet<Digest> =
            keys(&self.request, |part| matches!(part, Part::Opaque { .. })).into_iter().collect();
        let results: BTreeSet<Digest> =
            keys(&self.request, |part| matches!(part, Part::ToolResult { .. })).into_iter().collect();
        let mut rungs = VecDeque::new();
        let mut add = |rung: BTreeSet<Digest>| {
            if !rung.is_empty() && !rungs.contains(&rung) {
                rungs.push_back(rung);
            }
        };
        let both: BTreeSet<Digest> = media.union(&thinking).copied().collect();
        if says(&OF_MEDIA) {
            let newest_first = keys(&self.request, is_media).into_iter().rev();
            if media.len() <= MAX_SINGLE {
                newest_first.for_each(|one| add(BTreeSet::from([one])));
            }
            add(media);
        } else if says(&OF_THINKING) {
            add(thinking);
        } else if !says(&OF_SETTINGS) || error.fault == Fault::Refused {
            add(media);
            add(thinking);
            add(both.clone());
        }
        if error.fault == Fault::Refused {
            let mut all: BTreeSet<Digest> = both.union(&results).copied().collect();
            add(all.clone());
            // What was said before the last message: its own words are the person's to change.
            let earlier = self.request.messages.len().saturating_sub(1);
            for message in self.request.messages.iter().take(earlier).filter(|one| one.role == Role::User) {
                if !message.content.is_empty() {
                    all.insert(Digest::of(&message.content));
                }
                all.extend(message.parts.iter().filter_map(key));
            }
            add(all);
        }
        rungs
    }
}

/// Whether leaving parts out may help.
fn is_about_parts(error: &ProviderError) -> bool {
    let names_media = || {
        let lower = error.message.to_lowercase();
        OF_MEDIA.iter().any(|word| lower.contains(word))
    };
    match error.fault {
        Fault::BadRequest => error.detail.is_none(),
        Fault::Refused => true,
        // Servers of one's own fail so at what they can't read.
        Fault::Overloaded { .. } | Fault::ContextTooLong => names_media(),
        Fault::Auth
        | Fault::Permission
        | Fault::Quota
        | Fault::RateLimit { .. }
        | Fault::Network
        | Fault::Timeout
        | Fault::StreamCut
        | Fault::Malformed
        | Fault::OverCap => false,
    }
}

const fn is_media(part: &Part) -> bool {
    matches!(part, Part::Image { .. } | Part::Document { .. })
}

/// What a part is known by; `None` for what always stays.
fn key(part: &Part) -> Option<Digest> {
    match part {
        Part::Image { data, .. } | Part::Document { data, .. } => Some(Digest::of(data)),
        Part::Opaque { raw, .. } => Some(Digest::of(raw)),
        Part::ToolResult { content, .. } => Some(Digest::of(content)),
        Part::Text { text } => Some(Digest::of(text)),
        Part::ToolCall(_) => None,
    }
}

/// The keys of some parts, in order.
fn keys(request: &ModelRequest, wanted: impl Fn(&Part) -> bool) -> Vec<Digest> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    parts.filter(|part| wanted(part)).filter_map(key).collect()
}

/// A part as a person reads it.
fn named(part: &Part) -> String {
    let kilobytes = |data: &str| (data.len() / 4 * 3).div_ceil(1_000);
    match part {
        Part::Image { media_type, data } => format!("A picture ({media_type}, {} kB)", kilobytes(data)),
        Part::Document { name, data, .. } => format!("The document {name} ({} kB)", kilobytes(data)),
        Part::ToolResult { name, .. } => format!("A result of {name}"),
        Part::Text { .. } => "An earlier text".to_owned(),
        Part::ToolCall(call) => format!("A call of {}", call.name),
        Part::Opaque { .. } => "Earlier thinking".to_owned(),
    }
}

/// What the model reads in the place of a part.
fn line(what: &str, why: &str) -> String {
    format!(
        "({what} stood here and is left out, because it was refused{why}. Tell the person if it matters.)"
    )
}

/// The JSON Pointer of the block that a message names, as in `messages.2.content.1.image` or `input[2].content[1]`.
fn pointer_in(message: &str) -> Option<String> {
    for (root, inner) in [("messages", "content"), ("input", "content"), ("contents", "parts")] {
        for (at, _) in message.match_indices(root) {
            let mut rest = &message[at + root.len()..];
            let Some(first) = number(&mut rest) else { continue };
            let Some(after) = rest.strip_prefix(['.', '/']).and_then(|rest| rest.strip_prefix(inner)) else {
                continue;
            };
            rest = after;
            let Some(second) = number(&mut rest) else { continue };
            return Some(format!("/{root}/{first}/{inner}/{second}"));
        }
    }
    None
}

/// Takes an index off a path.
fn number<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let inner = rest.strip_prefix(['.', '[', '/'])?;
    let end = inner.find(|c: char| !c.is_ascii_digit()).unwrap_or(inner.len());
    let digits = inner.get(..end).filter(|digits| !digits.is_empty())?;
    *rest = inner[end..].trim_start_matches(']');
    Some(digits)
}

fn strings_of<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings_of(item, out)),
        Value::Object(fields) => fields.values().for_each(|value| strings_of(value, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use pretty_assertions::assert_eq;

    fn request() -> ModelRequest {
        let image = |data: &str| Part::Image { media_type: "image/png".into(), data: data.into() };
        let mut message = Message::user("q");
        message.parts = vec![image("AAAA"), image("BBBB")];
        ModelRequest { model: "m".into(), messages: vec![message], ..ModelRequest::default() }
    }

    fn refusal(words: &str) -> ProviderError {
        ProviderError::new("p", Fault::BadRequest, words)
    }

    #[test]
    fn the_picture_that_a_refusal_names_is_left_out_and_the_other_one_stays() {
        let mut omissions = Omissions::new(request(), "named.test");
        let body = r#"{"messages":[{"content":[{"text":"q"},{"source":{"data":"AAAA"}},{"source":{"data":"BBBB"}}]}]}"#;
        assert!(omissions.next(&refusal("messages.0.content.2.image.source: no image"), Some(body)));
        let sent = omissions.request();
        assert_eq!(sent.messages[0].parts[0], request().messages[0].parts[0]);
        assert!(matches!(&sent.messages[0].parts[1], Part::Text { text } if text.contains("no image")));
        // Thinking is bound to what was said, which is the same.
        assert_eq!(sent.prefix(1), request().prefix(1));
    }

    #[test]
    fn a_refusal_without_a_position_is_tried_one_by_one_and_then_without_any() {
        let mut omissions = Omissions::new(request(), "search.test");
        let mut left = Vec::new();
        while omissions.next(&refusal("could not process image"), None) {
            let sent = omissions.request();
            left.push(sent.messages[0].parts.iter().filter(|part| is_media(part)).count());
        }
        assert_eq!(left, [1, 1, 0]);
        let mut answer = ModelAnswer::of_text("a", "m", domain::Usage::default(), crate::StopReason::EndTurn);
        omissions.answered(&mut answer);
        assert_eq!(answer.left_out.len(), 2);
        // The next request leaves them out at once, and says so again.
        let again = Omissions::new(request(), "search.test");
        assert!(again.request().messages[0].parts.iter().all(|part| !is_media(part)));
        assert!(again.reason().contains("could not process image"));
    }

    #[test]
    fn a_refusal_of_a_setting_is_told_at_once() {
        let mut omissions = Omissions::new(request(), "settings.test");
        assert!(!omissions.next(&refusal("max_tokens: 9 is too many"), None));
        let unknown = refusal("no model").with_detail(crate::Detail::ModelUnknown);
        assert!(!Omissions::new(request(), "settings.test").next(&unknown, None));
        assert_eq!(pointer_in("input[12].content[3].image_url"), Some("/input/12/content/3".to_owned()));
        assert_eq!(pointer_in("the messages are wrong"), None);
    }
}
