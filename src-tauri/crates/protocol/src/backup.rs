//! Backups, what takes space, and what is put away by itself.

use domain::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a backup is made by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum BackupEvery {
    #[default]
    Off,
    Daily,
    Weekly,
}

/// Backups that are made by themselves, in `settings.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BackupSettings {
    /// How often.
    pub every: BackupEvery,
    /// The folder, absolute; empty for `backups/snapshots` in the data directory.
    pub folder: String,
    /// How many of those made by themselves are kept, 1 to 100. Others stay until they are removed.
    pub keep: u32,
    /// Whether knowledge bases go into them. What is unchanged since the backup before takes no room again.
    pub bases: bool,
}

impl Default for BackupSettings {
    fn default() -> Self {
        Self { every: BackupEvery::Off, folder: String::new(), keep: 7, bases: false }
    }
}

/// What happens to sessions as they grow old, in `settings.json`. Zero days: nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionSettings {
    /// Days after which a session that is done and read is archived.
    pub archive_done_days: u32,
    /// Days after which an archived session goes into the trash.
    pub trash_archived_days: u32,
    /// Days after which what is in the trash goes for good.
    pub empty_trash_days: u32,
    /// Whether flagged sessions stay where they are.
    pub keep_flagged: bool,
    /// Sessions with one of these labels stay where they are.
    pub keep_labels: Vec<String>,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            archive_done_days: 0,
            trash_archived_days: 0,
            empty_trash_days: 7,
            keep_flagged: true,
            keep_labels: Vec::new(),
        }
    }
}

/// Which sessions the rules of age concern now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionState {
    /// Sessions that would be archived.
    pub archive: u32,
    /// Sessions that would go into the trash.
    pub trash: u32,
    /// Sessions that would go for good.
    pub purge: u32,
    /// What the rules did before, newest first; at most 50.
    pub past: Vec<RetentionRun>,
}

/// What the rules of age did at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetentionRun {
    /// Its number.
    pub number: i64,
    /// Milliseconds since 1970.
    pub at: i64,
    /// Sessions that were archived.
    pub archived: u32,
    /// Sessions that went into the trash.
    pub trashed: u32,
    /// Sessions that went for good.
    pub purged: u32,
    /// Whether it was taken back.
    pub undone: bool,
}

/// What the rules of age are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RetentionQuery {
    /// Rules to try instead of those in force; nothing is changed.
    pub rules: Option<RetentionSettings>,
    /// Whether those in force are applied now.
    pub apply: bool,
    /// What was done at a time is taken back first, by its number.
    pub undo: Option<i64>,
}

/// Why a backup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupKind {
    /// The person asked for it.
    Manual,
    /// By itself.
    Scheduled,
    /// What was there before a backup was restored.
    Replaced,
}

/// A backup in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupRow {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Why it was made.
    pub kind: BackupKind,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The program's version that made it; may be empty.
    pub version: String,
    /// The database's schema.
    pub schema: u32,
    /// Sessions in it.
    pub sessions: u64,
    /// Runs in it.
    pub runs: u64,
    /// Files in it, the database among them.
    pub files: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Bytes that it shares with other backups.
    pub shared: u64,
    /// Why it can't be used.
    pub problem: Option<Problem>,
}

/// All backups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupList {
    /// The folder of new ones.
    pub folder: String,
    /// The backups, newest first.
    pub backups: Vec<BackupRow>,
    /// What takes the place of the data when the program starts next, in words.
    pub due: Option<String>,
    /// When the next one is made by itself, in milliseconds since 1970.
    pub next: Option<i64>,
}

/// A backup by its name in the list, or its folder; empty for the newest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupRef {
    /// The name or folder.
    #[serde(default)]
    pub backup: String,
}

/// How a backup is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BackupNow {
    /// The folder that it goes below; without it the one that is set.
    pub folder: Option<String>,
    /// Whether knowledge bases go into it; without it as it is set.
    pub bases: Option<bool>,
}

/// How a session of a backup stands to the present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupDifference {
    /// Both have it, unchanged since.
    Same,
    /// Both have it, and it went on since.
    Newer,
    /// Only the backup has it.
    Gone,
    /// Only the present has it: restoring everything puts it aside.
    Added,
}

