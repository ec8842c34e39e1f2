//! A conversation copied up to one of its turns.

use std::path::Path;

use dialogue::{Event, Record, State};
use domain::{Digest, ErrorCode, Problem, RunId, RunStatus, SessionId};
use store::{Blob, BlobHash, Commit, Durability, NewRun, NewSession, RunChange};

use super::history::SessionFiles;
use super::imported::{bytes_of, pinned};
use super::journal::status_of;
use super::turns::LoadedTurn;
use super::{KIND, history::Item};
use crate::Engine;
use crate::core::ids;
use crate::core::log::encode_log;
use crate::core::payloads::Payloads as _;
use crate::core::problem::store as store_problem;

/// Folders of a session that its turns refer to.
const FOLDERS: [&str; 3] = ["attachments", "results", "plans"];
/// The most files that a branch takes along.
const MAX_FILES: usize = 10_000;

impl Engine {
    pub(super) async fn branch_at(&self, run: &RunId) -> Result<SessionId, Problem> {
        let last = self.load_turn(run).await?;
        if last.journal.state.end.is_none() {
            let what = format!("turn {run} is not over");
            return Err(Problem::new(ErrorCode::Conflict, what).with_action("wait for it, or stop it"));
        }
        let from = SessionFiles::new(&self.parts().home, &last.row.session);
        let store = &self.parts().store;
        let before = store.session_setup(&last.row.session).await.map_err(store_problem)?;
        let title = store.get_session(&last.row.session).await.map_err(store_problem)?;
        let (title, workspace) = title.map(|session| (session.title, session.workspace)).unwrap_or_default();
        let links = self.links(last).await?;
        let session = self.new_session().await?;
        let to = SessionFiles::new(&self.parts().home, &session.0);
        for folder in FOLDERS {
            copy(&from.0.join(folder), &to.0.join(folder)).await?;
        }
        let new = NewSession {
            id: session.0.clone(),
            title: format!("{title} (branch)"),
            setup: before.unwrap_or_default(),
            workspace,
        };
        let mut previous: Option<RunId> = None;
        for link in links {
            previous = Some(self.copy_link(link, &new, previous).await?);
        }
        Ok(session)
    }

    /// The turns and runs of a conversation, the oldest first.
    async fn links(&self, last: LoadedTurn) -> Result<Vec<Link>, Problem> {
        let store = &self.parts().store;
        let runs = self.conversation_to(Some(last.journal.run.clone())).await?.runs;
        let mut links = vec![Link::Turn(Box::new(last))];
        for run in runs.into_iter().skip(1).take(MAX_FILES) {
            let row = store.get_run(&run.0).await.map_err(store_problem)?;
            links.push(match row.kind == KIND {
                true => Link::Turn(Box::new(self.load_turn(&run).await?)),
                false => Link::Run(run),
            });
        }
        links.reverse();
        Ok(links)
    }

    async fn copy_link(
        &self,
        link: Link,
        session: &NewSession,
        previous: Option<RunId>,
    ) -> Result<RunId, Problem> {
        let run = ids::run_id();
        let LoadedTurn { mut row, mut records, mut journal, .. } = match link {
            Link::Turn(turn) => *turn,
            Link::Run(old) => return self.told_again(&old, session, previous).await,
        };
        // What had not ended waits in the copy: there it would be paid for, too.
        if row.status == RunStatus::Running.as_str() {
            RunStatus::Suspended.as_str().clone_into(&mut row.status);
            journal.push(Event::Suspended)?;
            records.extend_from_slice(journal.pending());
        }
        let id = SessionId(session.id.clone());
        for record in &mut records {
            if let Event::TurnStarted { session, previous: follows, .. } = &mut record.event {
                *session = id.clone();
                follows.clone_from(&previous);
            }
        }
        let commit = Commit {
            run: run.0.clone(),
            seq_last: journal.state.seq,
            at_ms: records.last().map_or(0, |record| record.at) as i64,
            events: encode_log(&records)?,
            refs: records
                .iter()
                .flat_map(|record| record.event.payloads())
                .map(|digest| BlobHash::from_bytes(digest.0))
                .collect(),
            passages: self.passages(&records).await?,
            change: RunChange::Create(NewRun {
                session: session.clone(),
                agent: row.agent,
                status: row.status,
                title: row.title,
                line: row.line,
                previous_run: previous.map(|run| run.0),
                kind: KIND.to_owned(),
                ..NewRun::default()
            }),
            durability: Durability::Full,
            ..Commit::default()
        };
        self.parts().store.commit(commit).await.map_err(store_problem)?;
        Ok(run)
    }

