//! Simple tables: rows whose cells leave the same white stripes.

use super::columns::Line;
use super::labels;

/// Fewest rows of a table.
const MIN_TABLE_ROWS: usize = 3;

/// The table that starts at the first of `lines`: how many of them it takes, and its text.
pub(super) fn table(lines: &[Line], leading: f32) -> Option<(usize, String)> {
    let mut stripes: Vec<(f32, f32)> = Vec::new();
    let mut rows = 0;
    let mut taken = 0;
    for (index, line) in lines.iter().enumerate() {
        let far = index > 0 && line.y - lines[index - 1].y > 2.6 * leading.max(line.size);
        if far || is_contents(line) || index > 0 && line.y <= lines[index - 1].y {
            break;
        }
        if line.cells.len() >= 2 && !is_list_item(line) {
            let merged = merge(&stripes, line);
            if merged.len() < 2 || !stripes.is_empty() && merged.len() < stripes.len().min(line.cells.len()) {
                break;
            }
            stripes = merged;
            rows += 1;
            taken = index + 1;
        } else {
            // A line with one cell goes on with a cell of the row before, below that cell.
            let column = column(&stripes, line.x0, line.x1);
            if index == 0 || column.is_none() {
                break;
            }
            if column != Some(0) {
                taken = index + 1;
            }
        }
    }
    let wide = stripes.len() >= 3;
    (rows >= if wide { MIN_TABLE_ROWS - 1 } else { MIN_TABLE_ROWS })
        .then(|| (taken, text(&lines[..taken], &stripes)))
}

/// A line of a table of contents: a row of dots, then a page number.
pub(super) fn is_contents(line: &Line) -> bool {
    let text = line.text();
    let Some((head, last)) = text.trim_end().rsplit_once([' ', '.']) else { return false };
    let number = !last.is_empty() && last.chars().all(|c| c.is_ascii_digit() || "ivxlcIVXLC-".contains(c));
    let dots =
        head.chars().rev().take_while(|c| matches!(c, '.' | ' ' | '…' | '·')).filter(|c| *c != ' ').count();
    number && (dots >= 4 || head.trim_end().ends_with('…'))
}

/// A line whose last cell is a page number; among lines of a table of contents it is one of them.
pub(super) fn ends_in_number(line: &Line) -> bool {
    let Some(last) = line.cells.last().filter(|_| line.cells.len() > 1) else { return false };
    last.words.len() == 1 && last.text().chars().all(|c| c.is_ascii_digit() || "ivxlc".contains(c))
}

fn is_list_item(line: &Line) -> bool {
    line.cells.len() == 2 && labels::mark(&format!("{} x", line.cells[0].text()), true).is_some()
}

/// The stripes that hold text once `line` is added: cells that touch a stripe widen it.
fn merge(stripes: &[(f32, f32)], line: &Line) -> Vec<(f32, f32)> {
    let mut all: Vec<(f32, f32)> = stripes.to_vec();
    all.extend(line.cells.iter().map(|cell| (cell.x0, cell.x1)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<(f32, f32)> = Vec::new();
    for (x0, x1) in all {
        match out.last_mut() {
            Some(last) if x0 < last.1 + 0.5 * line.size => last.1 = last.1.max(x1),
            _ => out.push((x0, x1)),
        }
    }
    out
}

/// The one stripe that x0..x1 lies in.
fn column(stripes: &[(f32, f32)], x0: f32, x1: f32) -> Option<usize> {
    let mut touched = stripes.iter().enumerate().filter(|(_, stripe)| x0 < stripe.1 && x1 > stripe.0);
    let (index, _) = touched.next()?;
    touched.next().is_none().then_some(index)
}

fn text(lines: &[Line], stripes: &[(f32, f32)]) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let mut row = vec![String::new(); stripes.len()];
        for cell in &line.cells {
            let at = stripes.iter().position(|stripe| cell.x0 < stripe.1).unwrap_or(stripes.len() - 1);
            add(&mut row[at], &cell.text());
        }
        match rows.last_mut().filter(|_| row[0].is_empty()) {
            Some(last) => last.iter_mut().zip(&row).for_each(|(cell, more)| add(cell, more)),
            None => rows.push(row),
        }
    }
    rows.iter().map(|row| row.join(" | ").trim().to_owned()).collect::<Vec<_>>().join("\n")
}

fn add(cell: &mut String, more: &str) {
    if !cell.is_empty() && !more.is_empty() {
        cell.push(' ');
    }
    cell.push_str(more);
}
