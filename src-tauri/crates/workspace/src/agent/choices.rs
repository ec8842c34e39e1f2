//! The choices of pauses.

use std::collections::BTreeSet;

use domain::agent::ChoiceAction;
use regex::RegexBuilder;

use super::Config;
use crate::problem::ConfigProblem;

/// The largest compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 256 * 1024;
const MAX_CHOICES: usize = 20;
const MAX_PATTERNS: usize = 50;

pub(super) fn check(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    for (index, stage) in checked.config.control_flow.stages.iter().enumerate() {
        let mut ids = BTreeSet::new();
        let choices = stage.pause.as_ref().map_or(&[][..], |pause| &pause.choices);
        if choices.len() > MAX_CHOICES {
            problems.push(checked.problem(
                format!("/controlFlow/stages/{index}/pause/choices"),
                format!("at most {MAX_CHOICES} choices"),
                format!("{} choices", choices.len()),
            ));
            continue;
        }
        for (at, choice) in choices.iter().enumerate() {
            let pointer = format!("/controlFlow/stages/{index}/pause/choices/{at}");
            if choice.id.trim().is_empty() {
                problems.push(checked.problem(format!("{pointer}/id"), "an id", "an empty text"));
            }
            if !ids.insert(&choice.id) {
                problems.push(checked.problem(
                    format!("{pointer}/id"),
                    "an id of its own within the pause",
                    format!("`{}` a second time", choice.id),
                ));
            }
            match (choice.action, &choice.skips) {
                (ChoiceAction::Skip, None) => problems.push(checked.problem(
                    &pointer,
                    "the field `skips`, which the action `skip` needs",
                    "no such field",
                )),
                (ChoiceAction::Skip, Some(id)) if *id == stage.id => problems.push(checked.problem(
                    format!("{pointer}/skips"),
                    "a later stage",
                    format!("`{id}`, the stage of the pause"),
                )),
                (ChoiceAction::Skip, Some(_)) | (_, None) => {}
                (ChoiceAction::Proceed | ChoiceAction::Amend | ChoiceAction::Cancel, Some(_)) => {
                    problems.push(checked.problem(
                        format!("{pointer}/skips"),
                        "no such field beside another action than `skip`",
                        "`skips`",
                    ));
                }
            }
            for (field, patterns) in [("matches", &choice.matches), ("never", &choice.never)] {
                if patterns.len() > MAX_PATTERNS {
                    problems.push(checked.problem(
                        format!("{pointer}/{field}"),
                        format!("at most {MAX_PATTERNS} patterns"),
                        format!("{} patterns", patterns.len()),
                    ));
                    continue;
                }
                for (number, pattern) in patterns.iter().enumerate() {
                    let compiled = RegexBuilder::new(pattern)
                        .case_insensitive(true)
                        .size_limit(MAX_PATTERN_BYTES)
                        .build();
                    if let Err(error) = compiled {
                        problems.push(checked.problem(
                            format!("{pointer}/{field}/{number}"),
                            "a regular expression",
                            format!(
                                "`{}`: {}",
                                pattern.chars().take(80).collect::<String>(),
                                last_line(&error)
                            ),
                        ));
                    }
                }
            }
        }
    }
}

/// The regex crate draws the pattern over several lines; the last one says what is wrong.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
