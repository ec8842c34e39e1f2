//! The decision.

use std::sync::Arc;

use domain::{
    AccessRequest, AgentStages, AllowedBy, CallEffect, Covers, Digest, Grant, GrantScope, Mode, Ruling,
};

use crate::commands::ShellCommand;
use crate::disk::Disk;
use crate::known_folders::KnownFolders;
use crate::rules::{Effect, Rule};
use crate::ruleset::{Kind, Layer, RuleSet, ToolRef};

/// What a decision depends on besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The session's mode.
    pub mode: Mode,
    /// The session.
    pub session: &'a str,
    /// The slug of its workspace.
    pub workspace: &'a str,
    /// The agent whose stage makes the call by itself; `None`: somebody else makes it.
    pub agent: Option<AgentStages<'a>>,
    /// The request that is decided on, as [`Grant::request`] names it: a grant for once is for this one alone.
    pub request: &'a str,
    /// Folders that may be worked in, absolute and resolved.
    pub folders: &'a [String],
    /// What the person granted, revoked and expired ones left out.
    pub grants: &'a [Grant],
    /// Whether commands can be confined on this machine.
    pub can_confine: bool,
    /// Whether confined ones can be given a copy of the folders to write to.
    pub can_copy: bool,
    /// Whether a command can be kept from changing anything but the session's folders.
    pub can_bound: bool,
    /// Whether the person wrote the command, as in an automation of theirs: in Auto it runs as they would run it.
    pub own_words: bool,
    /// The file system, for the words of commands.
    pub disk: &'a dyn Disk,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// The rules of all layers, ready to be asked. Without rules no command is known to only read.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Later layers last.
    pub(crate) sets: Vec<Arc<RuleSet>>,
    pub(crate) places: KnownFolders,
    /// Files whose rules are not known.
    unsure: Vec<String>,
}

/// A rule that decides, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit<'a> {
    pub rule: &'a Rule,
    pub layer: &'a Layer,
}

impl Hit<'_> {
    pub(crate) fn effect(&self) -> Effect {
        self.rule.effect
    }

    pub(crate) fn by(&self) -> String {
        format!("rule ({}): {}", self.layer.as_str(), self.rule.reason)
    }

    pub(crate) fn deny(&self) -> Ruling {
        deny(
            format!("a rule ({}) forbids {}: {}", self.layer.as_str(), self.rule.words(), self.rule.reason),
            self.rule.instead.clone(),
        )
    }
}

impl Policy {
    /// No rules yet.
    pub fn new(places: KnownFolders) -> Self {
        Self { places, ..Self::default() }
    }

    /// With the rules of a layer; those of a source hold for that source alone.
    #[must_use]
    pub fn with(mut self, set: Arc<RuleSet>) -> Self {
        self.sets.push(set);
        self.sets.sort_by(|one, other| one.layer().cmp(other.layer()));
        self
    }

    /// With rules that could not be read: what they deny is not known, so whatever would run is asked for.
    #[must_use]
    pub fn unsure(mut self, file: &str) -> Self {
        self.unsure.push(file.to_owned());
        self
    }

    /// Whether a rule denies that a file is read, or it is the program's own.
    pub fn is_denied(&self, path: &str, session: &str, folders: &[String]) -> bool {
        let path = crate::known_folders::slashed(path);
        let about = ToolRef { source: "", tool: "" };
        let forms = self.places.forms(&path, folders);
        let barred = self.sets.iter().any(|set| {
            forms.iter().any(|form| {
                set.denying_rules(form, about)
                    .any(|rule| crate::ruleset::is_for(rule, crate::rules::Access::Read))
            })
        });
        barred || self.places.ground(&path, session) == crate::known_folders::PathArea::Private
    }

    /// Files and folders, absolute, that rules keep from being read by their whole path. What rules name by a pattern
    /// alone, wherever it lies, is not among them: [`is_denied`](Self::is_denied) tells of that.
    pub fn hidden_places(&self) -> Vec<String> {
        let about = ToolRef { source: "", tool: "" };
        let paths = self.sets.iter().flat_map(|set| set.unreadable(about));
        let whole = paths.filter_map(|path| {
            let path = path.strip_suffix("/**").unwrap_or(path);
            let path = match path.strip_prefix("~/") {
                Some(rest) if !self.places.home.is_empty() => format!("{}/{rest}", self.places.home),
                Some(_) => return None,
                None => path.to_owned(),
            };
            (path.len() > 1 && path.starts_with('/') && !path.contains(['*', '?', '['])).then_some(path)
        });
        whole.collect()
    }

