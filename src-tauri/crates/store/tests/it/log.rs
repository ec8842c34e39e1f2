use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use pretty_assertions::assert_eq;
use store::{
    Batch, BlobHash, Bulk, Commit, Durability, Run, RunChange, RunFilter, RunUpdate, SessionFilter,
    StoreError, StoreStats,
};

use crate::{Home, append, begin, event, new_run};

#[tokio::test]
async fn what_was_committed_is_read_back_also_after_reopening() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    let long = "a longer event that is worth compressing, ".repeat(40).into_bytes();
    let several = Commit { events: long.clone(), seq_last: 41, at_ms: -5, ..append("r", 1) };
    home.store.commit(several).await.expect("appends");
    let update = RunUpdate {
        status: Some("paused".to_owned()),
        line: Some("Clarity 64%".to_owned()),
        meta: Some(vec![7; 4000]),
        ..RunUpdate::default()
    };
    let paused = Commit { change: RunChange::Update(update), at_ms: 900, ..append("r", 41) };
    home.store.commit(paused).await.expect("updates");

    let home = home.reopened().await;
    let expected = vec![
        Batch { seq_first: 1, seq_last: 1, at_ms: 1_000, bytes: event(1) },
        Batch { seq_first: 2, seq_last: 41, at_ms: -5, bytes: long },
        Batch { seq_first: 42, seq_last: 42, at_ms: 900, bytes: event(42) },
    ];
    assert_eq!(home.store.load_events("r").await.expect("loads"), expected);
    assert_eq!(home.store.load_events_from("r", 1, 1).await.expect("loads"), expected[1..2]);
    assert_eq!(home.store.load_events_from("r", 42, 9).await.expect("loads"), Vec::new());
    assert_eq!(home.store.last_seq("r").await.expect("knows"), 42);
    let run = home.store.get_run("r").await.expect("finds");
    let expected = Run {
        id: "r".to_owned(),
        session: "s".to_owned(),
        agent: "an-agent".to_owned(),
        status: "paused".to_owned(),
        created_at: 1_000,
        updated_at: 900,
        title: "A run".to_owned(),
        previous_run: None,
        line: "Clarity 64%".to_owned(),
        kind: "run".to_owned(),
        parent: None,
        meta: vec![7; 4000],
        cursor: run.cursor,
    };
    assert_eq!(run, expected);
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_hundred_waiting_commits_share_a_handful_of_transactions() {
    let home = Home::new().await;
    for n in 0..100 {
        home.store.commit(begin(&format!("r{n}"), "s")).await.expect("begins");
    }
    let before = home.store.stats();
    let mut commits = Vec::new();
    for n in 0..100 {
        let store = home.store.clone();
        commits.push(tokio::spawn(async move { store.commit(append(&format!("r{n}"), 1)).await }));
    }
    for commit in commits {
        commit.await.expect("no panic").expect("commits");
    }
    let after = home.store.stats();
    assert_eq!(after.commits - before.commits, 100);
    assert!(after.transactions - before.transactions <= 5, "{before:?} {after:?}");
}

#[tokio::test]
async fn in_a_shared_transaction_only_the_wrong_commit_fails() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    let (good, stale, next, unknown, again, other) = tokio::join!(
        home.store.commit(append("r", 1)),
        home.store.commit(append("r", 1)),
        home.store.commit(append("r", 2)),
        home.store.commit(append("nowhere", 1)),
        home.store.commit(begin("r", "s")),
        home.store.commit(begin("r2", "s")),
    );
    assert_eq!((good, next, other), (Ok(()), Ok(()), Ok(())));
    assert_eq!(stale, Err(StoreError::Conflict { run: "r".to_owned(), expected: 1, found: 2 }));
    assert_eq!(unknown, Err(StoreError::UnknownRun { run: "nowhere".to_owned() }));
    assert_eq!(again, Err(StoreError::RunExists { run: "r".to_owned() }));
    assert_eq!(home.store.last_seq("r").await, Ok(3));
    assert_eq!(
        home.store.last_seq("nowhere").await,
        Err(StoreError::UnknownRun { run: "nowhere".to_owned() })
    );
}

