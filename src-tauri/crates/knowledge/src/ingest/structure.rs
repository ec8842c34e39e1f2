//! From a document's blocks to paragraphs with ids, by the rules of a set.

mod labels;
mod rows;
mod surroundings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use documents::{Block, BlockKind, Deletion, Document, Format, PageBreak};

use self::labels::{apart, labelled, labels, written};
use super::draft::Draft;
use super::headings::Headings;
use super::series::{self, Series};
use crate::paragraph::{Paragraph, Reference};
use crate::rules::compiled::{Compiled, Items, Number, captured, hold};
use crate::rules::items::{Found, Level, find, place};
use crate::rules::template::first;
use crate::rules::{ItemsAre, Join, references};

/// Blocks that join a paragraph without number do so up to this many bytes.
const JOINED_BYTES: usize = 2_000;
/// Blocks below a number join it up to this many bytes.
const NUMBERED_BYTES: usize = 32_000;
/// Tables of more than twice so many bytes are several paragraphs, each with the names of the columns beside it.
const TABLE_BYTES: usize = 3_000;
/// How far numbers may jump and still be a series.
const JUMP: u64 = 25;
/// Blocks in which facts about the whole document are looked for.
const FACT_BLOCKS: usize = 60;
/// How many paragraphs back the one that a heading opened is looked for.
const REACH: usize = 500;
/// Deepest nesting of items.
const MAX_DEPTH: usize = 8;
/// Marks looked at to tell which level the next one belongs to.
const LOOK_AHEAD: usize = 4;

/// The paragraphs of a document. `stem` is its file's name without folders and endings.
pub(crate) fn paragraphs(document: &Document, format: Format, stem: &str, rules: &Compiled) -> Vec<Draft> {
    let texts = document
        .title
        .as_deref()
        .into_iter()
        .chain([stem])
        .chain(document.blocks.iter().take(FACT_BLOCKS).map(|block| block.text.as_str()));
    let mut facts = references::facts(rules, texts);
    facts.insert("stem".into(), stem.to_owned());
    let mut reading = Reading {
        rules,
        format,
        blocks: &document.blocks,
        doc: document
            .title
            .clone()
            .filter(|title| !title.trim().is_empty())
            .unwrap_or_else(|| stem.to_owned()),
        headings: Headings::new(facts),
        heading: 0,
        series: series::find(rules, &document.blocks),
        open: None,
        counts: BTreeMap::new(),
        remarks: 0,
        grown: BTreeMap::new(),
        anchors: Vec::new(),
        defining: false,
        surroundings: String::new(),
        drafts: Vec::new(),
    };
    for (at, block) in document.blocks.iter().enumerate() {
        reading.block(at, block);
    }
    reading.headings.end();
    reading.bare_heading();
    reading.drafts
}

/// The paragraph that blocks may join.
struct Open {
    /// Its draft, once it has one: a heading opens a paragraph before there is text.
    draft: Option<usize>,
    id: String,
    kind: String,
    /// Whether a number or heading opened it; items of others are no parts.
    numbered: bool,
    variables: BTreeMap<String, String>,
    /// Open levels of items, with their drafts.
    levels: Vec<(Level, String, Option<usize>)>,
}

struct Reading<'d> {
    rules: &'d Compiled,
    format: Format,
    blocks: &'d [Block],
    doc: String,
    headings: Headings,
    /// The block of the last heading.
    heading: usize,
    series: Series,
    open: Option<Open>,
    counts: BTreeMap<String, usize>,
    /// How many remarks stand beside the text.
    remarks: usize,
    /// The last number of each series: rule, heading.
    grown: BTreeMap<(usize, u64), u64>,
    /// Names of blocks that made no paragraph, for the next one.
    anchors: Vec<String>,
    /// Whether the open paragraph began with a term that the next blocks define.
    defining: bool,
    /// What must be known of the block that is taken, besides its text.
    surroundings: String,
    drafts: Vec<Draft>,
}

