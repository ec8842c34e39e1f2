//! A message on its way: to a staged run, to a new turn, to the turn under way, or into the queue.

use dialogue::{Bounds, Origin};
use domain::{
    Budget, ErrorCode, MentionKind, NanoUsd, Problem, RunId, RunStatus, SessionId, SessionSetup, UserMessage,
    WhenBusy,
};
use engine::StartRun;
use engine::turn::{KIND, StartTurn};
use protocol::{Scope, Sent, SetupPatch, TurnSend};
use store::RunFilter;
use support::blocking;

use crate::Conversations;
use crate::folders::working_folder;

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 200_000;
/// The most things that a message names, and files that go with it.
const MAX_NAMED: usize = 50;
/// The most folders and sources of a session.
const MAX_OPEN: usize = 50;

impl Conversations {
    /// Sends a message: begins a turn, joins the queue, or reaches the turn under way.
    pub async fn turn_send(&self, send: TurnSend) -> Result<Sent, Problem> {
        let message = send.message.clone();
        let sent = self.send_message(send).await?;
        // A queued message is labelled, too: the person has said it.
        self.sessions.label_by(&sent.session, &message).await;
        Ok(sent)
    }

    async fn send_message(&self, send: TurnSend) -> Result<Sent, Problem> {
        check(&send)?;
        let (session, new) = match &send.session {
            Some(session) if !support::is_session_id(session) => {
                return Err(Problem::new(ErrorCode::InvalidInput, "this is no session's id"));
            }
            Some(session) => (session.clone(), self.env.store().get_session(session).await?.is_none()),
            None => (self.env.engine.new_session().await?.0, true),
        };
        if new {
            self.no_run_id(&session).await?;
        }
        if new {
            let agent = send.message.mentions.iter().find(|mention| mention.kind == MentionKind::Agent);
            let begins = self
                .permissions
                .about_to_begin(agent.map(|mention| mention.name.as_str()), &send.message.text);
            self.permissions.allowed(begins).await?;
        }
        // Of two messages at once one begins a turn, and the other one finds it under way.
        let happened = self.permissions.about_to_send(&session, new, &send.message.text).await;
        self.permissions.allowed(happened).await?;
        let _turn = self.env.locks.lock(Scope::Session(session.clone())).await;
        self.take_attachments(&session, &send.message.attachments).await?;
        let mut setup = self.setup_of(&session).await?;
        patch(&mut setup, &send.setup)?;
        let mut sent = Sent {
            session: session.clone(),
            turn: None,
            run: None,
            queued: None,
            steered: None,
            notes: Vec::new(),
        };
        let named = match named_agent(&send.message) {
            Some(agent) => Some((agent, self.talks(agent).await?)),
            None => None,
        };
        if let Some((agent, AgentReaction::Runs)) = named {
            sent.run = Some(self.begin_staged(&send, &session, agent).await?);
            if new {
                self.keep_setup(&session, &setup).await?;
            }
            return Ok(sent);
        }
        sent.notes = self.enable_named(&send.message, &mut setup).await?;
        if let Some((slug, AgentReaction::Answers(name))) = named
            && setup.agent != slug
        {
            slug.clone_into(&mut setup.agent);
            sent.notes.push(format!("{name} answers in this session from now on."));
        }
        if !new {
            self.keep_setup(&session, &setup).await?;
        }
        let id = SessionId(session.clone());
        if let Some(live) = self.open_turn(&id).await?.filter(|_| send.replaces.is_none()) {
            let steers = send.when_busy.unwrap_or(setup.when_busy) == WhenBusy::Steer;
            // A turn that is writing its answer takes nothing any more; then the message waits for the next one.
            if steers && self.env.engine.steer(&live, send.message.clone()).await.is_ok() {
                sent.steered = Some(live);
            } else {
                sent.queued = Some(self.queue_add(&session, &send.message).await?);
            }
            return Ok(sent);
        }
        let previous = match &send.replaces {
            None => None,
            Some(replaced) => {
                let row = self.env.store().get_run(&replaced.0).await?;
                if row.session != session || row.kind != KIND {
                    return Err(Problem::new(
                        ErrorCode::NotFound,
                        format!("there is no message {replaced} in this session to replace"),
                    ));
                }
                // One whose process died would go on at the next start.
                if row.status == RunStatus::Running.as_str() || self.env.engine.is_live(replaced) {
                    self.env.engine.stop_turn(replaced).await?;
                }
                // Those after it leave the conversation with it: nobody could answer one that waits.
                for waiting in self.waiting_turns(&id).await? {
                    self.env.engine.stop_turn(&waiting).await?;
                }
                Some(row.previous_run.map(RunId))
            }
        };
        sent.turn = Some(self.begin(id, setup, send, previous, false).await?);
        Ok(sent)
    }