#[tokio::test]
async fn a_conflict_is_found_after_reopening_too() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    let home = home.reopened().await;
    for expected in [0, 2, 7] {
        let conflict = StoreError::Conflict { run: "r".to_owned(), expected, found: 1 };
        assert_eq!(home.store.commit(append("r", expected)).await, Err(conflict));
    }
    home.store.commit(append("r", 1)).await.expect("the right number passes");
}

#[tokio::test]
async fn a_commit_whose_caller_went_away_is_still_carried_out() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    {
        let commit = pin!(home.store.commit(append("r", 1)));
        assert!(commit.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    home.store.commit(append("r", 2)).await.expect("the dropped one came before");
    {
        let commit = pin!(home.store.commit(append("r", 3)));
        assert!(commit.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let home = home.reopened().await;
    assert_eq!(home.store.last_seq("r").await, Ok(4), "closing carries out what is queued");
}

#[tokio::test]
async fn only_full_commits_wait_for_the_disk() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    for seq in 1..5 {
        let commit = Commit { durability: Durability::Normal, ..append("r", seq) };
        home.store.commit(commit).await.expect("appends");
    }
    home.store.commit(append("r", 5)).await.expect("appends");
    let stats = home.store.stats();
    let expected = StoreStats { commits: 6, transactions: 6, full_transactions: 2, bytes: stats.bytes };
    assert_eq!(stats, expected);
}

#[tokio::test]
async fn contradictory_and_oversized_commits_are_refused_before_anything_is_written() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    let wrong = [
        Commit { run: String::new(), ..append("r", 1) },
        Commit { seq_last: 1, ..append("r", 1) },
        Commit { events: Vec::new(), ..append("r", 1) },
        Commit { expect_seq: 5, seq_last: 4, ..append("r", 1) },
        Commit { change: new_run("s"), ..append("r2", 3) },
        Commit { run: "r".to_owned(), expect_seq: 1, seq_last: 1, ..Commit::default() },
    ];
    for commit in wrong {
        let refused = home.store.commit(commit.clone()).await;
        assert!(matches!(refused, Err(StoreError::Invalid { .. })), "{commit:?}: {refused:?}");
    }
    let large = Commit { events: vec![0; store::MAX_EVENTS_BYTES + 1], ..append("r", 1) };
    assert!(matches!(home.store.commit(large).await, Err(StoreError::TooLarge { .. })));
    assert_eq!(home.store.stats().commits, 1);
}

#[tokio::test]
async fn runs_are_paged_newest_first_whatever_the_clock_says() {
    let home = Home::new().await;
    for n in 0..7_u32 {
        let session = if n % 2 == 0 { "even" } else { "odd" };
        let at_ms = 1_000 - i64::from(n);
        home.store.commit(Commit { at_ms, ..begin(&format!("r{n}"), session) }).await.expect("begins");
    }
    let paused = RunUpdate { status: Some("paused".to_owned()), ..RunUpdate::default() };
    home.store.commit(Commit { change: RunChange::Update(paused), ..append("r2", 1) }).await.expect("pauses");

    let ids = |runs: &[Run]| runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>();
    let all = RunFilter::default();
    let first = home.store.list_runs(&all, None, 3).await.expect("lists");
    assert_eq!(ids(&first.runs), ["r6", "r5", "r4"]);
    let second = home.store.list_runs(&all, first.next, 3).await.expect("lists");
    assert_eq!(ids(&second.runs), ["r3", "r2", "r1"]);
    let last = home.store.list_runs(&all, second.next, 3).await.expect("lists");
    assert_eq!((ids(&last.runs), last.next), (vec!["r0".to_owned()], None));

    let odd = RunFilter { session: Some("odd".to_owned()), ..RunFilter::default() };
    assert_eq!(ids(&home.store.list_runs(&odd, None, 9).await.expect("lists").runs), ["r5", "r3", "r1"]);
    let statuses = vec!["paused".to_owned(), "failed".to_owned()];
    let waiting = RunFilter { statuses, agent: Some("an-agent".to_owned()), ..RunFilter::default() };
    assert_eq!(ids(&home.store.list_runs(&waiting, None, 9).await.expect("lists").runs), ["r2"]);
    assert_eq!(home.store.latest_run(&all).await.expect("finds").expect("some").id, "r6");
    let nobody = RunFilter { agent: Some("nobody".to_owned()), ..RunFilter::default() };
    assert_eq!(home.store.latest_run(&nobody).await, Ok(None));

    let sessions = home.store.list_sessions(&SessionFilter::default(), None, 1).await.expect("lists");
    // The one changed last comes first, not the one begun last.
    assert_eq!((sessions.sessions[0].id.as_str(), sessions.next.is_some()), ("even", true));
    let sessions =
        home.store.list_sessions(&SessionFilter::default(), sessions.next, 1).await.expect("lists");
    assert_eq!((sessions.sessions[0].id.as_str(), sessions.next.is_some()), ("odd", false));
    assert_eq!(home.store.get_session("nowhere").await, Ok(None));
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    home.store.close().await.expect("closes");
    assert_eq!(home.store.commit(append("r", 1)).await, Err(StoreError::Closed));
    assert_eq!(home.store.load_events("r").await, Err(StoreError::Closed));
    assert_eq!(home.store.close().await, Err(StoreError::Closed));
}

#[tokio::test]
async fn commits_in_bulk_are_answered_each_and_one_that_fails_takes_none_along() {
    let home = Home::new().await;
    home.store.commit(begin("there", "s")).await.expect("commits");
    let mut bulk = Bulk::default();
    // More runs than the writer remembers, and what follows in each when all have begun.
    for number in 0..4_200 {
        bulk.push(begin(&format!("r{number}"), &format!("s{}", number / 2))).expect("is whole");
    }
    for number in 0..4_200 {
        bulk.push(append(&format!("r{number}"), 1)).expect("is whole");
    }
    bulk.push(begin("there", "s")).expect("is whole");
    bulk.push(append("there", 5)).expect("is whole");
    bulk.push(append("nobody", 1)).expect("is whole");
    assert_eq!(bulk.runs().nth(3), Some("r3"));
    let ended = home.store.commit_bulk(bulk).await.expect("is open");
    assert_eq!(ended.iter().filter(|one| one.is_ok()).count(), 8_400);
    assert!(matches!(ended[8_400], Err(StoreError::RunExists { .. })), "{:?}", ended[8_400]);
    assert!(matches!(ended[8_401], Err(StoreError::Conflict { found: 1, .. })), "{:?}", ended[8_401]);
    assert!(matches!(ended[8_402], Err(StoreError::UnknownRun { .. })), "{:?}", ended[8_402]);
    assert_eq!(home.store.stats().transactions, 2);
    for run in ["r0", "r2100", "r4199"] {
        assert_eq!(home.store.last_seq(run).await, Ok(2));
    }
    assert_eq!(home.store.runs_of("s3").await.expect("lists"), ["r6", "r7"]);
}

#[tokio::test]
async fn a_bulk_takes_only_commits_that_bring_what_they_name() {
    let home = Home::new().await;
    let hash = BlobHash::of(b"elsewhere");
    let mut bulk = Bulk::default();
    let refused = bulk.push(Commit { refs: vec![hash], ..begin("r", "s") }).expect_err("names a payload");
    assert!(matches!(refused, StoreError::Invalid { .. }), "{refused}");
    assert_eq!(bulk.runs().count(), 0);
    assert_eq!(home.store.commit_bulk(bulk).await, Ok(Vec::new()));
}
