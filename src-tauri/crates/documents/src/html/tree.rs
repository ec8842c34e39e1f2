//! The visible part of a page as a tree. Built by the rules of the HTML standard as far as they decide which text
//! stands in which block, and whether it is seen; in one pass, with bounded depth and bounded work for each tag.

use std::borrow::Cow;

use super::Dialect;
use super::forms::input_text;
use super::furniture::{Pieces, Read};
use super::hidden::{Furniture, Sheet, furniture, is_hidden, is_struck, shift, value};
use super::tags::Tag;
use super::tokens::{Attribute, Key, Token, Tokens, Within, resolve};
use crate::ReadError;
use crate::omissions::Omission;
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
    /// Its text is struck out.
    strikes: bool,
    /// It is an inline element that is kept, whose name may be that of others in it.
    special: bool,
    /// What is told of text in it, as long as nothing was told yet.
    told: Option<Omission>,
    /// Its piece of furniture.
    piece: Option<usize>,
}

impl<'a> Open<'a> {
    fn new(tag: Tag, name: &'a str) -> Self {
        Self {
            tag,
            name,
            node: NONE,
            drops: false,
            hides: false,
            strikes: false,
            special: false,
            told: None,
            piece: None,
        }
    }
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
    /// The same for those that strike their text out.
    sticky_struck: Vec<&'a str>,
    /// How many open elements strike text out, are kept inline elements, are links, are mathematics.
    striking: usize,
    special: usize,
    linking: usize,
    mathematics: usize,
    pieces: Pieces,
    read: Read,
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
        omitted: Vec::new(),
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
        sticky_struck: Vec::new(),
        striking: 0,
        special: 0,
        linking: 0,
        mathematics: 0,
        pieces: Pieces::default(),
        read: Read::default(),
        sheet: Sheet::default(),
        beyond: 0,
        beyond_hides: false,
        depth: limits.depth.min(MAX_DEPTH),
        most_nodes: limits.blocks.saturating_mul(8).min(64 << 20),
        dialect,
    };
    builder.tree.add(ROOT, Tag::Body, 1, Vec::new());
    builder.run()?;
    builder.pop_to(0);
    let Builder { mut tree, pieces, read, .. } = builder;
    let taken = pieces.taken(read);
    for (node, kind, words) in taken {
        tree.empty(node);
        tree.omitted.push((kind, words));
    }
    Ok(tree)
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
            self.dropped(&text);
            return;
        }
        let id = self.tree.add(self.parent(), Tag::Other, line, Vec::new());
        let node = &mut self.tree.nodes[id as usize];
        node.text = self.tree.texts.len() as u32;
        if self.striking > 0 || !self.sticky_struck.is_empty() {
            node.tag = Tag::S;
        }
        self.read.add(&text, self.linking > 0, self.pieces.any_open());
        self.tree.texts.push(text);
    }

    /// Counts text that is not given.
    fn dropped(&mut self, text: &str) {
        let hides = self.beyond_hides || !self.sticky.is_empty() || self.stack.iter().any(|open| open.hides);
        if hides {
            self.tree.hidden += text.chars().filter(|c| !c.is_whitespace()).count();
            return;
        }
        let Some(open) = self.stack.iter_mut().find(|open| open.drops) else { return };
        let (Some(kind), false) = (open.told, text.trim().is_empty()) else { return };
        let count = match kind {
            Omission::Control | Omission::StandIn => text.split_whitespace().count(),
            // One for each element.
            _ => {
                open.told = None;
                1
            }
        };
        self.tree.omitted.push((kind, count));
    }

    fn start(&mut self, tag: Tag, name: &'a str, attributes: Vec<Attribute<'a>>, closed: bool, line: u32) {
        let is_xml = matches!(self.dialect, Dialect::Xml | Dialect::Declared);
        let closed = closed && (is_xml || self.mathematics > 0);
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
                if !self.is_dropping() {
                    self.void(tag, attributes, line);
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
        let furniture = self.furniture(tag, &attributes);
        let always = furniture.filter(|one| one.kind == Omission::Control);
        let drops = hides || self.is_dropped(tag, &attributes) || always.is_some();
        let strikes = is_struck(tag, &attributes, &self.sheet);
        let shifted = if tag.is_block() { None } else { shift(&attributes) };
        let inline = !tag.is_block() && self.mathematics == 0 && !is_kept(tag);
        let kept = !inline || shifted.is_some() || furniture.is_some();
        let special = strikes || (inline && kept);
        if !kept && !drops && !self.is_dropping() {
            if tag == Tag::Option {
                self.text(Cow::Borrowed(" "), line);
            }
            // It says nothing about blocks; only links may lead to it.
            if attributes.iter().any(|(name, _)| *name == Key::Id) {
                self.tree.add(self.parent(), Tag::Span, line, attributes);
            }
            if !special && self.special == 0 {
                return;
            }
            if closed || self.stack.len() >= self.depth {
                return;
            }
            self.open(Open { special: true, strikes, ..Open::new(tag, name) });
            return;
        }
        if self.stack.len() >= self.depth {
            self.start_beyond(tag, drops && !closed, line);
            return;
        }
        let told = always.map(|one| one.kind).or(tag.omission());
        let mut open = Open { drops, hides, strikes, special, told, ..Open::new(tag, name) };
        if !(drops || self.is_dropping()) {
            open.node = self.tree.add(self.parent(), shifted.unwrap_or(tag), line, attributes);
            let begins = furniture.filter(|_| !closed);
            open.piece = begins.map(|one| self.pieces.begin(one, open.node, self.read));
        }
        if !closed {
            self.open(open);
        }
    }

    /// A void element that says something.
    fn void(&mut self, tag: Tag, attributes: Vec<Attribute<'a>>, line: u32) {
        match tag {
            Tag::Br | Tag::Hr => {
                if tag == Tag::Hr {
                    self.close_paragraph();
                }
                self.tree.add(self.parent(), tag, line, attributes);
            }
            Tag::Input if !is_hidden(tag, &attributes, &self.sheet) => {
                if let Some(text) = input_text(&attributes) {
                    self.text(text.into(), line);
                }
            }
            Tag::Img if !is_hidden(tag, &attributes, &self.sheet) => {
                self.tree.omitted.push((Omission::Picture, 1));
            }
            _ => {}
        }
    }

    fn open(&mut self, open: Open<'a>) {
        self.dropping += usize::from(open.drops);
        self.striking += usize::from(open.strikes);
        self.special += usize::from(open.special);
        self.linking += usize::from(open.tag == Tag::A);
        self.mathematics += usize::from(open.tag == Tag::Math);
        self.paragraphs += usize::from(open.tag == Tag::P);
        self.stack.push(open);
    }

    fn closed(&mut self, open: &Open<'a>) {
        self.dropping -= usize::from(open.drops);
        self.striking -= usize::from(open.strikes);
        self.special -= usize::from(open.special);
        self.linking -= usize::from(open.tag == Tag::A);
        self.mathematics -= usize::from(open.tag == Tag::Math);
        self.paragraphs -= usize::from(open.tag == Tag::P);
        if let Some(piece) = open.piece {
            self.pieces.end(piece, self.tree.nodes.len() as Id, self.read);
        }
    }

    /// Whether an element's content is no text of the page. A heading may be a button that opens what is below it; of a
    /// list's choices the chosen one is seen.
    fn is_dropped(&self, tag: Tag, attributes: &[Attribute<'_>]) -> bool {
        match tag {
            Tag::Button => {
                !self.stack.iter().any(|open| open.tag.heading().is_some() || open.tag == Tag::Summary)
            }
            Tag::Option => value(attributes, Key::Selected).is_none(),
            _ => tag.is_dropped(),
        }
    }

    /// Why an element is furniture: what the language or its name says, or its place at the page's ends.
    fn furniture(&self, tag: Tag, attributes: &[Attribute<'_>]) -> Option<Furniture> {
        let frame = || {
            self.is_page_frame(tag, attributes).then_some(Furniture {
                name: "frame",
                kind: Omission::Frame,
                sure: true,
            })
        };
        furniture(tag, attributes).or_else(frame)
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
            Tag::Xmp | Tag::Textarea if !self.is_dropping() && !is_hidden(tag, &attributes, &self.sheet) => {
                let written = tag == Tag::Xmp;
                if written {
                    self.close_paragraph();
                }
                let around = if written { Tag::Pre } else { Tag::Div };
                let id = self.tree.add(self.parent(), around, line, Vec::new());
                let text = self.tree.add(id, Tag::Other, line, Vec::new());
                self.tree.nodes[text as usize].text = self.tree.texts.len() as u32;
                self.tree.texts.push(if written {
                    Cow::Borrowed(content)
                } else {
                    resolve(content, Within::Text)
                });
            }
            _ => {
                if let Some(kind) = tag.omission().filter(|_| !self.is_dropping()) {
                    self.tree.omitted.push((kind, words_of(content)));
                }
            }
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
            Option | Optgroup if self.stack.last().is_some_and(|open| open.tag == Option) => {
                self.pop_to(self.stack.len() - 1);
            }
            Li => self.close_item(&[Li]),
            Dd | Dt => self.close_item(&[Dd, Dt]),
            _ => {}
        }
        if self.mathematics > 0 && tag.is_block() {
            // No text of the page stands in a formula.
            if let Some(at) = self.stack.iter().position(|open| open.tag == Math) {
                self.pop_to(at);
            }
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
        if matches!(tag, Select | Optgroup) {
            if self.stack.last().is_some_and(|open| open.tag == Option) {
                self.pop_to(self.stack.len() - 1);
            }
            self.text(Cow::Borrowed(" "), line);
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
                let same = |one: &&str| one.eq_ignore_ascii_case(name);
                if let Some(at) = self.sticky.iter().rposition(same) {
                    self.sticky.remove(at);
                } else if let Some(at) = self.sticky_struck.iter().rposition(same) {
                    self.sticky_struck.remove(at);
                }
            }
        }
    }

    /// Closes the element at `at` and all inside of it.
    fn pop_to(&mut self, at: usize) {
        for (index, open) in self.stack.split_off(at).into_iter().enumerate() {
            self.closed(&open);
            let again = index > 0 && open.tag.is_formatting();
            if again && open.hides && self.sticky.len() < MAX_DEPTH {
                self.sticky.push(open.name);
            } else if again && open.strikes && self.sticky_struck.len() < MAX_DEPTH {
                self.sticky_struck.push(open.name);
            }
        }
    }

    /// Closes the element at `at` alone: a formatting element may end in the middle of a block.
    fn remove(&mut self, at: usize) {
        let open = self.stack.remove(at);
        self.closed(&open);
    }
}

/// Blocks whose end tag is always written: only those keep count of the depth beyond the limit.
fn counts_beyond(tag: Tag) -> bool {
    use Tag::*;
    tag.is_block() && !matches!(tag, P | Li | Dt | Dd | Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Hr)
}

/// Inline elements that mean something for the text in them.
fn is_kept(tag: Tag) -> bool {
    matches!(tag, Tag::A | Tag::Math | Tag::Sub | Tag::Sup)
}

/// How many words stand between the tags of a piece of a page.
fn words_of(content: &str) -> usize {
    let texts = content.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    texts.map(|text| text.split_whitespace().count()).sum()
}
