//! A mission as surfaces show it: how far it is, what it used, who worked on what, and its decisions in plain words.

use std::collections::BTreeMap;

use domain::mission::{AgendaItem, AgendaStatus, Closing, GraphFacts, ItemId, MILLION, PlanEdit, Settlement};
use engine_types::{InvocationView, JournalLine, LimitUse, MissionFile, MissionOutline, OutlinedAgent};
use evidence_graph::{Graph, Item, many, open_questions, remarks};
use missions::{
    Action, Decision, DecisionAuthor, Dimension, DropCause, Event, InvocationKey, InvocationStatus, Limits,
    Record, State, StopCause, Terms,
};
use serde_json::Value;

use super::StoredMission;
use super::files::FileNames;

/// Open questions that are shown.
const MAX_OPEN: usize = 20;
/// Items that a decision by rule did not choose, and claims that closed something, that the journal names.
const MAX_NAMED: usize = 3;

/// What a mission would begin with: what it would pin, on its terms.
pub fn outline(pins: &super::MissionPins, terms: &Terms) -> MissionOutline {
    let agent = |(slug, pinned): (&String, &crate::run::pinned::Pinned)| OutlinedAgent {
        agent: slug.clone(),
        name: pinned.config.name.clone(),
        capabilities: pinned.config.capabilities.clone(),
        base: pinned.corpus.as_ref().map(|corpus| format!("{} {}", corpus.base, corpus.generation)),
    };
    MissionOutline {
        profile: pins.profile.slug.0.clone(),
        profile_name: pins.profile.name.clone(),
        connection: pins.connection.clone(),
        model: pins.model.clone(),
        offline: pins.is_offline(),
        agents: pins.agents.iter().map(agent).collect(),
        left_out: pins.left_out.clone(),
        criteria: terms.criteria.check(&GraphFacts::default()),
        limits: limit_uses(&terms.limits),
    }
}

/// Limits of which nothing is used.
pub fn limit_uses(of: &Limits) -> Vec<LimitUse> {
    used_of(of, &State::default())
}

/// A limit in words.
pub(super) fn dimension_word(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Cost => "money".to_owned(),
        Dimension::Tokens => "tokens".to_owned(),
        Dimension::Time => "minutes".to_owned(),
        Dimension::Invocations => "invocations".to_owned(),
        Dimension::Agent(agent) => agent.0.clone(),
        Dimension::Iterations => "iterations".to_owned(),
    }
}

pub(super) fn limits(state: &State) -> Vec<LimitUse> {
    used_of(&state.limits, state)
}

fn used_of(limits: &Limits, state: &State) -> Vec<LimitUse> {
    let Limits { budget, invocations, per_agent, iterations } = limits;
    let mut uses = vec![
        ("money", state.cost.0, budget.cost.map(|cost| cost.0)),
        ("tokens", state.usage.total(), budget.tokens),
        ("minutes", state.active_ms, budget.active_ms),
        ("invocations", u64::from(state.invocations_made()), invocations.map(u64::from)),
        ("iterations", u64::from(state.iteration), iterations.map(u64::from)),
    ]
    .into_iter()
    .map(|(dimension, used, limit)| LimitUse { dimension: dimension.to_owned(), used, limit })
    .collect::<Vec<_>>();
    uses.extend(per_agent.iter().map(|(agent, cap)| LimitUse {
        dimension: agent.0.clone(),
        used: u64::from(state.invocations_over_bases(agent)),
        limit: Some(u64::from(*cap)),
    }));
    uses
}

pub(super) fn invocations(stored: &StoredMission) -> Vec<InvocationView> {
    let of = |(key, one): (&missions::InvocationKey, &missions::Invocation)| InvocationView {
        key: key.to_string(),
        role: one.role,
        agent: one.agent.0.clone(),
        name: stored.pins.name_of(one.agent.as_str()),
        task: one.task.as_ref().and_then(|task| words_of(&stored.graph, task)),
        status: (&one.status).into(),
        problem: match &one.status {
            InvocationStatus::Failed(problem) => Some(problem.clone()),
            InvocationStatus::Assigned
            | InvocationStatus::Planned
            | InvocationStatus::Requested
            | InvocationStatus::Asking
            | InvocationStatus::Finished(_)
            | InvocationStatus::Settled(_)
            | InvocationStatus::Dropped(_) => None,
        },
        run: one.child.clone(),
        reused: one.reused.clone(),
        ms: one.ms,
        tokens: one.used.usage.total(),
    };
    stored.state.invocations.iter().map(of).collect()
}