    /// The turn of a session that is under way, or waits for the person since before the program started.
    pub async fn open_turn(&self, session: &SessionId) -> Result<Option<RunId>, Problem> {
        if let Some(live) = self.env.engine.live_turn(session) {
            return Ok(Some(live));
        }
        Ok(self.waiting_turns(session).await?.into_iter().next())
    }

    /// Turns of a session that wait for the person, driven or not; the newest first.
    async fn waiting_turns(&self, session: &SessionId) -> Result<Vec<RunId>, Problem> {
        let waiting = RunFilter {
            session: Some(session.0.clone()),
            statuses: vec![RunStatus::Waiting.to_string()],
            kind: KIND.to_owned(),
            ..RunFilter::default()
        };
        let page = self.env.store().list_runs(&waiting, None, store::MAX_PAGE).await?;
        Ok(page.runs.into_iter().map(|run| RunId(run.id)).collect())
    }

    /// Begins a turn of a session in which none is under way.
    pub async fn begin(
        &self,
        session: SessionId,
        setup: SessionSetup,
        send: TurnSend,
        previous: Option<Option<RunId>>,
        compact: bool,
    ) -> Result<RunId, Problem> {
        // Whoever asks, the session's workspace says.
        let here = self.in_workspace(&setup.workspace);
        let (connection, model) =
            here.chat_connection(send.connection, send.model, Some(&session.0), &setup.agent).await?;
        let bounds = Bounds {
            budget: Budget {
                cost: send.budget_usd.map(NanoUsd::from_usd),
                tokens: send.budget_tokens,
                active_ms: send.budget_minutes.map(|minutes| (minutes.max(0.0) * 60_000.0) as u64),
            },
            ..Bounds::default()
        };
        let used = connection.clone();
        let start = StartTurn {
            session: Some(session),
            setup,
            message: send.message,
            previous,
            connection,
            model,
            bounds,
            origin: Origin::Person,
            compact,
        };
        let (_, turn) = self.env.engine.begin_turn(start).await?;
        self.connections.allow_run(&turn, &used, send.budget_usd).await?;
        Ok(turn)
    }

    /// Asked for, else the session's, else the one set for the agent, else the default one.
    async fn chat_connection(
        &self,
        asked: Option<String>,
        model: Option<String>,
        session: Option<&str>,
        agent: &str,
    ) -> Result<(String, Option<String>), Problem> {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let model = filled(model);
        if let Some(connection) = filled(asked) {
            self.connections.check_there(&connection)?;
            return Ok((connection, model));
        }
        if let Some(session) = session
            && let Some(row) = self.env.store().get_session(session).await?
            && let Some(connection) =
                filled(Some(row.connection)).filter(|slug| self.connections.check_there(slug).is_ok())
        {
            return Ok((connection, model.or_else(|| filled(Some(row.model)))));
        }
        let files = self.env.files();
        let agent = agent.to_owned();
        let known = blocking(move || Ok(files.agent(&agent).ok())).await?;
        match known {
            Some(agent) => self.connections.choose_connection(None, model, session, &agent.config).await,
            None => {
                let connection = self.connections.default_connection().await?;
                let model = match model {
                    None => self.connections.default_model(&connection).await?,
                    model => model,
                };
                Ok((connection, model))
            }
        }
    }

    /// What an agent that a message names does with it.
    async fn talks(&self, agent: &str) -> Result<AgentReaction, Problem> {
        let (files, slug) = (self.env.files(), agent.to_owned());
        blocking(move || match files.agent(&slug) {
            Ok(agent) if agent.config.control_flow.stages.is_empty() => {
                Ok(AgentReaction::Answers(agent.front_matter.name))
            }
            // What is wrong with a broken one, starting it tells.
            Ok(_) | Err(_) => Ok(AgentReaction::Runs),
        })
        .await
    }

    /// A message that names an agent with stages is its question.
    async fn begin_staged(&self, send: &TurnSend, session: &str, agent: &str) -> Result<RunId, Problem> {
        let request = without_mention(&send.message, agent);
        if request.trim().is_empty() {
            return Err(Problem::new(ErrorCode::InvalidInput, "the question is empty")
                .with_action("write what the agent is to find out"));
        }
        let start = StartRun {
            agent: agent.to_owned(),
            request,
            session: Some(session.to_owned()),
            depth: send.depth.clone(),
            corpus: send.corpus.clone(),
            attachments: send.message.attachments.clone(),
            connection: send.connection.clone(),
            model: send.model.clone(),
            budget_usd: send.budget_usd,
            budget_tokens: send.budget_tokens,
            budget_minutes: send.budget_minutes,
            ..StartRun::default()
        };
        self.run_start(start).await
    }

