//! A request as the sections that it is made of. Their tokens add up to the request's whole estimate.

use domain::Usage;
use llm::{ModelRequest, Part, ToolSpec};
use protocol::SectionTokens;

/// A section with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub name: String,
    pub text: String,
    pub tokens: u64,
}

/// What a request is made of, in the order in which a provider reads it.
pub fn pieces(request: &ModelRequest) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let tools: u64 = request.tools.iter().map(ToolSpec::estimated_tokens).sum();
    add(&mut pieces, "tools", &serde_json::to_string(&request.tools).unwrap_or_default(), tools);
    add(&mut pieces, "system", &request.system, context::estimate(&request.system));
    if let Some(schema) = &request.schema {
        let text = schema.to_string();
        add(&mut pieces, "schema", &text, context::estimate(&text));
    }
    let mut told: u64 = pieces.iter().map(|piece| piece.tokens).sum();
    for message in &request.messages {
        let whole = context::estimate(&message.content);
        let mut named = 0;
        let mut rest = String::new();
        for (name, text) in blocks(&message.content) {
            match name {
                Some(name) => {
                    let tokens = context::estimate(&text).min(whole - named);
                    named += tokens;
                    add(&mut pieces, name, &text, tokens);
                }
                None => rest.push_str(&text),
            }
        }
        add(&mut pieces, "text", &rest, whole - named);
        let parts: u64 = message.parts.iter().map(Part::estimated_tokens).sum();
        add(&mut pieces, "parts", &serde_json::to_string(&message.parts).unwrap_or_default(), parts);
        told += whole + parts;
    }
    add(&mut pieces, "format", "", request.estimated_input().saturating_sub(told));
    pieces
}

fn add(pieces: &mut Vec<Piece>, name: &str, text: &str, tokens: u64) {
    if tokens > 0 {
        pieces.push(Piece { name: name.to_owned(), text: text.to_owned(), tokens });
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
        let pieces = pieces(&request);
        let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
        assert_eq!(names, ["system", "schema", "REQUEST", "SEARCH_HITS", "text", "text", "format"]);
        assert_eq!(pieces.iter().map(|piece| piece.tokens).sum::<u64>(), request.estimated_input());
    }

    #[test]
    fn what_was_read_from_the_cache_is_the_beginning_of_the_request() {
        let pieces = pieces(&request());
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
