//! From a page's tree to blocks.

use std::collections::BTreeMap;

use super::run::Run;
use super::tags::Tag;
use super::tokens::Key;
use super::tree::{Id, Tree};
use super::{eurlex, math};
use crate::linear::{lowered_behind, raised_behind};
use crate::marks::{is_mark, struck};
use crate::omissions::Omission;
use crate::output::{Output, clean_lines};
use crate::{Block, BlockKind, BlockPosition, Link, ReadError, numbers};

/// What the text at some place of the tree belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Within {
    pub(crate) kind: BlockKind,
    /// How many lists are around.
    pub(crate) lists: u8,
    /// The mark of the item, until its first block takes it.
    pub(crate) label: Option<String>,
}

impl Within {
    pub(crate) fn item(lists: u8, label: Option<String>) -> Self {
        Self { kind: BlockKind::Item(lists), lists, label }
    }

    fn kind(&self, kind: BlockKind) -> Self {
        Self { kind, lists: self.lists, label: None }
    }
}

/// A walk over a tree that puts out blocks.
pub(crate) struct Walk<'t, 'o, 'l> {
    pub(crate) tree: &'t Tree<'t>,
    pub(crate) output: &'o mut Output<'l>,
    pub(crate) run: Run,
    /// Ids since the last block; the next one takes them.
    pub(crate) ids: Vec<String>,
    /// Every id that leads to a block, with the block's anchor.
    aliases: BTreeMap<String, String>,
    /// The mark of a footnote whose text comes in a block of its own.
    note: Option<String>,
    /// Set for pages of the Official Journal.
    pub(crate) eurlex: Option<eurlex::State>,
}

impl<'t, 'o, 'l> Walk<'t, 'o, 'l> {
    pub(crate) fn new(tree: &'t Tree<'t>, output: &'o mut Output<'l>, eurlex: Option<eurlex::State>) -> Self {
        Self {
            tree,
            output,
            run: Run::default(),
            ids: Vec::new(),
            aliases: BTreeMap::new(),
            note: None,
            eurlex,
        }
    }

    /// Puts out the whole tree's blocks.
    pub(crate) fn run(mut self) -> Result<(), ReadError> {
        let first = self.output.document.blocks.len();
        let mut within = Within { kind: BlockKind::Paragraph, lists: 0, label: None };
        self.children(self.tree.root(), &mut within)?;
        self.flush(&mut within)?;
        self.flush_title()?;
        // Links lead to blocks by the one anchor that a block has.
        let blocks = self.output.document.blocks.iter_mut().skip(first);
        for link in blocks.flat_map(|block| &mut block.links) {
            if let Some(anchor) = link.target.strip_prefix('#').and_then(|id| self.aliases.get(id)) {
                link.target = format!("#{anchor}");
            }
        }
        Ok(())
    }

    pub(crate) fn children(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let tree = self.tree;
        tree.children(id).try_for_each(|child| self.visit(child, within))
    }

