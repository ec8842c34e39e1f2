//! The words of `backup` and `data`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `backup`.
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Make a backup now.
    Now {
        /// The folder that it goes below; default: the one of the settings.
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// List backups, newest first.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what restoring a backup would change.
    Inspect {
        /// Its name or folder; default: the newest.
        #[arg(default_value = "")]
        backup: String,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Compare every file of a backup with its digest and check its database.
    Verify {
        /// Its name or folder; default: the newest.
        #[arg(default_value = "")]
        backup: String,
    },
    /// Bring a backup back. What is there now is put aside and kept.
    Restore(RestoreArgs),
    /// Remove a backup.
    Remove {
        /// Its name.
        backup: String,
    },
}

/// `backup restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// Its name or folder; default: the newest.
    #[arg(default_value = "")]
    pub backup: String,
    /// Bring only this session back, beside what is there; may be given several times.
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
    /// Restore the vault of keys, too; otherwise the present one stays.
    #[arg(long)]
    pub vault: bool,
    /// Give up a restore that waits for the next start.
    #[arg(long, conflicts_with_all = ["session", "vault"])]
    pub give_up: bool,
    /// Do not ask.
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// `data`.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// Give space back; may be given several times.
    #[arg(long, value_name = "WHAT")]
    pub clean: Vec<Clean>,
    /// Only show what cleaning up would free.
    #[arg(long, requires = "clean")]
    pub preview: bool,
    /// Check whether what is stored is sound.
    #[arg(long, conflicts_with = "clean")]
    pub check: bool,
    /// Check every text against its digest.
    #[arg(long, conflicts_with = "clean")]
    pub full: bool,
    /// Make a fresh database of all that can be read of this one. The damaged one is kept.
    #[arg(long, conflicts_with_all = ["clean", "check", "full"])]
    pub repair: bool,
    /// Print the answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What can be cleaned up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Clean {
    /// Free pages inside the database.
    Free,
    /// Everything in the trash, for good.
    Trash,
    /// What undoes changes of files, of turns older than 30 days.
    Undo,
    /// Folders of sessions that are gone.
    Orphans,
    /// Attachments that no message took for a week.
    Attachments,
    /// Files of exports.
    Exports,
    /// What is fetched again.
    Cache,
    /// Copies made before updates, all but the newest.
    Copies,
    /// Remains of deleted words: the database is written anew.
    Rewrite,
}
