//! What a sentence may say that rests on claims.

use std::collections::BTreeSet;

use evidence_graph::{ConflictKind, Grounds};
use pretty_assertions::assert_eq;

const RENT: &str = "The rent of the hall is 1,000 euros a month.";
const HEATING: &str = "The tenant does not pay for the heating of the hall.";
const KEEP: &str = "The auditor shall keep the papers for seven years.";
const MAY: &str = "The landlord may raise the rent of the hall.";

fn grounds(claims: &[&str]) -> Grounds {
    let mut grounds = Grounds::default();
    for claim in claims {
        grounds.claim(claim, [], []);
    }
    grounds
}

/// In what a sentence says something else than its claims.
fn deviation(claims: &[&str], sentence: &str) -> Option<ConflictKind> {
    let (grounds, known) = (grounds(claims), BTreeSet::new());
    grounds.more(sentence, &known).or(grounds.other(sentence)).or(grounds.surer(sentence))
}

#[test]
fn other_words_for_the_same_are_no_deviation() {
    let cases: [(&[&str], &str); 9] = [
        (&[RENT], "A month in the hall costs \u{20ac}1,000."),
        (&[RENT], "The monthly rent is EUR 1000"),
        (&[HEATING], "Heating is not paid by the tenant."),
        (&[KEEP], "Papers must be kept for 7 years."),
        (&[KEEP], "The auditor keeps the papers for seven years."),
        (&[MAY], "The rent of the hall can be raised by the landlord."),
        (
            &[RENT, "The rent of the yard is 200 euros a month."],
            "The hall costs 1,000 euros and the yard 200.",
        ),
        (&["The lease ends on 31 March 2031."], "The lease ends in 2031."),
        (
            &["Acme reported revenue of $12.4 million in 2024."],
            "In 2024 the revenue of Acme was about $12 million.",
        ),
    ];
    for (claims, sentence) in cases {
        assert_eq!(deviation(claims, sentence), None, "{sentence}");
    }
}

#[test]
fn what_no_claim_says_is_found() {
    let cases: [(&[&str], &str, ConflictKind); 14] = [
        (&[RENT], "The rent of the hall is 10,000 euros a month.", ConflictKind::Number),
        (&[RENT], "The rent of the hall is 1,000 dollars a month.", ConflictKind::Number),
        (&[RENT], "The rent of the hall is at least 1,000 euros a month.", ConflictKind::Number),
        (&[RENT], "The rent of the hall is 10k a month.", ConflictKind::Number),
        (&["Acme earned $12.4 million."], "Acme earned $12,412,000.", ConflictKind::Number),
        (&[RENT], "The rent of the hall in Vienna is 1,000 euros a month.", ConflictKind::Name),
        (&[RENT], "The rent of the hall is not 1,000 euros a month.", ConflictKind::Negation),
        (&[RENT], "The rent of the hall should be 1,000 euros a month.", ConflictKind::Modal),
        (&[KEEP], "The auditor may keep the papers for seven years.", ConflictKind::Modal),
        (&[HEATING], "The tenant pays for the heating of the hall.", ConflictKind::Negation),
        (&[HEATING], "Heating is on the tenant.", ConflictKind::Negation),
        (&[MAY], "The landlord raises the rent of the hall.", ConflictKind::Modal),
        (&["The lease ends on 31 March 2031."], "The lease ends on 31 May 2031.", ConflictKind::Date),
        (&["The lease ends in March 2031."], "The lease ends on 31 March 2031.", ConflictKind::Date),
    ];
    for (claims, sentence, kind) in cases {
        assert_eq!(deviation(claims, sentence), Some(kind), "{sentence}");
    }
}

#[test]
fn what_a_source_says_and_is_called_may_be_said() {
    let mut grounds = grounds(&[]);
    grounds.claim(
        "The auditor must determine performance materiality.",
        ["Performance materiality should be determined by the auditor for 2 levels."],
        ["Performance materiality"],
    );
    let known = BTreeSet::from(["bolt".to_owned()]);
    let more = |grounds: &Grounds, text: &str| grounds.more(text, &known);
    let less = "The auditor should determine performance materiality.";
    assert_eq!(
        (more(&grounds, less), grounds.other(less)),
        (None, None),
        "the quote says less than the claim"
    );
    let place = "By ISA 320.11 the auditor must determine performance materiality.";
    assert_eq!(more(&grounds, place), Some(ConflictKind::Name));
    grounds.source("ISA 320 Materiality in Planning");
    grounds.source("320.11");
    assert_eq!(more(&grounds, place), None);
    assert_eq!(
        more(&grounds, "Bolt must determine it."),
        Some(ConflictKind::Name),
        "a name of another claim"
    );
    grounds.question("What must Bolt determine?");
    assert_eq!(more(&grounds, "Bolt must determine it."), None);
}
