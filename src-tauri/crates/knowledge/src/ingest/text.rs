//! Plain text: underlined or numbered headings, blocks between blank lines.

use super::draft::Draft;
use super::markdown::{bullet, own_number};
use super::sections::{Sections, split_number};

/// The paragraphs of a text file, given as its lines.
pub(crate) fn read(stem: &str, lines: &[String]) -> Vec<Draft> {
    let mut sections = Sections::new(stem);
    let mut marks: Vec<char> = Vec::new();
    let mut titled = false;
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim().is_empty() {
            at += 1;
            continue;
        }
        if let Some(mark) = lines.get(at + 1).and_then(|next| underline(&lines[at], next)) {
            let title = lines[at].trim();
            let (number, rest) = split_number(title);
            if !titled && number.is_none() {
                sections.name_document(title);
            } else {
                let level = number.map_or_else(|| level_of(mark, &mut marks), |n| n.split('.').count());
                if number.is_some() {
                    level_of(mark, &mut marks);
                }
                sections.heading(level, number, rest);
            }
            titled = true;
            at += 2;
            continue;
        }
        let end = (at..lines.len())
            .find(|&next| {
                lines[next].trim().is_empty()
                    || (next > at
                        && lines.get(next + 1).is_some_and(|u| underline(&lines[next], u).is_some()))
            })
            .unwrap_or(lines.len());
        let block = &lines[at..end];
        let first = block[0].trim();
        match bare_heading(block) {
            Some((number, title)) => sections.heading(number.split('.').count(), Some(number), title),
            None => {
                let text = block.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n");
                let (number, rest) = own_number(&text);
                let indented = block[0].starts_with("  ") || block[0].starts_with('\t');
                sections.block(at + 1, rest, number, number.is_none() && (indented || bullet(first)));
            }
        }
        at = end;
    }
    sections.finish()
}

/// The mark of an underline below `title`: one character, repeated about as long as the title.
fn underline(title: &str, next: &str) -> Option<char> {
    let title = title.trim_end();
    let next = next.trim_end();
    let mark = next.chars().next()?;
    let length = title.chars().count();
    let fits =
        next.chars().count() >= 3 && next.chars().count() + 2 >= length && next.chars().count() <= length + 4;
    let plain = !title.starts_with([' ', '\t']) && title.chars().any(char::is_alphabetic) && length <= 160;
    (fits && plain && "=*-~^#\"+".contains(mark) && next.chars().all(|c| c == mark)).then_some(mark)
}

fn level_of(mark: char, marks: &mut Vec<char>) -> usize {
    if let Some(at) = marks.iter().position(|&one| one == mark) {
        return at + 1;
    }
    marks.push(mark);
    marks.len()
}

/// A numbered heading without underline: alone on its line, several numbers, no full stop at the end.
fn bare_heading(block: &[String]) -> Option<(&str, &str)> {
    let [line] = block else { return None };
    if line.starts_with([' ', '\t']) || line.len() > 120 {
        return None;
    }
    let (number, title) = split_number(line.trim_end());
    let number = number.filter(|number| number.contains('.'))?;
    let capital = title.chars().next().is_some_and(|c| c.is_uppercase() || c == '"');
    (capital && !title.ends_with(['.', ';', ',', ':'])).then_some((number, title))
}
