//! Unified diffs: reading them, and applying them where their lines stand.

/// A diff of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff {
    /// Its path before; `None`: it is new.
    pub old: Option<String>,
    /// Its path after; `None`: it goes.
    pub new: Option<String>,
    /// Its changes, in order.
    pub hunks: Vec<Hunk>,
}

/// Some lines of a file and what takes their place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// The first line of it in the old file, from 1; `None`: not said.
    pub(crate) line: Option<usize>,
    /// Lines that stand before it, one after the other, in place of a number.
    pub(crate) anchors: Vec<String>,
    pub(crate) lines: Vec<Line>,
    /// The old lines end the file without a line end.
    pub(crate) old_open: bool,
    /// The new lines do.
    pub(crate) new_open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    Same(String),
    Removed(String),
    Added(String),
}

/// Why a diff can't be read or does not fit; in words that follow the file's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchMisfit {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub guidance: String,
}

pub(crate) fn misfit(what: impl Into<String>, guidance: impl Into<String>) -> PatchMisfit {
    PatchMisfit { what: what.into(), guidance: guidance.into() }
}

const FORM: &str =
    "Write it as `diff -u` does: `--- a/file`, `+++ b/file`, then hunks that begin with `@@ -1,3 +1,4 @@`.";

/// Reads a diff of any number of files: a unified one, or one in the envelope of `*** Begin Patch`.
///
/// # Errors
/// When it is neither, or does what no patch here may do, such as renaming.
pub fn parse(text: &str) -> Result<Vec<FileDiff>, PatchMisfit> {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    if let Some(contents) = crate::envelope::contents(&lines) {
        return crate::envelope::files(contents);
    }
    let mut files: Vec<FileDiff> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if line.starts_with("--- ") && next.starts_with("+++ ") {
            let (old, new) = (path(&line[4..])?, path(&next[4..])?);
            if old.is_none() && new.is_none() {
                return Err(misfit("the diff names /dev/null on both sides", FORM));
            }
            files.push(FileDiff { old, new, hunks: Vec::new() });
            at += 2;
        } else if line.starts_with("@@") {
            let Some(file) = files.last_mut() else {
                return Err(misfit("the diff has a hunk before it names a file", FORM));
            };
            let (hunk, after) = hunk(&lines, at)?;
            file.hunks.push(hunk);
            at = after;
        } else if line.starts_with("rename ") || line.starts_with("copy ") {
            return Err(misfit(
                "the diff renames or copies a file",
                "Give the new file as a whole (from /dev/null), and remove the old one (to /dev/null).",
            ));
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(misfit("the diff is of a binary file", "Only text can be patched."));
        } else {
            // `diff --git`, `index`, modes, and words before the first file.
            at += 1;
        }
    }
    if files.is_empty() {
        return Err(misfit("the diff names no file", FORM));
    }
    if let Some(file) = files.iter().find(|file| file.hunks.is_empty() && file.new.is_some()) {
        let name = file.new.as_deref().unwrap_or_default();
        return Err(misfit(format!("the diff of {name} has no hunk"), FORM));
    }
    Ok(files)
}

/// A path of a header without its prefix and time; `None`: there is no such file.
fn path(written: &str) -> Result<Option<String>, PatchMisfit> {
    let name = match written.trim_start().strip_prefix('"') {
        Some(quoted) => unquoted(quoted).ok_or_else(|| {
            misfit(
                format!("the diff names a file in a way that can't be read: {}", written.trim()),
                "Write the path as it is, without quotation marks.",
            )
        })?,
        None => written.split('\t').next().unwrap_or_default().trim().to_owned(),
    };
    if name == "/dev/null" {
        return Ok(None);
    }
    let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    Ok(Some(bare.map(str::to_owned).unwrap_or(name)))
}

/// A name as git quotes it, behind its first quotation mark: `\303\274`, `\t`, `\"`. `None`: it is no such name.
fn unquoted(quoted: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    loop {
        match rest.next()? {
            b'"' => return String::from_utf8(bytes).ok(),
            b'\\' => bytes.push(match rest.next()? {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                digit @ b'0'..=b'3' => {
                    let octal = |byte: u8| matches!(byte, b'0'..=b'7').then(|| byte - b'0');
                    (digit - b'0') << 6 | octal(rest.next()?)? << 3 | octal(rest.next()?)?
                }
                other => other,
            }),
            byte => bytes.push(byte),
        }
    }
}

