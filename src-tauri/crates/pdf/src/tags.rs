//! The structure that screen readers follow.

use std::num::NonZeroU16;

use krilla::tagging::{Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagTree};

/// What a part of the document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Title,
    Heading { level: u8, text: String },
    Paragraph,
    List { is_numbered: bool },
    ListItem,
    Label,
    ListBody,
    Quote,
    Code,
    Table,
    Row,
    HeadCell,
    Cell,
    Contents,
    Entry,
    Note,
}

/// A part with those inside it.
#[derive(Debug)]
struct Part {
    kind: Kind,
    children: Vec<usize>,
    content: Vec<Identifier>,
}

/// The parts of a document, by index. [`Tags::ROOT`] is the document.
#[derive(Debug, Default)]
pub(crate) struct Tags {
    parts: Vec<Part>,
    top: Vec<usize>,
}

impl Tags {
    /// The document itself.
    pub(crate) const ROOT: usize = usize::MAX;

    /// Adds a part to another.
    pub(crate) fn add(&mut self, kind: Kind, parent: usize) -> usize {
        let index = self.parts.len();
        self.parts.push(Part { kind, children: Vec::new(), content: Vec::new() });
        match self.parts.get_mut(parent) {
            Some(parent) => parent.children.push(index),
            None => self.top.push(index),
        }
        index
    }

    /// What was drawn of a part.
    pub(crate) fn drawn(&mut self, index: usize, content: Identifier) {
        if let Some(part) = self.parts.get_mut(index) {
            part.content.push(content);
        }
    }

    /// The tree of the file. Parts of which nothing was drawn are left out.
    pub(crate) fn tree(mut self) -> TagTree {
        let mut tree = TagTree::new();
        for index in std::mem::take(&mut self.top) {
            if let Some(group) = self.group(index) {
                tree.push(group);
            }
        }
        tree
    }

    fn group(&mut self, index: usize) -> Option<TagGroup> {
        let part = self.parts.get_mut(index)?;
        let (children, content) = (std::mem::take(&mut part.children), std::mem::take(&mut part.content));
        let mut group = TagGroup::new(tag(&part.kind));
        let is_cell = matches!(part.kind, Kind::Cell | Kind::HeadCell);
        for child in children {
            if let Some(child) = self.group(child) {
                group.push(Node::Group(child));
            }
        }
        for one in content {
            group.push(Node::Leaf(one));
        }
        (is_cell || !group.children.is_empty()).then_some(group)
    }
}

fn tag(kind: &Kind) -> krilla::tagging::TagKind {
    match kind {
        Kind::Title => Tag::Title.into(),
        Kind::Heading { level, text } => {
            let level = NonZeroU16::new(u16::from(*level)).unwrap_or(NonZeroU16::MIN);
            Tag::Hn(level, Some(text.clone())).into()
        }
        Kind::Paragraph => Tag::P.into(),
        Kind::List { is_numbered: true } => Tag::L(ListNumbering::Decimal).into(),
        Kind::List { is_numbered: false } => Tag::L(ListNumbering::Disc).into(),
        Kind::ListItem => Tag::LI.into(),
        Kind::Label => Tag::Lbl.into(),
        Kind::ListBody => Tag::LBody.into(),
        Kind::Quote => Tag::BlockQuote.into(),
        Kind::Code => Tag::Code.into(),
        Kind::Table => Tag::Table.into(),
        Kind::Row => Tag::TR.into(),
        Kind::HeadCell => Tag::TH(TableHeaderScope::Column).into(),
        Kind::Cell => Tag::TD.into(),
        Kind::Contents => Tag::TOC.into(),
        Kind::Entry => Tag::TOCI.into(),
        Kind::Note => Tag::Note.into(),
    }
}
