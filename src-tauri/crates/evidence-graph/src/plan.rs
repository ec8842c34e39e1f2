//! The user's edits of a plan as changes of its questions.

use domain::mission::{ItemId, PlanEdit};
use domain::{ErrorCode, Problem};

use crate::{Change, ItemKind, Question, text_key};

/// The longest question, in characters.
const MAX_QUESTION_CHARS: usize = 2_000;
/// Questions that a plan asks at the same time.
const MAX_ASKED: usize = 100;

/// What edits change of a plan's questions.
///
/// # Errors
/// When one of them can't be made, or no plan is left.
pub fn plan_changes<'a>(
    questions: impl Iterator<Item = &'a Question>,
    edits: &[PlanEdit],
) -> Result<Vec<Change>, Problem> {
    let invalid = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    if edits.is_empty() {
        return Err(invalid("there is nothing to change in the plan".to_owned()));
    }
    let mut all: Vec<Question> = questions.cloned().collect();
    let mut changes = Vec::new();
    for edit in edits {
        let added = match edit {
            PlanEdit::Add { text, required } => {
                Some((text, Question { required: *required, ..unasked(&all) }))
            }
            PlanEdit::Reword { question, text } => {
                let before = drop_question(&mut all, question, "asked in other words", &mut changes)?;
                Some((text, Question { id: unasked(&all).id, dropped: None, ..before }))
            }
            PlanEdit::Drop { question } => {
                drop_question(&mut all, question, "you dropped it", &mut changes)?;
                None
            }
        };
        let Some((text, question)) = added else { continue };
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = text_key(&text);
        if key.is_empty() || text.chars().count() > MAX_QUESTION_CHARS {
            return Err(invalid(format!("a question has 1 to {MAX_QUESTION_CHARS} characters, and words")));
        }
        if let Some(same) = all.iter().find(|one| one.key == key && one.dropped.is_none()) {
            return Err(invalid(format!("{} asks that already", same.id.0)));
        }
        let question = Question { key, text, ..question };
        all.push(question.clone());
        changes.push(Change::QuestionAdded { question });
    }
    match all.iter().filter(|question| question.dropped.is_none()).count() {
        0 => Err(invalid("a plan asks at least one question".to_owned())
            .with_action("add one, or end research with \u{201c}write\u{201d}")),
        1..=MAX_ASKED => Ok(changes),
        asked => Err(invalid(format!("a plan asks at most {MAX_ASKED} questions, not {asked}"))),
    }
}

/// A question that the user adds, without its words.
fn unasked(all: &[Question]) -> Question {
    Question {
        id: ItemKind::Question.id(all.len()),
        key: String::new(),
        text: String::new(),
        section: None,
        required: false,
        capability: None,
        depends_on: Vec::new(),
        dropped: None,
    }
}

/// Drops a question that is asked, and gives it as it was.
fn drop_question(
    all: &mut [Question],
    id: &ItemId,
    reason: &str,
    changes: &mut Vec<Change>,
) -> Result<Question, Problem> {
    let Some(question) = all.iter_mut().find(|one| one.id == *id && one.dropped.is_none()) else {
        return Err(Problem::new(ErrorCode::NotFound, format!("the plan does not ask a question {}", id.0))
            .with_action("`agentnative mission graph <id> questions` lists them"));
    };
    let before = question.clone();
    question.dropped = Some(reason.to_owned());
    changes.push(Change::QuestionDropped { question: id.clone(), reason: reason.to_owned() });
    Ok(before)
}
