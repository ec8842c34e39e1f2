//! What each kind of stage needs, its steps and their tools, its context sections, its bounds.

use domain::agent::{Stage, StageKind, Step};
use serde_json::Value;

use super::Config;
use crate::json;
use crate::problem::ConfigProblem;

const MAX_STEPS: usize = 50;

pub(super) fn check(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    for (index, stage) in checked.config.control_flow.stages.iter().enumerate() {
        let pointer = format!("/controlFlow/stages/{index}");
        kind(checked, stage, &pointer, problems);
        if stage.steps.len() > MAX_STEPS {
            problems.push(checked.problem(
                format!("{pointer}/steps"),
                format!("at most {MAX_STEPS} steps"),
                format!("{} steps", stage.steps.len()),
            ));
        }
        for (at, step) in stage.steps.iter().enumerate() {
            check_step(checked, step, &format!("{pointer}/steps/{at}"), problems);
        }
        for (at, tool) in stage.tools.iter().enumerate() {
            check_tool(checked, tool, &format!("{pointer}/tools/{at}"), problems);
        }
        for (at, section) in stage.context.iter().enumerate() {
            let both = (!section.value.trim().is_empty(), section.prompt.is_some());
            if both.0 == both.1 {
                problems.push(checked.problem(
                    format!("{pointer}/context/{at}"),
                    "either the field `value` or the field `prompt`",
                    if both.0 { "both" } else { "neither" },
                ));
            }
            if !is_section_name(&section.section) {
                problems.push(checked.problem(
                    format!("{pointer}/context/{at}/section"),
                    "a section name: upper-case letters, digits and underscores, beginning with a letter, and neither \
                     PARAGRAPH nor WEB_PAGE",
                    format!("`{}`", section.section),
                ));
            }
        }
        if stage.kind == StageKind::Agent {
            child(checked, stage, &pointer, problems);
        }
        bounds(checked, stage, &pointer, problems);
    }
}

/// The rule of the context's own format.
fn is_section_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !["PARAGRAPH", "WEB_PAGE"].contains(&name)
}

fn kind(checked: &Config<'_>, stage: &Stage, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let (word, needed): (&str, &[&str]) = match stage.kind {
        StageKind::Model => ("model", &["prompt"]),
        StageKind::Tools => ("tools", &["steps"]),
        StageKind::Verify => ("verify", &["pass"]),
        StageKind::Render => ("render", &["document"]),
        StageKind::Dialogue => ("dialogue", &["prompt"]),
        StageKind::Agent => ("agent", &["agent"]),
    };
    let has = [
        ("prompt", stage.prompt.is_some()),
        // What is made of earlier outputs alone needs no call.
        ("steps", !stage.steps.is_empty() || stage.kind == StageKind::Tools && stage.output.is_some()),
        ("pass", stage.pass.is_some()),
        ("document", stage.document.is_some()),
        ("context", !stage.context.is_empty()),
        ("modelWhen", stage.model_when.is_some()),
        ("tools", !stage.tools.is_empty()),
        ("forEach", stage.for_each.is_some()),
        ("cites", stage.cites.is_some()),
        ("repair", stage.repair.is_some()),
        ("agent", stage.agent.is_some()),
        ("agents", !stage.agents.is_empty()),
        ("inputs", stage.inputs.is_some()),
        ("result", stage.result.is_some()),
        ("itemKey", stage.item_key.is_some()),
        ("itemOptional", stage.item_optional),
        ("childBudget", stage.child_budget.is_some()),
        ("folders", !stage.folders.is_empty()),
        ("outputSchema", stage.output_schema.is_some()),
    ];
    for (field, present) in has {
        if needed.contains(&field) && !present {
            problems.push(checked.problem(
                pointer,
                format!("the field `{field}`, which a stage of kind `{word}` needs"),
                "no such field",
            ));
        }
        let used = match field {
            "prompt" | "modelWhen" if stage.kind == StageKind::Agent => true,
            "prompt" | "context" | "modelWhen" => {
                // Of a verify stage: its judge's.
                matches!(stage.kind, StageKind::Model | StageKind::Dialogue | StageKind::Verify)
            }
            "agent" | "agents" | "inputs" | "result" | "itemKey" | "itemOptional" | "childBudget" => {
                stage.kind == StageKind::Agent
            }
            // Of the kinds that were there before, it was never refused.
            "outputSchema" => stage.kind != StageKind::Agent,
            "cites" | "repair" => stage.kind == StageKind::Model,
            "tools" => stage.kind == StageKind::Dialogue,
            "folders" => {
                stage.kind == StageKind::Dialogue || stage.steps.iter().any(|step| !step.tool.contains('/'))
            }
            // One turn is one conversation; of other kinds it was never refused.
            "forEach" => stage.kind != StageKind::Dialogue,
            "steps" => stage.kind != StageKind::Render,
            _ => needed.contains(&field),
        };
        if present && !used {
            problems.push(checked.problem(
                format!("{pointer}/{field}"),
                format!("no such field in a stage of kind `{word}`"),
                format!("`{field}`"),
            ));
        }
    }
}

