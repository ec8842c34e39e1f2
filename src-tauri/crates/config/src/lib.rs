//! Files that a person edits, as they were last valid, and where they are.
//!
//! [`ConfigStore`] gives every such file of a workspace: of a broken file the last valid version, after a restart too, with
//! what is wrong with it. [`SettingsFile`] does so for the settings, which the program writes as well.
//!
//! Architecture invariant: no database, no engine.

pub mod home;
mod last_valid;
mod part;
mod settings;
mod store;

pub use last_valid::{AgentInstructions, LastValid};
pub use part::Part;
pub use settings::{SettingsFile, current_workspace, fault as settings_fault};
pub use store::{ConfigStore, Current, FileChange, REPLACEMENT_TIME, Stamp, broken_file};
