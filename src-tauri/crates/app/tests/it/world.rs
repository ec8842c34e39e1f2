//! An api over a data directory of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use app::{Local, Options, PausePolicy, Reply, Request, Response, RunRef, RunState, StartRun};
use domain::{Problem, RunId};
use protocol::{SessionCounts, SessionPatch, SessionQuery, SessionRow, SessionState, SessionView};
use tempfile::TempDir;

use crate::tools::Hosts;

pub const AGENT: &str = "isa-deep-research";
pub const QUESTION: &str = "When must the auditor assess going concern?";

pub struct World {
    pub local: Local,
    folder: TempDir,
}

/// The value of an answer of the kind that a command gives.
macro_rules! answer {
    ($answer:expr, $kind:ident) => {
        match $answer {
            ::app::Response::$kind(value) => value,
            other => panic!("{other:?}"),
        }
    };
}
pub(crate) use answer;

impl World {
    pub async fn new() -> Self {
        Self::over(TempDir::new().unwrap()).await
    }

    async fn over(folder: TempDir) -> Self {
        let options = Options {
            home: folder.path().to_owned(),
            program: std::env::current_exe().unwrap(),
            providers: BTreeMap::new(),
            hosts: Some(Arc::new(Hosts(folder.path().to_owned()))),
        };
        Self { local: Local::open(options).await.unwrap(), folder }
    }

    /// The same data directory in what stands for a new process.
    pub async fn reopened(self) -> Self {
        self.local.close().await.unwrap();
        let Self { local, folder } = self;
        drop(local);
        Self::over(folder).await
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    pub async fn call(&self, request: Request) -> Response {
        self.local.call(request).await.unwrap()
    }

    pub async fn refused(&self, request: Request) -> Problem {
        self.local.call(request).await.unwrap_err()
    }

    /// Starts a run and waits until it ends or waits for the person.
    pub async fn run(&self, session: Option<&str>, unattended: bool) -> RunId {
        let start = StartRun {
            agent: AGENT.to_owned(),
            request: QUESTION.to_owned(),
            session: session.map(str::to_owned),
            attend: PausePolicy { replies: Vec::new(), unattended },
            ..StartRun::default()
        };
        let run = answer!(self.call(Request::RunStart(Box::new(start))).await, Run);
        self.local.engine().wait(&run).await.unwrap();
        run
    }

    pub async fn reply(&self, run: &RunId, reply: Reply, unattended: bool) {
        let request = Request::RunAnswer {
            run: run.clone(),
            pause: None,
            reply: Box::new(reply),
            attend: PausePolicy { replies: Vec::new(), unattended },
        };
        self.call(request).await;
        self.local.engine().wait(run).await.unwrap();
    }

    pub async fn state(&self, run: &RunId) -> RunState {
        let request =
            Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: Some(0), outputs: true };
        *answer!(self.call(request).await, RunState)
    }

    pub async fn list(&self, view: SessionView) -> Vec<SessionRow> {
        let query = SessionQuery { view, ..SessionQuery::default() };
        answer!(self.call(Request::SessionList(query)).await, Sessions).sessions
    }

    pub async fn counts(&self) -> SessionCounts {
        answer!(self.call(Request::SessionCounts).await, SessionCounts)
    }

    pub async fn session(&self, session: &str) -> SessionState {
        let request = Request::SessionShow { session: session.to_owned(), before: None, limit: 0 };
        *answer!(self.call(request).await, SessionState)
    }

    pub async fn patch(&self, session: &str, patch: SessionPatch) {
        self.call(Request::SessionUpdate { sessions: vec![session.to_owned()], patch }).await;
    }
}
