//! Links that other programs hand us (`agentnative://…`). Whoever can start a program on this computer can send one, so
//! a link is hostile until parsed: it names a place or fills in a draft, and can do nothing else.

use url::Url;

/// The longest link that is read, in bytes.
const MAX_LENGTH: usize = 2_048;
/// The longest id or slug, in bytes.
const MAX_NAME: usize = 128;

/// Pages of the settings that a link may open.
const SETTINGS: [&str; 12] = [
    "about",
    "appearance",
    "connections",
    "credentials",
    "data",
    "health",
    "limits",
    "notifications",
    "organisation",
    "permissions",
    "shortcuts",
    "writing",
];

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A session, perhaps at one of its messages.
    Session { id: String, message: Option<String> },
    /// A run.
    Run { id: String },
    /// A new session with a draft that the person may send.
    New { agent: Option<String>, input: Option<String> },
    /// The settings, perhaps one page of them.
    Settings { page: Option<String> },
    /// The sources, or one of them.
    Source { slug: Option<String> },
    /// The list of sessions.
    Sessions,
}

impl Link {
    /// The link among a program's arguments (its own name first): there must be exactly one argument.
    pub fn among(arguments: &[String]) -> Option<Self> {
        match arguments {
            [_, link] => Self::parse(link),
            _ => None,
        }
    }

    /// Reads a link; nothing for everything that is not exactly one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_LENGTH || text.chars().any(char::is_control) {
            return None;
        }
        let url = Url::parse(text).ok()?;
        if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
            return None;
        }
        let host = url.host_str()?;
        let path = url.path().trim_matches('/');
        let rest: Vec<String> =
            if path.is_empty() { Vec::new() } else { path.split('/').map(decoded).collect::<Option<_>>()? };
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        match url.scheme() {
            "agentnative" => ours(host, &rest, &url),
            "craft-agent" | "craftagents" => theirs(host, &rest, &url),
            _ => None,
        }
    }

    /// The page's address for it.
    pub fn path(&self) -> String {
        match self {
            Self::Session { id, message: None } => format!("/session/{id}"),
            Self::Session { id, message: Some(message) } => format!("/session/{id}?message={message}"),
            Self::Run { id } => format!("/run/{id}"),
            Self::New { agent, input } => {
                let mut query = url::form_urlencoded::Serializer::new(String::new());
                for (name, value) in [("agent", agent), ("input", input)] {
                    if let Some(value) = value {
                        query.append_pair(name, value);
                    }
                }
                match query.finish() {
                    query if query.is_empty() => "/new".to_owned(),
                    query => format!("/new?{query}"),
                }
            }
            Self::Settings { page: None } => "/settings".to_owned(),
            Self::Settings { page: Some(page) } => format!("/settings/{page}"),
            Self::Source { slug: None } => "/sources".to_owned(),
            Self::Source { slug: Some(slug) } => format!("/source/{slug}"),
            Self::Sessions => "/".to_owned(),
        }
    }
}

fn ours(host: &str, rest: &[&str], url: &Url) -> Option<Link> {
    match (host, rest) {
        ("session", [id]) => {
            let message = match query(url, "message") {
                Some(message) => Some(name(&message)?),
                None => None,
            };
            Some(Link::Session { id: name(id)?, message })
        }
        ("run", [id]) => Some(Link::Run { id: name(id)? }),
        ("new", []) => draft(url),
        ("settings", rest) => settings(rest),
        ("source", [slug]) => Some(Link::Source { slug: Some(name(slug)?) }),
        _ => None,
    }
}

/// Links of Craft Agent, as far as they name something that exists here.
fn theirs(host: &str, rest: &[&str], url: &Url) -> Option<Link> {
    match (host, rest) {
        // Their workspaces are not ours: what follows the name counts.
        ("workspace", [_, host, rest @ ..]) if *host != "workspace" => theirs(host, rest, url),
        ("allSessions" | "allsessions" | "flagged", []) | ("state", [_]) => Some(Link::Sessions),
        ("allSessions" | "allsessions" | "flagged", ["session", id]) | ("state", [_, "session", id]) => {
            Some(Link::Session { id: name(id)?, message: None })
        }
        ("sources", []) => Some(Link::Source { slug: None }),
        ("sources", ["source", slug]) => Some(Link::Source { slug: Some(name(slug)?) }),
        ("settings", rest) => settings(rest),
        ("action", ["new-session" | "new-chat"]) => draft(url),
        _ => None,
    }
}

fn settings(rest: &[&str]) -> Option<Link> {
    match rest {
        [] => Some(Link::Settings { page: None }),
        [page] if SETTINGS.contains(page) => Some(Link::Settings { page: Some((*page).to_owned()) }),
        _ => None,
    }
}

fn draft(url: &Url) -> Option<Link> {
    let agent = match query(url, "agent") {
        Some(agent) => Some(name(&agent)?),
        None => None,
    };
    let input = query(url, "input").filter(|input| !input.trim().is_empty());
    // What a person would not see in the draft must not be in it.
    if input.as_ref().is_some_and(|input| input.chars().any(invisible)) {
        return None;
    }
    Some(Link::New { agent, input })
}

/// The value of a parameter, where it is given once.
fn query(url: &Url, key: &str) -> Option<String> {
    let mut values = url.query_pairs().filter(|(name, _)| name == key);
    match (values.next(), values.next()) {
        (Some((_, value)), None) => Some(value.into_owned()),
        _ => None,
    }
}

/// An id or slug: what we give out ourselves, and nothing that means something in a path.
fn name(text: &str) -> Option<String> {
    let fits = !text.is_empty()
        && text.len() <= MAX_NAME
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && !text.starts_with('.');
    fits.then(|| text.to_owned())
}

/// A part of a path without its escapes; nothing where they hide a separator, a control or broken text.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.contains(['/', '\\']) && !text.chars().any(char::is_control))
}

/// Controls other than line breaks and tabs, and characters that reorder or hide text.
fn invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
        || matches!(c, '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests;
