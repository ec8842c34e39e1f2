//! Carries out what an automation does, and writes down what came of it.

use automation::{Action, ActionPhase, Entry, Event, Occurrence, Rate, State, Variables, Verdict, expand};
use domain::{ErrorCode, Mention, MentionKind, Problem, SessionId, UserMessage};
use engine::{PausePolicy, StartRun};
use futures_util::future::BoxFuture;
use gate::{LoadedAutomations, is_no_wider, short, what};
use protocol::{AutomationDone, AutomationFire, Request, Response, Sent, SetupPatch, Tag, TurnSend};
use store::{AutomationEffect, SessionUpdate};
use support::{blocking, now_ms};

use crate::Scheduler;
use crate::files::unknown;
use crate::rows::{done, may};

/// The longest title of a session.
const MAX_TITLE_CHARS: usize = 200;
/// The most mentions of a prompt.
const MAX_MENTIONS: usize = 50;

/// What came of an action.
#[derive(Debug, Default)]
pub struct ActionResult {
    pub outcome: &'static str,
    pub detail: String,
    pub session: Option<String>,
    pub run: Option<String>,
}

impl ActionResult {
    pub fn new(outcome: &'static str, detail: impl Into<String>) -> Self {
        Self { outcome, detail: detail.into(), ..Self::default() }
    }
}

impl Scheduler {
    /// Carries out the actions of an automation that are no vetoes, one after the other.
    pub async fn fire(&self, entry: &Entry, happened: &Occurrence) -> Vec<AutomationEffect> {
        let event = entry.event.unwrap_or(Event::Tick);
        let mut all = Vec::new();
        for (place, action) in entry.actions.iter().enumerate() {
            if action.gated(event) == ActionPhase::Vetoes {
                continue;
            }
            let at = self.permissions.gate().automations().clock.now();
            let came = match self.act(entry, place, action, happened).await {
                Ok(came) => came,
                Err(problem) => ActionResult::new("failed", words(&problem)),
            };
            all.push(self.note(entry, happened, at, came).await);
        }
        all
    }

    /// Writes down what came of something.
    pub async fn note(
        &self,
        entry: &Entry,
        happened: &Occurrence,
        at: i64,
        came: ActionResult,
    ) -> AutomationEffect {
        let fired = AutomationEffect {
            no: 0,
            automation: entry.id.clone(),
            at,
            ms: self.permissions.gate().automations().clock.now().saturating_sub(at),
            event: happened.event.name().to_owned(),
            outcome: came.outcome.to_owned(),
            detail: came.detail,
            session: came.session,
            run: came.run,
        };
        if let Err(error) = self.env.store().note_fired(self.env.slug(), &fired).await {
            tracing::warn!(%error, "the history of automations can't be written");
        }
        self.env.stream.tell(&[Tag::Automations]);
        fired
    }

