//! The conversation that stages share: which stages continue, in which order, and what all of them are told.

use std::collections::{BTreeMap, BTreeSet};

use context::templates::Templates;
use domain::agent::{Conversation, StageKind};
use pipeline::Graph;

use super::{Config, files};
use crate::folder::Folder;
use crate::problem::ConfigProblem;

/// The largest `contextBudget`.
const MAX_CONTEXT_BUDGET: u64 = 10_000_000;
/// What the shared system prompt may read: what no stage and no word of the person changes while a run goes on.
const CONSTANT: [&str; 8] =
    ["corpus", "followup", "followup_number", "inputs", "material", "offline", "request", "web_search"];

/// Checks what is said of conversations; `ordered` tells whether the order of stages is known.
pub(super) fn check(
    checked: &Config<'_>,
    ordered: bool,
    prompts_folder: &Folder,
    prompts: &BTreeMap<String, String>,
    problems: &mut Vec<ConfigProblem>,
) {
    fields(checked, problems);
    if ordered {
        chain(checked, problems);
    }
    system(checked, prompts_folder, prompts, problems);
}

/// That only dialogue stages continue, and that nothing else is said where it would mean nothing.
fn fields(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let config = checked.config;
    let of_agent = config.orchestrator.conversation;
    for (index, stage) in config.control_flow.stages.iter().enumerate() {
        let at = |field: &str| format!("/controlFlow/stages/{index}/{field}");
        let asked = stage.conversation.unwrap_or(of_agent) == Conversation::Continue;
        match (stage.kind, stage.conversation) {
            (StageKind::Model, None | Some(Conversation::Continue)) if asked => {
                let found = format!("the model stage `{}`, which would continue", stage.id);
                problems.push(
                    checked
                        .problem(
                            at("conversation"),
                            "`fresh`: only stages of kind `dialogue` continue a conversation",
                            found,
                        )
                        .with_remedy(
                            "set `conversation` of the stage to `fresh`, or make it a stage of kind `dialogue`",
                        ),
                );
            }
            (StageKind::Tools | StageKind::Verify | StageKind::Render | StageKind::Agent, Some(_)) => {
                problems.push(checked.problem(
                    at("conversation"),
                    "no such field: only stages of kind `dialogue` continue a conversation",
                    "`conversation`",
                ));
            }
            (StageKind::Dialogue | StageKind::Model, _) | (_, None) => {}
        }
        let continues = config.continues(stage);
        if let Some(model) = stage.model.as_ref().filter(|_| continues) {
            problems.push(
                checked
                    .problem(
                        at("model"),
                        "no model of its own: the stages of a conversation ask one model",
                        format!("`{model}`"),
                    )
                    .with_remedy("remove the field, or set `conversation` of the stage to `fresh`"),
            );
        }
        let Some(budget) = stage.context_budget else { continue };
        if !continues {
            problems.push(checked.problem(
                at("contextBudget"),
                "no such field: the stage does not continue a conversation",
                "`contextBudget`",
            ));
        } else if !(1..=MAX_CONTEXT_BUDGET).contains(&budget) {
            problems.push(checked.problem(
                at("contextBudget"),
                format!("a whole number from 1 to {MAX_CONTEXT_BUDGET}"),
                budget.to_string(),
            ));
        }
    }
}

/// That the stages of the conversation come one after the other.
fn chain(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let Ok(graph) = Graph::new(checked.config) else { return };
    let stages = checked.config.control_flow.stages.iter().enumerate();
    let continuing: Vec<_> = stages.filter(|(_, stage)| checked.config.continues(stage)).collect();
    for pair in continuing.windows(2) {
        let [(_, before), (index, stage)] = pair else { continue };
        if graph.dependents(&before.id).contains(&stage.id) {
            continue;
        }
        problems.push(
            checked
                .problem(
                    format!("/controlFlow/stages/{index}/conversation"),
                    format!("a stage that waits for `{}`, the stage before it that continues", before.id),
                    format!("`{}`, which does not depend on it, directly or not", stage.id),
                )
                .with_remedy(format!(
                    "add `{}` to its `dependsOn`, or set its `conversation` to `fresh`",
                    before.id
                )),
        );
    }
}

/// That there is a system prompt where stages share a conversation, and that it says the same to all of them.
fn system(
    checked: &Config<'_>,
    prompts_folder: &Folder,
    prompts: &BTreeMap<String, String>,
    problems: &mut Vec<ConfigProblem>,
) {
    let config = checked.config;
    let first = config.continuing().next();
    let Some(name) = &config.orchestrator.system else {
        if let Some(stage) = first {
            problems.push(
                checked
                    .problem(
                        "/orchestrator",
                        format!("the field `system`: the stage `{}` continues a conversation", stage.id),
                        "no such field",
                    )
                    .with_remedy("name a prompt file with what all stages of the conversation are told"),
            );
        }
        return;
    };
    if first.is_none() {
        problems.push(checked.problem(
            files::SYSTEM,
            "no such field: no stage continues a conversation",
            format!("`{name}`"),
        ));
        return;
    }
    let Some(text) = prompts.get(name) else { return };
    let (file, templates) = (prompts_folder.label(name), Templates::new());
    if let Err(error) = templates.check_template(text) {
        let found = format!("{} in `{}`", error.reason, error.excerpt);
        problems.push(ConfigProblem::new(file, "", "a template", found).on_line(error.line));
        return;
    }
    let roots: BTreeSet<String> =
        templates.template_paths(text).into_iter().filter_map(|path| path.into_iter().next()).collect();
    for root in roots.iter().filter(|root| !CONSTANT.contains(&root.as_str())) {
        problems.push(
            ConfigProblem::new(
                &file,
                "",
                format!("variables that stay the same while a run goes on ({})", CONSTANT.join(", ")),
                format!("`{root}`"),
            )
            .with_remedy("say it in the prompts of the stages that need it"),
        );
    }
}
