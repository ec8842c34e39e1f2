//! The body's sections, with citations as footnotes.

use std::collections::BTreeSet;

use docx::{
    Block, Format, HeadingLevel, Link, List, Note, Paragraph, ParagraphStyle, Run, RunContent, visit_runs,
};

use crate::labels::{self, Label};
use crate::word::{Parts, plain, styled};
use crate::{Citation, Document, Section, SourceEntry, exhibit_label, text};

impl<'d> Parts<'d, '_> {
    /// The sections, each with the sources that no footnote of it has.
    pub(super) fn body(&mut self) -> Vec<Block> {
        let mut out = Vec::new();
        for (index, section) in self.document.sections.iter().enumerate() {
            if index == 0 && section.heading.is_none() {
                out.push(Block::heading(self.top, "Answer"));
            }
            let mut blocks = self.markdown(&self.document.typeset(&section.markdown));
            let mut cited = BTreeSet::new();
            visit_runs(&mut blocks, &mut |runs| self.line(runs, &section.markdown, &mut cited));
            out.append(&mut blocks);
            out.extend(self.sources(section, &cited));
        }
        out
    }

    /// Turns the links of one line into footnotes, links to parts of the document, and words. References that only stand in brackets
    /// behind what they support become marks; those that a sentence needs keep their words.
    fn line(&mut self, runs: &mut Vec<Run>, markdown: &str, cited: &mut BTreeSet<usize>) {
        let mut out = Vec::with_capacity(runs.len());
        let is_quote = runs.first().is_some_and(|run| text_of(run).trim_start().starts_with('\u{201c}'));
        let mut rest = runs.as_slice();
        while let Some(first) = rest.first() {
            if let Some(Bracket { citations, end, after }) = self.bracket(&out, rest) {
                open_bracket(&mut out);
                if is_quote && let Some(label) = self.short_form(&citations) {
                    out.push(Run::text(format!(" ({label})")));
                }
                let statement = statement_after(&rest[end..]);
                let mut is_mark_before = false;
                for (citation, mark) in citations {
                    cited.insert(citation.number);
                    if is_mark_before {
                        out.push(Run::styled(",", Format { raised: true, ..Format::default() }));
                    }
                    let note = self.note(citation, markdown, statement);
                    out.push(Run::note(note));
                    is_mark_before = mark.is_empty();
                    if !mark.is_empty() {
                        out.push(Run::italic(format!(" {mark}")));
                    }
                }
                if !after.is_empty() {
                    let remainder = Run { content: RunContent::Text(after), ..rest[end - 1].clone() };
                    self.labelled(&remainder, &mut out);
                }
                rest = &rest[end..];
                continue;
            }
            let same = rest.iter().take_while(|run| run.link == first.link).count();
            let (group, after) = rest.split_at(same);
            match &first.link {
                Some(Link::Place(target)) => match self.target(target) {
                    Some(Target::Citation(citation)) => {
                        out.extend(group.iter().map(unlinked));
                        cited.insert(citation.number);
                        let note = self.note(citation, markdown, statement_after(after));
                        out.push(Run::note(note));
                    }
                    Some(Target::Statement(place)) => {
                        let link = Some(Link::Place(place));
                        out.extend(group.iter().map(|run| Run { link: link.clone(), ..run.clone() }));
                    }
                    None => out.extend(group.iter().map(unlinked)),
                },
                Some(Link::Web(_)) => out.extend(group.iter().cloned()),
                None => group.iter().for_each(|run| self.labelled(run, &mut out)),
            }
            rest = after;
        }
        *runs = out;
    }

    /// The bracket that begins with these runs and has nothing but citations in it, where something stands before it.
    fn bracket(&self, before: &[Run], runs: &[Run]) -> Option<Bracket<'d>> {
        let (last, others) = before.split_last()?;
        let words = text_of(last).strip_suffix('(').filter(|_| last.link.is_none())?;
        if words.trim().is_empty() && others.is_empty() {
            return None;
        }
        let mut citations = Vec::new();
        let mut at = 0;
        loop {
            let first = runs.get(at)?;
            let Some(Link::Place(target)) = &first.link else { return None };
            let Some(Target::Citation(citation)) = self.target(target) else { return None };
            at += runs[at..].iter().take_while(|run| run.link == first.link).count();
            let next = runs.get(at).filter(|run| run.link.is_none() && !run.format.code)?;
            let (mark, rest) = unverified_mark(text_of(next));
            citations.push((citation, mark.to_owned()));
            at += 1;
            if let Some(after) = rest.strip_prefix(')') {
                return Some(Bracket { citations, end: at, after: after.to_owned() });
            }
            if !matches!(rest, ", " | "; " | " and " | ", and " | "; and ") {
                return None;
            }
        }
    }

    /// The exhibits that a quotation stands in, by their numbers: it does not say itself whose words it has.
    fn short_form(&self, citations: &[(&Citation, String)]) -> Option<String> {
        let mut labels: Vec<String> = Vec::new();
        for (citation, _) in citations {
            let label = exhibit_label(self.pinpoint(citation, citation.name())?.0);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Some(labels.join(", "))
    }

    fn pinpoint(&self, citation: &Citation, name: &str) -> Option<(usize, String)> {
        let beside = citation.place_beside().map(|place| format!(" ({})", text::one_line(place)));
        self.exhibits.pinpoint(&format!("{name}{}", beside.unwrap_or_default()))
    }

    fn target(&self, target: &str) -> Option<Target<'d>> {
        let document = self.document;
        if let Some(number) = target.strip_prefix("cite-") {
            let at = number.parse::<usize>().ok()?.checked_sub(1)?;
            return document.citations.get(at).map(Target::Citation);
        }
        let number = target.strip_prefix("statement-")?.parse::<usize>().ok()?;
        let is_known = document.statements.iter().any(|one| one.n == number);
        is_known.then(|| Target::Statement(self.place(target)))
    }

    /// Cuts words at their labels: those of pages and earlier sections lead to their entries.
    fn labelled(&self, run: &Run, out: &mut Vec<Run>) {
        let words = match &run.content {
            RunContent::Text(words) if !run.format.code => words,
            RunContent::Text(_) | RunContent::Break | RunContent::NoteMark(_) | RunContent::NoteNumber(_) => {
                out.push(run.clone());
                return;
            }
        };
        let mut at = 0;
        for (range, label) in labels::in_text(words, self.document) {
            out.push(Run { content: RunContent::Text(words[at..range.start].to_owned()), ..run.clone() });
            let (format, link) = match label {
                Label::Unverified => (Format { italic: true, ..run.format }, None),
                Label::Web(number) => (run.format, Some(Link::Place(self.place(&format!("web-{number}"))))),
                Label::Prior(number) => {
                    (run.format, Some(Link::Place(self.place(&format!("prior-{number}")))))
                }
            };
            out.push(Run { link, ..Run::styled(&words[range.clone()], format) });
            at = range.end;
        }
        out.push(Run { content: RunContent::Text(words[at..].to_owned()), ..run.clone() });
    }

    /// Adds the footnote of a citation at one place: what is cited, where it stands, what checking found, the quote, and the
    /// state of the statement that it stands in.
    fn note(&mut self, citation: &Citation, markdown: &str, statement: Option<usize>) -> usize {
        let name = |words: String| Run {
            format: Format { bold: true, ..Format::default() },
            ..Run::linked(words, Link::Place(self.place(&citation.anchor())))
        };
        let mut head = Vec::new();
        let shown = self.document.name_in(citation, statement);
        if let Some((number, place)) = self.pinpoint(citation, &shown) {
            let first = self.exhibits.list().get(number - 1).filter(|_| !self.named.contains(&number));
            let file = first.map(|one| format!(" ({})", one.short_name(&self.case))).unwrap_or_default();
            let place = if place.is_empty() { place } else { format!(", {place}") };
            head.push(name(format!("{}{}{place}", exhibit_label(number), text::clean(&file))));
            self.named.insert(number);
        } else {
            head.push(name(shown));
            if let Some(place) = citation.place_beside() {
                head.push(Run::text(format!(" ({})", text::one_line(place))));
            }
        }
        head.push(Run::text(format!(": {}", text::one_line(&citation.verdict_line()))));
        let mut blocks = vec![Block::text(head)];
        let quotes: Vec<String> = citation
            .quotes_in(markdown)
            .iter()
            .map(|quote| self.document.quoted(text::clean(quote).trim()))
            .collect();
        let words = quotes.join(" \u{2026} ");
        if let Some(note) = self.quoted.get(&(citation.number, words.clone())) {
            let number = Run { content: RunContent::NoteNumber(*note), ..Run::text("") };
            blocks.push(Block::text(vec![Run::text("The same words as in note "), number, Run::text(".")]));
        } else if !words.is_empty() {
            // Words that were not found in the paragraph must not pass for a quotation of it.
            let before = if citation.marks.is_empty() { "The answer claims the words: " } else { "" };
            blocks.push(Block::text(vec![Run::text(format!("{before}{words}"))]));
            self.quoted.insert((citation.number, words), self.notes.len());
        }
        let found = statement.and_then(|number| self.document.statements.iter().find(|one| one.n == number));
        if let Some(one) = found {
            let place = self.place(&format!("statement-{}", one.n));
            blocks.push(Block::text(vec![
                Run::linked(format!("Statement {}", one.n), Link::Place(place)),
                Run::text(format!(": {} {}", one.state.sign(), one.state.as_str())),
            ]));
        }
        self.notes.push(Note { blocks });
        let index = self.notes.len() - 1;
        self.uses.entry(citation.number).or_default().push(index);
        index
    }

    /// The sources that stand in no footnote of the section: what its Sources block names besides, pages, earlier sections.
    fn sources(&self, section: &Section, cited: &BTreeSet<usize>) -> Vec<Block> {
        let items: Vec<Vec<Block>> = section
            .sources
            .iter()
            .filter_map(|entry| self.source(entry, section, cited))
            .map(|runs| vec![Block::text(runs)])
            .collect();
        if items.is_empty() {
            return Vec::new();
        }
        let heading = styled(ParagraphStyle::Caption, vec![Run::bold("Sources")]);
        vec![heading, Block::List(List { start: None, items })]
    }

    fn source(&self, entry: &SourceEntry, section: &Section, cited: &BTreeSet<usize>) -> Option<Vec<Run>> {
        let document = self.document;
        Some(match entry {
            SourceEntry::Paragraph(number) => {
                let citation = document.citations.get(number.checked_sub(1)?)?;
                if cited.contains(&citation.number) {
                    return None;
                }
                let link = Link::Place(self.place(&citation.anchor()));
                let mut runs = vec![Run::linked(citation.name(), link)];
                runs.extend(citation.mark().map(|mark| Run::italic(format!(" {mark}"))));
                for (index, quote) in citation.quotes_for(&section.markdown).into_iter().enumerate() {
                    let before = if index == 0 { ":" } else { " \u{2026}" };
                    runs.push(Run::text(format!("{before} {}", document.quoted(&text::one_line(quote)))));
                }
                runs
            }
            SourceEntry::Note(note) => {
                vec![plain(note), Run::italic(" [unverified: names no paragraph]")]
            }
            SourceEntry::Prior(mark) => {
                let listed =
                    document.prior_references.iter().find(|one| one.id.eq_ignore_ascii_case(&mark.id));
                let name = match listed {
                    Some(one) => {
                        let link = Link::Place(self.place(&format!("prior-{}", one.number)));
                        Run::linked(format!("[{}]", mark.id), link)
                    }
                    None => Run::text(format!("{}, no such section", mark.id)),
                };
                let heading = Run::text(format!("From prior research - {} ", mark.heading));
                vec![heading, name, Run::text(": "), Run::italic(mark.excerpt.clone())]
            }
            SourceEntry::Web(mark) => {
                let label = mark.label.iter().map(|label| Run::text(format!("{label} ")));
                let mut runs: Vec<Run> = label.collect();
                runs.push(page(&mark.title, mark.url.as_deref(), document));
                runs.extend([Run::text(": "), Run::italic(mark.insight.clone()), Run::text(mark.note())]);
                runs
            }
        })
    }

    /// A line that others lead to.
    pub(super) fn entry(&self, place: &str, runs: Vec<Run>) -> Block {
        let place = Some(self.place(place));
        Block::Paragraph(Paragraph { style: ParagraphStyle::Body, runs, place })
    }

    /// Every cited paragraph with its quotes marked, and the footnotes that cite it.
    pub(super) fn paragraphs(&self) -> Vec<Block> {
        let mut out = Vec::new();
        for citation in &self.document.citations {
            out.push(Block::Heading {
                level: HeadingLevel::from_number(self.top.number() + 1),
                runs: vec![Run::text(citation.name())],
                place: Some(self.place(&citation.anchor())),
            });
            let verdict = text::one_line(&citation.verdict_line());
            out.push(styled(ParagraphStyle::Caption, vec![Run::bold(verdict)]));
            let place =
                citation.place_beside().map(|place| styled(ParagraphStyle::Caption, vec![plain(place)]));
            out.extend(place);
            let pieces = citation.pieces();
            if pieces.is_empty() {
                out.push(Block::text(vec![Run::text("No text of this paragraph is at hand.")]));
            } else {
                let runs = pieces
                    .into_iter()
                    .map(|(piece, highlight)| Run::styled(piece, Format { highlight, ..Format::default() }));
                out.push(Block::Quote(vec![Block::text(runs.collect())]));
            }
            if let Some(uses) = self.uses.get(&citation.number) {
                let word = if uses.len() == 1 { "note" } else { "notes" };
                let mut runs = vec![Run::text(format!("Cited in the text: {word}"))];
                for (index, note) in uses.iter().enumerate() {
                    runs.push(Run::text(if index == 0 { " " } else { ", " }));
                    runs.push(Run { content: RunContent::NoteNumber(*note), ..Run::text("") });
                }
                out.push(styled(ParagraphStyle::Caption, runs));
            }
        }
        out
    }
}

