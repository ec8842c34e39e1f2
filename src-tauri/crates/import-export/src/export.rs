//! Sessions on their way out.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use engine::ExportCheck;
use protocol::{ExportOptions, ExportPreview, ExportWritten, SessionQuery, SessionView, TransferFormat};
use secrets::{Entry, ExposeSecret as _};
use support::{blocking, now_ms};
use transfer::{HtmlOptions, Redactor, Secret, Transcript, to_html, to_markdown, write_jsonl};

use crate::ImportExport;

/// The most sessions whose texts are looked through for a preview.
const LOOKED_THROUGH: usize = 500;
/// The shortest part of a secret that is searched for on its own.
const MIN_PART_BYTES: usize = 6;
/// Why nothing is taken out of a bundle, and what to do instead.
const WHOLE: &str = "a bundle holds everything as it is stored, also what looks private: its logs and payloads are known by \
     their digests. Lines of JSON can be imported, too, and what looks private can be taken out of them";

impl ImportExport {
    /// What would leave, and what would be taken out of it.
    pub async fn export_preview(&self, of: &ExportOptions) -> Result<ExportPreview, Problem> {
        let sessions = self.chosen(of).await?;
        let (redactor, mut notes) = self.redactor(of).await?;
        let mut found = transfer::Findings::default();
        let mut messages = 0;
        for session in sessions.iter().take(LOOKED_THROUGH) {
            let transcript = self.gather(session, ExportCheck::Unchecked).await?;
            messages += transcript.messages.len() as u64;
            let redactor = redactor.clone();
            found = blocking(move || {
                redactor.findings(&transcript, &mut found);
                Ok(found)
            })
            .await?;
        }
        if sessions.len() > LOOKED_THROUGH {
            notes.push(format!("only the first {LOOKED_THROUGH} sessions were looked through; the others are cleaned in the same way"));
        }
        if of.format == TransferFormat::Bundle {
            notes.push(WHOLE.to_owned());
        }
        let more = found.more;
        Ok(ExportPreview { sessions: sessions.len() as u32, messages, findings: found.list(), more, notes })
    }

    /// Writes sessions to files.
    pub async fn export_write(&self, of: &ExportOptions) -> Result<ExportWritten, Problem> {
        let sessions = self.chosen(of).await?;
        if of.format == TransferFormat::Bundle {
            return self.export_bundle(of, &sessions).await;
        }
        let (redactor, notes) = self.redactor(of).await?;
        let extension = match of.format {
            TransferFormat::Jsonl => "jsonl",
            TransferFormat::Markdown => "md",
            TransferFormat::Html | TransferFormat::Bundle => "html",
        };
        let one = sessions.len() == 1;
        let target = match (&of.path, one) {
            (Some(path), _) => absolute(path)?,
            (None, true) => {
                let folder = self
                    .env
                    .session_folder(&sessions[0])
                    .ok_or_else(|| invalid("that is no session's id"))?;
                folder.join("export").join(format!("{}.{extension}", sessions[0]))
            }
            (None, false) => self.env.home.join("exports").join(format!("{}-{extension}", now_ms())),
        };
        let chosen = of.path.is_some();
        let mut written = ExportWritten {
            path: target.display().to_string(),
            files: 0,
            sessions: 0,
            bytes: 0,
            redacted: 0,
            notes,
        };
        let mut names = BTreeSet::new();
        let checking = if of.unchecked { ExportCheck::Unchecked } else { ExportCheck::Rechecked };
        for session in &sessions {
            let transcript = self.gather(session, checking).await?;
            let (redactor, of, target) = (redactor.clone(), of.clone(), target.clone());
            let name = if one { None } else { Some(file_name(&transcript, extension, &mut names)) };
            let (bytes, redacted) = blocking(move || {
                let (text, redacted) = written_as(&transcript, &of, &redactor)?;
                let path = name.map_or(target.clone(), |name| target.join(name));
                put(&path, &text, chosen)?;
                Ok((text.len() as u64, redacted))
            })
            .await?;
            written.files += 1;
            written.sessions += 1;
            written.bytes += bytes;
            written.redacted += redacted;
        }
        Ok(written)
    }

