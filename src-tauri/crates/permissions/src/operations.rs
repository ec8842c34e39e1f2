//! Decisions on files, pages, requests and tools of sources.

use domain::{AccessRequest, AllowedBy, Grant, Mode, Ruling};
use url::Url;

use crate::known_folders::{PathArea, below, is_resolved, slashed};
use crate::offers::{self, ask};
use crate::policy::{Context, GrantNeed, Hit, Policy, allow, deny, says_it_writes};
use crate::rules::{Access, Effect};
use crate::ruleset::{Kind, ToolRef, is_for};

/// In Explore: how a change comes about.
pub(crate) const BY_PLAN: &str = "put it into a plan and submit that for the person to accept";
/// How a source is believed.
const TRUST: &str = "ask the person to trust the source";
const ADD_FOLDER: &str = "ask the person to add its folder to the session";

pub(crate) fn by_grant(grant: &Grant) -> Ruling {
    allow(AllowedBy::Grant(grant.id.clone()))
}

fn tool_ref(claim: &AccessRequest) -> ToolRef<'_> {
    ToolRef { source: &claim.source, tool: &claim.tool }
}

/// The decision of a mode in which nothing is asked.
pub(crate) fn by_mode(mode: Mode) -> Ruling {
    allow(format!("mode {}", mode.as_str()))
}

/// Where a tool's own rule says ask or allow and the subject's says nothing, the tool's counts.
fn either<'a>(subject: Option<Hit<'a>>, tool: Option<Hit<'a>>) -> Option<Hit<'a>> {
    subject.or(tool)
}

