//! The headings above a paragraph, and the variables that they set.

use std::collections::BTreeMap;

use documents::{Block, BlockKind};
use text_analysis::is_mark;

use crate::rules::compiled::{Compiled, captured, hold};
use crate::rules::template::first;
use crate::titles::composed;

/// Longest block that may be a heading without saying so, in bytes.
const UNMARKED_BYTES: usize = 200;

/// An open heading.
#[derive(Clone)]
pub(crate) struct Frame {
    level: u32,
    /// Whether its level is fixed by a rule: only a heading with such a level ends it.
    held: bool,
    /// Tells it from others.
    serial: u64,
    pub(crate) title: String,
    variables: BTreeMap<String, String>,
    /// The rule that made it.
    rule: Option<usize>,
    /// Whether a paragraph stands below it.
    filled: bool,
}

pub(crate) struct Headings {
    facts: BTreeMap<String, String>,
    frames: Vec<Frame>,
    serial: u64,
    slugs: BTreeMap<String, usize>,
    /// Whether the next block may be the title of the innermost heading.
    awaits_title: bool,
    /// The headings that were open when the last one ended with nothing below it.
    bare: Option<Vec<Frame>>,
}

impl Headings {
    pub(crate) fn new(facts: BTreeMap<String, String>) -> Self {
        Self { facts, frames: Vec::new(), serial: 0, slugs: BTreeMap::new(), awaits_title: false, bare: None }
    }

    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Notes that a paragraph stands below the open headings.
    pub(crate) fn fill(&mut self) {
        self.frames.iter_mut().rev().take_while(|frame| !frame.filled).for_each(|frame| frame.filled = true);
    }

    /// Opens the heading again that ended with nothing below it; the headings that are open now, for [`Self::restore`].
    pub(crate) fn take_bare(&mut self) -> Option<Vec<Frame>> {
        let bare = self.bare.take()?;
        Some(std::mem::replace(&mut self.frames, bare))
    }

    /// Ends all headings.
    pub(crate) fn end(&mut self) {
        self.close(0);
    }

    /// Opens the headings again that [`Self::take_bare`] gave.
    pub(crate) fn restore(&mut self, frames: Vec<Frame>) {
        self.frames = frames;
    }

    /// Ends the headings of a level and of those within it.
    fn close(&mut self, level: u32) {
        if self.frames.last().is_some_and(|frame| frame.level >= level && !frame.filled) {
            self.bare = Some(self.frames.clone());
        }
        self.frames.retain(|frame| frame.level < level);
    }

