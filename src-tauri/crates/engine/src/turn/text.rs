//! What the program says to the model, and for it.

use dialogue::{End, State, ToolEnd, bound_in_words};
use domain::{begins_anew, whole_words};

/// With the last call, which offers no tools.
pub(super) const BEST_SO_FAR: &str = "(You can call no more tools now. Give the best answer that you can from what you know so \
                                      far, and say plainly what is missing or was not checked.)";

/// What follows the state of a run, once a conversation was put into fewer words.
pub(super) const RECOVERY: &str = "(The program recorded this state of the run; where words above say otherwise, it holds. Read it \
whole before anything else. Compare with it what you believe to be done. Do nothing again that it lists as done. Go on with its \
next action. Where a file or a tool disagrees with it, say so and go by the state.)";

/// After the beginning of an answer that the person stopped and now wants to the end.
pub(super) const CONTINUE: &str = "(I stopped your answer at this point. Now go on exactly where it ends, without repeating \
                                   or announcing anything.)";

/// The beginning of an answer and what the model said when it was asked to go on.
pub(super) fn continued(beginning: &str, rest: &str) -> String {
    if begins_anew(beginning, rest) {
        return rest.to_owned();
    }
    format!("{}{}", whole_words(beginning), rest.trim_start())
}

/// A call that did not run, as the model reads it: why, and one way on.
pub(super) fn refused(end: ToolEnd, why: &str, instead: Option<&str>) -> String {
    let why = why.trim().trim_end_matches('.');
    let because = if why.is_empty() { String::new() } else { format!(": {why}") };
    match end {
        ToolEnd::Denied => {
            // What is refused without a way on is refused in every form.
            let on = instead.map(str::trim).filter(|instead| !instead.is_empty()).map_or_else(
                || "Do not do the same by other means: go on without it, and say in your answer what was left out.".to_owned(),
                |instead| format!("What you can do: {}.", instead.trim_end_matches('.')),
            );
            format!("Not run, because it was not allowed{because}.\n{on}")
        }
        ToolEnd::Stopped => format!("Not run: the turn was stopped{because}"),
        ToolEnd::Unknown => unknown(),
        ToolEnd::Ok | ToolEnd::Failed => format!("Error{because}"),
    }
}

/// A call of which nobody knows what came of it.
pub(super) fn unknown() -> String {
    "Nobody knows what came of this call: the program ended while it ran. It may have done its work, in part or whole. \
     Check what is there before you do it again."
        .to_owned()
}

/// An answer in the program's words, where the model gives none.
pub(super) fn summary(state: &State, end: &End) -> String {
    let why = match end {
        End::Bounded { bound } => format!("It ended before there was an answer: {}.", bound_in_words(bound)),
        End::Stopped => "It was stopped before there was an answer.".to_owned(),
        End::Answered | End::Handed => "It ended without an answer in words.".to_owned(),
        End::Failed { problem } => format!("It failed before there was an answer: {}", problem.message),
    };
    let mut text = format!(
        "{why}\n\nSo far: {} of the model, {} of tools.",
        count(state.iterations, "answer"),
        count(state.tool_calls_made, "call")
    );
    let mut calls: Vec<_> = state.tools.values().filter(|call| call.end.is_some()).collect();
    calls.sort_by_key(|call| call.started_at.unwrap_or(u64::MAX));
    const SHOWN: usize = 20;
    if !calls.is_empty() {
        text.push_str("\n\nWhat was done:\n");
    }
    for call in calls.iter().take(SHOWN) {
        let what = if call.intent.is_empty() { &call.asked.tool } else { &call.intent };
        let gave = match call.end {
            Some(ToolEnd::Ok) if call.summary.is_empty() => "done".to_owned(),
            Some(ToolEnd::Ok) => call.summary.clone(),
            Some(ToolEnd::Denied) => "not allowed".to_owned(),
            Some(ToolEnd::Stopped) => "stopped".to_owned(),
            Some(ToolEnd::Unknown) => "outcome unknown".to_owned(),
            Some(ToolEnd::Failed) | None => format!("failed: {}", call.summary),
        };
        text.push_str(&format!("\n- {what} ({gave})"));
    }
    if calls.len() > SHOWN {
        text.push_str(&format!("\n- and {} more", calls.len() - SHOWN));
    }
    text
}

fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The first line of a text, cut.
pub(super) fn line_of(text: &str, most: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let mut cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}
