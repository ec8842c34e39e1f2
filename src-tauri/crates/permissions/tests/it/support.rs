use std::path::Path;
use std::sync::{Arc, LazyLock};

use domain::{AccessRequest, AgentStages, CallEffect, Covers, Grant, GrantScope, Hints, Mode, Ruling};
use permissions::{Context, Disk, KnownFolders, Layer, Policy, RuleFile, RuleSet, UnknownDisk};
use serde_json::{Value, json};

pub const APP: &str = "/home/eva/app";
pub const SESSION: &str = "s1";
pub const WORKSPACE: &str = "work";
pub const MODES: [Mode; 3] = [Mode::Safe, Mode::Ask, Mode::AllowAll];

/// The rules that come with the program.
pub static SHIPPED: LazyLock<Arc<RuleSet>> = LazyLock::new(|| {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/permissions.json");
    let rules: RuleFile = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    Arc::new(RuleSet::compile(Layer::App, &rules).unwrap())
});

pub fn places() -> KnownFolders {
    KnownFolders {
        data: "/home/eva/.local/share/agentnative".to_owned(),
        home: "/home/eva".to_owned(),
        workspaces: Vec::new(),
    }
}

pub fn policy() -> Policy {
    Policy::new(places()).with(SHIPPED.clone())
}

/// The shipped rules and these, as they would stand in a file.
pub fn with_rules(layers: &[(Layer, Value)]) -> Policy {
    layers.iter().fold(policy(), |policy, (layer, rules)| policy.with(compiled(layer.clone(), rules.clone())))
}

pub fn compiled(layer: Layer, rules: Value) -> Arc<RuleSet> {
    let file: RuleFile = serde_json::from_value(json!({ "version": 1, "rules": rules })).unwrap();
    Arc::new(RuleSet::compile(layer, &file).unwrap())
}

pub fn claim(tool: &str, effect: CallEffect) -> AccessRequest {
    let arguments = serde_json::to_value(&effect).unwrap();
    AccessRequest {
        source: String::new(),
        tool: tool.to_owned(),
        effect,
        hints: Hints::default(),
        trusted: true,
        arguments,
    }
}

pub fn of_source(source: &str, tool: &str, effect: CallEffect, trusted: bool, hints: Hints) -> AccessRequest {
    AccessRequest { source: source.to_owned(), trusted, hints, ..claim(tool, effect) }
}

pub fn shell(command: &str) -> AccessRequest {
    claim("shell", CallEffect::Shell { command: command.to_owned(), cwd: APP.to_owned(), outside: None })
}

pub fn write(path: &str) -> AccessRequest {
    claim("edit", CallEffect::Write { path: path.to_owned() })
}

pub fn read(path: &str) -> AccessRequest {
    claim("read", CallEffect::Read { path: path.to_owned() })
}

pub fn fetch(url: &str) -> AccessRequest {
    claim("fetch", CallEffect::Fetch { url: url.to_owned() })
}

pub fn request(method: &str, path: &str, trusted: bool) -> AccessRequest {
    let effect = CallEffect::Request { method: method.to_owned(), path: path.to_owned() };
    of_source("tracker", "request", effect, trusted, Hints::default())
}

/// A decision in a session that works in [`APP`].
pub struct Case<'a> {
    pub policy: &'a Policy,
    pub mode: Mode,
    pub agent: Option<AgentStages<'a>>,
    pub grants: Vec<Grant>,
    pub can_confine: bool,
    pub can_copy: bool,
    pub can_bound: bool,
    pub own_words: bool,
    pub disk: &'a dyn Disk,
}

impl<'a> Case<'a> {
    pub fn new(policy: &'a Policy, mode: Mode) -> Self {
        Self {
            policy,
            mode,
            agent: None,
            grants: Vec::new(),
            can_confine: true,
            can_copy: false,
            can_bound: true,
            own_words: false,
            disk: &UnknownDisk,
        }
    }

    pub fn decide(&self, claim: &AccessRequest) -> Ruling {
        self.decide_in(&[APP.to_owned()], claim)
    }

    /// In a session that works in other folders.
    pub fn decide_in(&self, folders: &[String], claim: &AccessRequest) -> Ruling {
        self.policy.decide(
            claim,
            &Context {
                mode: self.mode,
                session: SESSION,
                workspace: WORKSPACE,
                agent: self.agent,
                request: "r1/c1",
                folders,
                grants: &self.grants,
                can_confine: self.can_confine,
                can_copy: self.can_copy,
                can_bound: self.can_bound,
                own_words: self.own_words,
                disk: self.disk,
                now: 1_000,
            },
        )
    }
}

pub fn decide(policy: &Policy, mode: Mode, claim: &AccessRequest) -> Ruling {
    Case::new(policy, mode).decide(claim)
}

/// `allow`, `confined`, `copied`, `folders`, `ask` or `deny`.
pub fn word(ruling: &Ruling) -> &'static str {
    match ruling {
        Ruling::Allow { confined: domain::Walls::Confined, .. } => "confined",
        Ruling::Allow { confined: domain::Walls::Copied, .. } => "copied",
        Ruling::Allow { confined: domain::Walls::Folders, .. } => "folders",
        Ruling::Allow { .. } => "allow",
        Ruling::Ask { .. } => "ask",
        Ruling::Deny { .. } => "deny",
    }
}

/// What each mode says, in the order of [`MODES`].
pub fn words(policy: &Policy, claim: &AccessRequest) -> [&'static str; 3] {
    MODES.map(|mode| word(&decide(policy, mode, claim)))
}

pub fn grant(claim: &AccessRequest, scope: GrantScope, covers: Covers) -> Grant {
    Grant {
        id: "g1".to_owned(),
        scope,
        session: SESSION.to_owned(),
        workspace: Some(WORKSPACE.to_owned()),
        source: claim.source.clone(),
        tool: claim.tool.clone(),
        covers,
        created_at: 0,
        expires_at: None,
        request: "r1/c1".to_owned(),
        words: "x".to_owned(),
    }
}
