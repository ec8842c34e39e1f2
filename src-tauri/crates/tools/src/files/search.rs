//! `search`: a pattern in the files of a folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::{CallEffect, Preview};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization as _;

use super::list::{Patterns, current_folder, patterns_schema};
use super::{Cancellable, Files, failed, regular, stopped};
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::SafePath;
use crate::safe_path::walk::{Entry, Sort, Walk, WalkControl, globs, threads, walk};
use crate::text::{capped, count};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Lines or files that are given unless another number is asked for.
const LIMIT: usize = 200;
/// The most of them.
const MAX_LINES: usize = 2_000;
/// The most text that is given, in bytes.
const MAX_TEXT_BYTES: usize = crate::MAX_SHOWN_BYTES - 2_000;
/// The most text that a program is given as data, in bytes.
const MAX_DATA_BYTES: usize = 128 * 1_024;
/// Lines of a file that are given at least, where others have some as well.
const MIN_FILE_LINES: usize = 5;
/// The most of a line that is given, in bytes.
const MAX_LINE_BYTES: usize = 400;
/// The most lines around a match.
const MAX_CONTEXT_LINES: usize = 20;
/// The most that one search over lines keeps in memory for each file, in bytes.
const MAX_HEAP_BYTES: usize = 64 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default = "current_folder")]
    path: String,
    #[serde(default)]
    glob: Patterns,
    #[serde(default)]
    files: bool,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    literal: bool,
    #[serde(default)]
    multiline: bool,
    #[serde(default)]
    context: usize,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    ignored: bool,
}

/// The tool.
pub(crate) struct Search {
    info: ToolInfo,
    files: Files,
}

impl Search {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "search",
            "Search files",
            "Finds a regular expression in the files of a folder and gives the lines with their numbers. What .gitignore \
             names, names that begin with a dot and binary files are left out unless they are asked for. Syntax: that \
             of Rust's regex crate (no look-around, no back-references); write \\( for a parenthesis, or set literal.",
            Effect::Reads,
            60,
            json!({
                "pattern": {"type": "string", "description": "A regular expression, or a text when literal is set."},
                "path": {"type": "string", "description": "A folder or a file. Default: the first folder."},
                "glob": patterns_schema(),
                "files": {"type": "boolean", "description": "Only the names of files, with how many lines match in each."},
                "ignore_case": {"type": "boolean", "description": "Take capital and small letters as the same."},
                "literal": {"type": "boolean", "description": "The pattern is a text, not an expression."},
                "multiline": {"type": "boolean", "description": "A match may go over several lines, and . matches line ends."},
                "context": {"type": "integer", "minimum": 0, "maximum": MAX_CONTEXT_LINES, "description": "Lines before and after each match."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LINES, "description": "The most matching lines, or files. Default: 200."},
                "hidden": {"type": "boolean", "description": "Also names that begin with a dot."},
                "ignored": {"type": "boolean", "description": "Also what .gitignore names."},
            }),
            &["pattern"],
        );
        Self { info: files.named(info), files }
    }
}

#[async_trait]
impl Tool for Search {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            matcher(&arguments, &arguments.pattern, arguments.literal)?;
            let (roots, place) = files.existing(&at, &arguments.path)?;
            files.seen.note(&at, vec![(place.path(), None)]);
            let pattern: String = sources::strip_invisible(&arguments.pattern).chars().take(80).collect();
            let pattern = pattern.replace(['\n', '\t'], " ");
            Ok(PlannedOperation {
                effect: CallEffect::Read { path: place.text() },
                intent: match roots.shown(&place).as_str() {
                    "." => format!("Search for {pattern}"),
                    shown => format!("Search for {pattern} in {shown}"),
                },
                preview: Preview::None,
            })
        })
        .await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        let cancel = run.cancel.clone();
        let search = blocking(move || search(&files, &at, arguments, &run));
        // An expression may be slow on a long line: whoever stops does not wait for it.
        tokio::select! {
            done = search => done,
            () = cancel.cancelled() => Err(stopped()),
        }
    }
}

