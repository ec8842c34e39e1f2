//! Words and titles are found, and go with what they belong to.

use store::{
    Blob, Bulk, Clause, Commit, Folder, Part, Passage, Role, SessionFilter, SessionUpdate, Store, StoreError,
    Word, Words,
};

use crate::{Home, new_run};

fn passage(role: Role, step: &str, text: &str) -> (Blob, Passage) {
    let blob = Blob::new(text.as_bytes().to_vec()).expect("small");
    let passage = Passage {
        role,
        step: step.to_owned(),
        at_ms: 7,
        text: text.to_owned(),
        blob: blob.hash(),
        attachments: false,
    };
    (blob, passage)
}

async fn say(store: &Store, run: &str, session: &str, texts: &[(Role, &str)]) {
    store.commit(said(run, session, texts)).await.expect("is stored");
}

fn said(run: &str, session: &str, texts: &[(Role, &str)]) -> Commit {
    let (blobs, passages): (Vec<_>, Vec<_>) =
        texts.iter().enumerate().map(|(n, (role, text))| passage(*role, &format!("m{n}"), text)).unzip();
    Commit {
        run: run.to_owned(),
        seq_last: 1,
        at_ms: 5,
        events: b"[]".to_vec(),
        blobs,
        passages,
        change: new_run(session),
        ..Commit::default()
    }
}

fn words(list: &[&str]) -> Words {
    let word = |text: &&str| {
        let (negated, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, *text),
        };
        let (prefix, text) = match text.strip_suffix('*') {
            Some(text) => (true, text),
            None => (false, text),
        };
        Word { any: vec![text.to_owned()], prefix, negated }
    };
    Words(list.iter().map(word).collect())
}

async fn found(store: &Store, list: &[&str]) -> Vec<String> {
    let hits = store.search_passages(&words(list), &SessionFilter::default(), None).await.expect("searches");
    let numbers: Vec<i64> = hits.iter().map(|hit| hit.no).collect();
    let mut texts = store.passage_texts(&numbers).await.expect("reads");
    texts.sort_by_key(|said| numbers.iter().position(|number| *number == said.no));
    texts.into_iter().map(|said| format!("{}/{}", said.run, said.step)).collect()
}

#[tokio::test]
async fn what_was_said_is_found_in_any_script() {
    let home = Home::new().await;
    let store = &home.store;
    let texts = [
        (Role::User, "步2 重跑gen-itgc后50条悬空引用清零，修复已验证"),
        (Role::User, "監査人は重要性の基準値を決定する。見積書"),
        (Role::User, "付款期限为三十日"),
        (Role::User, "Größe, Ku\u{308}ndigungsfrist, été"),
        (Role::User, "ผู้เช่าต้องชำระค่าเช่า"),
        (Role::User, "임대료를 지급한다"),
        (Role::User, "دفع الإيجار"),
    ];
    say(store, "a", "s1", &texts).await;
    for (words, place) in [
        ("悬空", 0),
        ("悬空引用", 0),
        ("itgc", 0),
        ("gen-itgc后50条", 0),
        ("重要性", 1),
        ("見積書", 1),
        ("基準値", 1),
        ("付款期限", 2),
        ("付款", 2),
        ("款", 2),
        ("付*", 2),
        ("grosse", 3),
        ("Kündigungsfrist", 3),
        ("kundig*", 3),
        ("ete", 3),
        ("ค่าเช่า", 4),
        ("임대료", 5),
        ("الايجار", 6),
    ] {
        assert_eq!(found(store, &[words]).await, [format!("a/m{place}")], "{words}");
    }
    assert_eq!(found(store, &["限期"]).await, [] as [&str; 0]);
    assert_eq!(found(store, &["付款", "-期限"]).await, [] as [&str; 0]);
}

