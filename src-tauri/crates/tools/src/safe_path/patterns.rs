//! Patterns of names as they are meant: brackets that stand in a name, letters composed or taken apart.

use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

/// Signs of a pattern that are also signs of names: `[id]`, `[...slug]`, `{a}`, `what?`.
const SIGNS: [char; 5] = ['[', ']', '{', '}', '?'];

/// The patterns that one stands for below a folder.
pub(super) fn spellings(root: &Path, pattern: &str) -> Vec<String> {
    let (sign, path) = match pattern.strip_prefix('!') {
        Some(path) => ("!", path),
        None => ("", pattern),
    };
    let mut spelled = vec![literal(root, path)];
    // Where what stands before it can be several folders, both may be meant; a pattern that leaves out stays as it is.
    if spelled[0] == path && path.contains('[') && path.contains('*') && sign.is_empty() {
        spelled.push(path.split('/').map(escaped_brackets).collect::<Vec<_>>().join("/"));
    }
    if !pattern.is_ascii() {
        let forms: Vec<String> =
            spelled.iter().flat_map(|path| [path.nfc().collect(), path.nfd().collect()]).collect();
        spelled.extend(forms);
    }
    let mut all: Vec<String> = Vec::new();
    for path in spelled {
        let whole = format!("{sign}{path}");
        if !all.contains(&whole) {
            all.push(whole);
        }
    }
    all
}

/// A pattern in which the names that are there below the folder stand for themselves.
fn literal(root: &Path, pattern: &str) -> String {
    let anchored = pattern.strip_prefix('/').unwrap_or(pattern);
    let mut folder = root.to_owned();
    let mut known = true;
    let parts = anchored.split('/').map(|part| {
        known &= !matches!(part, "" | "." | "..") && !part.contains('*');
        let there = known && {
            let place = folder.join(part);
            // Through no link: what lies outside is not asked about.
            let there = place.symlink_metadata();
            folder = place;
            there.is_ok_and(|there| !there.is_symlink())
        };
        known &= there;
        if there && part.contains(SIGNS) { escaped(part) } else { part.to_owned() }
    });
    let parts: Vec<String> = parts.collect();
    let start = if anchored.len() < pattern.len() { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

fn escaped(name: &str) -> String {
    name.chars().flat_map(|c| SIGNS.contains(&c).then_some('\\').into_iter().chain([c])).collect()
}

/// A part of a pattern whose brackets stand for themselves, where it has a pair of them.
fn escaped_brackets(part: &str) -> String {
    let pair = part.find('[').is_some_and(|open| part[open..].contains(']'));
    if pair { part.replace('[', "\\[").replace(']', "\\]") } else { part.to_owned() }
}