fn matcher(arguments: &Arguments, pattern: &str, literal: bool) -> Result<RegexMatcher, ToolError> {
    if pattern.is_empty() {
        return Err(ToolError::new(Kind::Arguments, "the pattern is empty"));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(arguments.ignore_case)
        .fixed_strings(literal)
        .multi_line(true)
        .dot_matches_new_line(arguments.multiline)
        .size_limit(10 << 20)
        .dfa_size_limit(20 << 20);
    if !arguments.multiline {
        builder.line_terminator(Some(b'\n')).ban_byte(Some(b'\n'));
    }
    builder.build(pattern).map_err(|error| {
        let mut what = error.to_string();
        what.truncate(what.floor_char_boundary(600));
        ToolError::new(Kind::Arguments, format!("that is no regular expression: {what}")).with_guidance(
            "Set literal to find a text as it is, multiline for a match over several lines, and write \\( \\[ \\{ for brackets.",
        )
    })
}

/// An expression for what looks like a pattern that is a text: with spaces that do not break, other quotation marks and
/// dashes, letters composed or taken apart. `None`: nothing looks like it, or it is an expression.
fn lookalike(arguments: &Arguments) -> Option<String> {
    let signs = |c: char| "\\.+*?()|[]{}^$#&~".contains(c);
    if !arguments.literal && arguments.pattern.contains(signs) {
        return None;
    }
    let mut differs = false;
    let mut expression = String::new();
    for c in arguments.pattern.nfc() {
        let others = match c {
            ' ' | '\u{a0}' | '\u{202f}' => "[ \u{a0}\u{2007}\u{2009}\u{202f}]",
            '\'' | '\u{2018}' | '\u{2019}' => "['\u{2018}\u{2019}]",
            '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' => "[\"\u{201c}\u{201d}\u{201e}]",
            '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' => "[-\u{2010}\u{2011}\u{2012}\u{2013}\u{2212}]",
            _ => "",
        };
        let apart: String = std::iter::once(c).nfd().collect();
        differs |= !others.is_empty() || apart.chars().ne([c]);
        if !others.is_empty() {
            expression.push_str(others);
        } else if apart.chars().ne([c]) {
            expression.push_str(&format!("(?:{c}|{apart})"));
        } else if signs(c) {
            expression.extend(['\\', c]);
        } else {
            expression.push(c);
        }
    }
    differs.then_some(expression)
}

fn searcher(arguments: &Arguments) -> Searcher {
    let around = if arguments.files { 0 } else { arguments.context.min(MAX_CONTEXT_LINES) };
    SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .line_number(!arguments.files)
        .multi_line(arguments.multiline)
        .heap_limit(Some(MAX_HEAP_BYTES))
        .before_context(around)
        .after_context(around)
        .build()
}

/// A line that is given.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    number: u64,
    matches: bool,
    text: String,
    /// Lines are left out before it.
    gap: bool,
}

#[derive(Debug, Default)]
struct Hits {
    lines: Vec<Line>,
    matches: usize,
}

struct Shared<'a> {
    arguments: &'a Arguments,
    matcher: &'a RegexMatcher,
    run: &'a Run,
    /// Whether a file below the folder must not be read.
    hidden: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Matching lines, or files, found so far.
    found: AtomicUsize,
    /// The most that are given.
    limit: usize,
    /// More than this is not looked for.
    enough: usize,
    more: AtomicBool,
    hits: Mutex<BTreeMap<PathBuf, Hits>>,
}

fn search(files: &Files, at: &CallContext, arguments: Arguments, run: &Run) -> Result<Outcome, ToolError> {
    let exactly = matcher(&arguments, &arguments.pattern, arguments.literal)?;
    let found = pass(files, at, &arguments, &exactly, run)?;
    if let Found::Lines(outcome) = found {
        return Ok(outcome);
    }
    let Some(pattern) = lookalike(&arguments) else { return Ok(found.outcome()) };
    match pass(files, at, &arguments, &matcher(&arguments, &pattern, false)?, run)? {
        Found::Lines(mut outcome) => {
            outcome.text.push_str(
                "\n\n(Nothing matches exactly. These lines look the same and are written otherwise: with other spaces, \
                 quotation marks or dashes, or with letters taken apart.)",
            );
            Ok(outcome)
        }
        Found::Nothing(_) => Ok(found.outcome()),
    }
}

/// What a search gave.
enum Found {
    Lines(Outcome),
    Nothing(Outcome),
}

impl Found {
    fn outcome(self) -> Outcome {
        match self {
            Self::Lines(outcome) | Self::Nothing(outcome) => outcome,
        }
    }
}

