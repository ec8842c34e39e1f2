//! What stands beside the stages: names, sources, depth modes, budgets, thresholds, the document.

use std::collections::BTreeSet;
use std::path::Path;

use domain::agent::AgentConfig;

use super::{Config, flow};
use crate::json::child;
use crate::problem::ConfigProblem;

/// The most examples, and the most bytes of one.
const MAX_EXAMPLES: usize = 12;
const MAX_EXAMPLE_BYTES: usize = 400;

pub(super) fn check(
    checked: &Config<'_>,
    slug: &str,
    sources: &BTreeSet<String>,
    problems: &mut Vec<ConfigProblem>,
) {
    let config = checked.config;
    if !is_slug(config.slug.as_str()) {
        problems.push(checked.problem(
            "/slug",
            "lower-case letters, digits and hyphens",
            format!("`{}`", config.slug),
        ));
    } else if config.slug.as_str() != slug {
        problems.push(checked.problem(
            "/slug",
            format!("the folder's name, `{slug}`"),
            format!("`{}`", config.slug),
        ));
    }
    for (pointer, text) in [("/name", &config.name), ("/description", &config.description)] {
        if text.trim().is_empty() {
            problems.push(checked.problem(pointer, "a text", "an empty text"));
        }
    }
    if config.examples.len() > MAX_EXAMPLES {
        let found = format!("{} of them", config.examples.len());
        problems.push(checked.problem("/examples", format!("at most {MAX_EXAMPLES} questions"), found));
    }
    for (index, example) in config.examples.iter().enumerate() {
        if example.trim().is_empty() || example.len() > MAX_EXAMPLE_BYTES {
            let found = format!("{} bytes", example.len());
            let expected = format!("a question of at most {MAX_EXAMPLE_BYTES} bytes");
            problems.push(checked.problem(format!("/examples/{index}"), expected, found));
        }
    }
    let mut used = BTreeSet::new();
    for (index, source) in config.sources.iter().enumerate() {
        let pointer = format!("/sources/{index}/slug");
        if !used.insert(&source.slug) {
            problems.push(checked.problem(
                &pointer,
                "each source once",
                format!("`{}` a second time", source.slug),
            ));
        }
        if !sources.contains(&source.slug) {
            problems.push(
                checked
                    .problem(
                        pointer,
                        format!("a source there is ({})", names(sources.iter().map(String::as_str))),
                        format!("`{}`", source.slug),
                    )
                    .meaning(&source.slug, sources.iter().map(String::as_str)),
            );
        }
    }
    depths(checked, problems);
    numbers(checked, problems);
    document(checked, problems);
}

/// Whether a text can be a folder's name everywhere.
pub(crate) fn is_slug(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn depths(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let AgentConfig { depth_modes, default_depth, orchestrator, .. } = checked.config;
    let modes = || depth_modes.keys().map(String::as_str);
    let mut wanted = vec![("/defaultDepth".to_owned(), default_depth)];
    for mode in orchestrator.depth_mode_effort.keys() {
        wanted.push((child("/orchestrator/depthModeEffort", mode), mode));
    }
    for (pointer, mode) in wanted {
        if !depth_modes.is_empty() && !depth_modes.contains_key(mode) {
            problems.push(
                checked
                    .problem(pointer, format!("a depth mode ({})", names(modes())), format!("`{mode}`"))
                    .meaning(mode, modes()),
            );
        }
    }
    for (mode, settings) in depth_modes {
        for name in settings.keys().filter(|name| !flow::is_identifier(name)) {
            problems.push(checked.problem(
                child(&child("/depthModes", mode), name),
                "a name that expressions can read: letters, digits and underscores, beginning with a letter",
                format!("`{name}`"),
            ));
        }
    }
}

fn numbers(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let orchestrator = &checked.config.orchestrator;
    let tokens = [
        ("contextWindow", orchestrator.context_window),
        ("minOutputBudget", orchestrator.min_output_budget),
        ("maxOutputTokens", orchestrator.max_output_tokens),
    ];
    for (field, value) in tokens {
        if !(1..=100_000_000).contains(&value) {
            problems.push(checked.problem(
                format!("/orchestrator/{field}"),
                "a whole number from 1 to 100000000",
                value.to_string(),
            ));
        }
    }
    if orchestrator.min_output_budget >= orchestrator.context_window {
        problems.push(checked.problem(
            "/orchestrator/minOutputBudget",
            format!("less than the context window, {}", orchestrator.context_window),
            orchestrator.min_output_budget.to_string(),
        ));
    }
    let budgets = [
        ("budgetUsd", orchestrator.budget_usd),
        ("budgetTokens", orchestrator.budget_tokens.map(|tokens| tokens as f64)),
        ("budgetMinutes", orchestrator.budget_minutes),
    ];
    for (field, value) in budgets {
        if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
            problems.push(checked.problem(
                format!("/orchestrator/{field}"),
                "more than 0",
                value.to_string(),
            ));
        }
    }
    let stages = &checked.config.control_flow.stages;
    for (id, tokens) in &orchestrator.per_stage_desired_tokens {
        let pointer = child("/orchestrator/perStageDesiredTokens", id);
        if *tokens == 0 {
            problems.push(checked.problem(&pointer, "a whole number from 1", "0"));
        }
        if !stages.iter().any(|stage| stage.id.as_str() == id) {
            let ids = || stages.iter().map(|stage| stage.id.as_str());
            problems.push(
                checked
                    .problem(pointer, format!("the id of a stage ({})", names(ids())), format!("`{id}`"))
                    .meaning(id, ids()),
            );
        }
    }
    for (axis, threshold) in &checked.config.verification.thresholds {
        let pointer = child("/verification/thresholds", axis);
        if !(0.0..=1.0).contains(threshold) {
            problems.push(checked.problem(&pointer, "a number from 0 to 1", threshold.to_string()));
        }
        if !flow::is_identifier(axis) {
            problems.push(checked.problem(
                pointer,
                "a name that expressions can read: letters, digits and underscores, beginning with a letter",
                format!("`{axis}`"),
            ));
        }
    }
}

fn document(checked: &Config<'_>, problems: &mut Vec<ConfigProblem>) {
    let output = &checked.config.output;
    let name = &output.files.answer_file;
    let plain = Path::new(name).file_name().is_some_and(|last| last == name.as_str())
        && !name.contains(['\\', ':', '\0']);
    let stem = name.strip_suffix(".md").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.'));
    if !plain || !stem || name.len() > 128 {
        problems.push(checked.problem(
            "/output/files/answerFile",
            "a file name that ends in `.md`, without a folder",
            format!("`{}`", name.chars().take(128).collect::<String>()),
        ));
    }
    if !output.web_reference.ref_format.contains("{num}") {
        problems.push(checked.problem(
            "/output/webReference/refFormat",
            "a label that contains `{num}`",
            format!("`{}`", output.web_reference.ref_format),
        ));
    }
    if let Some(form) = output.section_reference.as_deref().filter(|form| !form.contains("{section}")) {
        problems.push(checked.problem(
            "/output/sectionReference",
            "words that contain `{section}`",
            format!("`{form}`"),
        ));
    }
}
