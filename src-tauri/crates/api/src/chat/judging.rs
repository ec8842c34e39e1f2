//! Judges calls by the mode, the rules and the grants of this moment, and writes down what was decided.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use domain::{Claim, Deed, ErrorCode, Grant, GrantScope, Mode, Offer, Problem, Ruling};
use engine::turn::TurnScope;
use permissions::{Context, Layer, Places, Policy, RuleSet};
use store::{Decided, Store};
use workspace::{ConfigProblem, DEFAULT_WORKSPACE, RULES, RuleEntry, Workspace, session_rules};

use crate::corpus::now_ms;
use crate::desk::aside;

/// How long a grant for one call may wait for that call, in milliseconds.
const ONCE_MS: i64 = 24 * 3_600 * 1_000;

/// Decides on calls. Rule files are read again when they change; of a file that is broken, what it last said holds.
#[derive(Clone)]
pub(crate) struct Judge {
    store: Store,
    files: Arc<Files>,
    can_confine: bool,
}

/// Rule files and what was read of them.
struct Files {
    home: PathBuf,
    places: Places,
    /// Sessions that are not of the default workspace, with theirs.
    elsewhere: Mutex<BTreeMap<String, String>>,
    shipped: Result<Arc<RuleSet>, Vec<ConfigProblem>>,
    kept: Mutex<BTreeMap<PathBuf, Kept>>,
}

/// A rule file as it was when it was last looked at.
#[derive(Clone)]
struct Kept {
    layer: Layer,
    file: String,
    stamp: Option<Stamp>,
    /// What it said when it last was right.
    rules: Option<Arc<RuleSet>>,
    problems: Vec<ConfigProblem>,
}

#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    changed: Option<SystemTime>,
    bytes: u64,
}

/// The rules of a file, for those that show them.
pub(crate) struct RulesShown {
    pub(crate) layer: Layer,
    pub(crate) file: String,
    pub(crate) rules: Option<Arc<RuleSet>>,
    pub(crate) problems: Vec<ConfigProblem>,
}

impl Judge {
    /// Over a data directory; reads what is shipped.
    pub(crate) fn new(store: Store, home: &Path, can_confine: bool) -> Self {
        Self { store, files: Arc::new(Files::new(home)), can_confine }
    }

    /// Decides on a call and notes the decision. What may change something is noted before it runs.
    pub(crate) async fn judge(
        &self,
        scope: &TurnScope,
        mode: Mode,
        folders: &[String],
        call: &str,
        claim: &Claim,
    ) -> Result<Ruling, Problem> {
        let now = now_ms();
        let (grants, (policy, folders)) =
            tokio::try_join!(self.grants(&scope.session.0, now), self.rules(scope, claim, folders))?;
        let request = request_of(scope, call);
        let ruling = policy.decide(
            claim,
            &Context {
                mode,
                session: &scope.session.0,
                request: &request,
                folders: &folders,
                grants: &grants,
                can_confine: self.can_confine,
                now,
            },
        );
        let (decision, by) = match &ruling {
            Ruling::Allow { by, .. } if by.starts_with("grant ") => ("granted", by),
            Ruling::Allow { by, .. } => ("allowed", by),
            Ruling::Ask { why, .. } => ("asked", why),
            Ruling::Deny { why, .. } => ("denied", why),
        };
        let decided = noted(scope, mode, call, claim, decision, by.clone(), now);
        let harmless = matches!(claim.deed, Deed::Inner | Deed::Read { .. } | Deed::Model);
        if harmless && decision == "allowed" {
            let store = self.store.clone();
            tokio::spawn(async move { store.note_decision(&decided).await });
        } else {
            self.store.note_decision(&decided).await?;
        }
        Ok(ruling)
    }

    /// Keeps what the person granted; it holds and is durable when this returns.
    pub(crate) async fn grant(
        &self,
        scope: &TurnScope,
        mode: Mode,
        call: &str,
        claim: &Claim,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let now = now_ms();
        let grant = Grant {
            id: fresh_id()?,
            scope: offer.scope,
            session: scope.session.0.clone(),
            source: claim.source.clone(),
            tool: claim.tool.clone(),
            covers: offer.covers.clone(),
            created_at: now,
            expires_at: (offer.scope == GrantScope::Once).then_some(now + ONCE_MS),
            request: request_of(scope, call),
            words: offer.words.clone(),
        };
        let what = serde_json::to_string(&grant).map_err(|error| {
            Problem::new(ErrorCode::Internal, format!("a grant can't be written: {error}"))
        })?;
        let session = match offer.scope {
            GrantScope::Once | GrantScope::Session => Some(scope.session.0.as_str()),
            GrantScope::Workspace | GrantScope::Always => None,
        };
        self.store.add_grant(&grant.id, session, &what, grant.expires_at).await?;
        let by = format!("grant {}: {}", grant.id, grant.words);
        self.store.note_decision(&noted(scope, mode, call, claim, "granted", by, now)).await?;
        Ok(grant)
    }

