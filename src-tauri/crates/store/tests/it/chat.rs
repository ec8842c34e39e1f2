//! What conversations keep besides their log.

use store::{DecisionRow, NewRun, Pin, Queued, RunChange, RunFilter, SourceCheck};

use crate::{Home, begin};

fn queued(id: &str) -> Queued {
    Queued { id: id.to_owned(), at: 1, message: format!("{{\"text\":\"{id}\"}}") }
}

async fn waiting(home: &Home) -> Vec<String> {
    home.store.queue_list("s").await.expect("lists").into_iter().map(|queued| queued.id).collect()
}

#[tokio::test]
async fn messages_wait_in_order_and_each_is_taken_by_one() {
    let home = Home::new().await;
    assert!(!home.store.queue_push("s", &queued("early")).await.expect("answers"), "there is no session yet");
    home.store.commit(begin("r", "s")).await.expect("begins");
    for id in ["a", "b", "c"] {
        assert!(home.store.queue_push("s", &queued(id)).await.expect("waits"));
    }
    assert!(home.store.queue_first("c").await.expect("moves"));
    assert_eq!(waiting(&home).await, ["c", "a", "b"]);
    let home = home.reopened().await;
    let (one, other) = tokio::join!(home.store.queue_remove("c"), home.store.queue_remove("c"));
    assert!(one.expect("answers") != other.expect("answers"), "only one of two takes it");
    assert_eq!(waiting(&home).await, ["a", "b"]);
    assert!(home.store.queue_change("a", "other").await.expect("changes"));
    assert!(!home.store.queue_change("gone", "other").await.expect("answers"));
}

#[tokio::test]
async fn a_grant_of_a_session_holds_there_over_restarts_until_it_is_revoked_or_over() {
    let home = Home::new().await;
    for session in ["s", "t"] {
        home.store.commit(begin(&format!("r-{session}"), session)).await.expect("begins");
    }
    home.store.add_grant("here", Some("s"), "here", None).await.expect("grants");
    home.store.add_grant("brief", Some("s"), "brief", Some(100)).await.expect("grants");
    home.store.add_grant("all", None, "all", None).await.expect("grants");
    let home = home.reopened().await;
    let at = |session: &'static str, now| {
        let store = home.store.clone();
        async move { store.grants_in_force(session, now).await.expect("lists") }
    };
    assert_eq!(at("s", 50).await, ["here", "brief", "all"]);
    assert_eq!(at("s", 100).await, ["here", "all"]);
    assert_eq!(at("t", 50).await, ["all"]);
    assert_eq!(at("nowhere", 50).await, ["all"]);
    assert_eq!(home.store.revoke_grants(&["here".to_owned()], 60).await.expect("revokes"), 1);
    assert_eq!(home.store.revoke_grants(&["here".to_owned()], 61).await.expect("answers"), 0);
    assert_eq!(at("s", 50).await, ["brief", "all"]);
    assert_eq!(home.store.revoke_grants(&[], 62).await.expect("revokes"), 2);
    assert!(home.store.all_grants(50, 10).await.expect("lists").is_empty());
}

#[tokio::test]
async fn grants_and_messages_go_with_their_session_and_the_audit_stays() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    home.store.queue_push("s", &queued("a")).await.expect("waits");
    home.store.add_grant("here", Some("s"), "here", None).await.expect("grants");
    let decided = DecisionRow {
        session: "s".into(),
        tool: "t".into(),
        subject: "ä".repeat(3_000),
        ..DecisionRow::default()
    };
    home.store.note_decision(&decided).await.expect("notes");
    assert!(home.store.delete_session("s").await.expect("deletes"));
    assert!(home.store.all_grants(0, 10).await.expect("lists").is_empty());
    assert!(waiting(&home).await.is_empty());
    let audit = home.store.decisions(None, Some("s"), None, 10).await.expect("lists");
    assert_eq!(audit.len(), 1);
    assert!(audit[0].subject.len() <= 2_000 && decided.subject.starts_with(&audit[0].subject));
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_setup_is_kept_with_the_session_and_its_first_run_does_not_overwrite_it() {
    let home = Home::new().await;
    assert_eq!(home.store.session_setup("s").await.expect("answers"), None);
    assert!(!home.store.set_session_setup("s", "x").await.expect("answers"));
    home.store.commit(begin("r", "s")).await.expect("begins");
    assert!(home.store.set_session_setup("s", "mine").await.expect("keeps"));
    let mut second = begin("r2", "s");
    if let RunChange::Create(run) = &mut second.change {
        run.session.setup = "other".to_owned();
    }
    home.store.commit(second).await.expect("begins");
    assert_eq!(home.store.session_setup("s").await.expect("reads").as_deref(), Some("mine"));
}

