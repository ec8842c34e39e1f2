//! What is about to happen, and the automations that may keep it from happening.

use automation::{Action, ActionPhase, Decision, Entry, Event, Occurrence, State, Verdict, Veto, plan};
use domain::{AccessRequest, CallEffect, Digest, ErrorCode, Problem, SessionSetup};
use engine::turn::{StageCall, TurnScope};
use serde_json::{Value, json};
use store::AutomationEffect;
use support::now_ms;

use crate::automations::LoadedAutomations;
use crate::occurrence::short;
use crate::{Automations, Gate, Permissions};

/// Calls whose verdict is remembered.
const REMEMBERED: usize = 500;
/// The most of a reason, in characters.
const MAX_REASON_CHARS: usize = 2_000;
/// The most of a tool's arguments that an automation sees, in bytes.
const MAX_INPUT_BYTES: usize = 50_000;

impl Automations {
    /// The automations that may veto something, and whether others wait for it, too.
    async fn gates(&self, workspace: &str, event: Event) -> Result<Option<LoadedAutomations>, Problem> {
        let known = self.known(workspace).await?;
        let any = known.file.entries().iter().any(|entry| entry.event == Some(event));
        Ok(Some(known).filter(|known| any && !known.enabled.is_empty()))
    }
}

impl Gate {
    /// Asks the automations of a workspace whether something may happen. The first veto counts.
    pub async fn veto(&self, workspace: &str, happened: Occurrence) -> Option<Veto> {
        let automations = self.automations();
        let known = match automations.gates(workspace, happened.event).await {
            Ok(known) => known?,
            Err(problem) => {
                // Nobody knows what the person wanted: what they enabled must not be passed by.
                return Some(Veto {
                    automation: String::new(),
                    title: "Automations".to_owned(),
                    reason: format!("they can't be read: {}", problem.message),
                });
            }
        };
        let rate = automations.rate(workspace);
        let decisions = plan(known.file.entries(), &happened, State { enabled: &known.enabled, rate: &rate });
        if decisions.iter().any(|decision| decision.actions(ActionPhase::Effects).next().is_some()) {
            automations.on_event(workspace, happened.clone());
        }
        for decision in &decisions {
            if let Some(reason) = self.vetoed_by(workspace, decision, &happened).await {
                return Some(Veto {
                    automation: decision.entry.id.clone(),
                    title: decision.entry.title(),
                    reason: reason.chars().take(MAX_REASON_CHARS).collect(),
                });
            }
        }
        None
    }

    async fn vetoed_by(
        &self,
        workspace: &str,
        decision: &Decision<'_>,
        happened: &Occurrence,
    ) -> Option<String> {
        if matches!(decision.verdict, Verdict::Refused(_)) {
            return None;
        }
        for action in decision.actions(ActionPhase::Vetoes) {
            let began = now_ms();
            let (reason, outcome, detail) = match action {
                Action::Veto { reason } => (Some(reason.clone()), "vetoed", reason.clone()),
                Action::Command { fail_closed, .. } => {
                    match self.command(workspace, decision.entry, action, happened).await {
                        Ok(ended) => match said_no(&ended) {
                            VetoReply::No(reason) => (Some(reason.clone()), "vetoed", reason),
                            VetoReply::Yes => continue,
                            VetoReply::Failed(why) => failed(*fail_closed, &why),
                        },
                        Err(problem) => failed(*fail_closed, &problem.message),
                    }
                }
                Action::Prompt { .. } | Action::Run { .. } | Action::Webhook { .. } => continue,
            };
            let fired = AutomationEffect {
                no: 0,
                automation: decision.entry.id.clone(),
                at: began,
                ms: now_ms() - began,
                event: happened.event.name().to_owned(),
                outcome: outcome.to_owned(),
                detail: format!("{}: {}", what(happened), short(&detail)),
                session: happened.session.clone(),
                run: happened.facts.get("run").and_then(Value::as_str).map(str::to_owned),
            };
            if let Err(error) = self.automations().store.note_fired(workspace, &fired).await {
                tracing::warn!(%error, "the history of automations can't be written");
            }
            if reason.is_some() {
                return reason;
            }
        }
        None
    }

