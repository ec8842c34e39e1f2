//! Pages that others may read: snapshots under `<home>/shares`, each in a folder of its public id.
//!
//! The public id is 128 random bits; whoever knows it can read the page until it expires. The owner's token is told once and
//! kept as its SHA-256. A server of shares reads these folders alone: it opens no database and carries out no command.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use domain::{Digest, ErrorCode, Problem};
use protocol::{SharePageOptions, ShareRow};
use serde::{Deserialize, Serialize};
use support::{Readers, now_ms, random_hex, replace_file};

/// Days until a share expires, and the most.
const DAYS: u32 = 7;
const MAX_DAYS: u32 = 365;
/// The largest page, in bytes.
const MAX_PAGE_BYTES: u64 = 64 << 20;
/// Shares at once.
const MAX_SHARES: usize = 1_000;
const DAY: i64 = 86_400_000;

/// What is kept beside a page.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ShareRecord {
    session: String,
    title: String,
    created_at: i64,
    updated_at: i64,
    expires_at: i64,
    token: Digest,
}

/// The page of a share at a time, with its bytes; nothing for one that is unknown, broken or expired: who asks learns no
/// more. What is open stays readable when the page is made anew or removed meanwhile.
pub fn open_share(home: &Path, id: &str, now: i64) -> Option<(File, u64)> {
    let folder = folder_of(home, id)?;
    let card = card_of(&folder)?;
    if card.expires_at <= now {
        return None;
    }
    let (file, seen) = transfer::open_plain(&folder.join("page.html")).ok()?;
    (seen.len() <= MAX_PAGE_BYTES).then_some((file, seen.len()))
}

/// The text of that page.
pub fn read_share(home: &Path, id: &str, now: i64) -> Option<String> {
    let (file, bytes) = open_share(home, id, now)?;
    let mut text = String::new();
    file.take(bytes).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Ends a share where the token is its owner's; false for anything else, without saying what.
pub fn end_share(home: &Path, id: &str, token: &str) -> bool {
    let Some(folder) = folder_of(home, id) else { return false };
    let owns = card_of(&folder).is_some_and(|card| !token.is_empty() && same(card.token, Digest::of(token)));
    owns && std::fs::remove_dir_all(&folder).is_ok()
}

/// Whether two digests are the same. Every byte is looked at, so that the time tells nothing of them.
fn same(one: Digest, other: Digest) -> bool {
    one.0.iter().zip(other.0).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

/// Ends the shares of a session that is deleted for good.
pub fn end_shares_of(home: &Path, session: &str) -> std::io::Result<()> {
    for (folder, card) in cards(home) {
        if card.session == session {
            std::fs::remove_dir_all(folder)?;
        }
    }
    Ok(())
}

/// The present, in milliseconds since 1970.
pub fn now() -> i64 {
    now_ms()
}

fn folder_of(home: &Path, id: &str) -> Option<PathBuf> {
    let plain =
        id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    plain.then(|| home.join("shares").join(id))
}

fn card_of(folder: &Path) -> Option<ShareRecord> {
    let bytes = transfer::read_plain(&folder.join("share.json"), 64 << 10).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Makes a page, or makes it anew. Its owner's token is told this once.
pub fn store_share(home: &Path, of: &SharePageOptions, title: &str, page: &str) -> Result<ShareRow, Problem> {
    if page.len() as u64 > MAX_PAGE_BYTES {
        return Err(Problem::new(ErrorCode::InvalidInput, "the page is larger than 64 MiB")
            .with_action("export it as a file instead"));
    }
    let now = now_ms();
    let days = if of.days == 0 { DAYS } else { of.days.min(MAX_DAYS) };
    let expires_at = now.saturating_add(i64::from(days) * DAY);
    let (id, card, token) = match &of.replace {
        Some(id) => {
            let card = folder_of(home, id).and_then(|folder| card_of(&folder)).ok_or_else(unknown)?;
            let given = of.token.as_ref().map(|token| Digest::of(&token.0));
            if given.is_some_and(|given| !same(given, card.token)) {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    "that is not the owner's token of this share",
                ));
            }
            if card.session != of.session {
                return Err(Problem::new(ErrorCode::InvalidInput, "that share is of another session")
                    .with_action("make a new share for this one"));
            }
            (id.clone(), ShareRecord { title: title.to_owned(), updated_at: now, expires_at, ..card }, None)
        }
        None => {
            if list(home).len() >= MAX_SHARES {
                let what = format!("there are {MAX_SHARES} shares, the most at once");
                return Err(
                    Problem::new(ErrorCode::Conflict, what).with_action("end some that are not needed")
                );
            }
            let token = random_hex::<32>()?;
            let card = ShareRecord {
                session: of.session.clone(),
                title: title.to_owned(),
                created_at: now,
                updated_at: now,
                expires_at,
                token: Digest::of(&token),
            };
            (random_hex::<16>()?, card, Some(token))
        }
    };
    let folder = folder_of(home, &id).ok_or_else(unknown)?;
    make(&folder).map_err(|error| failed(&folder, &error))?;
    // The page first: a card without its page would be a promise that nobody keeps.
    write(&folder, "page.html", page.as_bytes())?;
    let text =
        serde_json::to_vec(&card).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    write(&folder, "share.json", &text)?;
    Ok(row(id, card, page.len() as u64, token))
}

/// Ends a share, as the person.
pub fn revoke_share(home: &Path, id: &str) -> Result<(), Problem> {
    let folder = folder_of(home, id).filter(|folder| folder.is_dir()).ok_or_else(unknown)?;
    std::fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))
}

fn row(id: String, card: ShareRecord, bytes: u64, token: Option<String>) -> ShareRow {
    ShareRow {
        path: format!("/s/{id}"),
        id,
        session: card.session,
        title: card.title,
        created_at: card.created_at,
        updated_at: card.updated_at,
        expires_at: card.expires_at,
        bytes,
        token,
    }
}

/// A share's folder, which nobody else on this machine looks into.
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Folders of shares with what is kept in each.
fn cards(home: &Path) -> Vec<(PathBuf, ShareRecord)> {
    let Ok(entries) = std::fs::read_dir(home.join("shares")) else { return Vec::new() };
    let folders = entries.filter_map(Result::ok).take(MAX_SHARES * 2);
    let folders = folders.filter_map(|entry| folder_of(home, &entry.file_name().to_string_lossy()));
    folders.filter_map(|folder| card_of(&folder).map(|card| (folder, card))).collect()
}

/// All shares, the newest first; those that expired a month ago are removed on the way.
pub fn list(home: &Path) -> Vec<ShareRow> {
    let mut rows = Vec::new();
    for (folder, card) in cards(home) {
        let id = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if card.expires_at.saturating_add(30 * DAY) < now_ms() {
            let _ = std::fs::remove_dir_all(&folder);
            continue;
        }
        let bytes = std::fs::metadata(folder.join("page.html")).map_or(0, |seen| seen.len());
        rows.push(row(id, card, bytes, None));
    }
    rows.sort_by(|a, b| (b.created_at, &a.id).cmp(&(a.created_at, &b.id)));
    rows
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Problem> {
    let path = folder.join(name);
    replace_file(&path, bytes, Readers::Person).map_err(|error| failed(&path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{} can't be changed: {error}", path.display()))
        .with_action("free space or correct the permissions, then try again")
}

fn unknown() -> Problem {
    Problem::new(ErrorCode::NotFound, "there is no such share")
}
