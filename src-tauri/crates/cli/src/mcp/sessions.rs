//! `mcp session-tools`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::wire::{SessionPatch, SessionQuery, SessionRow, SessionState};
use api::{Request, Response};
use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use mcp_servers::{
    ConfigKind, ConfigWanted, Fault, SecretState, SessionHost, SessionInfo, SessionLine, SessionList,
    SessionProgress, SessionsWanted, SourceTrial, Work, serve_session_tools,
};
use permissions::Layer;
use serde_json::json;
use workspace::{ConfigProblem, Workspace, WorkspaceError};

use super::{Reach, unexpected};
use crate::outcome::Outcome;

/// Sessions of a page without a limit, and the most of one.
const SESSIONS: (u32, u32) = (20, 100);
/// Runs and turns whose state is told.
const WORK: u32 = 20;
/// The longest question that is repeated, in characters.
const REQUEST: usize = 500;
/// The most problems of one file that are listed.
const FAULTS: usize = 100;

struct Desk {
    reach: Reach,
    home: PathBuf,
}

/// `mcp session-tools`.
pub async fn session_tools(home: &Path, session: Option<String>) -> Result<Outcome, Problem> {
    let desk = Arc::new(Desk { reach: Reach::open(home).await?, home: home.to_owned() });
    let served = async {
        if let Some(session) = &session {
            // A session that does not exist is told before anything is served.
            desk.state(session, 1).await?;
        }
        let failed = |error: mcp_servers::ServeError| Problem::new(ErrorCode::Source, error.to_string());
        serve_session_tools(desk.clone(), session.clone()).await.map_err(failed)
    };
    let served = served.await;
    desk.reach.close().await?;
    served.map(|()| Outcome::Done)
}

impl Desk {
    async fn state(&self, session: &str, limit: u32) -> Result<SessionState, Problem> {
        let request = Request::SessionShow { session: session.to_owned(), before: None, limit };
        match self.reach.read(request).await? {
            Response::SessionState(state) => Ok(*state),
            _ => Err(unexpected()),
        }
    }

    async fn update(&self, session: &str, patch: SessionPatch) -> Result<(), Problem> {
        // Changing nobody's session is no success.
        self.state(session, 1).await?;
        self.reach.change(Request::SessionUpdate { sessions: vec![session.to_owned()], patch }).await?;
        Ok(())
    }
}

#[async_trait]
impl SessionHost for Desk {
    async fn sessions(&self, wanted: SessionsWanted) -> Result<SessionList, Problem> {
        let view = wanted.view.unwrap_or_else(|| "inbox".to_owned());
        let view = serde_json::from_value(json!(view)).map_err(|_| {
            let view: String = view.chars().take(80).collect();
            Problem::new(ErrorCode::InvalidInput, format!("there is no view '{view}'"))
                .with_action("views are inbox, running, needs_you, done, flagged, archived and trash")
        })?;
        let limit = wanted.limit.unwrap_or(SESSIONS.0).clamp(1, SESSIONS.1);
        let query = SessionQuery { view, text: wanted.text, agent: None, limit, before: wanted.before };
        match self.reach.read(Request::SessionList(query)).await? {
            Response::Sessions(page) => {
                Ok(SessionList { sessions: page.sessions.iter().map(line).collect(), next: page.next })
            }
            _ => Err(unexpected()),
        }
    }

    async fn session(&self, session: &str) -> Result<SessionInfo, Problem> {
        let SessionState { session: row, chat, .. } = self.state(session, 1).await?;
        Ok(SessionInfo {
            line: line(&row),
            created_at: row.created_at,
            mode: chat.setup.mode.word().to_owned(),
            folders: chat.setup.folders,
            sources: chat.setup.sources,
            connection: row.connection,
            model: row.model,
            waiting_messages: u32::try_from(chat.queue.len()).unwrap_or(u32::MAX),
        })
    }

    async fn progress(&self, session: &str) -> Result<SessionProgress, Problem> {
        let state = self.state(session, WORK).await?;
        let cut = |text: &str| text.chars().take(REQUEST).collect::<String>();
        let mut work: Vec<(String, Work)> = Vec::new();
        for run in state.runs {
            let problem = run.problem.as_ref().map(ToString::to_string).unwrap_or_default();
            let doing = run.pauses.first().map(|_| "waits for an answer of the person".to_owned());
            let run_id = run.run.to_string();
            let one = Work {
                run: run_id.clone(),
                kind: "run".to_owned(),
                agent: run.agent,
                request: cut(&run.request),
                status: run.status,
                doing: doing.unwrap_or_default(),
                problem,
            };
            work.push((run_id, one));
        }
        for turn in state.turns {
            let status = serde_json::to_value(turn.head.status).unwrap_or_default();
            let run_id = turn.head.run.to_string();
            let one = Work {
                run: run_id.clone(),
                kind: "turn".to_owned(),
                agent: turn.head.agent,
                request: cut(&turn.message.text),
                status: status.as_str().unwrap_or_default().to_owned(),
                doing: turn.head.doing,
                problem: turn.head.problem.map(|problem| problem.to_string()).unwrap_or_default(),
            };
            work.push((run_id, one));
        }
        // Ids sort by the time when they began.
        work.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(SessionProgress {
            session: state.session.session,
            work: work.into_iter().map(|(_, work)| work).collect(),
        })
    }

    async fn retitle(&self, session: &str, title: String) -> Result<(), Problem> {
        self.update(session, SessionPatch { title: Some(title), ..SessionPatch::default() }).await
    }