    /// Asks about a call of a tool: once for each file, command or address that it is about, however often permission is
    /// decided on. The reason is for the model.
    pub async fn veto_tool(
        &self,
        scope: &TurnScope,
        setup: &SessionSetup,
        call: &str,
        claim: &AccessRequest,
    ) -> Option<String> {
        let automations = self.automations();
        let input = serde_json::to_string(&claim.arguments).unwrap_or_default();
        let about = Digest::of_json(&json!([claim.effect, claim.arguments]));
        let key = format!("{}/{call}/{}", scope.run.0, about.short());
        if let Some((_, known)) = automations.asked.lock().iter().find(|(asked, _)| *asked == key) {
            return known.clone();
        }
        let workspace = match self.automations().store.session_workspace(&scope.session.0).await {
            Ok(workspace) => workspace.unwrap_or_else(|| workspace::DEFAULT_WORKSPACE.to_owned()),
            Err(error) => return Some(format!("automations can't be asked: {error}")),
        };
        let tool = named(&claim.source, &claim.tool);
        let mut happened = automations
            .in_session(Event::ToolBefore, &scope.session.0, Some(&scope.run.0))
            .await
            .on(tool.clone())
            .with("tool", tool)
            .with("permissionMode", setup.mode.as_str())
            .with("call", call);
        happened.facts.insert("toolInput".to_owned(), within(&claim.arguments, &input));
        let about = match &claim.effect {
            CallEffect::Shell { command, .. } => Some(("command", command)),
            CallEffect::Read { path } | CallEffect::Write { path } => Some(("path", path)),
            CallEffect::Fetch { url } => Some(("url", url)),
            CallEffect::Request { path, .. } => Some(("path", path)),
            CallEffect::Inner | CallEffect::Tool | CallEffect::Model => None,
        };
        if let Some((name, value)) = about {
            happened.facts.insert(name.to_owned(), json!(value));
        }
        let veto = self.veto(&workspace, happened).await;
        let reason = veto.map(|veto| words(&veto));
        let mut asked = automations.asked.lock();
        asked.push_back((key, reason.clone()));
        if asked.len() > REMEMBERED {
            asked.pop_front();
        }
        reason
    }
}

impl Gate {
    /// Asks about a stage of a run.
    pub async fn allow_stage(
        &self,
        session: &str,
        run: &str,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        let automations = self.automations();
        let workspace = self.workspace_of(session).await?;
        let happened = automations.in_session(Event::StageBefore, session, Some(run)).await;
        let happened = happened.on(stage).with("stage", stage).with("agent", agent);
        match self.veto(&workspace, happened).await {
            None => Ok(()),
            Some(veto) => Err(vetoed(&veto)),
        }
    }
}

impl Gate {
    /// Asks whether a run may wait for the person behind a stage.
    pub async fn allow_pause(
        &self,
        session: &str,
        run: &str,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        let automations = self.automations();
        let workspace = self.workspace_of(session).await?;
        let happened = automations.in_session(Event::PauseBefore, session, Some(run)).await;
        let happened = happened.on(stage).with("stage", stage).with("agent", agent);
        match self.veto(&workspace, happened).await {
            None => Ok(()),
            Some(veto) => Err(vetoed(&veto)),
        }
    }

    /// The slug of a session's workspace.
    pub async fn workspace_of(&self, session: &str) -> Result<String, Problem> {
        let workspace = self.automations().store.session_workspace(session).await?;
        Ok(workspace.unwrap_or_else(|| workspace::DEFAULT_WORKSPACE.to_owned()))
    }

