//! A file of rules, compiled: one automaton for each kind of subject.

use std::collections::BTreeSet;

use regex::bytes::RegexSet;

use crate::pattern;
use crate::rules::{Access, Effect, Rule, RuleFile};
use crate::shell::{self, NotReadOnly};

/// The version of rule files that this program reads.
const VERSION: u32 = 1;
/// The most rules of a file.
const MAX_RULES: usize = 2_000;
/// The most faults that are listed.
const MAX_FAULTS: usize = 100;

/// Where rules stand. A later layer goes before an earlier one; deny goes before everything.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// They come with the program.
    App,
    /// The person's, for all sessions.
    Workspace,
    /// A source's own, by its slug: about its own tools alone. They allow only what does nothing but read.
    Source(String),
    /// One session's.
    Session,
}

impl Layer {
    /// Its word.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Workspace => "workspace",
            Self::Source(_) => "source",
            Self::Session => "session",
        }
    }
}

/// Something that is wrong with a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer to it.
    pub pointer: String,
    /// What would have been right.
    pub expected: String,
    /// What is there instead.
    pub found: String,
}

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Command,
    Path,
    Host,
    Request,
    Tool,
}

/// A call, as far as conditions of rules go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRef<'a> {
    pub source: &'a str,
    pub tool: &'a str,
}

/// The rules of a layer, ready to be asked.
#[derive(Debug, Clone)]
pub struct RuleSet {
    layer: Layer,
    rules: Vec<Rule>,
    commands: Index,
    paths: Index,
    /// Of `paths`, those that deny: asked for every word of a command.
    denied: Index,
    hosts: Index,
    requests: Index,
    tools: Index,
}

#[derive(Debug, Clone)]
struct Index {
    set: RegexSet,
    rules: Vec<usize>,
}

impl Index {
    fn new(rules: &[Rule], folded: bool, pattern: impl Fn(&Rule) -> Option<String>) -> Result<Self, Fault> {
        let mut patterns = Vec::new();
        let mut kept = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if let Some(pattern) = pattern(rule) {
                // Capitals make no difference on some disks, so a rule that forbids has to hold for both.
                patterns.push((pattern, folded && rule.effect != Effect::Allow));
                kept.push(index);
            }
        }
        let set = pattern::set(&patterns).map_err(|_| Fault {
            pointer: "/rules".to_owned(),
            expected: "patterns of a reasonable size".to_owned(),
            found: "patterns that are too large together".to_owned(),
        })?;
        Ok(Self { set, rules: kept })
    }

    fn hits(&self, subject: &str) -> impl Iterator<Item = usize> {
        let matches = (!self.rules.is_empty()).then(|| self.set.matches(subject.as_bytes()));
        matches.into_iter().flatten().map(|index| self.rules[index])
    }
}

