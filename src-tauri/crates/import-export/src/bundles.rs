//! Bundles on their way out: sessions as they are stored.

use std::fs::File;
use std::path::Path;

use domain::{Digest, ErrorCode, Problem, RunId};
use store::{Batch, BlobHash};
use support::{blocking, now_ms, unknown_session};
use transfer::{BundleWriter, Limits, Manifest, RunFile, SessionFile, StoredBatch};

use crate::ImportExport;
use crate::preview::of_bundle;

/// Files that are named among those that stayed behind.
const NAMED: usize = 20;
/// Folders of a session that leave with it.
pub const FOLDERS: [&str; 4] = ["attachments", "plans", "data", "results"];
/// Files of a workspace that leave with a bundle; nothing else in its folder is looked at.
pub const WORKSPACE: [&str; 7] =
    ["agents", "sources", "skills", "statuses", "labels", "permissions.json", "views.json"];

/// Files that could not go with their sessions.
#[derive(Default)]
struct MissingFiles {
    number: usize,
    named: Vec<String>,
}

impl MissingFiles {
    fn note(&mut self, name: &str, why: &str) {
        self.number += 1;
        if self.named.len() < NAMED {
            self.named.push(format!("{name} ({why})"));
        }
    }

    fn notes(self) -> Vec<String> {
        let more = self.number - self.named.len();
        let mut notes: Vec<String> = self.named.iter().map(|name| format!("left behind: {name}")).collect();
        if more > 0 {
            notes.push(format!("left behind: {more} more files"));
        }
        notes
    }
}

/// A bundle that is being written.
struct BundleOutput {
    bundle: BundleWriter<File>,
    left: MissingFiles,
}

impl ImportExport {
    /// Writes a bundle; what the person should know of it.
    pub async fn write_bundle(
        &self,
        sessions: &[String],
        out: File,
        workspace_files: bool,
    ) -> Result<Vec<String>, Problem> {
        let mut writing = BundleOutput { bundle: BundleWriter::new(out), left: MissingFiles::default() };
        for session in sessions {
            writing = self.bundle_session(session, writing).await?;
        }
        let root = workspace_files.then(|| self.env.files().root().to_owned());
        let manifest = Manifest {
            format: transfer::BUNDLE_FORMAT.to_owned(),
            version: transfer::BUNDLE_VERSION,
            schema: store::SCHEMA_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now_ms(),
            sessions: sessions.to_vec(),
            entries: Vec::new(),
        };
        blocking(move || {
            if let Some(root) = root {
                for part in WORKSPACE {
                    writing.tree(&root.join(part), &format!("workspace/{part}"))?;
                }
            }
            let BundleOutput { bundle, left } = writing;
            let out = bundle.finish(manifest).map_err(of_bundle)?;
            out.sync_all().map_err(|error| of_bundle(error.into()))?;
            Ok(left.notes())
        })
        .await
    }

    async fn bundle_session(
        &self,
        session: &str,
        mut writing: BundleOutput,
    ) -> Result<BundleOutput, Problem> {
        let row = self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        // In the order in which they were made, so that a run comes before those that work for it.
        let runs = self.env.store().runs_of(session).await?;
        for run in &runs {
            if self.env.engine.is_live(&RunId(run.clone())) {
                let what = format!("{run} is under way; a bundle holds what has ended");
                return Err(Problem::new(ErrorCode::Busy, what).with_action("wait for it, or stop it"));
            }
            self.bundle_run(session, run, &mut writing.bundle).await?;
        }
        let file = SessionFile {
            id: row.id,
            title: row.title,
            created_at: row.created_at,
            flagged: row.flagged,
            archived: row.archived,
            status: row.status,
            labels: row.labels,
            connection: row.connection,
            model: row.model,
            setup: self.env.store().session_setup(session).await?.unwrap_or_default(),
            messages: u64::from(row.messages),
            runs,
        };
        writing.bundle.add_json(&format!("sessions/{session}/session.json"), &file).map_err(of_bundle)?;
        let Some(folder) = self.env.session_folder(session) else { return Ok(writing) };
        let below = format!("sessions/{session}/files");
        blocking(move || {
            for part in FOLDERS {
                writing.tree(&folder.join(part), &format!("{below}/{part}"))?;
            }
            Ok(writing)
        })
        .await
    }

