//! Which service carries out which command. A command without a handler does not compile.

use std::pin::Pin;

use connections::presets;
use conversations::{help_list, help_show, skill_try};
use domain::Problem;
use engine::ExportCheck;
use protocol::{DeclaredCommands, Request, Response, TaskComments};
use source_tools::{source_import, source_presets, source_read};

use crate::local::Local;

/// The answer to come.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send + 'a>>;

/// The answer of a service, as the response of that name.
macro_rules! answer {
    ($call:expr, $response:ident) => {
        Box::pin(async move { $call.await.map(Response::$response) })
    };
}

impl Local {
    /// Carries out a command.
    pub(crate) fn carry_out(&self, request: Request) -> Answer<'_> {
        match request {
            Request::RunStart(start) => answer!(self.conversations.run_start(*start), Run),
            Request::RunResume { run, attend } => answer!(self.conversations.run_resume(&run, attend), Run),
            Request::RunAnswer { run, pause, reply, attend } => Box::pin(async move {
                self.env.engine.answer(&run, pause, *reply, attend).await.map(Response::Answered)
            }),
            Request::RunGuide { run, text } => {
                Box::pin(async move { self.env.engine.guide(&run, text).await.map(|()| Response::Done) })
            }
            Request::RunCancel { run } => {
                Box::pin(async move { self.conversations.run_cancel(&run).await.map(|()| Response::Done) })
            }
            Request::RunSuspend { run } => {
                Box::pin(async move { self.env.engine.suspend(&run).await.map(|()| Response::Done) })
            }
            Request::RunList { limit, agent, status, before, turns } => Box::pin(async move {
                self.conversations.run_list(limit, agent, status, before, turns).await.map(Response::Runs)
            }),
            Request::RunShow { run, events_after, outputs } => Box::pin(async move {
                let state = self.conversations.run_show(&run, events_after, outputs).await?;
                Ok(Response::RunState(Box::new(state)))
            }),
            Request::RunFind { run } => answer!(self.conversations.run_find(&run), RunFound),
            Request::RunStage { run, stage } => Box::pin(async move {
                self.conversations.run_stage(&run, &stage).await.map(Box::new).map(Response::StageDetail)
            }),
            Request::RunProgress { run } => Box::pin(async move {
                self.conversations.run_progress(&run).await.map(Box::new).map(Response::Progress)
            }),
            Request::RunReplay { run, redrive } => Box::pin(async move {
                let replay = self.conversations.run_replay(&run, redrive).await?;
                Ok(Response::Replayed(replay))
            }),
            Request::RunExport { run, unchecked } => Box::pin(async move {
                self.conversations.run_export(&run, checking(unchecked)).await.map(Response::Written)
            }),
            Request::RunDocument { run } => Box::pin(async move {
                self.conversations
                    .run_document(&run)
                    .await
                    .map(|document| Response::Document(document.map(Box::new)))
            }),
            Request::RunCompare(pair) => Box::pin(async move {
                self.conversations.run_compare(&pair).await.map(Box::new).map(Response::Compared)
            }),
            Request::RunTokens { run, compare } => Box::pin(async move {
                self.conversations.run_tokens(&run, &compare).await.map(Box::new).map(Response::RunTokens)
            }),
            Request::RunCheck { run } => answer!(self.conversations.run_check(&run), Checked),
            Request::RunLock { run, reviewer, note } => Box::pin(async move {
                self.conversations.run_lock(&run, &reviewer, note).await.map(Response::Checked)
            }),
            Request::RunUnlock { run } => answer!(self.conversations.run_unlock(&run), Checked),
            Request::ProfileList => answer!(self.conversations.profile_list(), Profiles),
            Request::MissionForecast(start) => Box::pin(async move {
                self.conversations.mission_forecast(*start).await.map(Box::new).map(Response::MissionForecast)
            }),
            Request::MissionStart(start) => answer!(self.conversations.mission_start(*start), Run),
            Request::GraphImport { path, profile } => {
                answer!(self.conversations.graph_import(&path, profile), Run)
            }
            Request::MissionList => answer!(self.conversations.mission_list(), Missions),
            Request::MissionShow { mission } => Box::pin(async move {
                self.conversations.mission_show(&mission).await.map(Box::new).map(Response::Mission)
            }),
            Request::MissionSteer { mission, steer, unattended } => Box::pin(async move {
                self.conversations.mission_steer(&mission, steer, unattended).await.map(|()| Response::Done)
            }),
            Request::MissionResume { mission, unattended } => Box::pin(async move {
                self.env.engine.resume_mission(&mission, unattended).await.map(|()| Response::Done)
            }),
            Request::MissionJournal { mission } => Box::pin(async move {
                self.env.engine.mission_journal(&mission).await.map(Response::MissionJournal)
            }),
            Request::MissionGraph(query) => Box::pin(async move {
                self.conversations.mission_graph(query).await.map(Box::new).map(Response::MissionGraph)
            }),
            Request::ClaimShow { mission, claim } => Box::pin(async move {
                let shown = self.conversations.claim_show(&mission, &claim).await?;
                Ok(Response::ClaimProvenance(Box::new(shown)))
            }),
            Request::EntityShow { mission, entity } => Box::pin(async move {
                let shown = self.conversations.entity_show(&mission, &entity).await?;
                Ok(Response::Neighbourhood(Box::new(shown)))
            }),
            Request::MissionExport { mission, format } => {
                answer!(self.conversations.mission_export(&mission, format), Exported)
            }
            Request::MissionReport { mission } => answer!(self.env.engine.mission_report(&mission), Written),
            Request::AnswersCheck => Box::pin(async move {
                let check = self.conversations.answers_check().await?;
                Ok(Response::AnswersChecked(check))
            }),
            Request::SessionList(query) => answer!(self.sessions.session_list(query), Sessions),
            Request::SessionCounts => answer!(self.sessions.session_counts(), SessionCounts),
            Request::SessionShow { session, before, limit } => Box::pin(async move {
                let state = self.conversations.session_show(&session, before, limit).await?;
                Ok(Response::SessionState(Box::new(state)))
            }),
            Request::SessionUpdate { sessions, patch } => Box::pin(async move {
                self.sessions.session_update(&sessions, patch).await.map(|()| Response::Done)
            }),
            Request::SessionPurge { sessions } => answer!(self.sessions.session_purge(sessions), Purged),
            Request::SessionExport { session, run, format, unchecked, changes_from } => {
                Box::pin(async move {
                    self.conversations
                        .session_export(&session, run.as_ref(), format, checking(unchecked), changes_from)
                        .await
                        .map(Response::Exported)
                })
            }
            Request::DraftSave { key, text } => {
                Box::pin(async move { self.sessions.draft_save(&key, &text).await.map(|()| Response::Done) })
            }
            Request::DraftShow { key } => answer!(self.sessions.draft_show(&key), Draft),
            Request::ParagraphShow { base, run, id, quotes } => Box::pin(async move {
                let paragraph = self.library.paragraph_show(base, run, id, quotes).await?;
                Ok(Response::Paragraph(Box::new(paragraph)))
            }),
            Request::PagePicture(wanted) => Box::pin(async move {
                let page = self.library.page_picture(wanted).await?;
                Ok(Response::Page(Box::new(page)))
            }),
            Request::AgentList => Box::pin(async move { self.env.agent_list().await.map(Response::Agents) }),
            Request::AgentShow { slug } => {
                Box::pin(async move { self.env.agent_show(slug).await.map(Box::new).map(Response::Agent) })
            }
            Request::AgentMake(make) => {
                Box::pin(async move { self.env.agent_make(make).await.map(Box::new).map(Response::Agent) })
            }
            Request::AgentFiles { slug } => answer!(self.env.agent_files(slug), AgentFiles),
            Request::AgentTry { slug, files } => answer!(self.env.agent_try(slug, files), Problems),
            Request::AgentSave { slug, files } => {
                Box::pin(
                    async move { self.env.agent_save(slug, files).await.map(Box::new).map(Response::Agent) },
                )
            }
            Request::AgentRemove { slug } => {
                Box::pin(async move { self.env.agent_remove(slug).await.map(|()| Response::Done) })
            }
            Request::WebList { words, limit } => answer!(self.sources.web_list(words, limit), WebPages),
            Request::WebShow { url, block } => Box::pin(async move {
                self.sources.web_show(&url, block).await.map(Box::new).map(Response::WebText)
            }),
            Request::WebRefresh { url } => {
                Box::pin(
                    async move { self.sources.web_refresh(&url).await.map(Box::new).map(Response::WebPage) },
                )
            }
            Request::WebForget { url } => {
                Box::pin(async move { self.sources.web_forget(&url).await.map(|()| Response::Done) })
            }
            Request::WebPolicy => answer!(self.sources.web_policy(), WebPolicy),
            Request::WebProfileSet { profile } => answer!(self.sources.web_profile_set(profile), WebPolicy),
            Request::WebDecide(decided) => answer!(self.sources.web_decide(decided), WebPolicy),
            Request::WebLog { limit } => answer!(self.sources.web_log(limit), WebLog),
            Request::SourceList => answer!(self.sources.source_list(), Sources),
            Request::SourceShow { slug } => {
                Box::pin(
                    async move { self.sources.source_show(slug).await.map(Box::new).map(Response::Source) },
                )
            }
            Request::SourceTest { slug, approve } => Box::pin(async move {
                self.sources.source_test(slug, approve).await.map(Box::new).map(Response::SourceTest)
            }),
            Request::BaseList => Box::pin(async move { self.library.base_list().await.map(Response::Bases) }),
            Request::BaseShow { base } => {
                Box::pin(async move { self.library.base_show(base).await.map(Box::new).map(Response::Base) })
            }
            Request::BaseParagraphs(protocol::BaseParagraphs { base, document, after, limit }) => {
                Box::pin(async move {
                    self.library.base_paragraphs(base, document, after, limit).await.map(Response::Paragraphs)
                })
            }
            Request::BaseSearch(protocol::BaseSearch { base, text, limit, hops }) => Box::pin(async move {
                self.library.knowledge_search(vec![base], text, 0, limit, hops).await.map(Response::Hits)
            }),
            Request::KnowledgeSearch(protocol::KnowledgeSearch { text, bases, after, limit, hops }) => {
                Box::pin(async move {
                    self.library.knowledge_search(bases, text, after, limit, hops).await.map(Response::Hits)
                })
            }
            Request::BaseGraph { base, id, depth } => {
                answer!(self.library.base_graph(base, id, depth), Graph)
            }
            Request::KnowledgeCatalog => answer!(self.library.knowledge_catalog(), Catalog),
            Request::BasePreview(ingest) => answer!(self.library.base_preview(ingest), Preview),
            Request::UploadWrite(part) => answer!(self.library.upload_write(part), Uploaded),
            Request::PathsCheck { paths } => answer!(self.library.paths_check(paths), Paths),
            Request::BaseIngest(ingest) => answer!(self.library.base_ingest(ingest), Job),
            Request::BaseAdd(protocol::BaseAdd { name, base, accepted, model }) => Box::pin(async move {
                self.library.base_add(name, base, accepted, model).await.map(Response::Job)
            }),
            Request::ModelAdd { name, accepted } => answer!(self.library.model_add(name, accepted), Job),
            Request::BaseWatch { base, on } => {
                Box::pin(async move { self.library.base_watch(base, on).await.map(|()| Response::Done) })
            }
            Request::BaseShare(share) => answer!(self.library.base_share(share), Base),
            Request::BaseRemove { base } => {
                Box::pin(async move { self.library.base_remove(base).await.map(|()| Response::Done) })
            }
            Request::JobList => Box::pin(async move { Ok(Response::Jobs(self.env.job_list())) }),
            Request::JobCancel { job } => {
                Box::pin(async move { self.env.job_cancel(&job).map(|()| Response::Done) })
            }
            Request::SettingsShow => answer!(self.connections.settings_show(), Settings),
            Request::SettingsUpdate(patch) => answer!(self.connections.settings_update(patch), Settings),
            Request::WorkspaceList => answer!(self.env.workspace_list(), Workspaces),
            Request::WorkspaceCreate(create) => Box::pin(async move {
                self.env.workspace_create(create).await.map(Box::new).map(Response::Workspace)
            }),
            Request::WorkspaceUpdate(update) => Box::pin(async move {
                self.env.workspace_update(update).await.map(Box::new).map(Response::Workspace)
            }),
            Request::WorkspaceRemove(remove) => Box::pin(async move {
                let removed = self.env.workspace_remove(remove).await?;
                Ok(Response::WorkspaceRemoved(removed))
            }),
            Request::WorkspaceRestore(restore) => Box::pin(async move {
                self.env.workspace_restore(&restore.trash).await.map(Box::new).map(Response::Workspace)
            }),
            Request::WorkspaceOpenFolder(folder) => Box::pin(async move {
                self.env.workspace_open_folder(folder).await.map(Box::new).map(Response::Workspace)
            }),
            Request::SessionMove(to) => {
                Box::pin(async move { self.env.session_move(to).await.map(|()| Response::Done) })
            }
            Request::ConfigProblems => answer!(self.env.config_problems(), ConfigProblems),
            Request::ConnectionList => answer!(self.connections.connection_list(), Connections),
            Request::ConnectionShow { slug } => Box::pin(async move {
                self.connections.connection_show(slug).await.map(Box::new).map(Response::Connection)
            }),
            Request::ConnectionPresets => Box::pin(async move { Ok(Response::Presets(presets().to_vec())) }),
            Request::ConnectionSave(save) => Box::pin(async move {
                self.connections.connection_save(*save).await.map(Box::new).map(Response::Connection)
            }),
            Request::ConnectionShare(share) => answer!(self.connections.connection_share(share), Connection),
            Request::ConnectionRemove { slug } => Box::pin(async move {
                self.connections.connection_remove(slug).await?;
                Ok(Response::Done)
            }),
            Request::ConnectionTest { slug, model } => Box::pin(async move {
                self.connections.connection_test(slug, model).await.map(Box::new).map(Response::Tested)
            }),
            Request::ConnectionTry(save) => Box::pin(async move {
                self.connections.connection_try(*save).await.map(Box::new).map(Response::Tested)
            }),
            Request::ConnectionModels { slug } => Box::pin(async move {
                self.connections.connection_models(slug).await.map(Box::new).map(Response::Connection)
            }),
            Request::ModelUpdate(patch) => Box::pin(async move {
                self.connections.model_update(patch).await.map(Box::new).map(Response::Connection)
            }),
            Request::SignInBegin { slug } => answer!(self.connections.sign_in_begin(slug), SignIn),
            Request::SignInShow { id } => Box::pin(async move {
                let state = self.connections.registry().sign_ins().show(&id)?;
                Ok(Response::SignIn(state))
            }),
            Request::SignInCancel { id } => Box::pin(async move {
                self.connections.registry().sign_ins().cancel(&id).map(|()| Response::Done)
            }),
            Request::VaultShow => answer!(self.connections.vault_show(), Vault),
            Request::VaultUnlock { passphrase } => answer!(self.connections.vault_unlock(passphrase), Vault),
            Request::VaultLock => answer!(self.connections.vault_lock(), Vault),
            Request::VaultProtect { protection, passphrase } => Box::pin(async move {
                self.connections.vault_protect(protection, passphrase).await.map(Response::Vault)
            }),
            Request::SecretPut { name, value } => Box::pin(async move {
                self.connections.secret_put(name, value).await?;
                Ok(Response::Done)
            }),
            Request::SecretRemove { name } => {
                Box::pin(async move { self.connections.secret_remove(name).await.map(|()| Response::Done) })
            }
            Request::CredentialsImport { path } => {
                Box::pin(
                    async move { self.connections.credentials_import(path).await.map(Response::Imported) },
                )
            }
            Request::UsageShow(query) => Box::pin(async move {
                self.connections.usage_show(query).await.map(Box::new).map(Response::Usage)
            }),
            Request::UsageLimits => answer!(self.connections.usage_limits(), Limits),
            Request::UsageForecasts { agent } => answer!(self.connections.usage_forecasts(agent), Forecasts),
            Request::UsageList { query, limit } => {
                answer!(self.connections.usage_list(query, limit), UsageRows)
            }
            Request::UsageExport(query) => answer!(self.connections.usage_export(query), Exported),
            Request::RunForecast(query) => Box::pin(async move {
                self.connections.run_forecast(query).await.map(Box::new).map(Response::Forecast)
            }),
            Request::TurnSend(send) => answer!(self.conversations.turn_send(*send), Sent),
            Request::TurnShow { run } => {
                Box::pin(
                    async move { self.env.engine.turn_view(&run).await.map(Box::new).map(Response::Turn) },
                )
            }
            Request::TurnEvents { run, after } => Box::pin(async move {
                self.conversations.turn_events(&run, after).await.map(Response::TurnEvents)
            }),
            Request::TurnStep { run, step } => Box::pin(async move {
                self.env.engine.turn_step(&run, &step).await.map(Box::new).map(Response::Step)
            }),
            Request::TurnStop { run } => {
                Box::pin(async move { self.env.engine.stop_turn(&run).await.map(|()| Response::Done) })
            }
            Request::TurnResume { run } => {
                Box::pin(async move { self.env.engine.resume_turn(&run).await.map(|()| Response::Done) })
            }
            Request::ApprovalAnswer { run, call, verdict } => Box::pin(async move {
                self.conversations.approval_answer(&run, &call, verdict).await.map(|()| Response::Done)
            }),
            Request::QuestionAnswer { run, call, answer } => {
                Box::pin(
                    async move { self.env.engine.tell(&run, &call, answer).await.map(|()| Response::Done) },
                )
            }
            Request::PlanAnswer { run, verdict } => {
                Box::pin(
                    async move { self.conversations.plan_answer(&run, verdict).await.map(Response::Sent) },
                )
            }
            Request::SessionSetup { session, patch } => Box::pin(async move {
                self.conversations.session_setup(&session, patch).await.map(|()| Response::Done)
            }),
            Request::SessionBranch { run } => Box::pin(async move {
                self.env.engine.branch(&run).await.map(|session| Response::Branched(session.0))
            }),
            Request::SessionCompact { session } => {
                Box::pin(
                    async move { self.conversations.session_compact(&session).await.map(Response::Sent) },
                )
            }
            Request::QueueChange { session, id, text, first } => Box::pin(async move {
                self.conversations.queue_change(&session, &id, text, first).await.map(|()| Response::Done)
            }),
            Request::MentionComplete { session, sigil, text, folders } => Box::pin(async move {
                self.conversations
                    .mention_complete(session, sigil, text, folders)
                    .await
                    .map(Response::Completions)
            }),
            Request::FolderLook { path } => answer!(self.conversations.folder_look(path), Folder),
            Request::AttachmentAdd(add) => {
                Box::pin(
                    async move { self.conversations.attachment_add(add).await.map(Response::Attachment) },
                )
            }
            Request::AttachmentShow { session, id } => Box::pin(async move {
                self.conversations
                    .attachment_show(session.as_deref(), &id)
                    .await
                    .map(Box::new)
                    .map(Response::AttachmentView)
            }),
            Request::ShellShow { id } => answer!(self.conversations.shell_show(&id), Shell),
            Request::ShellKill { id } => {
                Box::pin(async move { self.conversations.shell_kill(&id).await.map(|()| Response::Done) })
            }
            Request::SkillList { session } => answer!(self.conversations.skill_list(session), Skills),
            Request::SkillShow { slug, session } => Box::pin(async move {
                self.conversations.skill_show(&slug, session).await.map(Box::new).map(Response::Skill)
            }),
            Request::SkillTry { slug, text } => {
                Box::pin(async move { Ok(Response::Problems(skill_try(&slug, &text))) })
            }
            Request::SkillSave { slug, file } => Box::pin(async move {
                self.conversations.skill_save(slug, file).await.map(Box::new).map(Response::Skill)
            }),
            Request::SkillRemove { slug } => {
                Box::pin(async move { self.conversations.skill_remove(slug).await.map(|()| Response::Done) })
            }
            Request::HelpList => Box::pin(async move { Ok(Response::HelpPages(help_list())) }),
            Request::HelpShow { slug } => Box::pin(async move { help_show(&slug).map(Response::HelpPage) }),
            Request::PromptShow { session, agent, stage } => Box::pin(async move {
                self.conversations
                    .prompt_show(session, agent, stage)
                    .await
                    .map(Box::new)
                    .map(Response::Prompt)
            }),
            Request::PermissionShow => Box::pin(async move {
                self.permissions.permission_show().await.map(Box::new).map(Response::Permissions)
            }),
            Request::PermissionStages { agent } => Box::pin(async move {
                self.permissions.permission_stages(&agent).await.map(Response::StageAccess)
            }),
            Request::PermissionAllow { agent } => {
                Box::pin(
                    async move { self.permissions.permission_allow(&agent).await.map(Response::StageAccess) },
                )
            }
            Request::GrantRevoke { ids } => Box::pin(async move {
                self.permissions.grants_revoke(ids).await?;
                Ok(Response::Done)
            }),
            Request::AuditList { before, limit, session } => Box::pin(async move {
                self.permissions.audit_list(before, limit, session).await.map(Response::Audit)
            }),
            Request::SourceSave(save) => {
                Box::pin(
                    async move { self.sources.source_save(*save).await.map(Box::new).map(Response::Source) },
                )
            }
            Request::SourceRemove { slug } => {
                Box::pin(async move { self.sources.source_remove(slug).await.map(|()| Response::Done) })
            }
            Request::SourceEnable { slug, on } => {
                Box::pin(async move { self.sources.source_enable(slug, on).await.map(|()| Response::Done) })
            }
            Request::SourcePresets => Box::pin(async move { Ok(Response::SourcePresets(source_presets())) }),
            Request::SourceNeeds { config } => Box::pin(async move {
                self.sources.source_needs(config).await.map(Box::new).map(Response::SourceNeeds)
            }),
            Request::SourceRead { text } => {
                Box::pin(async move { source_read(&text).map(Response::SourceDrafts) })
            }
            Request::SourceSecrets { slug, secrets, stored } => Box::pin(async move {
                let given = self.sources.source_secrets(slug, secrets, stored).await;
                given.map(Box::new).map(Response::Source)
            }),
            Request::WebSearchShow => answer!(self.sources.web_search_show(), WebSearch),
            Request::WebSearchSave { key, address } => {
                Box::pin(
                    async move { self.sources.web_search_save(key, address).await.map(Response::WebSearch) },
                )
            }
            Request::SourceCall { slug, tool, arguments } => Box::pin(async move {
                let called = self.permissions.source_call(slug, tool, arguments).await?;
                Ok(Response::Called(Box::new(called)))
            }),
            Request::SourceTrust { slug, believe } => Box::pin(async move {
                self.sources.source_trust(slug, believe).await.map(Box::new).map(Response::Source)
            }),
            Request::SourceLog { slug } => {
                Box::pin(
                    async move { self.sources.source_log(slug).await.map(Box::new).map(Response::SourceLog) },
                )
            }
            Request::SourceImport { text } => {
                Box::pin(async move { source_import(text).await.map(Box::new).map(Response::Openapi) })
            }
            Request::SourceSignIn { slug } => answer!(self.sources.source_sign_in(slug), SignIn),
            Request::Search { text, limit } => answer!(self.conversations.search(&text, limit), Found),
            Request::AppInfo => Box::pin(async move { self.app_info().await.map(Response::AppInfo) }),
            Request::DiagramCheck { text } => answer!(self.env.diagrams.check(text), Diagram),
            Request::DiagramOffer => Box::pin(async move {
                self.env.diagrams.offer();
                Ok(Response::Done)
            }),
            Request::DiagramAnswer { id, problem } => Box::pin(async move {
                self.env.diagrams.answer(&id, problem);
                Ok(Response::Done)
            }),
            Request::AppCheck => Box::pin(async move { self.app_check().await.map(Response::Checks) }),
            Request::PlanSubmit { session, title, text } => Box::pin(async move {
                self.conversations.plan_submit(session, title, text).await.map(Response::Sent)
            }),
            Request::TurnChanges { run, path } => Box::pin(async move {
                self.conversations.turn_changes(&run, path).await.map(Box::new).map(Response::Changes)
            }),
            Request::TurnUndo(undo) => Box::pin(async move {
                self.conversations.turn_undo(undo).await.map(Box::new).map(Response::Changes)
            }),
            Request::OrganiseShow => Box::pin(async move {
                self.sessions.organise_show().await.map(Box::new).map(Response::Organisation)
            }),
            Request::StatusEdit(edit) => Box::pin(async move {
                self.sessions.status_edit(edit).await.map(Box::new).map(Response::Organisation)
            }),
            Request::LabelEdit(edit) => Box::pin(async move {
                self.sessions.label_edit(edit).await.map(Box::new).map(Response::Organisation)
            }),
            Request::ViewEdit(edit) => Box::pin(async move {
                self.sessions.view_edit(edit).await.map(Box::new).map(Response::Organisation)
            }),
            Request::ViewTry(asked) => answer!(self.sessions.view_try(asked), ViewTried),
            Request::RuleTry(asked) => {
                Box::pin(async move { Ok(Response::RuleTried(sessions::rule_try(&asked))) })
            }
            Request::SessionGroups(asked) => answer!(self.sessions.session_groups(asked), Groups),
            Request::ContentSearch(asked) => Box::pin(async move {
                self.sessions.content_search(asked).await.map(Box::new).map(Response::ContentHits)
            }),
            Request::ThemeList => {
                Box::pin(async move { self.env.theme_list().await.map(Box::new).map(Response::Themes) })
            }
            Request::ThemeSave(save) => {
                Box::pin(async move { self.env.theme_save(*save).await.map(Box::new).map(Response::Theme) })
            }
            Request::ThemeRemove(remove) => {
                Box::pin(async move { self.env.theme_remove(remove).await.map(|()| Response::Done) })
            }
            Request::ThemeImport(text) => {
                Box::pin(
                    async move { environment::read_theme(&text).map(Box::new).map(Response::ThemeImported) },
                )
            }
            Request::AutomationList => Box::pin(async move {
                self.scheduler.automation_list().await.map(Box::new).map(Response::Automations)
            }),
            Request::AutomationShow(one) => Box::pin(async move {
                self.scheduler.automation_show(&one.id).await.map(Box::new).map(Response::Automation)
            }),
            Request::AutomationSave(save) => Box::pin(async move {
                self.scheduler.automation_save(*save).await.map(Box::new).map(Response::Automation)
            }),
            Request::AutomationTry(save) => Box::pin(async move {
                self.scheduler.automation_try(*save).await.map(Box::new).map(Response::Automation)
            }),
            Request::AutomationRemove(one) => {
                Box::pin(
                    async move { self.scheduler.automation_remove(&one.id).await.map(|()| Response::Done) },
                )
            }
            Request::AutomationEnable(enable) => Box::pin(async move {
                self.scheduler.automation_enable(enable).await.map(Box::new).map(Response::Automation)
            }),
            Request::AutomationFire(fire) => {
                Box::pin(
                    async move { self.scheduler.automation_fire(fire).await.map(Response::AutomationDid) },
                )
            }
            Request::AutomationHistory(query) => Box::pin(async move {
                self.scheduler.automation_history(query).await.map(Response::AutomationDid)
            }),
            Request::BackupNow(now) => answer!(self.maintenance.backup_now(now), Job),
            Request::BackupList => {
                Box::pin(
                    async move { self.maintenance.backup_list().await.map(Box::new).map(Response::Backups) },
                )
            }
            Request::BackupInspect(of) => Box::pin(async move {
                self.maintenance.backup_inspect(&of.backup).await.map(Box::new).map(Response::Backup)
            }),
            Request::BackupVerify(of) => answer!(self.maintenance.backup_verify(of.backup), Job),
            Request::BackupRestore(restore) => {
                Box::pin(
                    async move { self.maintenance.backup_restore(restore).await.map(Response::Restored) },
                )
            }
            Request::BackupRemove(of) => {
                Box::pin(
                    async move { self.maintenance.backup_remove(&of.backup).await.map(|()| Response::Done) },
                )
            }
            Request::DataShow => {
                Box::pin(async move { self.maintenance.data_show().await.map(Box::new).map(Response::Data) })
            }
            Request::DataClean(clean) => answer!(self.maintenance.data_clean(clean), Cleaned),
            Request::DataCheck(check) => answer!(self.maintenance.data_check(check), Job),
            Request::Retention(query) => answer!(self.maintenance.retention(query), Retention),
            Request::SessionTitle(of) => {
                Box::pin(
                    async move { self.conversations.session_title(&of.session).await.map(Response::Titled) },
                )
            }
            Request::SessionDuplicate(copy) => Box::pin(async move {
                self.maintenance.session_duplicate(&copy.session).await.map(Response::Branched)
            }),
            Request::DraftEarlier(of) => answer!(self.sessions.draft_earlier(&of.key), Drafts),
            Request::ExportPreview(of) => Box::pin(async move {
                self.import_export.export_preview(&of).await.map(Box::new).map(Response::ExportPreview)
            }),
            Request::ExportWrite(of) => {
                Box::pin(
                    async move { self.import_export.export_write(&of).await.map(Response::ExportWritten) },
                )
            }
            Request::CapsuleMake(of) => answer!(self.import_export.capsule_make(&of), Capsule),
            Request::CapsuleVerify { path } => Box::pin(async move {
                let report = import_export::verify_capsule(std::path::Path::new(&path)).await?;
                Ok(Response::CapsuleChecked(report))
            }),
            Request::ImportPlaces => answer!(self.import_export.import_places(), ImportPlaces),
            Request::ImportInspect(from) => Box::pin(async move {
                self.import_export.import_inspect(&from).await.map(Box::new).map(Response::ImportView)
            }),
            Request::ImportRun(of) => answer!(self.import_export.import_run(of), Job),
            Request::ImportShow(of) => Box::pin(async move {
                self.import_export.import_show(&of.job).map(Box::new).map(Response::ImportDone)
            }),
            Request::ShareAdd(of) => Box::pin(async move {
                self.import_export.share_add(&of).await.map(|row| Response::Shares(vec![row]))
            }),
            Request::ShareList => answer!(self.import_export.share_list(), Shares),
            Request::ShareRevoke(of) => {
                Box::pin(
                    async move { self.import_export.share_revoke(&of.id).await.map(|()| Response::Done) },
                )
            }
            Request::TaskList => answer!(self.conversations.task_list(&self.tasks), Tasks),
            Request::TaskShow(of) => {
                Box::pin(async move { Ok(Response::Task(Box::new(self.tasks.view(&of.task).await?))) })
            }
            Request::TaskRuns { task } => Box::pin(async move {
                self.conversations.task_runs(&self.tasks, task).await.map(Response::TaskRuns)
            }),
            Request::TaskStart(of) => Box::pin(async move {
                self.conversations.task_start(&self.tasks, &of).await.map(Response::TaskStart)
            }),
            Request::TaskCreate(mut create) => Box::pin(async move {
                create.workspace = Some(self.env.slug().to_owned());
                let task = self.tasks.create(create).await?;
                Ok(Response::Task(Box::new(self.tasks.view(&task.id).await?)))
            }),
            Request::TaskCommands(of) => Box::pin(async move {
                let (commands, approved) = self.tasks.commands(&of.folder, of.base.as_deref()).await?;
                Ok(Response::DeclaredCommands(DeclaredCommands { commands, approved }))
            }),
            Request::TaskApprove(of) => Box::pin(async move {
                self.tasks.approve(&of.folder, &of.commands).await?;
                Ok(Response::Done)
            }),
            Request::TaskAttempt(add) => Box::pin(async move {
                self.tasks.add_attempt(&add.task, &add.label, None, add.no_setup).await?;
                Ok(Response::Task(Box::new(self.tasks.view(&add.task).await?)))
            }),
            Request::TaskSetup(of) => {
                Box::pin(async move { Ok(Response::SetUp(self.tasks.set_up(&of).await?)) })
            }
            Request::TaskCheck(of) => {
                Box::pin(async move { Ok(Response::CheckRun(self.tasks.check(&of).await?)) })
            }
            Request::TaskDiff(wanted) => {
                Box::pin(async move { Ok(Response::TaskDiff(self.tasks.diff(&wanted).await?)) })
            }
            Request::TaskSave(of) => {
                Box::pin(
                    async move { Ok(Response::Savepoint(self.tasks.save(&of.attempt, &of.label).await?)) },
                )
            }
            Request::TaskRevert(of) => Box::pin(async move {
                Ok(Response::Savepoint(self.tasks.revert(&of.attempt, of.scope, &of.paths).await?))
            }),
            Request::TaskComments(of) => Box::pin(async move {
                let (comments, message) = (self.tasks.comments(&of).await?, self.tasks.message(&of).await?.0);
                Ok(Response::Comments(TaskComments { comments, message }))
            }),
            Request::TaskComment(add) => {
                Box::pin(async move { Ok(Response::Comment(self.tasks.comment(&add).await?)) })
            }
            Request::TaskCommentSet(set) => Box::pin(async move {
                self.tasks.set_comments(&set.attempt, &set.numbers, set.state).await?;
                Ok(Response::Done)
            }),
            Request::TaskMerge(wanted) => {
                Box::pin(async move { Ok(Response::Merged(self.tasks.merge(&wanted).await?)) })
            }
            Request::TaskEnd(of) => {
                Box::pin(async move { Ok(Response::Removals(self.tasks.end(&of.attempt, of.ending).await?)) })
            }
            Request::TaskUndo(of) => {
                Box::pin(async move { Ok(Response::Undone(self.tasks.undo(&of.task).await?)) })
            }
            Request::TaskForget(of) => Box::pin(async move {
                self.tasks.forget(&of.task).await?;
                Ok(Response::Done)
            }),
        }
    }
}

fn checking(unchecked: bool) -> ExportCheck {
    if unchecked { ExportCheck::Unchecked } else { ExportCheck::Rechecked }
}