    async fn export_bundle(&self, of: &ExportOptions, sessions: &[String]) -> Result<ExportWritten, Problem> {
        if of.redact {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "nothing can be taken out of a bundle: its logs and payloads are known by their digests, and would no longer be those",
            )
            .with_action(
                "export lines of JSON (jsonl): what looks private is taken out of them, and they can be imported as well. Or make the bundle without taking anything out",
            ));
        }
        let target = match &of.path {
            Some(path) => absolute(path)?,
            None => self.env.home.join("exports").join(format!("{}.anbundle", now_ms())),
        };
        let fresh = fresh_name(&target);
        let (at, chosen) = (target.clone(), of.path.is_some());
        let made = fresh.clone();
        let out = blocking(move || {
            refuse_existing(&at, chosen)?;
            parent(&at)?;
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(true);
            // Secrets may stand in it.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(&made).map_err(|error| failed(&made, &error))
        })
        .await?;
        let ended = self.write_bundle(sessions, out, of.workspace_files).await;
        let path = target.clone();
        let (bytes, mut notes) = blocking(move || {
            let placed = ended.and_then(|notes| {
                // Somebody may have put a file there while it was written.
                refuse_existing(&path, chosen)?;
                std::fs::rename(&fresh, &path).map_err(|error| failed(&path, &error))?;
                Ok(notes)
            });
            if placed.is_err() {
                let _ = std::fs::remove_file(&fresh);
            }
            Ok((std::fs::metadata(&path).map_or(0, |seen| seen.len()), placed?))
        })
        .await?;
        notes.insert(0, WHOLE.to_owned());
        Ok(ExportWritten {
            path: target.display().to_string(),
            files: 1,
            sessions: sessions.len() as u32,
            bytes,
            redacted: 0,
            notes,
        })
    }

    /// The sessions that are meant.
    async fn chosen(&self, of: &ExportOptions) -> Result<Vec<String>, Problem> {
        let mut sessions = of.sessions.clone();
        if of.all || of.line.is_some() {
            for view in [SessionView::Inbox, SessionView::Archived] {
                let mut before = None;
                loop {
                    let query = SessionQuery {
                        view,
                        line: of.line.clone(),
                        limit: 200,
                        before,
                        ..Default::default()
                    };
                    let page = self.sessions.session_list(query).await?;
                    if let Some(mistake) = page.mistakes.first() {
                        return Err(invalid(&format!("the search line can't be read: {}", mistake.message)));
                    }
                    sessions.extend(page.sessions.into_iter().map(|row| row.session));
                    before = page.next;
                    if before.is_none() {
                        break;
                    }
                }
            }
        }
        let mut seen = BTreeSet::new();
        sessions.retain(|session| seen.insert(session.clone()));
        if sessions.is_empty() {
            return Err(Problem::new(ErrorCode::NotFound, "there is no session to export"));
        }
        Ok(sessions)
    }

    /// What takes things out, and what it could not know.
    pub(crate) async fn redactor(&self, of: &ExportOptions) -> Result<(Redactor, Vec<String>), Problem> {
        let vault = self.registry.vault().clone();
        let (values, notes) = blocking(move || {
            if !vault.path().exists() {
                return Ok((Vec::new(), Vec::new()));
            }
            let Ok(entries) = vault.list() else {
                return Ok((
                    Vec::new(),
                    vec![
                        "the vault is locked, so its own secrets were not searched for; unlock it first"
                            .to_owned(),
                    ],
                ));
            };
            let (mut values, mut notes) = (Vec::new(), Vec::new());
            for info in entries {
                match vault.entry(&info.name) {
                    Ok(Some(entry)) => values.extend(values_of(&entry)),
                    Ok(None) => {}
                    Err(_) => notes
                        .push(format!("{} of the vault can't be read and was not searched for", info.name)),
                }
            }
            Ok((values, notes))
        })
        .await?;
        Ok((Redactor::new(values).keeping(of.keep.iter().cloned()), notes))
    }

    /// A session as the page that is shared.
    pub async fn shared_page(&self, session: &str, keep: &[String]) -> Result<(String, String), Problem> {
        let mut of = ExportOptions { redact: true, keep: keep.to_vec(), ..ExportOptions::default() };
        let (redactor, notes) = self.redactor(&of).await?;
        // Others will read it: what can't be searched for can't be taken out.
        if let Some(note) = notes.into_iter().next() {
            return Err(Problem::new(ErrorCode::Conflict, format!("nothing was shared: {note}"))
                .with_action("unlock or repair the vault in Settings > Credentials, then share again"));
        }
        // A document that does not hold any more is shared all the same, and the page says that it was not checked.
        let transcript = match self.gather(session, ExportCheck::Rechecked).await {
            Ok(transcript) => transcript,
            Err(_) => {
                of.unchecked = true;
                self.gather(session, ExportCheck::Unchecked).await?
            }
        };
        blocking(move || {
            let title = redactor.text(&transcript.header.title);
            let (text, _) = written_as(&transcript, &of, &redactor)?;
            Ok((title, String::from_utf8_lossy(&text).into_owned()))
        })
        .await
    }
}

