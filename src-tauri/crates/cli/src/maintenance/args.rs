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
        /// Take the knowledge bases along; default: as in the settings.
        #[arg(long)]
        with_bases: bool,
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
        /// The name of the backup, or its folder; default: the newest.
        #[arg(default_value = "")]
        backup: String,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Compare every file of a backup with its digest and check its database.
    Verify {
        /// The name of the backup, or its folder; default: the newest.
        #[arg(default_value = "")]
        backup: String,
    },
    /// Restore a backup. The present data is set aside and kept.
    Restore(RestoreArgs),
    /// Remove a backup.
    Remove {
        /// The name of the backup.
        backup: String,
    },
}

/// `backup restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The name of the backup, or its folder; default: the newest.
    #[arg(default_value = "")]
    pub backup: String,
    /// Restore only this session, beside the present ones; can be given several times.
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
    /// Restore the vault of keys, too; otherwise the present one stays.
    #[arg(long)]
    pub vault: bool,
    /// Cancel a restore that is due at the next start.
    #[arg(long, conflicts_with_all = ["session", "vault"])]
    pub give_up: bool,
    /// Do not ask for confirmation.
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// `data`.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// What to clean up; can be given several times.
    #[arg(long, value_name = "WHAT")]
    pub clean: Vec<Clean>,
    /// Only show what cleaning up would free.
    #[arg(long, requires = "clean")]
    pub preview: bool,
    /// Check the stored data for damage.
    #[arg(long, conflicts_with = "clean")]
    pub check: bool,
    /// Check every text against its digest.
    #[arg(long, conflicts_with = "clean")]
    pub full: bool,
    /// Prepare a repaired database from everything that can be read. The damaged one is kept.
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
    /// Undo data of turns older than 30 days.
    Undo,
    /// Folders of sessions that are gone.
    Orphans,
    /// Attachments that no message has used for a week.
    Attachments,
    /// Files of exports.
    Exports,
    /// Caches.
    Cache,
    /// Copies made before updates, all but the newest.
    Copies,
    /// Remains of deleted text: the database is rewritten.
    Rewrite,
}
