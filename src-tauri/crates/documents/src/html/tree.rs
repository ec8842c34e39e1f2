//! The visible part of a page as a tree. Built by the rules of the HTML standard as far as they decide which text
//! stands in which block, and whether it is seen; in one pass, with bounded depth and bounded work for each tag.

use std::borrow::Cow;

use super::Dialect;
use super::hidden::{Sheet, is_furniture, is_hidden, value};
use super::tags::Tag;
use super::tokens::{Attribute, Key, Token, Tokens, Within, resolve};
use crate::ReadError;
use crate::output::Output;

/// Index of a node; the root is 0.
pub(crate) type Id = u32;

const ROOT: Id = 0;
const NONE: Id = u32::MAX;

/// Deepest tree whatever the caller allows: the walk over it is recursive.
const MAX_DEPTH: usize = 256;

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

    /// The text of a text node.
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

/// An element that is open.
struct Open<'a> {
    tag: Tag,
    name: &'a str,
    /// Its node, unless it is not seen.
    node: Id,
    /// It is itself what is not seen.
    drops: bool,
    /// Its text counts as hidden, not as furniture.
    hides: bool,
}

struct Builder<'a, 'o> {
    tree: Tree<'a>,
    tokens: Tokens<'a>,
    output: &'o Output<'o>,
    stack: Vec<Open<'a>>,
    dropping: usize,
    /// How many open elements are `p`: most tags look for one, and mostly there is none.
    paragraphs: usize,
    /// Hidden formatting elements that a block's end closed: browsers open them again, hidden.
    sticky: Vec<&'a str>,
    sheet: Sheet,
    /// How many blocks are open beyond the depth that is kept, and whether they hide something.
    beyond: usize,
    beyond_hides: bool,
    depth: usize,
    most_nodes: usize,
    dialect: Dialect,
}

/// Builds the tree of a page.
pub(super) fn build<'a>(
    source: &'a str,
    dialect: Dialect,
    output: &Output<'_>,
) -> Result<Tree<'a>, ReadError> {
    let tree = Tree {
        nodes: Vec::new(),
        attributes: Vec::new(),
        texts: Vec::new(),
        title: String::new(),
        hidden: 0,
        too_deep: None,
    };
    let limits = output.limits();
    let mut builder = Builder {
        tree,
        tokens: Tokens::new(source, dialect),
        output,
        stack: Vec::new(),
        dropping: 0,
        paragraphs: 0,
        sticky: Vec::new(),
        sheet: Sheet::default(),
        beyond: 0,
        beyond_hides: false,
        depth: limits.depth.min(MAX_DEPTH),
        most_nodes: limits.blocks.saturating_mul(8).min(64 << 20),
        dialect,
    };
    builder.tree.add(ROOT, Tag::Body, 1, Vec::new());
    builder.run()?;
    Ok(builder.tree)
}

