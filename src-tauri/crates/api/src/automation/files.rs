//! The file of automations: read as it last was right, changed only as it is now.

use std::path::PathBuf;

use automation::{AutomationFile, FileError};
use domain::{ErrorCode, Problem};
use store::Enabled;
use workspace::{ConfigProblem, Workspace};

use super::Hooks;
use crate::corpus::now_ms;
use crate::desk::aside;
use crate::local::Local;
use crate::wire::{AutomationEnable, AutomationSave, AutomationView};

/// Its name in a workspace's folder.
const FILE: &str = "automations.json";

impl Hooks {
    /// Where the automations of a workspace are.
    pub(super) fn path(&self, workspace: &str) -> PathBuf {
        Workspace::named(&self.home, workspace).root().join(FILE)
    }
}

/// Reads the text of such a file; `file` is its name in problems.
pub(super) fn parse(file: &str, text: &str) -> Result<AutomationFile, Vec<ConfigProblem>> {
    AutomationFile::parse(text, &zone()).map_err(|error| {
        vec![ConfigProblem {
            file: file.to_owned(),
            pointer: String::new(),
            line: match &error {
                FileError::Json { line, .. } => Some(*line),
                _ => None,
            },
            expected: "automations by event".to_owned(),
            found: error.to_string(),
            remedy: Some("correct the file; until then the automations that it last had hold".to_owned()),
        }]
    })
}

/// The system's time zone, by its name.
pub(super) fn zone() -> String {
    let system = jiff::tz::TimeZone::system();
    system.iana_name().filter(|name| automation::is_zone(name)).unwrap_or("UTC").to_owned()
}

/// What is wrong with a change.
pub(super) fn problem(error: &FileError) -> Problem {
    let code = match error {
        FileError::Unknown(_) => ErrorCode::NotFound,
        FileError::Newer(_) => ErrorCode::NewerData,
        FileError::Json { .. } | FileError::TooLong | FileError::Form(_) | FileError::Full => {
            ErrorCode::InvalidInput
        }
    };
    Problem::new(code, error.to_string())
}

pub(super) fn unknown(id: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("there is no automation {id}"))
        .with_action("`agentnative schedule list` lists them")
}

impl Local {
    /// Changes the file.
    async fn change(
        &self,
        change: impl FnOnce(&AutomationFile) -> Result<(AutomationFile, String), FileError> + Send + 'static,
    ) -> Result<String, Problem> {
        let (live, path) = (self.desk.live.clone(), self.chat.hooks().path(self.slug()));
        let id = aside(move || {
            let now = live.current(&path, parse);
            let file = now.value.map_or_else(|| AutomationFile::empty(&zone()), |file| (*file).clone());
            let (file, id) = change(&file).map_err(|error| problem(&error))?;
            live.save(&path, now.digest, &file.text())?;
            Ok(id)
        })
        .await?;
        self.chat.hooks().look_again();
        Ok(id)
    }

    pub(super) async fn automation_save(&self, save: AutomationSave) -> Result<AutomationView, Problem> {
        let id = self.change(move |file| file.with(save.id.as_deref(), save.event, &save.entry)).await?;
        self.automation_show(&id).await
    }

    pub(super) async fn automation_remove(&self, id: &str) -> Result<(), Problem> {
        let removed = id.to_owned();
        self.change(move |file| Ok((file.without(&removed)?, removed))).await?;
        // A new one of the same id must not find itself enabled.
        self.store().disable_automation(self.slug(), id).await?;
        self.chat.hooks().look_again();
        Ok(())
    }

    pub(super) async fn automation_enable(
        &self,
        enable: AutomationEnable,
    ) -> Result<AutomationView, Problem> {
        let AutomationEnable { id, on, digest } = enable;
        let known = self.chat.hooks().known(self.slug()).await?;
        if on {
            let entry = known.file.entry(&id).ok_or_else(|| unknown(&id))?;
            if let Some(fault) = entry.faults.first() {
                return Err(Problem::new(
                    ErrorCode::InvalidConfig,
                    format!("{} can't be enabled: {} {}", entry.title(), fault.place, fault.message),
                )
                .with_action("correct it first"));
            }
            let now = entry.digest.to_string();
            if now != digest {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("{} is another than the one that was shown; it was not enabled", entry.title()),
                )
                .with_action("look at what it does now, and enable that"));
            }
            let enabled = Enabled { id: id.clone(), digest, at: now_ms() };
            self.store().enable_automation(self.slug(), &enabled).await?;
        } else {
            self.store().disable_automation(self.slug(), &id).await?;
        }
        self.chat.hooks().look_again();
        self.automation_show(&id).await
    }
}
