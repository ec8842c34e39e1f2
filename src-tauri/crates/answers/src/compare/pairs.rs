//! What of one list belongs to what of another.

use super::alignment::{Stretch, align};
use super::statements::likeness;

/// Items of one change that are paired by likeness; longer changes are paired in order.
const MAX_PAIRED: usize = 60;
/// How alike two items must be to be one that was changed.
const ALIKE: f64 = 0.4;

/// Items by their places in the first and in the second list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    /// Equal.
    Same(usize, usize),
    /// One that was changed.
    Changed(usize, usize),
    /// Only in the first.
    Left(usize),
    /// Only in the second.
    Right(usize),
}

/// The items of both lists, in order.
pub(crate) fn pairs<T: AsRef<str> + PartialEq>(left: &[T], right: &[T]) -> Vec<Pair> {
    let mut out = Vec::new();
    let (mut x, mut y) = (0, 0);
    let mut stretches = align(left, right).into_iter().peekable();
    while let Some(stretch) = stretches.next() {
        let (mut gone, mut come) = match stretch {
            Stretch::Same(count) => {
                out.extend((0..count).map(|at| Pair::Same(x + at, y + at)));
                (x, y) = (x + count, y + count);
                continue;
            }
            Stretch::Left(count) => (count, 0),
            Stretch::Right(count) => (0, count),
        };
        while let Some(more) = stretches.next_if(|next| !matches!(next, Stretch::Same(_))) {
            match more {
                Stretch::Left(count) => gone += count,
                Stretch::Right(count) => come += count,
                Stretch::Same(_) => {}
            }
        }
        replaced((x, &left[x..x + gone]), (y, &right[y..y + come]), &mut out);
        (x, y) = (x + gone, y + come);
    }
    out
}

/// Items that took the place of others: those that are alike belong together.
fn replaced<T: AsRef<str>>((x, left): (usize, &[T]), (y, right): (usize, &[T]), out: &mut Vec<Pair>) {
    let mut next = 0;
    for (at, item) in left.iter().enumerate() {
        let partner = if left.len().max(right.len()) > MAX_PAIRED {
            Some(at).filter(|at| *at >= next && *at < right.len())
        } else {
            (next..right.len())
                .map(|other| (other, likeness(item.as_ref(), right[other].as_ref())))
                .filter(|(_, alike)| *alike >= ALIKE)
                .reduce(|best, other| if other.1 > best.1 { other } else { best })
                .map(|(other, _)| other)
        };
        let Some(partner) = partner else {
            out.push(Pair::Left(x + at));
            continue;
        };
        out.extend((next..partner).map(|other| Pair::Right(y + other)));
        out.push(Pair::Changed(x + at, y + partner));
        next = partner + 1;
    }
    out.extend((next..right.len()).map(|other| Pair::Right(y + other)));
}