    fn visit(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let tree = self.tree;
        let node = tree.node(id);
        if tree.text(id).is_some() {
            self.text(id);
            return Ok(());
        }
        if node.tag.is_block() {
            if matches!(within.kind, BlockKind::Item(_)) && self.run.is_lone_box() {
                // The item's text begins with it.
                self.run.space();
            } else {
                self.flush(within)?;
            }
        }
        self.take_ids(id);
        match node.tag {
            Tag::Br => self.run.break_line(),
            Tag::A => self.link(id, within)?,
            Tag::Math => self.formula(id),
            Tag::Sub | Tag::Sup => {
                let start = self.run.text.len();
                self.children(id, within)?;
                self.shift(id, start);
            }
            tag if !tag.is_block() => self.children(id, within)?,
            _ if self.eurlex.is_some() && self.visit_eurlex(id, within)? => {}
            _ if is_note(tree, id) => self.block(id, &mut within.kind(BlockKind::Footnote))?,
            Tag::Pre | Tag::Listing => self.preformatted(id, within)?,
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.list(id, within)?,
            Tag::Table => self.table(id, within)?,
            Tag::Dt => {
                let kind = kept(within, BlockKind::Term);
                self.block(id, &mut within.kind(kind))?;
            }
            Tag::Dd => {
                let kind = kept(within, BlockKind::Paragraph);
                self.block(id, &mut within.kind(kind))?;
            }
            Tag::Blockquote | Tag::Aside => {
                let kind = kept(within, BlockKind::Quote);
                self.block(id, &mut within.kind(kind))?;
            }
            Tag::Figcaption | Tag::Caption => self.block(id, &mut within.kind(BlockKind::Paragraph))?,
            tag => match tag.heading() {
                Some(level) => self.block(id, &mut within.kind(BlockKind::Heading(level)))?,
                None => self.block(id, within)?,
            },
        }
        Ok(())
    }

    pub(crate) fn block(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        self.children(id, within)?;
        self.flush(within)
    }

    /// The text of a text node.
    pub(crate) fn text(&mut self, id: Id) {
        let (node, text) = (self.tree.node(id), self.tree.text(id).unwrap_or_default());
        if node.tag == Tag::S {
            self.run.push_struck(text, node.line);
        } else {
            self.run.push(text, node.line);
        }
    }

    /// What was read behind `start` is of an element that stands beside the line.
    pub(crate) fn shift(&mut self, id: Id, start: usize) {
        if let Some(written) = shifted(self.tree, id) {
            self.run.shift(start, written);
        }
    }

    pub(crate) fn formula(&mut self, id: Id) {
        let (text, unknown) = math::written(self.tree, id);
        let line = self.tree.node(id).line;
        self.output.omit(Omission::Formula, unknown.into(), BlockPosition { page: None, line: Some(line) });
        self.run.push_formula(&text, line);
    }

    pub(crate) fn take_ids(&mut self, id: Id) {
        let tree = self.tree;
        let by_name = if tree.node(id).tag == Tag::A { tree.value(id, Key::Name) } else { None };
        for id in [tree.value(id, Key::Id), by_name].into_iter().flatten() {
            let id = id.trim();
            if !id.is_empty() && !self.ids.iter().any(|known| known == id) && self.ids.len() < 64 {
                self.ids.push(id.to_owned());
            }
        }
    }

    fn link(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let start = self.run.text.len();
        self.children(id, within)?;
        self.end_link(id, start);
        Ok(())
    }

    /// Records the link around the text behind `start`.
    pub(crate) fn end_link(&mut self, id: Id, start: usize) {
        let href = self.tree.value(id, Key::Href);
        if href.is_some_and(|href| href.contains('#'))
            && self
                .run
                .text
                .get(start..)
                .is_some_and(|text| matches!(text.trim(), "#" | "¶" | "🔗" | "↩" | "⚓" | "›" | "»" | "∞"))
        {
            // A sign to click on, no word of the text.
            self.run.text.truncate(start);
            return;
        }
        let Some(target) = href.and_then(address) else { return };
        let Some(text) = self.run.text.get(start..).map(str::trim).filter(|text| !text.is_empty()) else {
            return;
        };
        self.run.links.push(Link { text: text.replace('\n', " "), target });
    }

