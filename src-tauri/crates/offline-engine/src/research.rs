//! The fixed roles of research without a model: a request taken apart, the questions of an objective, who looks into what, and
//! a report that says what the claims say.

use serde_json::{Value, json};

use super::material::Material;
use super::schema::Schema;

/// Questions of a plan.
const MAX_QUESTIONS: usize = 12;
/// Claims that a report states.
const MAX_STATEMENTS: usize = 60;
/// Characters of a title or heading.
const MAX_HEADING_CHARS: usize = 160;
/// Agents at work at the same time where nothing is said of it.
const ASSIGNMENTS: usize = 3;

/// The answer where the schema asks for a part of research and the sections hold what it needs.
pub(crate) fn research(schema: Schema<'_>, material: &Material) -> Option<Value> {
    let objective = material.text("OBJECTIVE");
    if schema.has(&["objective", "output_specification"]) {
        return parts(&material.request());
    }
    if objective.is_empty() {
        return None;
    }
    if schema.has(&["questions"]) {
        // Alone it is given the whole request: what is said of the form is no question.
        let questions = evidence_graph::questions_of(&evidence_graph::split_request(objective).0);
        let questions: Vec<Value> = questions
            .into_iter()
            .take(MAX_QUESTIONS)
            .map(|text| json!({ "text": text, "required": true }))
            .collect();
        return Some(json!({ "questions": questions }));
    }
    if schema.has(&["assignments", "exit"]) {
        return Some(assignments(material));
    }
    if schema.has(&["title", "sections"]) {
        return report(objective, material);
    }
    None
}

/// The request in its parts.
fn parts(request: &str) -> Option<Value> {
    if request.is_empty() {
        return None;
    }
    let (objective, form) = evidence_graph::split_request(request);
    Some(json!({ "objective": objective, "output_specification": form.unwrap_or_default() }))
}

/// The most urgent items of the agenda, each for the first agent that can do what it needs.
fn assignments(material: &Material) -> Value {
    let agenda = material.json("AGENDA").unwrap_or_default();
    let agents = material.json("AGENTS").unwrap_or_default();
    let most = material.text("MOST_ASSIGNMENTS").parse().unwrap_or(ASSIGNMENTS);
    let can = |capability: Option<&Value>| {
        let agents = agents.as_array().into_iter().flatten();
        let mut able = agents.filter(|agent| {
            let capabilities = agent.get("capabilities").and_then(Value::as_array);
            capabilities.into_iter().flatten().any(|name| Some(name) == capability)
        });
        able.find_map(|agent| agent.get("agent").cloned())
    };
    let items = agenda.as_array().into_iter().flatten();
    let assigned = items.filter_map(|item| {
        let agent = can(item.get("capability"))?;
        Some(json!({ "agent": agent, "task": item.get("task")? }))
    });
    let assigned: Vec<Value> = assigned.take(most).collect();
    let reasons = match assigned.is_empty() {
        true => "Nothing on the agenda is left that one of the agents can do.",
        false => "Without a model the most urgent items go to the first agents that can do what they need.",
    };
    json!({ "exit": assigned.is_empty(), "assignments": assigned, "reasons": reasons, "alternatives": [] })
}

/// The claims in their own words, under the first section that the report has to have.
fn report(objective: &str, material: &Material) -> Option<Value> {
    let claims = material.json("CLAIMS")?;
    let claims = claims.as_array().filter(|claims| !claims.is_empty())?;
    let text =
        |claim: &Value, name: &str| claim.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let statements: Vec<Value> = claims
        .iter()
        .take(MAX_STATEMENTS)
        .map(|claim| json!({ "text": text(claim, "text"), "claims": [text(claim, "id")] }))
        .collect();
    let required =
        material.text("REQUIRED_SECTIONS").lines().map(|line| line.trim_start_matches("- ").trim());
    let heading = required.into_iter().find(|name| !name.is_empty()).unwrap_or("What is known");
    let heading: String = heading.chars().take(MAX_HEADING_CHARS).collect();
    let title: String =
        objective.lines().next().unwrap_or_default().chars().take(MAX_HEADING_CHARS).collect();
    Some(json!({
        "title": title,
        "sections": [{ "heading": heading, "form": "list", "statements": statements }],
    }))
}
