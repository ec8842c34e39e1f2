//! What is found and taken out.

use serde_json::json;
use transfer::{Findings, Kind, Redactor, Secret};

use crate::support::transcript;

fn kinds(text: &str) -> Vec<(Kind, String)> {
    let mut found = Findings::default();
    Redactor::default().note(text, "", "here", &mut found);
    found.list().into_iter().map(|finding| (finding.kind, finding.shown)).collect()
}

#[test]
fn known_shapes_are_found_and_words_are_not() {
    let key = format!("sk-{}", "Ab3dEf6hIj9kLm2nOp5q");
    for (text, kind) in [
        (format!("use {key} now"), Kind::ApiKey),
        ("Authorization: Bearer abcdefghijklmnop1234".to_owned(), Kind::Bearer),
        ("postgres://eva:hunter22@db.example.org/x".to_owned(), Kind::Bearer),
        ("DB_PASSWORD=correct-horse-7".to_owned(), Kind::Named),
        ("write to eva.muster@example.org".to_owned(), Kind::Email),
        ("in /home/eva/notes".to_owned(), Kind::HomePath),
        ("C:\\Users\\eva\\x".to_owned(), Kind::HomePath),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----".to_owned(), Kind::PrivateKey),
        ("-----BEGIN PRIVATE KEY-----\nMIIBcut".to_owned(), Kind::PrivateKey),
        ("q7Rk2Zp9Xw4Lm8Vt3Bn6Yc1Hs5".to_owned(), Kind::Random),
    ] {
        let found = kinds(&text);
        assert!(found.iter().any(|(found, _)| *found == kind), "{text}: {found:?}");
        let clean = Redactor::default().text(&text);
        assert!(clean.contains(kind.replacement()), "{clean}");
    }
    for text in [
        "the password is required",
        "let token = self.token();",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "550e8400-e29b-41d4-a716-446655440000",
        "run-01jx3k5n7q9s1v3x5z7b9d1f3h",
        "a_very_long_identifier_of_some_module_name",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn a_secret_is_never_shown_whole_and_goes_from_everywhere() {
    let secret = "correct horse battery";
    let mut session = transcript();
    session.header.title.push_str(secret);
    session.messages[0].text.push_str(secret);
    if let Some(tool) = &mut session.messages[1].tool {
        tool.input = json!({"deep": [{"x": secret, secret: 1}], "api_key": "abcdef123456"});
        tool.output.push_str(secret);
    }
    session.messages[2].document = Some(json!({"synthesis": secret}));
    let redactor = Redactor::new([Secret::new(secret), Secret::new("ab")]);
    let mut found = Findings::default();
    redactor.findings(&session, &mut found);
    let list = found.list();
    assert_eq!(list[0].kind, Kind::Vault);
    assert_eq!(list[0].count, 6);
    assert!(!serde_json::to_string(&list).unwrap().contains(secret));
    let clean = serde_json::to_string(&redactor.transcript(&session)).unwrap();
    assert!(!clean.contains(secret) && !clean.contains("abcdef123456"), "{clean}");
}

#[test]
fn what_is_unticked_stays() {
    let text = "eva@example.org and otto@example.org";
    let mut found = Findings::default();
    Redactor::default().note(text, "", "here", &mut found);
    let eva = found.list().into_iter().find(|finding| finding.shown.starts_with("eva")).unwrap();
    assert_eq!(Redactor::default().keeping([eva.id]).text(text), "eva@example.org and [e-mail]");
}

#[test]
fn overlapping_finds_leave_nothing_of_either() {
    let key = "AKIAABCDEFGHIJKLMNOP";
    let redactor = Redactor::new([Secret::new(format!("x{key}y"))]);
    assert_eq!(redactor.text(&format!("a x{key}y b")), "a [secret] b");
}

#[test]
fn long_hostile_texts_are_read_in_one_pass() {
    // Each of these would take minutes, were the time more than linear.
    for text in [
        "a".repeat(4 << 20),
        "-----BEGIN PRIVATE KEY-----".repeat(40_000),
        "a@".repeat(1 << 20),
        "sk-".repeat(1 << 20),
    ] {
        let clean = Redactor::default().text(&text);
        assert!(clean.len() <= text.len());
    }
}

#[test]
fn secrets_are_found_as_json_and_addresses_write_them_however_many_there_are() {
    let odd = "pass\"word/with ü\n2nd line";
    let many = (0..1_000).map(|number| Secret::new(format!("stored-secret-number-{number:05}-of-the-vault")));
    let redactor = Redactor::new(many.chain([Secret::new(odd), Secret::new("xy".repeat(50_000))]));
    let quoted = serde_json::to_string(odd).unwrap();
    for text in [
        odd.to_owned(),
        format!("{{\"a\": {quoted}}}"),
        "https://example.org/?q=pass%22word%2Fwith%20%C3%BC%0A2nd%20line&b=1".to_owned(),
        "it is stored-secret-number-00999-of-the-vault.".to_owned(),
        "xy".repeat(50_000),
    ] {
        let clean = redactor.text(&text);
        assert!(clean.contains(Kind::Vault.replacement()) && clean.len() < 100, "{clean:.80}");
    }
}

#[test]
fn labels_numbers_and_names_of_tools_are_looked_through_and_counts_stay() {
    let mut session = transcript();
    session.header.labels = vec!["from::eva@example.org".to_owned()];
    if let Some(tool) = &mut session.messages[1].tool {
        tool.title = "Mail eva@example.org".to_owned();
        tool.input = json!({"password": 83_417_265, "max_tokens": 100_000, "tokens": 1_234_567});
    }
    let clean = Redactor::default().transcript(&session);
    let text = serde_json::to_string(&clean).unwrap();
    assert!(!text.contains("eva@example.org") && !text.contains("83417265"), "{text}");
    assert_eq!(clean.messages[1].tool.as_ref().unwrap().input["max_tokens"], 100_000);
    assert_eq!(clean.messages[1].tool.as_ref().unwrap().input["tokens"], 1_234_567);
}
