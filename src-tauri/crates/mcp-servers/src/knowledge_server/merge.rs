//! One list of what several bases gave: those of attached documents and the one that they are asked beside.

use knowledge::{Base, Gathered, GatheredHit, quantised};

/// Takes from lists in turn, the first list first.
pub(super) fn in_turn<T>(lists: Vec<Vec<T>>) -> impl Iterator<Item = T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut turn: Vec<T> = Vec::new();
    std::iter::from_fn(move || {
        if turn.is_empty() {
            turn = lists.iter_mut().filter_map(Iterator::next).collect();
            turn.reverse();
        }
        turn.pop()
    })
}

/// What was gathered in several bases as one list: paragraphs in turn, at most `limit`, then those that make named places whole.
/// Ranks of different bases say nothing about each other. A paragraph whose id an earlier base has is that one's.
pub(super) fn gathered(parts: Vec<(&Base, Gathered)>, limit: usize) -> (Vec<(&Base, GatheredHit)>, Gathered) {
    let several = parts.len() > 1;
    let bases: Vec<&Base> = parts.iter().map(|(base, _)| *base).collect();
    let (mut listed, mut places, mut rest) = (Vec::new(), Vec::new(), Gathered::default());
    for (at, (base, part)) in parts.into_iter().enumerate() {
        let Gathered { hits, missing, left_out, searched } = part;
        let hidden = |id: &str| bases[..at].iter().any(|earlier| earlier.paragraph(id).is_ok());
        let hits = hits.into_iter().filter(|one| !hidden(&one.hit.id)).map(|one| (base, one));
        let (whole, completing): (Vec<_>, Vec<_>) =
            hits.partition(|(_, one)| !several || one.place.is_none());
        listed.push(whole);
        places.extend(completing);
        // What one base lacks another may have.
        match at {
            0 => (rest.missing, rest.left_out, rest.searched) = (missing, left_out, searched),
            _ => {
                rest.missing.retain(|one| missing.contains(one));
                rest.left_out.retain(|one| left_out.contains(one));
            }
        }
    }
    if !several {
        return (listed.into_iter().flatten().collect(), rest);
    }
    let mut hits: Vec<_> = in_turn(listed).take(limit).chain(places).collect();
    let count = hits.len().max(limit) as f64;
    for (at, (_, one)) in hits.iter_mut().enumerate() {
        one.hit.score = quantised(1.0 - at as f64 / count);
    }
    (hits, rest)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::in_turn;

    #[test]
    fn lists_are_taken_in_turn_and_what_is_left_of_the_longer_one_follows() {
        let taken: Vec<u32> = in_turn(vec![vec![1, 2], Vec::new(), vec![10, 20, 30, 40]]).collect();
        assert_eq!(taken, [1, 10, 2, 20, 30, 40]);
    }
}