impl<'d> Reading<'d> {
    fn block(&mut self, at: usize, block: &'d Block) {
        let text = block.text.trim_matches(['\n', ' ', '\t']);
        self.anchors.extend(block.anchor.clone());
        // A no-break space alone is there for the look of a page.
        if text.trim().is_empty() {
            return;
        }
        let rules = self.rules;
        if self.headings.heading(rules, block, text, self.series.get(&at).copied()) {
            // The anchor is the new heading's.
            let own = block.anchor.as_ref().and_then(|_| self.anchors.pop());
            self.bare_heading();
            self.anchors.extend(own);
            self.heading = at;
            self.defining = false;
            self.open = self.headings.opened(rules).map(|(id, kind)| Open {
                draft: None,
                id,
                kind,
                numbered: true,
                variables: BTreeMap::new(),
                levels: Vec::new(),
            });
            return;
        }
        if self.headings.title(rules, block, text) || self.headings.skipping() {
            return;
        }
        self.surroundings = self.surroundings(at, block, text);
        if block.kind == BlockKind::Footnote {
            self.footnote(block, text);
        } else if block.kind == BlockKind::Remark {
            self.remark(block, text);
        } else if block.kind == BlockKind::Table && self.numbered_rows(block, text) {
        } else if let Some((number, variables, rest)) = self.number(block, text) {
            self.numbered(block, number, variables, rest);
        } else if !self.items(at, block, text) {
            self.unnumbered(block, text);
        }
    }

    /// Gives the heading that ended with nothing below it as a paragraph: nobody would find its words otherwise.
    fn bare_heading(&mut self) {
        let Some(now) = self.headings.take_bare() else { return };
        let block = &self.blocks[self.heading];
        let mut text = labelled(block, block.text.trim_matches(['\n', ' ', '\t']));
        let title = self.headings.frames().last().map(|frame| frame.title.clone()).unwrap_or_default();
        if !text.contains(&title) {
            text = format!("{text}\n{title}");
        }
        if !self.headings.skipping() {
            self.surroundings.clear();
            let opened = self.open.take().filter(|open| open.draft.is_none() && open.numbered);
            let (id, kind) = opened
                .map_or_else(|| (self.unnumbered_id(), "heading".to_owned()), |open| (open.id, open.kind));
            let draft = self.push(block, id, &kind, &text, None, &BTreeMap::new());
            let paragraph = &mut self.drafts[draft].paragraph;
            paragraph.path.pop();
            paragraph.title = paragraph.path.last().cloned().unwrap_or_default();
        }
        self.headings.restore(now);
    }

