//! What may be granted when the person is asked, the narrowest first.

use domain::{AccessRequest, Covers, Digest, GrantScope, Offer, Ruling};

use crate::known_folders::below;

/// A question with its offers; the first is always for once.
pub(crate) fn ask(why: impl Into<String>, offers: Vec<Offer>) -> Ruling {
    Ruling::Ask { why: why.into(), offers }
}

fn offer(scope: GrantScope, covers: Covers, words: impl Into<String>) -> Offer {
    Offer { scope, covers, words: words.into() }
}

fn once(claim: &AccessRequest) -> Offer {
    offer(GrantScope::Once, exactly(claim), "Allow once")
}

fn exactly(claim: &AccessRequest) -> Covers {
    Covers::Arguments(Digest::of_json(&claim.arguments))
}

/// This call alone, now or in this session.
pub(crate) fn narrow(claim: &AccessRequest, what: &str) -> Vec<Offer> {
    vec![once(claim), offer(GrantScope::Session, exactly(claim), format!("Exactly {what}, in this session"))]
}

/// This call alone, and never without being asked.
pub(crate) fn only_once(claim: &AccessRequest) -> Vec<Offer> {
    vec![once(claim)]
}

/// Commands: exactly this one, or those that begin alike.
pub(crate) fn of_command(claim: &AccessRequest, prefix: Option<Vec<String>>) -> Vec<Offer> {
    let mut offers = narrow(claim, "this command");
    if let Some(prefix) = prefix {
        let words = format!("Commands that begin with `{}`", prefix.join(" "));
        let scopes = [
            (GrantScope::Session, "in this session"),
            (GrantScope::Workspace, "in every session of this workspace, until you take it back"),
            (GrantScope::Always, "everywhere, until you take it back"),
        ];
        for (scope, end) in scopes {
            offers.push(offer(scope, Covers::Command(prefix.clone()), format!("{words}, {end}")));
        }
    }
    offers
}

/// Changes of a file: of it, of its folder, of the folder that is worked in.
pub(crate) fn of_file(claim: &AccessRequest, path: &str, folders: &[String]) -> Vec<Offer> {
    let mut offers = vec![
        once(claim),
        offer(
            GrantScope::Session,
            Covers::Path(path.to_owned()),
            format!("Changes of `{path}`, in this session"),
        ),
    ];
    let root =
        folders.iter().filter(|folder| below(path, folder).is_some()).max_by_key(|folder| folder.len());
    let parent = path.rsplit_once('/').map(|(parent, _)| parent);
    if let (Some(root), Some(parent)) = (root, parent) {
        let words = |folder: &str| format!("Changes of all files in `{folder}` and below");
        if parent != root && below(parent, root).is_some() {
            let words = format!("{}, in this session", words(parent));
            offers.push(offer(GrantScope::Session, Covers::Path(parent.to_owned()), words));
        }
        let scopes = [
            (GrantScope::Session, "in this session"),
            (GrantScope::Workspace, "in every session of this workspace, until you take it back"),
        ];
        for (scope, end) in scopes {
            let words = format!("{}, {end}", words(root));
            offers.push(offer(scope, Covers::Path(root.clone()), words));
        }
    }
    offers
}

/// Pages of a host.
pub(crate) fn of_host(claim: &AccessRequest, host: &str) -> Vec<Offer> {
    let mut offers = vec![once(claim)];
    let scopes = [
        (GrantScope::Session, "in this session"),
        (GrantScope::Workspace, "in every session of this workspace, until you take it back"),
        (GrantScope::Always, "everywhere, until you take it back"),
    ];
    for (scope, end) in scopes {
        offers.push(offer(scope, Covers::Host(host.to_owned()), format!("All pages of `{host}`, {end}")));
    }
    offers
}

/// Requests: this one, this method and path with any content, the whole source.
pub(crate) fn of_request(claim: &AccessRequest, method: &str, path: &str) -> Vec<Offer> {
    let mut offers = vec![once(claim)];
    let covers = Covers::Request(method.to_owned(), path.to_owned());
    let words = format!("`{method} {path}` with any content");
    for (scope, end) in [
        (GrantScope::Session, "in this session"),
        (GrantScope::Workspace, "in every session of this workspace, until you take it back"),
    ] {
        offers.push(offer(scope, covers.clone(), format!("{words}, {end}")));
    }
    let words = format!("Every request to `{}`, whatever it changes, in this session", claim.source);
    offers.push(offer(GrantScope::Session, Covers::Any, words));
    offers
}

/// Every call of a tool.
pub(crate) fn of_tool(claim: &AccessRequest) -> Vec<Offer> {
    let mut offers = vec![once(claim)];
    let name = match claim.source.as_str() {
        "" => format!("`{}`", claim.tool),
        source => format!("`{}` of `{source}`", claim.tool),
    };
    let scopes = [
        (GrantScope::Session, "in this session"),
        (GrantScope::Workspace, "in every session of this workspace, until you take it back"),
        (GrantScope::Always, "everywhere, until you take it back"),
    ];
    for (scope, end) in scopes {
        offers.push(offer(scope, Covers::Any, format!("Every call of {name}, {end}")));
    }
    offers
}