    /// Puts out what the run holds.
    pub(crate) fn flush(&mut self, within: &mut Within) -> Result<(), ReadError> {
        if self.run.text.is_empty() && self.run.invisible == 0 {
            return Ok(());
        }
        if self.run.is_lone_box() {
            // A switch of the page's own.
            self.run.take();
            self.output.omit(Omission::Control, 1, BlockPosition::default());
            return Ok(());
        }
        let mut run = self.run.take();
        self.output.removed(run.invisible);
        if matches!(within.kind, BlockKind::Heading(_)) {
            run.text = run.text.replace('\n', " ");
        }
        if run.text.is_empty() {
            return Ok(());
        }
        let footnote = within.kind == BlockKind::Footnote;
        if footnote && within.label.is_none() && is_note_mark(&run.text) {
            self.note = Some(run.text);
            return Ok(());
        }
        self.flush_title()?;
        let place = BlockPosition { page: None, line: run.line };
        let mut block = Block::new(within.kind, run.text, place);
        block.links = run.links;
        block.label = within.label.take().or_else(|| self.note.take_if(|_| footnote));
        if block.label.is_none() {
            split_label(&mut block, self.eurlex.is_some());
        }
        self.put(block)
    }

    /// Puts a block out with the ids that lead to it.
    pub(crate) fn put(&mut self, mut block: Block) -> Result<(), ReadError> {
        let ids = std::mem::take(&mut self.ids);
        let at = if self.eurlex.is_some() { eurlex::best_id(&ids) } else { 0 };
        if let Some(anchor) = ids.get(at) {
            block.anchor = Some(anchor.clone());
            for id in ids.iter().filter(|id| *id != anchor) {
                self.aliases.entry(id.clone()).or_insert_with(|| anchor.clone());
            }
        }
        self.output.push(block)
    }

    fn preformatted(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let mut text = String::new();
        let mut ids = Vec::new();
        raw_text(self.tree, id, &mut text, &mut ids);
        ids.into_iter().for_each(|id| self.take_ids(id));
        let (text, invisible) = clean_lines(&text);
        self.output.removed(invisible);
        self.flush_title()?;
        let place = BlockPosition { page: None, line: Some(self.tree.node(id).line) };
        let mut block = Block::new(BlockKind::Preformatted, text, place);
        if !block.text.is_empty() {
            block.label = within.label.take();
            self.put(block)?;
        }
        Ok(())
    }

    fn list(&mut self, id: Id, within: &Within) -> Result<(), ReadError> {
        let tree = self.tree;
        let is_ordered = tree.node(id).tag == Tag::Ol;
        let kind = tree.value(id, Key::Type).unwrap_or(if is_ordered { "1" } else { "" }).trim();
        let is_marked = matches!(kind, "1" | "a" | "A" | "i" | "I");
        let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<i64>().ok());
        let is_reversed = is_ordered && tree.value(id, Key::Reversed).is_some();
        let items = tree.children(id).filter(|&child| tree.node(child).tag == Tag::Li).count();
        let first = if is_reversed { i64::try_from(items).unwrap_or(1) } else { 1 };
        let mut next = number(tree.value(id, Key::Start)).unwrap_or(first);
        let lists = within.lists.saturating_add(1);
        let item_kind = kept(within, BlockKind::Item(lists));
        for child in tree.children(id) {
            if tree.node(child).tag != Tag::Li {
                let mut loose = Within { kind: item_kind, lists, label: None };
                self.visit(child, &mut loose)?;
                self.flush(&mut loose)?;
                continue;
            }
            next = number(tree.value(child, Key::Value)).unwrap_or(next);
            self.take_ids(child);
            let label = is_marked.then(|| numbers::ordinal(next, kind));
            self.block(child, &mut Within { kind: item_kind, lists, label })?;
            next = next.saturating_add(if is_reversed { -1 } else { 1 });
        }
        Ok(())
    }
}

/// What stands in a footnote stays one, however it is laid out.
fn kept(within: &Within, kind: BlockKind) -> BlockKind {
    match (within.kind, kind) {
        (BlockKind::Footnote, _) => BlockKind::Footnote,
        // A list or a definition in a quotation is a list or a definition still.
        (_, kind) => kind,
    }
}