pub(super) fn files(state: &State, names: FileNames) -> Vec<MissionFile> {
    let of = |file: &missions::Artifact| MissionFile {
        kind: file.kind.clone(),
        path: names.path(&file.kind, &file.name),
        name: file.name.clone(),
        sha256: file.sha256,
        by: file.by.map(|key| key.to_string()),
    };
    state.artifacts.values().map(of).collect()
}

/// What is open, as far as it is shown.
pub(super) fn open(graph: &Graph) -> Vec<String> {
    open_questions(graph).into_iter().take(MAX_OPEN).map(str::to_owned).collect()
}

/// The words of an item.
pub(super) fn words_of(graph: &Graph, id: &ItemId) -> Option<String> {
    match graph.item(id)? {
        Item::Question(one) => Some(one.text),
        Item::Gap(one) => Some(one.question),
        Item::Lead(one) => Some(one.text),
        Item::Claim(one) => Some(one.text),
        Item::Contradiction(one) => {
            let sides = one.claims.iter().filter_map(|id| graph.claim(id));
            Some(sides.map(|claim| claim.text.as_str()).collect::<Vec<_>>().join(" / "))
        }
        Item::Source(_) | Item::Entity(_) | Item::Relation(_) | Item::Citation(_) => None,
    }
}

/// Edits of a plan, in words.
fn plan_edits(graph: &Graph, edits: &[Value]) -> String {
    let words = |id: &ItemId| words_of(graph, id).unwrap_or_else(|| id.0.clone());
    let edits = edits.iter().filter_map(|edit| serde_json::from_value(edit.clone()).ok());
    let lines = edits.map(|edit| match edit {
        PlanEdit::Add { text, .. } => format!("Asks: {text}"),
        PlanEdit::Reword { question, text } => format!("Asks: {text} (in place of: {})", words(&question)),
        PlanEdit::Drop { question } => format!("No longer asks: {}", words(&question)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Why something was decided, and what was not chosen.
#[derive(Debug, Default)]
pub(super) struct Reason {
    pub(super) why: String,
    pub(super) alternatives: Vec<String>,
}

impl Reason {
    /// Reads what is kept with a decision or with words of the user.
    pub(super) fn parse(bytes: &[u8], graph: &Graph) -> Self {
        match serde_json::from_slice::<Value>(bytes) {
            Ok(Value::Object(map)) => {
                let texts = map.get("alternatives").and_then(Value::as_array).into_iter().flatten();
                let texts = texts.filter_map(Value::as_str).filter(|text| !text.trim().is_empty());
                Self {
                    why: map.get("reasons").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    alternatives: texts.map(str::to_owned).collect(),
                }
            }
            Ok(Value::Array(edits)) => Self { why: plan_edits(graph, &edits), ..Self::default() },
            _ => Self { why: String::from_utf8_lossy(bytes).into_owned(), ..Self::default() },
        }
    }
}

/// The journal: what was decided and why, in order. Reasons are looked up by their events.
pub(super) fn journal(stored: &StoredMission, reasons: &BTreeMap<u64, Reason>) -> Vec<JournalLine> {
    let mut agenda: &[AgendaItem] = &[];
    let lines = stored.records.iter().filter_map(|record| {
        if let Event::Analysed { facts, .. } = &record.event {
            agenda = &facts.agenda;
        }
        line(stored, record, reasons, agenda)
    });
    lines.collect()
}

/// What an event says; `agenda` is what could be done then.
fn line(
    stored: &StoredMission,
    record: &Record,
    reasons: &BTreeMap<u64, Reason>,
    agenda: &[AgendaItem],
) -> Option<JournalLine> {
    let graph = &stored.graph;
    let words = |id: &ItemId| words_of(graph, id).unwrap_or_else(|| id.0.clone());
    let name = |key: &InvocationKey| {
        let of = stored.state.invocations.get(key);
        of.map(|one| stored.pins.name_of(one.agent.as_str())).unwrap_or_default()
    };
    let mut saw = None;
    let text = match &record.event {
        Event::MissionStarted { previous: Some(previous), .. } => {
            format!("The mission began with the findings of {previous}.")
        }
        Event::MissionStarted { base: Some(base), .. } => {
            format!("The mission began; results of {base} are reused where nothing changed.")
        }
        Event::MissionStarted { graph, .. } if graph.snapshot.is_some() => {
            "A graph was imported; its quotes were checked where it was made.".to_owned()
        }
        Event::MissionStarted { .. } => "The mission began.".to_owned(),
        Event::RequestSplit { output_specification, .. } => match output_specification {
            Some(_) => "The request was read: it names an objective and the form of the report.".to_owned(),
            None => "The request was read: it names an objective, and no form of the report.".to_owned(),
        },
        Event::PlanIntegrated { .. } => "The plan's questions are on the agenda.".to_owned(),
        Event::PlanEdited { .. } => "You changed the plan.".to_owned(),
        Event::GraphJoined { mission, counts, .. } => format!(
            "Mission {mission} on the same graph found {} with {}; this graph has them as well.",
            many(counts.claims, "new claim"),
            many(counts.citations, "citation")
        ),
        Event::InvocationReused { key, from, .. } => {
            format!("{}: the result of {from} stands; nothing was paid again.", name(key))
        }
        Event::IterationStarted { number } => format!("Iteration {number} began."),
        Event::DecisionTaken { by, action, saw: looked_at, .. } => {
            saw = Some(*looked_at);
            let who = match by {
                DecisionAuthor::Coordinator { .. } => "The coordinator decided",
                DecisionAuthor::Rule => "By rule",
            };
            match action {
                Action::Exit => format!("{who}: research ends."),
                Action::Invoke { assignments } => {
                    let list: Vec<String> = assignments
                        .iter()
                        .map(|one| {
                            let name = stored.pins.name_of(one.agent.as_str());
                            format!("{name} on \u{201c}{}\u{201d}", words(&one.task))
                        })
                        .collect();
                    format!("{who}: {}.", list.join("; "))
                }
            }
        }
        Event::DecisionRefused { detail, .. } => format!("The coordinator's proposal was refused: {detail}."),
        Event::Integrated { key, counts, refused, .. } => {
            let left_out = if *refused > 0 { format!("; {refused} entries left out") } else { String::new() };
            format!("{} found {}{left_out}.", name(key), found(counts))
        }
        Event::HostsLeftOut { hosts, .. } => {
            format!(
                "Pages of hosts that are neither allowed nor blocked were left out: {}.",
                hosts.join(", ")
            )
        }
        Event::GapClosed { gap, closing: Closing::Person { reason } } => {
            format!("You closed: {} ({reason})", words(gap))
        }
        Event::GapClosed { gap, .. } => format!("Closed: {}", words(gap)),
        Event::ContradictionSettled { contradiction, settlement } => match settlement {
            Settlement::Person { reason, .. } => {
                format!("You settled: {}: {reason}", words(contradiction))
            }
            Settlement::Preferred { .. } | Settlement::Compatible { .. } => {
                format!("Settled: {}", words(contradiction))
            }
        },
        Event::CriteriaChecked { results, idle_rounds, .. } => {
            let met = results.values().filter(|one| one.met).count();
            let idle = match idle_rounds {
                0 => String::new(),
                rounds => format!("; {} without progress", many(*rounds, "iteration")),
            };
            format!("{met} of {} criteria are met{idle}.", results.len())
        }
        Event::BudgetWarned { dimension, percent } => {
            format!("{percent} % of the limit of {} is used.", dimension_word(dimension))
        }
        Event::BudgetReached { dimension } => {
            format!("The limit of {} is reached.", dimension_word(dimension))
        }
        Event::LimitsRaised { .. } => "You raised the limits.".to_owned(),
        Event::Steered { .. } => "You gave guidance.".to_owned(),
        Event::ClaimPinned { claim } => format!("You keep: {}", words(claim)),
        Event::ClaimRejected { claim, .. } => format!("You rejected: {}", words(claim)),
        Event::WriteRequested => "You asked for the report now.".to_owned(),
        Event::SynthesisBegun { cause } => format!("Research ended: {}.", cause_words(cause)),
        Event::DraftScored { quality, key, restated, left_out, .. } => {
            let who =
                if key.is_some() { "An agent wrote a report" } else { "A report was made from the graph" };
            let more: String = remarks(*restated, *left_out).iter().map(|one| format!("; {one}")).collect();
            format!("{who}; quality {} of 100{more}.", u64::from(*quality) * 100 / u64::from(MILLION))
        }
        Event::ReportAccepted { unmet, .. } if unmet.is_empty() => "The report stands.".to_owned(),
        Event::ReportAccepted { unmet, .. } => {
            format!("The report stands as a partial report. Not met: {}.", unmet.join(", "))
        }
        Event::ChildRunFinished { key, end: missions::ChildEnd::Failed { problem }, .. } => {
            format!("{} failed: {}", name(key), problem.message)
        }
        Event::OutcomeUnknown { key, anew: false, .. } => {
            format!("{} continues from the log of its run.", name(key))
        }
        Event::OutcomeUnknown { key, anew: true, .. } => {
            format!("{} left no log. It is repeated from the start; nothing of it is reused.", name(key))
        }
        Event::InvocationDropped { key, why } => {
            let why = match why {
                DropCause::Budget => "what is left is kept for the report, or is not enough to begin",
                DropCause::Time => "the time is over",
                DropCause::Person => "you have enough",
            };
            format!("{} was dropped: {why}.", name(key))
        }
        Event::MissionCompleted { .. } => "The mission is complete.".to_owned(),
        Event::MissionFailed { problem } => format!("The mission failed: {}", problem.message),
        Event::MissionRetried => "The mission goes on where it failed.".to_owned(),
        Event::MissionCancelled => "The mission was cancelled.".to_owned(),
        Event::Resumed { decision, .. } => {
            let word = match decision {
                Decision::Proceed => "go on",
                Decision::Again => "repeat the research that needed their pages",
                Decision::Raise { .. } => "higher limits",
                Decision::Write => "write the report",
                Decision::Cancel => "cancel",
            };
            format!("The pause was answered: {word}.")
        }
        Event::InvocationPlanned { .. }
        | Event::InvocationRequested { .. }
        | Event::ChildRunStarted { .. }
        | Event::ChildRunFinished { .. }
        | Event::Analysed { .. }
        | Event::PauseRequested { .. }
        | Event::PauseFormatted { .. }
        | Event::ArtifactRegistered { .. }
        | Event::CancelRequested
        | Event::Suspended
        | Event::Continued
        | Event::StepFailed { .. } => return None,
    };
    let reason = reasons.get(&record.seq);
    let why = reason.map(|reason| reason.why.clone()).filter(|why| !why.trim().is_empty());
    let why = why.or_else(|| reason_of_rule(stored, &record.event)).or_else(|| grounds(graph, &record.event));
    let alternatives = match reason {
        Some(reason) => reason.alternatives.clone(),
        None => not_chosen(graph, agenda, &record.event),
    };
    Some(JournalLine { seq: record.seq, at: record.at, text, why, alternatives, saw })
}

/// What an agent found, without what it found none of.
fn found(counts: &missions::Additions) -> String {
    let parts: Vec<String> = [
        (counts.claims, "new claim"),
        (counts.citations, "citation"),
        (counts.gaps, "gap"),
        (counts.contradictions, "contradiction"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, noun)| many(count, noun))
    .collect();
    match parts.split_last() {
        None => "nothing new".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// What a decision by rule left for later: the most urgent of what was on the agenda.
fn not_chosen(graph: &Graph, agenda: &[AgendaItem], event: &Event) -> Vec<String> {
    let Event::DecisionTaken { by: DecisionAuthor::Rule, action: Action::Invoke { assignments }, .. } = event
    else {
        return Vec::new();
    };
    let waits = |item: &&AgendaItem| {
        item.status == AgendaStatus::Pending
            && item.priority > 0
            && assignments.iter().all(|one| one.task != item.id)
    };
    let named = agenda
        .iter()
        .filter(waits)
        .filter_map(|item| Some(format!("{}, priority {} of 10", words_of(graph, &item.id)?, item.priority)));
    named.take(MAX_NAMED).collect()
}

/// What closed a gap or settled a contradiction, where it was not the user.
fn grounds(graph: &Graph, event: &Event) -> Option<String> {
    let claim = |id: &ItemId| Some(format!("{}: {}", id.0, words_of(graph, id)?));
    let claims = |ids: &[ItemId]| {
        let named: Vec<String> = ids.iter().filter_map(claim).take(MAX_NAMED).collect();
        (!named.is_empty()).then(|| named.join("\n"))
    };
    if let Event::GapClosed { closing, .. } = event {
        return match closing {
            Closing::Evidence { claims: by } => claims(by),
            Closing::Superseded { other } => Some(format!("It is asked as {}", claim(other)?)),
            Closing::Moot { of } => Some(format!("No longer asked, or no longer standing: {}", claim(of)?)),
            Closing::Person { .. } => None,
        };
    }
    let Event::ContradictionSettled { settlement, .. } = event else { return None };
    match settlement {
        Settlement::Preferred { claim: stands, .. } => Some(format!("This one stands: {}", claim(stands)?)),
        Settlement::Compatible { .. } => Some("Both stand.".to_owned()),
        Settlement::Person { .. } => None,
    }
}

/// Why the rule chose so, where it is more than that these items are the most urgent: a knowledge base of the user's was not asked
/// about one of them before, or who was asked found no answer.
fn reason_of_rule(stored: &StoredMission, event: &Event) -> Option<String> {
    let Event::DecisionTaken {
        by: DecisionAuthor::Rule,
        action: Action::Invoke { assignments },
        iteration,
        ..
    } = event
    else {
        return None;
    };
    let (state, reads) = (&stored.state, &stored.pins.reads);
    let earlier = |one: &missions::Assignment| {
        let before = state.invocations.range(..InvocationKey { iteration: *iteration, slot: 0 });
        let of_task = before.filter(|(_, made)| made.task.as_ref() == Some(&one.task));
        of_task.map(|(_, made)| made.agent.clone()).collect::<Vec<_>>()
    };
    let is_first = |one: &missions::Assignment| {
        let base = reads.get(one.agent.as_str());
        base.is_some() && !earlier(one).iter().any(|agent| reads.get(agent.as_str()) == base)
    };
    let elsewhere = state.registry().agents.iter().any(|agent| agent.allowed && agent.reads.is_none());
    if elsewhere && assignments.iter().any(is_first) {
        return Some("The knowledge bases that you chose are asked first.".to_owned());
    }
    let again = assignments.iter().any(|one| !earlier(one).is_empty());
    again.then(|| "Those that were asked before found no answer.".to_owned())
}

pub(super) fn cause_words(cause: &StopCause) -> String {
    match cause {
        StopCause::CriteriaMet => "every criterion is met".to_owned(),
        StopCause::Limit { dimension } => format!("the limit of {} is reached", dimension_word(dimension)),
        StopCause::Person => "you have enough".to_owned(),
        StopCause::NoProgress => "nothing new was found".to_owned(),
        StopCause::NothingToDo => "nothing on the agenda is left that an agent could do".to_owned(),
        StopCause::Coordinator => "the coordinator proposed it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_journal_names_what_was_found_and_leaves_out_what_was_not() {
        let counts = |claims, citations, gaps, contradictions| missions::Additions {
            claims,
            citations,
            gaps,
            contradictions,
            ..missions::Additions::default()
        };
        assert_eq!(found(&counts(0, 0, 0, 0)), "nothing new");
        assert_eq!(found(&counts(1, 0, 0, 0)), "1 new claim");
        assert_eq!(found(&counts(9, 9, 1, 0)), "9 new claims, 9 citations and 1 gap");
        assert_eq!(found(&counts(0, 0, 0, 2)), "2 contradictions");
    }
}
