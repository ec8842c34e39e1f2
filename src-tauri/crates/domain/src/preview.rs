//! What the person is shown of a call before they decide on it. Whatever is left out of it is said in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the person is shown of a call before they decide on it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "preview")]
pub enum Preview {
    /// Its arguments say it all.
    #[default]
    None,
    /// A command, whole.
    Command {
        /// The command.
        command: String,
        /// Where it runs.
        cwd: String,
    },
    /// A change of a file.
    Diff {
        /// The file.
        path: String,
        /// What it holds now; absent: it does not exist.
        before: Option<String>,
        /// What it will hold.
        after: String,
    },
    /// A request.
    Request {
        /// `GET`, `POST`, …
        method: String,
        /// The whole address.
        url: String,
        /// Its headers, a line each; values that are secret are left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        headers: Vec<String>,
        /// What is sent.
        body: Option<String>,
    },
}

/// A change of a file, to be shown.
#[derive(Debug, Clone)]
pub struct FileChange<'a> {
    /// The file.
    pub path: String,
    /// What it holds; `None`: it does not exist.
    pub before: Option<Cow<'a, str>>,
    /// What it will hold; `None`: it goes.
    pub after: Option<&'a str>,
}

/// The most that is shown of each side of a change, in bytes.
const MAX_SIDE_BYTES: usize = 1 << 20;
/// The longest piece of a line that is compared as one, in bytes.
const MAX_PIECE_BYTES: usize = 2_000;
/// The most pieces of a part that is looked into; a larger one counts as changed.
const MAX_PIECES: usize = 400_000;
/// How often a part is looked into again.
const MAX_DEPTH: u32 = 40;

impl Preview {
    /// Of one change or several. Short texts of one file are shown whole, of all others what changes.
    pub fn of_changes(changes: &[FileChange<'_>]) -> Self {
        if let [change] = changes {
            let (before, after) = change.shown();
            return Self::Diff { path: change.path.clone(), before, after: after.unwrap_or_default() };
        }
        // Several files stand one under the other, each below its name; the lines around a change leave room for that.
        let (mut before, mut after) = (String::new(), String::new());
        for (index, change) in changes.iter().enumerate() {
            let gone = if change.after.is_none() { " (removed)" } else { "" };
            let new = if change.before.is_none() { " (new)" } else { "" };
            let left = MAX_SIDE_BYTES.saturating_sub(before.len().max(after.len())) / (changes.len() - index);
            let (was, is) = change.excerpt(left, 1);
            before.push_str(&format!("=== {}{gone}{new}\n{was}\n", change.path));
            after.push_str(&format!("=== {}{gone}{new}\n{is}\n", change.path));
        }
        Self::Diff { path: format!("{} files", changes.len()), before: Some(before), after }
    }

    /// As plain text of at most so many characters; changed lines begin with `-` and `+`.
    pub fn text(&self, most: usize) -> String {
        let text = match self {
            Self::None => String::new(),
            Self::Command { command, cwd } => format!("{command}\n(in {cwd})"),
            Self::Diff { path, before, after } => {
                let (old, new) = (pieces(before.as_deref().unwrap_or_default()), pieces(after));
                let mut text = format!("{path}\n");
                walk(&old, &new, 2, &mut |part| {
                    let (sign, pieces) = match part {
                        Part::Same(pieces) => ("  ", pieces),
                        Part::Gone(pieces) => ("- ", pieces),
                        Part::Come(pieces) => ("+ ", pieces),
                        Part::Gap(pieces) => return text.push_str(&format!("  {}", gap(pieces))),
                    };
                    for piece in pieces {
                        text.push_str(&format!("{sign}{}\n", piece.trim_end_matches(['\n', '\r'])));
                    }
                });
                text
            }
            Self::Request { method, url, headers, body } => {
                let headers: String = headers.iter().map(|header| format!("{header}\n")).collect();
                format!("{method} {url}\n{headers}{}", body.as_deref().unwrap_or_default())
            }
        };
        shortened(&text, most)
    }
}

/// A text of at most so many characters, with how many are left out behind them.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}\n[{more} more characters are not shown]", &text[..end])
        }
    }
}

