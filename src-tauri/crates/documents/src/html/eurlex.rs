//! Pages of the Official Journal of the European Union, as EUR-Lex gives them out: articles, recitals and annexes are
//! known by class and id, points are tables of two columns.

use super::blocks::{Walk, Within};
use super::tables::rows;
use super::tags::Tag;
use super::tokens::Key;
use super::tree::Id;
use crate::numbers::{self, Mark};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// A heading's first line (`Article 6`) until its second (its subject) comes.
#[derive(Debug)]
struct Title {
    level: u8,
    label: String,
    ids: Vec<String>,
    line: Option<u32>,
}

/// What was passed so far.
#[derive(Debug, Default)]
pub(crate) struct State {
    title: Option<Title>,
    /// An article or annex began: numbers in brackets are points now, no recitals.
    enacting: bool,
}

/// Whether a page is one.
pub(crate) fn is_eurlex(source: &str) -> bool {
    ["\"oj-ti-art", "\"oj-normal", "eli-subdivision", "\"title-article-norm", "\"ti-art"]
        .iter()
        .any(|mark| source.contains(mark))
}

/// Prefixes of the ids that name a subdivision; others are the editor's.
const IDS: [&str; 8] = ["art_", "rct_", "anx_", "cpt_", "sct_", "tis_", "prt_", "pbl_"];

/// Which of a block's ids is its anchor.
pub(crate) fn best_id(ids: &[String]) -> usize {
    ids.iter().rposition(|id| IDS.iter().any(|prefix| id.starts_with(prefix))).unwrap_or(0)
}

/// The number of an article's paragraph: `2.   Text`.
pub(crate) fn paragraph_number(text: &str) -> Option<(&str, &str)> {
    let (number, rest) = text.split_once(". ")?;
    let digits = number.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let whole = (1..=3).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && number.len() - digits.len() <= 2;
    (whole && !rest.is_empty()).then_some((number, rest))
}

enum Role {
    Label(u8),
    Subject,
    Group,
}