impl RuleSet {
    /// Compiles a file and tries the examples of its rules.
    ///
    /// # Errors
    /// All that is wrong with it; nothing of it is then to be used.
    pub fn compile(layer: Layer, file: &RuleFile) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        if file.version != VERSION {
            faults.push(fault("/version", &VERSION.to_string(), &file.version.to_string()));
        }
        if file.rules.len() > MAX_RULES {
            faults.push(fault(
                "/rules",
                &format!("at most {MAX_RULES} rules"),
                &format!("{}", file.rules.len()),
            ));
            return Err(faults);
        }
        for (index, rule) in file.rules.iter().enumerate() {
            check(&layer, rule, &format!("/rules/{index}"), &mut faults);
        }
        if faults.is_empty() {
            match Self::build(layer, file.rules.clone()) {
                Ok(set) => {
                    set.try_examples(&mut faults);
                    if faults.is_empty() {
                        return Ok(set);
                    }
                }
                Err(found) => faults.push(found),
            }
        }
        faults.truncate(MAX_FAULTS);
        Err(faults)
    }

    fn build(layer: Layer, rules: Vec<Rule>) -> Result<Self, Fault> {
        let path = |rule: &Rule| rule.path.as_deref().map(pattern::path);
        Ok(Self {
            commands: Index::new(&rules, false, |rule| rule.command.as_deref().map(pattern::words))?,
            paths: Index::new(&rules, true, path)?,
            denied: Index::new(&rules, true, |rule| path(rule).filter(|_| rule.effect == Effect::Deny))?,
            hosts: Index::new(&rules, true, |rule| rule.host.as_deref().map(pattern::host))?,
            requests: Index::new(&rules, true, |rule| {
                let request = rule.request.as_ref()?;
                let method = pattern::name(&request.method.to_ascii_uppercase());
                Some(format!(r"{method}\x00{}", pattern::path(&request.path)))
            })?,
            tools: Index::new(&rules, true, |rule| {
                let bare = rule.command.is_none() && rule.path.is_none() && rule.host.is_none();
                (bare && rule.request.is_none()).then(|| pattern::name(rule.tool.as_deref().unwrap_or("*")))
            })?,
            layer,
            rules,
        })
    }

    /// Its layer.
    pub fn layer(&self) -> &Layer {
        &self.layer
    }

    /// Its rules, in the file's order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Whether it has rules that deny commands, or have them asked for.
    pub(crate) fn guards_commands(&self) -> bool {
        self.commands.rules.iter().any(|index| self.rules[*index].effect != Effect::Allow)
    }

    /// Whether it has rules that deny requests of this kind of call, or have them asked for.
    pub(crate) fn guards_requests(&self, about: ToolRef<'_>) -> bool {
        let rules = self.requests.rules.iter().map(|index| &self.rules[*index]);
        rules.filter(|rule| rule.effect != Effect::Allow).any(|rule| self.is_about(rule, about))
    }

    fn index(&self, kind: Kind) -> &Index {
        match kind {
            Kind::Command => &self.commands,
            Kind::Path => &self.paths,
            Kind::Host => &self.hosts,
            Kind::Request => &self.requests,
            Kind::Tool => &self.tools,
        }
    }

    /// Rules of a kind that match a subject and are about this call.
    pub(crate) fn hits<'a>(
        &'a self,
        kind: Kind,
        subject: &str,
        about: ToolRef<'a>,
    ) -> impl Iterator<Item = &'a Rule> {
        self.index(kind)
            .hits(subject)
            .map(|index| &self.rules[index])
            .filter(move |rule| self.is_about(rule, about))
    }

    /// Rules that deny a file.
    pub(crate) fn denying_rules<'a>(
        &'a self,
        path: &str,
        about: ToolRef<'a>,
    ) -> impl Iterator<Item = &'a Rule> {
        self.denied.hits(path).map(|index| &self.rules[index]).filter(move |rule| self.is_about(rule, about))
    }

    /// Rules that deny some file that a pattern can stand for; `may_be` says so of a rule's path.
    pub(crate) fn rules_that_may_deny<'a>(
        &'a self,
        about: ToolRef<'a>,
        may_be: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Rule> {
        let denies = self.denied.rules.iter().map(|index| &self.rules[*index]);
        denies
            .filter(move |rule| self.is_about(rule, about))
            .filter(move |rule| rule.path.as_deref().is_some_and(&may_be))
    }

    /// Rules that deny a file's reading, and where.
    pub(crate) fn unreadable<'a>(&'a self, about: ToolRef<'a>) -> impl Iterator<Item = &'a str> {
        let denies = |rule: &&Rule| rule.effect == Effect::Deny && is_for(rule, Access::Read);
        let denying = self.rules.iter().filter(denies).filter(move |rule| self.is_about(rule, about));
        denying.filter_map(|rule| rule.path.as_deref())
    }

    fn is_about(&self, rule: &Rule, about: ToolRef<'_>) -> bool {
        if let Layer::Source(slug) = &self.layer
            && slug != about.source
        {
            return false;
        }
        let source = match (&rule.source, &self.layer) {
            (Some(pattern), _) => like(pattern, about.source),
            (None, Layer::Source(_)) => true,
            // A name alone says little: what is allowed to all must be our own.
            (None, _) => rule.effect != Effect::Allow || about.source.is_empty(),
        };
        source && rule.tool.as_deref().is_none_or(|pattern| like(pattern, about.tool))
    }

    fn try_examples(&self, faults: &mut Vec<Fault>) {
        for (index, rule) in self.rules.iter().enumerate() {
            let lists = [("match", &rule.matches, true), ("not_match", &rule.not_match, false)];
            for (name, examples, wanted) in lists {
                for (place, example) in examples.iter().enumerate() {
                    let found = self.example(index, example);
                    if found == Ok(wanted) {
                        continue;
                    }
                    let found = match found {
                        Err(NotReadOnly(reason)) => format!("`{example}`, which can't be tried: {reason}"),
                        Ok(true) => format!("`{example}`, which it matches"),
                        Ok(false) => format!("`{example}`, which it does not match"),
                    };
                    let expected = if wanted {
                        "an example that the rule matches"
                    } else {
                        "an example that it does not match"
                    };
                    faults.push(fault(&format!("/rules/{index}/{name}/{place}"), expected, &found));
                }
            }
        }
    }

    fn example(&self, index: usize, example: &str) -> Result<bool, NotReadOnly> {
        let rule = &self.rules[index];
        let hit = |kind: Kind, subject: &str| self.index(kind).hits(subject).any(|found| found == index);
        if rule.command.is_some() {
            let line = shell::read(example);
            if rule.effect != Effect::Allow {
                return Ok(line
                    .commands
                    .iter()
                    .flat_map(shell::Command::guarded)
                    .any(|form| hit(Kind::Command, &form)));
            }
            let command = match (line.commands.as_slice(), &line.fault) {
                ([command], None) => command,
                (_, Some(_)) => return Ok(false),
                _ => return Err("it is more than one command".into()),
            };
            let matched = command.exact().is_some_and(|form| hit(Kind::Command, &form));
            return Ok(matched && (self.layer != Layer::App || shell::only_reads(command).is_ok()));
        }
        if rule.path.is_some() {
            return Ok(hit(Kind::Path, example));
        }
        if rule.host.is_some() {
            return Ok(hit(Kind::Host, &example.to_ascii_lowercase()));
        }
        if rule.request.is_some() {
            let (method, path) = example.split_once(' ').ok_or("a request is written like `GET /issues`")?;
            return Ok(hit(Kind::Request, &format!("{method}\0{path}")));
        }
        Ok(hit(Kind::Tool, example))
    }
}

