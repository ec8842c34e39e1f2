use permissions::Layer;
use workspace::{Workspace, parse_rules, session_rules};

#[test]
fn the_shipped_rules_hold_by_their_own_examples() {
    let home = tempfile::tempdir().unwrap();
    let entry = Workspace::open(home.path()).shipped_rules();
    let rules = entry.rules.unwrap_or_else(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"));
    });
    assert!(rules.rules().len() > 150);
    let without: Vec<_> = rules.rules().iter().filter(|rule| rule.matches.is_empty()).collect();
    assert!(without.is_empty(), "every shipped rule has an example: {without:?}");
}

#[test]
fn an_example_that_fails_is_told_with_file_line_and_place() {
    let text = "{\n  \"version\": 1,\n  \"rules\": [\n    {\"effect\": \"deny\", \"command\": \"git push *\",\n     \
                \"reason\": \"x\",\n     \"match\": [\"git push -f\",\n       \"git pull\"]}\n  ]\n}";
    let problems = parse_rules("permissions.json", text, Layer::Workspace).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].pointer, "/rules/0/match/1");
    assert_eq!(problems[0].line, Some(7));
    assert!(problems[0].to_string().contains("`git pull`, which it does not match"), "{}", problems[0]);
}

#[test]
fn what_is_wrong_with_a_file_is_told_never_taken() {
    for (text, expected) in [
        ("", "an empty file"),
        ("[]", "an object"),
        ("{\"version\": 2, \"rules\": []}", "found 2"),
        ("{\"version\": 1}", "rules"),
        (
            "{\"version\": 1, \"rules\": [{\"effect\": \"alow\", \"tool\": \"x\", \"reason\": \"y\"}]}",
            "allow",
        ),
        ("{\"version\": 1, \"rules\": [{\"effect\": \"deny\", \"reason\": \"y\"}]}", "none of them"),
        (
            "{\"version\": 1, \"rules\": [{\"effect\": \"deny\", \"host\": \"a\", \"path\": \"b\", \"reason\": \"y\"}]}",
            "at once",
        ),
        (
            "{\"version\": 1, \"rules\": [{\"effect\": \"allow\", \"command\": \"* x\", \"reason\": \"y\"}]}",
            "in full",
        ),
        (
            "{\"version\": 1, \"rules\": [{\"effect\": \"deny\", \"path\": \"../x\", \"reason\": \"y\"}]}",
            "without `..`",
        ),
        (
            "{\"version\": 1, \"rules\": [{\"effect\": \"deny\", \"host\": \"https://x\", \"reason\": \"y\"}]}",
            "alone",
        ),
        ("{\"version\": 1, \"rules\": [], \"rules\": []}", "a second time"),
        ("{\"version\": 1, \"rules\": [], \"extra\": 1}", "unknown field"),
    ] {
        let problems = parse_rules("permissions.json", text, Layer::Workspace).unwrap_err();
        let told = problems.iter().map(ToString::to_string).collect::<String>();
        assert!(told.contains(expected), "{text}: {told}");
    }
}

#[test]
fn a_sources_file_can_allow_no_more_than_reading_its_own() {
    let source = || Layer::Source("tracker".to_owned());
    for rule in [
        "{\"effect\": \"allow\", \"command\": \"ls *\", \"reason\": \"y\"}",
        "{\"effect\": \"allow\", \"path\": \"/**\", \"reason\": \"y\"}",
        "{\"effect\": \"allow\", \"host\": \"*\", \"reason\": \"y\"}",
        "{\"effect\": \"allow\", \"request\": {\"method\": \"POST\", \"path\": \"/x\"}, \"reason\": \"y\"}",
        "{\"effect\": \"allow\", \"request\": {\"method\": \"*\", \"path\": \"/x\"}, \"reason\": \"y\"}",
        "{\"effect\": \"allow\", \"source\": \"other\", \"tool\": \"x\", \"reason\": \"y\"}",
    ] {
        let text = format!("{{\"version\": 1, \"rules\": [{rule}]}}");
        assert!(parse_rules("permissions.json", &text, source()).is_err(), "{rule}");
    }
    let text = "{\"version\": 1, \"rules\": [{\"effect\": \"allow\", \"request\": {\"method\": \"get\", \"path\": \"/x/**\"}, \
                \"reason\": \"y\", \"match\": [\"GET /x/1\"], \"not_match\": [\"POST /x/1\"]}]}";
    assert!(parse_rules("permissions.json", text, source()).is_ok());
}

#[test]
fn files_that_are_not_there_are_no_rules() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(home.path());
    assert!(workspace.own_rules().is_none());
    assert!(workspace.source_rules("../secrets").is_none());
    assert!(session_rules(&home.path().join("sessions/s1")).is_none());
    std::fs::create_dir_all(workspace.root()).unwrap();
    std::fs::write(workspace.root().join("permissions.json"), "{").unwrap();
    assert!(workspace.own_rules().unwrap().rules.is_err());
}
