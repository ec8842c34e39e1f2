//! Agents whose stages start runs of other agents: that those are there, sound, in no circle, and fit what is said of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::agent::{AgentConfig, Stage, StageKind};
use serde_json::Value;

use super::Agent;
use crate::folder::Folder;
use crate::json;
use crate::problem::ConfigProblem;

/// The most runs that stand below each other, the first included.
pub(crate) const MAX_DEPTH: usize = 4;

/// How an agent is found by its slug: it, or nothing where it is broken. Agents that are not there are not asked for.
type Find<'a> = &'a dyn Fn(&str) -> Option<Arc<Agent>>;

/// Checks what an agent says of the agents that it runs, and gives the problems with their lines.
pub(crate) fn check(
    agent: &Agent,
    folder: &Folder,
    known: &BTreeSet<String>,
    find: Find<'_>,
) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    let file = folder.label("config.json");
    for (index, stage) in agent_stages(&agent.config) {
        let pointer = format!("/controlFlow/stages/{index}");
        let field = if stage.agents.is_empty() { "agent" } else { "agents" };
        for (at, slug) in stage.child_agents().enumerate() {
            let place = if stage.agents.is_empty() {
                pointer.clone() + "/agent"
            } else {
                format!("{pointer}/agents/{at}")
            };
            let problem =
                |expected: String, found: String| ConfigProblem::new(&file, &place, expected, found);
            if !known.contains(slug) {
                let missing = problem("an agent that is there".to_owned(), format!("`{slug}`"));
                problems.push(missing.meaning(slug, known.iter().map(String::as_str)));
                continue;
            }
            let Some(child) = find(slug) else {
                let remedy = format!("run `agentnative agent check {slug}`");
                problems.push(
                    problem("an agent without problems".to_owned(), format!("`{slug}`, which has some"))
                        .with_remedy(remedy),
                );
                continue;
            };
            if child.config.control_flow.stages.is_empty() {
                problems
                    .push(problem("an agent with stages".to_owned(), format!("`{slug}`, which has none")));
                continue;
            }
            if let Some(path) = circle(&agent.config.slug.0, slug, find) {
                problems.push(problem("agents that do not run each other in a circle".to_owned(), path));
                continue;
            }
            let below = depth(&child, find);
            if below >= MAX_DEPTH {
                let found = format!("`{field}` with {} below each other", below + 1);
                problems.push(problem(format!("at most {MAX_DEPTH} runs below each other"), found));
            }
            fits(&file, &pointer, stage, &child, &mut problems);
        }
    }
    if let Ok(text) = folder.text("config.json") {
        for problem in &mut problems {
            problem.line = json::line_of(&text, &problem.pointer);
        }
    }
    problems
}

fn agent_stages(config: &AgentConfig) -> impl Iterator<Item = (usize, &Stage)> {
    config.control_flow.stages.iter().enumerate().filter(|(_, stage)| stage.kind == StageKind::Agent)
}

/// That the stage whose output is wanted is one of the child's, and that it gets no inputs that it does not know.
fn fits(file: &str, pointer: &str, stage: &Stage, child: &Agent, problems: &mut Vec<ConfigProblem>) {
    let slug = &child.config.slug.0;
    if let Some(result) = &stage.result {
        let names: Vec<&str> =
            child.config.control_flow.stages.iter().map(|stage| stage.name.as_str()).collect();
        if !names.contains(&result.as_str()) {
            let expected = format!("the name of a stage of {slug} ({})", names.join(", "));
            let problem =
                ConfigProblem::new(file, format!("{pointer}/result"), expected, format!("`{result}`"));
            problems.push(problem.meaning(result, names));
        }
    }
    let given: BTreeSet<&str> =
        stage.inputs.iter().flat_map(|inputs| inputs.keys()).map(String::as_str).collect();
    let Some(schema) = &child.input_schema else {
        if !given.is_empty() {
            let problem = ConfigProblem::new(
                file,
                format!("{pointer}/inputs"),
                format!("no inputs: agent {slug} has no `inputSchema`"),
                format!("{} inputs", given.len()),
            );
            problems.push(problem.with_remedy(format!("declare them in the inputSchema of {slug}")));
        }
        return;
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let closed = matches!(schema.get("additionalProperties"), None | Some(Value::Bool(false)));
    for name in given.iter().filter(|name| closed && !properties.contains_key(**name)) {
        let problem = ConfigProblem::new(
            file,
            format!("{pointer}/inputs/{name}"),
            format!("an input that agent {slug} declares"),
            format!("`{name}`"),
        );
        problems.push(problem.meaning(name, properties.keys().map(String::as_str)));
    }
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !given.contains(name)) {
        let expected = format!("the input `{name}`, which agent {slug} needs");
        problems.push(ConfigProblem::new(file, format!("{pointer}/inputs"), expected, "no such input"));
    }
}

/// The way from an agent back to itself over one that it runs.
fn circle(from: &str, child: &str, find: Find<'_>) -> Option<String> {
    fn search(goal: &str, at: &str, path: &mut Vec<String>, find: Find<'_>) -> bool {
        path.push(at.to_owned());
        if at == goal {
            return true;
        }
        if path.len() <= MAX_DEPTH
            && let Some(agent) = find(at)
        {
            for (_, stage) in agent_stages(&agent.config) {
                for next in stage.child_agents() {
                    if search(goal, next, path, find) {
                        return true;
                    }
                }
            }
        }
        path.pop();
        false
    }
    let mut path = vec![from.to_owned()];
    search(from, child, &mut path, find).then(|| path.join(" -> "))
}

/// How many runs can stand below each other, an agent's own included; at most one more than is allowed.
fn depth(agent: &Agent, find: Find<'_>) -> usize {
    fn below(agent: &Agent, left: usize, find: Find<'_>) -> usize {
        if left == 0 {
            return 1;
        }
        let stages = agent_stages(&agent.config);
        let children = stages.flat_map(|(_, stage)| stage.child_agents()).filter_map(find);
        1 + children.map(|child| below(&child, left - 1, find)).max().unwrap_or(0)
    }
    below(agent, MAX_DEPTH, find)
}