    /// Asks about a call that a stage makes by itself. The reason is for the person.
    pub async fn veto_stage_call(&self, call: &StageCall) -> Option<String> {
        let automations = self.automations();
        let workspace = match self.workspace_of(&call.session.0).await {
            Ok(workspace) => workspace,
            Err(problem) => return Some(format!("automations can't be asked: {}", problem.message)),
        };
        if automations.gates(&workspace, Event::ToolBefore).await.is_ok_and(|known| known.is_none()) {
            return None;
        }
        let tool = named(&call.source, &call.tool);
        let input = serde_json::to_string(&call.arguments).unwrap_or_default();
        let mut happened = automations
            .in_session(Event::ToolBefore, &call.session.0, Some(&call.run.0))
            .await
            .on(tool.clone())
            .with("tool", tool)
            .with("stage", call.stage.as_str())
            .with("agent", call.agent.as_str())
            .with("toolInput", within(&call.arguments, &input));
        for name in ["path", "url"] {
            if let Some(text) = call.arguments.get(name).and_then(Value::as_str) {
                happened.facts.insert(name.to_owned(), json!(text));
            }
        }
        self.veto(&workspace, happened).await.map(|veto| words(&veto))
    }
}

impl Permissions {
    /// Asks about a message or a run; what was vetoed is an error that says why.
    pub async fn allowed(&self, happened: Occurrence) -> Result<(), Problem> {
        match self.gate.veto(self.env.slug(), happened).await {
            None => Ok(()),
            Some(veto) => Err(vetoed(&veto)),
        }
    }
}

/// What was kept from happening, for the person.
pub fn vetoed(veto: &Veto) -> Problem {
    Problem::new(ErrorCode::Cancelled, words(veto))
        .with_action("change what it objects to, or disable it under Automations")
}

fn words(veto: &Veto) -> String {
    format!("the automation “{}” does not allow it: {}", veto.title, veto.reason)
}

/// A tool's name as models, automations and histories know it.
pub fn named(source: &str, tool: &str) -> String {
    match source.is_empty() {
        true => tool.to_owned(),
        false => format!("{source}__{tool}"),
    }
}

/// Arguments as an automation sees them; `text` is all of them.
fn within(arguments: &Value, text: &str) -> Value {
    match text.len() <= MAX_INPUT_BYTES {
        true => arguments.clone(),
        false => json!(&text[..text.floor_char_boundary(MAX_INPUT_BYTES)]),
    }
}

enum VetoReply {
    Yes,
    No(String),
    Failed(String),
}

/// What a command's end means: 2, or `{"veto": "…"}` as all or the last line of what it said, is a veto.
fn said_no(ended: &tools::shell::ShellResult) -> VetoReply {
    let text = ended.text.trim();
    let nothing = || "it gave no reason".to_owned();
    match ended.code {
        Some(0) => {
            let last = text.lines().last().unwrap_or_default();
            let said = serde_json::from_str(text).or_else(|_| serde_json::from_str::<Value>(last));
            let veto = said.ok().and_then(|said: Value| match said.get("veto") {
                Some(Value::String(reason)) if !reason.trim().is_empty() => Some(reason.clone()),
                Some(Value::String(_) | Value::Bool(true)) => Some(nothing()),
                Some(_) | None => None,
            });
            veto.map_or(VetoReply::Yes, VetoReply::No)
        }
        Some(2) if text.is_empty() => VetoReply::No(nothing()),
        Some(2) => VetoReply::No(text.to_owned()),
        Some(code) => VetoReply::Failed(format!("its command ended with code {code}: {text}")),
        None => VetoReply::Failed("nobody knows how its command ended".to_owned()),
    }
}

fn failed(closed: bool, why: &str) -> (Option<String>, &'static str, String) {
    match closed {
        true => (Some(why.to_owned()), "vetoed", why.to_owned()),
        false => (None, "failed", why.to_owned()),
    }
}

/// What was about to happen, in a few words.
pub fn what(happened: &Occurrence) -> String {
    match happened.subject.is_empty() {
        true => happened.event.name().to_owned(),
        false => short(&happened.subject),
    }
}

/// Whether an automation's mode lets it write to a session of another mode.
pub fn is_no_wider(session: domain::Mode, entry: &Entry) -> bool {
    let rank = |mode: domain::Mode| match mode {
        domain::Mode::Safe => 0,
        domain::Mode::Ask => 1,
        domain::Mode::AllowAll => 2,
    };
    rank(session) <= rank(entry.mode)
}
