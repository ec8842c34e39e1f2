//! Decisions by the mode, the rules and the grants of this moment, and the audit of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::ConfigStore;
use domain::{
    AccessRequest, AgentStages, AllowedBy, CallEffect, Covers, ErrorCode, Grant, GrantScope, Mode, Offer,
    Problem, Ruling,
};
use engine::turn::TurnScope;
use permissions::{Context, Policy};
use store::{DecisionRow, Store};
use support::{blocking, now_ms};
use tools::confine::Confinement;
use workspace::DEFAULT_WORKSPACE;

use crate::disk::LocalDisk;
use crate::rule_files::{RuleFiles, RulesShown, resolved_text};

/// How long a grant for one call may wait for that call, in milliseconds.
const ONCE_MS: i64 = 24 * 3_600 * 1_000;

/// Decides on calls and keeps what was decided.
#[derive(Clone)]
pub struct Decisions {
    pub(crate) store: Store,
    files: Arc<RuleFiles>,
    confinement: Confinement,
}

/// A call on which is decided, and where it is made.
#[derive(Debug, Clone, Copy)]
pub struct DecisionRequest<'a> {
    /// The session and the run or turn.
    pub scope: &'a TurnScope,
    /// The workspace's slug; empty: the default one.
    pub workspace: &'a str,
    /// The permission mode of the session.
    pub mode: Mode,
    /// Folders that may be worked in.
    pub folders: &'a [String],
    /// The call's id; of a stage, the stage.
    pub call: &'a str,
    /// The agent whose stage makes the call; `None`: a model or a person.
    pub agent: Option<AgentStages<'a>>,
    /// Whether the person wrote the command: an automation of theirs.
    pub own_words: bool,
}

impl Decisions {
    /// Over a data directory.
    pub fn new(store: Store, home: &Path, live: ConfigStore, confinement: Confinement) -> Self {
        Self { store, files: Arc::new(RuleFiles::new(home, live)), confinement }
    }

    /// Decides on a call; nothing is noted.
    pub async fn decide(&self, asked: DecisionRequest<'_>, claim: &AccessRequest) -> Result<Ruling, Problem> {
        let now = now_ms();
        let (session, workspace) = (asked.scope.session.0.clone(), named(asked.workspace));
        let grants = self.grants(&session, now).await?;
        let (files, claim, mode) = (self.files.clone(), claim.clone(), asked.mode);
        let request = request_of(asked.scope, asked.call);
        let agent = asked.agent.map(|stages| (stages.agent.to_owned(), stages.digest));
        let folders = asked.folders.to_vec();
        let (can_confine, can_copy) = (self.confinement.works(), self.confinement.can_copy());
        let (can_bound, own_words) = (self.confinement.can_bound(), asked.own_words);
        // Rule files, and where a command's words lead, are looked up on disk.
        blocking(move || {
            let policy: Policy = files.policy(&workspace, &session, &claim.source);
            let folders = resolved(folders);
            let context = Context {
                mode,
                session: &session,
                workspace: &workspace,
                agent: agent.as_ref().map(|(agent, digest)| AgentStages { agent, digest: *digest }),
                request: &request,
                folders: &folders,
                grants: &grants,
                can_confine,
                can_copy,
                can_bound,
                own_words,
                disk: &LocalDisk,
                now,
            };
            Ok(policy.decide(&claim, &context))
        })
        .await
    }

    /// Writes down what was decided. What may change something is noted before it runs.
    pub async fn note(
        &self,
        asked: DecisionRequest<'_>,
        claim: &AccessRequest,
        ruling: &Ruling,
    ) -> Result<(), Problem> {
        let (decision, by) = match ruling {
            Ruling::Allow { by: by @ AllowedBy::Grant(_), .. } => ("granted", by.to_string()),
            Ruling::Allow { by: by @ AllowedBy::Reason(_), .. } => ("allowed", by.to_string()),
            Ruling::Ask { why, .. } => ("asked", why.clone()),
            Ruling::Deny { why, .. } => ("denied", why.clone()),
        };
        let decided = noted(asked, claim, decision, by, now_ms());
        let harmless =
            matches!(claim.effect, CallEffect::Inner | CallEffect::Read { .. } | CallEffect::Model);
        if harmless && decision == "allowed" {
            let store = self.store.clone();
            tokio::spawn(async move { store.note_decision(&decided).await });
            return Ok(());
        }
        self.store.note_decision(&decided).await.map_err(Problem::from)
    }