/// What is searched for of an entry of the vault: it whole, and its parts.
fn values_of(entry: &Entry) -> Vec<Secret> {
    let secret = entry.secret().expose_secret();
    let mut all = vec![Secret::new(secret)];
    // A user and a password are kept as one.
    all.extend(
        secret
            .split_once(':')
            .filter(|(_, part)| part.len() >= MIN_PART_BYTES)
            .map(|(_, part)| Secret::new(part)),
    );
    if let Entry::Token(token) = entry {
        let more = token.refresh.iter().chain(&token.client_secret);
        all.extend(more.map(|secret| Secret::new(secret.expose_secret())));
    }
    all
}

/// A session in its form, and how many values were taken out.
fn written_as(
    transcript: &Transcript,
    of: &ExportOptions,
    redactor: &Redactor,
) -> Result<(Vec<u8>, u64), Problem> {
    let (transcript, redacted) = if of.redact {
        let mut found = transfer::Findings::default();
        redactor.findings(transcript, &mut found);
        let left: u64 = found
            .list()
            .iter()
            .filter(|finding| !of.keep.contains(&finding.id))
            .map(|finding| u64::from(finding.count))
            .sum();
        (std::borrow::Cow::Owned(redactor.transcript(transcript)), left)
    } else {
        (std::borrow::Cow::Borrowed(transcript), 0)
    };
    let text = match of.format {
        TransferFormat::Jsonl => {
            let mut out = Vec::new();
            write_jsonl(&transcript, &mut out)
                .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
            out
        }
        TransferFormat::Markdown => to_markdown(&transcript).into_bytes(),
        TransferFormat::Html | TransferFormat::Bundle => {
            let mut notices = Vec::new();
            let documents = transcript.messages.iter().any(|message| message.document.is_some());
            if documents && of.unchecked {
                notices.push(
                    "Documents stand as they were checked when they were made; they were not checked again."
                        .to_owned(),
                );
            }
            if redacted > 0 {
                notices.push(format!(
                    "{redacted} values that looked private were taken out before this was written."
                ));
            }
            to_html(&transcript, &HtmlOptions { notices }).into_bytes()
        }
    };
    Ok((text, redacted))
}

/// A file's name after the session's title, unlike those before it.
fn file_name(transcript: &Transcript, extension: &str, names: &mut BTreeSet<String>) -> String {
    let header = &transcript.header;
    let words: String = header
        .title
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(8)
        .collect::<Vec<_>>()
        .join("-");
    let base = transfer::plain_name(&format!("{} {words}", header.id).replace(' ', "-"));
    let mut name = format!("{base}.{extension}");
    let mut number = 2;
    while !names.insert(name.to_lowercase()) {
        name = format!("{base}-{number}.{extension}");
        number += 1;
    }
    name
}

fn fresh_name(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.new", std::process::id()))
}

pub(crate) fn put(path: &Path, bytes: &[u8], chosen: bool) -> Result<(), Problem> {
    refuse_existing(path, chosen)?;
    parent(path)?;
    support::replace_file(path, bytes, support::Readers::Default).map_err(|error| failed(path, &error))
}

/// A file that the person named is never written over.
fn refuse_existing(path: &Path, chosen: bool) -> Result<(), Problem> {
    if chosen && std::fs::symlink_metadata(path).is_ok() {
        return Err(Problem::new(ErrorCode::Conflict, format!("{} is there already", path.display()))
            .with_action("choose another name, or remove it first"));
    }
    Ok(())
}

fn parent(path: &Path) -> Result<(), Problem> {
    match path.parent() {
        Some(folder) => std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error)),
        None => Ok(()),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{} could not be written: {error}", path.display()))
        .with_action("free space or correct the permissions, then export again")
}

pub(crate) fn absolute(path: &str) -> Result<PathBuf, Problem> {
    let path = PathBuf::from(path);
    if path.is_absolute() { Ok(path) } else { Err(invalid("a full path is needed")) }
}

fn invalid(what: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, what)
}

#[cfg(test)]
mod tests {
    use secrets::{SecretString, Token};

    use super::*;

    #[test]
    fn every_part_of_what_the_vault_holds_is_searched_for() {
        let mut token = Token::new(SecretString::from("the access token of eva"));
        token.refresh = Some(SecretString::from("the refresh token of eva"));
        token.client_secret = Some(SecretString::from("the client's own secret"));
        let entries = [Entry::Token(token), Entry::Secret(SecretString::from("eva:correct horse"))];
        let redactor = Redactor::new(entries.iter().flat_map(values_of));
        for text in [
            "the access token of eva",
            "the refresh token of eva",
            "the client's own secret",
            "eva:correct horse",
            "correct horse",
        ] {
            assert_eq!(
                redactor.text(&format!("<{text}>")),
                format!("<{}>", transfer::Kind::Vault.replacement())
            );
        }
    }
}
