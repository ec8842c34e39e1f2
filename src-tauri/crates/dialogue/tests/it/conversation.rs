//! Which turns of a session its conversation consists of: cases, and every session of up to six entries.

use std::collections::BTreeSet;

use dialogue::{Conversation, Follows, Link, replaced};
use domain::RunId;
use pretty_assertions::assert_eq;

/// `a turn`, `b turn after a`, `c run`: an entry each.
fn session(lines: &[&str]) -> Vec<Link> {
    let link = |line: &&str| {
        let words: Vec<&str> = line.split(' ').collect();
        let follows = match words.as_slice() {
            [_, "turn"] => Follows::Named(None),
            [_, "turn", "after", id] => Follows::Named(Some(RunId((*id).to_owned()))),
            [_, "run" | "mission"] => Follows::Last,
            _ => panic!("{line}"),
        };
        Link { id: RunId(words[0].to_owned()), follows }
    };
    lines.iter().map(link).collect()
}

fn named(links: &[Link], places: &[usize]) -> String {
    places.iter().map(|place| links[*place].id.0.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn turns_that_an_edit_replaced_are_left_behind_and_runs_stay() {
    let cases: [(&str, &[&str], &str); 12] = [
        ("nothing was said", &[], ""),
        ("one after the other", &["a turn", "b turn after a", "c turn after b"], ""),
        ("the last message edited", &["a turn", "b turn after a", "c turn after a"], "b"),
        ("the first message edited", &["a turn", "b turn after a", "c turn"], "a b"),
        ("edited twice", &["a turn", "b turn after a", "c turn after a", "d turn after a"], "b c"),
        ("sent again, then on", &["a turn", "b turn", "c turn after b"], "a"),
        ("a run before an edit", &["a turn", "r run", "b turn after r", "c turn after r"], "b"),
        (
            "an edit, a run, a message",
            &["a turn", "b turn after a", "c turn after a", "r run", "d turn after r"],
            "b",
        ),
        ("a run between two of them", &["a turn", "r run", "b turn after r", "s run", "c turn after s"], ""),
        ("the message before a run edited", &["a turn", "r run", "b turn"], "a"),
        ("a mission, then talk", &["a turn", "m mission", "b turn after m", "c turn after b"], ""),
        (
            "a turn that was deleted",
            &["a turn", "b turn after gone", "c turn after b", "d turn after b"],
            "c",
        ),
    ];
    for (what, lines, expected) in cases {
        let links = session(lines);
        assert_eq!(named(&links, &replaced(&links)), expected, "{what}");
    }
}

#[test]
fn a_conversation_leads_back_through_runs_to_its_first_turn() {
    let links = session(&["a turn", "b turn after a", "c turn after a", "r run", "d turn after r"]);
    let newest = Conversation::up_to(&links, 4);
    assert_eq!((named(&links, &newest.places).as_str(), &newest.missing), ("d r c a", &None));
    // One that was replaced has a conversation of its own.
    assert_eq!(named(&links, &Conversation::up_to(&links, 1).places), "b a");
    assert_eq!(Conversation::up_to(&links, 9), Conversation::default());
}

#[test]
fn what_was_deleted_ends_a_conversation_and_is_named() {
    let links = session(&["a turn", "b turn after gone", "c turn after b"]);
    let found = Conversation::up_to(&links, 2);
    assert_eq!(
        (named(&links, &found.places).as_str(), found.missing),
        ("c b", Some(RunId("gone".to_owned())))
    );
}

#[test]
fn turns_that_name_each_other_end_the_walk() {
    let links = session(&["a turn after b", "b turn after a"]);
    assert_eq!(named(&links, &Conversation::up_to(&links, 1).places), "b a");
    assert_eq!(replaced(&links), [0_usize; 0]);
}

/// Every session of `left` more entries: each is a run, or a turn after nothing, after something deleted or after any entry
/// before it.
fn every(links: &mut Vec<Link>, left: usize, check: &mut impl FnMut(&[Link])) {
    check(links);
    if left == 0 {
        return;
    }
    let id = |place: usize| RunId(format!("e{place}"));
    let place = links.len();
    let turns = (0..place).map(|before| Follows::Named(Some(id(before))));
    let others = [Follows::Last, Follows::Named(None), Follows::Named(Some(RunId("gone".to_owned())))];
    for follows in others.into_iter().chain(turns) {
        links.push(Link { id: id(place), follows });
        every(links, left - 1, check);
        links.pop();
    }
}

/// The conversation up to an entry, told step by step.
fn told(links: &[Link], place: usize) -> Vec<usize> {
    let before = match &links[place].follows {
        Follows::Last => place.checked_sub(1),
        Follows::Named(id) => id.as_ref().and_then(|id| links.iter().position(|link| link.id == *id)),
    };
    std::iter::once(place).chain(before.map(|before| told(links, before)).unwrap_or_default()).collect()
}

#[test]
fn every_short_session_has_one_conversation_that_only_an_edit_changes() {
    let mut sessions = 0;
    every(&mut Vec::new(), 6, &mut |links| {
        sessions += 1;
        let is_turn = |place: usize| matches!(links[place].follows, Follows::Named(_));
        let left: BTreeSet<usize> = replaced(links).into_iter().collect();
        assert!(left.iter().all(|place| is_turn(*place)), "{links:?}");
        let Some(newest) = links.len().checked_sub(1) else { return };
        let conversation = Conversation::up_to(links, newest);
        assert_eq!(conversation.places, told(links, newest), "{links:?}");
        assert!(conversation.places.iter().all(|place| !left.contains(place)), "{links:?}");
        if conversation.missing.is_none() {
            let others =
                (0..links.len()).filter(|place| is_turn(*place) && !conversation.places.contains(place));
            assert_eq!(left, others.collect(), "{links:?}");
        }
        // Whatever is said or begun next after the newest entry leaves nothing else behind.
        let next = |follows| {
            let mut longer = links.to_vec();
            longer.push(Link { id: RunId("next".to_owned()), follows });
            replaced(&longer).into_iter().collect::<BTreeSet<usize>>()
        };
        assert_eq!(next(Follows::Named(Some(links[newest].id.clone()))), left, "{links:?}");
        assert_eq!(next(Follows::Last), left, "{links:?}");
        // The newest message sent again leaves itself behind, and nothing else that is shown.
        if let Follows::Named(of) = &links[newest].follows
            && conversation.missing.is_none()
        {
            let mut expected = left.clone();
            expected.insert(newest);
            assert_eq!(next(Follows::Named(of.clone())), expected, "{links:?}");
        }
    });
    assert!(sessions > 20_000, "{sessions}");
}

#[test]
fn ten_thousand_turns_are_looked_through_at_once() {
    let of = |place: usize| RunId(format!("e{place}"));
    let follows = |place: usize| Follows::Named(place.checked_sub(1 + place % 2).map(of));
    let links: Vec<Link> = (0..10_000).map(|place| Link { id: of(place), follows: follows(place) }).collect();
    let left = replaced(&links);
    let conversation = Conversation::up_to(&links, 9_999);
    assert_eq!(conversation.places.len() + left.len(), 10_000);
}
