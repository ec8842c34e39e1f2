use pretty_assertions::assert_eq;

use super::*;

fn arguments(given: &[&str]) -> Vec<String> {
    std::iter::once("agentnative-desktop").chain(given.iter().copied()).map(str::to_owned).collect()
}

fn route(text: &str) -> Option<String> {
    Link::parse(text).map(|link| link.path())
}

#[test]
fn a_link_of_ours_names_a_place() {
    for (link, place) in [
        ("agentnative://session/261121-calm-otter", "/session/261121-calm-otter"),
        ("agentnative://session/261121-calm-otter/", "/session/261121-calm-otter"),
        ("agentnative://session/s-1?message=42", "/session/s-1?message=42"),
        ("agentnative://run/run-0199a", "/run/run-0199a"),
        ("agentnative://settings", "/settings"),
        ("agentnative://settings/appearance", "/settings/appearance"),
        ("agentnative://source/isa-kb", "/source/isa-kb"),
        ("AGENTNATIVE://session/a", "/session/a"),
    ] {
        assert_eq!(route(link).as_deref(), Some(place), "{link}");
    }
}

#[test]
fn every_page_of_the_settings_has_a_link() {
    let pages = include_str!("../../../ui/src/domains/settings/sections.ts");
    let mut ids: Vec<&str> =
        pages.split("id: \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    ids.sort_unstable();
    assert_eq!(ids, SETTINGS);
}

#[test]
fn a_link_to_a_new_session_only_fills_in_a_draft() {
    assert_eq!(
        route("agentnative://new?agent=isa-deep-research&input=What%20is%20%26%20why%3F&send=true")
            .as_deref(),
        Some("/new?agent=isa-deep-research&input=What+is+%26+why%3F")
    );
    assert_eq!(route("agentnative://new").as_deref(), Some("/new"));
    let theirs =
        Link::parse("craftagents://action/new-session?input=Hello&send=true&mode=allow-all&workdir=/etc");
    assert_eq!(theirs, Some(Link::New { agent: None, input: Some("Hello".to_owned()) }));
}

#[test]
fn links_of_craft_agent_lead_where_they_can() {
    for (link, place) in [
        ("craftagents://allSessions", "/"),
        ("craftagents://allSessions/session/s-1", "/session/s-1"),
        ("craft-agent://flagged/session/s-1?window=focused", "/session/s-1"),
        ("craftagents://state/todo/session/s-1", "/session/s-1"),
        ("craftagents://sources/source/isa-kb", "/source/isa-kb"),
        ("craftagents://sources", "/sources"),
        ("craftagents://settings/appearance", "/settings/appearance"),
        ("craftagents://workspace/w1/allSessions/session/s-1", "/session/s-1"),
    ] {
        assert_eq!(route(link).as_deref(), Some(place), "{link}");
    }
}

#[test]
fn actions_that_would_change_something_are_refused() {
    for action in [
        "delete-session/s-1",
        "set-mode/s-1?mode=allow-all",
        "oauth/x",
        "delete-source/x",
        "flag-session/s-1",
    ] {
        assert_eq!(Link::parse(&format!("craftagents://action/{action}")), None, "{action}");
        assert_eq!(Link::parse(&format!("agentnative://action/{action}")), None, "{action}");
    }
    assert_eq!(Link::parse("craftagents://auth-callback?code=1"), None);
    assert_eq!(Link::parse("agentnative://delete/s-1"), None);
    assert_eq!(Link::parse("agentnative://settings/unknown"), None);
}

#[test]
fn exactly_one_argument_is_a_link() {
    assert_eq!(Link::among(&[]), None);
    assert_eq!(Link::among(&arguments(&[])), None);
    assert_eq!(Link::among(&arguments(&["agentnative://run/r1"])), Some(Link::Run { id: "r1".to_owned() }));
    assert_eq!(Link::among(&arguments(&["agentnative://run/r1", "agentnative://run/r2"])), None);
    assert_eq!(Link::among(&arguments(&["--flag", "agentnative://run/r1"])), None);
    assert_eq!(Link::among(&arguments(&["--inspect"])), None);
}

#[test]
fn a_link_of_ten_thousand_characters_is_refused() {
    assert_eq!(Link::parse(&format!("agentnative://session/{}", "a".repeat(10_000))), None);
    assert_eq!(Link::parse(&format!("agentnative://new?input={}", "a".repeat(10_000))), None);
    assert_eq!(Link::parse(&format!("agentnative://session/{}", "a".repeat(129))), None);
}

#[test]
fn hidden_bytes_are_refused() {
    for link in [
        "agentnative://session/a%00b",
        "agentnative://session/%00",
        "agentnative://session/a\0b",
        "agentnative://session/a%0Ab",
        "agentnative://session/..%2F..%2Fetc",
        "agentnative://session/%2e%2e",
        "agentnative://session/a%5Cb",
        "agentnative://session/a%",
        "agentnative://session/a%zz",
        "agentnative://session/%ff",
        "agentnative://session/a b",
        "agentnative://session/s-1?message=%3Cscript%3E",
        "agentnative://new?input=safe%E2%80%AEtxet",
        "agentnative://new?input=a%00b",
        "agentnative://new?input=%F3%A0%81%81",
    ] {
        assert_eq!(Link::parse(link), None, "{link:?}");
    }
}

#[test]
fn foreign_hosts_schemes_and_credentials_are_refused() {
    for link in [
        "agentnative://sessiоn/a", // a Cyrillic о
        "agentnative://ｓession/a",
        "agentnative://例え/a",
        "agentnative://user@session/a",
        "agentnative://user:secret@session/a",
        "agentnative://session:80/a",
        "agentnative:session/a",
        "agentnative:///session/a",
        "agentnative://agentnative://session/a",
        "agentnative://https://session/a",
        "https://session/a",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "session/a",
        "",
        "agentnative://",
        "agentnative://session",
        "agentnative://session/a/b",
    ] {
        assert_eq!(Link::parse(link), None, "{link:?}");
    }
}

#[test]
fn a_parameter_given_twice_counts_as_not_given() {
    assert_eq!(
        Link::parse("agentnative://new?input=a&input=b"),
        Some(Link::New { agent: None, input: None })
    );
}