/// A session as a backup and the present have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupSession {
    /// Its id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// How it stands.
    pub difference: BackupDifference,
    /// Milliseconds since 1970 of its last change in the backup; now, where only the present has it.
    pub updated_at: i64,
    /// Runs in the backup.
    pub runs: u32,
    /// Runs now.
    pub runs_now: u32,
}

/// What restoring a backup would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupView {
    /// The backup.
    pub row: BackupRow,
    /// Sessions that differ, those gone first; at most 500.
    pub differing: Vec<BackupSession>,
    /// Sessions that both have, unchanged.
    pub same: u64,
    /// Sessions that went on since.
    pub newer: u64,
    /// Sessions that only the backup has.
    pub gone: u64,
    /// Sessions that only the present has.
    pub added: u64,
    /// Files and folders that would be replaced.
    pub replaces: Vec<String>,
    /// Whether it has a vault.
    pub vault: bool,
}

/// How a backup is restored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BackupRestore {
    /// Its name in the list, or its folder; empty for the newest.
    pub backup: String,
    /// Only these sessions; each gets an id of its own where one of that id is there. Empty: everything.
    pub sessions: Vec<String>,
    /// Whether the vault is restored, too. Otherwise the present one stays.
    pub vault: bool,
    /// Gives up what is due at the next start, and nothing else.
    pub give_up: bool,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The sessions that are there now, in the order asked for.
    pub sessions: Vec<String>,
    /// Whether it takes effect when the program starts next.
    pub at_next_start: bool,
    /// What happened, in words.
    pub text: String,
}

/// A part of the data with its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataPart {
    /// What it is, in words.
    pub name: String,
    /// Bytes on the disk.
    pub bytes: u64,
    /// What can make it smaller, where something can.
    pub clean: Option<CleanKind>,
}

/// A session with what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LargeSession {
    /// Its id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Bytes in the database; payloads that several sessions share count for each.
    pub stored: u64,
    /// Bytes of its files.
    pub files: u64,
}

/// A session's folder without its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrphanFolder {
    /// Its name.
    pub name: String,
    /// Bytes in it.
    pub bytes: u64,
    /// Files in it.
    pub files: u64,
}

/// What takes space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataSizes {
    /// Bytes of the whole data directory; backups elsewhere are not counted.
    pub total: u64,
    /// Parts of the database.
    pub database: Vec<DataPart>,
    /// Files beside it.
    pub files: Vec<DataPart>,
    /// The largest sessions; at most 20.
    pub largest: Vec<LargeSession>,
    /// Folders whose session is gone; at most 200.
    pub orphans: Vec<OrphanFolder>,
}

/// What can be cleaned up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CleanKind {
    /// Free pages inside the database.
    Free,
    /// Everything in the trash, for good.
    Trash,
    /// What was kept to undo changes of files, of turns older than 30 days.
    Undo,
    /// Folders of sessions that are gone.
    Orphans,
    /// Attachments that no message took for a week.
    Attachments,
    /// Files of exports.
    Exports,
    /// Lists of models and other things that are fetched again.
    Cache,
    /// Copies made before older versions were brought up to date.
    Copies,
    /// Remains of deleted words anywhere in the database: it is written anew.
    Rewrite,
}

/// What is to be cleaned up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataClean {
    /// What.
    pub what: Vec<CleanKind>,
    /// Whether it is only looked at what that would free.
    #[serde(default)]
    pub preview: bool,
    /// Of folders without a session only these; empty: all.
    #[serde(default)]
    pub names: Vec<String>,
}

/// What was cleaned up, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleaned {
    /// What.
    pub what: CleanKind,
    /// How many things.
    pub count: u64,
    /// Bytes that it freed, or is likely to.
    pub bytes: u64,
    /// What could not be done, in words; may be empty.
    pub note: String,
}

/// A check of the stored data, as a job whose warnings are the findings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct DataCheck {
    /// Whether every payload is read and compared with its digest; otherwise a sample.
    pub full: bool,
    /// Whether a repaired database is prepared. It takes its place when the program starts next; the damaged one is kept.
    pub repair: bool,
}

/// A session that is copied as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionCopy {
    /// The session.
    pub session: String,
}

/// Whose earlier drafts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DraftKey {
    /// Where it was typed.
    pub key: String,
}