fn pass(
    files: &Files,
    at: &CallContext,
    arguments: &Arguments,
    matcher: &RegexMatcher,
    run: &Run,
) -> Result<Found, ToolError> {
    let (roots, place) = files.existing(at, &arguments.path)?;
    files.seen.check(at, &[(place.path(), None)])?;
    let shown = roots.shown(&place);
    let top = place.open().map_err(|error| failed("search", &shown, &error))?;
    let metadata = top.metadata().map_err(|error| failed("search", &shown, &error))?;
    let limit = arguments.limit.unwrap_or(LIMIT).clamp(1, MAX_LINES);
    let root = place.path();
    let hidden = |inside: &Path| files.hides_below(at, &root, inside);
    let shared = Shared {
        arguments,
        matcher,
        run,
        hidden: &hidden,
        found: AtomicUsize::new(0),
        limit,
        // Some more than are given, so that what is given does not hang on which thread was first.
        enough: limit * 5,
        more: AtomicBool::new(false),
        hits: Mutex::new(BTreeMap::new()),
    };
    let looked = AtomicUsize::new(0);
    if metadata.is_dir() {
        let patterns = match &arguments.glob {
            Patterns::One(one) => vec![one.clone()],
            Patterns::Several(several) => several.clone(),
        };
        folder(&place, &shared, &patterns, &looked).map_err(|error| match error {
            Fault::Tool(error) => error,
            Fault::Io(error) => failed("search", &shown, &error),
        })?;
    } else {
        regular(&metadata, &shown)?;
        looked.store(1, Ordering::Relaxed);
        shared
            .file(&mut searcher(arguments), top, Path::new(""))
            .map_err(|error| failed("search", &shown, &error))?;
    }
    if run.cancel.is_cancelled() {
        return Err(stopped());
    }
    let hits = shared.hits.into_inner();
    let below = |inside: &Path| {
        if inside.as_os_str().is_empty() { shown.clone() } else { roots.shown(&place.below(inside)) }
    };
    let more = shared.more.into_inner();
    let outcome = result_text(&hits, arguments, limit, more, looked.into_inner(), below);
    Ok(if hits.is_empty() { Found::Nothing(outcome) } else { Found::Lines(outcome) })
}

enum Fault {
    Tool(ToolError),
    Io(io::Error),
}

fn folder(
    place: &SafePath,
    shared: &Shared<'_>,
    patterns: &[String],
    looked: &AtomicUsize,
) -> Result<(), Fault> {
    let patterns: Vec<String> = patterns.iter().filter(|one| !one.trim().is_empty()).cloned().collect();
    let what = Walk {
        hidden: shared.arguments.hidden,
        ignored: shared.arguments.ignored,
        depth: usize::MAX,
        globs: globs(&place.path(), &patterns).map_err(Fault::Tool)?,
    };
    walk(place, &what, threads(), &shared.run.cancel, || {
        let mut searcher = searcher(shared.arguments);
        move |entry: &Entry| {
            if entry.sort != Sort::File {
                return WalkControl::On;
            }
            looked.fetch_add(1, Ordering::Relaxed);
            // What can't be read, or is too large to be searched over lines, is left out.
            if let Ok(file) = entry.open() {
                let _ = shared.file(&mut searcher, file, &entry.inside);
            }
            if shared.found.load(Ordering::Relaxed) >= shared.enough {
                shared.more.store(true, Ordering::Relaxed);
                return WalkControl::Stop;
            }
            WalkControl::On
        }
    })
    .map_err(Fault::Io)
}

impl Shared<'_> {
    fn file(&self, searcher: &mut Searcher, file: File, inside: &Path) -> io::Result<()> {
        let source = Cancellable { source: file, cancel: Some(&self.run.cancel) };
        let mut sink = Lines { shared: self, hits: Hits::default(), binary: false, gap: false };
        searcher.search_reader(self.matcher, source, &mut sink)?;
        // Asked for what would be shown alone: the rules are many times slower than the search.
        if sink.hits.matches > 0 && !sink.binary && !(self.hidden)(inside) {
            // One file does not keep the others from being looked at.
            let counted = if self.arguments.files { 1 } else { sink.hits.matches.min(self.limit) };
            self.found.fetch_add(counted, Ordering::Relaxed);
            let mut hits = self.hits.lock();
            hits.insert(inside.to_owned(), sink.hits);
        }
        Ok(())
    }

    /// A line's text, around its first match when it is long.
    fn cut(&self, bytes: &[u8]) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() <= MAX_LINE_BYTES {
            return String::from_utf8_lossy(bytes).into_owned();
        }
        let first = self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
        let from = first.saturating_sub(MAX_LINE_BYTES / 4);
        let to = (from + MAX_LINE_BYTES).min(bytes.len());
        let text = String::from_utf8_lossy(&bytes[from..to]);
        // Characters that were cut in two.
        let text = text.trim_matches(char::REPLACEMENT_CHARACTER);
        let (before, after) = (if from > 0 { "…" } else { "" }, if to < bytes.len() { "…" } else { "" });
        // For `read` with a column.
        let place = if from > 0 { format!("(from byte {}) ", from + 1) } else { String::new() };
        format!("{place}{before}{text}{after}")
    }
}