    /// A variable's value; `None` when it is not set.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let inner = self.frames.iter().rev().find_map(|frame| frame.variables.get(name));
        inner.or_else(|| self.facts.get(name)).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Every variable that is set.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let mut all = self.facts.clone();
        for frame in &self.frames {
            all.extend(frame.variables.clone());
        }
        all.retain(|name, value| !value.is_empty() && name != "stem" && name != "slug");
        all
    }

    /// Tells the heading that set a variable from others; 0 when none did.
    pub(crate) fn serial(&self, variable: &str) -> u64 {
        let set = |frame: &&Frame| frame.variables.get(variable).is_some_and(|value| !value.is_empty());
        self.frames.iter().rev().find(set).map_or(0, |frame| frame.serial)
    }

    /// Whether what is below the innermost headings is left out.
    pub(crate) fn skipping(&self) -> bool {
        self.frames.iter().any(|frame| frame.variables.contains_key("skipped"))
    }

    /// Takes a block that is a heading.
    pub(crate) fn heading(&mut self, rules: &Compiled, block: &Block, text: &str, run: Option<u8>) -> bool {
        let Some((line, level)) = heading_line(block, text) else { return false };
        for (at, heading) in rules.headings.iter().enumerate() {
            // A title that was announced is no heading of its own.
            if self.awaits_title && heading.rule.level.is_none() && !heading.rule.adds {
                continue;
            }
            if (level.is_none() && !heading.rule.unmarked)
                || !hold(&heading.rule.when, |name| self.value(name))
            {
                continue;
            }
            let Some(variables) = captured(&heading.regex, &line) else { continue };
            // A number out of its turn is none.
            if heading.rule.series.is_some() && run.is_none() {
                self.stray(level, line);
                return true;
            }
            self.matched(rules, at, level, &line, variables, run);
            return true;
        }
        let Some(level) = level else { return false };
        if self.awaits_title {
            return false;
        }
        let title = text.to_owned();
        let level = level.max(self.held_level() + 1);
        self.push(level, false, title, BTreeMap::new(), None);
        true
    }

    fn held_level(&self) -> u32 {
        self.frames.iter().rev().find(|frame| frame.held).map_or(0, |frame| frame.level)
    }

    fn matched(
        &mut self,
        rules: &Compiled,
        at: usize,
        level: Option<u32>,
        line: &str,
        mut variables: BTreeMap<String, String>,
        run: Option<u8>,
    ) {
        let rule = &rules.headings[at].rule;
        let title = variables.remove("title").filter(|title| !title.is_empty());
        let depth = || variables.values().next().map_or(1, |number| number.split('.').count() as u32);
        let (level, held) = match rule.level {
            Some(level) => (u32::from(level.max(1)), true),
            None => (level.unwrap_or_else(depth).max(self.held_level() + 1), false),
        };
        if let Some(name) = &rule.series
            && let Some(number) = variables.get_mut(name)
            && let Some(run @ 1..) = run
        {
            // Appendices often begin at 1 again: `B:1.2`.
            *number = format!("{}:{number}", char::from(b'A' + run));
        }
        for (name, value) in &rules.headings[at].set {
            let value = match value {
                None => Some(String::new()),
                Some(value) => value.render(|name| variables.get(name).map(String::as_str)),
            };
            variables.extend(value.map(|value| (name.clone(), value)));
        }
        if rule.adds {
            if let Some(frame) = self.frames.last_mut() {
                frame.variables.extend(variables);
            }
            return;
        }
        if rule.skip {
            variables.insert("skipped".into(), "1".into());
        }
        // The head of a page says again where we are.
        let stated = |all: &BTreeMap<String, String>| {
            all.iter()
                .filter(|(name, _)| *name != "edition")
                .map(|(a, b)| (a.clone(), b.clone()))
                .collect::<Vec<_>>()
        };
        let again = |frame: &Frame| frame.rule == Some(at) && stated(&frame.variables) == stated(&variables);
        if held && self.frames.iter().any(again) {
            return;
        }
        self.awaits_title = rule.title_follows && title.is_none();
        // `Control Enhancements` says where we are, and nothing of its own.
        let is_sign = title.is_none() && !self.awaits_title && rules.headings[at].opens.is_empty();
        self.push(level, held, title.unwrap_or_else(|| line.to_owned()), variables, Some(at));
        if is_sign {
            self.fill();
        }
    }

    fn push(
        &mut self,
        level: u32,
        held: bool,
        title: String,
        mut variables: BTreeMap<String, String>,
        rule: Option<usize>,
    ) {
        self.close(level);
        // A heading that sets nothing is known by its words.
        if variables.values().all(String::is_empty) {
            let slug = slug(&title);
            let seen = self.slugs.entry(slug.clone()).or_insert(0);
            *seen += 1;
            variables.insert("slug".into(), if *seen == 1 { slug } else { format!("{slug}-{seen}") });
        }
        self.serial += 1;
        self.frames.push(Frame { level, held, serial: self.serial, title, variables, rule, filled: false });
    }

    /// Takes a heading that looks like one of a series and is none: it stands within the one before it.
    fn stray(&mut self, level: Option<u32>, line: String) {
        let numbered = |frame: &&Frame| frame.rule.is_some();
        let above = self.frames.iter().rev().find(numbered).map_or(0, |frame| frame.level);
        self.push(level.unwrap_or(0).max(above + 1), false, line, BTreeMap::new(), None);
    }

    /// Takes a block as the title that the heading before it announced.
    pub(crate) fn title(&mut self, rules: &Compiled, block: &Block, text: &str) -> bool {
        if !std::mem::take(&mut self.awaits_title) {
            return false;
        }
        let plain = match block.kind {
            BlockKind::Heading(_) => true,
            BlockKind::Paragraph | BlockKind::Quote | BlockKind::Preformatted => {
                block.label.is_none() && text.len() <= UNMARKED_BYTES && !text.ends_with(['.', ';', ':', ','])
            }
            BlockKind::Item(_)
            | BlockKind::Table
            | BlockKind::Footnote
            | BlockKind::Remark
            | BlockKind::Term => false,
        };
        let numbered = rules.numbers.iter().any(|number| number.start.is_match(text));
        if plain
            && !numbered
            && let Some(frame) = self.frames.last_mut()
        {
            text.clone_into(&mut frame.title);
            return true;
        }
        false
    }

    /// The id and kind of the paragraph that the innermost heading opens.
    pub(crate) fn opened(&self, rules: &Compiled) -> Option<(String, String)> {
        let rule = &rules.headings[self.frames.last()?.rule?];
        let id = first(&rule.opens, |name| self.value(name))?;
        Some((id, self.value("kind").unwrap_or("").to_owned()))
    }
}

/// A block's words as a heading, its number first, and its level where its format marks it as one.
pub(crate) fn heading_line(block: &Block, text: &str) -> Option<(String, Option<u32>)> {
    let label = block.label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    let level = match block.kind {
        BlockKind::Heading(level) => Some(u32::from(level.max(1))),
        BlockKind::Item(_) if label.is_none() => return None,
        BlockKind::Paragraph | BlockKind::Quote | BlockKind::Preformatted | BlockKind::Item(_)
            if text.len() <= UNMARKED_BYTES && !text.contains('\n') =>
        {
            None
        }
        BlockKind::Paragraph
        | BlockKind::Quote
        | BlockKind::Preformatted
        | BlockKind::Item(_)
        | BlockKind::Table
        | BlockKind::Footnote
        | BlockKind::Remark
        | BlockKind::Term => return None,
    };
    let line = match label {
        // A label is the bare number, whether or not a full stop stood behind it.
        Some(label) if label.bytes().all(|c| c.is_ascii_digit()) => format!("{label}. {text}"),
        Some(label) => format!("{label} {text}"),
        None => text.to_owned(),
    };
    Some((line, level))
}

/// A heading as it can stand in an id: lower-case words joined by hyphens, at most 60 bytes.
pub(crate) fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in composed(title).chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || (is_mark(c) && !out.is_empty()) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= 60 {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "section".into() } else { out.to_owned() }
}
