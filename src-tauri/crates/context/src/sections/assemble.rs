//! Writing sections and cutting them to a budget.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::escape::{escape, escape_attribute};
use super::{Body, ContextParagraph, Section, WebReference, keyed, shown_attributes};
use crate::ContextError;
use crate::tokens::estimate;

/// A context, ready to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembled {
    /// The sections' text.
    pub text: String,
    /// Its tokens, estimated from above.
    pub tokens: u64,
    /// Tokens by section, in order.
    pub ledger: Vec<(String, u64)>,
    /// Where each of these sections ends in `text`, in bytes.
    pub ends: Vec<usize>,
    /// What was left out or cut, in words for a person.
    pub dropped: Vec<String>,
}

/// The best paragraphs that stay until everything else that may be cut has been.
const KEPT_PARAGRAPHS: usize = 3;
/// The least tokens that a cut leaves of a section, its mark included.
const KEPT_TOKENS: u64 = 64;

/// Whether a text may name a section.
pub(super) fn is_section_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && name != "PARAGRAPH"
        && name != "WEB_PAGE"
}

/// Writes the sections that are not empty, in order, in at most `budget` tokens.
///
/// When space is short: (1) whole paragraphs go, least relevant first, until three are left; (2) sections that are
/// neither essential nor paragraphs are cut at a word, longest first, with a mark that says so; (3) the last
/// paragraphs go. What is left must fit, else [`ContextError::TooLong`].
pub fn assemble(sections: &[Section], budget: u64) -> Result<Assembled, ContextError> {
    let mut drafts = Vec::new();
    for section in sections {
        if !is_section_name(&section.name) {
            return Err(ContextError::SectionName(section.name.clone()));
        }
        if !section.body.is_empty() {
            drafts.push(Draft::new(section));
        }
    }
    let mut dropped = Vec::new();
    let mut total: u64 = drafts.iter().map(Draft::tokens).sum();
    if total > budget {
        let before: Vec<usize> = drafts.iter().map(|draft| draft.pieces.len()).collect();
        drop_paragraphs(&mut drafts, &mut total, budget, KEPT_PARAGRAPHS);
        cut_longest(&mut drafts, &mut total, budget, &mut dropped);
        drop_paragraphs(&mut drafts, &mut total, budget, 0);
        for (draft, before) in drafts.iter().zip(before) {
            let gone = before - draft.pieces.len();
            if gone > 0 {
                dropped.push(format!("{gone} of {before} paragraphs of {}", draft.name));
            }
        }
        drafts.retain(|draft| !(draft.paragraphs && draft.pieces.is_empty()));
        total = drafts.iter().map(Draft::tokens).sum();
    }
    if total > budget {
        return Err(ContextError::TooLong { needed: total, available: budget });
    }
    let mut assembled = Assembled { tokens: total, dropped, ..Assembled::default() };
    for draft in &drafts {
        assembled.ledger.push((draft.name.clone(), draft.tokens()));
        draft.write(&mut assembled.text);
        assembled.ends.push(assembled.text.len());
    }
    Ok(assembled)
}

/// A section as it will be written, with what each part of it costs.
struct Draft {
    name: String,
    essential: bool,
    paragraphs: bool,
    frame: u64,
    pieces: Vec<Piece>,
}

struct Piece {
    text: String,
    tokens: u64,
    score: f64,
    id: String,
}

impl Piece {
    fn new(text: String) -> Self {
        Self { tokens: estimate(&text), text, score: 0.0, id: String::new() }
    }
}

impl Draft {
    fn new(section: &Section) -> Self {
        let (paragraphs, pieces) = match &section.body {
            Body::Text(text) => (false, vec![Piece::new(escape(text))]),
            Body::Json(value) => (false, vec![Piece::new(escape(&domain::canonical(value)))]),
            Body::Lines(lines) => {
                let flat: Vec<String> = lines.iter().map(|line| escape(&line.replace('\n', " "))).collect();
                (false, vec![Piece::new(flat.join("\n"))])
            }
            Body::WebReferences(pages) => {
                let pages: Vec<String> =
                    pages.iter().enumerate().map(|(index, page)| write_page(index + 1, page)).collect();
                (false, vec![Piece::new(pages.join("\n"))])
            }
            Body::Paragraphs(paragraphs) => (true, sorted_pieces(paragraphs)),
            Body::Sentences(paragraphs, form) => {
                let pieces = keyed::keyed(paragraphs, *form).into_iter().map(|one| Piece {
                    score: keyed::score(one.paragraph),
                    id: one.paragraph.id.clone(),
                    ..Piece::new(keyed::write(&one, *form))
                });
                (true, pieces.collect())
            }
        };
        let frame = 2 * estimate(&section.name) + 9;
        Self { name: section.name.clone(), essential: section.essential, paragraphs, frame, pieces }
    }

    /// Tokens of the whole section; every piece brings one line break.
    fn tokens(&self) -> u64 {
        self.frame + self.pieces.iter().map(|piece| piece.tokens + 1).sum::<u64>()
    }