/// The hunk whose header is at `at`, and the line after it.
fn hunk(lines: &[&str], at: usize) -> Result<(Hunk, usize), PatchMisfit> {
    let header = numbers(lines[at]);
    let counted = header.and_then(|(_, old, new)| body(lines, at + 1, Some((old, new))));
    // The numbers are often wrong; then it goes on as far as its lines look like it.
    let Some((body, after)) = counted.or_else(|| body(lines, at + 1, None)) else {
        return Err(misfit(format!("line {} of the diff begins an empty hunk", at + 1), FORM));
    };
    let mut hunk = Hunk { line: header.map(|(line, _, _)| line), ..Hunk::default() };
    for line in body {
        match line.as_bytes().first() {
            Some(b'-') => hunk.lines.push(Line::Removed(line[1..].to_owned())),
            Some(b'+') => hunk.lines.push(Line::Added(line[1..].to_owned())),
            Some(b'\\') => match hunk.lines.last() {
                Some(Line::Removed(_)) => hunk.old_open = true,
                Some(Line::Added(_)) => hunk.new_open = true,
                Some(Line::Same(_)) | None => (hunk.old_open, hunk.new_open) = (true, true),
            },
            Some(_) => hunk.lines.push(Line::Same(line[1..].to_owned())),
            None => hunk.lines.push(Line::Same(String::new())),
        }
    }
    if !hunk.lines.iter().any(|line| !matches!(line, Line::Same(_))) {
        return Err(misfit(format!("the hunk at line {} of the diff changes nothing", at + 1), FORM));
    }
    Ok((hunk, after))
}

/// `@@ -12,3 +12,4 @@`: the first old line, and how many lines there are.
fn numbers(header: &str) -> Option<(usize, usize, usize)> {
    let inner = header.strip_prefix("@@ -")?;
    let (old, rest) = inner.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let pair = |text: &str| match text.split_once(',') {
        Some((line, number)) => Some((line.parse::<usize>().ok()?, number.parse::<usize>().ok()?)),
        None => Some((text.parse::<usize>().ok()?, 1)),
    };
    let ((line, old), (_, new)) = (pair(old)?, pair(new)?);
    Some((line, old, new))
}

/// The lines of a hunk's body: as many as its header says, or as far as they look like it.
fn body<'a>(
    lines: &[&'a str],
    from: usize,
    numbers: Option<(usize, usize)>,
) -> Option<(Vec<&'a str>, usize)> {
    let mut body = Vec::new();
    let (mut old, mut new) = (0, 0);
    let mut at = from;
    while at < lines.len() {
        let line = lines[at];
        let first = line.as_bytes().first();
        if let Some(numbers) = numbers
            && (old, new) == numbers
            && first != Some(&b'\\')
        {
            break;
        }
        let header =
            line.starts_with("--- ") && lines.get(at + 1).is_some_and(|next| next.starts_with("+++ "));
        if numbers.is_none() && (header || line.starts_with("@@") || line.starts_with("diff --git ")) {
            break;
        }
        match first {
            Some(b' ') | None => (old, new) = (old + 1, new + 1),
            Some(b'-') => old += 1,
            Some(b'+') => new += 1,
            Some(b'\\') => {}
            Some(_) => break,
        }
        body.push(line);
        at += 1;
    }
    if numbers.is_none() {
        // Empty lines that only separate it from what follows.
        while body.last() == Some(&"") {
            body.pop();
        }
    }
    let fits = numbers.is_none_or(|numbers| numbers == (old, new));
    // What follows would be another hunk, another file, or nothing; else the numbers were too small.
    let ends = lines.get(at).is_none_or(|next| {
        !(next.starts_with('+') || next.starts_with('-') || next.starts_with(' ')) || next.starts_with("--- ")
    });
    (fits && ends && !body.is_empty()).then_some((body, at))
}

impl Hunk {
    fn old_lines(&self) -> Vec<&str> {
        let old = self.lines.iter().filter_map(|line| match line {
            Line::Same(text) | Line::Removed(text) => Some(text.as_str()),
            Line::Added(_) => None,
        });
        old.collect()
    }
}

