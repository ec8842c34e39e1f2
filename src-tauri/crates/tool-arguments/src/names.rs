//! Names as models write them: of tools with prefixes and in other cases, of arguments as other programs have them.

use file_text::closest;

/// Names that other programs' tools have for exactly what an argument here means by the second one. No name is here that
/// may mean another unit or another form.
pub(crate) const ALIASES: [(&str, &str); 13] = [
    ("file_path", "path"),
    ("filepath", "path"),
    ("absolute_path", "path"),
    ("old_string", "old"),
    ("old_str", "old"),
    ("old_text", "old"),
    ("new_string", "new"),
    ("new_str", "new"),
    ("new_text", "new"),
    ("replace_all", "all"),
    ("contents", "content"),
    ("cmd", "command"),
    ("run_in_background", "background"),
];

/// Names that other programs have for exactly what a tool here does.
const TOOL_ALIASES: [(&str, &str); 14] = [
    ("bash", "shell"),
    ("run_shell_command", "shell"),
    ("execute_command", "shell"),
    ("run_command", "shell"),
    ("read_file", "read"),
    ("write_file", "write"),
    ("create_file", "write"),
    ("edit_file", "edit"),
    ("str_replace", "edit"),
    ("grep", "search"),
    ("list_directory", "list"),
    ("ls", "list"),
    ("apply_patch", "patch"),
    ("web_fetch", "fetch"),
];

/// What providers and templates put before a tool's name.
const PREFIXES: [&str; 8] =
    ["functions.", "functions:", "function.", "default_api:", "default_api.", "tools.", "tool.", "mcp__"];
/// Names that are told of a tool that is not there.
const MAX_NEAREST: usize = 5;

/// What became of a tool's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolName<'a> {
    /// This one is meant.
    Found(&'a str),
    /// Several may be.
    Ambiguous(Vec<&'a str>),
    /// None is; the nearest, which may be none.
    Unknown(Vec<&'a str>),
}

/// A name without case, and without what separates its words.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Finds the tool that a model means among those that it was offered.
pub fn tool_name<'a>(asked: &str, offered: &[&'a str]) -> ToolName<'a> {
    if let Some(exact) = offered.iter().find(|name| **name == asked) {
        return ToolName::Found(exact);
    }
    let bare = bare(asked);
    let key = folded(bare);
    if key.is_empty() {
        return ToolName::Unknown(Vec::new());
    }
    let own = |name: &str| !name.contains("__");
    let tail = |name: &str| name.split_once("__").map(|(_, tool)| folded(tool));
    let alias = TOOL_ALIASES.iter().find(|(alias, _)| folded(alias) == key).map(|(_, name)| *name);
    // The surest first: the name itself, the name in another case, another program's name, a source's tool without the source.
    let sought: [&dyn Fn(&str) -> bool; 4] = [
        &|name| name == bare,
        &|name| folded(name) == key,
        &|name| own(name) && Some(name) == alias,
        &|name| tail(name).as_deref() == Some(key.as_str()),
    ];
    for is_meant in sought {
        let found: Vec<&'a str> = offered.iter().copied().filter(|name| is_meant(name)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return ToolName::Found(one),
            _ => return ToolName::Ambiguous(found),
        }
    }
    ToolName::Unknown(closest(bare, offered.iter().copied(), MAX_NEAREST))
}

/// A name without what providers and templates put around it.
fn bare(asked: &str) -> &str {
    let mut name = asked.split("<|").next().unwrap_or_default();
    name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    name = name.trim_end_matches("()");
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| without_prefix(name, prefix)) {
        name = rest;
    }
    name
}

fn without_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = name.split_at_checked(prefix.len())?;
    (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_tool_is_found_by_the_names_that_models_give_it() {
        let offered =
            ["read", "shell", "list", "task_diff", "github__search_issues", "docs__read", "a__get", "b__get"];
        let table = [
            ("read", "read"),
            ("Read", "read"),
            ("READ", "read"),
            ("functions.read", "read"),
            ("functions.Read", "read"),
            ("default_api:read", "read"),
            ("default_api.functions.read", "read"),
            ("read<|channel|>commentary", "read"),
            ("functions.read<|constrain|>json", "read"),
            (" read ", "read"),
            ("`read`", "read"),
            ("read()", "read"),
            ("taskDiff", "task_diff"),
            ("task-diff", "task_diff"),
            ("Bash", "shell"),
            ("read_file", "read"),
            ("mcp__github__search_issues", "github__search_issues"),
            ("github.search_issues", "github__search_issues"),
            ("github/searchIssues", "github__search_issues"),
            ("search_issues", "github__search_issues"),
            ("mcp__docs__read", "docs__read"),
            ("tools.list", "list"),
        ];
        for (asked, meant) in table {
            assert_eq!(tool_name(asked, &offered), ToolName::Found(meant), "{asked}");
        }
    }

    #[test]
    fn what_may_be_several_or_none_is_not_guessed() {
        let offered = ["read", "a__get", "b__get"];
        assert_eq!(tool_name("get", &offered), ToolName::Ambiguous(vec!["a__get", "b__get"]));
        assert_eq!(tool_name("raed", &offered), ToolName::Unknown(vec![]));
        assert_eq!(tool_name("reads", &offered), ToolName::Unknown(vec!["read"]));
        for nothing in ["", "<|channel|>", "functions."] {
            assert!(matches!(tool_name(nothing, &offered), ToolName::Unknown(_)), "{nothing}");
        }
        // Another program's name is taken for a tool of ours alone, and only where there is one.
        assert!(matches!(tool_name("Bash", &offered), ToolName::Unknown(_)));
    }
}