    /// The rule and variables of a block's own number, and the text behind it.
    fn number(
        &mut self,
        block: &'d Block,
        text: &'d str,
    ) -> Option<(&'d Number, BTreeMap<String, String>, &'d str)> {
        if matches!(block.kind, BlockKind::Heading(_) | BlockKind::Table) {
            return None;
        }
        let rules = self.rules;
        for (rule, number) in rules.numbers.iter().enumerate() {
            let own = self.open.as_ref().map(|open| &open.variables);
            let value = |name: &str| {
                own.and_then(|own| own.get(name)).map(String::as_str).or_else(|| self.headings.value(name))
            };
            if !hold(&number.rule.when, value) {
                continue;
            }
            let label = block.label.as_deref().map(str::trim).and_then(|label| {
                captured(&number.label, label).or_else(|| captured(&number.label, &format!("{label}.")))
            });
            let (variables, rest) = match label {
                Some(variables) => (variables, text),
                None if block.label.is_some() => continue,
                // An entry of a list that begins with a number is most often one of a table of contents.
                None if block.kind != BlockKind::Paragraph && number.rule.grows.is_none() => continue,
                None => {
                    let Some(start) = number.start.find(text) else { continue };
                    let rest = &text[start.end()..];
                    let begins = |c: char| c.is_alphabetic() || "\"'“‘«([".contains(c);
                    let Some(variables) = captured(&number.start, text) else { continue };
                    if !rest.starts_with(begins) {
                        continue;
                    }
                    (variables, rest)
                }
            };
            // Below section 3.2 no paragraph has the number 0.5.
            let series = rules.headings.iter().find_map(|heading| heading.rule.series.as_deref());
            let section = series.and_then(|name| self.headings.value(name));
            let chapter = |number: &str| {
                let number = number.rsplit(':').next().unwrap_or(number).split('.').next()?;
                // The first of `V6.2` is 6.
                let digits = number.trim_start_matches(|c: char| c.is_ascii_uppercase());
                Some(if digits.is_empty() { number } else { digits }.to_owned())
            };
            if section.is_some_and(|section| variables.values().all(|one| chapter(one) != chapter(section))) {
                continue;
            }
            if let Some(growth) = &number.rule.grows {
                let digits = |text: &str| {
                    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
                    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                    digits[..end].parse::<u64>().ok()
                };
                let Some(value) = variables.get(&growth.group).and_then(|value| digits(value)) else {
                    continue;
                };
                let series = (rule, self.headings.serial(&growth.below));
                // What a format marks as a number may jump.
                let jump = if block.label.is_some() { u64::MAX } else { JUMP };
                let follows = |last: u64| value > last && value - last <= jump;
                if self.grown.get(&series).is_some_and(|&last| !follows(last)) {
                    continue;
                }
                self.grown.insert(series, value);
            }
            return Some((number, variables, rest));
        }
        None
    }

    fn numbered(
        &mut self,
        block: &Block,
        number: &Number,
        mut variables: BTreeMap<String, String>,
        text: &str,
    ) {
        let id = first(&number.id, |name| {
            variables.get(name).map(String::as_str).or_else(|| self.headings.value(name))
        });
        let Some(id) = id else { return self.unnumbered(block, text) };
        let parent = id.rsplit_once('.').map_or("", |(head, _)| head).to_owned();
        let mut kind = number.rule.kind.clone();
        let term = self.term(number.term.as_ref(), text);
        if let (Some(_), Some(rule)) = (&term, &number.rule.term) {
            kind.clone_from(&rule.kind);
        }
        variables.insert("parent".into(), parent);
        let section = first(&number.section, |name| {
            variables.get(name).map(String::as_str).or_else(|| self.headings.value(name))
        });
        // A section without name: `4` has no number above it.
        let section = section.or_else(|| (!number.section.is_empty()).then(String::new));
        variables.remove("parent");
        let draft = self.push(block, id.clone(), &kind, text, section, &variables);
        self.drafts[draft].paragraph.tags.extend(term);
        self.defining = false;
        self.open = Some(Open {
            draft: Some(draft),
            id,
            kind: self.drafts[draft].paragraph.kind.clone(),
            numbered: true,
            variables,
            levels: Vec::new(),
        });
    }

    /// Takes a block that begins with the mark of an item.
    fn items(&mut self, at: usize, block: &Block, text: &str) -> bool {
        let rules = self.rules;
        if matches!(block.kind, BlockKind::Table | BlockKind::Term | BlockKind::Preformatted) {
            return false;
        }
        if self.open.as_ref().is_none_or(|open| !open.numbered) && !self.reopens(block, text) {
            return false;
        }
        let holds = |one: &&Items| hold(&one.rule.when, |name| self.headings.value(name));
        let Some(items) = rules.items.iter().find(holds) else { return false };
        let mut any = false;
        let mut rest = text;
        let mut next = self.next_mark(at);
        if let Some(label) = apart(block) {
            let inner = find(text).filter(|_| starts_item(text));
            let next = inner.as_ref().or(next.as_ref());
            if !labels(label)
                .iter()
                .filter_map(|label| find(label))
                .any(|found| self.item(block, items, &found, next))
            {
                return false;
            }
            any = true;
        }
        while let Some(found) = find(rest).filter(|_| starts_item(rest)) {
            let behind = rest[found.bytes..].trim_start();
            let inner = find(behind).filter(|_| starts_item(behind));
            if !self.item(block, items, &found, inner.as_ref().or(next.as_ref())) {
                break;
            }
            any = true;
            rest = behind;
            if inner.is_none() {
                next = None;
            }
        }
        if any {
            self.item_text(block, items, rest);
        }
        any
    }