/// A text with the hunks applied. Every line that a hunk keeps or removes must stand there exactly, or look the same at the
/// one place that does; where it stands may differ from what the diff says, when there is but one such place.
///
/// # Errors
/// When a hunk fits nowhere, or in several places.
pub fn apply(text: &str, hunks: &[Hunk]) -> Result<String, PatchMisfit> {
    // Line ends are the file's own, whatever the diff has.
    let (lines, mut open) = split(text);
    let plain: Vec<&str> = lines.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let carriage = crate::LineEnds::of(text) == crate::LineEnds::CrLf;
    let mut out: Vec<String> = Vec::new();
    let (mut done, mut shift) = (0_usize, 0_isize);
    for (index, hunk) in hunks.iter().enumerate() {
        let old = hunk.old_lines();
        let at = find(&plain, &old, hunk, done, shift).map_err(|mut misfit| {
            misfit.what = format!("hunk {} of {} {}", index + 1, hunks.len(), misfit.what);
            misfit
        })?;
        if let Some(said) = hunk.line {
            let said = if old.is_empty() { said } else { said.saturating_sub(1) };
            shift = at as isize - said as isize;
        }
        out.extend(lines[done..at].iter().map(|line| (*line).to_owned()));
        let mut next = at;
        for line in &hunk.lines {
            match line {
                // With the file's own bytes.
                Line::Same(_) => {
                    out.push(lines[next].to_owned());
                    next += 1;
                }
                Line::Removed(_) => next += 1,
                Line::Added(text) => {
                    out.push(if carriage { format!("{text}\r") } else { text.clone() });
                }
            }
        }
        if lines.is_empty() || next == lines.len() && (hunk.old_open || hunk.new_open) {
            open = hunk.new_open;
        }
        done = next;
    }
    out.extend(lines[done..].iter().map(|line| (*line).to_owned()));
    let mut text = out.join("\n");
    if open {
        // A last line without an end has no CR either.
        if text.ends_with('\r') && carriage {
            text.pop();
        }
    } else if !out.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// The lines of a text, and whether the last one has no end.
fn split(text: &str) -> (Vec<&str>, bool) {
    if text.is_empty() {
        return (Vec::new(), false);
    }
    let open = !text.ends_with('\n');
    let text = text.strip_suffix('\n').unwrap_or(text);
    (text.split('\n').collect(), open)
}

/// Where a hunk's old lines stand, as an index.
fn find(plain: &[&str], old: &[&str], hunk: &Hunk, done: usize, shift: isize) -> Result<usize, PatchMisfit> {
    let done = anchored(plain, &hunk.anchors, done)?;
    let lines_at = |at: usize| plain.get(at..at + old.len()).filter(|_| at >= done);
    if old.is_empty() {
        // Only additions: the line is all there is to go by.
        let at = match hunk.anchors.is_empty() {
            true => hunk.line.unwrap_or(plain.len()).saturating_add_signed(shift),
            false => done,
        };
        let placed = hunk.line.is_some() || !hunk.anchors.is_empty();
        if !placed && !plain.is_empty() || at > plain.len() || at < done {
            return Err(misfit(
                "only adds lines, and does not say where",
                "Give some of the lines around the place as context.",
            ));
        }
        return Ok(at);
    }
    let exactly = |at: usize| lines_at(at).is_some_and(|lines| lines == old);
    if let Some(line) = hunk.line {
        let at = line.saturating_sub(1).saturating_add_signed(shift);
        if exactly(at) {
            return Ok(at);
        }
    }
    let all = || done..=plain.len().saturating_sub(old.len());
    let mut places = all().filter(|at| exactly(*at));
    let first = match (places.next(), places.next()) {
        // An anchor names the next of them.
        (Some(at), other) if other.is_none() || !hunk.anchors.is_empty() => return Ok(at),
        (Some(one), Some(other)) => Some((one, other)),
        _ => None,
    };
    let folded: Vec<String> = old.iter().map(|line| crate::fold(line)).collect();
    let alike = |at: usize| {
        lines_at(at)
            .is_some_and(|lines| lines.iter().zip(&folded).all(|(line, old)| crate::fold(line) == *old))
    };
    let mut places = all().filter(|at| first.is_none() && alike(*at));
    match first.or_else(|| Some((places.next()?, places.next().unwrap_or(usize::MAX)))) {
        Some((at, usize::MAX)) => Ok(at),
        Some((one, other)) => Err(misfit(
            format!("fits at lines {} and {}, and none is the one that it names", one + 1, other + 1),
            "Give more context lines, or the right line numbers.",
        )),
        None => {
            let near = crate::closest::place_of(&old.join("\n"), &plain.join("\n"));
            let guidance = if near.is_empty() {
                "Read the file again; context and removed lines must be copied from it exactly.".to_owned()
            } else {
                format!("Context and removed lines must be copied exactly, white space included. {near}")
            };
            Err(misfit("does not fit: its lines do not stand there", guidance))
        }
    }
}

/// The line after those that a hunk says stand before it.
fn anchored(plain: &[&str], anchors: &[String], mut done: usize) -> Result<usize, PatchMisfit> {
    for anchor in anchors {
        let stands = |line: &&str| line.trim() == anchor || line.trim().starts_with(anchor.as_str());
        match plain.get(done..).into_iter().flatten().position(stands) {
            Some(at) => done += at + 1,
            None => {
                return Err(misfit(
                    format!("names a line before it that does not stand there: {anchor}"),
                    "Read the file again, and give lines around the place as context.",
                ));
            }
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn patched(text: &str, diff: &str) -> Result<String, PatchMisfit> {
        let files = parse(&format!("--- a/f\n+++ b/f\n{diff}"))?;
        apply(text, &files[0].hunks)
    }

    const NUMBERS: &str = "1\n2\n3\n4\n5\n6\n7\n8\n";

    #[test]
    fn hunks_apply_where_they_say() {
        let diff = "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -6,3 +6,4 @@\n 6\n 7\n+seven and a half\n 8\n";
        assert_eq!(patched(NUMBERS, diff).unwrap(), "1\ntwo\n3\n4\n5\n6\n7\nseven and a half\n8\n");
    }

    #[test]
    fn only_the_place_may_differ_and_only_when_it_is_the_one() {
        assert_eq!(
            patched(NUMBERS, "@@ -1,2 +1,2 @@\n 4\n-5\n+five\n").unwrap(),
            "1\n2\n3\n4\nfive\n6\n7\n8\n"
        );
        let twice = "a\nb\nc\na\nb\nc\n";
        assert!(patched(twice, "@@ -3,1 +3,1 @@\n-b\n+x\n").unwrap_err().what.contains("lines 2 and 5"));
        assert_eq!(patched(twice, "@@ -5,1 +5,1 @@\n-b\n+x\n").unwrap(), "a\nb\nc\na\nx\nc\n");
        assert!(patched(NUMBERS, "@@ -1,2 +1,2 @@\n 1\n-2 \n+x\n").is_err());
    }

    #[test]
    fn wrong_numbers_in_a_header_do_not_matter() {
        assert_eq!(patched("a\nb\n", "@@ -1,9 +1,7 @@\n a\n-b\n+c\n").unwrap(), "a\nc\n");
        assert_eq!(patched("a\nb\n", "@@ @@\n a\n-b\n+c\n").unwrap(), "a\nc\n");
        assert_eq!(patched("-- a\nb\n", "@@ -1,2 +1,1 @@\n--- a\n b\n").unwrap(), "b\n");
    }

    #[test]
    fn ends_of_files_and_lines_are_kept() {
        assert_eq!(
            patched("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n").unwrap(),
            "a\nc\n"
        );
        assert_eq!(
            patched("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n").unwrap(),
            "a\nc"
        );
        assert_eq!(patched("a\nb", "@@ -1,1 +1,1 @@\n-a\n+x\n").unwrap(), "x\nb");
        assert_eq!(patched("a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n").unwrap(), "a\r\nx\r\nb\r\n");
        assert_eq!(patched("", "@@ -0,0 +1,2 @@\n+a\n+b\n").unwrap(), "a\nb\n");
        assert_eq!(patched("a\n", "@@ -1 +0,0 @@\n-a\n").unwrap(), "");
    }

    #[test]
    fn names_are_read_as_git_quotes_them() {
        let named = |line: &str| {
            let diff = format!("--- {line}\n+++ {line}\n@@ -1 +1 @@\n-a\n+b\n");
            parse(&diff).map(|files| files[0].new.clone().unwrap())
        };
        assert_eq!(named(r#""b/\303\274.txt""#).unwrap(), "ü.txt");
        assert_eq!(named(r#""b/a \"b\" \\ c\t.txt""#).unwrap(), "a \"b\" \\ c\t.txt");
        assert_eq!(named("b/plain name.txt\t2026-01-01").unwrap(), "plain name.txt");
        assert_eq!(named(r#""b/\343\201\202.txt"\t2026-01-01"#).unwrap(), "あ.txt");
        assert!(named(r#""b/\377.txt""#).is_err() && named(r#""b/open"#).is_err());
    }

    #[test]
    fn lines_that_only_look_the_same_are_found_and_kept_as_they_are() {
        let text = "a\u{a0}b\nCafe\u{301}\nc\n";
        assert_eq!(
            patched(text, "@@ -1,3 +1,3 @@\n a b\n Café\n-c\n+d\n").unwrap(),
            "a\u{a0}b\nCafe\u{301}\nd\n"
        );
        let twice = "a\u{a0}b\nx\na\u{202f}b\n";
        assert!(patched(twice, "@@ -9,1 +9,1 @@\n-a b\n+c\n").unwrap_err().what.contains("lines 1 and 3"));
    }

    #[test]
    fn what_is_no_diff_is_told() {
        for text in [
            "",
            "hello",
            "@@ -1 +1 @@\n-a\n+b\n",
            "--- a/f\n+++ b/f\n",
            "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