    async fn act(
        &self,
        entry: &Entry,
        place: usize,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<ActionResult, Problem> {
        match action {
            Action::Prompt { .. } => self.prompt(entry, action, happened).await,
            Action::Run { .. } => self.start(entry, action, happened).await,
            Action::Webhook { .. } => self.webhook(entry, place, action, happened).await,
            Action::Command { .. } => {
                let ended = self.permissions.gate().command(self.env.slug(), entry, action, happened).await?;
                let said = short(ended.text.trim());
                Ok(match ended.code {
                    Some(0) => ActionResult::new(
                        "done",
                        if said.is_empty() { "the command said nothing".to_owned() } else { said },
                    ),
                    Some(code) => {
                        ActionResult::new("failed", format!("the command ended with code {code}: {said}"))
                    }
                    None => ActionResult::new("failed", "nobody knows how the command ended".to_owned()),
                })
            }
            Action::Veto { .. } => Ok(ActionResult::default()),
        }
    }

    /// Sends a message on the same path as a person's.
    async fn prompt(
        &self,
        entry: &Entry,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<ActionResult, Problem> {
        let Action::Prompt { prompt, session, connection, model, effort, folders, sources } = action else {
            return Ok(ActionResult::default());
        };
        let variables = Variables::new(happened, &entry.zone);
        let put = |text: &str| expand(text, |name| variables.get(name).map(str::to_owned)).0;
        let text = put(prompt);
        let session = session.as_deref().map(put).filter(|session| !session.trim().is_empty());
        if let Some(session) = &session {
            let row = self
                .env
                .store()
                .get_session(session)
                .await?
                .ok_or_else(|| support::unknown_session(session))?;
            if row.workspace != self.env.slug() {
                return Err(support::unknown_session(session));
            }
            let setup = self.permissions.gate().setup(&SessionId(session.to_string())).await?;
            if !is_no_wider(setup.mode, entry) {
                return Err(Problem::new(
                    ErrorCode::Cancelled,
                    format!(
                        "session {session} is in a wider mode ({}) than the automation ({})",
                        setup.mode.as_str(),
                        entry.mode.as_str()
                    ),
                )
                .with_action("give the automation that mode, or let it begin a session of its own"));
            }
        }
        let new = session.is_none();
        let setup = match new {
            true => SetupPatch {
                mode: Some(entry.mode),
                folders: Some(folders.clone()).filter(|folders| !folders.is_empty()),
                sources: Some(sources.clone()).filter(|sources| !sources.is_empty()),
                effort: effort.map(Some),
                ..SetupPatch::default()
            },
            false => SetupPatch::default(),
        };
        // It has an id before anything happens in it.
        let session = match session {
            Some(session) => session,
            None => self.env.engine.new_session().await?.0,
        };
        let depth = happened.depth.saturating_add(1);
        let send = TurnSend {
            session: Some(session.clone()),
            message: self.message(text).await?,
            connection: connection.clone(),
            model: model.clone(),
            setup,
            ..TurnSend::default()
        };
        self.permissions.gate().automations().begins(&session, depth);
        let sent = self.later(Request::TurnSend(Box::new(send))).await;
        let begun = match &sent {
            Ok(Response::Sent(sent)) => sent.turn.as_ref().or(sent.run.as_ref()).map(|run| run.0.clone()),
            Ok(_) | Err(_) => None,
        };
        self.permissions.gate().automations().began(&session, begun.as_deref(), depth);
        let Response::Sent(Sent { queued, .. }) = sent? else {
            return Err(Problem::new(ErrorCode::Internal, "a message gave no answer of its own"));
        };
        if new {
            self.label_session(entry, &session, depth).await?;
        }
        let detail = match queued {
            Some(_) => "the message waits for the turn before it".to_owned(),
            None => format!("sent: {}", short(prompt)),
        };
        Ok(ActionResult { outcome: "done", detail, session: Some(session), run: begun })
    }

    async fn start(
        &self,
        entry: &Entry,
        action: &Action,
        happened: &Occurrence,
    ) -> Result<ActionResult, Problem> {
        let Action::Run { agent, input, corpus, connection, model, budget_usd, unattended } = action else {
            return Ok(ActionResult::default());
        };
        let variables = Variables::new(happened, &entry.zone);
        let request = expand(input, |name| variables.get(name).map(str::to_owned)).0;
        let session = self.env.engine.new_session().await?.0;
        let depth = happened.depth.saturating_add(1);
        let start = StartRun {
            agent: agent.clone(),
            request,
            session: Some(session.clone()),
            corpus: corpus.clone(),
            connection: connection.clone(),
            model: model.clone(),
            budget_usd: *budget_usd,
            attend: PausePolicy { unattended: *unattended, ..PausePolicy::default() },
            ..StartRun::default()
        };
        self.permissions.gate().automations().begins(&session, depth);
        let started = self.later(Request::RunStart(Box::new(start))).await;
        let begun = match &started {
            Ok(Response::Run(run)) => Some(run.0.clone()),
            Ok(_) | Err(_) => None,
        };
        self.permissions.gate().automations().began(&session, begun.as_deref(), depth);
        let Response::Run(run) = started? else {
            return Err(Problem::new(ErrorCode::Internal, "a run gave no answer of its own"));
        };
        // First, so that what the change of its mode fires knows how it came about.
        self.label_session(entry, &session, depth).await?;
        let setup = SetupPatch { mode: Some(entry.mode), ..SetupPatch::default() };
        self.later(Request::SessionSetup { session: session.clone(), patch: setup }).await?;
        Ok(ActionResult {
            outcome: "done",
            detail: format!("started a run of {agent}"),
            session: Some(session),
            run: Some(run.0),
        })
    }

    /// A session that an automation began says so: by its title, its labels, and what is kept of it.
    async fn label_session(&self, entry: &Entry, session: &str, depth: u8) -> Result<(), Problem> {
        self.env.store().begun_by_automation(self.env.slug(), &entry.id, session, depth).await?;
        let title: String = entry.title().chars().take(MAX_TITLE_CHARS).collect();
        // A label is its own id where it has no value; the value stands behind two colons.
        let labels = entry.labels.iter().map(|label| {
            let id = label.split("::").next().unwrap_or(label);
            (label.clone(), id.to_owned())
        });
        let update =
            SessionUpdate { title: Some(title), add_labels: labels.collect(), ..SessionUpdate::default() };
        self.permissions.update_labelled(session, &update).await?;
        self.env.stream.tell(&[Tag::Sessions]);
        Ok(())
    }

    /// A message with the sources, skills and agents that it names.
    async fn message(&self, text: String) -> Result<UserMessage, Problem> {
        let (files, named) = (self.env.files(), text.clone());
        let mentions = blocking(move || {
            let sources: Vec<String> = files.sources().into_iter().map(|entry| entry.slug).collect();
            let agents: Vec<String> = files.agents().into_iter().map(|entry| entry.slug).collect();
            Ok(mentions(&named, &sources, &agents))
        })
        .await?;
        Ok(UserMessage { text, mentions, ..UserMessage::default() })
    }

    /// A command of the table, as any surface gives it.
    fn later(&self, request: Request) -> BoxFuture<'_, Result<Response, Problem>> {
        self.call.call(self.env.slug(), request)
    }

    /// Fires an automation now, or says what would happen.
    pub async fn automation_fire(&self, fire: AutomationFire) -> Result<Vec<AutomationDone>, Problem> {
        let automations = self.permissions.gate().automations();
        let known = automations.known(self.env.slug()).await?;
        let entry = known.file.entry(&fire.id).ok_or_else(|| unknown(&fire.id))?;
        if let Some(fault) = entry.faults.first() {
            return Err(Problem::new(
                ErrorCode::InvalidConfig,
                format!("{} can't fire: {} {}", entry.title(), fault.place, fault.message),
            ));
        }
        let event = entry.event.unwrap_or(Event::Tick);
        let happened = match &fire.session {
            Some(session) => {
                if self.env.store().get_session(session).await?.is_none() {
                    return Err(support::unknown_session(session));
                }
                automations.in_session(event, session, None).await
            }
            None => Occurrence::new(event, now_ms()).with("workspaceId", self.env.slug()),
        };
        if fire.dry {
            return Ok(dry(entry, &known, &happened, &automations.rate(self.env.slug())));
        }
        // A test is the person's own doing: what they see is what they fire.
        let now = entry.digest.to_string();
        if known.enabled.get(&entry.id) != Some(&now) && fire.digest != now {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("{} is not enabled; nothing was done", entry.title()),
            )
            .with_action("enable it, or look at what it does and fire that"));
        }
        if entry.actions.iter().all(|action| action.gated(event) == ActionPhase::Vetoes) {
            return Ok(dry(entry, &known, &happened, &automations.rate(self.env.slug())));
        }
        Ok(self.fire(entry, &happened).await.into_iter().map(done).collect())
    }
}

