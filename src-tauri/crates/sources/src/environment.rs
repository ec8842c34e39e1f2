//! The environment of a child: a short list of harmless variables plus what its configuration names, nothing else.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use crate::config::SourceConfig;

/// What every child may know. No credential lives under these names.
#[cfg(not(windows))]
const ALWAYS: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];
#[cfg(windows)]
const ALWAYS: &[&str] = &[
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The variables for one child, out of this process' own.
pub(crate) fn child_environment(config: &SourceConfig) -> BTreeMap<OsString, OsString> {
    from_lookup(config, |name| std::env::var_os(name))
}

fn from_lookup(
    config: &SourceConfig,
    lookup: impl Fn(&str) -> Option<OsString>,
) -> BTreeMap<OsString, OsString> {
    let mut environment = BTreeMap::new();
    let inherited = ALWAYS.iter().copied().chain(config.inherit_env.iter().map(String::as_str));
    for name in inherited {
        if let Some(value) = lookup(name)
            && !is_function(&value)
        {
            environment.insert(OsString::from(name), value);
        }
    }
    if let Some(path) = &config.search_path {
        environment.insert("PATH".into(), path.clone());
    }
    for (name, value) in &config.env {
        if !is_function(OsStr::new(value)) {
            environment.insert(name.into(), value.into());
        }
    }
    environment
}

/// Shells pass functions on as values that begin with `()`: code, where a child expects data.
fn is_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_child_sees_the_short_list_and_what_was_named_for_it() {
        let mut config = SourceConfig::new("kb", "server");
        config.inherit_env = vec!["AGENTNATIVE_HOME".into()];
        config.env.insert("MODE".into(), "quiet".into());
        config.env.insert("EVIL".into(), "() { :; }; rm".into());
        let environment = from_lookup(&config, |name| match name {
            "HOME" => Some("/home/eva".into()),
            "TERM" => Some("() { :; }".into()),
            "AGENTNATIVE_HOME" => Some("/data".into()),
            "SECRET_KEY" => Some("canary".into()),
            _ => None,
        });
        let shown: Vec<_> = environment
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(shown, ["AGENTNATIVE_HOME=/data", "HOME=/home/eva", "MODE=quiet"]);
    }
}