/// How an agent stage names the agents that it runs, and the limits of a run.
fn child(checked: &Config<'_>, stage: &Stage, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let is_template = stage.agent.as_ref().is_some_and(|agent| agent.contains("{{"));
    let (field, expected, found) = match (is_template, stage.agents.is_empty()) {
        (true, true) => ("agents", "the slugs that the template in `agent` may give", "no such field"),
        (false, false) => ("agents", "no such field beside a plain slug in `agent`", "`agents`"),
        _ => ("", "", ""),
    };
    if !field.is_empty() {
        problems.push(checked.problem(format!("{pointer}/{field}"), expected, found));
    }
    if stage.item_key.is_some() && stage.for_each.is_none() {
        problems.push(checked.problem(
            format!("{pointer}/itemKey"),
            "`forEach` beside it: without it there is one run",
            "`itemKey` alone",
        ));
    }
    let budget = stage.child_budget.unwrap_or_default();
    let numbers = [
        ("usd", budget.usd),
        ("tokens", budget.tokens.map(|tokens| tokens as f64)),
        ("minutes", budget.minutes),
    ];
    for (field, value) in numbers {
        if let Some(value) = value.filter(|value| !value.is_finite() || *value <= 0.0) {
            let at = format!("{pointer}/childBudget/{field}");
            problems.push(checked.problem(at, "a number above 0", value.to_string()));
        }
    }
}

/// What a dialogue stage's model may call: `name`, `source/tool` or `source/*`.
fn check_tool(checked: &Config<'_>, tool: &str, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let (source, name) = tool.split_once('/').map_or((None, tool), |(source, name)| (Some(source), name));
    let listed: Vec<&str> = checked.config.sources.iter().map(|source| source.slug.as_str()).collect();
    let is_name = !name.is_empty() && !name.contains(|c: char| c == '/' || c == '*' || c.is_whitespace());
    if !(is_name || source.is_some() && name == "*") || source == Some("") {
        problems.push(checked.problem(
            pointer,
            "the name of a built-in tool, `source/tool` or `source/*`",
            format!("`{tool}`"),
        ));
    } else if let Some(source) = source.filter(|source| !listed.contains(source)) {
        problems.push(
            checked
                .problem(
                    pointer,
                    format!("a tool of a source that the agent lists ({})", listed.join(", ")),
                    format!("`{tool}`"),
                )
                .with_remedy(format!("add `{source}` to the agent's sources"))
                .meaning(source, listed.iter().copied()),
        );
    }
}

/// Built-in tools that a step may call, and whether calling one twice with the same arguments does no harm.
const STEP_TOOLS: [(&str, bool); 11] = [
    ("read", true),
    ("list", true),
    ("search", true),
    ("write", false),
    ("edit", false),
    ("patch", false),
    ("shell", false),
    ("fetch", true),
    ("task_open", true),
    ("task_checks", true),
    ("task_diff", true),
];

