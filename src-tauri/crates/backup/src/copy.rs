//! A session copied whole, within a database or from one into another.
//!
//! Where ids are taken, runs get new ones, and every text in their events that is exactly an old id becomes the new one.
//! Payloads keep their digests. What was spent was spent once: requests to models are not copied, and what had not ended
//! waits for the person.

use std::collections::HashMap;
use std::path::PathBuf;

use domain::{ErrorCode, Problem, RunStatus};
use serde_json::Value;
use sessions::suspension;
use store::{
    Blob, BlobHash, Commit, NewRun, NewSession, Run, RunChange, RunUpdate, Session, SessionUpdate, Store,
};
use support::{blocking, now_ms, unknown_session};

use crate::{Maintenance, files};

/// References and payloads of one commit, and about the most bytes of its payloads.
const AT_ONCE: usize = 500;
const AT_ONCE_BYTES: u64 = 16 << 20;
/// Subfolders of a session that are not copied: what undoes changes of files belongs to the turns that made them.
const LEFT: &str = "undo/";

/// What is copied.
pub struct CopyRequest<'a> {
    /// The database that has it.
    pub from: &'a Store,
    /// The folder with its files; it may be missing.
    pub files: PathBuf,
    /// Its id.
    pub session: &'a str,
    /// The id of the copy; free.
    pub new: &'a str,
    /// Whether its runs get new ids.
    pub renamed: bool,
}

impl Maintenance {
    /// Copies a session with everything that was said in it. Gives the new one.
    pub async fn session_duplicate(&self, session: &str) -> Result<String, Problem> {
        let store = self.env.store();
        let row = store.get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let live = self.sessions.live_runs();
        if store.runs_of(session).await?.iter().any(|run| live.contains(run)) {
            return Err(Problem::new(
                ErrorCode::Busy,
                "something is under way in this session; nothing was copied",
            )
            .with_action("stop it, or wait until it has ended"));
        }
        let new = self.env.engine.new_session().await?.0;
        let files = self.env.session_folder(session).ok_or_else(|| unknown_session(session))?;
        self.copy_session(CopyRequest { from: store, files, session, new: &new, renamed: true }).await?;
        let title = format!("{} (copy)", row.title);
        let back = SessionUpdate {
            title: Some(title),
            flagged: Some(false),
            unread: Some(false),
            archived: Some(false),
            deleted: Some(false),
            ..SessionUpdate::default()
        };
        store.update_sessions(std::slice::from_ref(&new), &back, now_ms()).await?;
        Ok(new)
    }

    /// Copies a session into this data directory. When it fails nothing is left of the copy.
    pub async fn copy_session(&self, copying: CopyRequest<'_>) -> Result<(), Problem> {
        let new = copying.new.to_owned();
        let copied = self.copy_all(copying).await;
        if copied.is_err() {
            self.env.store().delete_session(&new).await?;
            if let Some(folder) = self.env.session_folder(&new) {
                blocking(move || files::remove(&folder)).await?;
            }
        }
        copied
    }

    async fn copy_all(&self, copying: CopyRequest<'_>) -> Result<(), Problem> {
        let CopyRequest { from, files, session, new, renamed } = copying;
        let row = from.get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let target = self.env.session_folder(new).ok_or_else(|| unknown_session(new))?;
        blocking(move || {
            let (paths, _) = files::below(&files)?;
            for path in paths.iter().filter(|path| !path.starts_with(LEFT)) {
                let to = target.join(path);
                if let Some(parent) = to.parent() {
                    files::private_folder(parent)?;
                }
                files::copy(&files.join(path), &to)?;
            }
            Ok(())
        })
        .await?;
        let runs = from.runs_of(session).await?;
        let mut ids: HashMap<String, String> = HashMap::new();
        if renamed {
            ids.insert(session.to_owned(), new.to_owned());
            ids.extend(runs.iter().map(|run| (run.clone(), engine::run_id().0)));
        }
        let setup = from.session_setup(session).await?.unwrap_or_default();
        let own = NewSession {
            id: new.to_owned(),
            title: row.title.clone(),
            setup,
            workspace: row.workspace.clone(),
        };
        for run in &runs {
            self.copy_run(from, &from.get_run(run).await?, &own, &ids).await?;
        }
        let labels = from.labels_of(session).await?;
        self.env.store().update_sessions(&[new.to_owned()], &stands(row, labels), now_ms()).await?;
        Ok(())
    }