    /// Sources that the message names, and those that its skills need, are there from now on. Gives what the person is told.
    async fn enable_named(
        &self,
        message: &UserMessage,
        setup: &mut SessionSetup,
    ) -> Result<Vec<String>, Problem> {
        if message.mentions.is_empty() {
            return Ok(Vec::new());
        }
        let (workspace, named) = (self.env.files(), message.mentions.clone());
        let project = setup.folders.first().map(std::path::PathBuf::from);
        let good = self.env.config.good().clone();
        let (wanted, mut notes) = blocking(move || {
            let known: Vec<String> = workspace.sources().into_iter().map(|entry| entry.slug).collect();
            let mut wanted: Vec<(String, String)> = Vec::new();
            let mut notes = Vec::new();
            for mention in &named {
                match mention.kind {
                    MentionKind::Source => wanted.push((mention.name.clone(), "you named it".to_owned())),
                    MentionKind::Skill => {
                        let skills =
                            workspace.skills(crate::prompt::home_folder().as_deref(), project.as_deref());
                        let mut skill = skills.into_iter().find(|entry| entry.slug == mention.name);
                        if let Some(entry) = &mut skill {
                            good.skill(entry);
                        }
                        match skill.map(|entry| entry.skill) {
                            Some(Ok(skill)) => wanted.extend(
                                skill
                                    .required_sources
                                    .into_iter()
                                    .map(|slug| (slug, format!("skill {} needs it", mention.name))),
                            ),
                            Some(Err(_)) => notes.push(format!("Skill {} is broken.", mention.name)),
                            None => notes.push(format!("There is no skill {}.", mention.name)),
                        }
                    }
                    MentionKind::Agent | MentionKind::File | MentionKind::Folder | MentionKind::Label => {}
                }
            }
            wanted.retain(|(slug, _)| {
                let there = known.contains(slug);
                if !there {
                    notes.push(format!("There is no source {slug}."));
                }
                there
            });
            Ok((wanted, notes))
        })
        .await?;
        for (slug, why) in wanted {
            if !setup.sources.contains(&slug) {
                notes.push(format!("Source {slug} is on in this session: {why}."));
                setup.sources.push(slug);
            }
        }
        Ok(notes)
    }

    /// What a session is set to.
    pub async fn setup_of(&self, session: &str) -> Result<SessionSetup, Problem> {
        let Some(workspace) = self.env.store().session_workspace(session).await? else {
            return self.env.new_setup().await;
        };
        let kept = self.env.store().session_setup(session).await?.unwrap_or_default();
        let setup = match kept.is_empty() {
            true => SessionSetup::default(),
            false => serde_json::from_str(&kept).map_err(|error| {
                Problem::new(ErrorCode::Corrupt, format!("what session {session} is set to: {error}"))
            })?,
        };
        Ok(SessionSetup { workspace, ..setup })
    }

    async fn keep_setup(&self, session: &str, setup: &SessionSetup) -> Result<(), Problem> {
        let text = serde_json::to_string(setup)
            .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
        self.env.store().set_session_setup(session, &text).await?;
        Ok(())
    }

    /// Changes what a session is set to; a turn under way takes it over at its next step.
    pub async fn session_setup(&self, session: &str, change: SetupPatch) -> Result<(), Problem> {
        let mut setup = self.setup_of(session).await?;
        patch(&mut setup, &change)?;
        if self.env.store().get_session(session).await?.is_none() {
            return Err(support::unknown_session(session));
        }
        self.keep_setup(session, &setup).await?;
        self.env.engine.setup_changed(&SessionId(session.to_owned())).await;
        Ok(())
    }
}

/// What an agent does with a message that names it.
enum AgentReaction {
    /// It has stages: a run begins.
    Runs,
    /// It has none: it answers in the conversation. Its name.
    Answers(String),
}

fn check(send: &TurnSend) -> Result<(), Problem> {
    let invalid = |message: String| Err(Problem::new(ErrorCode::InvalidInput, message));
    let UserMessage { text, mentions, attachments } = &send.message;
    if text.trim().is_empty() && attachments.is_empty() {
        return invalid("the message is empty".to_owned());
    }
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("the message has {} bytes; at most {MAX_MESSAGE_BYTES} are taken", text.len()),
        )
        .with_action("attach long material as a file"));
    }
    if mentions.len() > MAX_NAMED || attachments.len() > MAX_NAMED {
        return invalid(format!("a message names at most {MAX_NAMED} things and takes as many files"));
    }
    for limit in [send.budget_usd, send.budget_minutes].into_iter().flatten() {
        if !limit.is_finite() || limit < 0.0 {
            return invalid(format!("{limit} is no limit"));
        }
    }
    Ok(())
}