#[tokio::test]
async fn what_was_said_is_found_by_words_phrases_and_beginnings() {
    let home = Home::new().await;
    let store = &home.store;
    say(
        store,
        "a",
        "s1",
        &[(Role::User, "How is Materiality set?"), (Role::Assistant, "By judgement, été 2024.")],
    )
    .await;
    say(store, "b", "s2", &[(Role::User, "set the table"), (Role::Tool, "materiality, performance")]).await;
    assert_eq!(found(store, &["materiality"]).await, ["b/m1", "a/m0"]);
    assert_eq!(found(store, &["MATERIALITY", "set"]).await, ["a/m0"]);
    assert_eq!(found(store, &["materi*"]).await, ["b/m1", "a/m0"]);
    assert_eq!(found(store, &["materi"]).await, [] as [&str; 0]);
    assert_eq!(found(store, &["materiality", "-performance"]).await, ["a/m0"]);
    assert_eq!(found(store, &["materiality set"]).await, ["a/m0"]);
    assert_eq!(found(store, &["set materiality"]).await, [] as [&str; 0]);
    assert_eq!(found(store, &["ete"]).await, ["a/m1"]);
    for hostile in ["\"", "a\" OR \"b", "NEAR(", "*", "", "^", ")", "text:x", "\u{0}"] {
        let hits = store.search_passages(&words(&[hostile]), &SessionFilter::default(), None).await;
        assert!(hits.is_ok(), "{hostile}");
    }
    let only = SessionFilter {
        clause: Some(Clause(vec![Part::Sql("s.id = ".to_owned()), Part::Text("s2".to_owned())])),
        ..SessionFilter::default()
    };
    assert_eq!(store.search_passages(&words(&["set"]), &only, None).await.expect("searches").len(), 1);
    let one = store.search_passages(&words(&["set"]), &SessionFilter::default(), Some("s1")).await;
    assert_eq!(one.expect("searches").len(), 1);
    let row = store.get_session("s1").await.expect("reads").expect("there");
    assert_eq!(
        (row.preview.as_str(), row.messages, row.last_role),
        ("How is Materiality set?", 2, Some(Role::Assistant))
    );
}

