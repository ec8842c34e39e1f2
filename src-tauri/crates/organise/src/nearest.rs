//! The name that was meant.

/// Longer names are not compared: the effort grows with the product of the lengths.
const LONGEST: usize = 40;

/// The known name that is nearest to a misspelled one, if one is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let ranked = known.into_iter().filter_map(|candidate| {
        let other = plain(candidate);
        let far = (wanted.len().max(other.len()) / 3).max(1);
        let distance = if other.len() > LONGEST { usize::MAX } else { distance(&wanted, &other) };
        let part = wanted.len() >= 3 && other.windows(wanted.len()).any(|window| window == wanted);
        if distance <= far { Some((distance, candidate)) } else { part.then_some((far + 1, candidate)) }
    });
    ranked.min().map(|(_, name)| name)
}

/// Letters without case and separators.
fn plain(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ' | '.'));
    letters.flat_map(char::to_lowercase).take(LONGEST + 1).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["hasUnread", "isFlagged", "sessionStatus"];
        assert_eq!(nearest("hasunraed", known), Some("hasUnread"));
        assert_eq!(nearest("is_flagged", known), Some("isFlagged"));
        assert_eq!(nearest("status", known), Some("sessionStatus"));
        assert_eq!(nearest("banana", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(10_000), known), None);
    }
}
