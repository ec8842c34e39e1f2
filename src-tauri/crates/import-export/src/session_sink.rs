//! Storing sessions that were brought over, a group at a time.

use std::collections::HashMap;

use domain::Problem;
use protocol::ImportDone;
use store::{Bulk, Commit};
use support::{blocking, now_ms};

use crate::ImportExport;
use crate::commits::{commit_bulk, commit_bytes, commit_one};
use crate::files::{copy_session_files, put_attachments};
use crate::imported_session::ImportedSession;
use crate::research::Researched;

/// The kind of a staged run, which has a document.
const RUN_KIND: &str = "run";
/// Bytes from which a bulk is stored, and those from which a commit goes alone.
const BULK_BYTES: u64 = 8 << 20;
const ALONE: usize = 200 << 10;
/// Ids of new sessions that are told.
const TOLD: usize = 200;

/// Hands over what sessions became.
pub struct SessionSink<'a> {
    pub local: &'a ImportExport,
    pub done: &'a mut ImportDone,
}

impl SessionSink<'_> {
    /// Notes the sessions of a group, stores them with their files and documents, and notes them as done.
    pub async fn store(&mut self, group: Group) -> Result<(), Problem> {
        let store = self.local.env.store();
        let begun: Vec<([u8; 32], String)> = group
            .made
            .iter()
            .filter(|made| !made.known)
            .map(|made| (made.source.0, made.session.clone()))
            .collect();
        store.begin_imports(&begun, now_ms()).await?;
        let Group { bulks, mut made } = group;
        if made.iter().any(|made| !made.files.is_empty() || !made.attachments.is_empty()) {
            let home = self.local.env.home.clone();
            made = blocking(move || {
                for made in &mut made {
                    let files = std::mem::take(&mut made.files);
                    copy_session_files(&home, &made.session, files, &mut made.report);
                    let files = std::mem::take(&mut made.attachments);
                    put_attachments(&home, &made.session, files, &mut made.report);
                }
                Ok(made)
            })
            .await?;
        }
        let mut ended = Vec::new();
        // By run: its session, and how far it goes.
        let (mut told, mut met) = (HashMap::new(), Vec::new());
        let mut documents: Vec<Researched> = Vec::new();
        let mut bulks = bulks.into_iter().peekable();
        for (place, made) in made.into_iter().enumerate() {
            while let Some((_, bulk)) = bulks.next_if(|(until, _)| *until <= place) {
                met.extend(commit_bulk(store, bulk).await?);
            }
            let ImportedSession {
                session,
                source,
                ends,
                alone,
                update,
                report,
                messages,
                known,
                failed,
                renewed,
                files: _,
                attachments: _,
                research,
            } = made;
            self.done.report.take(report);
            if let Some(problem) = failed {
                self.done.report.leave_out("session", &session, problem.message, "");
                continue;
            }
            told.extend(ends.into_iter().map(|(run, last)| (run, (session.clone(), last))));
            for commit in alone {
                met.extend(commit_one(store, commit).await?);
            }
            // What was there whole has nothing new; a turn that it got elsewhere since is stored all the same.
            if known {
                self.done.known += 1;
                self.done.renewed += u32::from(renewed);
                continue;
            }
            documents.extend(research);
            ended.push((source.0, session.clone(), update));
            self.done.imported += 1;
            self.done.messages += messages;
            if self.done.sessions.len() < TOLD {
                self.done.sessions.push(session);
            }
            self.done.report.keep("session", 1);
            self.done.report.keep("message", messages);
        }
        for (_, bulk) in bulks {
            met.extend(commit_bulk(store, bulk).await?);
        }
        for run in met {
            if let Some((session, last)) = told.get(&run)
                && store.last_seq(&run).await? < *last
            {
                let why = "its last turn went on there after it was brought over; here it stays as it was";
                self.done.report.change("session", session, why, "");
            }
        }
        for document in documents {
            self.document(document).await?;
        }
        store.end_imports(&ended, now_ms()).await?;
        Ok(())
    }

    /// Stores a document of research: it is found, and may be followed up.
    async fn document(&mut self, document: Researched) -> Result<(), Problem> {
        let Researched { commit, session, name } = document;
        let run = commit.run.clone();
        commit_one(self.local.env.store(), commit).await?;
        // What can't be read is found by its title only.
        let passages = self.local.sessions.passages_of(&run, RUN_KIND).await.unwrap_or_default();
        self.local.env.store().index_run(&run, passages).await?;
        self.done.report.bring(
            "document",
            &name,
            format!("shown, searched and to be followed up in {session}"),
            "",
        );
        Ok(())
    }
}

/// A group of sessions, ready to be stored.
#[derive(Default)]
pub struct Group {
    /// The commits of most of them, each with the number of sessions before its end: they are stored in their order.
    bulks: Vec<(usize, Bulk)>,
    made: Vec<ImportedSession>,
}

/// Gathers what sessions became. Those with long turns are stored commit by commit.
pub fn grouped(all: impl Iterator<Item = ImportedSession>) -> Result<Group, Problem> {
    let mut group = Group::default();
    let mut bulk = Bulk::default();
    for mut made in all {
        let goes_along =
            |commit: &Commit| commit.expect_seq == 0 && commit.is_whole() && commit_bytes(commit) < ALONE;
        let alone = made.failed.is_some() || !made.alone.iter().all(goes_along);
        if alone || bulk.bytes() >= BULK_BYTES {
            group.bulks.push((group.made.len(), std::mem::take(&mut bulk)));
        }
        if !alone {
            made.alone.drain(..).try_for_each(|commit| bulk.push(commit))?;
        }
        group.made.push(made);
    }
    group.bulks.push((group.made.len(), bulk));
    Ok(group)
}