    /// Notes that the person refused a call.
    pub(crate) async fn refused(&self, scope: &TurnScope, mode: Mode, call: &str, claim: &Claim) {
        let decided = noted(scope, mode, call, claim, "refused", "the person".to_owned(), now_ms());
        if let Err(error) = self.store.note_decision(&decided).await {
            tracing::warn!(%error, "a refusal could not be noted");
        }
    }

    /// Whether rules keep a file from being read, for those that list and search. Blocks for as long as it takes to look
    /// whether a rule file has changed.
    pub(crate) fn hides(&self, session: &str, folders: &[PathBuf], path: &Path) -> bool {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        self.files.policy(session, "").hides(&path.display().to_string(), session, &folders)
    }

    /// Which files rules keep from being read, as the rule files are now. Blocks as [`hides`](Self::hides) does.
    pub(crate) fn barred(&self, session: &str, folders: &[PathBuf]) -> tools::shell::Barred {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let (policy, session) = (self.files.policy(session, ""), session.to_owned());
        let places = policy.hidden_places().into_iter().map(PathBuf::from).collect();
        let is = move |path: &Path| policy.hides(&path.display().to_string(), &session, &folders);
        tools::shell::Barred { places, is: Box::new(is) }
    }

    /// Every rule file that holds anywhere, the widest layer first; of sessions those that were asked for.
    pub(crate) async fn shown(&self, workspace: &str) -> Result<Vec<RulesShown>, Problem> {
        let (files, workspace) = (self.files.clone(), workspace.to_owned());
        aside(move || Ok(files.shown(&workspace))).await
    }

    /// Learns which workspace's rules hold in a session.
    pub(crate) fn belongs(&self, session: &str, workspace: &str) {
        let mut elsewhere = self.files.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        if workspace.is_empty() || workspace == DEFAULT_WORKSPACE {
            elsewhere.remove(session);
        } else {
            elsewhere.insert(session.to_owned(), workspace.to_owned());
        }
    }

    /// As [`hides`](Self::hides), by the rules of a workspace.
    pub(crate) fn hides_in(&self, workspace: &str, session: &str, folders: &[PathBuf], path: &Path) -> bool {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        let policy = self.files.policy_in(workspace, session, "");
        policy.hides(&path.display().to_string(), session, &folders)
    }

    async fn grants(&self, session: &str, now: i64) -> Result<Vec<Grant>, Problem> {
        let rows = self.store.grants_in_force(session, now).await?;
        // A grant of a newer program that this one can't read grants nothing.
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row).ok()).collect())
    }

    async fn rules(
        &self,
        scope: &TurnScope,
        claim: &Claim,
        folders: &[String],
    ) -> Result<(Policy, Vec<String>), Problem> {
        let (files, session, source) = (self.files.clone(), scope.session.0.clone(), claim.source.clone());
        let folders = folders.to_vec();
        aside(move || Ok((files.policy(&session, &source), resolved(folders)))).await
    }
}

