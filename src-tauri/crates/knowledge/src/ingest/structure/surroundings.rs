//! What a row of a table needs to be understood where it stands alone: the words right above the table, and the names of its
//! columns.

use documents::{Block, BlockKind};
use tables::{Head, cells};

use super::Reading;

/// Blocks above a table that are looked at.
const BLOCKS: usize = 7;
/// Longest text above a table that is taken whole, and of a part of a text, in characters.
const LEAD_CHARS: usize = 160;
/// Most characters in all.
const MAX_CHARS: usize = 500;
/// What stands between the parts.
const APART: &str = " · ";

impl Reading<'_> {
    /// What must be known of a table, or of a block whose reader says it itself; empty where there is nothing.
    pub(super) fn surroundings(&self, at: usize, block: &Block, text: &str) -> String {
        if block.kind != BlockKind::Table {
            return block.context.clone();
        }
        let rows: Vec<Vec<String>> = text.lines().take(Head::LOOKED_AT).map(cells).collect();
        let head = Head::find(&rows, block.table.names(&rows));
        let mut parts = self.leads(at);
        parts.extend((!block.context.is_empty()).then(|| block.context.clone()));
        let titles = rows[..head.rows.start]
            .iter()
            .map(|row| row.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>());
        parts.extend(titles.map(|mut title| {
            title.dedup();
            title.join(" ")
        }));
        let mut names = head.names;
        names.retain(|name| !name.is_empty());
        parts.push(names.join(" | "));
        // Headings are shown anyhow.
        let titles: Vec<&str> = self.headings.frames().iter().map(|frame| frame.title.as_str()).collect();
        let is_heading = |part: &str| titles.iter().any(|title| !title.is_empty() && part.ends_with(title));
        // The number of a page says nothing.
        let is_page = |part: &str| part.len() < 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.retain(|part| !is_page(part) && !is_heading(part));
        parts.dedup();
        let mut context = parts.join(APART);
        if context.chars().count() > MAX_CHARS {
            context = context.chars().take(MAX_CHARS).chain(['…']).collect();
        }
        context
    }

    /// The words above a table that introduce it, in order: short lines, and what ends with a colon.
    fn leads(&self, at: usize) -> Vec<String> {
        let mut leads = Vec::new();
        let mut past_heading = false;
        for block in self.blocks[..at].iter().rev().take(BLOCKS) {
            // Years above columns look like the number of a paragraph.
            let label =
                block.label.as_deref().filter(|label| !block.text.starts_with(label)).unwrap_or_default();
            let text =
                label.split_whitespace().chain(block.text.split_whitespace()).collect::<Vec<_>>().join(" ");
            let is_short = text.chars().count() <= LEAD_CHARS;
            match block.kind {
                BlockKind::Paragraph if text.ends_with(':') && (!is_short || text.contains(". ")) => {
                    let sentence = text.rsplit(". ").next().unwrap_or(&text);
                    let skipped = sentence.chars().count().saturating_sub(LEAD_CHARS);
                    leads.push(sentence.chars().skip(skipped).collect());
                    break;
                }
                BlockKind::Heading(_) if is_short => past_heading = true,
                BlockKind::Paragraph | BlockKind::Quote | BlockKind::Term | BlockKind::Item(_)
                    if is_short && !text.ends_with(['.', '!', '?', ';']) => {}
                _ => break,
            }
            // A heading further up stands above other text as well.
            if past_heading
                && !matches!(block.kind, BlockKind::Heading(_))
                && !text.chars().any(|c| c.is_ascii_digit())
            {
                break;
            }
            leads.push(text);
        }
        leads.reverse();
        leads
    }
}