impl FileChange<'_> {
    /// What stands before and after: whole where both are short enough, and else what changes of it.
    pub fn shown(&self) -> (Option<String>, Option<String>) {
        let short = |text: Option<&str>| text.is_none_or(|text| text.len() <= MAX_SIDE_BYTES);
        if short(self.before.as_deref()) && short(self.after) {
            return (self.before.as_deref().map(str::to_owned), self.after.map(str::to_owned));
        }
        let (before, after) = self.excerpt(MAX_SIDE_BYTES, 2);
        // What is left out is said behind what comes, also where nothing does.
        (self.before.as_ref().map(|_| before), (self.after.is_some() || !after.is_empty()).then_some(after))
    }

    /// The changed lines with some around them, as they stand before and after.
    fn excerpt(&self, most: usize, around: usize) -> (String, String) {
        let (old, new) =
            (pieces(self.before.as_deref().unwrap_or_default()), pieces(self.after.unwrap_or_default()));
        let mut sides = Sides { most, ..Sides::default() };
        walk(&old, &new, around, &mut |part| sides.put(part));
        sides.end()
    }
}

/// Both sides of a change, as far as there is room for them.
#[derive(Default)]
struct Sides {
    before: String,
    after: String,
    most: usize,
    /// Bytes of changed lines that there was no room for, before and after.
    left_out: (usize, usize),
}

impl Sides {
    fn put(&mut self, part: Part<'_, '_>) {
        let full = self.left_out != (0, 0);
        match part {
            Part::Same(_) | Part::Gap(_) if full => {}
            Part::Same(pieces) => {
                for piece in pieces {
                    self.before.push_str(piece);
                    self.after.push_str(piece);
                }
            }
            Part::Gap(pieces) => {
                for side in [&mut self.before, &mut self.after] {
                    on_its_own_line(side, &gap(pieces));
                }
            }
            Part::Gone(pieces) => fill(&mut self.before, pieces, self.most, full, &mut self.left_out.0),
            Part::Come(pieces) => fill(&mut self.after, pieces, self.most, full, &mut self.left_out.1),
        }
    }

    fn end(mut self) -> (String, String) {
        if self.left_out != (0, 0) {
            let (gone, come) = self.left_out;
            let what = format!("[not shown: {gone} more bytes that go, {come} more bytes that come]\n");
            // On one side alone, so that it is a change itself.
            on_its_own_line(&mut self.after, &what);
        }
        (self.before, self.after)
    }
}

fn fill(side: &mut String, pieces: &[&str], most: usize, full: bool, left_out: &mut usize) {
    for piece in pieces {
        if full || *left_out > 0 || side.len() + piece.len() > most {
            *left_out += piece.len();
        } else {
            side.push_str(piece);
        }
    }
}

fn on_its_own_line(side: &mut String, text: &str) {
    if !side.is_empty() && !side.ends_with('\n') {
        side.push('\n');
    }
    side.push_str(text);
}

/// What stands in place of what stays as it is.
fn gap(pieces: &[&str]) -> String {
    match pieces.iter().filter(|piece| piece.ends_with('\n')).count() {
        0 => format!("[{} bytes of the line stay as they are]\n", pieces.concat().len()),
        1 => "[1 line stays as it is]\n".to_owned(),
        lines => format!("[{lines} lines stay as they are]\n"),
    }
}

/// A text in lines with their ends, long ones in parts.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for mut line in text.split_inclusive('\n') {
        while line.len() > MAX_PIECE_BYTES {
            let (piece, rest) = line.split_at(line.floor_char_boundary(MAX_PIECE_BYTES));
            pieces.push(piece);
            line = rest;
        }
        pieces.push(line);
    }
    pieces
}

/// A part of a change.
enum Part<'p, 't> {
    Same(&'p [&'t str]),
    /// Stays, and is not shown.
    Gap(&'p [&'t str]),
    Gone(&'p [&'t str]),
    Come(&'p [&'t str]),
}

/// Goes over a change from its beginning to its end, with so many pieces around what changes.
fn walk<'t>(old: &[&'t str], new: &[&'t str], around: usize, put: &mut dyn FnMut(Part<'_, 't>)) {
    let mut runs = Vec::new();
    align(old, new, (0, 0), 0, &mut runs);
    let end = CommonRun { old: old.len(), new: new.len(), length: 0 };
    let (mut from_old, mut from_new) = (0, 0);
    for run in runs.into_iter().chain([end]) {
        let (gone, come) = (&old[from_old..run.old], &new[from_new..run.new]);
        if !gone.is_empty() {
            put(Part::Gone(gone));
        }
        if !come.is_empty() {
            put(Part::Come(come));
        }
        (from_old, from_new) = (run.old + run.length, run.new + run.length);
        let same = &old[run.old..from_old];
        let behind = if run.old == 0 && run.new == 0 { 0 } else { around };
        let before = if from_old == old.len() && from_new == new.len() { 0 } else { around };
        if same.len() <= behind + before + 1 {
            put(Part::Same(same));
        } else {
            put(Part::Same(&same[..behind]));
            put(Part::Gap(&same[behind..same.len() - before]));
            put(Part::Same(&same[same.len() - before..]));
        }
    }
}

