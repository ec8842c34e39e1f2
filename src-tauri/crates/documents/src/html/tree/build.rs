//! The building of a page's tree from its tags and texts.

mod ends;

use std::borrow::Cow;

use super::{Id, NONE, ROOT, Tree};
use crate::ReadError;
use crate::html::Dialect;
use crate::html::forms::input_text;
use crate::html::furniture::{Pieces, Read};
use crate::html::hidden::{Furniture, furniture, value};
use crate::html::looks::{Looks, Sheet};
use crate::html::tags::Tag;
use crate::html::tokens::{Attribute, Key, Token, Tokens, Within, resolve};
use crate::omissions::Omission;
use crate::output::Output;
use crate::symbols::SymbolFont;

/// Deepest tree whatever the caller allows: the walk over it is recursive.
const MAX_DEPTH: usize = 256;

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
    /// Its font, where it has one of its own: one of signs, or another.
    font: Option<Option<SymbolFont>>,
    /// Quotation marks are written around its text.
    quotes: bool,
    /// It shows a formula, which may be there twice: as a picture, and hidden.
    formula: bool,
    /// A version of the passage was chosen in it.
    chose: bool,
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
            font: None,
            quotes: false,
            formula: false,
            chose: false,
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
    /// How many open elements have a font of signs, and show a formula.
    symbols: usize,
    formulas: usize,
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
pub(in crate::html) fn build<'a>(
    source: &'a str,
    dialect: Dialect,
    sheet: Sheet,
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
        symbols: 0,
        formulas: 0,
        pieces: Pieces::default(),
        read: Read::default(),
        sheet,
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
    let taken = pieces.removals(read);
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
        let text = match self.font() {
            Some(font) => {
                let (signs, lost) = font.text(&text);
                self.tree.omitted.push((Omission::UnknownSign, lost));
                Cow::Owned(signs)
            }
            None => text,
        };
        self.read.add(&text, self.linking > 0, self.pieces.any_open());
        self.tree.texts.push(text);
    }

    /// The font of signs in which text stands.
    fn font(&self) -> Option<SymbolFont> {
        if self.symbols == 0 {
            return None;
        }
        self.stack.iter().rev().find_map(|open| open.font).flatten()
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

    fn start(
        &mut self,
        tag: Tag,
        name: &'a str,
        mut attributes: Vec<Attribute<'a>>,
        closed: bool,
        line: u32,
    ) {
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
        let looks = Looks::of_element(tag, name, &attributes, &self.sheet);
        // The formula behind its picture is hidden only from those who see the picture.
        let hides = looks.hides && self.formulas == 0;
        let closed = closed && !(hides && self.dialect == Dialect::Declared);
        let furniture = self.furniture(tag, &attributes);
        let always = furniture.filter(|one| one.kind == Omission::Control);
        let drops = hides || self.is_dropped(tag, &attributes) || always.is_some();
        if tag == Tag::Case && !drops && self.is_in_switch() {
            self.stack.iter_mut().rev().take(1).for_each(|switch| switch.chose = true);
        }
        let strikes = looks.strikes;
        let role = value(&attributes, Key::Role);
        let shifted = match role.and_then(|role| tag.of_role(role, value(&attributes, Key::AriaLevel))) {
            None if !tag.is_block() => looks.shift,
            role => role,
        };
        if let (Some(marks), Tag::Ol | Tag::Ul) = (looks.marks, tag) {
            attributes.retain(|(key, _)| *key != Key::Type);
            attributes.push((Key::Type, marks.into()));
        }
        let font = looks.font.filter(|font| font.is_some() || self.symbols > 0);
        let formula = value(&attributes, Key::Class).is_some_and(|all| all.contains("mwe-math-element"));
        let inline = !tag.is_block() && self.mathematics == 0 && !is_kept(tag);
        let kept = !inline || shifted.is_some() || furniture.is_some();
        let quotes = tag == Tag::Q && !drops && !self.is_dropping();
        let special = strikes || font.is_some() || quotes || formula || (inline && kept);
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
            if quotes {
                self.text(Cow::Borrowed("“"), line);
            }
            self.open(Open { special: true, strikes, font, quotes, formula, ..Open::new(tag, name) });
            return;
        }
        if self.stack.len() >= self.depth {
            self.start_beyond(tag, drops && !closed, line);
            return;
        }
        let told = always.map(|one| one.kind).or(tag.omission());
        let mut open = Open { drops, hides, strikes, font, formula, special, told, ..Open::new(tag, name) };
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
            Tag::Input | Tag::Img | Tag::Frame | Tag::Embed
                if Looks::of_element(tag, "", &attributes, &self.sheet).hides => {}
            Tag::Input => {
                if let Some(text) = input_text(&attributes) {
                    self.text(text.into(), line);
                }
            }
            // The formula itself stands beside its picture.
            Tag::Img if self.formulas > 0 => {}
            Tag::Img => match formula_words(&attributes) {
                Some(words) => self.text(format!(" {words} ").into(), line),
                None => self.tree.omitted.push((Omission::Picture, 1)),
            },
            Tag::Frame => self.tree.omitted.push((Omission::InnerPage, 1)),
            Tag::Embed => self.tree.omitted.push((Omission::Media, 1)),
            _ => {}
        }
    }

    fn open(&mut self, open: Open<'a>) {
        self.dropping += usize::from(open.drops);
        self.striking += usize::from(open.strikes);
        self.special += usize::from(open.special);
        self.linking += usize::from(open.tag == Tag::A);
        self.mathematics += usize::from(open.tag == Tag::Math);
        self.symbols += usize::from(open.font.is_some_and(|font| font.is_some()));
        self.formulas += usize::from(open.formula);
        self.paragraphs += usize::from(open.tag == Tag::P);
        self.stack.push(open);
    }

    fn closed(&mut self, open: &Open<'a>) {
        self.dropping -= usize::from(open.drops);
        self.striking -= usize::from(open.strikes);
        self.special -= usize::from(open.special);
        self.linking -= usize::from(open.tag == Tag::A);
        self.mathematics -= usize::from(open.tag == Tag::Math);
        self.symbols -= usize::from(open.font.is_some_and(|font| font.is_some()));
        self.formulas -= usize::from(open.formula);
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
            Tag::Case if self.is_in_switch() => {
                value(attributes, Key::Namespace) != Some("http://www.w3.org/1998/Math/MathML")
            }
            Tag::Default if self.is_in_switch() => self.stack.last().is_some_and(|open| open.chose),
            _ => tag.is_dropped(),
        }
    }

    fn is_in_switch(&self) -> bool {
        self.dialect == Dialect::Xml && self.stack.last().is_some_and(|open| open.tag == Tag::Switch)
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
            && !self.stack.iter().any(|open| open.tag.has_own_ends())
    }

    /// A formula that a script shows: as it is written, unless the page holds what the script made of it.
    fn script_formula(&self, attributes: &[Attribute<'_>], content: &str) -> Option<String> {
        let kind = value(attributes, Key::Type)?.split(';').next()?.trim();
        let is_shown = value(attributes, Key::Id)
            .is_some_and(|id| !id.is_empty() && self.tokens.source().contains(&format!("{id}-Frame")));
        let formula = content.trim();
        (matches!(kind, "math/tex" | "math/asciimath") && !is_shown && !formula.is_empty())
            .then(|| format!(" {formula} "))
    }

    fn raw(&mut self, tag: Tag, name: &'a str, attributes: Vec<Attribute<'a>>, line: u32) {
        let content = self.tokens.raw(&name.to_ascii_lowercase());
        match tag {
            Tag::Title if self.tree.title.is_empty() && !self.is_dropping() => {
                self.tree.title = resolve(content, Within::Text).into_owned();
            }
            Tag::Style => self.sheet.read(content),
            _ if self.is_dropping() || Looks::of_element(tag, name, &attributes, &self.sheet).hides => {}
            Tag::Xmp => {
                self.close_paragraph();
                let id = self.tree.add(self.parent(), Tag::Pre, line, Vec::new());
                let text = self.tree.add(id, Tag::Other, line, Vec::new());
                self.tree.nodes[text as usize].text = self.tree.texts.len() as u32;
                self.tree.texts.push(Cow::Borrowed(content));
            }
            Tag::Textarea => {
                for typed in resolve(content, Within::Text).lines() {
                    self.text(format!(" {typed}").into(), line);
                }
            }
            Tag::Iframe => self.tree.omitted.push((Omission::InnerPage, 1)),
            Tag::Script => {
                if let Some(formula) = self.script_formula(&attributes, content) {
                    self.text(formula.into(), line);
                    self.tree.omitted.push((Omission::Script, 1));
                }
            }
            _ => {
                if let Some(kind) = tag.omission() {
                    self.tree.omitted.push((kind, words_of(content)));
                }
            }
        }
    }
}

/// The words of a picture that shows a formula.
fn formula_words(attributes: &[Attribute<'_>]) -> Option<String> {
    let is_formula = |class: &str| {
        let name = class.to_ascii_lowercase();
        ["math", "latex", "formula", "equation"].iter().any(|one| name.contains(one)) || name == "tex"
    };
    let by_class = value(attributes, Key::Class)?.split_ascii_whitespace().any(is_formula);
    let words = value(attributes, Key::Alt)?.trim();
    (by_class && !words.is_empty()).then(|| words.to_owned())
}

/// Blocks whose end tag is always written: only those keep count of the depth beyond the limit.
fn counts_beyond(tag: Tag) -> bool {
    use Tag::*;
    tag.is_block() && !matches!(tag, P | Li | Dt | Dd | Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Hr)
}

/// Inline elements that mean something for the text in them.
fn is_kept(tag: Tag) -> bool {
    matches!(tag, Tag::A | Tag::Math | Tag::Sub | Tag::Sup | Tag::Switch | Tag::Case | Tag::Default)
}

/// How many words stand between the tags of a piece of a page.
fn words_of(content: &str) -> usize {
    let texts = content.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    texts.map(|text| text.split_whitespace().count()).sum()
}