    fn write(&self, out: &mut String) {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "<{}>", self.name);
        for piece in &self.pieces {
            out.push_str(&piece.text);
            out.push('\n');
        }
        let _ = writeln!(out, "</{}>", self.name);
    }
}

/// By descending score, ties by id.
fn sorted_pieces(paragraphs: &[ContextParagraph]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = paragraphs
        .iter()
        .map(|paragraph| {
            let score = keyed::score(paragraph);
            Piece { score, id: paragraph.id.clone(), ..Piece::new(write_paragraph(paragraph, score)) }
        })
        .collect();
    pieces.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    pieces
}

fn write_paragraph(paragraph: &ContextParagraph, score: f64) -> String {
    format!(
        "<PARAGRAPH id=\"{}\" ref=\"{}\" score=\"{score:.3}\" source=\"{}\"{}>\n{}\n</PARAGRAPH>",
        escape_attribute(&paragraph.id),
        escape_attribute(&paragraph.reference),
        escape_attribute(&paragraph.source),
        shown_attributes(paragraph),
        escape(&paragraph.text),
    )
}

fn write_page(number: usize, page: &WebReference) -> String {
    format!(
        "<WEB_PAGE label=\"[W{number}]\" title=\"{}\" url=\"{}\">\n{}\n</WEB_PAGE>",
        escape_attribute(&page.title),
        escape_attribute(&page.url),
        escape(&page.insight)
    )
}

/// Drops the least relevant paragraphs of all sections together until the budget fits or `keep` are left.
fn drop_paragraphs(drafts: &mut [Draft], total: &mut u64, budget: u64, keep: usize) {
    if *total <= budget {
        return;
    }
    let mut order: Vec<(f64, String, usize, usize)> = Vec::new();
    for (section, draft) in drafts.iter().enumerate().filter(|(_, draft)| draft.paragraphs) {
        for (index, piece) in draft.pieces.iter().enumerate() {
            order.push((piece.score, piece.id.clone(), section, index));
        }
    }
    order.sort_by(|a, b| {
        a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)).then_with(|| (b.2, b.3).cmp(&(a.2, a.3)))
    });
    let droppable = order.len().saturating_sub(keep);
    let mut gone: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (_, _, section, index) in order.into_iter().take(droppable) {
        if *total <= budget {
            break;
        }
        *total -= drafts[section].pieces[index].tokens + 1;
        gone.insert((section, index));
    }
    for (section, draft) in drafts.iter_mut().enumerate() {
        let mut index = 0;
        draft.pieces.retain(|_| {
            index += 1;
            !gone.contains(&(section, index - 1))
        });
    }
}

/// Cuts the longest sections that may be cut, each as far as it must.
fn cut_longest(drafts: &mut [Draft], total: &mut u64, budget: u64, dropped: &mut Vec<String>) {
    let mut order: Vec<usize> =
        (0..drafts.len()).filter(|index| !drafts[*index].essential && !drafts[*index].paragraphs).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(drafts[*index].tokens()), *index));
    for index in order {
        if *total <= budget {
            return;
        }
        let Some(piece) = drafts[index].pieces.first_mut() else { continue };
        let over = *total - budget;
        let target = piece.tokens.saturating_sub(over).max(KEPT_TOKENS);
        if target >= piece.tokens {
            continue;
        }
        let whole = piece.tokens;
        let (text, kept) = cut(&piece.text, target);
        *piece = Piece::new(text);
        if piece.tokens >= whole {
            continue;
        }
        *total -= whole - piece.tokens;
        dropped.push(format!("{} cut to {kept} of {whole} tokens", drafts[index].name));
    }
}

/// The longest start of an escaped text that ends at a word and, with its mark, has at most `target` tokens; how many
/// tokens of the text it holds. References and web pages are never cut in two.
fn cut(text: &str, target: u64) -> (String, u64) {
    let whole = estimate(text);
    let mark = |kept: u64| format!("[cut: {kept} of {whole} tokens]");
    let room = target.saturating_sub(estimate(&mark(whole)) + 2);
    // The estimate grows with the text, so the cut is found by halving.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = text.ceil_char_boundary(low + (high - low).div_ceil(2));
        if estimate(&text[..middle]) <= room {
            low = middle;
        } else {
            high = text.floor_char_boundary(low + (high - low).div_ceil(2) - 1);
        }
    }
    let mut end = low;
    if end < text.len() && !text[end..].starts_with(char::is_whitespace) {
        // Back to the last whole word; in a text without spaces nearby only an escape is kept in one piece.
        let near = text.floor_char_boundary(end.saturating_sub(200));
        end = match text[near..end].rfind(char::is_whitespace) {
            Some(space) => near + space,
            None => text[..end].rfind('&').filter(|at| !text[*at..end].contains(';')).unwrap_or(end),
        };
    }
    let mut kept = text[..end].trim_end();
    if let Some(open) = kept.rfind("<WEB_PAGE ").filter(|open| !kept[*open..].contains("</WEB_PAGE>")) {
        kept = kept[..open].trim_end();
    }
    let tokens = estimate(kept);
    let joint = if kept.is_empty() { "" } else { "\n" };
    (format!("{kept}{joint}{}", mark(tokens)), tokens)
}
