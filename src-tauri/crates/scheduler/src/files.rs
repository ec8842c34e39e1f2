//! The file of automations: read as it last was right, changed only as it is now.

use automation::{AutomationFile, FileError};
use domain::{ErrorCode, Problem};
use gate::{parse, zone};
use protocol::{AutomationEnable, AutomationSave, AutomationView};
use store::Enabled;
use support::{blocking, now_ms};

use crate::Scheduler;

/// What is wrong with a change.
pub fn problem(error: &FileError) -> Problem {
    let code = match error {
        FileError::Unknown(_) => ErrorCode::NotFound,
        FileError::Newer(_) => ErrorCode::NewerData,
        FileError::Json { .. } | FileError::TooLong | FileError::Form(_) | FileError::Full => {
            ErrorCode::InvalidInput
        }
    };
    Problem::new(code, error.to_string())
}

pub fn unknown(id: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("there is no automation {id}"))
        .with_action("`agentnative schedule list` lists them")
}

impl Scheduler {
    /// Changes the file.
    async fn change(
        &self,
        change: impl FnOnce(&AutomationFile) -> Result<(AutomationFile, String), FileError> + Send + 'static,
    ) -> Result<String, Problem> {
        let (live, path) =
            (self.env.config.clone(), self.permissions.gate().automations().path(self.env.slug()));
        let id = blocking(move || {
            let now = live.current(&path, parse);
            let file = now.value.map_or_else(|| AutomationFile::empty(&zone()), |file| (*file).clone());
            let (file, id) = change(&file).map_err(|error| problem(&error))?;
            live.save(&path, now.digest, &file.text())?;
            Ok(id)
        })
        .await?;
        self.permissions.gate().automations().look_again();
        Ok(id)
    }

    /// Keeps an automation in the workspace's file; it has to be enabled (again) to fire.
    pub async fn automation_save(&self, save: AutomationSave) -> Result<AutomationView, Problem> {
        let AutomationView { row, .. } = self.automation_try(save.clone()).await?;
        if let Some(fault) = row.faults.first() {
            return Err(Problem::new(
                ErrorCode::InvalidConfig,
                format!("{}: {} {}", row.title, fault.place, fault.message),
            )
            .with_action("correct it; nothing was changed"));
        }
        let id = self.change(move |file| file.with(save.id.as_deref(), save.event, &save.entry)).await?;
        self.automation_show(&id).await
    }

    /// Removes an automation from the file.
    pub async fn automation_remove(&self, id: &str) -> Result<(), Problem> {
        let removed = id.to_owned();
        self.change(move |file| Ok((file.without(&removed)?, removed))).await?;
        // A new one of the same id must not find itself enabled.
        self.env.store().disable_automation(self.env.slug(), id).await?;
        self.permissions.gate().automations().look_again();
        Ok(())
    }

    /// Enables an automation as it is now, or takes that back.
    pub async fn automation_enable(&self, enable: AutomationEnable) -> Result<AutomationView, Problem> {
        let AutomationEnable { id, on, digest } = enable;
        let known = self.permissions.gate().automations().known(self.env.slug()).await?;
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
            self.env.store().enable_automation(self.env.slug(), &enabled).await?;
        } else {
            self.env.store().disable_automation(self.env.slug(), &id).await?;
        }
        self.permissions.gate().automations().look_again();
        self.automation_show(&id).await
    }
}
