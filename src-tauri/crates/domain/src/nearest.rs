//! "Did you mean": names that differ by few letters.

/// The longest name that is compared, in characters.
const MAX_NAME_CHARS: usize = 64;

/// The names nearest to `name`, nearest first, at most three; only those that are near enough to be a slip.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = plain(name);
    if wanted.is_empty() || wanted.len() > MAX_NAME_CHARS {
        return Vec::new();
    }
    let mut ranked: Vec<(usize, &'a str)> = known
        .into_iter()
        .filter_map(|candidate| {
            let other = plain(candidate);
            let far = (wanted.len().max(other.len()) / 3).max(1);
            let distance =
                if other.len() > MAX_NAME_CHARS { usize::MAX } else { edit_distance(&wanted, &other) };
            let part = wanted.len() >= 3 && other.windows(wanted.len()).any(|window| window == wanted);
            if distance <= far {
                Some((distance, candidate))
            } else if part {
                Some((far + 1, candidate))
            } else {
                None
            }
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Letters without case and separators: `depends_on` and `dependsOn` are the same slip.
fn plain(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' ' | '.'))
        .flat_map(char::to_lowercase)
        .take(MAX_NAME_CHARS + 1)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal string alignment).
/// The effort grows with the product of their lengths.
pub fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["dependsOn", "display", "desiredTokens", "pass", "pause"];
        assert_eq!(nearest("depends_on", known), ["dependsOn"]);
        assert_eq!(nearest("dispaly", known), ["display"]);
        assert_eq!(nearest("desired", known), ["desiredTokens"]);
        assert_eq!(nearest("banana", known), Vec::<&str>::new());
        assert_eq!(nearest("", known), Vec::<&str>::new());
        assert_eq!(nearest(&"x".repeat(10_000), known), Vec::<&str>::new());
        assert_eq!(nearest("display_fields", ["displayFields", "display"]), ["displayFields"]);
    }
}