impl Files {
    fn new(home: &Path) -> Self {
        let text = resolved_text;
        let person = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
        Self {
            places: Places {
                data: text(home),
                home: person.as_deref().map(text).unwrap_or_default(),
                workspaces: Vec::new(),
            },
            home: home.to_owned(),
            shipped: Workspace::open(home).shipped_rules().rules.map(Arc::new),
            elsewhere: Mutex::default(),
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules for a session's calls of a source's tools.
    fn policy(&self, session: &str, source: &str) -> Policy {
        let elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        let slug = elsewhere.get(session).cloned();
        drop(elsewhere);
        self.policy_in(slug.as_deref().unwrap_or(DEFAULT_WORKSPACE), session, source)
    }

    /// The same, in a workspace.
    fn policy_in(&self, slug: &str, session: &str, source: &str) -> Policy {
        let workspace = Workspace::named(&self.home, slug);
        let elsewhere = workspace::registered(&self.home).unwrap_or_default();
        let workspaces = elsewhere.values().map(|folder| resolved_text(folder)).collect();
        let mut policy = Policy::new(Places { workspaces, ..self.places.clone() });
        match &self.shipped {
            Ok(rules) => policy = policy.with(rules.clone()),
            Err(_) => policy = policy.unsure("the rules that come with the program"),
        }
        let own = workspace.root().join(RULES);
        let mut read = vec![self.looked_at(own, Layer::Workspace, || workspace.own_rules())];
        if !source.is_empty() {
            let file = workspace.root().join("sources").join(source).join(RULES);
            let layer = Layer::Source(source.to_owned());
            read.push(self.looked_at(file, layer, || workspace.source_rules(source)));
        }
        if is_plain_name(session) {
            let folder = self.home.join("sessions").join(session);
            read.push(self.looked_at(folder.join(RULES), Layer::Session, || session_rules(&folder)));
        }
        for kept in read {
            match kept.rules {
                Some(rules) => policy = policy.with(rules),
                None if !kept.problems.is_empty() => policy = policy.unsure(&kept.file),
                None => {}
            }
        }
        policy
    }

    /// A file's rules, read again when it is another than it was.
    fn looked_at(&self, path: PathBuf, layer: Layer, read: impl FnOnce() -> Option<RuleEntry>) -> Kept {
        let stamp = std::fs::metadata(&path)
            .ok()
            .map(|about| Stamp { changed: about.modified().ok(), bytes: about.len() });
        let known = self.kept().get(&path).cloned();
        if let Some(known) = known.as_ref().filter(|known| known.stamp == stamp) {
            return known.clone();
        }
        let file = path.display().to_string();
        let mut kept = Kept { layer, file, stamp, rules: None, problems: Vec::new() };
        if let Some(entry) = read() {
            kept.file = entry.file;
            match entry.rules {
                Ok(rules) => kept.rules = Some(Arc::new(rules)),
                Err(problems) => {
                    kept.rules = known.and_then(|known| known.rules);
                    kept.problems = problems;
                }
            }
        }
        self.kept().insert(path, kept.clone());
        kept
    }

    fn shown(&self, slug: &str) -> Vec<RulesShown> {
        let workspace = Workspace::named(&self.home, slug);
        let sessions = self.home.join("sessions");
        let shipped = RulesShown {
            layer: Layer::App,
            file: String::new(),
            rules: self.shipped.as_ref().ok().cloned(),
            problems: self.shipped.as_ref().err().cloned().unwrap_or_default(),
        };
        // Looked at for themselves, so that a page shows what is on disk now.
        self.policy_in(slug, "", "");
        for entry in workspace.all_source_rules() {
            if let Layer::Source(source) = &entry.layer {
                self.policy_in(slug, "", source);
            }
        }
        let mut shown: Vec<RulesShown> = self
            .kept()
            .iter()
            .filter(|(path, _)| path.starts_with(workspace.root()) || path.starts_with(&sessions))
            .map(|(_, kept)| kept)
            .filter(|kept| kept.rules.is_some() || !kept.problems.is_empty())
            .map(|kept| RulesShown {
                layer: kept.layer.clone(),
                file: kept.file.clone(),
                rules: kept.rules.clone(),
                problems: kept.problems.clone(),
            })
            .collect();
        shown.sort_by(|one, other| (&one.layer, &one.file).cmp(&(&other.layer, &other.file)));
        shown.insert(0, shipped);
        shown
    }
}

fn resolved_text(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Folders as they are resolved, the way tools resolve what they are given.
fn resolved(folders: Vec<String>) -> Vec<String> {
    folders
        .into_iter()
        .map(|folder| match Path::new(&folder).canonicalize() {
            Ok(path) => path.display().to_string(),
            Err(_) => folder,
        })
        .collect()
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}

/// How a grant names the request that it answers.
fn request_of(scope: &TurnScope, call: &str) -> String {
    format!("{}/{call}", scope.run.0)
}

fn fresh_id() -> Result<String, Problem> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("the system gives no random numbers: {error}"))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn noted(
    scope: &TurnScope,
    mode: Mode,
    call: &str,
    claim: &Claim,
    decision: &str,
    by: String,
    at: i64,
) -> Decided {
    let subject = match &claim.deed {
        Deed::Inner | Deed::Model | Deed::Tool => String::new(),
        Deed::Read { path } | Deed::Write { path } => path.clone(),
        Deed::Shell { command, .. } => command.clone(),
        Deed::Fetch { url } => url.clone(),
        Deed::Request { method, path } => format!("{method} {path}"),
    };
    Decided {
        cursor: 0,
        at,
        session: scope.session.0.clone(),
        run: scope.run.0.clone(),
        call: call.to_owned(),
        source: claim.source.clone(),
        tool: claim.tool.clone(),
        mode: mode.word().to_owned(),
        decision: decision.to_owned(),
        by,
        subject,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use domain::{Covers, Hints, RunId, SessionId};
    use serde_json::json;
    use store::DataDir;

    use super::*;

    struct Bench {
        home: tempfile::TempDir,
        folder: tempfile::TempDir,
        judge: Judge,
    }

    impl Bench {
        async fn new() -> Self {
            let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let store = Store::open(&DataDir::open(home.path()).unwrap(), "test").await.unwrap();
            store.set_session_setup("s1", "{}").await.unwrap();
            let judge = Judge::new(store, home.path(), true);
            Self { home, folder, judge }
        }

        fn rules(&self, rules: &serde_json::Value) {
            let folder = self.home.path().join("workspaces/default");
            fs::create_dir_all(&folder).unwrap();
            // Another length each time: some disks keep times by the second.
            let text = json!({ "version": 1, "rules": rules }).to_string();
            fs::write(folder.join("permissions.json"), text).unwrap();
        }

        async fn decide(&self, mode: Mode, call: &str, claim: &Claim) -> Ruling {
            let folders = [self.folder.path().display().to_string()];
            self.judge.judge(&scope(), mode, &folders, call, claim).await.unwrap()
        }

        async fn word(&self, claim: &Claim) -> &'static str {
            match self.decide(Mode::Ask, "c1", claim).await {
                Ruling::Allow { confined: true, .. } => "confined",
                Ruling::Allow { .. } => "allow",
                Ruling::Ask { .. } => "ask",
                Ruling::Deny { .. } => "deny",
            }
        }
    }

    fn scope() -> TurnScope {
        TurnScope { session: SessionId("s1".to_owned()), run: RunId("r1".to_owned()) }
    }

    fn shell(command: &str) -> Claim {
        let deed = Deed::Shell { command: command.to_owned(), cwd: "/home/eva/app".to_owned() };
        Claim {
            source: String::new(),
            tool: "shell".to_owned(),
            deed,
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
        let shown = bench.judge.shown(DEFAULT_WORKSPACE).await.unwrap();
        let own = shown.iter().find(|shown| shown.layer == Layer::Workspace).unwrap();
        assert_eq!((own.problems.len(), own.rules.as_ref().unwrap().rules().len()), (1, 1));
        fs::remove_file(bench.home.path().join("workspaces/default/permissions.json")).unwrap();
        assert_eq!(bench.word(&push).await, "ask");
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
        assert_eq!(bench.word(&shell("cat x")).await, "confined");
        let elsewhere = TurnScope { session: SessionId("s2".to_owned()), run: RunId("r1".to_owned()) };
        let ruling = bench.judge.judge(&elsewhere, Mode::Ask, &[], "c1", &shell("ls")).await.unwrap();
        assert!(matches!(ruling, Ruling::Allow { .. }), "{ruling:?}");
    }

    #[tokio::test]
    async fn a_grant_answers_the_next_call_until_it_is_taken_back() {
        let bench = Bench::new().await;
        let claim = shell("frob it");
        let Ruling::Ask { offers, .. } = bench.decide(Mode::Ask, "c1", &claim).await else { panic!() };
        let wide = offers.iter().find(|offer| offer.scope == GrantScope::Workspace).unwrap();
        assert_eq!(wide.covers, Covers::Command(vec!["frob".to_owned()]));
        let grant = bench.judge.grant(&scope(), Mode::Ask, "c1", &claim, wide).await.unwrap();
        assert_eq!(grant.request, "r1/c1");
        assert_eq!(bench.word(&shell("frob more")).await, "allow");
        assert_eq!(bench.word(&shell("frob more; rm x")).await, "ask");
        bench.judge.store.revoke_grants(std::slice::from_ref(&grant.id), now_ms()).await.unwrap();
        assert_eq!(bench.word(&shell("frob more")).await, "ask");
    }

    #[tokio::test]
    async fn every_decision_is_noted_with_what_it_was_about() {
        let bench = Bench::new().await;
        let claim = shell("frob it");
        let Ruling::Ask { offers, .. } = bench.decide(Mode::Ask, "c1", &claim).await else { panic!() };
        bench.judge.refused(&scope(), Mode::Ask, "c1", &claim).await;
        bench.judge.grant(&scope(), Mode::Ask, "c2", &claim, &offers[0]).await.unwrap();
        bench.decide(Mode::Ask, "c2", &claim).await;
        bench.decide(Mode::Safe, "c3", &claim).await;
        bench.decide(Mode::Safe, "c4", &shell("ls")).await;
        let noted = bench.judge.store.decisions(None, Some("s1"), 50).await.unwrap();
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
