//! Commands on agents, sources, knowledge bases, jobs, settings and the program itself.

pub(crate) mod agents;
mod app;
mod bases;
mod connections;
mod forecast;
mod jobs;
mod knowledge;
mod permissions;
mod settings;
mod skills;
mod source_edit;
mod sources;
mod text;
mod themes;
mod usage;
mod vault;
mod watching;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use domain::{ErrorCode, Problem};

use crate::bases::Meanings;
use crate::connections::presets;
use crate::keeping::House;
use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::wire::{ConnectionTest, ConnectionView};
use crate::workspaces::{FileWatch, Live};

pub(crate) use agents::depths;
pub(crate) use bases::Shelf;
pub(crate) use jobs::{Step, end as end_jobs};
pub(crate) use settings::{current_workspace, fault as settings_fault};
pub(crate) use text::clipped;

/// What these commands keep between calls.
pub(crate) struct Desk {
    opened: Instant,
    pub(crate) shelf: Shelf,
    meanings: OnceLock<Meanings>,
    watching: watching::Watching,
    pub(crate) jobs: jobs::Jobs,
    pub(crate) house: House,
    pub(crate) settings: settings::Keeping,
    pub(crate) live: Live,
    /// How imports ended.
    pub(crate) imports: crate::transfer::Outcomes,
    pub(crate) file_watch: FileWatch,
    /// Trial starts of sources under way at once.
    trials: tokio::sync::Semaphore,
}

impl Desk {
    /// For a data directory.
    pub(crate) fn new(home: &Path) -> Self {
        Self {
            opened: Instant::now(),
            shelf: Shelf::new(home),
            meanings: OnceLock::new(),
            watching: watching::Watching::default(),
            jobs: jobs::Jobs::default(),
            house: House::default(),
            settings: settings::Keeping::new(home),
            live: Live::new(home),
            imports: crate::transfer::Outcomes::default(),
            file_watch: FileWatch::default(),
            trials: tokio::sync::Semaphore::new(2),
        }
    }
}