/// Whether an element holds footnotes or endnotes.
fn is_note(tree: &Tree<'_>, id: Id) -> bool {
    let has = |name, known: &[&str]| {
        tree.value(id, name).is_some_and(|all| all.split_ascii_whitespace().any(|one| known.contains(&one)))
    };
    has(Key::Role, &["doc-footnote", "doc-endnote", "doc-endnotes"])
        || has(Key::EpubType, &["footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes"])
        || has(Key::Class, &["footnote", "footnotes", "endnote", "endnotes", "oj-note"])
}

fn is_note_mark(text: &str) -> bool {
    numbers::mark(text).is_some() || (text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit()))
}

/// An address that can be followed; scripts and data are none.
fn address(href: &str) -> Option<String> {
    let href = href.trim();
    let scheme = href.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let lead = !matches!(scheme.as_deref(), Some("javascript" | "data" | "vbscript"));
    let plain = !href.chars().any(|c| c.is_control());
    (lead && plain && href.len() <= 2_000 && !matches!(href, "" | "#")).then(|| href.to_owned())
}

/// Takes the number at the beginning of a block's text as its label.
fn split_label(block: &mut Block, eurlex: bool) {
    let split = match block.kind {
        BlockKind::Heading(_) => numbers::heading(&block.text),
        BlockKind::Paragraph if eurlex => eurlex::paragraph_number(&block.text),
        BlockKind::Paragraph => numbers::paragraph(&block.text),
        BlockKind::Footnote => match numbers::item(&block.text) {
            Some((numbers::Mark::Label(label), rest)) => Some((label, rest)),
            _ => None,
        },
        BlockKind::Item(_)
        | BlockKind::Table
        | BlockKind::Preformatted
        | BlockKind::Quote
        | BlockKind::Remark
        | BlockKind::Term => None,
    };
    if let Some((label, rest)) = split.map(|(label, rest)| (label.to_owned(), rest.to_owned())) {
        block.label = Some(label);
        block.text = rest;
    }
}

/// The text below an element as it stands there, line breaks included.
fn raw_text(tree: &Tree<'_>, id: Id, out: &mut String, ids: &mut Vec<Id>) {
    for child in tree.children(id) {
        if let Some(text) = tree.text(child) {
            let is_struck = tree.node(child).tag == Tag::S;
            let plain = text.replace(is_mark, "");
            out.push_str(&if is_struck { struck(&plain) } else { plain });
            continue;
        }
        ids.push(child);
        let tag = tree.node(child).tag;
        if tag == Tag::Br || (tag.is_block() && !out.is_empty() && !out.ends_with('\n')) {
            out.push('\n');
        }
        let start = out.len();
        if tag == Tag::Math {
            out.push_str(&math::written(tree, child).0);
            continue;
        }
        raw_text(tree, child, out, ids);
        if let Some(written) = shifted(tree, child) {
            let text = out.split_off(start);
            out.push_str(&written(out, &text));
        }
    }
}

/// How what stands in a raised or lowered element is written.
fn shifted(tree: &Tree<'_>, id: Id) -> Option<fn(&str, &str) -> String> {
    match tree.node(id).tag {
        Tag::Sub => Some(lowered_behind),
        Tag::Sup if leads_away(tree, id) => Some(raised_note),
        Tag::Sup => Some(raised_text),
        _ => None,
    }
}

/// Whether a link within the document stands in an element: the mark of a note.
fn leads_away(tree: &Tree<'_>, id: Id) -> bool {
    tree.children(id).any(|child| {
        let href = tree.value(child, Key::Href).unwrap_or_default();
        (tree.node(child).tag == Tag::A && href.contains('#')) || leads_away(tree, child)
    })
}

fn raised_text(before: &str, text: &str) -> String {
    // A number alone in brackets is the mark of a note.
    if before.trim_end().ends_with('(') { text.to_owned() } else { raised_behind(before, text) }
}

fn raised_note(before: &str, text: &str) -> String {
    let number = text.trim().bytes().all(|b| b.is_ascii_digit());
    if number { raised_text(before, text) } else { text.to_owned() }
}