/// What would happen, a row for each action.
fn dry(entry: &Entry, known: &LoadedAutomations, happened: &Occurrence, rate: &Rate) -> Vec<AutomationDone> {
    let verdict = entry.decide(happened, State { enabled: &known.enabled, rate });
    let unless = match verdict {
        Verdict::Fire => String::new(),
        Verdict::VetoesOnly(why) | Verdict::Refused(why) => {
            format!(" By itself it would not fire now: {}.", why.words())
        }
    };
    let row = |action: &Action| AutomationDone {
        id: entry.id.clone(),
        at: happened.at,
        ms: 0,
        event: happened.event.name().to_owned(),
        outcome: "would".to_owned(),
        detail: format!("{}{unless}", may(entry, action)),
        session: happened.session.clone(),
        run: None,
    };
    entry.actions.iter().map(row).collect()
}

/// The words of a text that name something: `@source` and `@agent`.
fn mentions(text: &str, sources: &[String], agents: &[String]) -> Vec<Mention> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let apart = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let name: &str = text[at + 1..]
            .split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c))
            .next()
            .unwrap_or_default();
        let kind = match name {
            name if sources.iter().any(|known| known == name) => MentionKind::Source,
            name if agents.iter().any(|known| known == name) => MentionKind::Agent,
            _ => continue,
        };
        if !apart || found.len() >= MAX_MENTIONS {
            continue;
        }
        let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
        let start = units(&text[..at]);
        found.push(Mention {
            kind,
            name: name.to_owned(),
            title: name.to_owned(),
            range: (start, start + 1 + units(name)),
        });
    }
    found
}

/// A problem in a sentence, with what may be done about it.
pub fn words(problem: &Problem) -> String {
    match &problem.action {
        Some(action) => format!("{}; {action}", problem.message),
        None => problem.message.clone(),
    }
}

impl Scheduler {
    /// Fires what waits for something that happened. What is refused by a limit is written down; all else that does not
    /// fire is nothing to speak of.
    pub async fn fire_all(&self, happened: &Occurrence) {
        let automations = self.permissions.gate().automations();
        let Ok(known) = automations.known(self.env.slug()).await else { return };
        let decisions: Vec<(Entry, Verdict)> = {
            let mut rates = automations.rate.lock();
            let rate = rates.entry(self.env.slug().to_owned()).or_default();
            let state = State { enabled: &known.enabled, rate };
            let all: Vec<(Entry, Verdict)> = automation::plan(known.file.entries(), happened, state)
                .into_iter()
                .map(|decision| (decision.entry.clone(), decision.verdict))
                .collect();
            if all.iter().any(|(_, verdict)| *verdict == Verdict::Fire) {
                rate.note(happened.event, happened.at);
            }
            all
        };
        for (entry, verdict) in decisions {
            match verdict {
                Verdict::Fire => drop(self.fire(&entry, happened).await),
                Verdict::Refused(why @ (automation::SkipReason::Rate | automation::SkipReason::Chain))
                | Verdict::VetoesOnly(why) => {
                    let came = ActionResult {
                        session: happened.session.clone(),
                        ..ActionResult::new("refused", format!("{}: {}", what(happened), why.words()))
                    };
                    self.note(&entry, happened, automations.clock.now(), came).await;
                }
                Verdict::Refused(_) => {}
            }
        }
    }
}
