//! The answer's own text: cut at its `##` headings, citations linked, Sources blocks rebuilt from what was checked.

use std::ops::Range;

use domain::SentenceRecord;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use serde::Serialize;

use crate::citation_index::CitationIndex;
use crate::markers::{self, Marker};
use crate::prior::{is_sources_heading, step_fence};
use crate::quoted_words::QuotedWords;
use crate::refs::Refs;
use crate::statements::{Statement, place_of};
use crate::{DocumentInput, PriorMark, WebMark, blocks, sanitise, sentences, text};

/// Enclose the number of a Sources block while the text around it is worked on. Cleaning takes these characters out of
/// everything that comes from outside, so nothing else can look like it.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// A `##` section of the body; the first may have no heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its heading as plain text.
    pub heading: Option<String>,
    /// Its Markdown, heading included, with citations linked to `#cite-<number>`.
    pub markdown: String,
    /// What it rests on.
    pub sources: Vec<SourceEntry>,
}

/// One entry of a Sources block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceEntry {
    /// A cited paragraph, by its number.
    Paragraph(usize),
    /// Words that name no paragraph, page or section: shown as what they are.
    Note(String),
    /// A section of the earlier answer.
    Prior(PriorMark),
    /// A page.
    Web(WebMark),
}

/// The body's sections, and its sentences without a source.
pub(crate) fn build(
    synthesis: &str,
    input: &DocumentInput,
    book: &mut CitationIndex,
    records: &[SentenceRecord],
) -> (Vec<Section>, Vec<String>) {
    let mut marks = StatementMarks::new(records);
    let (text, blocks) = take_sources(synthesis);
    let text = markers::replace_markers(
        &text,
        &input.web_references,
        &input.prior_sections,
        &input.output.web_reference,
    );
    let text = sanitise::sanitise(&text);
    let mut sections = Vec::new();
    let mut uncited = Vec::new();
    let quotes = book.quotes();
    for part in split(&text) {
        let (markdown, numbers) = take_placeholders(part);
        // Without the placeholders lists may go on further down than before, so this is another text.
        let markdown = sanitise::sanitise(&markdown);
        let refs = book.refs(&input.citation_forms);
        let leaves = blocks::leaves(&markdown);
        uncited.extend(sentences::uncited(&leaves, &refs, &quotes));
        let heading = leaves
            .first()
            .filter(|leaf| leaf.kind == blocks::Kind::Heading)
            .map(|leaf| text::one_line(&leaf.text));
        let found = marks.statements(&markdown, &leaves);
        let (linked, cited) = link(&markdown, (&leaves, &quotes), &refs, book, &found);
        let own = |target: &str| ["#cite-", "#statement-"].iter().any(|own| target.starts_with(own));
        let linked = if sanitise::is_calm(&linked, own) { linked } else { text::paragraphs(&markdown) };
        // Blanks at the start stay: they may make the first line code.
        let markdown = linked.trim_end().trim_start_matches('\n').to_owned();
        let lines = numbers.iter().filter_map(|number| blocks.get(*number)).flatten();
        let mut sources = sources(lines.map(String::as_str), &cited, &refs, book, input);
        labelled(&markdown, &quotes, input, &mut sources);
        if !markdown.trim().is_empty() || !sources.is_empty() {
            sections.push(Section { heading, markdown, sources });
        }
    }
    (sections, uncited)
}