impl Policy {
    /// The rule on a file.
    pub(crate) fn on_file<'a>(
        &'a self,
        claim: &'a AccessRequest,
        context: &Context<'_>,
        path: &str,
        access: Access,
    ) -> Option<Hit<'a>> {
        let forms = self.places.forms(path, context.folders);
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        self.strongest(Kind::Path, &forms, tool_ref(claim), |hit| {
            is_for(hit.rule, access) && self.counts(hit, claim)
        })
    }

    pub(crate) fn read(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        path: &str,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let path = slashed(path);
        if !is_resolved(&path) {
            return deny(format!("`{path}` is not a resolved path"), None);
        }
        let rule = self.on_file(claim, context, &path, Access::Read);
        match rule.map(|hit| (hit, hit.effect())) {
            Some((hit, Effect::Deny)) => return hit.deny(),
            _ if self.places.ground(&path, context.session) == PathArea::Private => {
                return deny("it is the program's own data", None);
            }
            _ => {}
        }
        let rule = either(rule, tool);
        if let Some(hit) = rule.filter(|hit| hit.effect() == Effect::Ask) {
            return match context.granted_exactly(claim, None) {
                Some(grant) => by_grant(grant),
                None => ask(hit.rule.reason.clone(), offers::narrow(claim, "this reading")),
            };
        }
        if !claim.source.is_empty() {
            return self.read_of_source(claim, context, rule);
        }
        let inside = context.folders.iter().any(|folder| below(&path, folder).is_some());
        match rule {
            _ if inside => allow("it reads in a folder of the session"),
            _ if self.places.ground(&path, context.session) != PathArea::Foreign => {
                allow("it reads what belongs to the session")
            }
            Some(hit) if hit.rule.path.is_some() => allow(hit.by()),
            _ => deny(format!("`{path}` is outside of the session's folders"), Some(ADD_FOLDER.to_owned())),
        }
    }

    /// A source that gives files says itself which folder it is about; whether that is believed is a matter of trust.
    fn read_of_source(&self, claim: &AccessRequest, context: &Context<'_>, rule: Option<Hit<'_>>) -> Ruling {
        if claim.trusted {
            return allow("it reads from a source that is trusted");
        }
        if context.mode == Mode::Safe {
            return deny(
                format!("the source `{}` is not trusted, and the session's mode is Explore", claim.source),
                Some(TRUST.to_owned()),
            );
        }
        match rule {
            Some(hit) => allow(hit.by()),
            None if context.mode == Mode::AllowAll => by_mode(context.mode),
            None => match context.granted(claim, &GrantNeed::Call) {
                Some(grant) => by_grant(grant),
                None => ask(
                    format!("the source `{}` is not trusted, so it may do more than read", claim.source),
                    offers::of_tool(claim),
                ),
            },
        }
    }

    pub(crate) fn write(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        path: &str,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let path = slashed(path);
        if !is_resolved(&path) {
            return deny(format!("`{path}` is not a resolved path"), None);
        }
        let rule = self.on_file(claim, context, &path, Access::Write);
        if let Some(hit) = rule.filter(|hit| hit.effect() == Effect::Deny) {
            return hit.deny();
        }
        let safe = context.mode == Mode::Safe;
        let refused =
            || deny("the session's mode is Explore, in which nothing is changed", Some(BY_PLAN.to_owned()));
        match self.places.ground(&path, context.session) {
            PathArea::OwnPlans => return allow("it writes a plan into the session's own folder"),
            PathArea::OwnData if !safe => return allow("it writes data into the session's own folder"),
            PathArea::OwnRest | PathArea::Private => return deny("it is the program's own data", None),
            PathArea::OwnData | PathArea::Workspace if safe => return refused(),
            // Agents, sources, skills and rules decide on what happens later, in every mode.
            PathArea::Workspace => {
                return match context.granted_exactly(claim, None) {
                    Some(grant) => by_grant(grant),
                    None => ask("it changes how the program works later", offers::only_once(claim)),
                };
            }
            PathArea::OwnData | PathArea::Foreign => {}
        }
        if safe {
            return refused();
        }
        let inside =
            context.folders.iter().any(|folder| below(&path, folder).is_some_and(|rest| !rest.is_empty()));
        if !inside && rule.is_none_or(|hit| hit.effect() != Effect::Allow) {
            return deny(
                format!("`{path}` is outside of the session's folders"),
                Some(ADD_FOLDER.to_owned()),
            );
        }
        match either(rule, tool) {
            Some(hit) if hit.effect() == Effect::Ask => match context.granted_exactly(claim, Some(&path)) {
                Some(grant) => by_grant(grant),
                None => ask(hit.rule.reason.clone(), offers::narrow(claim, "this change")),
            },
            Some(hit) => allow(hit.by()),
            None if context.mode == Mode::AllowAll => by_mode(context.mode),
            None => match context.granted(claim, &GrantNeed::Path(&path)) {
                Some(grant) => by_grant(grant),
                None => ask(format!("it changes `{path}`"), offers::of_file(claim, &path, context.folders)),
            },
        }
    }

    pub(crate) fn fetch(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        url: &str,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let host = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .filter(|url| url.username().is_empty() && url.password().is_none())
            .and_then(|url| url.host_str().map(|host| host.trim_end_matches('.').to_ascii_lowercase()))
            .filter(|host| !host.is_empty());
        let Some(host) = host else {
            return deny(
                "it is not an address of a page",
                Some("give an address that begins with https:// and has no user name".to_owned()),
            );
        };
        let rule = self.strongest(Kind::Host, &[&host], tool_ref(claim), |hit| self.counts(hit, claim));
        if let Some(hit) = rule.filter(|hit| hit.effect() == Effect::Deny) {
            return hit.deny();
        }
        if context.mode == Mode::Safe {
            return match rule {
                Some(hit) if hit.effect() == Effect::Allow => allow(hit.by()),
                _ => deny(
                    "the session's mode is Explore, in which nothing leaves this machine",
                    Some(format!("ask the person to allow `{host}` by a rule")),
                ),
            };
        }
        match either(rule, tool) {
            Some(hit) if hit.effect() == Effect::Ask => match context.granted_exactly(claim, None) {
                Some(grant) => by_grant(grant),
                None => ask(hit.rule.reason.clone(), offers::narrow(claim, "this address")),
            },
            Some(hit) => allow(hit.by()),
            None if context.mode == Mode::AllowAll => by_mode(context.mode),
            None => match context.granted(claim, &GrantNeed::Host(&host)) {
                Some(grant) => by_grant(grant),
                None => ask(format!("it asks `{host}` for a page"), offers::of_host(claim, &host)),
            },
        }
    }

    pub(crate) fn request(
        &self,
        claim: &AccessRequest,
        context: &Context<'_>,
        method: &str,
        path: &str,
        tool: Option<Hit<'_>>,
    ) -> Ruling {
        let method = method.to_ascii_uppercase();
        let plain = is_plain_request(&method, path);
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let subject = format!("{method}\0{path}");
        let readings: Vec<String> = readings(&path).iter().map(|path| format!("{method}\0{path}")).collect();
        let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
        let rule = self.strongest_of(Kind::Request, &[&subject], &readings, tool_ref(claim), |hit| {
            self.counts(hit, claim) && (plain || hit.rule.effect != Effect::Allow)
        });
        if let Some(hit) = rule.filter(|hit| hit.effect() == Effect::Deny) {
            return hit.deny();
        }
        let reads = plain && claim.trusted && matches!(method.as_str(), "GET" | "HEAD");
        if context.mode == Mode::Safe {
            return if reads && rule.is_none_or(|hit| hit.effect() != Effect::Ask) {
                allow("it reads from a source that is trusted")
            } else if claim.trusted {
                deny(
                    "the session's mode is Explore, in which only GET and HEAD are sent",
                    Some(BY_PLAN.to_owned()),
                )
            } else {
                deny(
                    format!(
                        "the source `{}` is not trusted, and the session's mode is Explore",
                        claim.source
                    ),
                    Some(TRUST.to_owned()),
                )
            };
        }
        let guarded = || self.sets.iter().any(|set| set.guards_requests(tool_ref(claim)));
        if !plain && rule.is_none() && guarded() {
            return match context.granted_exactly(claim, None) {
                Some(grant) => by_grant(grant),
                None => ask(
                    "its path is not a plain one, so that it may be one that a rule is about",
                    offers::narrow(claim, "this request"),
                ),
            };
        }
        match either(rule, tool) {
            Some(hit) if hit.effect() == Effect::Ask => match context.granted_exactly(claim, None) {
                Some(grant) => by_grant(grant),
                None => ask(hit.rule.reason.clone(), offers::narrow(claim, "this request")),
            },
            Some(hit) => allow(hit.by()),
            None if context.mode == Mode::AllowAll => by_mode(context.mode),
            None if reads => allow("it reads from a source that is trusted"),
            None => {
                match plain.then(|| context.granted(claim, &GrantNeed::Request(&method, &path))).flatten() {
                    Some(grant) => by_grant(grant),
                    None if !plain => match context.granted_exactly(claim, None) {
                        Some(grant) => by_grant(grant),
                        None => ask("its path is not a plain one", offers::narrow(claim, "this request")),
                    },
                    None => ask(
                        format!("it sends `{method} {path}` to `{}`", claim.source),
                        offers::of_request(claim, &method, &path),
                    ),
                }
            }
        }
    }

    pub(crate) fn tool(&self, claim: &AccessRequest, context: &Context<'_>, rule: Option<Hit<'_>>) -> Ruling {
        let reads =
            claim.trusted && claim.hints.read_only == Some(true) && claim.hints.destructive != Some(true);
        let asked = rule.is_some_and(|hit| hit.effect() == Effect::Ask);
        let allowed = rule.filter(|hit| hit.effect() == Effect::Allow);
        if context.mode == Mode::Safe {
            return match allowed {
                _ if !claim.trusted => deny(
                    format!(
                        "what `{}` says about its tools is not trusted, and the session's mode is Explore",
                        claim.source
                    ),
                    Some(TRUST.to_owned()),
                ),
                _ if asked => deny(
                    "a rule has it asked for, and the session's mode is Explore",
                    Some(BY_PLAN.to_owned()),
                ),
                _ if reads => allow("its source is trusted and says that it only reads"),
                Some(hit) if !says_it_writes(claim) => allow(hit.by()),
                _ => deny(
                    "the session's mode is Explore, and the tool is not known to only read",
                    Some(BY_PLAN.to_owned()),
                ),
            };
        }
        if asked {
            return match context.granted_exactly(claim, None) {
                Some(grant) => by_grant(grant),
                None => ask(
                    rule.map(|hit| hit.rule.reason.clone()).unwrap_or_default(),
                    offers::narrow(claim, "this call"),
                ),
            };
        }
        if let Some(hit) = allowed {
            return allow(hit.by());
        }
        if reads {
            return allow("its source is trusted and says that it only reads");
        }
        let destroys = !claim.trusted && claim.hints.destructive == Some(true);
        if context.mode == Mode::AllowAll && !destroys {
            return by_mode(context.mode);
        }
        match context.granted(claim, &GrantNeed::Call) {
            Some(grant) => by_grant(grant),
            None if destroys => ask(
                format!(
                    "`{}` says that it may delete or overwrite, and its source is not trusted",
                    claim.tool
                ),
                offers::of_tool(claim),
            ),
            None => ask(format!("`{}` may change something", claim.tool), offers::of_tool(claim)),
        }
    }
}

