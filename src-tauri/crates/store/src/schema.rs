//! The schema's versions: which statements lead from one to the next.

use crate::tables::{
    blobs, drafts, model_calls, permissions, queue, run_events, runs, sessions, source_notes,
};

/// Schema version of this build, kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: u32 = 4;

/// `PRAGMA application_id` of every database of this program: "AgNt" in ASCII.
pub(crate) const APPLICATION_ID: u32 = 0x4167_4e74;

/// One step of one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Migration {
    /// The schema version this step belongs to.
    pub(crate) version: u32,
    /// Statements, each ended by a semicolon.
    pub(crate) sql: &'static str,
}

/// What the database has to look like: a version and the steps to it, tables in order of reference.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schema {
    pub(crate) version: u32,
    pub(crate) tables: &'static [&'static [Migration]],
}

impl Schema {
    pub(crate) const CURRENT: Self = Self {
        version: SCHEMA_VERSION,
        tables: &[
            sessions::MIGRATIONS,
            runs::MIGRATIONS,
            run_events::MIGRATIONS,
            blobs::MIGRATIONS,
            drafts::MIGRATIONS,
            runs::PROJECTION,
            model_calls::MIGRATIONS,
            runs::KINDS,
            permissions::MIGRATIONS,
            queue::MIGRATIONS,
            source_notes::MIGRATIONS,
        ],
    };

    /// All of `version` in one transaction: either the whole step and its number, or nothing.
    pub(crate) fn script(&self, version: u32) -> String {
        let steps = self.tables.iter().flat_map(|table| table.iter());
        let mut script = String::from("BEGIN IMMEDIATE;\n");
        for step in steps.filter(|step| step.version == version) {
            script.push_str(step.sql);
            script.push('\n');
        }
        script.push_str(&format!("PRAGMA user_version = {version};\nCOMMIT;"));
        script
    }
}