    /// Keeps what the person granted; it holds and is durable when this returns.
    pub async fn grant(
        &self,
        asked: DecisionRequest<'_>,
        claim: &AccessRequest,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let now = now_ms();
        let grant = Grant {
            id: support::random_hex::<12>()?,
            scope: offer.scope,
            session: asked.scope.session.0.clone(),
            workspace: Some(named(asked.workspace)),
            source: claim.source.clone(),
            tool: claim.tool.clone(),
            covers: offer.covers.clone(),
            created_at: now,
            expires_at: (offer.scope == GrantScope::Once).then_some(now + ONCE_MS),
            request: request_of(asked.scope, asked.call),
            words: offer.words.clone(),
        };
        self.keep(&grant).await?;
        let by = format!("grant {}: {}", grant.id, grant.words);
        self.store.note_decision(&noted(asked, claim, "granted", by, now)).await?;
        Ok(grant)
    }

    /// Keeps what the stages of an agent may call of a source, in a workspace.
    pub async fn grant_stages(
        &self,
        workspace: &str,
        stages: AgentStages<'_>,
        source: &str,
        tools: Vec<String>,
    ) -> Result<Grant, Problem> {
        let AgentStages { agent, digest } = stages;
        let words =
            format!("Stages of `{agent}` call {} of `{source}`, until you take it back", list(&tools));
        let grant = Grant {
            id: support::random_hex::<12>()?,
            scope: GrantScope::Workspace,
            session: String::new(),
            workspace: Some(named(workspace)),
            source: source.to_owned(),
            tool: String::new(),
            covers: Covers::Stages { agent: agent.to_owned(), tools, digest: Some(digest) },
            created_at: now_ms(),
            expires_at: None,
            request: String::new(),
            words,
        };
        self.keep(&grant).await?;
        Ok(grant)
    }

    async fn keep(&self, grant: &Grant) -> Result<(), Problem> {
        let what = serde_json::to_string(grant).map_err(|error| {
            Problem::new(ErrorCode::Internal, format!("a grant can't be written: {error}"))
        })?;
        let session = match grant.scope {
            GrantScope::Once | GrantScope::Session => Some(grant.session.as_str()),
            GrantScope::Workspace | GrantScope::Always => None,
        };
        self.store.add_grant(&grant.id, session, &what, grant.expires_at).await.map_err(Problem::from)
    }

    /// Notes that the person refused a call.
    pub async fn refused(&self, asked: DecisionRequest<'_>, claim: &AccessRequest) {
        let decided = noted(asked, claim, "refused", "the person".to_owned(), now_ms());
        if let Err(error) = self.store.note_decision(&decided).await {
            tracing::warn!(%error, "a refusal could not be noted");
        }
    }

    /// Whether rules keep a file from being read, for those that list and search. Blocks for as long as it takes to look
    /// whether a rule file has changed.
    pub fn is_denied(&self, session: &str, folders: &[PathBuf], path: &Path) -> bool {
        self.files.of_session(session).is_denied(&path.display().to_string(), session, &texts(folders))
    }

    /// As [`is_denied`](Self::is_denied), by the rules of a workspace.
    pub fn is_denied_in(&self, workspace: &str, session: &str, folders: &[PathBuf], path: &Path) -> bool {
        let policy = self.files.policy(workspace, session, "");
        policy.is_denied(&path.display().to_string(), session, &texts(folders))
    }

