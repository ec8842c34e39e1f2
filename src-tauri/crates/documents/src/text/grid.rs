//! Tables drawn with `+`, `-` and `|`.

use super::pages::Line;
use crate::output::clean;

/// A drawn table's rows, cells joined by ` | `, with the number of invisible characters in it; `None` for other text.
pub(super) fn read(block: &[Line<'_>]) -> Option<(String, usize)> {
    let rule = |line: &Line<'_>| {
        let text = line.text.trim();
        text.starts_with('+')
            && text.ends_with('+')
            && text.len() > 2
            && text.chars().all(|c| "+-=".contains(c))
    };
    let row = |line: &Line<'_>| line.text.trim().starts_with('|') && line.text.trim().ends_with('|');
    if block.len() < 3 || !rule(&block[0]) || !block.iter().all(|line| rule(line) || row(line)) {
        return None;
    }
    let mut rows: Vec<String> = Vec::new();
    let mut invisible = 0;
    let mut cells: Vec<String> = Vec::new();
    for line in block {
        if rule(line) {
            let done: Vec<String> = cells
                .drain(..)
                .map(|cell| {
                    let (text, removed) = clean(&cell);
                    invisible += removed;
                    text
                })
                .collect();
            if done.iter().any(|cell| !cell.is_empty()) {
                rows.push(done.join(" | ").trim_end_matches([' ', '|']).to_owned());
            }
            continue;
        }
        let text = line.text.trim();
        for (index, part) in text[1..].trim_end_matches('|').split('|').enumerate() {
            if cells.len() <= index {
                cells.push(String::new());
            }
            cells[index].push_str(part);
            cells[index].push(' ');
        }
    }
    (!rows.is_empty()).then(|| (rows.join("\n"), invisible))
}