    async fn flag(&self, session: &str, flagged: bool) -> Result<(), Problem> {
        self.update(session, SessionPatch { flagged: Some(flagged), ..SessionPatch::default() }).await
    }

    async fn try_source(&self, source: &str) -> Result<SourceTrial, Problem> {
        match self.reach.read(Request::SourceTest { slug: source.to_owned() }).await? {
            Response::SourceTest(test) => Ok(SourceTrial {
                ok: test.ok,
                ms: test.ms,
                server: test.server,
                tools: test.tools.into_iter().map(|tool| tool.name).collect(),
                problem: test.problem.map(|problem| problem.to_string()).unwrap_or_default(),
            }),
            _ => Err(unexpected()),
        }
    }

    async fn secrets(&self, source: &str) -> Result<Vec<SecretState>, Problem> {
        match self.reach.read(Request::SourceShow { slug: source.to_owned() }).await? {
            Response::Source(view) => Ok(view
                .secrets
                .into_iter()
                .map(|secret| SecretState { name: secret.name, present: secret.present })
                .collect()),
            _ => Err(unexpected()),
        }
    }

    async fn check(&self, wanted: ConfigWanted) -> Result<Vec<Fault>, Problem> {
        let home = self.home.clone();
        aside(move || checked(&home, &wanted)).await
    }

    async fn check_skill(&self, skill: &str, session: Option<&str>) -> Result<Vec<Fault>, Problem> {
        let folder = match session {
            Some(session) => self.state(session, 1).await?.chat.setup.folders.into_iter().next(),
            None => None,
        };
        let (home, skill) = (self.home.clone(), skill.to_owned());
        aside(move || {
            let person = std::env::home_dir();
            let project = folder.map(PathBuf::from);
            let skills = Workspace::open(&home).skills(person.as_deref(), project.as_deref());
            match skills.iter().find(|entry| entry.slug == skill) {
                Some(entry) => Ok(faults(entry.skill.as_ref().err().cloned().unwrap_or_default())),
                None => {
                    let known: Vec<&str> = skills.iter().map(|entry| entry.slug.as_str()).take(50).collect();
                    Err(Problem::new(ErrorCode::NotFound, format!("there is no skill {skill}"))
                        .with_action(format!("there are: {}", known.join(", "))))
                }
            }
        })
        .await
    }
}

/// Runs what reads files on a thread of its own.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |_| Problem::new(ErrorCode::Internal, "the check failed inside the program");
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

fn checked(home: &Path, wanted: &ConfigWanted) -> Result<Vec<Fault>, Problem> {
    let workspace = Workspace::open(home);
    let name = wanted.name.as_deref().filter(|name| !name.is_empty());
    let needed = || {
        name.ok_or_else(|| {
            Problem::new(ErrorCode::InvalidInput, "no `name` says which agent or source is meant")
        })
    };
    let found = match (wanted.kind, wanted.text.as_deref()) {
        (ConfigKind::Agent, None) => broken(workspace.agent(needed()?).map(drop))?,
        (ConfigKind::Agent, Some(_)) => {
            return Err(Problem::new(ErrorCode::InvalidInput, "an agent is a folder, not one text")
                .with_action("write its files, then give its `name` alone"));
        }
        (ConfigKind::Source, None) => broken(workspace.source(needed()?).map(drop))?,
        (ConfigKind::Source, Some(text)) => {
            let slug = needed()?;
            workspace::read_source("config.json", slug, text).err().unwrap_or_default()
        }
        (ConfigKind::Permissions, None) => {
            let entry = match name {
                Some(slug) => workspace.source_rules(slug),
                None => workspace.own_rules(),
            };
            entry.and_then(|entry| entry.rules.err()).unwrap_or_default()
        }
        (ConfigKind::Permissions, Some(text)) => {
            let layer = name.map_or(Layer::Workspace, |slug| Layer::Source(slug.to_owned()));
            workspace::parse_rules("permissions.json", text, layer).err().unwrap_or_default()
        }
        (ConfigKind::Connections, text) => {
            let read = match text {
                Some(text) => workspace::parse_connections("connections.json", text).map(Some),
                None => workspace::read_connections(home),
            };
            match read {
                Ok(list) => {
                    let entries = list.map(|list| list.entries).unwrap_or_default();
                    entries.into_iter().filter_map(|entry| entry.connection.err()).flatten().collect()
                }
                Err(problems) => problems,
            }
        }
    };
    Ok(faults(found))
}

/// What is wrong with something that exists; that it does not is another matter.
fn broken(read: Result<(), WorkspaceError>) -> Result<Vec<ConfigProblem>, Problem> {
    match read {
        Ok(()) => Ok(Vec::new()),
        Err(WorkspaceError::Broken { problems, .. }) => Ok(problems),
        Err(error) => Err(error.problem()),
    }
}

fn faults(problems: Vec<ConfigProblem>) -> Vec<Fault> {
    let fault = |problem: ConfigProblem| Fault {
        message: match &problem.remedy {
            Some(remedy) => format!("expected {}, found {}; {remedy}", problem.expected, problem.found),
            None => format!("expected {}, found {}", problem.expected, problem.found),
        },
        file: problem.file,
        line: problem.line,
        pointer: problem.pointer,
    };
    problems.into_iter().take(FAULTS).map(fault).collect()
}

fn line(row: &SessionRow) -> SessionLine {
    SessionLine {
        session: row.session.clone(),
        title: row.title.clone(),
        updated_at: row.updated_at,
        runs: row.runs,
        status: row.latest.as_ref().map(|latest| latest.status.clone()).unwrap_or_default(),
        flagged: row.flagged,
        archived: row.archived,
        deleted: row.deleted,
    }
}
