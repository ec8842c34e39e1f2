use pretty_assertions::assert_eq;
use store::{
    Commit, Durability, Folder, Latest, RunChange, RunUpdate, Session, SessionFilter, SessionUpdate, Store,
    StoreError,
};

use crate::{Home, append, begin};

fn ids(sessions: &[Session]) -> Vec<&str> {
    sessions.iter().map(|session| session.id.as_str()).collect()
}

fn change(run: &str, seq: u64, status: Option<&str>, line: Option<&str>, unread: bool) -> Commit {
    let own = |text: Option<&str>| text.map(str::to_owned);
    let update = RunUpdate { status: own(status), line: own(line), unread, ..RunUpdate::default() };
    Commit { change: RunChange::Update(update), at_ms: 5_000, ..append(run, seq) }
}

async fn list(store: &Store, filter: &SessionFilter) -> Vec<String> {
    let page = store.list_sessions(filter, None, 1_000).await.expect("lists");
    page.sessions.into_iter().map(|session| session.id).collect()
}

fn set(deleted: Option<bool>, archived: Option<bool>) -> SessionUpdate {
    SessionUpdate { deleted, archived, ..SessionUpdate::default() }
}

#[tokio::test]
async fn a_sessions_row_follows_its_newest_run_in_the_same_transaction() {
    let home = Home::new().await;
    let store = &home.store;
    store.commit(begin("r1", "s")).await.expect("begins");
    store.commit(begin("r2", "other")).await.expect("begins");
    store.commit(begin("r3", "s")).await.expect("begins");
    let row = store.get_session("s").await.expect("reads").expect("there");
    let latest = row.latest.expect("a run");
    assert_eq!((row.runs, latest.run.as_str(), latest.status.as_str()), (2, "r3", "running"));

    // A line alone does not move the session; an older run's line does not show.
    store
        .commit(change("r2", 1, Some("paused"), Some("Clarity 64%: 2 questions"), true))
        .await
        .expect("pauses");
    store.commit(change("r3", 1, None, Some("Retrieve"), false)).await.expect("goes on");
    store.commit(change("r1", 1, None, Some("hidden"), false)).await.expect("goes on");
    let page = store.list_sessions(&SessionFilter::default(), None, 9).await.expect("lists");
    assert_eq!(ids(&page.sessions), ["other", "s"]);
    let lines: Vec<&str> =
        page.sessions.iter().map(|session| session.latest.as_ref().expect("a run").line.as_str()).collect();
    assert_eq!(lines, ["Clarity 64%: 2 questions", "Retrieve"]);
    assert_eq!(page.sessions.iter().map(|session| session.unread).collect::<Vec<_>>(), [true, false]);
    assert_eq!((page.sessions[0].updated_at, page.sessions[1].updated_at), (5_000, 1_000));

    // A commit that fails changes nothing.
    let stale = change("r3", 1, Some("completed"), Some("42 of 42 citations verified"), true);
    assert!(matches!(store.commit(stale).await, Err(StoreError::Conflict { .. })));
    assert_eq!(
        store.get_session("s").await.expect("reads").expect("there").latest.expect("a run").line,
        "Retrieve"
    );

    assert_eq!(store.delete_run("r3").await, Ok(true));
    let row = store.get_session("s").await.expect("reads").expect("there");
    let latest = row.latest.expect("a run");
    assert_eq!((row.runs, latest.run.as_str(), latest.line.as_str()), (1, "r1", "hidden"));
    assert_eq!(store.delete_run("r1").await, Ok(true));
    assert_eq!(store.get_session("s").await.expect("reads").expect("there").latest, None);
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn what_a_person_sets_is_set_on_all_or_on_none() {
    let home = Home::new().await;
    let store = &home.store;
    for n in 0..3 {
        store.commit(begin(&format!("r{n}"), &format!("s{n}"))).await.expect("begins");
    }
    let both = ["s0".to_owned(), "s1".to_owned()];
    let flag = SessionUpdate { flagged: Some(true), unread: Some(true), ..SessionUpdate::default() };
    store.update_sessions(&both, &flag, 7).await.expect("sets");
    let flagged = SessionFilter { flagged: true, ..SessionFilter::default() };
    assert_eq!(list(store, &flagged).await, ["s1", "s0"]);
    let missing = ["s2".to_owned(), "gone".to_owned()];
    let refused = store.update_sessions(&missing, &flag, 7).await;
    assert_eq!(refused, Err(StoreError::UnknownSession { session: "gone".to_owned() }));
    assert_eq!(list(store, &flagged).await, ["s1", "s0"]);
    store.commit(append("r2", 1)).await.expect("the writer goes on");

    store.update_sessions(&both, &set(None, Some(true)), 7).await.expect("archives");
    store.update_sessions(&["s1".to_owned()], &set(Some(true), None), 8).await.expect("deletes");
    store.update_sessions(&["s1".to_owned()], &set(Some(true), None), 9).await.expect("deletes again");
    assert_eq!(list(store, &SessionFilter::default()).await, ["s2"]);
    let on = |shelf| SessionFilter { shelf, ..SessionFilter::default() };
    assert_eq!(list(store, &on(Folder::Archive)).await, ["s0"]);
    assert_eq!(list(store, &on(Folder::Trash)).await, ["s1"]);
    assert_eq!(store.get_session("s1").await.expect("reads").expect("there").deleted_at, Some(8));
    assert_eq!(store.trashed_before(8, 9).await, Ok(Vec::new()));
    assert_eq!(store.trashed_before(9, 9).await, Ok(vec!["s1".to_owned()]));
    store.update_sessions(&["s1".to_owned()], &set(Some(false), None), 9).await.expect("restores");
    assert_eq!(list(store, &on(Folder::Archive)).await, ["s1", "s0"]);

    // Something new in it brings it back.
    store.commit(begin("r9", "s0")).await.expect("begins");
    assert_eq!(list(store, &SessionFilter::default()).await, ["s0", "s2"]);
    let named = SessionUpdate { title: Some("Über 50% _wörtlich_".to_owned()), ..SessionUpdate::default() };
    store.update_sessions(&["s2".to_owned()], &named, 9).await.expect("renames");
    for (text, found) in [("ÜBER 50%", 1), ("50_", 0), ("_WÖRTLICH_", 1), ("%", 1), ("\\", 0)] {
        let filter = SessionFilter { text: Some(text.to_owned()), ..SessionFilter::default() };
        assert_eq!(list(store, &filter).await.len(), found, "{text}");
    }
    let empty = SessionUpdate { title: Some("  ".to_owned()), ..SessionUpdate::default() };
    assert!(matches!(
        store.update_sessions(&["s2".to_owned()], &empty, 9).await,
        Err(StoreError::Invalid { .. })
    ));
}

#[tokio::test]
async fn a_purged_session_leaves_nothing_and_only_the_trash_is_purged() {
    let home = Home::new().await;
    let store = &home.store;
    store.commit(begin("r", "s")).await.expect("begins");
    store.commit(begin("r2", "t")).await.expect("begins");
    for (key, text) in [("s", "one"), ("r/p1", "two"), ("new", "three"), ("s", "four")] {
        store.save_draft(key, text, 5).await.expect("keeps");
    }
    assert!(store.get_session("s").await.expect("reads").expect("there").has_draft);
    assert!(!store.get_session("t").await.expect("reads").expect("there").has_draft);
    assert_eq!(store.get_draft("s").await.expect("reads").expect("there").text, "four");
    assert_eq!(store.purge_session("s").await, Ok(false));
    store.update_sessions(&["s".to_owned()], &set(Some(true), None), 8).await.expect("deletes");
    assert_eq!(store.purge_session("s").await, Ok(true));
    assert_eq!(store.get_session("s").await, Ok(None));
    for key in ["s", "r/p1"] {
        assert_eq!(store.get_draft(key).await, Ok(None));
    }
    store.save_draft("new", "", 6).await.expect("removes");
    assert_eq!(store.get_draft("new").await, Ok(None));
    let long = "x".repeat(store::MAX_DRAFT_BYTES + 1);
    assert!(matches!(store.save_draft("new", &long, 6).await, Err(StoreError::TooLarge { .. })));
    let gone = store.commit(append("r", 1)).await;
    assert_eq!(gone, Err(StoreError::UnknownRun { run: "r".to_owned() }));
    store.integrity_check().await.expect("is sound");
}

/// The same numbers, whichever way they are found, after anything that may happen.
#[tokio::test]
async fn counts_agree_with_lists_after_any_operations() {
    let home = Home::new().await;
    let store = &home.store;
    let mut seed = 0x9e37_79b9_u64;
    let mut next = |bound: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % bound
    };
    let statuses = ["running", "paused", "suspended", "completed", "failed", "cancelled"];
    let mut runs: Vec<(String, u64)> = Vec::new();
    for step in 0..400 {
        let session = format!("s{}", next(25));
        match next(6) {
            0 => {
                let run = format!("r{step}");
                let commit = Commit { durability: Durability::Normal, ..begin(&run, &session) };
                store.commit(commit).await.expect("begins");
                runs.push((run, 1));
            }
            1 | 2 if !runs.is_empty() => {
                let at = next(runs.len() as u64) as usize;
                let status = statuses[next(6) as usize];
                let (run, seq) = &mut runs[at];
                let commit = change(run, *seq, Some(status), Some("line"), next(2) == 0);
                if store.commit(Commit { durability: Durability::Normal, ..commit }).await.is_ok() {
                    *seq += 1;
                }
            }
            3 => {
                let some = |n: u64| (n < 2).then_some(n == 1);
                let update = SessionUpdate {
                    flagged: some(next(3)),
                    archived: some(next(4)),
                    deleted: some(next(4)),
                    ..SessionUpdate::default()
                };
                let _ = store.update_sessions(&[session], &update, step).await;
            }
            4 => drop(store.purge_session(&session).await),
            _ => {
                if let Some((run, _)) =
                    (!runs.is_empty()).then(|| runs[next(runs.len() as u64) as usize].clone())
                {
                    store.delete_run(&run).await.expect("deletes");
                }
            }
        }
        if step % 20 != 0 {
            continue;
        }
        let counts = store.count_sessions(store::DEFAULT_WORKSPACE).await.expect("counts");
        for shelf in [Folder::Open, Folder::Archive, Folder::Trash] {
            let filter = SessionFilter { shelf, ..SessionFilter::default() };
            let all = list(store, &filter).await.len();
            let counted: u32 =
                counts.iter().filter(|count| count.shelf == shelf).map(|count| count.all).sum();
            assert_eq!(counted as usize, all, "step {step} {shelf:?}");
            let flagged = list(store, &SessionFilter { flagged: true, ..filter.clone() }).await.len();
            let counted: u32 =
                counts.iter().filter(|count| count.shelf == shelf).map(|count| count.flagged).sum();
            assert_eq!(counted as usize, flagged, "step {step} {shelf:?}");
            for status in statuses {
                let latest = Latest::Status { words: vec![status.to_owned()], except: Vec::new() };
                let listed = list(store, &SessionFilter { latest, ..filter.clone() }).await.len();
                let of = |count: &&store::SessionCount| count.shelf == shelf && count.status == status;
                let counted = counts.iter().find(of).map_or(0, |count| count.all);
                assert_eq!(counted as usize, listed, "step {step} {shelf:?} {status}");
            }
        }
    }
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn pages_of_several_statuses_follow_each_other_without_gaps() {
    let home = Home::new().await;
    let store = &home.store;
    let statuses = ["paused", "failed", "running", "completed"];
    for n in 0..40_usize {
        store.commit(begin(&format!("r{n}"), &format!("s{n}"))).await.expect("begins");
        let status = statuses[n * 7 % 4];
        if status != "running" {
            store.commit(change(&format!("r{n}"), 1, Some(status), None, false)).await.expect("changes");
        }
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let latest = Latest::Status { words: words(&["paused", "failed"]), except: Vec::new() };
    let filter = SessionFilter { latest, ..SessionFilter::default() };
    let whole = list(store, &filter).await;
    assert_eq!(whole.len(), 20);
    let (mut pages, mut before) = (Vec::new(), None);
    loop {
        let page = store.list_sessions(&filter, before, 7).await.expect("lists");
        pages.extend(page.sessions.into_iter().map(|session| session.id));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(pages, whole);
    let running = words(&["r2", "r6", "r1"]);
    let latest = Latest::Run { runs: running.clone(), status: "running".to_owned() };
    let driven = list(store, &SessionFilter { latest, ..SessionFilter::default() }).await;
    assert_eq!(driven, ["s6", "s2"]);
    let latest = Latest::Status { words: words(&["running"]), except: running };
    assert_eq!(list(store, &SessionFilter { latest, ..SessionFilter::default() }).await.len(), 8);
    let agent = |agent: &str| SessionFilter { agent: Some(agent.to_owned()), ..SessionFilter::default() };
    assert_eq!(list(store, &agent("an-agent")).await.len(), 40);
    assert_eq!(list(store, &agent("nobody")).await.len(), 0);
}