    /// Whether a first item goes back to the paragraph that the heading opened, past others without number.
    fn reopens(&mut self, block: &Block, text: &str) -> bool {
        let rules = self.rules;
        let holds = |one: &&Items| hold(&one.rule.when, |name| self.headings.value(name));
        let Some(items) = rules.items.iter().find(holds) else { return false };
        let looks = apart(block).map_or_else(|| vec![text.to_owned()], labels);
        let found = looks.iter().filter_map(|look| find(look));
        let first = found.filter_map(|found| place(&items.marks, &[], &found, None)).next();
        if first.is_none_or(|(_, level)| (level.level, level.value) != (0, 1)) {
            return false;
        }
        let Some((id, kind)) = self.headings.opened(rules) else { return false };
        let near = self.drafts.iter().enumerate().rev().take(REACH);
        let draft = near.filter(|(_, draft)| draft.paragraph.id == id).map(|(at, _)| at).next();
        self.open =
            Some(Open { draft, id, kind, numbered: true, variables: BTreeMap::new(), levels: Vec::new() });
        true
    }

    /// The mark of the next item, which tells a letter from a numeral.
    fn next_mark(&self, at: usize) -> Option<Found<'d>> {
        self.blocks.iter().skip(at + 1).take(LOOK_AHEAD).find_map(|block| match (apart(block), block.kind) {
            // What a bare label is followed by in the source is not known; its look does not matter here.
            (Some(label), _) => find(label),
            (None, BlockKind::Heading(_)) => None,
            (None, _) => find(&block.text).filter(|_| starts_item(&block.text)),
        })
    }

    /// Opens the level of an item. Its text comes with [`Self::item_text`], behind all the marks of the block.
    fn item(&mut self, block: &Block, items: &Items, found: &Found, next: Option<&Found>) -> bool {
        let Some(open) = &mut self.open else { return false };
        let levels: Vec<Level> = open.levels.iter().map(|(level, _, _)| *level).collect();
        let Some((keep, level)) = place(&items.marks, &levels, found, next) else { return false };
        if keep >= MAX_DEPTH {
            return false;
        }
        // A number that only looks like an item's: prose in a format that marks no lists.
        if block.label.is_none()
            && !matches!(block.kind, BlockKind::Item(_))
            && keep == levels.len()
            && level.value > 2
        {
            return false;
        }
        open.levels.truncate(keep);
        open.levels.push((level, found.body.to_owned(), None));
        true
    }

    fn item_text(&mut self, block: &Block, items: &Items, text: &str) {
        let Some(open) = &self.open else { return };
        let marks: String = open.levels.iter().map(|(_, mark, _)| format!("({mark})")).collect();
        let letters: String = open.levels.iter().map(|(_, mark, _)| mark.as_str()).collect();
        let last = open.levels.last().map_or("", |(_, mark, _)| mark.as_str()).to_owned();
        let whole = open.id.clone();
        let id = first(&items.id, |name| match name {
            "whole" => Some(&whole),
            "marks" => Some(&marks),
            "letters" => Some(&letters),
            "mark" => Some(&last),
            _ => open.variables.get(name).map(String::as_str).or_else(|| self.headings.value(name)),
        });
        let id = id.unwrap_or_else(|| format!("{whole}{marks}"));
        let mut kind = items.rule.kind.clone();
        let term = self.term(items.term.as_ref(), text);
        if let (Some(_), Some(rule)) = (&term, &items.rule.term) {
            kind.clone_from(&rule.kind);
        }
        let variables = open.variables.clone();
        let draft = match items.rule.becomes {
            ItemsAre::Parts => {
                if self.ensure_whole(block).is_none() {
                    return;
                }
                let fits = self.append(block, &format!("{} {text}", written(block, &last)), true);
                let kind = if kind.is_empty() { "item".to_owned() } else { kind };
                let draft = self.push(block, id, &kind, text, None, &variables);
                // Searches return wholes: an item that its whole has no room for must be found on its own.
                if fits {
                    self.drafts[draft].paragraph.part_of = Some(whole);
                    self.drafts[draft].scan_references = false;
                }
                draft
            }
            ItemsAre::Paragraphs => {
                if kind.is_empty()
                    && let Some(open) = &self.open
                {
                    kind.clone_from(&open.kind);
                }
                // An item belongs to the nearest one above it that is a paragraph.
                let above = self.open.as_ref().and_then(|open| {
                    let levels = open.levels.iter().rev().skip(1).find_map(|(_, _, draft)| *draft);
                    levels.or(open.draft).map(|draft| self.drafts[draft].paragraph.id.clone())
                });
                let draft = self.push(block, id, &kind, text, None, &variables);
                let above = above.map(|to| Reference { to, kind: "part-of".into() });
                self.drafts[draft].paragraph.refs.extend(above);
                draft
            }
        };
        self.drafts[draft].paragraph.tags.extend(term);
        if let Some((_, _, place)) = self.open.as_mut().and_then(|open| open.levels.last_mut()) {
            *place = Some(draft);
        }
    }

    /// A block without number of its own: it joins what is open, or is a paragraph by its place.
    fn unnumbered(&mut self, block: &Block, text: &str) {
        let labelled = labelled(block, text);
        let joins = match (&self.open, self.rules.set.join) {
            (None, _) => false,
            (Some(open), Join::All) if open.numbered => true,
            (Some(open), _) if open.draft.is_none() || !open.levels.is_empty() => true,
            _ if block.kind == BlockKind::Term => false,
            _ if self.defining => true,
            (Some(_), Join::Items | Join::All) => match block.kind {
                BlockKind::Item(_) | BlockKind::Table | BlockKind::Preformatted => true,
                // Text without markup indents what belongs to the paragraph before.
                BlockKind::Quote if self.format == Format::Text => true,
                BlockKind::Paragraph | BlockKind::Quote | BlockKind::Footnote | BlockKind::Term => {
                    block.label.is_some()
                }
                BlockKind::Heading(_) | BlockKind::Remark => false,
            },
        };
        if joins && self.open.as_ref().is_some_and(|open| open.draft.is_none() && open.levels.is_empty()) {
            let Some(open) = &self.open else { return };
            let (id, kind, variables) = (open.id.clone(), open.kind.clone(), open.variables.clone());
            let draft = self.push(block, id, &kind, &labelled, None, &variables);
            if let Some(open) = &mut self.open {
                open.draft = Some(draft);
            }
            return;
        }
        if joins && self.append(block, &labelled, matches!(block.kind, BlockKind::Item(_))) {
            self.joined(block);
            return;
        }
        let (id, empty) = (self.unnumbered_id(), BTreeMap::new());
        self.defining = block.kind == BlockKind::Term;
        let kind = match block.kind {
            BlockKind::Term => "definition",
            BlockKind::Table => "table",
            _ => "",
        };
        let mut parts = match block.kind {
            BlockKind::Table => lines_within(&labelled, TABLE_BYTES),
            _ => vec![labelled],
        }
        .into_iter();
        let draft = self.push(block, id.clone(), kind, &parts.next().unwrap_or_default(), None, &empty);
        for part in parts {
            let id = self.unnumbered_id();
            self.push(block, id, kind, &part, None, &empty);
        }
        if self.defining {
            self.drafts[draft].paragraph.tags.push(text.to_owned());
        }
        let kind = self.drafts[draft].paragraph.kind.clone();
        self.open = Some(Open {
            draft: Some(draft),
            id,
            kind,
            numbered: false,
            variables: empty,
            levels: Vec::new(),
        });
    }

    fn unnumbered_id(&mut self) -> String {
        self.counted(&self.rules.unnumbered, "").unwrap_or_else(|| {
            format!("{}/p{}", self.headings.value("stem").unwrap_or("text"), self.drafts.len() + 1)
        })
    }

    /// The first template that can be filled in, with a count of its own.
    fn counted(&mut self, templates: &[crate::rules::template::Template], label: &str) -> Option<String> {
        for template in templates {
            let with = |count: &str| {
                template.render(|name| match name {
                    "count" => Some(count),
                    "label" => Some(label),
                    _ => self.headings.value(name),
                })
            };
            let Some(key) = with("#") else { continue };
            let count = self.counts.entry(key).or_insert(0);
            *count += 1;
            let count = count.to_string();
            return with(&count);
        }
        None
    }

    fn footnote(&mut self, block: &Block, text: &str) {
        let label =
            block.label.as_deref().unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let id = self.counted(&self.rules.footnotes, &label).unwrap_or_else(|| self.unnumbered_id());
        let empty = BTreeMap::new();
        self.push(block, id, "footnote", text, None, &empty);
    }

    /// What stands beside the text counts for itself, and ends no paragraph.
    fn remark(&mut self, block: &Block, text: &str) {
        self.remarks += 1;
        let id = format!("{} remark {}", self.headings.value("stem").unwrap_or("text"), self.remarks);
        self.push(block, id, "remark", text, None, &BTreeMap::new());
    }

    fn term(&self, regex: Option<&regex::Regex>, text: &str) -> Option<String> {
        captured(regex?, text)?.remove("term").filter(|term| !term.is_empty())
    }

    /// A heading's paragraph that begins with an item gets its draft now.
    fn ensure_whole(&mut self, block: &Block) -> Option<usize> {
        let open = self.open.as_ref()?;
        if let Some(draft) = open.draft {
            return Some(draft);
        }
        let (id, kind, variables) = (open.id.clone(), open.kind.clone(), open.variables.clone());
        let draft = self.push(block, id, &kind, "", None, &variables);
        self.open.as_mut()?.draft = Some(draft);
        Some(draft)
    }

    /// Adds a line to the open paragraph, and to the open items of it that are parts; the innermost of those is left
    /// out for an item that is about to have a draft of its own. False where it would become too long.
    fn append(&mut self, block: &Block, line: &str, to_items: bool) -> bool {
        let Some(open) = &self.open else { return false };
        let parts = |draft: &usize| self.drafts[*draft].paragraph.part_of.is_some();
        let items: Vec<usize> = open.levels.iter().filter_map(|(_, _, draft)| *draft).collect();
        let targets: Vec<usize> = match items.last() {
            Some(last) if !parts(last) => vec![*last],
            _ if to_items => open.draft.into_iter().chain(items).collect(),
            _ => open.draft.into_iter().collect(),
        };
        let limit = if open.numbered { NUMBERED_BYTES } else { JOINED_BYTES };
        let fits = |draft: &usize| self.drafts[*draft].paragraph.text.len() + line.len() <= limit;
        if targets.is_empty() || !targets.iter().all(fits) {
            return false;
        }
        for draft in targets {
            let paragraph = &mut self.drafts[draft].paragraph;
            if !paragraph.text.is_empty() {
                paragraph.text.push('\n');
            }
            paragraph.text.push_str(line);
            take_marks(paragraph, block);
            if let Some(more) = &block.recognised {
                paragraph.recognised.get_or_insert_default().extend(&more.part(&block.text, line));
            }
        }
        true
    }

    /// What a block brings to the paragraph that it joined, besides its text.
    fn joined(&mut self, block: &Block) {
        let anchors = std::mem::take(&mut self.anchors);
        let place = self.open.as_ref().and_then(|open| open.draft);
        if let Some(draft) = place.and_then(|place| self.drafts.get_mut(place)) {
            draft.anchors.extend(anchors);
            if draft.paragraph.context.is_empty() {
                draft.paragraph.context.clone_from(&self.surroundings);
            }
            draft.links.extend(block.links.iter().map(|link| link.target.clone()));
        }
    }

    fn push(
        &mut self,
        block: &Block,
        id: String,
        kind: &str,
        text: &str,
        section: Option<String>,
        variables: &BTreeMap<String, String>,
    ) -> usize {
        self.headings.fill();
        let value =
            |name: &str| variables.get(name).map(String::as_str).or_else(|| self.headings.value(name));
        let section = section
            .or_else(|| first(&self.rules.section, value))
            .or_else(|| value("slug").map(str::to_owned))
            .unwrap_or_default();
        let kind = match kind {
            "" => value("kind").unwrap_or("paragraph"),
            kind => kind,
        };
        let mut paragraph = Paragraph {
            id,
            doc: first(&self.rules.document, value).unwrap_or_else(|| self.doc.clone()),
            section,
            title: self.headings.frames().last().map(|frame| frame.title.clone()).unwrap_or_default(),
            path: self.headings.frames().iter().map(|frame| frame.title.clone()).collect(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            page: block.place.page,
            recognised: block.recognised.as_ref().map(|known| known.part(&block.text, text)),
            context: self.surroundings.clone(),
            ..Paragraph::default()
        };
        if !text.is_empty() {
            take_marks(&mut paragraph, block);
        }
        let mut scope = self.headings.variables();
        scope.extend(variables.clone());
        self.drafts.push(Draft {
            line: block.place.line.unwrap_or(0) as usize,
            scan_references: true,
            scope,
            anchors: std::mem::take(&mut self.anchors),
            links: block.links.iter().map(|link| link.target.clone()).collect(),
            paragraph,
        });
        self.drafts.len() - 1
    }
}

