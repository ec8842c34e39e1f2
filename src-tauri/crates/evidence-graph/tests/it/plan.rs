//! Edits of a plan.

use domain::mission::{ItemId, PlanEdit};
use evidence_graph::{Change, ItemKind, Question, plan_changes, text_key};
use pretty_assertions::assert_eq;

/// A question without words.
fn question(at: usize) -> Question {
    Question {
        id: ItemKind::Question.id(at),
        key: String::new(),
        text: String::new(),
        section: None,
        required: false,
        capability: None,
        depends_on: Vec::new(),
        dropped: None,
    }
}

fn plan(texts: &[&str]) -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    for text in texts {
        let question = Question {
            key: text_key(text),
            text: (*text).to_owned(),
            section: Some("Terms".to_owned()),
            required: true,
            ..question(all.len())
        };
        all.push(question);
    }
    all
}

fn add(text: &str) -> PlanEdit {
    PlanEdit::Add { text: text.to_owned(), required: false }
}

fn drop_(id: &str) -> PlanEdit {
    PlanEdit::Drop { question: ItemId(id.to_owned()) }
}

#[test]
fn a_reworded_question_keeps_what_it_is_for() {
    let plan = plan(&["Who is the landlord?", "What is the rent?"]);
    let edit =
        PlanEdit::Reword { question: ItemId("t2".to_owned()), text: "What is  the net rent?".to_owned() };
    let changes = plan_changes(plan.iter(), &[edit]).unwrap();
    let [Change::QuestionDropped { question: dropped, .. }, Change::QuestionAdded { question }] =
        &changes[..]
    else {
        panic!("{changes:?}");
    };
    assert_eq!((dropped.0.as_str(), question.id.0.as_str()), ("t2", "t3"));
    assert_eq!((question.text.as_str(), question.required), ("What is the net rent?", true));
    assert_eq!(question.section.as_deref(), Some("Terms"));
}

#[test]
fn a_question_that_was_dropped_can_be_asked_again() {
    let plan = plan(&["Who is the landlord?", "What is the rent?"]);
    let changes = plan_changes(plan.iter(), &[drop_("t1"), add("Who is the landlord?")]).unwrap();
    assert_eq!(changes.len(), 2);
}

#[test]
fn edits_that_make_no_plan_are_refused_as_a_whole() {
    let plan = plan(&["Who is the landlord?", "What is the rent?"]);
    let refused = |edits: &[PlanEdit]| plan_changes(plan.iter(), edits).unwrap_err().message;
    let cases: [(&[PlanEdit], &str); 6] = [
        (&[], "nothing to change"),
        (&[add(" ?! ")], "1 to 2000 characters"),
        (&[add("what is the RENT")], "t2 asks that already"),
        (&[drop_("t9")], "does not ask a question t9"),
        (&[drop_("t1"), drop_("t1")], "does not ask a question t1"),
        (&[drop_("t1"), drop_("t2")], "at least one question"),
    ];
    for (edits, expected) in cases {
        let message = refused(edits);
        assert!(message.contains(expected), "{message}");
    }
}
