//! A server of the tools of sessions: `mcp session-tools`.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use mcp_servers::{
    ConfigParams, DiagramChecked, Fault, ModelText, PlanKept, Question, SecretState, SessionFilterParams,
    SessionHost, SessionInfo, SessionLine, SessionList, SessionProgress, SessionToolsOptions, SourceTrial,
    Work, serve_session_tools,
};
use protocol::{Client, DiagramVerdict, Sent, SessionPatch, SessionQuery, SessionRow, SessionState};
use serde_json::json;
use support::blocking;

use crate::call_model::BudgetGuard;
use crate::checks::{checked, faults};
use crate::{ClientHandle, DataAccess};

/// Sessions of a page without a limit, and the most of one.
const SESSIONS: (u32, u32) = (20, 100);
/// Runs and turns whose state is told.
const WORK: u32 = 20;
/// The longest question that is repeated, in characters.
const MAX_REQUEST_CHARS: usize = 500;

/// Whether a client may have the person's models asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModelUse {
    /// No.
    None,
    /// For at most so many US dollars in all.
    Within(f64),
}

struct SessionServer {
    reach: ClientHandle,
    access: Arc<dyn DataAccess>,
    budget: BudgetGuard,
}

/// Serves the tools of sessions over standard input and output, until the client leaves; with `session` those of one alone.
///
/// # Errors
/// `NotFound` without that session, `InvalidInput` for a budget that is none.
pub async fn session_tools(
    access: Arc<dyn DataAccess>,
    session: Option<String>,
    models: ModelUse,
) -> Result<(), Problem> {
    let budget = match models {
        ModelUse::None => 0.0,
        ModelUse::Within(usd) if usd.is_finite() && usd > 0.0 => usd,
        ModelUse::Within(usd) => {
            return Err(Problem::new(ErrorCode::InvalidInput, format!("{usd} is no budget"))
                .with_action("give --model-budget a number of US dollars above 0"));
        }
    };
    let desk = Arc::new(SessionServer {
        reach: ClientHandle::open(access.clone()).await?,
        access,
        budget: BudgetGuard::from_usd(budget),
    });
    let served = async {
        if let Some(session) = &session {
            // A session that does not exist is told before anything is served.
            desk.state(session, 1).await?;
        }
        let failed = |error: mcp_servers::ServeError| Problem::new(ErrorCode::Source, error.to_string());
        let options = SessionToolsOptions { session: session.clone(), models: models != ModelUse::None };
        serve_session_tools(desk.clone(), options).await.map_err(failed)
    };
    let served = served.await;
    desk.reach.close().await?;
    served
}

impl SessionServer {
    async fn state(&self, session: &str, limit: u32) -> Result<SessionState, Problem> {
        self.reach.reading().session_show(session.to_owned(), None, limit).await
    }

    async fn update(&self, session: &str, patch: SessionPatch) -> Result<(), Problem> {
        // Changing nobody's session is no success.
        self.state(session, 1).await?;
        self.reach.once().await?.session_update(vec![session.to_owned()], patch).await
    }
}

#[async_trait]
impl SessionHost for SessionServer {
    async fn sessions(&self, wanted: SessionFilterParams) -> Result<SessionList, Problem> {
        let view = wanted.view.unwrap_or_else(|| "inbox".to_owned());
        let view = serde_json::from_value(json!(view)).map_err(|_| {
            let view: String = view.chars().take(80).collect();
            Problem::new(ErrorCode::InvalidInput, format!("there is no view '{view}'"))
                .with_action("views are inbox, running, needs_you, done, flagged, archived and trash")
        })?;
        let limit = wanted.limit.unwrap_or(SESSIONS.0).clamp(1, SESSIONS.1);
        let query =
            SessionQuery { view, text: wanted.text, limit, before: wanted.before, ..SessionQuery::default() };
        let page = self.reach.reading().session_list(query).await?;
        Ok(SessionList { sessions: page.sessions.iter().map(line).collect(), next: page.next })
    }

