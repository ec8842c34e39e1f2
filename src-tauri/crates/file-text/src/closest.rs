//! What is nearly the same: names beside a missing one, lines like those that were not found.

use std::collections::HashMap;

/// How alike two texts are, from 0 to 1: twice the pairs of neighbouring characters in common over all pairs (Dice's
/// coefficient over bigrams).
fn likeness(one: &str, other: &str) -> f64 {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let letters: Vec<char> = text.chars().flat_map(char::to_lowercase).take(400).collect();
        letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (ours, theirs) = (pairs(one), pairs(other));
    if ours.is_empty() || theirs.is_empty() {
        return if one.eq_ignore_ascii_case(other) { 1.0 } else { 0.0 };
    }
    let mut left: HashMap<(char, char), usize> = HashMap::new();
    for pair in &ours {
        *left.entry(*pair).or_default() += 1;
    }
    let mut common = 0;
    for pair in &theirs {
        if let Some(count) = left.get_mut(pair).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * f64::from(common) / (ours.len() + theirs.len()) as f64
}

/// The names most like `wanted`, the best first, none that is hardly alike.
pub fn closest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = names.map(|name| (likeness(wanted, name), name)).collect();
    scored.retain(|(score, _)| *score >= 0.45);
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

/// Where in a text something like `wanted` stands, in words with line numbers; empty when nothing is like it.
pub fn place_of(wanted: &str, text: &str) -> String {
    let wanted_lines: Vec<&str> = wanted.lines().collect();
    let lines: Vec<&str> = text.lines().take(200_000).collect();
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let needle: Vec<String> =
        wanted_lines.iter().map(|line| squeezed(line)).filter(|line| !line.is_empty()).collect();
    if needle.is_empty() {
        return String::new();
    }
    // The same words with other white space.
    let filled: Vec<(usize, String)> = lines
        .iter()
        .enumerate()
        .map(|(index, line)| (index, squeezed(line)))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let same = filled
        .windows(needle.len())
        .find(|window| window.iter().zip(&needle).all(|((_, line), wanted)| line == wanted));
    if let Some(window) = same
        && let (Some((first, _)), Some((last, _))) = (window.first(), window.last())
    {
        return format!(
            "Lines {} to {} say the same with other white space:\n{}",
            first + 1,
            last + 1,
            numbered(&lines, *first, *last)
        );
    }
    // The line that is most like the longest one.
    let Some(longest) = needle.iter().max_by_key(|line| line.len()) else { return String::new() };
    let offset = wanted_lines.iter().position(|line| squeezed(line) == *longest).unwrap_or(0);
    let best = filled
        .iter()
        .filter(|(_, line)| line.len() <= longest.len() * 2 && longest.len() <= line.len() * 2)
        .take(20_000)
        .map(|(index, line)| (likeness(longest, line), *index))
        .max_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    match best {
        Some((score, index)) if score >= 0.5 => {
            let first = index.saturating_sub(offset);
            let last = (first + wanted_lines.len().saturating_sub(1)).min(lines.len().saturating_sub(1));
            format!(
                "The nearest is at lines {} to {}:\n{}",
                first + 1,
                last.max(index) + 1,
                numbered(&lines, first, last.max(index))
            )
        }
        _ => String::new(),
    }
}

fn numbered(lines: &[&str], first: usize, last: usize) -> String {
    let most = last.min(first + 11);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate().take(most + 1).skip(first) {
        let line = crate::capped(line, 300);
        out.push_str(&format!("{:>6}\t{line}\n", index + 1));
    }
    if last > most {
        out.push_str("     …\n");
    }
    out.trim_end_matches('\n').to_owned()
}