/// Gives the paragraph that ends with a block's text what is struck out of that text, and the pages on which it goes on.
fn take_marks(paragraph: &mut Paragraph, block: &Block) {
    let text = block.text.trim_end_matches(['\n', ' ', '\t']);
    // A part of a long table has no place for the marks of the whole.
    if !paragraph.text.ends_with(text) && !text.ends_with(&paragraph.text) {
        return;
    }
    let length = paragraph.text.len();
    let place = |at: usize| length.saturating_sub(text.len().saturating_sub(at));
    let struck = block.struck.iter().map(|one| Deletion { at: place(one.at), text: one.text.clone() });
    paragraph.struck.extend(struck);
    let begins = block.place.page.map(|page| PageBreak { at: place(0), page });
    let pages = begins
        .into_iter()
        .chain(block.breaks.iter().map(|one| PageBreak { at: place(one.at), page: one.page }));
    for one in pages {
        let before = paragraph.breaks.last().map(|last| last.page).or(paragraph.page);
        if before.is_some_and(|before| one.page > before) && one.at < length {
            paragraph.breaks.push(one);
        }
    }
}

/// A text in parts of whole lines; as it is where it is hardly longer than one.
fn lines_within(text: &str, most: usize) -> Vec<String> {
    if text.len() <= most * 2 {
        return vec![text.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    for line in text.lines() {
        match parts.last_mut() {
            Some(part) if part.len() + line.len() < most => {
                part.push('\n');
                part.push_str(line);
            }
            _ => parts.push(line.to_owned()),
        }
    }
    parts
}

/// Whether what follows the mark at the beginning of a text can be an item's text.
fn starts_item(text: &str) -> bool {
    find(text).is_some_and(|found| {
        let rest = &text[found.bytes..];
        rest.starts_with('(') || rest.starts_with(char::is_whitespace) && !rest.trim().is_empty()
    })
}
