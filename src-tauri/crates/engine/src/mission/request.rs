//! What the agents of a mission are given, and what its pauses say.

use domain::mission::ItemId;
use domain::{AgentSlug, PauseId, Problem};
use engine_types::{Form, MissionPauseForm};
use evidence_graph::{Claim, told_claims};
use missions::{PauseKind, Role, folder_of};
use serde_json::{Value, json};

use super::driver::MissionDriver;
use super::view::words_of;
use crate::run::child_request::ChildRequest;

/// The most claims that an agent is shown.
const MAX_CLAIMS: usize = 300;
/// The most items of the agenda that the coordinator is shown.
const MAX_AGENDA: usize = 40;

impl MissionDriver {
    pub(super) async fn request(
        &mut self,
        role: Role,
        agent: &AgentSlug,
        task: Option<&ItemId>,
    ) -> Result<ChildRequest, Problem> {
        let objective = self.objective().await?;
        let mut guidance = vec![self.pins.profile.guidance.clone()];
        for said in self.journal.state.guidance.clone() {
            guidance.push(self.journal.blobs.text(said).await?);
        }
        let guidance: Vec<String> = guidance.into_iter().filter(|text| !text.trim().is_empty()).collect();
        let asked = task.and_then(|task| self.text_of(task)).unwrap_or_else(|| objective.clone());
        // A section that lacks statements is named like one: what it is about stands in the objective.
        let of_section = self.graph.gaps().any(|gap| Some(&gap.id) == task && gap.section.is_some());
        let question = if of_section { format!("{asked} ({objective})") } else { asked };
        let mut inputs =
            json!({ "objective": objective, "question": question, "guidance": guidance.join("\n\n") });
        let mut add = |name: &str, value: Value| inputs[name] = value;
        match role {
            Role::Split => {
                let original = self.journal.state.start.as_ref().map(|start| start.request.clone());
                add("original", json!(original));
            }
            Role::Plan => {
                add(
                    "required_sections",
                    json!(self.pins.requirements(&self.journal.state).required_sections),
                );
                add("capabilities", json!(self.capability_list()));
                if self.graph.claims().len() > 0 {
                    add("known", self.claims());
                }
            }
            Role::Coordinate => {
                add("agenda", self.agenda());
                add("agents", self.agents());
                let parallel = self.journal.state.start.as_ref().map(|start| start.terms.max_parallel);
                add("slots", json!(parallel));
                if let Some(rule) = self.journal.state.refused() {
                    add("refused", json!(rule));
                }
                add(
                    "facts",
                    json!({
                        "counts": self.journal.state.facts.counts,
                        "coverage": self.journal.state.facts.coverage,
                        "confidence": self.journal.state.facts.confidence,
                        "criteria": self.journal.state.criteria,
                    }),
                );
            }
            Role::Research | Role::Check => {
                add("known", self.claims());
                if let Some(item) = task.and_then(|task| self.agenda_item(task)) {
                    add("task", json!({ "id": item.id, "kind": item.kind, "priority": item.priority }));
                }
                if let Some(task) = task.filter(|_| role == Role::Check) {
                    let contradiction = self.graph.contradictions().find(|one| one.id == *task).cloned();
                    let sides: Vec<Value> = contradiction
                        .iter()
                        .flat_map(|one| &one.claims)
                        .filter_map(|id| self.side(id))
                        .collect();
                    add("contradiction", json!(contradiction));
                    add("sides", json!(sides));
                }
            }
            Role::Synthesise | Role::Review => {
                let form = self.output_specification().await?;
                add("output_specification", json!(form));
                add(
                    "required_sections",
                    json!(self.pins.requirements(&self.journal.state).required_sections),
                );
                add("claims", self.cited_claims());
                if self.claims_left_out() > 0 {
                    add("claims_left_out", json!(self.claims_left_out()));
                }
                add("open_questions", self.open_questions());
                add(
                    "contradictions",
                    json!(self.graph.contradictions().filter(|one| one.is_open()).collect::<Vec<_>>()),
                );
                add("unmet", json!(self.journal.state.unmet()));
                if role == Role::Review
                    && let Some((_, draft)) = self.journal.state.best_draft()
                {
                    let draft = draft.report;
                    let text = self.journal.blobs.text(draft).await?;
                    add("report", json!(text));
                }
            }
        }
        Ok(ChildRequest { agent: folder_of(agent).to_owned(), request: question, inputs, depth: None })
    }

    pub(super) fn capability_list(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for agent in self.journal.state.registry().agents.iter().filter(|agent| agent.allowed) {
            names.extend(
                agent.capabilities.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>(),
            );
        }
        names
    }

    fn agenda(&self) -> Value {
        let items = self.journal.state.facts.agenda.iter().take(MAX_AGENDA).map(|item| {
            json!({
                "task": item.id, "kind": item.kind, "priority": item.priority, "capability": item.capability,
                "question": self.text_of(&item.id),
            })
        });
        items.collect()
    }

    fn agents(&self) -> Value {
        let agents = self.journal.state.registry().agents.iter().filter(|agent| agent.allowed);
        let described = |agent: &missions::RegisteredAgent| {
            let pinned = self.pins.agents.get(agent.slug.as_str());
            let mut told = json!({
                "agent": agent.slug, "capabilities": agent.capabilities,
                "description": pinned.map(|pinned| pinned.config.description.clone()),
            });
            if let Some(base) = &agent.reads {
                told["reads"] = json!(base);
            }
            told
        };
        agents.map(described).collect()
    }