fn built_in_step(checked: &Config<'_>, step: &Step, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let names = || STEP_TOOLS.iter().map(|(name, _)| *name);
    let Some((name, repeatable)) = STEP_TOOLS.iter().find(|(name, _)| *name == step.tool) else {
        let expected =
            format!("`source/tool` or a built-in tool ({})", names().collect::<Vec<_>>().join(", "));
        let found = format!("`{}`", step.tool);
        problems
            .push(checked.problem(format!("{pointer}/tool"), expected, found).meaning(&step.tool, names()));
        return;
    };
    if step.idempotent && !repeatable {
        problems.push(
            checked
                .problem(format!("{pointer}/idempotent"), "`false`", "`true`, which is the default")
                .with_remedy(format!("add `\"idempotent\": false`: `{name}` changes something each time")),
        );
    }
}

fn check_step(checked: &Config<'_>, step: &Step, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let listed: Vec<&str> = checked.config.sources.iter().map(|source| source.slug.as_str()).collect();
    let at = format!("{pointer}/tool");
    match step.tool.split_once('/') {
        Some((source, tool)) if !source.is_empty() && !tool.is_empty() && !tool.contains(['/', ' ']) => {
            if !listed.contains(&source) {
                problems.push(
                    checked
                        .problem(
                            at,
                            format!("a tool of a source that the agent lists ({})", listed.join(", ")),
                            format!("`{}`", step.tool),
                        )
                        .with_remedy(format!("add `{source}` to the agent's sources"))
                        .meaning(source, listed.iter().copied()),
                );
            }
        }
        None => built_in_step(checked, step, pointer, problems),
        Some(_) => {
            let expected = "`source/tool` or the name of a built-in tool";
            problems.push(checked.problem(at, expected, format!("`{}`", step.tool)));
        }
    }
    match &step.limit {
        None | Some(Value::String(_)) => {}
        Some(Value::Number(number)) if number.as_u64().is_some_and(|number| number > 0) => {}
        Some(other) => problems.push(checked.problem(
            format!("{pointer}/limit"),
            "a whole number from 1 or a template",
            json::describe(other),
        )),
    }
    if let Some(name) = step.collect.as_ref().filter(|name| !super::flow::is_identifier(name)) {
        problems.push(checked.problem(
            format!("{pointer}/collect"),
            "a name that expressions can read: letters, digits and underscores, beginning with a letter",
            format!("`{name}`"),
        ));
    }
    if step.collect.is_none() {
        let unused = [
            ("dedupeBy", step.dedupe_by.is_some()),
            ("sortBy", step.sort_by.is_some()),
            ("limit", step.limit.is_some()),
        ];
        for (field, _) in unused.into_iter().filter(|(_, present)| *present) {
            problems.push(checked.problem(
                format!("{pointer}/{field}"),
                "`collect` beside it: nothing is collected without",
                format!("`{field}` alone"),
            ));
        }
    }
}

fn bounds(checked: &Config<'_>, stage: &Stage, pointer: &str, problems: &mut Vec<ConfigProblem>) {
    let limits = &stage.limits;
    let numbers = [
        ("limits/parallel", Some(u64::from(limits.parallel)), 1, 64),
        ("limits/deadlineSeconds", Some(limits.deadline_seconds), 1, 86_400),
        ("limits/maxCalls", Some(u64::from(limits.max_calls)), 1, 10_000),
        ("limits/attempts", Some(u64::from(limits.attempts)), 1, 20),
        ("desiredTokens", stage.desired_tokens, 1, 10_000_000),
        ("maxOutputTokens", stage.max_output_tokens, 1, 10_000_000),
    ];
    for (field, value, least, most) in numbers {
        if let Some(value) = value.filter(|value| !(least..=most).contains(value)) {
            problems.push(checked.problem(
                format!("{pointer}/{field}"),
                format!("a whole number from {least} to {most}"),
                value.to_string(),
            ));
        }
    }
    if let Some(meter) = stage.display.as_ref().and_then(|display| display.meter.as_ref())
        && !(0.0..=1.0).contains(&meter.threshold)
    {
        problems.push(checked.problem(
            format!("{pointer}/display/meter/threshold"),
            "a number from 0 to 1",
            meter.threshold.to_string(),
        ));
    }
}
