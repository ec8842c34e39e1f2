//! Requests taken apart without a model.

use evidence_graph::{questions_of, split_request};
use pretty_assertions::assert_eq;

#[test]
fn what_is_said_of_the_report_is_no_part_of_the_objective() {
    let (objective, form) =
        split_request("How does materiality work? Format: table of levels and who sets them");
    assert_eq!(objective, "How does materiality work?");
    assert_eq!(form.as_deref(), Some("Format: table of levels and who sets them"));
    let (objective, form) =
        split_request("Compare sampling methods as a table with their limits. What is projected?");
    assert_eq!(objective, "Compare sampling methods. What is projected?");
    assert_eq!(form.as_deref(), Some("as a table with their limits"));
    assert_eq!(split_request("What is going concern?"), ("What is going concern?".to_owned(), None));
    let (objective, form) = split_request("Explain fraud risk in at most 300 words");
    assert_eq!((objective.as_str(), form.as_deref()), ("Explain fraud risk", Some("in at most 300 words")));
}

#[test]
fn an_objective_has_a_question_for_each_sentence() {
    assert_eq!(
        questions_of("What is it? Who sets it?\n- When is it revised?"),
        ["What is it?", "Who sets it?", "When is it revised?"]
    );
    assert_eq!(questions_of("materiality"), ["materiality"]);
}