impl Local {
    /// Carries out a command of this module.
    pub(crate) async fn at_desk(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::AgentList => self.agent_list().await.map(Response::Agents),
            Request::AgentShow { slug } => {
                self.agent_show(slug).await.map(|agent| Response::Agent(Box::new(agent)))
            }
            Request::SourceList => self.source_list().await.map(Response::Sources),
            Request::SourceShow { slug } => {
                self.source_show(slug).await.map(|source| Response::Source(Box::new(source)))
            }
            Request::SourceTest { slug } => {
                self.source_test(slug).await.map(|trial| Response::SourceTest(Box::new(trial)))
            }
            Request::BaseList => self.base_list().await.map(Response::Bases),
            Request::BaseShow { base } => {
                self.base_show(base).await.map(|base| Response::Base(Box::new(base)))
            }
            Request::BaseParagraphs(crate::wire::BaseParagraphs { base, document, after, limit }) => {
                self.base_paragraphs(base, document, after, limit).await.map(Response::Paragraphs)
            }
            Request::BaseSearch(crate::wire::BaseSearch { base, text, limit, hops }) => {
                self.knowledge_search(vec![base], text, 0, limit, hops).await.map(Response::Hits)
            }
            Request::KnowledgeSearch(crate::wire::KnowledgeSearch { text, bases, after, limit, hops }) => {
                self.knowledge_search(bases, text, after, limit, hops).await.map(Response::Hits)
            }
            Request::BaseGraph { base, id, depth } => {
                self.base_graph(base, id, depth).await.map(Response::Graph)
            }
            Request::KnowledgeCatalog => self.knowledge_catalog().await.map(Response::Catalog),
            Request::BasePreview(ingest) => self.base_preview(ingest).await.map(Response::Preview),
            Request::BaseIngest(ingest) => self.base_ingest(ingest).await.map(Response::Job),
            Request::BaseAdd(crate::wire::BaseAdd { name, base, accepted, model }) => {
                self.base_add(name, base, accepted, model).await.map(Response::Job)
            }
            Request::ModelAdd { name, accepted } => self.model_add(name, accepted).await.map(Response::Job),
            Request::BaseWatch { base, on } => self.base_watch(base, on).await.map(|()| Response::Done),
            Request::BaseRemove { base } => self.base_remove(base).await.map(|()| Response::Done),
            Request::JobList => Ok(Response::Jobs(self.desk.jobs.list())),
            Request::JobCancel { job } => self.desk.jobs.cancel(&job).map(|()| Response::Done),
            Request::SettingsShow => self.settings_show().await.map(Response::Settings),
            Request::SettingsUpdate(patch) => self.settings_update(patch).await.map(Response::Settings),
            Request::ThemeList => self.theme_list().await.map(|list| Response::Themes(Box::new(list))),
            Request::ThemeSave(save) => {
                self.theme_save(*save).await.map(|row| Response::Theme(Box::new(row)))
            }
            Request::ThemeRemove(remove) => self.theme_remove(remove).await.map(|()| Response::Done),
            Request::ThemeImport(text) => {
                themes::read(&text).map(|theme| Response::ThemeImported(Box::new(theme)))
            }
            request @ (Request::ExportPreview(_)
            | Request::ExportWrite(_)
            | Request::ImportInspect(_)
            | Request::ImportRun(_)
            | Request::ImportShow(_)
            | Request::ShareAdd(_)
            | Request::ShareList
            | Request::ShareRevoke(_)) => Box::pin(self.at_transfer(request)).await,
            request @ (Request::WorkspaceList
            | Request::WorkspaceCreate(_)
            | Request::WorkspaceUpdate(_)
            | Request::WorkspaceRemove(_)
            | Request::WorkspaceRestore(_)
            | Request::WorkspaceOpenFolder(_)
            | Request::SessionMove(_)
            | Request::ConfigProblems) => Box::pin(self.at_workspaces(request)).await,
            Request::ConnectionList => self.connection_list().await.map(Response::Connections),
            Request::ConnectionShow { slug } => self.connection_show(slug).await.map(connection),
            Request::ConnectionPresets => Ok(Response::Presets(presets().to_vec())),
            Request::ConnectionSave(save) => self.connection_save(*save).await.map(connection),
            Request::ConnectionRemove { slug } => self.connection_remove(slug).await.map(|()| Response::Done),
            Request::ConnectionTest { slug, model } => self.connection_test(slug, model).await.map(tested),
            Request::ConnectionTry(save) => self.connection_try(*save).await.map(tested),
            Request::ConnectionModels { slug } => self.connection_models(slug).await.map(connection),
            Request::ModelUpdate(patch) => self.model_update(patch).await.map(connection),
            Request::SignInBegin { slug } => self.sign_in_begin(slug).await.map(Response::SignIn),
            Request::SignInShow { id } => self.connections.sign_ins().show(&id).map(Response::SignIn),
            Request::SignInCancel { id } => self.connections.sign_ins().cancel(&id).map(|()| Response::Done),
            Request::VaultShow => self.vault_show().await.map(Response::Vault),
            Request::VaultUnlock { passphrase } => self.vault_unlock(passphrase).await.map(Response::Vault),
            Request::VaultLock => self.vault_lock().await.map(Response::Vault),
            Request::VaultProtect { protection, passphrase } => {
                self.vault_protect(protection, passphrase).await.map(Response::Vault)
            }
            Request::SecretPut { name, value } => self.secret_put(name, value).await.map(|()| Response::Done),
            Request::SecretRemove { name } => self.secret_remove(name).await.map(|()| Response::Done),
            Request::CredentialsImport { path } => {
                self.credentials_import(path).await.map(Response::Imported)
            }
            Request::UsageShow(query) => {
                self.usage_show(query).await.map(|sums| Response::Usage(Box::new(sums)))
            }
            Request::UsageList { query, limit } => {
                self.usage_list(query, limit).await.map(Response::UsageRows)
            }
            Request::UsageExport(query) => self.usage_export(query).await.map(Response::Exported),
            Request::RunForecast(query) => {
                self.run_forecast(query).await.map(|forecast| Response::Forecast(Box::new(forecast)))
            }
            Request::AppInfo => self.app_info().await.map(Response::AppInfo),
            Request::AppCheck => self.app_check().await.map(Response::Checks),
            request @ (Request::PermissionShow | Request::GrantRevoke { .. } | Request::AuditList { .. }) => {
                Box::pin(self.at_permissions(request)).await
            }
            request @ (Request::SkillList { .. }
            | Request::SkillShow { .. }
            | Request::HelpList
            | Request::HelpShow { .. }
            | Request::MentionComplete { .. }) => Box::pin(self.at_skills(request)).await,
            request @ (Request::SourceSave(_)
            | Request::SourceRemove { .. }
            | Request::SourceEnable { .. }
            | Request::SourcePresets
            | Request::SourceCall { .. }
            | Request::SourceTrust { .. }
            | Request::SourceLog { .. }
            | Request::SourceImport { .. }
            | Request::SourceSignIn { .. }) => Box::pin(self.at_sources(request)).await,
            request @ (Request::AutomationList
            | Request::AutomationShow(_)
            | Request::AutomationSave(_)
            | Request::AutomationTry(_)
            | Request::AutomationRemove(_)
            | Request::AutomationEnable(_)
            | Request::AutomationFire(_)
            | Request::AutomationHistory(_)) => Box::pin(self.at_automations(request)).await,
            request @ (Request::BackupNow(_)
            | Request::BackupList
            | Request::BackupInspect(_)
            | Request::BackupVerify(_)
            | Request::BackupRestore(_)
            | Request::BackupRemove(_)
            | Request::DataShow
            | Request::DataClean(_)
            | Request::DataCheck(_)
            | Request::Retention(_)
            | Request::SessionDuplicate(_)
            | Request::DraftEarlier(_)) => Box::pin(self.at_keeping(request)).await,
            other => Box::pin(self.in_chat(other)).await,
        }
    }
}

fn connection(view: ConnectionView) -> Response {
    Response::Connection(Box::new(view))
}

fn tested(test: ConnectionTest) -> Response {
    Response::Tested(Box::new(test))
}

/// Work that waits for the disk, away from what must answer at once.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::new(ErrorCode::Internal, format!("the work ended early: {error}")))?
}