impl Walk<'_, '_, '_> {
    /// Reads an element that has a meaning of its own here; false for the others.
    pub(crate) fn visit_eurlex(&mut self, id: Id, within: &mut Within) -> Result<bool, ReadError> {
        let tree = self.tree;
        if tree.node(id).tag == Tag::Table {
            return self.points(id, within);
        }
        let Some(classes) = tree.value(id, Key::Class) else { return Ok(false) };
        for class in classes.split_ascii_whitespace() {
            match class {
                "eli-main-title" => {
                    let run = self.cell(id);
                    self.output.document.title.get_or_insert_with(|| run.text.clone());
                    let place = BlockPosition { page: None, line: run.line };
                    let mut block = Block::new(BlockKind::Heading(1), run.text, place);
                    block.links = run.links;
                    self.put(block)?;
                    return Ok(true);
                }
                "grid-container" => return self.grid(id, within),
                _ => {}
            }
            let Some(role) = role(class) else { continue };
            let run = self.cell(id);
            if run.text.is_empty() {
                return Ok(true);
            }
            match role {
                Role::Subject if self.eurlex.as_ref().is_some_and(|state| state.title.is_some()) => {
                    self.put_title(Some(run.text))?;
                }
                // The title of an annex has the class of its label.
                Role::Label(_)
                    if class.ends_with("doc-ti")
                        && self.waiting().is_some_and(|label| label.starts_with("ANNEX")) =>
                {
                    self.put_title(Some(run.text))?;
                }
                Role::Label(level) => {
                    self.flush_title()?;
                    let level = level_of(&run.text).unwrap_or(level);
                    let ids = std::mem::take(&mut self.ids);
                    if let Some(state) = &mut self.eurlex {
                        let first = run.text.split(' ').next().unwrap_or_default();
                        state.enacting |= class.contains("art") || first.eq_ignore_ascii_case("annex");
                        state.title = Some(Title { level, label: run.text, ids, line: run.line });
                    }
                }
                Role::Subject | Role::Group => {
                    self.flush_title()?;
                    let mut block = Block::new(
                        BlockKind::Heading(3),
                        run.text,
                        BlockPosition { page: None, line: run.line },
                    );
                    block.links = run.links;
                    self.put(block)?;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn waiting(&self) -> Option<&str> {
        Some(self.eurlex.as_ref()?.title.as_ref()?.label.as_str())
    }

    /// Puts out a title whose subject did not come.
    pub(crate) fn flush_title(&mut self) -> Result<(), ReadError> {
        self.put_title(None)
    }

    fn put_title(&mut self, subject: Option<String>) -> Result<(), ReadError> {
        let Some(title) = self.eurlex.as_mut().and_then(|state| state.title.take()) else { return Ok(()) };
        let place = BlockPosition { page: None, line: title.line };
        let mut block = Block::new(
            BlockKind::Heading(title.level),
            subject.unwrap_or_else(|| title.label.clone()),
            place,
        );
        block.label = Some(title.label);
        // Ids passed since then lead to the blocks that follow, unless they are the subject's own.
        let later = std::mem::replace(&mut self.ids, title.ids);
        self.put(block)?;
        self.ids = later.into_iter().filter(|id| !id.contains(".tit_")).collect();
        Ok(())
    }

    /// A table whose first column holds marks: its rows are points or, before the first article, recitals.
    fn points(&mut self, id: Id, within: &mut Within) -> Result<bool, ReadError> {
        let tree = self.tree;
        let rows = rows(tree, id);
        let mut points = Vec::new();
        for row in &rows {
            let mut cells = row.iter().copied();
            // Deeper points are shifted by an empty column.
            let mark = loop {
                let Some(cell) = cells.next() else { return Ok(false) };
                let ids = std::mem::take(&mut self.ids);
                let mark = self.cell(cell).text;
                self.ids = ids;
                if !mark.is_empty() {
                    break mark;
                }
            };
            let bare = mark.trim_start_matches(['‘', '“', '\'', '"']);
            let (Some(kind), Some(text), None) = (numbers::mark(bare), cells.next(), cells.next()) else {
                return Ok(false);
            };
            let label = match kind {
                Mark::Bullet => None,
                Mark::Label(_) => Some(mark),
            };
            points.push((label, text));
        }
        let recital = !self.eurlex.as_ref().is_some_and(|state| state.enacting);
        for (label, text) in points {
            let number = label.as_deref().is_some_and(|label| label.contains(|c: char| c.is_ascii_digit()));
            let mut point = if recital && number && within.lists == 0 {
                Within { kind: BlockKind::Paragraph, lists: 0, label }
            } else {
                Within::item(within.lists.saturating_add(1), label)
            };
            if within.kind == BlockKind::Footnote {
                point.kind = BlockKind::Footnote;
            }
            self.block(text, &mut point)?;
        }
        Ok(true)
    }

    /// Points of consolidated texts: a grid of a mark and a text.
    fn grid(&mut self, id: Id, within: &mut Within) -> Result<bool, ReadError> {
        let tree = self.tree;
        let columns: Vec<Id> = tree.children(id).filter(|&child| tree.node(child).tag.is_block()).collect();
        let &[first, second] = columns.as_slice() else { return Ok(false) };
        let mark = self.cell(first).text;
        let label = match numbers::mark(&mark) {
            Some(Mark::Bullet) => None,
            Some(Mark::Label(_)) => Some(mark),
            None => {
                let mut first_within = within.clone();
                self.block(first, &mut first_within)?;
                self.block(second, within)?;
                return Ok(true);
            }
        };
        self.block(second, &mut Within::item(within.lists.saturating_add(1), label))?;
        Ok(true)
    }
}

/// What a class of the Official Journal says about a line; `oj-` stands before it since 2023.
fn role(class: &str) -> Option<Role> {
    Some(match class.strip_prefix("oj-").unwrap_or(class) {
        "ti-art" | "title-article-norm" => Role::Label(4),
        "sti-art" | "stitle-article-norm" | "ti-section-2" | "title-division-2" | "title-annex-2" => {
            Role::Subject
        }
        "ti-section-1" | "title-division-1" => Role::Label(2),
        "doc-ti" | "title-annex-1" => Role::Label(1),
        "ti-grseq-1" | "title-gr-seq-level-1" => Role::Group,
        _ => return None,
    })
}

fn level_of(label: &str) -> Option<u8> {
    Some(match label.split(' ').next()?.to_uppercase().as_str() {
        "PART" | "TITLE" | "ANNEX" => 1,
        "CHAPTER" => 2,
        "SECTION" => 3,
        "ARTICLE" => 4,
        _ => return None,
    })
}
