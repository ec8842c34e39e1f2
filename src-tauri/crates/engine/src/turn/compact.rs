//! Putting what was said before into fewer words: by a model, or by code where that fails.

use dialogue::State;
use domain::SessionId;
use llm::{Message, ModelRequest, Part, Role};

use super::history::{Item, messages};
use super::pinned::Pinned;

/// The most output tokens of a summary.
pub(super) const OUTPUT: u64 = 8_000;
/// The share of the window that the request may take.
const PERCENT: u64 = 85;
/// Bytes of each message that code keeps.
const KEPT_BYTES: usize = 2_000;
/// The last messages that code keeps.
const KEPT: usize = 6;
/// Calls that code lists.
const LISTED: usize = 60;

const INSTRUCTIONS: &str = "(This conversation has to be continued with fewer words than it has now. Write down everything that is needed to \
go on with it as if nothing had been lost. Call no tool and do not go on with the work itself. Use these headings, in the \
language of the conversation, and leave out those that have nothing:

## Goal
What the person wants, in their own words where they matter, with every condition that they set.
## Decisions
What was decided and why; what was refused or ruled out.
## Facts
What was found out, each with where it comes from: file and line, address, source, tool.
## Files
Files that were read or changed, with what was done to each and what matters of what they hold.
## Open
What is still to be done, and what failed with its exact message.
## Next step
The one thing that comes next, exactly.

Keep names, numbers, paths, identifiers and quotations as they are. What the person asked last comes after your words again.)";

/// The request for a summary.
pub(super) fn request(pinned: &Pinned, session: &SessionId, items: &[&Item], focus: &str) -> ModelRequest {
    let most = pinned.model_info.context_window.saturating_mul(PERCENT) / 100;
    let mut skipped = 0;
    loop {
        let kept: Vec<&Item> = match skipped {
            0 => items.to_vec(),
            // What began it all stays: it says what the person wants.
            _ => items.iter().take(1).chain(items.iter().skip(1 + skipped)).copied().collect(),
        };
        let left = kept.len();
        let mut all = messages(kept, &pinned.model_info.abilities, true);
        all.push(Message::user(instructions(focus)));
        let request = ModelRequest {
            model: pinned.model.clone(),
            system: pinned.system.clone(),
            cache_system: true,
            messages: all,
            max_output_tokens: OUTPUT.min(pinned.max_output()),
            cache_key: Some(session.0.clone()),
            ..ModelRequest::default()
        };
        if left <= 2 || request.estimated_input() <= most {
            return request;
        }
        skipped += (items.len() / 10).max(1);
    }
}

fn instructions(focus: &str) -> String {
    match focus.trim() {
        "" => INSTRUCTIONS.to_owned(),
        focus => format!("{INSTRUCTIONS}\n\n(The person adds: {focus})"),
    }
}

/// A summary without a model: what began the conversation, its last messages, and the calls that were made.
pub(super) fn by_code(items: &[&Item], state: &State) -> String {
    let plain = llm::ModelFeatures::default();
    let said = messages(items.iter().copied(), &plain, true);
    let mut lines = vec!["(Shortened by the program, which understands nothing of it.)".to_owned()];
    let text = |message: &Message| {
        let parts = message.parts.iter().filter_map(|part| {
            let Part::Text { text } = part else { return None };
            Some(text.as_str())
        });
        let all: Vec<&str> = std::iter::once(message.content.as_str())
            .chain(parts)
            .filter(|text| !text.trim().is_empty())
            .collect();
        cut(&all.join("\n"))
    };
    let who = |message: &Message| match message.role {
        Role::User => "The person",
        Role::Assistant => "You",
    };
    let spoken: Vec<(&str, String)> = said
        .iter()
        .map(|message| (who(message), text(message)))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    if let Some((who, text)) = spoken.first() {
        lines.push(format!("## Beginning\n{who}: {text}"));
    }
    let last = spoken.len().saturating_sub(KEPT).max(1);
    if spoken.len() > 1 {
        lines.push("## Last messages".to_owned());
        lines.extend(spoken.iter().skip(last).map(|(who, text)| format!("{who}: {text}")));
    }
    let calls: Vec<String> = state
        .tools
        .values()
        .filter(|call| call.end.is_some())
        .map(|call| {
            let what = if call.intent.is_empty() { &call.asked.tool } else { &call.intent };
            format!("- {what}: {}", call.summary)
        })
        .collect();
    if !calls.is_empty() {
        lines.push("## Calls of tools".to_owned());
        lines.extend(calls.iter().rev().take(LISTED).rev().cloned());
    }
    lines.join("\n\n")
}

fn cut(text: &str) -> String {
    if text.len() <= KEPT_BYTES {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(KEPT_BYTES / 2);
    let tail = text.ceil_char_boundary(text.len() - KEPT_BYTES / 2);
    format!("{} (… {} bytes left out …) {}", &text[..head], tail - head, &text[tail..])
}
