//! Patches in the envelope of `*** Begin Patch`: files by `*** Add File:`, `*** Update File:` and `*** Delete File:`, and
//! hunks that give a line before the place instead of numbers.

use crate::hunks::{FileDiff, Hunk, Line, PatchMisfit, misfit};

/// The line that such a patch begins with.
const BEGIN: &str = "*** Begin Patch";
const FORM: &str = "Write it as a unified diff: `--- a/file`, `+++ b/file`, then hunks that begin with `@@`.";

/// The lines between the envelope's ends; `None`: it is another kind of patch.
pub(crate) fn contents<'a>(lines: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let begin = lines.iter().position(|line| !line.trim().is_empty())?;
    if lines[begin].trim() != BEGIN {
        return None;
    }
    let end = lines.iter().rposition(|line| line.trim() == "*** End Patch").unwrap_or(lines.len());
    lines.get(begin + 1..end)
}

/// Reads the files of such a patch.
pub(crate) fn files(lines: &[&str]) -> Result<Vec<FileDiff>, PatchMisfit> {
    let mut files: Vec<FileDiff> = Vec::new();
    for line in lines {
        let named = |word: &str| line.strip_prefix(word).map(|name| name.trim().to_owned());
        if let Some(name) = named("*** Add File:") {
            files.push(FileDiff { old: None, new: Some(name), hunks: vec![Hunk::default()] });
        } else if let Some(name) = named("*** Delete File:") {
            files.push(FileDiff { old: Some(name), new: None, hunks: Vec::new() });
        } else if let Some(name) = named("*** Update File:") {
            files.push(FileDiff { old: Some(name.clone()), new: Some(name), hunks: Vec::new() });
        } else if named("*** Move to:").is_some() {
            return Err(misfit(
                "the patch moves a file",
                "Give the new file as a whole (*** Add File), and remove the old one (*** Delete File).",
            ));
        } else {
            let Some(file) = files.last_mut() else {
                if line.trim().is_empty() {
                    continue;
                }
                return Err(misfit("the patch has lines before it names a file", FORM));
            };
            add(file, line)?;
        }
    }
    if files.is_empty() {
        return Err(misfit("the patch names no file", FORM));
    }
    for file in &mut files {
        // What only separates it from the next file.
        for hunk in &mut file.hunks {
            while matches!(hunk.lines.last(), Some(Line::Same(text)) if text.is_empty()) {
                hunk.lines.pop();
            }
        }
        let changes = |hunk: &Hunk| hunk.lines.iter().any(|line| !matches!(line, Line::Same(_)));
        file.hunks.retain(|hunk| changes(hunk) || file.old.is_none());
        if file.new.is_some() && file.hunks.is_empty() {
            let name = file.new.as_deref().unwrap_or_default();
            return Err(misfit(format!("the patch of {name} changes nothing"), FORM));
        }
    }
    Ok(files)
}

fn add(file: &mut FileDiff, line: &str) -> Result<(), PatchMisfit> {
    if line.trim() == "*** End of File" {
        return Ok(());
    }
    if let Some(before) = line.strip_prefix("@@") {
        let before = before.trim().trim_end_matches("@@").trim();
        let anchor = Some(before.to_owned()).filter(|before| !before.is_empty());
        // Several of them lead from the outer to the inner place.
        match file.hunks.last_mut().filter(|hunk| hunk.lines.is_empty()) {
            Some(hunk) => hunk.anchors.extend(anchor),
            None => file.hunks.push(Hunk { anchors: anchor.into_iter().collect(), ..Hunk::default() }),
        }
        return Ok(());
    }
    if file.hunks.is_empty() {
        file.hunks.push(Hunk::default());
    }
    let Some(hunk) = file.hunks.last_mut() else { return Ok(()) };
    hunk.lines.push(match line.as_bytes().first() {
        Some(b'+') => Line::Added(line[1..].to_owned()),
        Some(b'-') => Line::Removed(line[1..].to_owned()),
        Some(b' ') => Line::Same(line[1..].to_owned()),
        None => Line::Same(String::new()),
        Some(_) => {
            let shown: String = line.chars().take(80).collect();
            return Err(misfit(
                format!("a line of the patch begins with none of ' ', '-' and '+': {shown}"),
                FORM,
            ));
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::hunks::{apply, parse};
    use pretty_assertions::assert_eq;

    const PATCH: &str = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: src/a.py\n@@ class B\n@@ def f(self):\n-    return 1\n+    return 2\n\n*** Delete File: old.txt\n*** End Patch\n";

    #[test]
    fn files_and_places_of_an_envelope_are_read() {
        let files = parse(PATCH).unwrap();
        let names: Vec<_> = files.iter().map(|file| (file.old.as_deref(), file.new.as_deref())).collect();
        assert_eq!(
            names,
            [(None, Some("new.txt")), (Some("src/a.py"), Some("src/a.py")), (Some("old.txt"), None)]
        );
        assert_eq!(apply("", &files[0].hunks).unwrap(), "one\ntwo\n");
        let text = "class A:\n  def f(self):\n    return 1\nclass B:\n  def f(self):\n    return 1\n";
        let expected = "class A:\n  def f(self):\n    return 1\nclass B:\n  def f(self):\n    return 2\n";
        assert_eq!(apply(text, &files[1].hunks).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_an_envelope_is_told() {
        for patch in [
            "*** Begin Patch\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch",
            "*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch",
        ] {
            assert!(parse(patch).is_err(), "{patch}");
        }
    }
}
