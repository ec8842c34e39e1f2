//! How many lines a change adds and removes (E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986).

/// Differences above this are not searched for: all lines between what both sides share at their ends count.
const MAX_DIFFERENCES: usize = 2_000;

/// Lines added and removed between two texts.
pub fn changed_lines(before: &str, after: &str) -> (u32, u32) {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let edits = edits(old, new).unwrap_or(old.len() + new.len());
    // Every edit adds or removes a line, and the two differ by what the texts do.
    let added = (edits + new.len() - old.len().min(new.len() + edits)) / 2;
    let removed = edits - added;
    (added as u32, removed as u32)
}

/// The least number of added and removed lines.
fn edits(old: &[&str], new: &[&str]) -> Option<usize> {
    let most = (old.len() + new.len()).min(MAX_DIFFERENCES);
    let at = |k: isize| (k + most as isize + 1) as usize;
    let mut furthest = vec![0usize; 2 * most + 3];
    for distance in 0..=most as isize {
        let mut k = -distance;
        while k <= distance {
            let down = k == -distance || (k != distance && furthest[at(k - 1)] < furthest[at(k + 1)]);
            let mut x = if down { furthest[at(k + 1)] } else { furthest[at(k - 1)] + 1 };
            while let Some(y) = x.checked_add_signed(-k)
                && x < old.len()
                && y < new.len()
                && old[x] == new[y]
            {
                x += 1;
            }
            furthest[at(k)] = x;
            if x >= old.len() && x.checked_add_signed(-k).is_some_and(|y| y >= new.len()) {
                return Some(distance as usize);
            }
            k += 2;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_a_person_would() {
        for (before, after, expected) in [
            ("", "", (0, 0)),
            ("", "a\nb\n", (2, 0)),
            ("a\nb\n", "", (0, 2)),
            ("a\nb\nc\n", "a\nx\nc\n", (1, 1)),
            ("a\nb\nc\nd\n", "b\nc\nd\ne\n", (1, 1)),
            ("a\n", "a\na\na\n", (2, 0)),
            ("x\na\ny\nb\nz\n", "a\nb\n", (0, 3)),
        ] {
            assert_eq!(changed_lines(before, after), expected, "{before:?} -> {after:?}");
        }
    }

    #[test]
    fn texts_with_nothing_in_common_count_whole() {
        let numbered = |word: &str| (0..3_000).map(|n| format!("{word}{n}\n")).collect::<String>();
        assert_eq!(changed_lines(&numbered("a"), &numbered("b")), (3_000, 3_000));
    }
}
