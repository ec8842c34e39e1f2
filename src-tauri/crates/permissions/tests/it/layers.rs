use domain::{AccessRequest, CallEffect, Covers, Digest, GrantScope, Hints, Mode};
use permissions::{Layer, Policy, RuleSet};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    APP, Case, MODES, compiled, decide, fetch, grant, of_source, policy, read, request, shell, with_rules,
    word, words, write,
};

#[test]
fn a_later_layer_goes_before_an_earlier_one_unless_it_denies() {
    let rule = |effect: &str| json!([{ "effect": effect, "path": "notes/**", "reason": "x" }]);
    let note = write(&format!("{APP}/notes/a.md"));
    for (workspace, session, expected) in [
        ("allow", "ask", ["deny", "ask", "ask"]),
        ("ask", "allow", ["deny", "allow", "allow"]),
        ("deny", "allow", ["deny", "deny", "deny"]),
        ("allow", "deny", ["deny", "deny", "deny"]),
        ("allow", "allow", ["deny", "allow", "allow"]),
    ] {
        let policy = with_rules(&[(Layer::Workspace, rule(workspace)), (Layer::Session, rule(session))]);
        assert_eq!(words(&policy, &note), expected, "{workspace}, then {session}");
        let turned = with_rules(&[(Layer::Session, rule(session)), (Layer::Workspace, rule(workspace))]);
        assert_eq!(words(&turned, &note), expected, "the order of adding makes no difference");
    }
}