    /// What stands so far, so that nobody looks for it again.
    fn claims(&self) -> Value {
        let claims = self.graph.claims().filter(|claim| claim.status.is_live()).take(MAX_CLAIMS);
        claims.map(|claim| json!({ "id": claim.id, "text": claim.text })).collect()
    }

    /// Claims with what they rest on, for whoever writes.
    fn cited_claims(&self) -> Value {
        let with_sources = |claim: &Claim| {
            let cited =
                self.graph.provenance(&claim.id).map(|provenance| provenance.citations).unwrap_or_default();
            let citations: Vec<Value> = cited
                .iter()
                .filter(|cited| cited.citation.supports())
                .map(|cited| {
                    json!({
                        "source": cited.source.title, "paragraph": cited.citation.paragraph,
                        "page": cited.citation.page, "quote": cited.citation.quote,
                    })
                })
                .collect();
            json!({
                "id": claim.id, "text": claim.text, "confidence": claim.confidence, "status": claim.status,
                "answers": self.answered(claim), "citations": citations,
            })
        };
        told_claims(&self.graph).into_iter().take(MAX_CLAIMS).map(with_sources).collect()
    }

    /// The questions that a claim answers, in words; a gap that was opened for a question is that question.
    fn answered(&self, claim: &Claim) -> Vec<String> {
        let of_gap = |id: &ItemId| self.graph.gaps().find(|gap| gap.id == *id).and_then(|gap| gap.of.clone());
        let mut questions = Vec::new();
        for id in &claim.answers {
            let of = of_gap(id).filter(|of| of.0.starts_with('t')).unwrap_or_else(|| id.clone());
            if let Some(words) = words_of(&self.graph, &of)
                && !questions.contains(&words)
            {
                questions.push(words);
            }
        }
        questions
    }

    /// Claims that whoever writes is not shown, for length.
    pub(super) fn claims_left_out(&self) -> u32 {
        u32::try_from(told_claims(&self.graph).len().saturating_sub(MAX_CLAIMS)).unwrap_or(u32::MAX)
    }

    /// One side of a contradiction, with the ids of its citations: what settles it is named by them.
    fn side(&self, claim: &ItemId) -> Option<Value> {
        let provenance = self.graph.provenance(claim)?;
        let citations: Vec<Value> = provenance
            .citations
            .iter()
            .map(|cited| {
                json!({
                    "id": cited.citation.id, "source": cited.source.title, "page": cited.citation.page,
                    "quote": cited.citation.quote,
                })
            })
            .collect();
        Some(json!({ "id": provenance.claim.id, "text": provenance.claim.text, "citations": citations }))
    }

    /// Questions that nothing supported answers, and open gaps.
    fn open_questions(&self) -> Value {
        evidence_graph::open_questions(&self.graph).into_iter().map(|question| json!(question)).collect()
    }

    /// A pause's message.
    pub(super) async fn form(&mut self, pause: &PauseId) -> Result<MissionPauseForm, Problem> {
        let kind = self.journal.state.pauses.iter().find(|one| one.id == *pause).map(|one| one.kind.clone());
        let (mut run, mut hosts) = (None, Vec::new());
        let (title, markdown, choices): (String, String, &[&str]) = match kind {
            Some(PauseKind::Plan) => {
                let mut text = format!("{}\n\n", self.objective().await?);
                for question in self.graph.questions().filter(|question| question.dropped.is_none()) {
                    text.push_str(&format!("1. {}\n", question.text));
                }
                ("Plan".to_owned(), text, &["proceed", "write", "cancel"])
            }
            Some(PauseKind::Limit { dimension }) => {
                let what = super::view::dimension_word(&dimension);
                let text = format!("The limit of {what} is reached. Raise it, or have the report written from what is known.");
                ("Limit reached".to_owned(), text, &["write", "raise", "cancel"])
            }
            Some(PauseKind::NoProgress) => (
                "Nothing new".to_owned(),
                "The last iterations found nothing that a source supports. Go on, or have the report written.".to_owned(),
                &["write", "proceed", "cancel"],
            ),
            Some(PauseKind::Hosts { hosts: left_out }) => {
                let list: String = left_out.iter().map(|host| format!("- {host}\n")).collect();
                hosts = left_out;
                let text = format!(
                    "Pages of these hosts were left out, because nobody has decided about them:\n\n{list}\nAllow or \
                     block them (`agentnative web allow <host>`), then repeat the research that needed their pages, or \
                     continue without them."
                );
                ("Web hosts".to_owned(), text, &["again", "proceed", "write", "cancel"])
            }
            Some(PauseKind::Child { key }) => {
                let asking = self.journal.state.invocations.get(&key).cloned();
                let agent = asking.as_ref().map(|one| one.agent.0.clone()).unwrap_or_default();
                run = asking.and_then(|one| one.child);
                let asked = match &run {
                    Some(run) => self.engine.open_form(run).await?,
                    None => None,
                };
                let name = self.pins.name_of(&agent);
                let text = match asked {
                    Some(Form { title, markdown, choices, .. }) => {
                        let choices: Vec<String> = choices.into_iter().map(|choice| choice.id).collect();
                        format!(
                            "{name}, {title}:\n\n{markdown}\n\nAnswer it in the agent's run, or in the terminal with \
                             `agentnative mission steer {} --answer {}`; or have the report written from what is known.",
                            self.journal.run,
                            choices.join("|")
                        )
                    }
                    None => format!("{name} waits. Have the report written from what is known, or end the mission."),
                };
                ("An agent asks".to_owned(), text, &["write", "cancel"])
            }
            None => (String::new(), String::new(), &["proceed"]),
        };
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        Ok(MissionPauseForm { pause: pause.clone(), title, markdown, choices, hosts, run })
    }
}