    async fn bundle_run(
        &self,
        session: &str,
        run: &str,
        bundle: &mut BundleWriter<File>,
    ) -> Result<(), Problem> {
        let file = self.stored_run(run).await?;
        for digest in &file.blobs {
            let bytes = self.env.store().get_blob(BlobHash::from_bytes(digest.0)).await?;
            bundle.add(&format!("blobs/{digest}"), &bytes).map_err(of_bundle)?;
        }
        bundle.add_json(&format!("sessions/{session}/runs/{run}.json"), &file).map_err(of_bundle)?;
        Ok(())
    }

    /// A run's row and log as they are stored, with the digests of its payloads.
    pub(crate) async fn stored_run(&self, run: &str) -> Result<RunFile, Problem> {
        let row = self.env.store().get_run(run).await?;
        let batches = self.env.store().load_events(run).await?;
        let mut log = Vec::with_capacity(batches.len());
        for Batch { seq_first, seq_last, at_ms, bytes } in batches {
            let events = String::from_utf8(bytes)
                .map_err(|_| Problem::new(ErrorCode::Corrupt, format!("the log of {run} is no text")))?;
            log.push(StoredBatch { first: seq_first, last: seq_last, at: at_ms, events });
        }
        let blobs = self.env.store().run_blobs(run).await?;
        let (meta, meta_is_hex) = match String::from_utf8(row.meta) {
            Ok(text) => (text, false),
            Err(error) => (hex::encode(error.as_bytes()), true),
        };
        Ok(RunFile {
            id: row.id,
            kind: row.kind,
            agent: row.agent,
            status: row.status,
            title: row.title,
            line: row.line,
            previous: row.previous_run,
            parent: row.parent,
            created_at: row.created_at,
            updated_at: row.updated_at,
            meta,
            meta_is_hex,
            log,
            blobs: blobs.iter().map(|(hash, _)| Digest(*hash.as_bytes())).collect(),
        })
    }
}

impl BundleOutput {
    /// Adds the plain files below a folder, or a file. Links and what no reader would take stay behind.
    fn tree(&mut self, path: &Path, name: &str) -> Result<(), Problem> {
        let Ok(seen) = std::fs::symlink_metadata(path) else { return Ok(()) };
        // Of folders, too: however deep they are, their names have an end.
        if let Err(fault) = transfer::check_name(name) {
            self.left.note(name, &fault.to_string());
            return Ok(());
        }
        if seen.is_file() {
            return self.file(path, name, seen.len());
        }
        if !seen.is_dir() {
            self.left.note(name, "it is a link or no file");
            return Ok(());
        }
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("{} can't be read: {error}", path.display()))
        };
        let mut entries =
            std::fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let part = entry.file_name();
            match part.to_str() {
                Some(part) => self.tree(&entry.path(), &format!("{name}/{part}"))?,
                None => {
                    self.left.note(&format!("{name}/{}", part.to_string_lossy()), "its name is not UTF-8");
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str, bytes: u64) -> Result<(), Problem> {
        let most = Limits::default().entry_bytes;
        if bytes > most {
            self.left.note(name, &format!("it has {bytes} bytes, at most {most} are taken"));
            return Ok(());
        }
        let bytes = transfer::read_plain(path, most)
            .map_err(|error| Problem::new(ErrorCode::Storage, error.to_string()))?;
        if !self.bundle.add(name, &bytes).map_err(of_bundle)? {
            self.left.note(name, "another file differs from it in upper and lower case only");
        }
        Ok(())
    }
}
