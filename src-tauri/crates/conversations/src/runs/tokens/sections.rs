//! A request as the sections that it is made of. Their tokens add up to the request's whole estimate.

use domain::{Digest, Usage};
use llm::{ModelRequest, Part, Role, ToolSpec};
use protocol::SectionTokens;

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub name: String,
    /// Of its text: two with the same one say the same.
    pub text: Digest,
    pub tokens: u64,
}

/// The name of what was said in a conversation before the stage.
pub const CONVERSATION: &str = "conversation";
/// The name of what the model itself said in the stage.
pub const ANSWERS: &str = "answers";

/// The name of what messages cost besides their text.
pub const FORMAT: &str = "format";

/// What a request is made of, in the order in which a provider reads it. Of the texts and parts of its messages the first
/// `earlier` were said before the stage.
pub fn pieces(request: &ModelRequest, earlier: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let tools: u64 = request.tools.iter().map(ToolSpec::estimated_tokens).sum();
    add(&mut pieces, "tools", &serde_json::to_string(&request.tools).unwrap_or_default(), tools);
    add(&mut pieces, "system", &request.system, context::estimate(&request.system));
    if let Some(schema) = &request.schema {
        let text = schema.to_string();
        add(&mut pieces, "schema", &text, context::estimate(&text));
    }
    let mut seen = 0;
    for message in &request.messages {
        let content = Some(Part::Text { text: message.content.clone() });
        let content = content.filter(|_| !message.content.is_empty());
        for part in content.iter().chain(&message.parts) {
            seen += 1;
            let name = match (message.role, part) {
                _ if seen <= earlier => Some(CONVERSATION),
                (Role::Assistant, _) => Some(ANSWERS),
                (Role::User, Part::ToolResult { .. }) => Some("results"),
                (Role::User, Part::Text { .. }) => None,
                (Role::User, _) => Some("parts"),
            };
            if let Part::Text { text } = part {
                texts(&mut pieces, name, text);
            } else {
                let text = serde_json::to_string(part).unwrap_or_default();
                add(&mut pieces, name.unwrap_or("parts"), &text, part.estimated_tokens());
            }
        }
    }
    let told: u64 = pieces.iter().map(|piece| piece.tokens).sum();
    add(&mut pieces, FORMAT, "", request.estimated_input().saturating_sub(told));
    pieces
}

/// A text by its sections, each under its own name unless all of it has another.
fn texts(pieces: &mut Vec<Piece>, name: Option<&str>, text: &str) {
    let whole = context::estimate(text);
    let mut told = 0;
    let mut rest = String::new();
    for (section, text) in blocks(text) {
        match section {
            Some(section) => {
                let tokens = context::estimate(&text).min(whole - told);
                told += tokens;
                add(pieces, name.unwrap_or(section), &text, tokens);
            }
            None => rest.push_str(&text),
        }
    }
    add(pieces, name.unwrap_or("text"), &rest, whole - told);
}

fn add(pieces: &mut Vec<Piece>, name: &str, text: &str, tokens: u64) {
    if tokens > 0 {
        pieces.push(Piece { name: name.to_owned(), text: Digest::of(text), tokens });
    }
}

/// A text as its sections, each with its tags, and what stands between them. Every line keeps its line break, so that the
/// tokens of the parts are the tokens of the whole.
fn blocks(text: &str) -> Vec<(Option<&str>, String)> {
    let mut blocks: Vec<(Option<&str>, String)> = Vec::new();
    let mut open: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        match open {
            Some(name) => {
                if let Some((_, block)) = blocks.last_mut() {
                    block.push_str(line);
                }
                let closes = bare.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
                if closes == Some(name) {
                    open = None;
                }
            }
            None => {
                open = super::super::stage::opening(bare);
                blocks.push((open, line.to_owned()));
            }
        }
    }
    blocks
}

