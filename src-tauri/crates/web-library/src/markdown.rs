//! Pages as Markdown, as a model reads them.

use documents::{Block, BlockKind, Document};
use url::Url;

use crate::text::Text;

/// The most links that are given.
const MAX_LINKS: usize = 400;

/// The blocks of a page as Markdown, with its links.
pub fn document_markdown(url: &Url, document: &Document) -> String {
    let mut out = String::new();
    let mut links = 0;
    let mut before = None;
    for block in &document.blocks {
        let text = linked(url, block, &mut links);
        let label = block.label.as_deref().filter(|label| !block.text.starts_with(*label));
        let tight = matches!((before, block.kind), (Some(BlockKind::Item(_)), BlockKind::Item(_)));
        if !out.is_empty() {
            out.push_str(if tight { "\n" } else { "\n\n" });
        }
        let line = match label {
            Some(label) => format!("{label} {text}"),
            None => text,
        };
        match block.kind {
            BlockKind::Heading(level) => {
                out.push_str(&format!("{} {line}", "#".repeat(usize::from(level.clamp(1, 6)))));
            }
            BlockKind::Item(level) => {
                let indent = "  ".repeat(usize::from(level.clamp(1, 12)) - 1);
                out.push_str(&format!("{indent}- {}", line.replace('\n', &format!("\n{indent}  "))));
            }
            BlockKind::Preformatted => out.push_str(&format!("```\n{line}\n```")),
            BlockKind::Quote => out.push_str(&format!("> {}", line.replace('\n', "\n> "))),
            BlockKind::Paragraph
            | BlockKind::Table
            | BlockKind::Footnote
            | BlockKind::Remark
            | BlockKind::Term => out.push_str(&line),
        }
        before = Some(block.kind);
    }
    out
}

/// A block's text with its links as Markdown has them; only those that lead to another page.
fn linked(url: &Url, block: &Block, links: &mut usize) -> String {
    if block.kind == BlockKind::Preformatted {
        return block.text.clone();
    }
    let mut out = String::with_capacity(block.text.len());
    let mut rest = block.text.as_str();
    for link in &block.links {
        if *links >= MAX_LINKS || link.text.is_empty() || link.target.starts_with('#') {
            continue;
        }
        let target = url.join(&link.target).ok().filter(|target| matches!(target.scheme(), "http" | "https"));
        let (Some(target), Some(at)) = (target, rest.find(&link.text)) else { continue };
        out.push_str(&rest[..at]);
        out.push_str(&format!("[{}]({target})", link.text));
        rest = &rest[at + link.text.len()..];
        *links += 1;
    }
    out.push_str(rest);
    out
}

/// The blocks of a stored text as Markdown; it has none of its links.
pub fn text_markdown(text: &Text) -> String {
    let lines = text.blocks.iter().map(|block| {
        let label = block.label.as_deref().filter(|label| !block.text.starts_with(*label));
        let words = label.map_or_else(|| block.text.clone(), |label| format!("{label} {}", block.text));
        match block.heading {
            Some(level) => format!("{} {words}", "#".repeat(usize::from(level.clamp(1, 6)))),
            None => words,
        }
    });
    lines.collect::<Vec<_>>().join("\n\n")
}