/// Pieces that both sides have.
struct CommonRun {
    old: usize,
    new: usize,
    length: usize,
}

/// Finds what two sides share: their beginning and end, and between these what each has once.
fn align(old: &[&str], new: &[&str], at: (usize, usize), depth: u32, runs: &mut Vec<CommonRun>) {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    add(runs, CommonRun { old: at.0, new: at.1, length: head });
    let (old, new, at) = (&old[head..], &new[head..], (at.0 + head, at.1 + head));
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if depth < MAX_DEPTH && !old.is_empty() && !new.is_empty() && old.len() + new.len() <= MAX_PIECES {
        let mut from = (0, 0);
        let found = anchors(old, new);
        // Without any it would be the same again.
        if !found.is_empty() {
            for (i, j) in found {
                align(&old[from.0..i], &new[from.1..j], (at.0 + from.0, at.1 + from.1), depth + 1, runs);
                add(runs, CommonRun { old: at.0 + i, new: at.1 + j, length: 1 });
                from = (i + 1, j + 1);
            }
            align(&old[from.0..], &new[from.1..], (at.0 + from.0, at.1 + from.1), depth + 1, runs);
        }
    }
    add(runs, CommonRun { old: at.0 + old.len(), new: at.1 + new.len(), length: tail });
}

fn add(runs: &mut Vec<CommonRun>, run: CommonRun) {
    match runs.last_mut() {
        _ if run.length == 0 => {}
        Some(last) if last.old + last.length == run.old && last.new + last.length == run.new => {
            last.length += run.length;
        }
        _ => runs.push(run),
    }
}