    /// Patterns of names that rules keep from being read wherever they lie, as `.gitattributes` writes them.
    pub fn hidden_names(&self) -> Vec<String> {
        let about = ToolRef { source: "", tool: "" };
        let patterns = self.sets.iter().flat_map(|set| set.unreadable(about));
        let plain = |pattern: &&str| pattern.starts_with("**/") && !pattern.contains(char::is_whitespace);
        let written = |pattern: &str| match pattern.strip_prefix("**/") {
            Some(name) if !name.contains('/') => name.to_owned(),
            Some(_) | None => pattern.to_owned(),
        };
        patterns.filter(plain).map(written).collect()
    }

    /// Decides on a call. Pure: the same call in the same context is always decided alike.
    pub fn decide(&self, claim: &AccessRequest, context: &Context<'_>) -> Ruling {
        let ruling = self.decide_by_rules(claim, context);
        let inner = matches!(claim.effect, CallEffect::Inner | CallEffect::Model);
        match (&ruling, self.unsure.first()) {
            (Ruling::Allow { .. }, Some(file)) if !inner => match context.granted_exactly(claim, None) {
                Some(_) => ruling,
                None => crate::offers::ask(
                    format!("the rules in {file} can't be read, so it is not known what they forbid"),
                    crate::offers::only_once(claim),
                ),
            },
            _ => ruling,
        }
    }

    fn decide_by_rules(&self, claim: &AccessRequest, context: &Context<'_>) -> Ruling {
        let about = ToolRef { source: &claim.source, tool: &claim.tool };
        // A rule on the tool itself, whatever the call is about.
        let tool = self.strongest(Kind::Tool, &[claim.tool.as_str()], about, |hit| self.counts(hit, claim));
        if let Some(hit) = tool.filter(|hit| hit.effect() == Effect::Deny) {
            return hit.deny();
        }
        match &claim.effect {
            CallEffect::Inner => allow("it touches nothing but the conversation"),
            CallEffect::Model => allow("it asks a model, within the budget"),
            CallEffect::Read { path } => self.read(claim, context, path, tool),
            CallEffect::Write { path } => self.write(claim, context, path, tool),
            CallEffect::Shell { command, cwd, outside } => {
                self.shell(claim, context, ShellCommand { command, cwd, outside: outside.as_deref() }, tool)
            }
            CallEffect::Fetch { url } => self.fetch(claim, context, url, tool),
            CallEffect::Request { method, path } => self.request(claim, context, method, path, tool),
            CallEffect::Tool => self.tool(claim, context, tool),
        }
    }

    /// The rule that decides about a subject: one that denies in any layer, else the strictest one of the last layer that
    /// has any.
    pub(crate) fn strongest<'a>(
        &'a self,
        kind: Kind,
        subjects: &[&str],
        about: ToolRef<'a>,
        counts: impl Fn(&Hit<'a>) -> bool,
    ) -> Option<Hit<'a>> {
        self.strongest_of(kind, subjects, &[], about, counts)
    }

    /// The same, where a subject has other readings, too: on these nothing is allowed.
    pub(crate) fn strongest_of<'a>(
        &'a self,
        kind: Kind,
        subjects: &[&str],
        readings: &[&str],
        about: ToolRef<'a>,
        counts: impl Fn(&Hit<'a>) -> bool,
    ) -> Option<Hit<'a>> {
        let mut decided: Option<Hit<'a>> = None;
        for set in self.sets.iter().rev() {
            let layer = set.layer();
            let hits = subjects.iter().flat_map(|subject| set.hits(kind, subject, about));
            let others = readings.iter().flat_map(|subject| set.hits(kind, subject, about));
            let strictest = hits
                .chain(others.filter(|rule| rule.effect != Effect::Allow))
                .map(|rule| Hit { rule, layer })
                .filter(|hit| counts(hit))
                .max_by_key(|hit| hit.rule.effect);
            match strictest {
                Some(hit) if hit.effect() == Effect::Deny => return Some(hit),
                Some(hit) if decided.is_none() => decided = Some(hit),
                _ => {}
            }
        }
        decided
    }

    /// Whether a rule may decide on a call. A source's own file allows what only reads, of a source that is trusted.
    pub(crate) fn counts(&self, hit: &Hit<'_>, claim: &AccessRequest) -> bool {
        match (hit.layer, hit.rule.effect) {
            (Layer::Source(_), Effect::Allow) => claim.trusted && !says_it_writes(claim),
            _ => true,
        }
    }
}