#[test]
fn within_a_layer_the_strictest_rule_counts() {
    let rules = json!([
        { "effect": "allow", "path": "notes/**", "reason": "x" },
        { "effect": "ask", "path": "notes/private/**", "reason": "x" },
        { "effect": "deny", "path": "notes/private/keys/**", "reason": "x" },
    ]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    let decided = |path: &str| words(&policy, &write(&format!("{APP}/notes/{path}")));
    assert_eq!(decided("a"), ["deny", "allow", "allow"]);
    assert_eq!(decided("private/a"), ["deny", "ask", "ask"]);
    assert_eq!(decided("private/keys/a"), ["deny", "deny", "deny"]);
}

#[test]
fn a_path_is_written_from_the_root_from_home_or_from_a_folder() {
    for pattern in ["/home/eva/app/notes/*", "~/app/notes/*", "notes/*", "**/notes/*"] {
        let rules = json!([{ "effect": "deny", "path": pattern, "reason": "x", "instead": "y" }]);
        let policy = with_rules(&[(Layer::Session, rules)]);
        assert_eq!(word(&decide(&policy, Mode::Ask, &read(&format!("{APP}/notes/a")))), "deny", "{pattern}");
        assert_eq!(word(&decide(&policy, Mode::Ask, &read(&format!("{APP}/src/a")))), "allow", "{pattern}");
    }
}

#[test]
fn a_host_that_a_rule_names_may_be_read_in_explore_and_no_other() {
    let rules = json!([
        { "effect": "allow", "host": "docs.rs", "reason": "x", "match": ["docs.rs"], "not_match": ["xdocs.rs"] },
        { "effect": "allow", "host": "*.example.org", "reason": "x", "not_match": ["example.org", "example.org.evil.net"] },
        { "effect": "deny", "host": "evil.example.org", "reason": "x" },
    ]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for (url, expected) in [
        ("https://docs.rs/x", ["allow", "allow", "allow"]),
        ("https://DOCS.RS./x", ["allow", "allow", "allow"]),
        ("https://docs.rs:8443/x", ["allow", "allow", "allow"]),
        ("https://docs.rs.evil.net/", ["deny", "ask", "allow"]),
        ("https://evil.net/docs.rs", ["deny", "ask", "allow"]),
        ("https://docs.rs@evil.net/", ["deny", "deny", "deny"]),
        ("https://a.example.org/", ["allow", "allow", "allow"]),
        ("https://evil.example.org/", ["deny", "deny", "deny"]),
    ] {
        assert_eq!(words(&policy, &fetch(url)), expected, "{url}");
    }
}

#[test]
fn a_request_that_a_rule_allows_is_sent_but_not_in_explore() {
    let rules = json!([{ "effect": "allow", "source": "tracker", "request": { "method": "POST", "path": "/search/*" },
                         "reason": "x", "match": ["POST /search/issues"], "not_match": ["GET /search/issues", "POST /search/a/b"] }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    assert_eq!(words(&policy, &request("POST", "/search/issues", true)), ["deny", "allow", "allow"]);
    assert_eq!(words(&policy, &request("POST", "search/issues", true)), ["deny", "allow", "allow"]);
    assert_eq!(words(&policy, &request("POST", "/search/../issues", true)), ["deny", "ask", "allow"]);
    assert_eq!(words(&policy, &request("POST", "/search/%2e%2e", true)), ["deny", "ask", "allow"]);
    assert_eq!(words(&policy, &request("PUT", "/search/issues", true)), ["deny", "ask", "allow"]);
}

#[test]
fn a_rule_on_requests_holds_however_the_path_is_written() {
    let rules = json!([
        { "effect": "deny", "source": "tracker", "request": { "method": "*", "path": "/admin/**" }, "reason": "x" },
        { "effect": "ask", "source": "tracker", "request": { "method": "DELETE", "path": "/issues/*" }, "reason": "x" },
    ]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    for path in [
        "/admin/users",
        "/%61dmin/users",
        "/ADMIN/users",
        "/admin%2fusers",
        "/%2561dmin/users",
        "/admin;x=1/users",
        "/admin%3Bx=1/users",
        "/issues/../admin/users",
        "/issues/%2e%2e/admin/users",
        "//admin/users",
        "/admin",
        "/admin/",
    ] {
        assert_eq!(words(&policy, &request("GET", path, true)), ["deny", "deny", "deny"], "{path}");
    }
    for path in ["/issues/1", "/issues/%31", "/issues;v=2/1", "/%69ssues/1"] {
        assert_eq!(words(&policy, &request("DELETE", path, true)), ["deny", "ask", "ask"], "{path}");
    }
    // What nobody can tell the meaning of is asked about where rules forbid something of the source, in Auto too.
    assert_eq!(words(&policy, &request("GET", "/x@y/users", true)), ["deny", "ask", "ask"]);
    let exact = |claim: &AccessRequest| {
        let covers = Covers::Arguments(Digest::of_json(&claim.arguments));
        let grants = vec![grant(claim, GrantScope::Session, covers)];
        word(&Case { grants, ..Case::new(&policy, Mode::AllowAll) }.decide(claim))
    };
    assert_eq!(exact(&request("GET", "/x@y/users", true)), "allow");
    assert_eq!(exact(&request("GET", "/%61dmin/users", true)), "deny");
    // An allow rule is about the path as it is written.
    let rules = json!([{ "effect": "allow", "source": "tracker", "request": { "method": "POST", "path": "/search" }, "reason": "x" }]);
    let policy = with_rules(&[(Layer::Workspace, rules)]);
    assert_eq!(words(&policy, &request("POST", "/%73earch", true)), ["deny", "ask", "allow"]);
    assert_eq!(words(&policy, &request("POST", "/x/../search", true)), ["deny", "ask", "allow"]);
}

#[test]
fn rules_that_contradict_themselves_are_not_taken() {
    let file = |rule: Value| serde_json::from_value(json!({ "version": 1, "rules": [rule] })).unwrap();
    for (rule, pointer) in [
        (
            json!({ "effect": "allow", "command": "ls *", "reason": "x", "match": ["rm x"] }),
            "/rules/0/match/0",
        ),
        (
            json!({ "effect": "deny", "command": "rm *", "reason": "x", "not_match": ["sudo rm x"] }),
            "/rules/0/not_match/0",
        ),
        (
            json!({ "effect": "allow", "command": "ls *", "reason": "x", "match": ["ls; ls"] }),
            "/rules/0/match/0",
        ),
        (json!({ "effect": "allow", "tool": "x", "reason": " " }), "/rules/0/reason"),
        (json!({ "effect": "allow", "tool": "x", "instead": "y", "reason": "x" }), "/rules/0/instead"),
        (json!({ "effect": "deny", "tool": "x", "access": "read", "reason": "x" }), "/rules/0/access"),
        (json!({ "effect": "deny", "path": "a\nb", "reason": "x" }), "/rules/0/path"),
        (json!({ "effect": "deny", "path": "", "reason": "x" }), "/rules/0/path"),
        (json!({ "effect": "deny", "command": "rm; ls", "reason": "x" }), "/rules/0/command"),
        (
            json!({ "effect": "allow", "request": { "method": "GET", "path": "/x" }, "reason": "x" }),
            "/rules/0",
        ),
        (
            json!({ "effect": "deny", "request": { "method": "GET", "path": "x" }, "reason": "x" }),
            "/rules/0/request/path",
        ),
    ] {
        let faults = RuleSet::compile(Layer::Workspace, &file(rule.clone())).unwrap_err();
        assert_eq!(faults[0].pointer, pointer, "{rule}: {faults:?}");
    }
}

#[test]
fn a_file_of_two_thousand_wide_rules_compiles_and_more_are_refused() {
    let rules = |count: usize| -> Value {
        (0..count)
            .map(|n| json!({ "effect": "deny", "path": format!("**/a{n}*/**/b?.txt"), "reason": "x" }))
            .collect()
    };
    let policy = Policy::new(crate::support::places()).with(compiled(Layer::Workspace, rules(2_000)));
    assert_eq!(word(&decide(&policy, Mode::Ask, &read(&format!("{APP}/a77/x/b1.txt")))), "deny");
    let file = serde_json::from_value(json!({ "version": 1, "rules": rules(2_001) })).unwrap();
    assert!(RuleSet::compile(Layer::Workspace, &file).is_err());
}

fn claims() -> Vec<AccessRequest> {
    vec![
        read(&format!("{APP}/src/main.rs")),
        write(&format!("{APP}/src/main.rs")),
        shell("cargo test"),
        shell("ls src/main.rs"),
        fetch("https://docs.rs/x"),
        request("GET", "/issues", true),
        request("POST", "/issues", false),
        of_source(
            "tracker",
            "change",
            CallEffect::Tool,
            true,
            Hints { read_only: Some(true), ..Hints::default() },
        ),
    ]
}

/// A rule about one of the claims, in one of several wordings.
fn rule(effect: &str, claim: &AccessRequest, wording: usize) -> Value {
    let mut rule = match (&claim.effect, wording % 3) {
        (CallEffect::Read { .. } | CallEffect::Write { .. }, 0) => json!({ "path": "src/**" }),
        (CallEffect::Read { .. } | CallEffect::Write { .. }, 1) => json!({ "path": "**/main.rs" }),
        (CallEffect::Shell { command, .. }, 0 | 1) => {
            json!({ "command": format!("{} *", command.split(' ').next().unwrap_or_default()) })
        }
        (CallEffect::Fetch { .. }, 0 | 1) => json!({ "host": "docs.rs" }),
        (CallEffect::Request { method, .. }, 0 | 1) => {
            json!({ "request": { "method": method, "path": "/**" } })
        }
        _ => json!({ "tool": claim.tool }),
    };
    rule["effect"] = effect.into();
    rule["reason"] = "x".into();
    rule["source"] = if claim.source.is_empty() { "*".into() } else { claim.source.clone().into() };
    rule
}

/// Programs that read, words that they take, and words with which they write, run something or read elsewhere.
const WORDS: &[(&str, &[&str], &[&str])] = &[
    ("sort", &["-k", "2", "--key", "--", "-u", "x", "--sort", "-t"], &["-o", "-oout", "--output=x", "-Tx"]),
    ("rg", &["--glob", "-g", "--", "x", "-e", "--replace", "-n", "--type"], &["--pre=sh", "-z", "-nz"]),
    ("fd", &["-e", "--extension", "--", "x", "-H", "--type", "f", "-d"], &["-x", "--exec=rm", "-HX"]),
    ("tree", &["-L", "2", "-P", "x", "-a", "--", "-I", "--sort"], &["-o", "-Po", "-R", "-aRo"]),
    ("diff", &["--label", "--", "a", "-U", "3", "--width", "-r", "-x"], &["-l", "--from-file=/a", "-ul"]),
    ("shuf", &["-i", "1-3", "--", "-n", "--input-range", "-e", "x", "-z"], &["-o", "--output=x", "-zo"]),
    ("git log", &["--date", "--", "x", "-n", "-p", "--skip", "-S", "-U"], &["--output=x", "--ext-diff"]),
    (
        "git branch",
        &["--sort", "--format", "--", "x", "--list", "--merged", "-v", "-a"],
        &["-D", "-m", "-vf"],
    ),
    (
        "git tag",
        &["--sort", "--format", "--", "x", "-l", "--points-at", "-n", "--list"],
        &["-d", "-f", "-lf"],
    ),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_word_that_writes_is_found_wherever_it_stands(
        program in 0..WORDS.len(),
        words in prop::collection::vec(0..8_usize, 0..6),
        writing in 0..12_usize,
        at in any::<prop::sample::Index>(),
    ) {
        let (program, harmless, writes) = WORDS[program];
        let mut words: Vec<&str> = words.into_iter().map(|word| harmless[word]).collect();
        words.insert(at.index(words.len() + 1), writes[writing % writes.len()]);
        let line = format!("{program} {}", words.join(" "));
        prop_assert_eq!(word(&decide(&policy(), Mode::Safe, &shell(&line))), "deny", "{}", line);
    }

    #[test]
    fn nothing_overrides_a_rule_that_denies(
        which in 0..8_usize,
        denies_in in 0..3_usize,
        denied in 0..3_usize,
        others in prop::collection::vec((0..3_usize, 0..8_usize, 0..3_usize, any::<bool>()), 0..12),
    ) {
        let claims = claims();
        let claim = &claims[which];
        let layer = |index: usize| [Layer::App, Layer::Workspace, Layer::Session][index].clone();
        let mut layers: [Vec<Value>; 3] = Default::default();
        for (index, about, wording, allows) in others {
            layers[index].push(rule(if allows { "allow" } else { "ask" }, &claims[about], wording));
        }
        layers[denies_in].push(rule("deny", claim, denied));
        let policy = layers
            .into_iter()
            .enumerate()
            .fold(policy(), |policy, (index, rules)| policy.with(compiled(layer(index), rules.into())));
        let exact = Covers::Arguments(Digest::of_json(&claim.arguments));
        let grants = vec![
            grant(claim, GrantScope::Always, exact),
            grant(claim, GrantScope::Always, Covers::Any),
            grant(claim, GrantScope::Always, Covers::Path("/".to_owned())),
            grant(claim, GrantScope::Once, Covers::Host("docs.rs".to_owned())),
        ];
        for mode in MODES {
            let case = Case { grants: grants.clone(), ..Case::new(&policy, mode) };
            prop_assert_eq!(word(&case.decide(claim)), "deny");
        }
    }

    #[test]
    fn any_line_at_all_is_decided_and_the_same_way_again(line in "[ -~\\n\\t'\"$`(){}|&;<>*?#\\\\]{0,60}") {
        let policy = policy();
        for mode in MODES {
            let claim = shell(&line);
            let first = decide(&policy, mode, &claim);
            prop_assert_eq!(&first, &decide(&policy, mode, &claim));
        }
    }

    #[test]
    fn no_line_with_a_program_that_is_not_in_the_table_is_taken_for_reading(
        before in "[ -~\\n]{0,20}",
        after in "[ -~\\n]{0,20}",
    ) {
        let policy = policy();
        let line = format!("{before}\nfrobnicate {after}");
        // Inside of a quote or a comment it is no program; the shell decides on that, and both readings have to agree.
        let quoted = before.contains(['\'', '"', '\\', '#']);
        let ruling = decide(&policy, Mode::Safe, &shell(&line));
        prop_assert!(quoted || word(&ruling) == "deny", "{line:?}: {ruling:?}");
    }
}

#[test]
fn places_that_are_denied_by_their_whole_path_can_be_listed() {
    let rules = serde_json::json!([
        { "effect": "deny", "path": "~/clients/**", "reason": "theirs" },
        { "effect": "deny", "path": "/srv/pay.csv", "reason": "wages" },
        { "effect": "deny", "path": "/srv/*.csv", "reason": "wages" },
        { "effect": "deny", "path": "/srv/log", "access": "write", "reason": "for others" },
        { "effect": "ask", "path": "/srv/asked", "reason": "to be seen" },
        { "effect": "deny", "tool": "fetch", "path": "/srv/one-tool", "reason": "not for that one" },
        { "effect": "deny", "path": "drafts/**", "reason": "not yet" },
    ]);
    let places = crate::support::with_rules(&[(Layer::Workspace, rules)]).hidden_places();
    assert!(places.contains(&"/home/eva/clients".to_owned()) && places.contains(&"/srv/pay.csv".to_owned()));
    assert!(places.contains(&"/home/eva/.mozilla".to_owned()));
    assert!(places.iter().all(|place| !place.contains("/srv/") || place == "/srv/pay.csv"), "{places:?}");
    assert!(places.iter().all(|place| place.starts_with('/') && place.len() > 1));
}
