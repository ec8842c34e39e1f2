//! The fixed roles of research without a model: a request taken apart, the questions of an objective, who looks into what, and
//! a report that says what the claims say.

use serde_json::{Value, json};

use super::material::Material;
use super::schema::Schema;

/// Questions of a plan.
const MAX_QUESTIONS: usize = 12;
/// Claims that a report states.
const MAX_STATEMENTS: usize = 60;
/// Sections of a report.
const MAX_SECTIONS: usize = 30;
/// Characters of a title or heading.
const MAX_HEADING_CHARS: usize = 160;
/// Characters of a cell of a table.
const MAX_CELL_CHARS: usize = 2_000;
/// What is not said to answer anything.
const OTHERS: &str = "What is known";
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

/// The claims in their own words: those that belong to a section under it, the others under the questions that they answer. A
/// question that no claim answers is named, with no statement.
fn report(objective: &str, material: &Material) -> Option<Value> {
    let claims = material.json("CLAIMS")?;
    let claims = claims.as_array().filter(|claims| !claims.is_empty())?;
    // A question whose claims stand elsewhere is not one that nothing was found for.
    let answered: Vec<String> = claims
        .iter()
        .filter_map(|claim| claim.get("answers")?.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .map(evidence_graph::text_key)
        .collect();
    let claims: Vec<ReportedClaim<'_>> =
        claims.iter().take(MAX_STATEMENTS).map(ReportedClaim::read).collect();
    let required = material.text("REQUIRED_SECTIONS").lines();
    let required = required.map(|line| line.trim_start_matches("- ").trim()).filter(|name| !name.is_empty());
    let questions = evidence_graph::questions_of(&evidence_graph::split_request(objective).0);
    let mut sections: Vec<ReportSection<'_>> = required.map(|name| ReportSection::new(name, true)).collect();
    sections.extend(questions.iter().map(|question| ReportSection::new(question, false)));
    for claim in &claims {
        let at = section_of(claim, &sections).unwrap_or_else(|| {
            let heading = claim.question.unwrap_or(OTHERS);
            sections.push(ReportSection::new(heading, false));
            sections.len() - 1
        });
        sections[at].claims.push(claim);
    }
    let is_table = evidence_graph::wants_table(material.text("FORM"));
    let cut = |text: &str| text.chars().take(MAX_HEADING_CHARS).collect::<String>();
    // The program names required sections that nothing was found for.
    let told = sections.into_iter().filter(|section| {
        !section.claims.is_empty()
            || !section.is_required && !answered.contains(&evidence_graph::text_key(section.heading))
    });
    let told = told.take(MAX_SECTIONS).map(|mut section| {
        evidence_graph::put_answer_first(section.heading, &mut section.claims, |claim| claim.text);
        let mut told = json!({ "heading": cut(section.heading), "form": "list" });
        if is_table && !section.claims.is_empty() {
            let row = |claim: &&ReportedClaim<'_>| {
                let cells =
                    [cut_to(claim.text, MAX_CELL_CHARS), cut_to(&claim.sources.join(", "), MAX_CELL_CHARS)];
                json!({ "cells": cells, "claims": [claim.id] })
            };
            let rows: Vec<Value> = section.claims.iter().map(row).collect();
            told["table"] = json!({ "columns": ["Statement", "Sources"], "rows": rows });
        } else {
            let stated =
                section.claims.iter().map(|claim| json!({ "text": claim.text, "claims": [claim.id] }));
            told["statements"] = stated.collect();
        }
        told
    });
    let title = cut(objective.lines().next().unwrap_or_default());
    Some(json!({ "title": title, "sections": told.collect::<Vec<_>>() }))
}

fn cut_to(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// A claim as the report is given it.
struct ReportedClaim<'v> {
    id: &'v str,
    text: &'v str,
    /// The first question that it answers, in words.
    question: Option<&'v str>,
    /// Whether nothing is said of what it answers.
    is_open: bool,
    /// Titles of its sources, each once.
    sources: Vec<&'v str>,
}

impl<'v> ReportedClaim<'v> {
    fn read(claim: &'v Value) -> Self {
        let text = |value: &'v Value, name: &str| value.get(name).and_then(Value::as_str);
        let list = |name: &str| claim.get(name).and_then(Value::as_array).into_iter().flatten();
        let mut sources: Vec<&str> = Vec::new();
        for title in list("citations").filter_map(|citation| text(citation, "source")) {
            if !sources.contains(&title) {
                sources.push(title);
            }
        }
        Self {
            id: text(claim, "id").unwrap_or_default(),
            text: text(claim, "text").unwrap_or_default(),
            // Whoever gives claims by hand may give ids of questions, which are no words.
            question: list("answers").filter_map(Value::as_str).find(|words| words.contains(' ')),
            is_open: claim.get("answers").is_none(),
            sources,
        }
    }
}

/// A section of the report, with the claims that belong to it.
struct ReportSection<'c> {
    heading: &'c str,
    is_required: bool,
    claims: Vec<&'c ReportedClaim<'c>>,
}

impl<'c> ReportSection<'c> {
    fn new(heading: &'c str, is_required: bool) -> Self {
        Self { heading, is_required, claims: Vec::new() }
    }
}

/// The section that a claim belongs to: a required one that shares words with it or with the question that it answers, else the
/// one of that question; of a claim that does not say what it answers, the question that shares most words with it.
fn section_of(claim: &ReportedClaim<'_>, sections: &[ReportSection<'_>]) -> Option<usize> {
    let about = format!("{} {}", claim.question.unwrap_or_default(), claim.text);
    // Of several the first.
    let nearest = |required: bool| {
        let asked = sections.iter().enumerate().filter(|(_, section)| section.is_required == required);
        let shared = asked.map(|(at, section)| (evidence_graph::shared_words(section.heading, &about), at));
        let shared = shared.filter(|(words, _)| *words > 0);
        shared.max_by_key(|(words, at)| (*words, std::cmp::Reverse(*at))).map(|(_, at)| at)
    };
    let of = |heading: &str| {
        let key = evidence_graph::text_key(heading);
        let is_it = |section: &ReportSection<'_>| {
            !section.is_required && evidence_graph::text_key(section.heading) == key
        };
        sections.iter().position(is_it)
    };
    nearest(true).or_else(|| match claim.question {
        Some(question) => of(question),
        None => claim.is_open.then(|| nearest(false)).flatten().or_else(|| of(OTHERS)),
    })
}
