//! Tokens and keys that are renewed.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use pretty_assertions::assert_eq;
use secrets::{ExposeSecret, Http, OauthError, Renewal, Token, Tokens, Vault};

use crate::server::Running;
use crate::{secret, text, with_key_file};

const NAME: &str = "connection/a/oauth";

fn now() -> i64 {
    i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap()
}

/// A token that the service takes for a new one, and ends in so many milliseconds.
fn signed_in(running: &Running, vault: &Vault, ends_in: i64) {
    "refresh-first".clone_into(&mut running.service.refresh.lock().unwrap());
    let token = Token {
        refresh: Some(secret("refresh-first")),
        expires_at: Some(now() + ends_in),
        ..Token::new(secret("access-first"))
    };
    vault.put_token(NAME, &token).unwrap();
}

fn tokens(vault: &Vault) -> Tokens {
    Tokens::new(vault.clone(), Http::new().unwrap())
}

fn refresh_token(vault: &Vault) -> String {
    match vault.entry(NAME).unwrap() {
        Some(secrets::Entry::Token(token)) => token.refresh.unwrap().expose_secret().to_owned(),
        _ => panic!("no token"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_lasts_is_used_and_one_that_ends_is_renewed() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let (tokens, service) = (tokens(&vault), running.described());
    assert_eq!(tokens.current(NAME, &service).await.unwrap_err(), OauthError::NotSignedIn);
    signed_in(&running, &vault, 3_600_000);
    assert_eq!(tokens.current(NAME, &service).await.unwrap().expose_secret(), "access-first");
    assert_eq!(running.asked(), 0);
    signed_in(&running, &vault, -1);
    let access = tokens.current(NAME, &service).await.unwrap();
    assert_eq!(access.expose_secret(), "access-0");
    assert_eq!(text(&with_key_file(home.path()), NAME).unwrap().as_deref(), Some("access-0"));
    assert_eq!(refresh_token(&vault), "refresh-0");
    assert_eq!(tokens.current(NAME, &service).await.unwrap().expose_secret(), "access-0");
    assert_eq!(running.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_token_is_renewed_five_minutes_ahead_and_a_short_one_is_not_renewed_each_time() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let (tokens, service) = (tokens(&vault), running.described());
    *running.service.lasts.lock().unwrap() = Some(100);
    signed_in(&running, &vault, -1);
    for _ in 0..5 {
        tokens.current(NAME, &service).await.unwrap();
    }
    assert_eq!(running.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_wait_are_answered_by_one_renewal() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    signed_in(&running, &vault, -1);
    running.service.takes.store(100, Ordering::SeqCst);
    let service = running.described();
    // Two of everything, as two programs have it.
    let both = [tokens(&vault), tokens(&with_key_file(home.path()))];
    let waiting: Vec<_> = (0..40)
        .map(|at| {
            let (tokens, service) = (both[at % 2].clone(), service.clone());
            tokio::spawn(async move { tokens.current(NAME, &service).await })
        })
        .collect();
    for task in waiting {
        assert_eq!(task.await.unwrap().unwrap().expose_secret(), "access-0");
    }
    assert_eq!(running.asked(), 1);
}

/// Renews the token when the other test starts it.
#[tokio::test(flavor = "multi_thread")]
async fn renewer() {
    let Ok(home) = std::env::var("SECRETS_TEST_RENEWER_HOME") else { return };
    let service = serde_json::from_str(&std::env::var("SECRETS_TEST_RENEWER_SERVICE").unwrap()).unwrap();
    let access = tokens(&with_key_file(home.as_ref())).current(NAME, &service).await.unwrap();
    assert_eq!(access.expose_secret(), "access-0");
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_wait_are_answered_by_one_renewal() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    signed_in(&running, &with_key_file(home.path()), -1);
    running.service.takes.store(300, Ordering::SeqCst);
    let children: Vec<_> = (0..3)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "renewing::renewer"])
                .env("SECRETS_TEST_RENEWER_HOME", home.path())
                .env("SECRETS_TEST_RENEWER_SERVICE", serde_json::to_string(&running.described()).unwrap())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let ended = tokio::task::spawn_blocking(move || {
        children.into_iter().map(|mut child| child.wait().unwrap().success()).collect::<Vec<_>>()
    });
    assert_eq!(ended.await.unwrap(), [true; 3]);
    assert_eq!(running.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_renewed_once_for_all() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    signed_in(&running, &vault, 3_600_000);
    let (tokens, service, refused) = (tokens(&vault), running.described(), secret("access-first"));
    let (one, other) =
        tokio::join!(tokens.renewed(NAME, &service, &refused), tokens.renewed(NAME, &service, &refused));
    assert_eq!([one.unwrap().expose_secret(), other.unwrap().expose_secret()], ["access-0"; 2]);
    assert_eq!(running.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_has_expired_says_so_and_is_not_asked_for_again() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    signed_in(&running, &vault, -1);
    running.service.refresh.lock().unwrap().clear();
    let (tokens, service) = (tokens(&vault), running.described());
    let waiting: Vec<_> = (0..10)
        .map(|_| {
            let (tokens, service) = (tokens.clone(), service.clone());
            tokio::spawn(async move { tokens.current(NAME, &service).await })
        })
        .collect();
    for task in waiting {
        assert_eq!(task.await.unwrap().unwrap_err(), OauthError::Expired);
    }
    assert_eq!(running.asked(), 1);
    assert_eq!(refresh_token(&vault), "refresh-first", "nothing is thrown away");
    // Whoever signs in again goes on.
    signed_in(&running, &vault, -1);
    assert_eq!(tokens.current(NAME, &service).await.unwrap().expose_secret(), "access-0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_still_holds_is_used_when_the_service_is_away() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let (tokens, service) = (tokens(&vault), running.described());
    *running.service.instead.lock().unwrap() = Some((503, "{}".into()));
    signed_in(&running, &vault, 1500);
    while running.asked() == 0 {
        // On a machine that stalls it may have ended meanwhile; what it must not be is another error.
        match tokens.current(NAME, &service).await {
            Ok(access) => assert_eq!(access.expose_secret(), "access-first"),
            Err(error) => assert!(matches!(error, OauthError::Unreachable(_)), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut moved = service.clone();
    moved.token_url = format!("{}/moved", running.address);
    signed_in(&running, &vault, -1);
    let error = tokens.current(NAME, &moved).await.unwrap_err();
    assert!(matches!(error, OauthError::Malformed { .. }), "a redirect is not followed: {error}");
    assert!(!format!("{error:?}{error}").contains("refresh-first"));
    moved.token_url = "http://127.0.0.1:9/token".into();
    assert!(matches!(tokens.current(NAME, &moved).await, Err(OauthError::Unreachable(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_goes_on_when_its_caller_is_gone() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    signed_in(&running, &vault, -1);
    let answers = running.hold();
    let (tokens, service) = (tokens(&vault), running.described());
    let task = tokio::spawn({
        let (tokens, service) = (tokens.clone(), service.clone());
        async move { tokens.current(NAME, &service).await }
    });
    running.until_asked(1).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    answers.add_permits(1);
    assert_eq!(tokens.current(NAME, &service).await.unwrap().expose_secret(), "access-0");
    assert_eq!((running.asked(), refresh_token(&vault)), (1, "refresh-0".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_does_meanwhile_holds() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let (tokens, service) = (tokens(&vault), running.described());
    let answers = running.hold();
    let begin = || {
        let (tokens, service) = (tokens.clone(), service.clone());
        tokio::spawn(async move { tokens.current(NAME, &service).await })
    };
    signed_in(&running, &vault, -1);
    let task = begin();
    running.until_asked(1).await;
    vault.put_token(NAME, &Token::new(secret("signed in again"))).unwrap();
    answers.add_permits(1);
    assert_eq!(task.await.unwrap().unwrap().expose_secret(), "signed in again");
    // A change of the vault's keys is no other sign-in.
    signed_in(&running, &vault, -1);
    let task = begin();
    running.until_asked(2).await;
    vault.protect(&secrets::Protect::KeyFile).unwrap();
    answers.add_permits(1);
    let access = task.await.unwrap().unwrap();
    assert!(access.expose_secret().starts_with("access-") && access.expose_secret() != "access-first");
    assert_eq!(text(&vault, NAME).unwrap().as_deref(), Some(access.expose_secret()));
    assert_eq!(refresh_token(&vault), *running.service.refresh.lock().unwrap());
    signed_in(&running, &vault, -1);
    let task = begin();
    running.until_asked(3).await;
    vault.remove(NAME).unwrap();
    answers.add_permits(1);
    assert_eq!(task.await.unwrap().unwrap_err(), OauthError::NotSignedIn);
    assert_eq!(vault.list().unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workloads_identity_is_exchanged_and_kept_in_memory() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let (tokens, service) = (tokens(&vault), running.described());
    let file = home.path().join("identity");
    let more = BTreeMap::from([
        ("organization".to_owned(), "one".to_owned()),
        ("grant_type".to_owned(), "forged".to_owned()),
    ]);
    let get = || tokens.workload(&file, &service.token_url, &more);
    assert!(matches!(get().await, Err(OauthError::Local(_))), "there is no file");
    for bad in ["", " \n", "two words", "\u{1f511}"] {
        std::fs::write(&file, bad).unwrap();
        assert!(matches!(get().await, Err(OauthError::Local(_))), "{bad:?}");
    }
    std::fs::write(&file, "header.other.signature\n").unwrap();
    assert!(matches!(get().await, Err(OauthError::Refused(_))));
    std::fs::write(&file, "header.identity.signature\n").unwrap();
    let asked = running.asked();
    let (one, other) = tokio::join!(get(), get());
    let access = one.unwrap();
    assert_eq!(access.expose_secret(), other.unwrap().expose_secret());
    assert_eq!(running.asked(), asked + 1);
    let sent = running.service.asked.lock().unwrap().last().cloned().unwrap();
    assert_eq!((&*sent["organization"], sent.len()), ("one", 3));
    let again = tokens.workload_renewed(&file, &service.token_url, &more, &access).await.unwrap();
    assert_ne!(again.expose_secret(), access.expose_secret());
    assert!(!vault.path().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_renewed_and_kept_before_it_is_used() {
    let (home, running) = (tempfile::tempdir().unwrap(), Running::start().await);
    let vault = with_key_file(home.path());
    let tokens = tokens(&vault);
    let renewal: Renewal = serde_json::from_value(serde_json::json!({
        "url": format!("{}/renew", running.address),
        "headers": { "authorization": "Key {{secret}}", "content-type": "application/json" },
        "body": "{\"old\":\"{{secret}}\"}",
        "key": "/data/key",
        "expiresIn": "/data/seconds",
    }))
    .unwrap();
    vault.put("source/a/key", &secret("old\"key")).unwrap();
    let refused = secret("old\"key");
    let (one, other) = tokio::join!(
        tokens.renewed_key("source/a/key", &renewal, &refused),
        tokens.renewed_key("source/a/key", &renewal, &refused)
    );
    assert_eq!([one.unwrap().expose_secret(), other.unwrap().expose_secret()], ["new-key"; 2]);
    assert_eq!(running.asked(), 1);
    assert_eq!(text(&with_key_file(home.path()), "source/a/key").unwrap().as_deref(), Some("new-key"));
    assert!(vault.list().unwrap()[0].expires_at.unwrap() > now());

    let mut wrong = renewal.clone();
    wrong.headers.clear();
    let error = tokens.renewed_key("source/a/key", &wrong, &secret("new-key")).await.unwrap_err();
    assert!(matches!(&error, OauthError::Refused(what) if !what.contains("new-key")), "{error}");
    wrong = Renewal { key: "/data/none".into(), ..renewal.clone() };
    let error = tokens.renewed_key("source/a/key", &wrong, &secret("new-key")).await.unwrap_err();
    assert!(matches!(error, OauthError::Malformed { .. }), "{error}");
    wrong = Renewal { method: "DELETE".into(), ..renewal };
    let error = tokens.renewed_key("source/a/key", &wrong, &secret("new-key")).await.unwrap_err();
    assert!(matches!(error, OauthError::Invalid(_)), "{error}");
    assert_eq!(text(&vault, "source/a/key").unwrap().as_deref(), Some("new-key"));
}