#[tokio::test]
async fn words_of_texts_are_read_by_their_beginnings_and_lengths() {
    let home = Home::new().await;
    let store = &home.store;
    say(store, "a", "s1", &[(Role::User, "Lease lease leases"), (Role::Assistant, "the LEASE été ete")])
        .await;
    say(store, "b", "s2", &[(Role::Document, "leasing letter \u{10ffff}")]).await;
    let terms = async |beginnings: &[&str], letters| {
        let beginnings: Vec<String> = beginnings.iter().map(|one| (*one).to_owned()).collect();
        let terms = store.text_terms(&beginnings, letters).await.expect("reads");
        terms.into_iter().map(|term| (term.text, term.texts)).collect::<Vec<_>>()
    };
    let of = |list: &[(&str, u32)]| -> Vec<(String, u32)> {
        list.iter().map(|(text, texts)| ((*text).to_owned(), *texts)).collect()
    };
    assert_eq!(terms(&["lea"], 5..=6).await, of(&[("lease", 2), ("leases", 1)]));
    assert_eq!(terms(&["et", "let"], 1..=9).await, of(&[("ete", 1), ("letter", 1)]));
    assert_eq!(terms(&["lex", "'; DROP", "\"", ""], 7..=7).await, of(&[("leasing", 1)]));
    assert_eq!(terms(&[], 1..=9).await, of(&[]));
    let lease = |prefix| Word { any: vec!["lease".to_owned()], prefix, negated: false };
    assert_eq!(store.texts_with(&lease(false), 9).await.expect("reads"), 2);
    assert_eq!(store.texts_with(&lease(true), 1).await.expect("reads"), 1);
    assert!(store.delete_session("s1").await.expect("deletes"));
    assert_eq!(store.texts_with(&lease(true), 9).await.expect("reads"), 0);
    // The file itself is as it was.
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn nothing_is_found_of_what_is_gone() {
    let home = Home::new().await;
    let store = &home.store;
    say(store, "a", "s1", &[(Role::User, "canary one")]).await;
    say(store, "b", "s1", &[(Role::User, "canary two"), (Role::Document, "canary three")]).await;
    say(store, "c", "s2", &[(Role::User, "canary four")]).await;
    store.delete_run("b").await.expect("deletes");
    assert_eq!(found(store, &["canary"]).await, ["c/m0", "a/m0"]);
    let row = store.get_session("s1").await.expect("reads").expect("there");
    assert_eq!((row.messages, row.documents), (1, 0));
    let trash = SessionUpdate { deleted: Some(true), ..SessionUpdate::default() };
    store.update_sessions(&["s1".to_owned()], &trash, 9).await.expect("deletes");
    assert_eq!(found(store, &["canary"]).await, ["c/m0"]);
    let in_trash = SessionFilter { shelf: Folder::Trash, ..SessionFilter::default() };
    assert_eq!(store.search_passages(&words(&["canary"]), &in_trash, None).await.expect("searches").len(), 1);
    store.purge_session("s1").await.expect("purges");
    assert_eq!(store.search_passages(&words(&["canary"]), &in_trash, None).await.expect("searches").len(), 0);
    let sizes = store.sizes().await.expect("reads");
    assert!(sizes.tables.iter().any(|table| table.table.starts_with("passage")));
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_run_that_is_indexed_again_counts_once() {
    let home = Home::new().await;
    let store = &home.store;
    say(store, "a", "s1", &[(Role::User, "canary one"), (Role::Document, "canary two")]).await;
    say(store, "b", "s1", &[(Role::User, "canary three")]).await;
    for texts in [&["canary four", "canary five"][..], &["canary six"], &[]] {
        let passages = texts.iter().map(|text| passage(Role::Assistant, text, text).1).collect();
        store.index_run("a", passages).await.expect("indexes");
        let row = store.get_session("s1").await.expect("reads").expect("there");
        assert_eq!((row.messages, row.documents), (1 + texts.len() as u32, 0));
        assert_eq!(found(store, &["canary"]).await.len(), 1 + texts.len());
    }
}

#[tokio::test]
async fn what_many_commits_say_at_once_is_found_where_each_said_it() {
    let home = Home::new().await;
    let store = home.store.clone();
    // More than one transaction takes, and every number of rows around the sizes of statements.
    let said: Vec<(String, Vec<String>)> = (0..300_usize)
        .map(|run| {
            let texts = (0..run % 70).map(|text| format!("shared w{run}x{text}"));
            (format!("r{run}"), texts.chain(["the same everywhere".to_owned()]).collect())
        })
        .collect();
    let mut told = tokio::task::JoinSet::new();
    for (run, texts) in said.clone() {
        let store = store.clone();
        told.spawn(async move {
            let texts: Vec<(Role, &str)> = texts.iter().map(|text| (Role::Tool, text.as_str())).collect();
            say(&store, &run, &format!("s{}", run.len()), &texts).await;
        });
    }
    told.join_all().await;
    for (run, texts) in said.iter().step_by(23) {
        for (at, text) in texts.iter().enumerate().take(texts.len() - 1) {
            let word = text.split(' ').next_back().unwrap_or_default();
            assert_eq!(found(&store, &[word]).await, [format!("{run}/m{at}")]);
        }
    }
    assert_eq!(found(&store, &["everywhere"]).await.len(), said.len());
    let counted = store.list_sessions(&SessionFilter::default(), None, 100).await.expect("lists");
    let messages: u32 = counted.sessions.iter().map(|session| session.messages).sum();
    assert_eq!(messages as usize, said.iter().map(|(_, texts)| texts.len()).sum::<usize>());
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn more_texts_than_one_statement_takes_are_found_where_they_were_said() {
    let home = Home::new().await;
    let mut bulk = Bulk::default();
    for run in 0..17 {
        let texts: Vec<String> = (0..1_000).map(|text| format!("w{run}x{text}")).collect();
        let texts: Vec<(Role, &str)> = texts.iter().map(|text| (Role::Tool, text.as_str())).collect();
        bulk.push(said(&format!("r{run}"), "s", &texts)).expect("is whole");
    }
    let stored = home.store.commit_bulk(bulk).await.expect("is open");
    assert_eq!((stored.len(), stored.iter().all(Result::is_ok)), (17, true));
    // The first statement takes 616 of 17,000, the second 16,384.
    for (run, text) in [(0, 0), (0, 615), (0, 616), (0, 999), (1, 0), (16, 999)] {
        assert_eq!(found(&home.store, &[&format!("w{run}x{text}")]).await, [format!("r{run}/m{text}")]);
    }
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn titles_follow_every_change() {
    let home = Home::new().await;
    let store = &home.store;
    say(store, "a", "s1", &[]).await;
    say(store, "b", "s2", &[]).await;
    let named = |title: &str| SessionUpdate { title: Some(title.to_owned()), ..SessionUpdate::default() };
    store.update_sessions(&["s1".to_owned()], &named("Going concern at Acme"), 9).await.expect("renames");
    let by = |text: &'static str| async move {
        let hits =
            store.search_titles(&words(&[text]), &SessionFilter::default(), 9).await.expect("searches");
        hits.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(by("session").await, ["s2"]);
    assert_eq!(by("acme").await, ["s1"]);
    assert_eq!(store.title_terms(4..=7).await.expect("reads"), ["acme", "concern", "going", "session"]);
    store.delete_session("s1").await.expect("deletes");
    assert_eq!(by("acme").await, [] as [&str; 0]);
}

#[tokio::test]
async fn labels_and_statuses_are_set_on_all_or_none_and_counted() {
    let home = Home::new().await;
    let store = &home.store;
    for n in 0..3 {
        say(store, &format!("r{n}"), &format!("s{n}"), &[]).await;
    }
    let pair = |entry: &str| (entry.to_owned(), entry.split("::").next().unwrap_or_default().to_owned());
    let add = SessionUpdate {
        status: Some("done".to_owned()),
        add_labels: vec![pair("bug"), pair("priority::3")],
        ..SessionUpdate::default()
    };
    let both = ["s0".to_owned(), "s1".to_owned()];
    store.update_sessions(&both, &add, 9).await.expect("sets");
    let change = SessionUpdate {
        add_labels: vec![pair("priority::1")],
        remove_labels: vec![(None, "bug".to_owned())],
        ..SessionUpdate::default()
    };
    store.update_sessions(&["s1".to_owned()], &change, 9).await.expect("sets");
    let labels =
        |id: &'static str| async move { store.get_session(id).await.expect("reads").expect("there").labels };
    assert_eq!(labels("s0").await, ["bug", "priority::3"]);
    assert_eq!(labels("s1").await, ["priority::1"]);
    let mut counts = store.count_by_label(&SessionFilter::default()).await.expect("counts");
    counts.sort();
    assert_eq!(counts, [("bug".to_owned(), 1), ("priority".to_owned(), 2)]);
    let mut statuses = store.count_statuses("default").await.expect("counts");
    statuses.sort();
    assert_eq!(statuses, [(String::new(), 1), ("done".to_owned(), 2)]);
    assert_eq!(store.replace_status("default", "done", "todo").await, Ok(2));
    store.replace_labels("default", &["priority".to_owned()], Some("urgent")).await.expect("replaces");
    assert_eq!(labels("s0").await, ["bug", "urgent"]);
    store.move_session("s0", "other").await.expect("moves");
    assert_eq!(store.count_where(&SessionFilter::default()).await, Ok(2));
    let refused = store.update_sessions(&["s1".to_owned(), "gone".to_owned()], &add, 9).await;
    assert!(refused.is_err());
    assert_eq!(labels("s1").await, ["urgent"]);
    let (sorted, more) =
        store.list_sorted(&SessionFilter::default(), "s.title ASC", 0, 1).await.expect("lists");
    assert_eq!((sorted.len(), more), (1, true));
    assert_eq!(store.sessions_of_workspace("other").await, Ok(vec!["s0".to_owned()]));
    assert_eq!(store.move_sessions(&["s0".to_owned(), "gone".to_owned()], "default").await, Ok(1));
    assert_eq!(store.sessions_of_workspace("other").await, Ok(Vec::new()));
}

#[tokio::test]
async fn many_sessions_change_at_once_and_one_that_is_not_there_is_named() {
    let home = Home::new().await;
    let store = &home.store;
    let mut ids: Vec<String> = (0..41).map(|n| format!("s{n}")).collect();
    for id in &ids {
        say(store, &format!("run of {id}"), id, &[]).await;
    }
    let pair = |entry: &str| (entry.to_owned(), "priority".to_owned());
    let update = |number: &str| SessionUpdate {
        flagged: Some(true),
        add_labels: vec![pair("priority::0"), pair(number)],
        ..SessionUpdate::default()
    };
    store.update_sessions(&ids, &update("priority::3"), 9).await.expect("sets");
    ids.insert(20, "gone".to_owned());
    let refused = store.update_sessions(&ids, &update("priority::4"), 9).await;
    assert_eq!(refused, Err(StoreError::UnknownSession { session: "gone".to_owned() }));
    // Of two entries of one label the last one stays, and of what was refused nothing.
    for id in ["s0", "s15", "s16", "s40"] {
        let row = store.get_session(id).await.expect("reads").expect("there");
        assert_eq!((row.labels, row.flagged), (vec!["priority::3".to_owned()], true));
    }
}