impl<'a> Builder<'a, '_> {
    fn run(&mut self) -> Result<(), ReadError> {
        let mut count = 0_u32;
        loop {
            count += 1;
            if count.is_multiple_of(4096) {
                self.output.check()?;
            }
            if self.tree.nodes.len() > self.most_nodes {
                return Err(ReadError::TooLarge {
                    limit: self.most_nodes as u64,
                    what: "elements and texts",
                });
            }
            let Some(token) = self.tokens.next() else { return Ok(()) };
            let line = self.tokens.line();
            match token {
                Token::Text(text) => self.text(text, line),
                Token::Start { tag, name, attributes, closed } => {
                    self.start(tag, name, attributes, closed, line);
                }
                Token::End(tag, name) => self.end(tag, name, line),
            }
        }
    }

    fn is_dropping(&self) -> bool {
        self.dropping > 0 || self.beyond_hides || !self.sticky.is_empty()
    }

    fn parent(&self) -> Id {
        self.stack.iter().rev().map(|open| open.node).find(|&node| node != NONE).unwrap_or(ROOT)
    }

    fn text(&mut self, text: Cow<'a, str>, line: u32) {
        if self.is_dropping() {
            let hides =
                self.beyond_hides || !self.sticky.is_empty() || self.stack.iter().any(|open| open.hides);
            if hides {
                self.tree.hidden += text.chars().filter(|c| !c.is_whitespace()).count();
            }
            return;
        }
        let id = self.tree.add(self.parent(), Tag::Other, line, Vec::new());
        self.tree.nodes[id as usize].text = self.tree.texts.len() as u32;
        self.tree.texts.push(text);
    }

    fn start(&mut self, tag: Tag, name: &'a str, attributes: Vec<Attribute<'a>>, closed: bool, line: u32) {
        let closed = closed && matches!(self.dialect, Dialect::Xml | Dialect::Declared);
        match tag {
            Tag::Html | Tag::Head | Tag::Body => return,
            Tag::Script
            | Tag::Style
            | Tag::Textarea
            | Tag::Title
            | Tag::Iframe
            | Tag::Noembed
            | Tag::Noframes
            | Tag::Noscript
            | Tag::Xmp
                if !closed =>
            {
                self.raw(tag, name, attributes, line);
                return;
            }
            Tag::Plaintext => {
                let rest = self.tokens.remainder();
                self.text(Cow::Borrowed(rest), line);
                return;
            }
            _ if tag.is_void() => {
                if matches!(tag, Tag::Br | Tag::Hr) && !self.is_dropping() {
                    if tag == Tag::Hr {
                        self.close_paragraph();
                    }
                    self.tree.add(self.parent(), tag, line, attributes);
                }
                return;
            }
            _ => {}
        }
        if !self.close_implied(tag) {
            return;
        }
        let hides = is_hidden(tag, &attributes, &self.sheet);
        let closed = closed && !(hides && self.dialect == Dialect::Declared);
        let drops =
            hides || tag.is_dropped() || is_furniture(&attributes) || self.is_page_frame(tag, &attributes);
        let inline = !tag.is_block() && !matches!(tag, Tag::A | Tag::Sup);
        if inline && !drops && !self.is_dropping() {
            // It says nothing about blocks; only links may lead to it.
            if attributes.iter().any(|(name, _)| *name == Key::Id) {
                self.tree.add(self.parent(), Tag::Span, line, attributes);
            }
            return;
        }
        if self.stack.len() >= self.depth {
            self.start_beyond(tag, drops && !closed, line);
            return;
        }
        let node = if drops || self.is_dropping() {
            NONE
        } else {
            self.tree.add(self.parent(), tag, line, attributes)
        };
        if closed {
            return;
        }
        self.dropping += usize::from(drops);
        self.paragraphs += usize::from(tag == Tag::P);
        self.stack.push(Open { tag, name, node, drops, hides });
    }

    /// An element that is nested too deep makes a new line and nothing more.
    fn start_beyond(&mut self, tag: Tag, drops: bool, line: u32) {
        self.tree.too_deep.get_or_insert(line);
        self.beyond_hides |= drops;
        if counts_beyond(tag) || drops {
            self.beyond += 1;
        }
        self.separate(tag, line);
    }

    /// Keeps the texts on both sides of a block's tag apart where the block itself is not kept.
    fn separate(&mut self, tag: Tag, line: u32) {
        let parent = self.parent();
        let last = self.tree.node(parent).last;
        let apart = last == NONE || self.tree.node(last).tag == Tag::Hr;
        if tag.is_block() && !apart && !self.is_dropping() {
            self.tree.add(parent, Tag::Hr, line, Vec::new());
        }
    }

    /// A page's own header and footer; those of an article belong to its text.
    fn is_page_frame(&self, tag: Tag, attributes: &[Attribute<'_>]) -> bool {
        matches!(tag, Tag::Header | Tag::Footer)
            && value(attributes, Key::Id) != Some("title-block-header")
            && !self.stack.iter().any(|open| matches!(open.tag, Tag::Article | Tag::Main | Tag::Section))
    }

    fn raw(&mut self, tag: Tag, name: &'a str, attributes: Vec<Attribute<'a>>, line: u32) {
        let content = self.tokens.raw(&name.to_ascii_lowercase());
        match tag {
            Tag::Title if self.tree.title.is_empty() && !self.is_dropping() => {
                self.tree.title = resolve(content, Within::Text).into_owned();
            }
            Tag::Style => self.sheet.read(content),
            Tag::Xmp if !self.is_dropping() && !is_hidden(tag, &attributes, &self.sheet) => {
                self.close_paragraph();
                let id = self.tree.add(self.parent(), Tag::Pre, line, Vec::new());
                let text = self.tree.add(id, Tag::Other, line, Vec::new());
                self.tree.nodes[text as usize].text = self.tree.texts.len() as u32;
                self.tree.texts.push(Cow::Borrowed(content));
            }
            _ => {}
        }
    }

    /// Closes what the start of `tag` closes; false when the tag itself is to be ignored.
    fn close_implied(&mut self, tag: Tag) -> bool {
        use Tag::*;
        match tag {
            Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Colgroup => {
                let Some(table) = self.stack.iter().rposition(|open| matches!(open.tag, Table | Template))
                else {
                    return false;
                };
                let closes = |open: Tag| match tag {
                    Td | Th => matches!(open, Td | Th | Caption),
                    Tr => matches!(open, Td | Th | Tr | Caption),
                    _ => true,
                };
                if let Some(at) = (table + 1..self.stack.len()).find(|&at| closes(self.stack[at].tag)) {
                    self.pop_to(at);
                }
                return true;
            }
            Table
                if self
                    .stack
                    .last()
                    .is_some_and(|open| matches!(open.tag, Table | Tbody | Thead | Tfoot | Tr)) =>
            {
                if let Some(at) = self.stack.iter().rposition(|open| open.tag == Table) {
                    self.pop_to(at);
                }
            }
            A => {
                if let Some(at) = self.find(|open| open.tag == A, Tag::is_scope) {
                    self.remove(at);
                }
            }
            Button => {
                if let Some(at) = self.find(|open| open.tag == Button, Tag::is_scope) {
                    self.pop_to(at);
                }
            }
            Li => self.close_item(&[Li]),
            Dd | Dt => self.close_item(&[Dd, Dt]),
            _ => {}
        }
        if tag.ends_paragraph() {
            self.close_paragraph();
        }
        if tag.heading().is_some() && self.stack.last().is_some_and(|open| open.tag.heading().is_some()) {
            self.pop_to(self.stack.len() - 1);
        }
        true
    }

    fn close_paragraph(&mut self) {
        if self.paragraphs > 0
            && let Some(at) = self.find(|open| open.tag == Tag::P, Tag::is_scope)
        {
            self.pop_to(at);
        }
    }

    fn close_item(&mut self, tags: &[Tag]) {
        let stops = |tag: Tag| {
            !tags.contains(&tag)
                && (tag.is_scope() || tag.is_block())
                && !matches!(tag, Tag::Address | Tag::Div | Tag::P)
        };
        if let Some(at) = self.find(|open| tags.contains(&open.tag), stops) {
            self.pop_to(at);
        }
    }

    /// The innermost open element that `is` it, unless one that `stops` comes first.
    fn find(&self, is: impl Fn(&Open<'_>) -> bool, stops: impl Fn(Tag) -> bool) -> Option<usize> {
        for (at, open) in self.stack.iter().enumerate().rev() {
            if is(open) {
                return Some(at);
            }
            if stops(open.tag) {
                return None;
            }
        }
        None
    }

    fn end(&mut self, tag: Tag, name: &'a str, line: u32) {
        use Tag::*;
        if matches!(tag, Html | Head | Body) {
            return;
        }
        if tag == Br {
            self.start(Br, name, Vec::new(), false, line);
            return;
        }
        if self.beyond > 0 {
            self.separate(tag, line);
            self.beyond -= usize::from(counts_beyond(tag));
            self.beyond_hides &= self.beyond > 0;
            return;
        }
        let same = |open: &Open<'_>| {
            open.tag == tag && (tag != Other || open.name.eq_ignore_ascii_case(name))
                || (tag.heading().is_some() && open.tag.heading().is_some())
        };
        let found = match tag {
            Table | Template => self.find(same, |open| open == Template),
            Td | Th | Tr | Tbody | Thead | Tfoot | Caption => {
                self.find(same, |open| matches!(open, Table | Template))
            }
            Li => self.find(same, |open| open.is_scope() || matches!(open, Ul | Ol)),
            _ if tag.is_block() || tag.is_scope() || tag.is_formatting() => self.find(same, Tag::is_scope),
            _ => self.find(same, |open| open.is_scope() || open.is_block()),
        };
        match found {
            Some(at) if tag.is_formatting() => self.remove(at),
            Some(at) => self.pop_to(at),
            None => {
                if let Some(at) = self.sticky.iter().rposition(|one| one.eq_ignore_ascii_case(name)) {
                    self.sticky.remove(at);
                }
            }
        }
    }

    /// Closes the element at `at` and all inside of it.
    fn pop_to(&mut self, at: usize) {
        let closed = self.stack.split_off(at);
        for (index, open) in closed.iter().enumerate() {
            self.dropping -= usize::from(open.drops);
            self.paragraphs -= usize::from(open.tag == Tag::P);
            if index > 0 && open.hides && open.tag.is_formatting() && self.sticky.len() < MAX_DEPTH {
                self.sticky.push(open.name);
            }
        }
    }

    /// Closes the element at `at` alone: a formatting element may end in the middle of a block.
    fn remove(&mut self, at: usize) {
        let open = self.stack.remove(at);
        self.dropping -= usize::from(open.drops);
    }
}

/// Blocks whose end tag is always written: only those keep count of the depth beyond the limit.
fn counts_beyond(tag: Tag) -> bool {
    use Tag::*;
    tag.is_block() && !matches!(tag, P | Li | Dt | Dd | Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Hr)
}
