//! The schema's versions: which statements lead from one to the next.

use crate::tables::{
    automations, blobs, drafts, imports, judgements, labels, model_calls, packs, passages, permissions,
    queue, retention, run_events, runs, sessions, source_notes,
};

/// Schema version of this build, kept in `PRAGMA user_version`.
pub const SCHEMA_VERSION: u32 = 8;

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
            retention::MIGRATIONS,
            labels::MIGRATIONS,
            packs::MIGRATIONS,
            passages::MIGRATIONS,
            automations::MIGRATIONS,
            imports::MIGRATIONS,
            judgements::MIGRATIONS,
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use pretty_assertions::assert_eq;

    use super::*;
    use crate::BlobHash;

    /// SHA-256 of the script of every version that was released. A script that someone's database has gone through never
    /// changes again: what is to be different is a step of the next version.
    const RELEASED: [&str; 7] = [
        "652cab77fc1a5244877f58bb2f1c032819b885481cf3c13a2ea1ed2406e4d18f",
        "b3b4386b07c1413506c8eef0dd97ee5ff7f496bf0c98b9970511fe8f786717a3",
        "d1d3689ec79b61053737e4395fcb0b40d19b7cd7b710b9d9c011a6297e81a057",
        "eb820a5a6f333baeb97166197c7ba62b4bea6d8d6e1e215d1c30837dbb415e73",
        "17b9b0487c14d94f331469f39c22d74dc1d39e76e5acd7ae1a3c165b14aa6cf2",
        "6f150f7ef2fd1716f149f5ef2eb26fd5889e693432272ae1531b15eee2448f8c",
        "d263111e209545c970bc674cd262db09cfa72e18974c8955d0dd565aa6992d27",
    ];

    #[test]
    fn the_scripts_of_released_versions_stay_as_they_are() {
        assert!(RELEASED.len() + 1 >= SCHEMA_VERSION as usize, "pin the version that was released last");
        let digests: Vec<String> = (1..=RELEASED.len() as u32)
            .map(|version| BlobHash::of(Schema::CURRENT.script(version).as_bytes()).to_string())
            .collect();
        assert_eq!(digests, RELEASED);
    }

    /// The tests of older databases make them from these files, and so without this crate's code.
    #[test]
    fn the_frozen_scripts_are_those_of_the_schema() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/released");
        for version in 1..=SCHEMA_VERSION {
            let (file, script) = (folder.join(format!("{version}.sql")), Schema::CURRENT.script(version));
            if std::env::var_os("UPDATE_RELEASED").is_some() {
                fs::write(&file, &script).expect("writes");
            }
            assert_eq!(fs::read_to_string(&file).unwrap_or_default(), script, "{}", file.display());
        }
    }
}