/// The agent that a message names.
fn named_agent(message: &UserMessage) -> Option<&str> {
    message
        .mentions
        .iter()
        .find(|mention| mention.kind == MentionKind::Agent)
        .map(|mention| mention.name.as_str())
}

/// The text without the words that name the agent.
fn without_mention(message: &UserMessage, agent: &str) -> String {
    let units: Vec<u16> = message.text.encode_utf16().collect();
    let named = message
        .mentions
        .iter()
        .filter(|mention| mention.kind == MentionKind::Agent && mention.name == agent)
        .map(|mention| mention.range.0 as usize..mention.range.1 as usize)
        .find(|range| range.start < range.end && range.end <= units.len());
    let Some(range) = named else { return message.text.trim().to_owned() };
    let rest: Vec<u16> = units[..range.start].iter().chain(&units[range.end..]).copied().collect();
    String::from_utf16_lossy(&rest).trim().to_owned()
}

/// Takes changes over; folders must be there.
fn patch(setup: &mut SessionSetup, change: &SetupPatch) -> Result<(), Problem> {
    let invalid = |message: String| Err(Problem::new(ErrorCode::InvalidInput, message));
    if let Some(mode) = change.mode {
        setup.mode = mode;
    }
    if let Some(folders) = &change.folders {
        if folders.len() > MAX_OPEN {
            return invalid(format!("a session has at most {MAX_OPEN} folders"));
        }
        let mut resolved = Vec::with_capacity(folders.len());
        for folder in folders {
            let real = working_folder(folder)?;
            if !resolved.contains(&real) {
                resolved.push(real);
            }
        }
        setup.folders = resolved;
    }
    if let Some(sources) = &change.sources {
        if sources.len() > MAX_OPEN {
            return invalid(format!("a session has at most {MAX_OPEN} sources"));
        }
        setup.sources.clone_from(sources);
    }
    if let Some(agent) = &change.agent {
        setup.agent.clone_from(agent);
    }
    if let Some(effort) = change.effort {
        setup.effort = effort;
    }
    if let Some(when_busy) = change.when_busy {
        setup.when_busy = when_busy;
    }
    if let Some(bare) = change.bare {
        setup.bare = bare;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::Mention;

    use super::*;

    #[test]
    fn a_question_to_an_agent_leaves_its_name_out() {
        let text = "🔎 @isa how is materiality set?";
        let message = UserMessage {
            text: text.to_owned(),
            mentions: vec![Mention {
                kind: MentionKind::Agent,
                name: "isa".into(),
                title: "ISA".into(),
                range: (3, 7),
            }],
            attachments: Vec::new(),
        };
        assert_eq!(without_mention(&message, "isa"), "🔎  how is materiality set?");
        assert_eq!(without_mention(&message, "other"), text);
    }

    #[test]
    fn an_effort_stays_unless_it_is_named_and_null_gives_it_back_to_the_model() {
        let mut setup = SessionSetup::default();
        let mut change = |text: &str| {
            let change: SetupPatch = serde_json::from_str(text).unwrap();
            // As it goes to the process that holds the data.
            let sent = serde_json::to_string(&change).unwrap();
            patch(&mut setup, &serde_json::from_str(&sent).unwrap()).unwrap();
            setup.effort
        };
        let high = Some(domain::agent::Effort::High);
        assert_eq!(change(r#"{"effort": "high"}"#), high);
        assert_eq!(change(r#"{"mode": "ask"}"#), high);
        assert_eq!(change(r#"{"effort": null}"#), None);
        assert!(serde_json::from_str::<SetupPatch>(r#"{"effort": "endless"}"#).is_err());
    }

    #[test]
    fn only_folders_that_are_there_are_opened() {
        let mut setup = SessionSetup::default();
        let change = |folders: &[&str]| SetupPatch {
            folders: Some(folders.iter().map(|folder| (*folder).to_owned()).collect()),
            ..SetupPatch::default()
        };
        assert!(patch(&mut setup, &change(&["/nowhere/at/all"])).is_err());
        assert!(patch(&mut setup, &change(&["relative"])).is_err());
        assert!(patch(&mut setup, &change(&["/"])).is_err());
        assert_eq!(setup, SessionSetup::default());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        patch(&mut setup, &change(&[path, path])).unwrap();
        assert_eq!(setup.folders.len(), 1);
    }
}