/// The sections as they are shown. What the provider read from its cache is laid over the beginning of the request, in
/// proportion: its tokens are not the estimate's.
pub fn rows(pieces: &[Piece], measured: &Usage) -> Vec<SectionTokens> {
    let whole: u64 = pieces.iter().map(|piece| piece.tokens).sum();
    let input = measured.input + measured.cache_read + measured.cache_write;
    let mut cached = part(whole, measured.cache_read, input);
    let row = |piece: &Piece| {
        let read = piece.tokens.min(cached);
        cached -= read;
        let share = part(1_000, piece.tokens, whole) as u32;
        SectionTokens { name: piece.name.clone(), tokens: piece.tokens, share, cached: read }
    };
    pieces.iter().map(row).collect()
}

/// `of` of `whole`, of a number.
pub fn part(number: u64, of: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    (u128::from(number) * u128::from(of) / u128::from(whole)).min(u128::from(u64::MAX)) as u64
}

#[cfg(test)]
mod tests {
    use llm::Message;

    use super::*;

    fn request() -> ModelRequest {
        let content = "Before it.\n<REQUEST>\nWhat is 17.4?\n\n</REQUEST>\n\n<SEARCH_HITS>\nA line, 12 %\n</SEARCH_HITS>\nAfter  it";
        ModelRequest {
            system: "You plan.".to_owned(),
            messages: vec![Message::user(content), Message::user("Mend it.")],
            schema: Some(serde_json::json!({ "type": "object" })),
            ..ModelRequest::default()
        }
    }

    #[test]
    fn the_sections_add_up_to_the_whole_estimate() {
        let request = request();
        let pieces = pieces(&request, 0);
        let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        assert_eq!(names, ["system", "schema", "REQUEST", "SEARCH_HITS", "text", "text", "format"]);
        assert_eq!(pieces.iter().map(|piece| piece.tokens).sum::<u64>(), request.estimated_input());
    }

    #[test]
    fn what_was_said_before_the_stage_and_in_it_is_told_apart() {
        let call = llm::ToolCall {
            id: "1".to_owned(),
            name: "read".to_owned(),
            arguments: serde_json::json!({ "path": "a" }),
            raw: None,
            signature: None,
            cut: false,
        };
        let result = |content: &str| Part::ToolResult {
            call: "1".to_owned(),
            name: "read".to_owned(),
            content: content.to_owned(),
            is_error: false,
        };
        let mut answer = Message::user("");
        (answer.role, answer.parts) = (Role::Assistant, vec![Part::ToolCall(call)]);
        let mut opening = Message::user("");
        let stage = Part::Text { text: "Next.\n<PLAN>\nAll of it\n</PLAN>\n".to_owned() };
        opening.parts = vec![result("before"), stage];
        let mut results = Message::user("");
        results.parts = vec![result("now")];
        let request = ModelRequest {
            messages: vec![
                Message::user("<TASK>\nMend it\n</TASK>"),
                answer.clone(),
                opening,
                answer,
                results,
            ],
            ..ModelRequest::default()
        };
        let pieces = pieces(&request, 3);
        let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        let before = [CONVERSATION; 3];
        assert_eq!(names[..3], before);
        assert_eq!(names[3..], ["PLAN", "text", ANSWERS, "results", "format"]);
        assert_eq!(pieces.iter().map(|piece| piece.tokens).sum::<u64>(), request.estimated_input());
    }

    #[test]
    fn what_was_read_from_the_cache_is_the_beginning_of_the_request() {
        let pieces = pieces(&request(), 0);
        let whole: u64 = pieces.iter().map(|piece| piece.tokens).sum();
        let all = rows(&pieces, &Usage { cache_read: 900, ..Usage::default() });
        assert_eq!(all.iter().map(|row| row.cached).sum::<u64>(), whole);
        let none = rows(&pieces, &Usage { input: 900, ..Usage::default() });
        assert!(none.iter().all(|row| row.cached == 0));
        let half = rows(&pieces, &Usage { input: 500, cache_read: 500, ..Usage::default() });
        assert_eq!(half.iter().map(|row| row.cached).sum::<u64>(), whole / 2);
        assert_eq!(half[0].cached, half[0].tokens);
        assert_eq!(half.last().unwrap().cached, 0);
    }
}