    /// Which files rules keep from being read, as the rule files are now. Blocks as [`is_denied`](Self::is_denied) does.
    pub fn denied_paths(&self, session: &str, folders: &[PathBuf]) -> tools::shell::DeniedPaths {
        let (policy, session, folders) = (self.files.of_session(session), session.to_owned(), texts(folders));
        let places = policy.hidden_places().into_iter().map(PathBuf::from).collect();
        let names = policy.hidden_names();
        let is = move |path: &Path| policy.is_denied(&path.display().to_string(), &session, &folders);
        tools::shell::DeniedPaths { places, names, is: Box::new(is) }
    }

    /// Every rule file that holds anywhere, the widest layer first; of sessions those that were asked for.
    pub async fn shown(&self, workspace: &str) -> Result<Vec<RulesShown>, Problem> {
        let (files, workspace) = (self.files.clone(), workspace.to_owned());
        blocking(move || Ok(files.shown(&workspace))).await
    }

    /// Learns which workspace's rules hold in a session.
    pub fn belongs(&self, session: &str, workspace: &str) {
        self.files.belongs(session, workspace);
    }

    /// The grants in force for a session, those of workspaces included.
    pub async fn grants(&self, session: &str, now: i64) -> Result<Vec<Grant>, Problem> {
        let rows = self.store.grants_in_force(session, now).await?;
        // A grant of a newer program that this one can't read grants nothing.
        let mut grants: Vec<Grant> = rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect();
        for grant in &mut grants {
            if grant.scope == GrantScope::Workspace && grant.workspace.is_none() {
                // Grants of earlier versions did not say which workspace they were given in; their session does.
                let workspace = self.store.session_workspace(&grant.session).await?;
                grant.workspace = Some(named(&workspace.unwrap_or_default()));
            }
        }
        Ok(grants)
    }
}

/// A workspace's slug as grants keep it.
pub fn named(workspace: &str) -> String {
    if workspace.is_empty() { DEFAULT_WORKSPACE.to_owned() } else { workspace.to_owned() }
}

