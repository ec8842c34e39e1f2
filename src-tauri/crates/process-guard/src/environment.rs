//! The environment of a child: a short list of harmless variables plus what its configuration names, nothing else.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

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

/// What a child sees beyond the short list of harmless variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment<'a> {
    /// Variables that are set for it.
    pub set: Option<&'a BTreeMap<String, String>>,
    /// Names of variables of this process that it gets, too.
    pub inherit: &'a [String],
    /// Its `PATH`; `None` is this process' own.
    pub search_path: Option<&'a OsStr>,
}

impl Environment<'_> {
    /// The variables for one child, out of this process' own.
    pub fn variables(&self) -> BTreeMap<OsString, OsString> {
        self.from_lookup(|name| std::env::var_os(name))
    }

    fn from_lookup(&self, lookup: impl Fn(&str) -> Option<OsString>) -> BTreeMap<OsString, OsString> {
        let mut environment = BTreeMap::new();
        let inherited = ALWAYS.iter().copied().chain(self.inherit.iter().map(String::as_str));
        for name in inherited {
            if let Some(value) = lookup(name)
                && !is_function(&value)
            {
                environment.insert(OsString::from(name), value);
            }
        }
        if let Some(path) = self.search_path {
            environment.insert("PATH".into(), path.to_os_string());
        }
        for (name, value) in self.set.into_iter().flatten() {
            if !is_function(OsStr::new(value)) {
                environment.insert(name.into(), value.into());
            }
        }
        environment
    }
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
        let set = BTreeMap::from([("MODE".into(), "quiet".into()), ("EVIL".into(), "() { :; }; rm".into())]);
        let inherit = ["AGENTNATIVE_HOME".to_owned()];
        let environment = Environment { set: Some(&set), inherit: &inherit, search_path: None };
        let environment = environment.from_lookup(|name| match name {
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