/// What a link of the body leads to.
enum Target<'d> {
    Citation(&'d Citation),
    Statement(String),
}

/// References in a bracket, each with what is said of it where it is not verified.
struct Bracket<'d> {
    citations: Vec<(&'d Citation, String)>,
    /// How many runs it takes.
    end: usize,
    /// What follows it in the last of them.
    after: String,
}

fn text_of(run: &Run) -> &str {
    match &run.content {
        RunContent::Text(words) => words,
        RunContent::Break | RunContent::NoteMark(_) | RunContent::NoteNumber(_) => "",
    }
}

/// Takes the sign that opens a bracket from the end of a line, with the blank before it.
fn open_bracket(out: &mut Vec<Run>) {
    let Some(Run { content: RunContent::Text(words), .. }) = out.last_mut() else { return };
    let kept = words.strip_suffix('(').unwrap_or(words).trim_end().len();
    words.truncate(kept);
    if words.is_empty() {
        out.pop();
    }
}

/// What says that a citation could not be verified, and what follows it.
fn unverified_mark(words: &str) -> (&str, &str) {
    let mark = words.trim_start();
    let end = mark.find(']').filter(|_| mark.starts_with("[unverified"));
    end.map_or(("", words), |end| mark.split_at(end + 1))
}

/// The statement whose sign follows first in the line: a citation stands in the sentence before its sign.
fn statement_after(runs: &[Run]) -> Option<usize> {
    runs.iter().find_map(|run| match &run.link {
        Some(Link::Place(place)) => place.strip_prefix("statement-")?.parse().ok(),
        Some(Link::Web(_)) | None => None,
    })
}

fn unlinked(run: &Run) -> Run {
    Run { link: None, ..run.clone() }
}

/// The title of a page, linked where pages are.
pub(super) fn page(title: &str, url: Option<&str>, document: &Document) -> Run {
    match url.and_then(docx::WebAddress::parse) {
        Some(address) if document.link_web => Run::linked(title, Link::Web(address)),
        _ => Run::text(title),
    }
}