    /// What can be found again of a copied log; its payloads are stored already.
    async fn passages(&self, records: &[Record]) -> Result<Vec<store::Passage>, Problem> {
        let mut payloads = std::collections::HashMap::new();
        for digest in records.iter().flat_map(|record| record.event.payloads()) {
            payloads.insert(digest, self.parts().store.payload(digest).await?);
        }
        Ok(crate::core::passages::passages_of_turn(records, |digest| payloads.get(&digest)))
    }

    /// A staged run stays where it is; the copy has its question and its answer as a turn.
    async fn told_again(
        &self,
        old: &RunId,
        session: &NewSession,
        previous: Option<RunId>,
    ) -> Result<RunId, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&old.0).await.map_err(store_problem)?;
        let (mut asked, mut answer) = (domain::UserMessage::default(), String::new());
        for item in
            &self.chain(Some(old.clone())).await?.last().map(|past| past.items.clone()).unwrap_or_default()
        {
            match item {
                Item::Message { message, .. } => asked = message.clone(),
                Item::Said(text) => answer.clone_from(text),
                Item::Told(_) | Item::Answer { .. } | Item::Summary(_) => {}
            }
        }
        let run = ids::run_id();
        let (pinned, message) = (bytes_of(&pinned("", &[]))?, bytes_of(&asked)?);
        let answer = answer.into_bytes();
        let start = Event::TurnStarted {
            session: SessionId(session.id.clone()),
            agent: None,
            origin: dialogue::Origin::Person,
            message: Digest::of(&message),
            previous: previous.clone(),
            pinned: Digest::of(&pinned),
            mode: domain::Mode::default(),
            bounds: dialogue::Bounds::default(),
        };
        let end = Event::TurnEnded { end: dialogue::End::Answered, answer: Some(Digest::of(&answer)) };
        let at = u64::try_from(row.created_at).unwrap_or_default();
        let mut state = State::default();
        let mut records = Vec::new();
        for (event, seq) in [start, end].into_iter().zip(1..) {
            let record = Record { seq, at, v: dialogue::EVENT_VERSION, active_ms: 0, event };
            state.apply(&record).map_err(crate::core::problem::internal)?;
            records.push(record);
        }
        let passages = crate::core::passages::passages_of_turn(&records, |digest| {
            [&message, &answer].into_iter().find(|bytes| Digest::of(bytes) == digest)
        });
        let blobs: Result<Vec<Blob>, _> = [pinned, message, answer].into_iter().map(Blob::new).collect();
        let commit = Commit {
            run: run.0.clone(),
            seq_last: state.seq,
            at_ms: row.created_at,
            events: encode_log(&records)?,
            blobs: blobs.map_err(store_problem)?,
            passages,
            change: RunChange::Create(NewRun {
                session: session.clone(),
                status: status_of(&state).to_string(),
                title: row.title,
                line: row.line,
                previous_run: previous.map(|run| run.0),
                kind: KIND.to_owned(),
                ..NewRun::default()
            }),
            durability: Durability::Full,
            ..Commit::default()
        };
        store.commit(commit).await.map_err(store_problem)?;
        Ok(run)
    }
}

/// A link of a conversation.
enum Link {
    Turn(Box<LoadedTurn>),
    Run(RunId),
}

/// Copies the files of a folder; without one there is nothing to do.
async fn copy(from: &Path, to: &Path) -> Result<(), Problem> {
    let failed = |path: &Path, error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{} can't be copied: {error}", path.display()))
            .with_action("free some space and try again")
    };
    let mut entries = match tokio::fs::read_dir(from).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(from, error)),
    };
    tokio::fs::create_dir_all(to).await.map_err(|error| failed(to, error))?;
    let mut left = MAX_FILES;
    while let Some(entry) = entries.next_entry().await.map_err(|error| failed(from, error))? {
        let path = entry.path();
        if left > 0 && entry.file_type().await.is_ok_and(|kind| kind.is_file()) {
            left -= 1;
            tokio::fs::copy(&path, to.join(entry.file_name())).await.map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}
