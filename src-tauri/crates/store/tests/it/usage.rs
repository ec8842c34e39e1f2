use domain::{NanoUsd, Usage};
use pretty_assertions::assert_eq;
use store::{Commit, ModelCallFilter, NewModelCall, RunChange, RunUpdate, SessionUpdate, Store, StoreError};

use crate::{Home, append, begin};

const HOUR: i64 = 3_600_000;

fn call(stage: &str, at_ms: i64, input: u64, output: u64, nano: u64) -> NewModelCall {
    NewModelCall {
        at_ms,
        stage: stage.to_owned(),
        call: format!("{stage}#1.0.0"),
        r#try: 1,
        connection: "work".to_owned(),
        provider: "anthropic".to_owned(),
        model: "large".to_owned(),
        usage: Usage { input, output, ..Usage::default() },
        cost: NanoUsd(nano),
        ms: 1_500,
        request_id: Some("req_1".to_owned()),
        ..NewModelCall::default()
    }
}

async fn spend(store: &Store, run: &str, session: &str, model_calls: Vec<NewModelCall>) {
    store.commit(Commit { model_calls, ..begin(run, session) }).await.expect("begins");
}

fn keys<K: Clone, V>(groups: &[(K, V)]) -> Vec<K> {
    groups.iter().map(|(key, _)| key.clone()).collect()
}

