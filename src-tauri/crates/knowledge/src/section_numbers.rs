//! The numbers by which a document itself names paragraphs that its base only counts: what `12 ¶4` counts may be item (d) of 12.3.

use std::collections::BTreeMap;

use crate::base::Base;
use crate::paragraph::Paragraph;
use crate::rules::items::{Found, Level, Mark, find, place};

/// The marks of items, from the outermost.
const MARKS: [&str; 4] = ["(a)", "(i)", "(A)", "(1)"];

/// A numbered paragraph, or a section, whose items may follow.
struct Open<'p> {
    file: u32,
    number: &'p str,
    /// Open items, each with its mark.
    levels: Vec<(Level, &'p str)>,
    /// Whether an item did not follow the one before it: what comes then may be of another list.
    is_lost: bool,
}

impl<'p> Open<'p> {
    fn new(paragraph: &Paragraph, number: &'p str) -> Option<Self> {
        let open = Self { file: paragraph.file, number, levels: Vec::new(), is_lost: false };
        is_number(number).then_some(open)
    }
}

impl Base {
    /// The numbers of paragraphs that begin with the mark of an item, such as `12.3(d)`, by their ids. An item that does not follow the
    /// one before it has none.
    pub fn section_numbers(&self) -> BTreeMap<&str, String> {
        let marks: Vec<Mark> = MARKS.iter().filter_map(|mark| Mark::parse(mark)).collect();
        let mut out = BTreeMap::new();
        let mut open: Option<Open<'_>> = None;
        let all = self.paragraphs();
        for (at, paragraph) in all.iter().enumerate() {
            let number = own_number(paragraph);
            let Some((section, _)) = number.split_once(" ¶") else {
                open = Open::new(paragraph, number);
                continue;
            };
            let is_below = |open: &Open<'_>| {
                let rest = open.number.strip_prefix(section);
                open.file == paragraph.file
                    && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            open = open.filter(is_below).or_else(|| Open::new(paragraph, section));
            let (Some(within), Some(found)) = (&mut open, item(paragraph)) else { continue };
            let next = all.get(at + 1).filter(|next| next.file == paragraph.file).and_then(item);
            let levels: Vec<Level> = within.levels.iter().map(|(level, _)| *level).collect();
            let follows = place(&marks, &levels, &found, next.as_ref()).filter(|(keep, level)| {
                let before = levels.get(*keep);
                before.map_or(level.value == 1, |before| {
                    before.level == level.level && before.value + 1 == level.value
                })
            });
            let Some((keep, level)) = follows.filter(|_| !within.is_lost) else {
                within.is_lost = true;
                continue;
            };
            within.levels.truncate(keep);
            within.levels.push((level, found.body));
            let items: String = within.levels.iter().map(|(_, mark)| format!("({mark})")).collect();
            out.insert(paragraph.id.as_str(), format!("{}{items}", within.number));
        }
        out
    }
}

/// The number in a paragraph's id, without the name of its document.
fn own_number(paragraph: &Paragraph) -> &str {
    paragraph.id.rsplit_once(':').map_or(paragraph.id.as_str(), |(_, number)| number)
}

/// Whether it is a number such as `12` and `12.3`.
fn is_number(number: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    number.split('.').all(is_part)
}

/// The mark that a paragraph begins with.
fn item(paragraph: &Paragraph) -> Option<Found<'_>> {
    find(&paragraph.text)
        .filter(|found| paragraph.text.starts_with('(') && paragraph.text[found.bytes..].starts_with(' '))
}