    async fn session(&self, session: &str) -> Result<SessionInfo, Problem> {
        let SessionState { session: row, chat, .. } = self.state(session, 1).await?;
        Ok(SessionInfo {
            line: line(&row),
            created_at: row.created_at,
            mode: chat.setup.mode.as_str().to_owned(),
            folders: chat.setup.folders,
            sources: chat.setup.sources,
            connection: row.connection,
            model: row.model,
            waiting_messages: u32::try_from(chat.queue.len()).unwrap_or(u32::MAX),
        })
    }

    async fn progress(&self, session: &str) -> Result<SessionProgress, Problem> {
        let state = self.state(session, WORK).await?;
        let cut = |text: &str| text.chars().take(MAX_REQUEST_CHARS).collect::<String>();
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
                status: run.status.to_string(),
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
        let test = self.reach.reading().source_test(source.to_owned(), None).await?;
        Ok(SourceTrial {
            ok: test.ok,
            ms: test.ms,
            server: test.server,
            tools: test.tools.into_iter().map(|tool| tool.name).collect(),
            problem: test.problem.map(|problem| problem.to_string()).unwrap_or_default(),
        })
    }

    async fn secrets(&self, source: &str) -> Result<Vec<SecretState>, Problem> {
        let view = self.reach.reading().source_show(source.to_owned()).await?;
        Ok(view
            .secrets
            .into_iter()
            .map(|secret| SecretState { name: secret.name, present: secret.present })
            .collect())
    }

    async fn check_diagram(&self, text: String) -> Result<DiagramChecked, Problem> {
        let DiagramVerdict { checked, problem } = self.reach.reading().diagram_check(text).await?;
        Ok(DiagramChecked::new(checked, problem))
    }

    async fn check(&self, wanted: ConfigParams) -> Result<Vec<Fault>, Problem> {
        let access = self.access.clone();
        blocking(move || checked(access.home(), access.workspace().as_deref(), &wanted)).await
    }

    async fn check_skill(&self, skill: &str, session: Option<&str>) -> Result<Vec<Fault>, Problem> {
        let folder = match session {
            Some(session) => self.state(session, 1).await?.chat.setup.folders.into_iter().next(),
            None => None,
        };
        let (access, skill) = (self.access.clone(), skill.to_owned());
        blocking(move || {
            let person = std::env::home_dir();
            let project = folder.map(PathBuf::from);
            let skills = app::home::files(access.home(), access.workspace().as_deref())?
                .skills(person.as_deref(), project.as_deref());
            match skills.iter().find(|entry| entry.slug == skill) {
                Some(entry) => Ok(faults(entry.problems())),
                None => {
                    let known: Vec<&str> = skills.iter().map(|entry| entry.slug.as_str()).take(50).collect();
                    Err(Problem::new(ErrorCode::NotFound, format!("there is no skill {skill}"))
                        .with_action(format!("there are: {}", known.join(", "))))
                }
            }
        })
        .await
    }

    async fn submit_plan(&self, session: &str, title: String, text: String) -> Result<PlanKept, Problem> {
        let Sent { session, turn, .. } =
            self.reach.once().await?.plan_submit(session.to_owned(), title, text).await?;
        let Some(turn) = turn else {
            return Err(Problem::new(ErrorCode::Internal, "the plan was kept, but no turn shows it"));
        };
        let view = self.reach.reading().turn_show(turn.clone()).await?;
        let path = view.head.plan.map(|plan| plan.path).unwrap_or_default();
        Ok(PlanKept { session, turn: turn.to_string(), path })
    }

    async fn ask(&self, question: Question) -> Result<ModelText, Problem> {
        let (client, _) = self.reach.client().await?;
        self.budget.ask(&client, question).await
    }
}

fn line(row: &SessionRow) -> SessionLine {
    SessionLine {
        session: row.session.clone(),
        title: row.title.clone(),
        updated_at: row.updated_at,
        runs: row.runs,
        status: row.latest.as_ref().map(|latest| latest.status.to_string()).unwrap_or_default(),
        flagged: row.flagged,
        archived: row.archived,
        deleted: row.deleted,
    }
}
