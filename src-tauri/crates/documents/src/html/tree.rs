//! The visible part of a page as a tree. Built by the rules of the HTML standard as far as they decide which text
//! stands in which block, and whether it is seen; in one pass, with bounded depth and bounded work for each tag.

mod build;

use std::borrow::Cow;

use super::hidden::value;
use super::tags::Tag;
use super::tokens::{Attribute, Key};
use crate::omissions::Omission;

pub(super) use build::build;

/// Index of a node; the root is 0.
pub(crate) type Id = u32;

const ROOT: Id = 0;
const NONE: Id = u32::MAX;

/// An element or a text.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) tag: Tag,
    /// Line from 1.
    pub(crate) line: u32,
    first: Id,
    last: Id,
    next: Id,
    attributes: (u32, u32),
    text: u32,
}

/// A page's tree.
pub(crate) struct Tree<'a> {
    nodes: Vec<Node>,
    attributes: Vec<Attribute<'a>>,
    texts: Vec<Cow<'a, str>>,
    /// What the `title` element says.
    pub(crate) title: String,
    /// Characters of text that the page hides.
    pub(crate) hidden: usize,
    /// What else the page has and is not given.
    pub(crate) omitted: Vec<(Omission, usize)>,
    /// Line of the first element nested too deep.
    pub(crate) too_deep: Option<u32>,
}

impl<'a> Tree<'a> {
    pub(crate) fn root(&self) -> Id {
        ROOT
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Takes what stands in an element away; the element stays as an empty one.
    pub(super) fn empty(&mut self, id: Id) {
        let node = &mut self.nodes[id as usize];
        (node.first, node.last, node.attributes.1) = (NONE, NONE, 0);
        if !matches!(node.tag, Tag::Td | Tag::Th) {
            node.tag = if node.tag.is_block() { Tag::Hr } else { Tag::Other };
        }
    }

    /// The text of a text node; one whose tag is `s` is struck out.
    pub(crate) fn text(&self, id: Id) -> Option<&str> {
        self.texts.get(self.node(id).text as usize).map(AsRef::as_ref)
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let some = |id: Id| (id != NONE).then_some(id);
        std::iter::successors(some(self.node(id).first), move |&one| some(self.node(one).next))
    }

    pub(crate) fn value(&self, id: Id, name: Key) -> Option<&str> {
        let (start, length) = self.node(id).attributes;
        value(&self.attributes[start as usize..(start + length) as usize], name)
    }

    fn add(&mut self, parent: Id, tag: Tag, line: u32, attributes: Vec<Attribute<'a>>) -> Id {
        let id = self.nodes.len() as Id;
        let start = self.attributes.len() as u32;
        let length = attributes.len() as u32;
        self.attributes.extend(attributes);
        let node =
            Node { tag, line, first: NONE, last: NONE, next: NONE, attributes: (start, length), text: NONE };
        self.nodes.push(node);
        if id != parent {
            let last = std::mem::replace(&mut self.nodes[parent as usize].last, id);
            match last {
                NONE => self.nodes[parent as usize].first = id,
                last => self.nodes[last as usize].next = id,
            }
        }
        id
    }
}
