//! Tools of sources, whose names and annotations are claims.

use domain::{CallEffect, Hints, Mode};
use permissions::Layer;
use serde_json::json;

use crate::support::{decide, of_source, policy, with_rules, word, words};

const SAYS_IT_READS: Hints = Hints {
    read_only: Some(true),
    destructive: Some(false),
    idempotent: Some(true),
    open_world: Some(false),
};

#[test]
fn a_name_that_sounds_harmless_says_nothing() {
    let policy = policy();
    let names = [
        ("widget", "delete"),
        ("spreadsheets", "write_cells"),
        ("reader", "wipe"),
        ("get", "get"),
        ("list", "list_and_delete"),
        ("view", "view"),
        ("search", "search"),
        ("x", "read_only_drop_table"),
        ("x", "get_or_create"),
        ("x", "thread_reply"),
        ("readonly", "readonly"),
        ("x", "preview_send"),
    ];
    for (source, tool) in names {
        for trusted in [false, true] {
            let claim = of_source(source, tool, CallEffect::Tool, trusted, Hints::default());
            assert_eq!(words(&policy, &claim), ["deny", "ask", "allow"], "{source} {tool}");
        }
    }
}

#[test]
fn what_an_untrusted_server_says_of_itself_counts_for_nothing_but_against_it() {
    let policy = policy();
    let claim = of_source("tracker", "delete_everything", CallEffect::Tool, false, SAYS_IT_READS);
    assert_eq!(words(&policy, &claim), ["deny", "ask", "allow"]);
    let worse = Hints { destructive: Some(true), ..SAYS_IT_READS };
    let claim = of_source("tracker", "get", CallEffect::Tool, false, worse);
    assert_eq!(words(&policy, &claim), ["deny", "ask", "ask"]);
}

#[test]
fn a_rule_without_a_source_allows_only_what_is_built_in() {
    let rules = json!([{ "effect": "allow", "tool": "search*", "reason": "searching is fine" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    let foreign = of_source("tracker", "search_and_destroy", CallEffect::Tool, false, Hints::default());
    assert_eq!(word(&decide(&policy, Mode::Ask, &foreign)), "ask");
    let own = of_source("", "search_notes", CallEffect::Tool, true, Hints::default());
    assert_eq!(word(&decide(&policy, Mode::Ask, &own)), "allow");
}

#[test]
fn a_rule_names_a_source_and_a_tool_whole() {
    let rules =
        json!([{ "effect": "allow", "source": "tracker", "tool": "get_*", "reason": "reading issues" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for (source, tool, expected) in [
        ("tracker", "get_issue", "allow"),
        ("tracker", "widget_delete", "ask"),
        ("tracker2", "get_issue", "ask"),
        ("evil-tracker", "get_issue", "ask"),
        ("tracker", "GET_issue", "ask"),
    ] {
        let claim = of_source(source, tool, CallEffect::Tool, false, Hints::default());
        assert_eq!(word(&decide(&policy, Mode::Ask, &claim)), expected, "{source} {tool}");
    }
    // Trust is what Explore asks for; a rule does not give it.
    let claim = of_source("tracker", "get_issue", CallEffect::Tool, false, SAYS_IT_READS);
    assert_eq!(word(&decide(&policy, Mode::Safe, &claim)), "deny");
    let trusted = of_source("tracker", "get_issue", CallEffect::Tool, true, Hints::default());
    assert_eq!(word(&decide(&policy, Mode::Safe, &trusted)), "allow");
    let writes = Hints { read_only: Some(false), ..Hints::default() };
    let trusted = of_source("tracker", "get_issue", CallEffect::Tool, true, writes);
    assert_eq!(word(&decide(&policy, Mode::Safe, &trusted)), "deny");
}

#[test]
fn a_sources_own_file_never_reaches_beyond_it() {
    let rules = json!([{ "effect": "allow", "tool": "*", "reason": "all mine" }]);
    let layer = || Layer::Source("tracker".to_owned());
    let policy = with_rules(&[(layer(), rules)]);
    let hints = |read_only, destructive| Hints { read_only, destructive, ..Hints::default() };
    for (source, trusted, hints, expected) in [
        // Of a trusted source it may say what reads where the server says nothing.
        ("tracker", true, hints(None, None), ["allow", "allow", "allow"]),
        ("tracker", true, hints(Some(false), None), ["deny", "ask", "allow"]),
        ("tracker", true, hints(None, Some(true)), ["deny", "ask", "allow"]),
        ("tracker", false, hints(None, None), ["deny", "ask", "allow"]),
        ("tracker", false, hints(Some(true), None), ["deny", "ask", "allow"]),
        ("other", true, hints(None, None), ["deny", "ask", "allow"]),
        ("", true, hints(None, None), ["deny", "ask", "allow"]),
    ] {
        let claim = of_source(source, "change", CallEffect::Tool, trusted, hints);
        assert_eq!(words(&policy, &claim), expected, "{source} {trusted} {hints:?}");
    }
    let rules = json!([{ "effect": "deny", "tool": "delete_*", "reason": "no deleting" }]);
    let policy = with_rules(&[(layer(), rules)]);
    let claim = |source| of_source(source, "delete_issue", CallEffect::Tool, true, Hints::default());
    assert_eq!(words(&policy, &claim("tracker")), ["deny", "deny", "deny"]);
    assert_eq!(words(&policy, &claim("other")), ["deny", "ask", "allow"]);
}
