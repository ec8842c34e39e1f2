//! The program itself.

use domain::Problem;
use domain::connection::ProviderKind;
use workspace::Workspace;

use super::{aside, bases};
use crate::check;
use crate::local::Local;
use crate::request::{Request, Response};
use crate::wire::{AppInfo, Check, ConnectionRow, CredentialState, WorkspaceRow};

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
        let home = self.home.clone();
        checks.extend(aside(move || Ok(check::of_files(&home))).await?);
        Ok(checks)
    }

    pub(super) fn workspace_list(&self) -> Vec<WorkspaceRow> {
        vec![WorkspaceRow {
            id: "default".to_owned(),
            name: "Default".to_owned(),
            folder: Workspace::open(&self.home).root().display().to_string(),
        }]
    }

    pub(super) fn connection_list(&self) -> Vec<ConnectionRow> {
        let providers = self.connections.built_in().iter();
        providers
            .map(|(slug, provider)| ConnectionRow {
                slug: slug.clone(),
                name: match slug.as_str() {
                    "offline" => "Offline engine".to_owned(),
                    other => other.to_owned(),
                },
                description: match slug.as_str() {
                    "offline" => "No language model: it selects and arranges sentences of the knowledge base by fixed \
                                  rules. It needs no key and no network, costs nothing, and sends nothing anywhere."
                        .to_owned(),
                    _ => "Set up where the program was started.".to_owned(),
                },
                provider: ProviderKind::Offline,
                address: String::new(),
                credential: CredentialState::NotNeeded,
                default_model: Some(provider.default_model()),
                models: vec![provider.default_model()],
                default: slug == "offline",
                built_in: true,
                flat_rate: false,
                tested: None,
                problem: None,
            })
            .collect()
    }
}