/// Whether a call's own words say that it changes something.
pub(crate) fn says_it_writes(claim: &AccessRequest) -> bool {
    claim.hints.read_only == Some(false) || claim.hints.destructive == Some(true)
}

pub(crate) fn allow(by: impl Into<AllowedBy>) -> Ruling {
    Ruling::Allow { by: by.into(), confined: domain::Walls::Open }
}

pub(crate) fn deny(why: impl Into<String>, instead: Option<String>) -> Ruling {
    Ruling::Deny { why: why.into(), instead }
}

/// What a grant has to cover.
pub(crate) enum GrantNeed<'a> {
    /// A call of the tool.
    Call,
    /// A simple command, as [`crate::shell::Command::exact`] writes it.
    Command(&'a str),
    /// A change of a file.
    Path(&'a str),
    /// A page of a host.
    Host(&'a str),
    /// A request.
    Request(&'a str, &'a str),
}

impl Context<'_> {
    /// A grant that holds for a call now and covers what is wanted of it.
    pub(crate) fn granted(&self, claim: &AccessRequest, wanted: &GrantNeed<'_>) -> Option<&Grant> {
        let mut digest = None;
        let mut covers = |grant: &Grant| match (&grant.covers, wanted) {
            (Covers::Arguments(kept), _) => {
                *digest.get_or_insert_with(|| Digest::of_json(&claim.arguments)) == *kept
                    && grant.tool == claim.tool
            }
            (Covers::Any, GrantNeed::Call | GrantNeed::Request(..)) => grant.tool == claim.tool,
            (Covers::Stages { agent, tools, digest: kept }, GrantNeed::Call | GrantNeed::Request(..)) => {
                self.agent.is_some_and(|own| own.agent == agent && Some(own.digest) == *kept)
                    && tools.contains(&claim.tool)
            }
            (Covers::Command(prefix), GrantNeed::Command(words)) => {
                grant.tool == claim.tool && begins_with(words, prefix)
            }
            (Covers::Path(kept), GrantNeed::Path(path)) => crate::known_folders::below(path, kept).is_some(),
            (Covers::Host(kept), GrantNeed::Host(host)) => {
                grant.tool == claim.tool && kept.eq_ignore_ascii_case(host)
            }
            (Covers::Request(kept, below), GrantNeed::Request(method, path)) => {
                grant.tool == claim.tool && kept.eq_ignore_ascii_case(method) && below == path
            }
            _ => false,
        };
        self.grants.iter().find(|grant| self.holds(grant) && grant.source == claim.source && covers(grant))
    }

    /// A grant for exactly this call: what a rule has asked for is not covered by a wider one.
    pub(crate) fn granted_exactly(&self, claim: &AccessRequest, path: Option<&str>) -> Option<&Grant> {
        let digest = Digest::of_json(&claim.arguments);
        self.grants.iter().find(|grant| {
            self.holds(grant)
                && grant.source == claim.source
                && match &grant.covers {
                    Covers::Arguments(kept) => grant.tool == claim.tool && *kept == digest,
                    Covers::Path(kept) => path == Some(kept.as_str()),
                    Covers::Any
                    | Covers::Command(_)
                    | Covers::Host(_)
                    | Covers::Request(..)
                    | Covers::Stages { .. } => false,
                }
        })
    }

    fn holds(&self, grant: &Grant) -> bool {
        let in_time = grant.expires_at.is_none_or(|end| end > self.now);
        let here = match grant.scope {
            GrantScope::Once => grant.request == self.request && grant.session == self.session,
            GrantScope::Session => grant.session == self.session,
            GrantScope::Workspace => grant.workspace.as_deref().is_none_or(|own| own == self.workspace),
            GrantScope::Always => true,
        };
        in_time && here
    }
}

fn begins_with(words: &str, prefix: &[String]) -> bool {
    let mut words = words.split(crate::pattern::PART);
    !prefix.is_empty() && prefix.iter().all(|wanted| words.next() == Some(wanted.as_str()))
}