#[tokio::test]
async fn what_calls_used_adds_up_by_day_agent_model_connection_session_and_stage() {
    let home = Home::new().await;
    let store = &home.store;
    let flat = NewModelCall {
        equivalent: true,
        connection: "flat".to_owned(),
        ..call("write", 25 * HOUR, 7, 3, 900)
    };
    let odd = NewModelCall { unpriced: true, model: "odd".to_owned(), ..call("write", 2 * HOUR, 5, 5, 0) };
    let failed =
        NewModelCall { failed: true, request_id: None, r#try: 2, ..call("plan", 2 * HOUR, 1, 0, 10) };
    spend(store, "r1", "s1", vec![call("plan", HOUR, 100, 20, 500), failed, odd]).await;
    spend(store, "r2", "s2", vec![flat]).await;

    let sums = store.usage_sums(&ModelCallFilter::default(), 0).await.expect("sums");
    assert_eq!((sums.total.calls, sums.total.failed, sums.total.unpriced), (3, 1, 1));
    assert_eq!((sums.total.cost, sums.total.equivalent), (NanoUsd(510), NanoUsd(900)));
    assert_eq!(sums.total.usage, Usage { input: 113, output: 28, ..Usage::default() });
    assert_eq!(keys(&sums.days), [0, 1]);
    assert_eq!(keys(&sums.agents), ["an-agent"]);
    assert_eq!(keys(&sums.models), ["large", "odd"]);
    assert_eq!(keys(&sums.connections), ["flat", "work"]);
    assert_eq!(
        keys(&sums.stages),
        [("an-agent".to_owned(), "write".to_owned()), ("an-agent".to_owned(), "plan".to_owned())]
    );
    let sessions: Vec<_> =
        sums.sessions.iter().map(|(id, title, sum)| (id.as_str(), title.as_deref(), sum.calls)).collect();
    assert_eq!(sessions, [("s2", Some("A session"), 1), ("s1", Some("A session"), 2)]);

    // Two hours west of Greenwich the first call was still the day before.
    let west = store.usage_sums(&ModelCallFilter::default(), -120).await.expect("sums");
    assert_eq!(keys(&west.days), [-1, 0]);
    assert_eq!(west.total, sums.total);

    for (filter, calls) in [
        (ModelCallFilter { from_ms: Some(2 * HOUR), ..ModelCallFilter::default() }, 2),
        (ModelCallFilter { to_ms: Some(2 * HOUR), ..ModelCallFilter::default() }, 1),
        (ModelCallFilter { session: Some("s1".to_owned()), ..ModelCallFilter::default() }, 2),
        (ModelCallFilter { run: Some("r2".to_owned()), ..ModelCallFilter::default() }, 1),
        (ModelCallFilter { agent: Some("an-agent".to_owned()), ..ModelCallFilter::default() }, 3),
        (ModelCallFilter { agent: Some("another".to_owned()), ..ModelCallFilter::default() }, 0),
        (ModelCallFilter { connection: Some("flat".to_owned()), ..ModelCallFilter::default() }, 1),
        (ModelCallFilter { model: Some("odd' OR 1 --".to_owned()), ..ModelCallFilter::default() }, 0),
    ] {
        let sums = store.usage_sums(&filter, 0).await.expect("sums");
        assert_eq!(sums.total.calls, calls, "{filter:?}");
        let rows = store.list_model_calls(&filter, None, 10).await.expect("lists").calls;
        assert_eq!(rows.iter().filter(|row| !row.call.failed).count() as u64, calls, "{filter:?}");
    }
}

#[tokio::test]
async fn calls_are_listed_newest_first_and_page_by_page() {
    let home = Home::new().await;
    let calls = (0..5).map(|n| call("plan", n, n as u64, 0, 0)).collect();
    spend(&home.store, "r", "s", calls).await;
    let filter = ModelCallFilter::default();
    let first = home.store.list_model_calls(&filter, None, 3).await.expect("lists");
    let last = home.store.list_model_calls(&filter, first.next, 3).await.expect("lists");
    let times: Vec<i64> = first.calls.iter().chain(&last.calls).map(|row| row.call.at_ms).collect();
    assert_eq!((times, last.next), (vec![4, 3, 2, 1, 0], None));
    let row = &first.calls[0];
    assert_eq!((row.session.as_str(), row.run.as_str(), row.agent.as_str()), ("s", "r", "an-agent"));
    assert_eq!(row.call, call("plan", 4, 4, 0, 0));
}

#[tokio::test]
async fn money_that_was_spent_stays_spent_when_its_session_is_gone() {
    let home = Home::new().await;
    let store = &home.store;
    spend(store, "r", "s", vec![call("plan", 0, 1, 1, 5)]).await;
    let trash = SessionUpdate { deleted: Some(true), ..SessionUpdate::default() };
    store.update_sessions(&["s".to_owned()], &trash, 1).await.expect("puts away");
    assert!(store.purge_session("s").await.expect("deletes"));
    let sums = store.usage_sums(&ModelCallFilter::default(), 0).await.expect("sums");
    assert_eq!(sums.total.cost, NanoUsd(5));
    let sessions: Vec<_> =
        sums.sessions.iter().map(|(id, title, _)| (id.as_str(), title.as_deref())).collect();
    assert_eq!(sessions, [("s", None)]);
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_commit_that_fails_tells_of_no_call() {
    let home = Home::new().await;
    let store = &home.store;
    spend(store, "r", "s", Vec::new()).await;
    let stale = Commit { model_calls: vec![call("plan", 0, 1, 1, 5)], ..append("r", 7) };
    assert!(matches!(store.commit(stale).await, Err(StoreError::Conflict { .. })));
    let alone = Commit {
        run: "r".to_owned(),
        expect_seq: 1,
        seq_last: 1,
        model_calls: vec![call("plan", 0, 1, 1, 5)],
        ..Commit::default()
    };
    store.commit(alone).await.expect("a call may come without an event");
    let many = Commit { model_calls: vec![NewModelCall::default(); 1_001], ..append("r", 1) };
    assert!(matches!(store.commit(many).await, Err(StoreError::Invalid { .. })));
    assert_eq!(store.usage_sums(&ModelCallFilter::default(), 0).await.expect("sums").total.calls, 1);
}

#[tokio::test]
async fn absurd_figures_of_a_provider_do_not_break_a_sum() {
    let home = Home::new().await;
    let wild = NewModelCall {
        usage: Usage { input: u64::MAX, output: u64::MAX, cache_read: u64::MAX, ..Usage::default() },
        cost: NanoUsd(u64::MAX),
        ms: u64::MAX,
        model: "ü\u{0}'; DROP TABLE model_calls".to_owned(),
        ..call("plan", i64::MAX, 0, 0, 0)
    };
    spend(&home.store, "r", "s", vec![wild; 100]).await;
    let sums = home.store.usage_sums(&ModelCallFilter::default(), 840).await.expect("sums");
    assert_eq!(sums.total.calls, 100);
    assert!(sums.total.usage.input >= 100);
}

#[tokio::test]
async fn statistics_come_from_whole_runs_and_from_answered_calls() {
    let home = Home::new().await;
    let store = &home.store;
    for (run, status, output) in [("r1", "completed", 10), ("r2", "completed", 30), ("r3", "failed", 9_999)] {
        let failed = NewModelCall { failed: true, ..call("plan", 0, 7, 7, 7) };
        let repair = call("write", 0, 100, output * 2, 0);
        spend(
            store,
            run,
            "s",
            vec![call("plan", 0, 50, output, 0), failed, call("write", 0, 90, output, 0), repair],
        )
        .await;
        let ended = RunUpdate { status: Some(status.to_owned()), ..RunUpdate::default() };
        store.commit(Commit { change: RunChange::Update(ended), ..append(run, 1) }).await.expect("ends");
    }
    let filter = ModelCallFilter { agent: Some("an-agent".to_owned()), ..ModelCallFilter::default() };
    let (runs, stages) = store.stage_statistics(&filter, "completed", 20).await.expect("reads");
    assert_eq!(runs, 2);
    let [plan, write] = stages.as_slice() else { panic!("{stages:?}") };
    assert_eq!((plan.stage.as_str(), plan.runs, plan.calls_per_run), ("plan", 2, 1.0));
    assert_eq!(plan.mean, Usage { input: 50, output: 20, ..Usage::default() });
    assert_eq!((write.calls_per_run, write.mean.output, write.input.median), (2.0, 30, 90));
    assert_eq!((write.output.median, write.output.most_of_all, write.output.largest), (20, 60, 60));
    let (runs, stages) = store.stage_statistics(&filter, "completed", 1).await.expect("reads");
    assert_eq!((runs, stages[0].output.largest), (1, 30));
    let none = ModelCallFilter { agent: Some("unknown".to_owned()), ..ModelCallFilter::default() };
    assert_eq!(store.stage_statistics(&none, "completed", 20).await.expect("reads"), (0, Vec::new()));
}

#[tokio::test]
async fn a_session_keeps_the_connection_of_its_first_run_until_it_is_switched() {
    let home = Home::new().await;
    let store = &home.store;
    let on = |run: &str, connection: &str| {
        let mut commit = begin(run, "s");
        if let RunChange::Create(new) = &mut commit.change {
            new.connection = connection.to_owned();
            new.model = format!("model of {connection}");
        }
        commit
    };
    let row = async || {
        let row = store.get_session("s").await.expect("reads").expect("there");
        (row.connection, row.model)
    };
    let is = |connection: &str, model: &str| (connection.to_owned(), model.to_owned());
    store.commit(begin("r0", "s")).await.expect("begins");
    assert_eq!(row().await, is("", ""));
    store.commit(on("r1", "one")).await.expect("begins");
    store.commit(on("r2", "two")).await.expect("begins");
    assert_eq!(row().await, is("one", "model of one"));
    let switch = SessionUpdate {
        connection: Some("three".to_owned()),
        model: Some(String::new()),
        ..SessionUpdate::default()
    };
    store.update_sessions(&["s".to_owned()], &switch, 1).await.expect("switches");
    assert_eq!(row().await, is("three", ""));
    let page = store.list_sessions(&store::SessionFilter::default(), None, 9).await.expect("lists");
    assert_eq!(page.sessions[0].connection, "three");
}