    async fn copy_run(
        &self,
        from: &Store,
        run: &Run,
        session: &NewSession,
        ids: &HashMap<String, String>,
    ) -> Result<(), Problem> {
        let named = |id: &String| ids.get(id).unwrap_or(id).clone();
        let id = named(&run.id);
        let same = std::ptr::eq(from, self.env.store());
        // What is under way goes on at the next start: a copy of it would be paid for as well.
        let suspends = run.status == RunStatus::Running.as_str();
        let created = NewRun {
            session: session.clone(),
            agent: run.agent.clone(),
            status: if suspends { RunStatus::Suspended.to_string() } else { run.status.clone() },
            title: run.title.clone(),
            line: run.line.clone(),
            previous_run: run.previous_run.as_ref().map(named),
            kind: run.kind.clone(),
            parent: run.parent.as_ref().map(named),
            meta: run.meta.clone(),
            ..NewRun::default()
        };
        let begun = Commit {
            run: id.clone(),
            at_ms: run.created_at,
            change: RunChange::Create(created),
            ..Commit::default()
        };
        self.env.store().commit(begun).await?;
        let mut seq = 0;
        let mut refs = from.run_blobs(&run.id).await?;
        while !refs.is_empty() {
            let (mut bytes, mut number) = (0, 0);
            while number < refs.len().min(AT_ONCE)
                && (same || number == 0 || bytes + refs[number].1 <= AT_ONCE_BYTES)
            {
                bytes += refs[number].1;
                number += 1;
            }
            let part: Vec<BlobHash> = refs.drain(..number).map(|(hash, _)| hash).collect();
            let mut commit = Commit { run: id.clone(), at_ms: run.created_at, ..Commit::default() };
            if same {
                commit.refs = part;
            } else {
                for hash in part {
                    commit.blobs.push(Blob::new(from.get_blob(hash).await?)?);
                }
            }
            self.env.store().commit(commit).await?;
        }
        for batch in from.load_events(&run.id).await? {
            let commit = Commit {
                run: id.clone(),
                expect_seq: seq,
                seq_last: batch.seq_last,
                at_ms: batch.at_ms,
                events: rewritten(batch.bytes, ids)?,
                ..Commit::default()
            };
            seq = batch.seq_last;
            self.env.store().commit(commit).await?;
        }
        let update = RunUpdate { title: Some(run.title.clone()), ..RunUpdate::default() };
        let mut ended = Commit {
            run: id.clone(),
            expect_seq: seq,
            seq_last: seq,
            at_ms: run.updated_at,
            change: RunChange::Update(update),
            ..Commit::default()
        };
        if suspends {
            ended.seq_last += 1;
            ended.events = suspension(&run.kind, ended.seq_last, run.updated_at)?;
        }
        self.env.store().commit(ended).await?;
        // What can't be read is found by its title only.
        let passages = self.sessions.passages_of(&id, &run.kind).await.unwrap_or_default();
        self.env.store().index_run(&id, passages).await?;
        Ok(())
    }
}

/// What a person set on a session.
fn stands(row: Session, labels: Vec<(String, String)>) -> SessionUpdate {
    SessionUpdate {
        title: None,
        flagged: Some(row.flagged),
        unread: Some(row.unread),
        archived: Some(row.archived),
        deleted: Some(false),
        status: Some(row.status),
        add_labels: labels,
        connection: Some(row.connection),
        model: Some(row.model),
        ..SessionUpdate::default()
    }
}

/// Events with other ids.
fn rewritten(events: Vec<u8>, ids: &HashMap<String, String>) -> Result<Vec<u8>, Problem> {
    if ids.is_empty() {
        return Ok(events);
    }
    let broken = |error: serde_json::Error| {
        Problem::new(ErrorCode::Corrupt, format!("events that can't be read: {error}"))
    };
    let mut value: Value = serde_json::from_slice(&events).map_err(broken)?;
    rename(&mut value, ids);
    serde_json::to_vec(&value).map_err(broken)
}

fn rename(value: &mut Value, ids: &HashMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(new) = ids.get(text) {
                text.clone_from(new);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, ids)),
        Value::Object(fields) => fields.values_mut().for_each(|value| rename(value, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_texts_that_are_an_id_are_renamed() {
        let ids = HashMap::from([("run-a".to_owned(), "run-b".to_owned())]);
        let events = br#"[[1,{"run":"run-a","text":"about run-a","deep":[{"id":"run-a"}]}]]"#.to_vec();
        let renamed: Value = serde_json::from_slice(&rewritten(events, &ids).unwrap()).unwrap();
        assert_eq!(
            renamed,
            serde_json::json!([[1, {"run": "run-b", "text": "about run-a", "deep": [{"id": "run-b"}]}]])
        );
        assert!(rewritten(b"{".to_vec(), &ids).is_err());
        assert_eq!(rewritten(b"{".to_vec(), &HashMap::new()).unwrap(), b"{");
    }
}