fn fault(pointer: &str, expected: &str, found: &str) -> Fault {
    Fault { pointer: pointer.to_owned(), expected: expected.to_owned(), found: found.to_owned() }
}

/// What can be told of a rule by itself.
fn check(layer: &Layer, rule: &Rule, at: &str, faults: &mut Vec<Fault>) {
    let mut wrong = |field: &str, expected: &str, found: &str| {
        faults.push(fault(&format!("{at}{field}"), expected, found))
    };
    let subjects: Vec<&str> = [
        rule.command.as_ref().map(|_| "command"),
        rule.path.as_ref().map(|_| "path"),
        rule.host.as_ref().map(|_| "host"),
        rule.request.as_ref().map(|_| "request"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if subjects.len() > 1 {
        wrong(
            "",
            "one of `command`, `path`, `host` and `request`",
            &format!("`{}` at once", subjects.join("` and `")),
        );
    }
    if subjects.is_empty() && rule.tool.is_none() && rule.source.is_none() {
        wrong(
            "",
            "what it is about: a tool, a source, a command, a path, a host or a request",
            "none of them",
        );
    }
    if rule.reason.trim().is_empty() {
        wrong("/reason", "why the rule is there", "nothing");
    }
    if rule.access.is_some() && rule.path.is_none() {
        wrong("/access", "`access` beside `path` alone", "a rule about something else");
    }
    if rule.instead.is_some() && rule.effect != Effect::Deny {
        wrong("/instead", "`instead` where something is denied", &format!("`{}`", rule.effect.as_str()));
    }
    let request = rule.request.as_ref();
    let texts = [
        ("/source", rule.source.as_ref()),
        ("/tool", rule.tool.as_ref()),
        ("/command", rule.command.as_ref()),
        ("/path", rule.path.as_ref()),
        ("/host", rule.host.as_ref()),
        ("/request/method", request.map(|request| &request.method)),
        ("/request/path", request.map(|request| &request.path)),
    ];
    for (field, text) in texts {
        let Some(text) = text else { continue };
        if text.trim().is_empty()
            || text.len() > pattern::MAX_PATTERN_BYTES
            || text.contains(char::is_control)
        {
            wrong(
                field,
                &format!("a pattern of 1 to {} bytes on one line", pattern::MAX_PATTERN_BYTES),
                "another text",
            );
        }
    }
    if let Some(command) = &rule.command {
        let first = command.split_whitespace().next().unwrap_or_default();
        if rule.effect == Effect::Allow && first.contains('*') {
            wrong("/command", "a command's name in full where something is allowed", &format!("`{first}`"));
        }
        if command.contains(['"', '\'', '|', ';', '&', '<', '>', '$', '`']) {
            wrong(
                "/command",
                "words of one simple command, without quotes and signs of the shell",
                &format!("`{command}`"),
            );
        }
    }
    if let Some(path) = &rule.path
        && (path.split('/').any(|part| part == "..") || path.contains('\\') || path.contains("***"))
    {
        wrong("/path", "a pattern with `/`, without `..`", &format!("`{path}`"));
    }
    if let Some(host) = &rule.host
        && host.contains(['/', ':', '@', ' '])
    {
        wrong("/host", "a host's name alone", &format!("`{host}`"));
    }
    if let Some(request) = request {
        if !request.path.starts_with('/') && !request.path.starts_with('*') {
            wrong("/request/path", "a path that begins with `/`", &format!("`{}`", request.path));
        }
        let needs_source = rule.effect == Effect::Allow && rule.source.is_none();
        if needs_source && !matches!(layer, Layer::Source(_)) {
            wrong("", "a `source` where requests are allowed", "none");
        }
    }
    if let Layer::Source(slug) = layer {
        if rule.source.as_deref().is_some_and(|source| source != slug) {
            wrong("/source", "no other source than its own", "another one");
        }
        let own: BTreeSet<&str> = ["request"].into();
        if rule.effect == Effect::Allow && subjects.iter().any(|subject| !own.contains(subject)) {
            wrong(
                "",
                "nothing but its own tools and requests where a source's file allows something",
                "another subject",
            );
        }
        if rule.effect == Effect::Allow
            && request.is_some_and(|request| {
                !matches!(request.method.to_ascii_uppercase().as_str(), "GET" | "HEAD")
            })
        {
            wrong(
                "/request/method",
                "`GET` or `HEAD`: a source's file allows only what reads",
                "another method",
            );
        }
    }
}

/// Whether a name is like a pattern in which `*` is any text.
pub(crate) fn like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last: Option<&str> = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}

/// Whether a rule is about this use of a file.
pub(crate) fn is_for(rule: &Rule, access: Access) -> bool {
    rule.access.is_none_or(|only| only == access)
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn a_name_is_compared_whole() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "x", true),
            ("get_*", "get_issue", true),
            ("get_*", "widget_delete", false),
            ("*_get", "widget", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "abc", true),
            ("a*bc", "abcbc", true),
            ("ab*ba", "aba", false),
            ("get", "get", true),
            ("get", "getter", false),
        ] {
            assert_eq!(like(pattern, text), expected, "{pattern}: {text}");
        }
    }
}