/// Pieces that each side has once, as many as stand in the same order on both.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut counts: BTreeMap<&str, (u32, u32, usize)> = BTreeMap::new();
    for piece in old {
        counts.entry(piece).or_default().0 += 1;
    }
    for (place, piece) in new.iter().enumerate() {
        let (_, count, at) = counts.entry(piece).or_default();
        *count += 1;
        *at = place;
    }
    let pairs = old.iter().enumerate().filter_map(|(place, piece)| match counts.get(piece) {
        Some((1, 1, at)) => Some((place, *at)),
        Some(_) | None => None,
    });
    let pairs: Vec<(usize, usize)> = pairs.collect();
    // The longest rising sequence of the second places: by patience sorting.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, (_, place)) in pairs.iter().enumerate() {
        let pile = ends.partition_point(|end| pairs[*end].1 < *place);
        before[index] = pile.checked_sub(1).map(|pile| ends[pile]);
        match ends.get_mut(pile) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut found = Vec::new();
    let mut next = ends.last().copied();
    while let Some(index) = next {
        found.push(pairs[index]);
        next = before[index];
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change<'a>(before: Option<&'a str>, after: Option<&'a str>) -> FileChange<'a> {
        FileChange { path: "a.txt".to_owned(), before: before.map(Cow::Borrowed), after }
    }

    fn numbered(lines: usize) -> String {
        (0..lines).map(|n| format!("line {n} of a long file\n")).collect()
    }

    fn sides(before: Option<&str>, after: Option<&str>) -> (String, String) {
        let Preview::Diff { before, after, .. } = Preview::of_changes(&[change(before, after)]) else {
            panic!()
        };
        (before.unwrap_or_default(), after)
    }

    #[test]
    fn a_short_file_is_shown_whole() {
        assert_eq!(sides(Some("a\nb\n"), Some("a\nc\n")), ("a\nb\n".to_owned(), "a\nc\n".to_owned()));
    }

    #[test]
    fn a_change_is_shown_wherever_it_stands_in_a_long_file() {
        let long = numbered(100_000);
        assert!(long.len() > 2 * MAX_SIDE_BYTES);
        let changed = long.replace("line 99000 ", "LINE 99000 ").replace("line 5 of", "line five of");
        let (before, after) = sides(Some(&long), Some(&changed));
        for text in ["line 5 of", "line 99000 "] {
            assert!(before.contains(text) && !after.contains(text), "{text}");
        }
        assert!(after.contains("LINE 99000 ") && after.contains("line five of"));
        assert!(after.contains("[98990 lines stay as they are]\nline 98998 of"), "{after}");
        assert!(before.len() < 1_000 && after.len() < 1_000);
    }

    #[test]
    fn a_change_within_a_line_of_megabytes_is_shown() {
        let long = "0123456789".repeat(300_000);
        let changed = format!("{}EVIL{}", &long[..2_999_000], &long[2_999_000..]);
        let (before, after) = sides(Some(&long), Some(&changed));
        assert!(after.contains("EVIL") && after.contains("bytes of the line stay as they are"));
        assert!(before.len() < 20_000 && after.len() < 20_000);
    }

    #[test]
    fn what_there_is_no_room_for_is_said_and_is_a_change_itself() {
        let long = numbered(100_000);
        let (before, after) = sides(None, Some(&long));
        assert!(before.is_empty() && after.len() <= MAX_SIDE_BYTES + 100);
        let left = long.len() - after.rfind("[not shown: ").unwrap();
        assert!(
            after.ends_with(&format!("[not shown: 0 more bytes that go, {left} more bytes that come]\n"))
        );
        let (before, after) = sides(Some(&long), None);
        assert!(before.len() <= MAX_SIDE_BYTES && after.starts_with("[not shown: "), "{after}");
        // Two texts whose shown beginnings are the same are never shown as equal.
        let (before, after) = sides(Some(&"a\n".repeat(1_000_000)), Some(&"a\n".repeat(999_999)));
        assert_ne!(before, after);
    }

    #[test]
    fn of_several_files_each_is_shown_below_its_name() {
        let long = numbered(100_000);
        let longer = long.replace("line 70000 ", "LINE 70000 ");
        let changes =
            [change(Some(&long), Some(&longer)), change(None, Some(&long)), change(Some("x\n"), None)];
        let Preview::Diff { path, before: Some(before), after } = Preview::of_changes(&changes) else {
            panic!()
        };
        assert_eq!(path, "3 files");
        assert!(after.contains("LINE 70000 ") && after.contains("=== a.txt (new)\nline 0 of"), "{after}");
        assert!(
            after.contains("[not shown: 0 more bytes that go, ") && after.contains("=== a.txt (removed)\n")
        );
        assert!(before.contains("=== a.txt (removed)\nx\n"));
    }

    #[test]
    fn both_sides_are_put_together_again_from_their_parts() {
        let texts = ["", "a\n", "a\nb\nc\n", "b\na\nc\nd", "x\ny\nz\na\nb\n", "a\na\nb\nb\na\n", "c\nb\na\n"];
        for before in texts {
            for after in texts {
                let (mut old, mut new) = (String::new(), String::new());
                walk(&pieces(before), &pieces(after), 1, &mut |part| match part {
                    Part::Same(pieces) | Part::Gap(pieces) => {
                        old.push_str(&pieces.concat());
                        new.push_str(&pieces.concat());
                    }
                    Part::Gone(pieces) => old.push_str(&pieces.concat()),
                    Part::Come(pieces) => new.push_str(&pieces.concat()),
                });
                assert_eq!((old.as_str(), new.as_str()), (before, after));
            }
        }
    }

    #[test]
    fn as_text_changed_lines_have_signs_and_a_cut_is_said() {
        let diff = Preview::Diff {
            path: "a.txt".to_owned(),
            before: Some("1\n2\n3\n4\n5\n6\n7\n".to_owned()),
            after: "1\n2\n3\n4\n5\n6\nseven\n".to_owned(),
        };
        assert_eq!(diff.text(100), "a.txt\n  [4 lines stay as they are]\n  5\n  6\n- 7\n+ seven\n");
        let command = Preview::Command { command: "x".repeat(50), cwd: "/a".to_owned() };
        assert_eq!(command.text(20), format!("{}\n[38 more characters are not shown]", "x".repeat(20)));
        let request = Preview::Request {
            method: "POST".to_owned(),
            url: "https://example.org/a".to_owned(),
            headers: vec!["X-Mode: 1".to_owned()],
            body: Some("{}".to_owned()),
        };
        assert_eq!(request.text(100), "POST https://example.org/a\nX-Mode: 1\n{}");
    }
}