/// Whether a method and a path mean the same to everybody who reads them.
fn is_plain_request(method: &str, path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    !method.is_empty()
        && method.bytes().all(|c| c.is_ascii_uppercase())
        && !path.contains(|c: char| {
            c.is_control() || c.is_whitespace() || matches!(c, '\\' | '?' | '#' | ';' | '@')
        })
        && !["%2e", "%2f", "%5c", "%00", "%25", "%3b", "%23", "%3f", "//"]
            .iter()
            .any(|part| lower.contains(part))
        && path.split('/').all(|part| part != "." && part != "..")
}

/// How often a path is decoded: what a server decodes one before it may have decoded, too.
const MAX_DECODED: usize = 3;

/// What a server may make of a path: without escapes, without parameters behind `;`, its steps taken.
fn readings(path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut decoded = path.to_owned();
    for _ in 0..=MAX_DECODED {
        for reading in [stepped(&decoded), decoded.clone()] {
            if reading != path && !found.contains(&reading) {
                found.push(reading);
            }
        }
        let next = without_escapes(&decoded);
        if next == decoded {
            break;
        }
        decoded = next;
    }
    found
}

/// A path without what does not choose a resource, and with its steps taken.
fn stepped(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default().replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// A text with its `%41` decoded, once. What would part a subject's words is left out.
fn without_escapes(text: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).replace(crate::pattern::PART, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_in_every_way_that_a_server_may_read_it() {
        for path in [
            "/%61dmin/users",
            "/admin%2Fusers",
            "/%2561dmin/users",
            "/admin;x=1/users",
            "/admin%3bx/users",
            "/a/../admin/users",
            "/a%2f..%2fadmin/users",
            "//admin//users/",
            "/admin/./users",
            "\\admin\\users",
            "/admin/users%00",
            "/admin/users?x=1",
            "/admin/users#x",
        ] {
            assert!(
                readings(path).iter().any(|reading| reading == "/admin/users"),
                "{path}: {:?}",
                readings(path)
            );
        }
        assert_eq!(readings("/admin/users"), Vec::<String>::new());
        assert_eq!(readings("/100%"), Vec::<String>::new());
        assert_eq!(readings("/caf%C3%A9"), ["/caf\u{e9}"]);
    }
}