#[tokio::test]
async fn a_child_is_listed_with_its_parent_alone_and_goes_with_it() {
    let home = Home::new().await;
    home.store.commit(begin("parent", "s")).await.expect("begins");
    let mut child = begin("child", "s");
    if let RunChange::Create(run) = &mut child.change {
        *run = NewRun { kind: "turn".into(), parent: Some("parent".into()), ..run.clone() };
    }
    home.store.commit(child).await.expect("begins");
    let mut below = begin("below", "s");
    if let RunChange::Create(run) = &mut below.change {
        *run = NewRun { parent: Some("child".into()), ..run.clone() };
    }
    home.store.commit(below).await.expect("begins");
    let ids = |filter: RunFilter| {
        let store = home.store.clone();
        async move {
            let page = store.list_runs(&filter, None, 10).await.expect("lists");
            page.runs.into_iter().map(|run| run.id).collect::<Vec<_>>()
        }
    };
    assert_eq!(ids(RunFilter::default()).await, ["parent"]);
    assert_eq!(ids(RunFilter { kind: "turn".into(), ..RunFilter::default() }).await, Vec::<String>::new());
    assert_eq!(ids(RunFilter { parent: Some("parent".into()), ..RunFilter::default() }).await, ["child"]);
    let session = home.store.get_session("s").await.expect("reads").expect("is there");
    assert_eq!((session.runs, session.latest.map(|latest| latest.run)), (1, Some("parent".to_owned())));
    assert!(home.store.delete_run("parent").await.expect("deletes"));
    for run in ["child", "below"] {
        assert!(home.store.get_run(run).await.is_err(), "{run}");
    }
}

#[tokio::test]
async fn what_a_session_holds_is_told_in_the_order_of_creation_with_what_each_follows() {
    let home = Home::new().await;
    for (id, session, kind, follows, parent) in [
        ("zero", "s", "turn", None, None),
        ("far", "other", "turn", None, None),
        ("run", "s", "", None, None),
        ("child", "s", "turn", Some("zero"), Some("run")),
        ("again", "s", "turn", Some("run"), None),
    ] {
        let mut commit = begin(id, session);
        if let RunChange::Create(run) = &mut commit.change {
            let own = |text: Option<&str>| text.map(str::to_owned);
            *run =
                NewRun { kind: kind.into(), previous_run: own(follows), parent: own(parent), ..run.clone() };
        }
        home.store.commit(commit).await.expect("begins");
    }
    let links = home.store.run_links("s").await.expect("reads");
    assert!(links.is_sorted_by_key(|link| link.cursor));
    let told: Vec<(&str, &str, Option<&str>)> = links
        .iter()
        .map(|link| (link.id.as_str(), link.kind.as_str(), link.previous_run.as_deref()))
        .collect();
    assert_eq!(told, [("zero", "turn", None), ("run", "run", None), ("again", "turn", Some("run"))]);
    assert!(home.store.run_links("none").await.expect("reads").is_empty());
}

#[tokio::test]
async fn what_was_approved_of_a_source_is_replaced_whole_and_its_checks_are_bounded() {
    let home = Home::new().await;
    let pin = |tool: &str, fingerprint: &str| Pin {
        tool: tool.to_owned(),
        fingerprint: fingerprint.to_owned(),
        definition: "{}".to_owned(),
        at: 1,
    };
    home.store.pin_tools("a", &[pin("one", "x"), pin("two", "y")]).await.expect("pins");
    home.store.pin_tools("b", &[pin("one", "z")]).await.expect("pins");
    home.store.pin_tools("a", &[pin("two", "y2")]).await.expect("pins");
    assert_eq!(home.store.pinned_tools("a").await.expect("lists"), [pin("two", "y2")]);
    assert_eq!(home.store.pinned_tools("b").await.expect("lists"), [pin("one", "z")]);
    for at in 0..130 {
        let check = SourceCheck { at, ok: at % 2 == 0, ms: 3, detail: String::new() };
        home.store.note_source_check("a", &check).await.expect("notes");
    }
    let checks = home.store.source_checks("a").await.expect("lists");
    assert_eq!((checks.len(), checks[0].at), (100, 129));
    home.store.forget_source("a").await.expect("forgets");
    assert!(home.store.pinned_tools("a").await.expect("lists").is_empty());
    assert!(home.store.source_checks("a").await.expect("lists").is_empty());
    assert_eq!(home.store.pinned_tools("b").await.expect("lists").len(), 1);
}
