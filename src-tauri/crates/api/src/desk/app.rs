//! The program itself.

use domain::Problem;

use super::{aside, bases};
use crate::check;
use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::wire::{AppInfo, Check};

impl Local {
    pub(super) async fn app_info(&self) -> Result<AppInfo, Problem> {
        // The engine counts its sessions itself; this is one of its own commands.
        let sessions = match Box::pin(self.call(Request::SessionCounts)).await {
            Ok(Response::SessionCounts(counts)) => counts.inbox.saturating_add(counts.archived),
            Ok(_) | Err(_) => 0,
        };
        let (home, database) = (self.home.clone(), self.engine.parts().store.data_dir().database());
        let live_runs = self.engine.live().len() as u32;
        let up_ms = self.desk.opened.elapsed().as_millis() as u64;
        aside(move || {
            Ok(AppInfo {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                logs: home.join("logs").display().to_string(),
                platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
                database_bytes: std::fs::metadata(database).map_or(0, |about| about.len()),
                knowledge_bytes: bases::bytes_below(&home.join("knowledge")),
                home: home.display().to_string(),
                sessions,
                live_runs,
                up_ms,
            })
        })
        .await
    }

    pub(super) async fn app_check(&self) -> Result<Vec<Check>, Problem> {
        let mut checks = check::of_program(&self.home);
        checks.extend(check::of_store(&self.engine.parts().store).await);
        let backup = self.settings_show().await?.backup;
        let (home, files, connections) = (self.home.clone(), self.files(), self.connections.clone());
        checks.extend(
            aside(move || {
                let mut checks = vec![check::of_backups(&home, &backup)];
                checks.extend(check::of_files(&home, &files));
                checks.extend(check::of_connections(&connections));
                Ok(checks)
            })
            .await?,
        );
        checks.extend(check::of_problems(self.config_problems().await?, self.slug()));
        Ok(checks)
    }
}
