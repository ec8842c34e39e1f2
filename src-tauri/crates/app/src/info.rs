//! The program itself.

use domain::Problem;
use protocol::{AppInfo, Check};
use support::{blocking, now_ms};

use crate::check;
use crate::local::Local;

impl Local {
    pub(crate) async fn app_info(&self) -> Result<AppInfo, Problem> {
        let counts = self.sessions.session_counts().await;
        let sessions = counts.map_or(0, |counts| counts.inbox.saturating_add(counts.archived));
        let (home, database) = (self.env.home.clone(), self.env.engine.parts().store.data_dir().database());
        let live_runs = self.env.engine.live().len() as u32;
        let up_ms = self.opened.elapsed().as_millis() as u64;
        blocking(move || {
            Ok(AppInfo {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                logs: home.join("logs").display().to_string(),
                platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
                database_bytes: std::fs::metadata(database).map_or(0, |about| about.len()),
                knowledge_bytes: library::bytes_below(&home.join("knowledge")),
                home: home.display().to_string(),
                sessions,
                live_runs,
                up_ms,
            })
        })
        .await
    }

    pub(crate) async fn app_check(&self) -> Result<Vec<Check>, Problem> {
        let mut checks = check::of_program(&self.env.home);
        checks.extend(check::of_store(&self.env.engine.parts().store).await);
        let backup = self.env.settings_show().await?.backup;
        let (home, files, connections) =
            (self.env.home.clone(), self.env.files(), self.connections.registry().clone());
        checks.extend(
            blocking(move || {
                let mut checks = vec![check::of_confinement(), check::of_backups(&home, &backup)];
                checks.extend(check::of_files(&home, &files));
                checks.extend(check::of_connections(&connections, files.slug()));
                Ok(checks)
            })
            .await?,
        );
        checks.push(check::of_web_search(&self.sources.web_search_show().await?));
        checks.extend(check::of_sources(&self.sources.source_list().await?));
        checks.extend(check::of_secrets(&self.connections.vault_show().await?.entries, now_ms()));
        checks.extend(check::of_problems(self.env.config_problems().await?, self.env.slug()));
        Ok(checks)
    }
}