/// Tools by name, for a person.
pub fn list(tools: &[String]) -> String {
    let shown: Vec<String> = tools.iter().take(20).map(|tool| format!("`{tool}`")).collect();
    let more = if tools.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn texts(folders: &[PathBuf]) -> Vec<String> {
    folders.iter().map(|folder| folder.display().to_string()).collect()
}

/// Folders as they are resolved, the way tools resolve what they are given.
fn resolved(folders: Vec<String>) -> Vec<String> {
    folders.iter().map(|folder| resolved_text(Path::new(folder))).collect()
}

/// How a grant names the request that it answers.
fn request_of(scope: &TurnScope, call: &str) -> String {
    format!("{}/{call}", scope.run.0)
}

fn noted(
    asked: DecisionRequest<'_>,
    claim: &AccessRequest,
    decision: &str,
    by: String,
    at: i64,
) -> DecisionRow {
    let subject = match &claim.effect {
        CallEffect::Inner | CallEffect::Model | CallEffect::Tool => String::new(),
        CallEffect::Read { path } | CallEffect::Write { path } => path.clone(),
        CallEffect::Shell { command, .. } => command.clone(),
        CallEffect::Fetch { url } => url.clone(),
        CallEffect::Request { method, path } => format!("{method} {path}"),
    };
    DecisionRow {
        cursor: 0,
        at,
        session: asked.scope.session.0.clone(),
        run: asked.scope.run.0.clone(),
        call: asked.call.to_owned(),
        source: claim.source.clone(),
        tool: claim.tool.clone(),
        mode: asked.mode.as_str().to_owned(),
        decision: decision.to_owned(),
        by,
        subject,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use domain::{Covers, Hints, RunId, SessionId};
    use permissions::Layer;
    use serde_json::json;
    use store::DataDir;

    use super::*;

    struct Bench {
        home: Arc<tempfile::TempDir>,
        folder: Arc<tempfile::TempDir>,
        decisions: Decisions,
    }

    impl Bench {
        async fn new() -> Self {
            let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let store = Store::open(&DataDir::open(home.path()).unwrap(), "test").await.unwrap();
            store.set_session_setup("s1", "{}").await.unwrap();
            // One that confines and makes no copies.
            let confinement = Confinement::Seatbelt { program: "/usr/bin/sandbox-exec".into() };
            let decisions = Decisions::new(store, home.path(), ConfigStore::new(home.path()), confinement);
            Self { home: Arc::new(home), folder: Arc::new(folder), decisions }
        }

        /// The same data directory in another process.
        fn restarted(&self) -> Self {
            let Decisions { store, confinement, .. } = &self.decisions;
            let live = ConfigStore::new(self.home.path());
            let decisions = Decisions::new(store.clone(), self.home.path(), live, confinement.clone());
            Self { home: self.home.clone(), folder: self.folder.clone(), decisions }
        }

        fn rules(&self, rules: &serde_json::Value) {
            let folder = self.home.path().join("workspaces/default");
            fs::create_dir_all(&folder).unwrap();
            // Another length each time: some disks keep times by the second.
            let text = json!({ "version": 1, "rules": rules }).to_string();
            fs::write(folder.join("permissions.json"), text).unwrap();
        }

        async fn decide(&self, mode: Mode, call: &str, claim: &AccessRequest) -> Ruling {
            self.decide_in("", mode, call, claim).await
        }

        async fn decide_in(&self, workspace: &str, mode: Mode, call: &str, claim: &AccessRequest) -> Ruling {
            let folders = [self.folder.path().display().to_string()];
            let scope = scope();
            let asked = DecisionRequest { workspace, mode, folders: &folders, ..decision(&scope, call) };
            let ruling = self.decisions.decide(asked, claim).await.unwrap();
            self.decisions.note(asked, claim, &ruling).await.unwrap();
            ruling
        }

        async fn word(&self, claim: &AccessRequest) -> &'static str {
            match self.decide(Mode::Ask, "c1", claim).await {
                Ruling::Allow { confined: domain::Walls::Confined, .. } => "confined",
                Ruling::Allow { .. } => "allow",
                Ruling::Ask { .. } => "ask",
                Ruling::Deny { .. } => "deny",
            }
        }
    }

    fn scope() -> TurnScope {
        TurnScope { session: SessionId("s1".to_owned()), run: RunId("r1".to_owned()), folders: Vec::new() }
    }

    pub fn decision<'a>(scope: &'a TurnScope, call: &'a str) -> DecisionRequest<'a> {
        DecisionRequest {
            scope,
            workspace: "",
            mode: Mode::Ask,
            folders: &[],
            call,
            agent: None,
            own_words: false,
        }
    }

    fn shell(command: &str) -> AccessRequest {
        let effect =
            CallEffect::Shell { command: command.to_owned(), cwd: "/home/eva/app".to_owned(), outside: None };
        AccessRequest {
            source: String::new(),
            tool: "shell".to_owned(),
            effect,
            hints: Hints::default(),
            trusted: true,
            arguments: json!({ "command": command }),
        }
    }

    #[tokio::test]
    async fn a_changed_file_holds_at_once_and_a_broken_one_leaves_what_it_said() {
        let bench = Bench::new().await;
        let push = shell("frob push");
        assert_eq!(bench.word(&push).await, "ask");
        bench.rules(&json!([{ "effect": "allow", "command": "frob *", "reason": "x" }]));
        assert_eq!(bench.word(&push).await, "allow");
        bench.rules(&json!([{ "effect": "deny", "command": "frob push *", "reason": "xy" }]));
        assert_eq!(bench.word(&push).await, "deny");
        fs::write(bench.home.path().join("workspaces/default/permissions.json"), "{").unwrap();
        assert_eq!(bench.word(&push).await, "deny");
        let shown = bench.decisions.shown(DEFAULT_WORKSPACE).await.unwrap();
        let own = shown.iter().find(|shown| shown.layer == Layer::Workspace).unwrap();
        assert_eq!((own.problems.len(), own.rules.as_ref().unwrap().rules().len()), (1, 1));
        // Another process, which never saw the valid version.
        let restarted = bench.restarted();
        assert_eq!(restarted.word(&push).await, "deny");
        fs::remove_file(bench.home.path().join("workspaces/default/permissions.json")).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while bench.word(&push).await != "ask" {
            assert!(std::time::Instant::now() < deadline, "the file that was removed still holds");
        }
    }

    #[tokio::test]
    async fn files_stay_hidden_while_the_rules_that_hide_them_are_broken() {
        let bench = Bench::new().await;
        let secret = bench.folder.path().join("secret.txt");
        bench.rules(&json!([{ "effect": "deny", "path": secret, "reason": "x" }]));
        let hides =
            |bench: &Bench| bench.decisions.is_denied("s1", &[bench.folder.path().to_owned()], &secret);
        assert!(hides(&bench));
        fs::write(bench.home.path().join("workspaces/default/permissions.json"), "{").unwrap();
        assert!(hides(&bench));
        assert!(hides(&bench.restarted()), "after a restart");
    }

    #[tokio::test]
    async fn a_workspace_s_grants_and_rules_hold_there_alone() {
        let bench = Bench::new().await;
        let claim = shell("frob it");
        let word = async |workspace: &str| match bench.decide_in(workspace, Mode::Ask, "c1", &claim).await {
            Ruling::Allow { .. } => "allow",
            Ruling::Ask { .. } => "ask",
            Ruling::Deny { .. } => "deny",
        };
        let Ruling::Ask { offers, .. } = bench.decide(Mode::Ask, "c1", &claim).await else { panic!() };
        let wide = offers.iter().find(|offer| offer.scope == GrantScope::Workspace).unwrap();
        let grant = bench.decisions.grant(decision(&scope(), "c1"), &claim, wide).await.unwrap();
        assert_eq!(grant.workspace.as_deref(), Some(DEFAULT_WORKSPACE));
        assert_eq!(
            (word("").await, word(DEFAULT_WORKSPACE).await, word("other").await),
            ("allow", "allow", "ask")
        );
        // One of an earlier version says nothing of its workspace; its session does.
        bench.decisions.store.revoke_grants(std::slice::from_ref(&grant.id), now_ms()).await.unwrap();
        let old = Grant { workspace: None, id: "old".to_owned(), ..grant };
        bench.decisions.keep(&old).await.unwrap();
        assert_eq!((word(DEFAULT_WORKSPACE).await, word("other").await), ("allow", "ask"));
        // A deny rule of one workspace says nothing in another.
        bench.rules(&json!([{ "effect": "deny", "command": "frob *", "reason": "x" }]));
        assert_eq!((word(DEFAULT_WORKSPACE).await, word("other").await), ("deny", "ask"));
    }

    #[tokio::test]
    async fn the_rules_of_a_workspace_elsewhere_hold_while_the_list_of_folders_is_broken() {
        let bench = Bench::new().await;
        let shop = tempfile::tempdir().unwrap();
        let deny =
            json!({ "version": 1, "rules": [{ "effect": "deny", "command": "frob *", "reason": "x" }] });
        fs::write(shop.path().join("permissions.json"), deny.to_string()).unwrap();
        let list = bench.home.path().join("workspaces/folders.json");
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        fs::write(&list, json!({ "shop": shop.path() }).to_string()).unwrap();
        let claim = shell("frob it");
        let word = async |bench: &Bench| match bench.decide_in("shop", Mode::AllowAll, "c1", &claim).await {
            Ruling::Allow { .. } => "allow",
            Ruling::Ask { .. } => "ask",
            Ruling::Deny { .. } => "deny",
        };
        assert_eq!(word(&bench).await, "deny");
        fs::write(&list, "{\n  \"shop\": oops\n}").unwrap();
        assert_eq!(word(&bench).await, "deny");
        assert_eq!(word(&bench.restarted()).await, "deny", "after a restart");
        // Where nothing is known of the folder, what its rules deny is not known either.
        fs::remove_dir_all(bench.home.path().join("cache")).unwrap();
        assert_eq!(word(&bench.restarted()).await, "ask");
    }

    #[tokio::test]
    async fn a_file_that_was_never_right_turns_what_would_run_into_a_question() {
        let bench = Bench::new().await;
        assert_eq!(bench.word(&shell("ls")).await, "confined");
        bench.rules(&json!([{ "effect": "deny", "reason": "x" }]));
        assert_eq!(bench.word(&shell("ls")).await, "ask");
    }

    #[tokio::test]
    async fn the_four_layers_are_read_and_a_session_has_its_own() {
        let bench = Bench::new().await;
        let folder = bench.home.path().join("sessions/s1");
        fs::create_dir_all(&folder).unwrap();
        let rules =
            json!({ "version": 1, "rules": [{ "effect": "deny", "command": "ls *", "reason": "x" }] });
        fs::write(folder.join("permissions.json"), rules.to_string()).unwrap();
        assert_eq!(bench.word(&shell("ls")).await, "deny");
        assert_eq!(bench.word(&shell("cat /etc/hosts")).await, "confined");
        let elsewhere = TurnScope {
            session: SessionId("s2".to_owned()),
            run: RunId("r1".to_owned()),
            folders: Vec::new(),
        };
        let ruling = bench.decisions.decide(decision(&elsewhere, "c1"), &shell("ls")).await.unwrap();
        assert!(matches!(ruling, Ruling::Allow { .. }), "{ruling:?}");
    }

    #[tokio::test]
    async fn a_grant_answers_the_next_call_until_it_is_taken_back() {
        let bench = Bench::new().await;
        let claim = shell("frob it");
        let Ruling::Ask { offers, .. } = bench.decide(Mode::Ask, "c1", &claim).await else { panic!() };
        let wide = offers.iter().find(|offer| offer.scope == GrantScope::Workspace).unwrap();
        assert_eq!(wide.covers, Covers::Command(vec!["frob".to_owned()]));
        let grant = bench.decisions.grant(decision(&scope(), "c1"), &claim, wide).await.unwrap();
        assert_eq!(grant.request, "r1/c1");
        assert_eq!(bench.word(&shell("frob more")).await, "allow");
        assert_eq!(bench.word(&shell("frob more; rm x")).await, "ask");
        bench.decisions.store.revoke_grants(std::slice::from_ref(&grant.id), now_ms()).await.unwrap();
        assert_eq!(bench.word(&shell("frob more")).await, "ask");
    }

    #[tokio::test]
    async fn every_decision_is_noted_with_what_it_was_about() {
        let bench = Bench::new().await;
        let claim = shell("frob it");
        let Ruling::Ask { offers, .. } = bench.decide(Mode::Ask, "c1", &claim).await else { panic!() };
        bench.decisions.refused(decision(&scope(), "c1"), &claim).await;
        bench.decisions.grant(decision(&scope(), "c2"), &claim, &offers[0]).await.unwrap();
        bench.decide(Mode::Ask, "c2", &claim).await;
        bench.decide(Mode::Safe, "c3", &claim).await;
        bench.decide(Mode::Safe, "c4", &shell("ls")).await;
        let noted = bench.decisions.store.decisions(None, Some("s1"), None, 50).await.unwrap();
        let words: Vec<(&str, &str)> =
            noted.iter().rev().map(|row| (row.decision.as_str(), row.call.as_str())).collect();
        assert_eq!(
            words,
            [
                ("asked", "c1"),
                ("refused", "c1"),
                ("granted", "c2"),
                ("granted", "c2"),
                ("denied", "c3"),
                ("allowed", "c4")
            ]
        );
        assert!(noted.iter().all(|row| row.tool == "shell" && row.run == "r1"));
        assert_eq!(noted[0].subject, "ls");
    }
}