struct Lines<'a, 'b> {
    shared: &'a Shared<'b>,
    hits: Hits,
    binary: bool,
    gap: bool,
}

impl Sink for Lines<'_, '_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        for (number, line) in (found.line_number().unwrap_or(0)..).zip(found.lines()) {
            self.hits.matches += 1;
            if !self.shared.arguments.files {
                let gap = std::mem::take(&mut self.gap);
                self.hits.lines.push(Line { number, matches: true, text: self.shared.cut(line), gap });
            }
        }
        Ok(self.shared.arguments.files || self.hits.matches < self.shared.enough)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let gap = std::mem::take(&mut self.gap);
        let (number, text) = (found.line_number().unwrap_or(0), self.shared.cut(found.bytes()));
        self.hits.lines.push(Line { number, matches: false, text, gap });
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// How many lines of each file are given so that all files have some.
fn share(matches: impl Iterator<Item = usize>, limit: usize) -> usize {
    let mut counts: Vec<usize> = matches.collect();
    if counts.iter().sum::<usize>() <= limit {
        return usize::MAX;
    }
    counts.sort_unstable();
    let mut left = limit;
    for (at, count) in counts.iter().enumerate() {
        let each = left / (counts.len() - at);
        if *count > each {
            return each.max(MIN_FILE_LINES);
        }
        left -= count;
    }
    usize::MAX
}

fn result_text(
    hits: &BTreeMap<PathBuf, Hits>,
    arguments: &Arguments,
    limit: usize,
    more: bool,
    looked: usize,
    below: impl Fn(&Path) -> String,
) -> Outcome {
    let matches: usize = hits.values().map(|hits| hits.matches).sum();
    let mut text = String::new();
    let mut given = 0;
    let mut cut = false;
    let mut found: Vec<Value> = Vec::new();
    // What stood in the text when it had room for no more, and how much of the found that was.
    let mut shown: Option<(usize, usize)> = None;
    let share = share(hits.values().map(|hits| hits.matches), limit);
    'files: for (inside, hits) in hits {
        if given >= limit || text.len() >= MAX_DATA_BYTES {
            cut = true;
            break;
        }
        let before = given;
        let name = below(inside);
        if text.len() < MAX_TEXT_BYTES {
            shown = Some((text.len(), given));
        }
        if arguments.files {
            text.push_str(&format!("{name}  {}\n", count(hits.matches, "line")));
            found.push(json!({ "path": name, "lines": hits.matches }));
            given += 1;
            continue;
        }
        text.push_str(&format!("{name}\n"));
        for line in &hits.lines {
            if line.matches && (given >= limit || text.len() >= MAX_DATA_BYTES) {
                cut = true;
                break 'files;
            }
            if line.matches && given - before >= share {
                cut = true;
                text.push_str(&format!("     … {} more here\n", hits.matches.saturating_sub(share)));
                break;
            }
            if text.len() < MAX_TEXT_BYTES {
                shown = Some((text.len(), given));
            }
            if line.gap {
                text.push_str("     --\n");
            }
            let mark = if line.matches { ':' } else { '-' };
            text.push_str(&format!("{:>6}{mark} {}\n", line.number, capped(&line.text, 2 * MAX_LINE_BYTES)));
            given += usize::from(line.matches);
            if line.matches {
                found.push(json!({ "path": name, "line": line.number, "text": line.text }));
            }
        }
        text.push('\n');
    }
    if text.len() > MAX_TEXT_BYTES
        && let Some((bytes, lines)) = shown
    {
        text.truncate(bytes);
        (given, cut) = (lines, true);
        text.push('\n');
    }
    let at_least = if more { "at least " } else { "" };
    let whole = format!("{at_least}{} in {}", count(matches, "matching line"), count(hits.len(), "file"));
    if hits.is_empty() {
        text.push_str(&format!(
            "(No line matches; {} looked through.)",
            if looked == 1 { "1 file was".to_owned() } else { format!("{looked} files were") }
        ));
    } else if cut || more {
        text.push_str(&format!("({given} of {whole}. Narrow it with path, glob or the pattern.)"));
    }
    let data = if arguments.files {
        json!({ "files": found, "more": cut || more })
    } else {
        json!({ "hits": found, "more": cut || more })
    };
    Outcome { data: Some(data), ..Outcome::text(text.trim_end(), whole) }
}
