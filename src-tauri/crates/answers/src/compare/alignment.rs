//! The shortest edit between two lists, after Myers (1986), with a bound on its work.

/// Where the two lists agree and where they do not, in order: a stretch of both, or of one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stretch {
    /// So many items of both are equal.
    Same(usize),
    /// So many items stand in the first alone.
    Left(usize),
    /// So many items stand in the second alone.
    Right(usize),
}

/// Edits beyond which what lies between the common start and end is given as replaced whole: memory grows with the
/// square of it.
const MAX_EDITS: usize = 1_200;

/// How to get from one list to the other.
pub(crate) fn align<T: PartialEq>(left: &[T], right: &[T]) -> Vec<Stretch> {
    let start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (a, b) = (&left[start..], &right[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let mut out = Vec::new();
    push(&mut out, Stretch::Same(start));
    match trace(a, b) {
        Some(trace) => walk(a.len(), b.len(), &trace).into_iter().for_each(|stretch| push(&mut out, stretch)),
        None => {
            push(&mut out, Stretch::Left(a.len()));
            push(&mut out, Stretch::Right(b.len()));
        }
    }
    push(&mut out, Stretch::Same(end));
    out
}

fn push(out: &mut Vec<Stretch>, stretch: Stretch) {
    match (out.last_mut(), stretch) {
        (_, Stretch::Same(0) | Stretch::Left(0) | Stretch::Right(0)) => {}
        (Some(Stretch::Same(last)), Stretch::Same(more))
        | (Some(Stretch::Left(last)), Stretch::Left(more))
        | (Some(Stretch::Right(last)), Stretch::Right(more)) => *last += more,
        (Some(_) | None, stretch) => out.push(stretch),
    }
}

/// By number of edits, how far each diagonal was reached before them; `None` beyond the bound.
fn trace<T: PartialEq>(a: &[T], b: &[T]) -> Option<Vec<Vec<usize>>> {
    let most = (a.len() + b.len()).min(MAX_EDITS);
    let middle = most + 1;
    let mut reached = vec![0_usize; 2 * middle + 1];
    let mut trace = Vec::new();
    for edits in 0..=most {
        trace.push(reached[middle - edits..=middle + edits].to_vec());
        for step in (0..=2 * edits).step_by(2) {
            let diagonal = middle + step - edits;
            let down = step == 0 || step != 2 * edits && reached[diagonal - 1] < reached[diagonal + 1];
            let mut x = if down { reached[diagonal + 1] } else { reached[diagonal - 1] + 1 };
            // Where a diagonal lies outside the lists, nothing is there to be reached.
            let Some(mut y) = (x + edits).checked_sub(step) else { continue };
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[diagonal] = x;
            if x >= a.len() && y >= b.len() {
                return Some(trace);
            }
        }
    }
    None
}

/// From the ends back to the starts.
fn walk(mut x: usize, mut y: usize, trace: &[Vec<usize>]) -> Vec<Stretch> {
    let mut back = Vec::new();
    for (edits, before) in trace.iter().enumerate().rev() {
        // Diagonals stand in `before` from -edits to edits; `x + edits - y` is the place of the present one.
        let at = (x + edits).saturating_sub(y);
        let reached = |place: usize| before.get(place).copied().unwrap_or_default();
        if edits == 0 {
            back.push(Stretch::Same(x));
            break;
        }
        let down = at == 0 || at != 2 * edits && reached(at - 1) < reached(at + 1);
        let from = if down { reached(at + 1) } else { reached(at - 1) };
        let (from_y, edit) = if down {
            ((from + edits).saturating_sub(at + 1), Stretch::Right(1))
        } else {
            ((from + edits + 1).saturating_sub(at), Stretch::Left(1))
        };
        let landed = if down { from } else { from + 1 };
        back.push(Stretch::Same(x - landed));
        back.push(edit);
        (x, y) = (from, from_y);
    }
    back.reverse();
    back
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Puts the second list together from the first and the stretches, and checks the first on the way.
    fn applied(left: &[u8], right: &[u8], stretches: &[Stretch]) -> (Vec<u8>, Vec<u8>) {
        let (mut x, mut y, mut first, mut second) = (0, 0, Vec::new(), Vec::new());
        for stretch in stretches {
            match *stretch {
                Stretch::Same(count) => {
                    assert_eq!(left[x..x + count], right[y..y + count]);
                    first.extend(&left[x..x + count]);
                    second.extend(&right[y..y + count]);
                    (x, y) = (x + count, y + count);
                }
                Stretch::Left(count) => {
                    first.extend(&left[x..x + count]);
                    x += count;
                }
                Stretch::Right(count) => {
                    second.extend(&right[y..y + count]);
                    y += count;
                }
            }
        }
        (first, second)
    }

    fn longest_common(a: &[u8], b: &[u8]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (at, y) in b.iter().enumerate() {
                let up = row[at + 1];
                row[at + 1] = if x == y { corner + 1 } else { up.max(row[at]) };
                corner = up;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn every_edit_leads_from_the_first_list_to_the_second_and_none_is_shorter(
            left in proptest::collection::vec(0_u8..4, 0..40), right in proptest::collection::vec(0_u8..4, 0..40),
        ) {
            let stretches = align(&left, &right);
            prop_assert_eq!(applied(&left, &right, &stretches), (left.clone(), right.clone()));
            let same: usize = stretches.iter().map(|one| match one { Stretch::Same(count) => *count, _ => 0 }).sum();
            prop_assert_eq!(same, longest_common(&left, &right));
        }
    }

    #[test]
    fn lists_that_share_nothing_are_replaced_whole_without_ado() {
        let left: Vec<u32> = (0..20_000).collect();
        let right: Vec<u32> = (20_000..40_000).collect();
        assert_eq!(align(&left, &right), [Stretch::Left(20_000), Stretch::Right(20_000)]);
    }
}