/// Takes Sources blocks out of the text and leaves a placeholder for each.
pub(crate) fn take_sources(markdown: &str) -> (String, Vec<Vec<String>>) {
    let mut out = String::with_capacity(markdown.len());
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let mut fence = None;
    let mut inside = false;
    for line in markdown.split('\n') {
        let quoted = line.trim_start().starts_with('>');
        let marker = line.starts_with("WEB_REF|") || line.starts_with("PRIOR_REF|");
        if inside && (quoted || marker) {
            if let Some(block) = blocks.last_mut() {
                block.push(line.to_owned());
            }
            continue;
        }
        inside = false;
        let before = fence;
        fence = step_fence(fence, line);
        let first = if before.is_none() && quoted { sources_line(line) } else { None };
        match first {
            Some(first) => {
                inside = true;
                out.push_str(&format!("\n{OPEN}{}{CLOSE}\n\n", blocks.len()));
                blocks.push(if first.is_empty() { Vec::new() } else { vec![first] });
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    (out, blocks)
}

/// Whether a quoted line opens a Sources block; what it says behind the word, if anything.
fn sources_line(line: &str) -> Option<String> {
    if is_sources_heading(line) {
        return Some(String::new());
    }
    let bare = line.trim_start_matches(['>', ' ', '\t']);
    let rest = ["**Sources**", "**Sources:**", "**sources**", "**sources:**"]
        .iter()
        .find_map(|mark| bare.strip_prefix(mark))?;
    Some(rest.trim_start_matches([':', ' ']).to_owned())
}

/// Cuts before each second-level heading that stands in no list or quote.
pub(crate) fn split(markdown: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut depth = 0_u32;
    for (event, range) in Parser::new_ext(markdown, blocks::options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) if depth == 0 => {
                cuts.push(range.start)
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    cuts.push(markdown.len());
    cuts.windows(2).map(|cut| &markdown[cut[0]..cut[1]]).collect()
}

pub(crate) fn take_placeholders(markdown: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(markdown.len());
    let mut numbers = Vec::new();
    let mut rest = markdown;
    while let Some(open) = rest.find(OPEN) {
        let after = &rest[open + OPEN.len_utf8()..];
        let (inside, tail) = after.split_once(CLOSE).unwrap_or((after, ""));
        numbers.extend(inside.parse::<usize>());
        out.push_str(rest[..open].trim_end_matches('\n'));
        out.push_str("\n\n");
        rest = tail.trim_start_matches('\n');
    }
    out.push_str(rest);
    (out, numbers)
}

/// The signs behind statements. Each record is used once, in the order of the text.
struct StatementMarks<'r> {
    records: Vec<(&'r SentenceRecord, bool)>,
}

impl<'r> StatementMarks<'r> {
    fn new(records: &'r [SentenceRecord]) -> Self {
        Self { records: records.iter().map(|record| (record, false)).collect() }
    }

    /// The statements of a part that have records, in order, each where it stands.
    fn statements(&mut self, markdown: &str, leaves: &[blocks::Leaf]) -> Vec<(Range<usize>, Statement)> {
        let mut found = Vec::new();
        for place in sentences::sentence_places(markdown, leaves) {
            let same =
                |(record, used): &&mut (&SentenceRecord, bool)| !*used && record.sentence == place.text;
            if let Some((record, used)) = self.records.iter_mut().find(same) {
                *used = true;
                found.push((place.range, Statement::of(record)));
            }
        }
        found.sort_by_key(|(range, _)| range.end);
        found
    }
}

/// Links every citation to its paragraph, marks those that aren't verified, and puts the signs behind statements.
fn link(
    markdown: &str,
    (leaves, quotes): (&[blocks::Leaf], &QuotedWords),
    refs: &Refs,
    book: &mut CitationIndex,
    found: &[(Range<usize>, Statement)],
) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(markdown.len());
    let mut cited = Vec::new();
    let mut at = 0;
    let sign = |(range, one): &(Range<usize>, Statement)| {
        (range.end, format!(" [{}](#statement-{})", one.state.sign(), one.n))
    };
    let mut signs = found.iter().map(sign).peekable();
    let mut copy = |out: &mut String, from: usize, to: usize| {
        let mut from = from;
        while let Some((place, sign)) = signs.next_if(|(place, _)| *place <= to) {
            let place = place.max(from);
            out.push_str(&markdown[from..place]);
            out.push_str(&sign);
            from = place;
        }
        out.push_str(&markdown[from..to]);
    };
    for leaf in leaves {
        if leaf.range.start < at {
            continue;
        }
        let start = leaf.range.start;
        let masked: Vec<_> = leaf
            .masked
            .iter()
            .map(|range| range.start.saturating_sub(start)..range.end.saturating_sub(start))
            .collect();
        for hit in refs.in_parentheses(&markdown[leaf.range.clone()], &masked, quotes) {
            let range = hit.range.start + start..hit.range.end + start;
            let words = &markdown[range.clone()];
            let index = hit.known.unwrap_or_else(|| book.entry(words));
            let citation = book.cite(index);
            copy(&mut out, at, range.start);
            let statement =
                found.iter().find(|(place, _)| place.start <= range.start && range.end <= place.end);
            let own = statement.and_then(|(_, one)| place_of(&one.places, &citation.source_ref));
            let label = own.as_deref().or(citation.label.as_deref()).map(text::inline);
            let words = label.as_deref().unwrap_or(words);
            out.push_str(&format!("[{words}](#{})", citation.anchor()));
            if let Some(mark) = citation.mark() {
                out.push(' ');
                out.push_str(mark);
            }
            at = range.end;
            cited.push(index);
        }
    }
    copy(&mut out, at, markdown.len());
    (out, cited)
}

/// Adds the pages and earlier sections whose labels stand in the text and that no line names.
fn labelled(markdown: &str, quotes: &QuotedWords, input: &DocumentInput, sources: &mut Vec<SourceEntry>) {
    let (mut priors, mut pages) = (Vec::new(), Vec::new());
    for (kind, number) in sentences::labels(markdown, quotes) {
        let Some(at) = number.checked_sub(1) else { continue };
        if kind == 'W' {
            let Some(page) = input.web_references.get(at) else { continue };
            let format = &input.output.web_reference.ref_format;
            let mark = WebMark::resolve(&page.url, &page.insight, &input.web_references, format);
            let named =
                |entry: &SourceEntry| matches!(entry, SourceEntry::Web(other) if other.label == mark.label);
            if !sources.iter().chain(&pages).any(named) {
                pages.push(SourceEntry::Web(mark));
            }
        } else if let Some(section) = input.prior_sections.iter().find(|section| section.number == number) {
            let mark = PriorMark {
                id: text::one_line(&section.id),
                heading: text::one_line(&section.heading),
                excerpt: text::one_line(&section.excerpt),
                known: true,
            };
            let named = |entry: &SourceEntry| matches!(entry, SourceEntry::Prior(other) if other.id.eq_ignore_ascii_case(&mark.id));
            if !sources.iter().chain(&priors).any(named) {
                priors.push(SourceEntry::Prior(mark));
            }
        }
    }
    sources.extend(priors.into_iter().chain(pages));
}

/// The entries: paragraphs that the block names, those that the section cites besides, then earlier sections, then pages.
fn sources<'a>(
    lines: impl Iterator<Item = &'a str>,
    cited: &[usize],
    refs: &Refs,
    book: &mut CitationIndex,
    input: &DocumentInput,
) -> Vec<SourceEntry> {
    let mut paragraphs: Vec<usize> = Vec::new();
    let (mut notes, mut priors, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    // Lines that go on with an entry are left out: the paragraph's own words take their place.
    let mut goes_on = false;
    for line in lines {
        let bare = line
            .trim_start_matches(['>', ' ', '\t', '-', '*', '_', '(', '[', '"'])
            .trim_end_matches([' ', '*', '_']);
        if bare.is_empty() {
            goes_on = false;
            continue;
        }
        match markers::read(
            line,
            &input.web_references,
            &input.prior_sections,
            &input.output.web_reference.ref_format,
        ) {
            Some(Marker::Web(mark)) => pages.push(SourceEntry::Web(mark)),
            Some(Marker::Prior(mark)) => priors.push(SourceEntry::Prior(mark)),
            None => {
                let found = refs.anywhere(bare);
                let leading: Vec<_> = found
                    .into_iter()
                    .take_while(|hit| hit.range.start == 0 || bare[..hit.range.start].ends_with("; "))
                    .collect();
                if leading.is_empty() {
                    if !goes_on {
                        notes.push(SourceEntry::Note(text::one_line(bare)));
                    }
                    continue;
                }
                goes_on = true;
                for hit in leading {
                    paragraphs.push(hit.known.unwrap_or_else(|| book.entry(&bare[hit.range.clone()])));
                }
                continue;
            }
        }
        goes_on = false;
    }
    paragraphs.extend(cited);
    let mut numbers: Vec<usize> = Vec::new();
    for index in paragraphs {
        let number = book.cite(index).number;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    let mut out: Vec<SourceEntry> = numbers.into_iter().map(SourceEntry::Paragraph).collect();
    out.extend(notes.into_iter().chain(priors).chain(pages));
    out
}
