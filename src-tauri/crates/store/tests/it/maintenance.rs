//! Copies, examination, repair, space and age.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pretty_assertions::assert_eq;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use store::{
    Archive, Commit, DataDir, Depth, NewRun, NewSession, RetentionOutcome, RetentionQueryResult, RunChange,
    SessionUpdate, Store, StoreError, salvage,
};
use tempfile::TempDir;

use crate::{Home, append, begin, event, noise, noise_blob, open};

fn all() -> store::Watch {
    Box::new(|_, _| true)
}

/// Sessions `s0`, `s1`, … with a run each, of some events and payloads.
pub(crate) async fn filled(sessions: u64, events: u64) -> Home {
    let home = Home::new().await;
    for number in 0..sessions {
        let run = format!("r{number}");
        home.store.commit(begin(&run, &format!("s{number}"))).await.expect("begins");
        for seq in 1..events {
            // Some go into packs, and some are too large for that.
            let length = if number % 2 == 0 { 2_000 } else { 2_100 };
            let blobs =
                if seq % 3 == 0 { vec![noise_blob(number * 1_000 + seq, length)] } else { Vec::new() };
            home.store.commit(Commit { blobs, ..append(&run, seq) }).await.expect("commits");
        }
    }
    home
}

pub(crate) async fn raw(path: &Path, sql: &str) {
    let mut db =
        SqliteConnectOptions::new().filename(path).foreign_keys(false).connect().await.expect("opens");
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut db).await.expect("changes it");
    db.close().await.expect("closes");
}

#[tokio::test]
async fn a_copy_made_while_others_write_is_whole_and_opens() {
    let home = filled(20, 10).await;
    let folder = TempDir::new().expect("a directory");
    let target = folder.path().join("agentnative.db");
    let writing = Arc::new(AtomicBool::new(true));
    let writer = tokio::spawn({
        let (store, writing) = (home.store.clone(), Arc::clone(&writing));
        async move {
            let mut seq = 10;
            while writing.load(Ordering::Relaxed) {
                store.commit(append("r0", seq)).await.expect("commits");
                seq += 1;
            }
            seq
        }
    });
    let told = Arc::new(AtomicU64::new(0));
    let watch = {
        let told = Arc::clone(&told);
        Box::new(move |done, total| {
            assert!(done <= total);
            told.fetch_add(1, Ordering::Relaxed);
            true
        })
    };
    let copied = home.store.copy_to(&target, watch).await.expect("copies").expect("was not stopped");
    writing.store(false, Ordering::Relaxed);
    let written = writer.await.expect("ends");
    assert_eq!((copied.sessions, copied.runs, copied.schema), (20, 20, store::SCHEMA_VERSION));
    assert!(!folder.path().join("agentnative.part").exists());
    let again = home.store.copy_to(&target, all()).await.expect_err("it is there");
    assert!(matches!(again, store::StoreError::BadPath { .. }));

    let archive = Archive::open(&target).await.expect("opens");
    assert_eq!(archive.sessions(100).await.expect("lists").len(), 20);
    archive.check(|_| true).await.expect("is sound");
    archive.close().await;
    let (_dir, copy) = open(folder.path()).await;
    let events = copy.load_events("r0").await.expect("loads");
    assert!((10..=written as usize).contains(&events.len()));
    assert_eq!(copy.get_blob(noise_blob(3, 2_000).hash()).await.expect("is there"), noise(3, 2_000));
}

#[tokio::test]
async fn a_copy_that_is_stopped_leaves_nothing() {
    let home = filled(3, 10).await;
    let folder = TempDir::new().expect("a directory");
    let target = folder.path().join("copy.db");
    let stopped = home.store.copy_to(&target, Box::new(|_, _| false)).await.expect("is no failure");
    // A database this small may be copied before anybody is asked.
    if stopped.is_none() {
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 0);
    }
    let nowhere = home.store.copy_to(&folder.path().join("absent/copy.db"), all()).await;
    assert!(nowhere.is_err());
}

#[tokio::test]
async fn what_is_damaged_is_found_and_named() {
    let home = filled(6, 8).await;
    let sound =
        home.store.check_integrity(Depth::Full, all()).await.expect("looks").expect("was not stopped");
    assert_eq!((sound.findings, sound.runs), (Vec::new(), 6));
    assert!(home.store.check_integrity(Depth::Full, Box::new(|_, _| false)).await.expect("looks").is_none());
    let folder = closed(home).await;
    raw(&folder.path().join("agentnative.db"), "UPDATE blobs SET data = zeroblob(length(data)) WHERE no = 2; UPDATE packs SET data = zeroblob(length(data)) WHERE no = 2; \
         DELETE FROM packed WHERE pack = 1; DELETE FROM run_events WHERE run = 3 AND seq_first = 4; \
         UPDATE sessions SET runs = 7 WHERE no = 5; DELETE FROM runs WHERE no = 6;").await;
    let (_dir, store) = open(folder.path()).await;
    let found = store.check_integrity(Depth::Full, all()).await.expect("looks").expect("was not stopped");
    let text = found.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for part in [
        "a text: blob ",
        "a text: a payload does not have the digest that it was stored under",
        "a text: the index of texts lacks it",
        "run r2: its log goes on with event 5 where 4 belongs",
        "session s4: the number of its runs is wrong",
        "refers to something that is gone",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

/// What is left after a repair: sessions with how many of their events.
pub(crate) async fn repaired(folder: &Path) -> (store::RepairReport, Vec<(String, usize)>) {
    let dir = DataDir::open(folder).expect("locks");
    let target = folder.join("fresh.db");
    let done = salvage(&dir, &target, all()).await.expect("repairs").expect("was not stopped");
    drop(dir);
    let elsewhere = TempDir::new().expect("a directory");
    fs::copy(&target, elsewhere.path().join("agentnative.db")).expect("copies");
    let (_dir, store) = open(elsewhere.path()).await;
    store.integrity_check().await.expect("is sound");
    let found = store.check_integrity(Depth::Full, all()).await.expect("looks").expect("was not stopped");
    let serious = |finding: &&store::Finding| finding.place != "texts" && finding.place != "a text";
    assert_eq!(found.findings.iter().filter(serious).collect::<Vec<_>>(), Vec::<&store::Finding>::new());
    let mut left = Vec::new();
    for session in store.session_stamps().await.expect("lists") {
        let mut events = 0;
        for run in store.runs_of(&session.id).await.expect("lists") {
            events += store.load_events(&run).await.expect("every log that is left can be read").len();
        }
        left.push((session.id, events));
    }
    // It goes on as any other.
    store.commit(begin("after", "after")).await.expect("commits");
    left.sort();
    (done, left)
}

/// Numbers of the pages of tables, from 1, and whether each has rows itself: one without is the only way to what lies below it.
pub(crate) async fn pages_of(path: &Path, tables: &str) -> Vec<(usize, bool)> {
    let mut db = SqliteConnectOptions::new().filename(path).connect().await.expect("opens");
    let sql = format!(
        "SELECT pageno, pagetype <> 'internal' FROM dbstat WHERE name IN ({tables}) AND pageno > 1 ORDER BY name, pageno"
    );
    let pages: Vec<(i64, bool)> = sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&mut db).await.expect("lists");
    db.close().await.expect("closes");
    pages.into_iter().map(|(page, has_rows)| (page as usize, has_rows)).collect()
}

pub(crate) async fn closed(home: Home) -> TempDir {
    home.store.close().await.expect("closes");
    home.folder
}

#[tokio::test]
async fn a_sound_database_is_copied_whole() {
    let home = filled(30, 6).await;
    home.store.save_draft("s1", "typed", 1).await.expect("saves");
    let folder = closed(home).await;
    let (done, left) = repaired(folder.path()).await;
    assert_eq!((done.findings, done.sessions, done.runs), (Vec::new(), 30, 30));
    assert_eq!(left.len(), 30);
    assert!(left.iter().all(|(_, events)| *events == 6));
}

#[tokio::test]
async fn zeroed_and_flipped_pages_cost_what_was_on_them_and_no_more() {
    let home = filled(120, 9).await;
    let whole = 120 * 9;
    let folder = closed(home).await;
    let path = folder.path().join("agentnative.db");
    let original = fs::read(&path).expect("reads");
    // Not the first page, which lists the tables: a test of its own destroys it.
    let mut pages: Vec<(usize, bool)> =
        pages_of(&path, "'run_events'").await.into_iter().step_by(3).collect();
    let others = "'runs', 'sessions', 'blobs', 'packs', 'pack_pieces', 'packed', 'sqlite_autoindex_runs_1', 'run_blobs'";
    pages.extend(pages_of(&path, others).await.into_iter().step_by(7));
    let mut fewest = whole;
    for (round, (page, has_rows)) in (0_u64..).zip(pages) {
        let mut bytes = original.clone();
        let page = page - 1;
        match round % 3 {
            0 => bytes[page * 4_096..(page + 1) * 4_096].fill(0),
            1 => bytes[page * 4_096..(page + 1) * 4_096].copy_from_slice(&noise(round, 4_096)),
            _ => bytes[page * 4_096 + 3..page * 4_096 + 12].copy_from_slice(&noise(round, 9)),
        }
        fs::write(&path, &bytes).expect("writes");
        let _ = fs::remove_file(folder.path().join("fresh.db"));
        let (done, left) = repaired(folder.path()).await;
        let events: usize = left.iter().map(|(_, events)| events).sum();
        assert!(events <= whole, "nothing is invented");
        // A page of the log costs its rows and what stood behind them in their runs; none of it goes unsaid.
        assert!(
            events == whole || !done.findings.is_empty(),
            "round {round}, page {page}: {events} of {whole}, silently"
        );
        if has_rows {
            fewest = fewest.min(events);
        } else {
            assert_eq!(events, whole, "page {page} has no rows: {:?}", done.findings);
        }
        assert_eq!(fs::read(&path).expect("reads"), bytes, "the damaged file is only read");
    }
    eprintln!("at worst {fewest} of {whole} events were left");
    assert!(0 < fewest && fewest < whole);
}

#[tokio::test]
async fn a_file_cut_short_a_lost_header_and_a_lost_log_are_no_end() {
    let home = filled(200, 6).await;
    home.store.checkpoint().await.expect("checkpoints");
    for seq in 6..10 {
        home.store.commit(append("r0", seq)).await.expect("commits");
    }
    // As a killed process leaves it: the last commits are in the log alone.
    let database = fs::read(home.dir.database()).expect("reads");
    let log = fs::read(home.folder.path().join("agentnative.db-wal")).expect("reads");
    let folder = TempDir::new().expect("a directory");
    let write = |database: &[u8], log: Option<&[u8]>| {
        fs::write(folder.path().join("agentnative.db"), database).expect("writes");
        let _ = fs::remove_file(folder.path().join("agentnative.db-wal"));
        let _ = fs::remove_file(folder.path().join("fresh.db"));
        if let Some(log) = log {
            fs::write(folder.path().join("agentnative.db-wal"), log).expect("writes");
        }
    };
    write(&database, Some(&log));
    let (done, left) = repaired(folder.path()).await;
    assert_eq!((done.findings.len(), left[0].clone(), left.len()), (0, ("s0".to_owned(), 10), 200));
    // Without its log the database is what it was at the last checkpoint.
    write(&database, None);
    let (_, left) = repaired(folder.path()).await;
    assert_eq!((left[0].clone(), left.len()), (("s0".to_owned(), 6), 200));
    // The first hundred bytes.
    let mut headless = database.clone();
    headless[..100].copy_from_slice(&noise(1, 100));
    write(&headless, None);
    let (_, left) = repaired(folder.path()).await;
    assert_eq!(left.len(), 200);
    // The last third.
    write(&database[..database.len() / 3 * 2 / 4_096 * 4_096], None);
    let (done, left) = repaired(folder.path()).await;
    assert!(!done.findings.is_empty() && !left.is_empty(), "{:?}", done.findings);
    // Nothing that could be told from noise.
    write(&noise(5, 40_000), None);
    let dir = DataDir::open(folder.path()).expect("locks");
    assert!(salvage(&dir, &folder.path().join("fresh.db"), all()).await.is_err());
    assert!(!folder.path().join("fresh.db").exists());
}

#[tokio::test]
async fn a_run_or_session_that_is_lost_leaves_its_events_in_sight() {
    let folder = closed(filled(5, 4).await).await;
    // Foreign keys are off: what belonged to them stays, as a torn page leaves it.
    raw(
        &folder.path().join("agentnative.db"),
        "DROP TRIGGER runs_gone; DELETE FROM runs WHERE no = 2; DELETE FROM sessions WHERE no = 4; \
         DELETE FROM run_events WHERE run = 5 AND seq_first = 2;",
    )
    .await;
    let (done, left) = repaired(folder.path()).await;
    let text = done.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(text.contains("recovered-run-2") && text.contains("run r4: events before 3 are lost"), "{text}");
    assert!(left.iter().any(|(id, events)| id == "recovered" && *events == 4), "{left:?}");
}

#[tokio::test]
async fn an_open_database_is_repaired_beside_its_writer() {
    let home = filled(10, 5).await;
    let target = home.folder.path().join("fresh.db");
    let done = salvage(&home.dir, &target, all()).await.expect("repairs").expect("was not stopped");
    assert_eq!((done.sessions, done.findings.len()), (10, 0));
    home.store.commit(append("r0", 5)).await.expect("goes on");
    let none = salvage(&home.dir, &home.folder.path().join("none.db"), Box::new(|_, _| false))
        .await
        .expect("is no failure");
    assert!(none.is_none() && !home.folder.path().join("none.db").exists());
}

#[tokio::test]
async fn nothing_of_a_purged_session_is_left_in_any_file_after_writing_the_database_anew() {
    let home = Home::new().await;
    let store = &home.store;
    for number in 0..400_u64 {
        let canary = format!("canary{number:03}");
        let mut commit = begin(&format!("r-{canary}"), &format!("s-{canary}"));
        commit.events = format!("said {canary}").into_bytes();
        if let RunChange::Create(new) = &mut commit.change {
            let filler = "x".repeat((number * 37 % 900) as usize);
            *new = NewRun {
                session: NewSession { title: format!("title {canary} {filler}"), ..new.session.clone() },
                words: format!("words {canary} {filler}"),
                ..new.clone()
            };
        }
        commit.blobs = vec![store::Blob::new(format!("blob {canary}").into_bytes()).expect("small")];
        store.commit(commit).await.expect("commits");
        store.save_draft(&format!("s-{canary}"), &format!("draft {canary}"), 1).await.expect("saves");
    }
    let odd: Vec<String> =
        (0..400).filter(|number| number % 2 == 1).map(|number| format!("s-canary{number:03}")).collect();
    store
        .update_sessions(&odd, &SessionUpdate { deleted: Some(true), ..SessionUpdate::default() }, 5)
        .await
        .expect("deletes");
    for id in &odd {
        assert!(store.purge_session(id).await.expect("purges"));
    }
    store.rewrite().await.expect("writes anew");
    store.integrity_check().await.expect("is sound");
    let found = store.check_integrity(Depth::Full, all()).await.expect("looks").expect("was not stopped");
    assert_eq!(found.findings, []);
    for entry in fs::read_dir(home.folder.path()).expect("lists").flatten() {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        for number in (1..400).step_by(2) {
            assert!(!text.contains(&format!("canary{number:03}")), "{number} in {}", entry.path().display());
        }
    }
    let kept = fs::read(home.dir.database()).expect("reads");
    assert!(String::from_utf8_lossy(&kept).contains("canary200"), "what is kept is still there to be found");
    assert_eq!(fs::metadata(home.folder.path().join("agentnative.db-wal")).expect("is there").len(), 0);
}

#[tokio::test]
async fn free_pages_are_given_back_step_by_step() {
    let home = filled(40, 12).await;
    home.store.checkpoint().await.expect("checkpoints");
    let before = home.store.sizes().await.expect("measures");
    for number in 0..35 {
        home.store.delete_session(&format!("s{number}")).await.expect("deletes");
    }
    let free = home.store.sizes().await.expect("measures").free;
    assert!(free > 100_000, "{free}");
    while home.store.sizes().await.expect("measures").free > 0 {
        home.store.incremental_vacuum(16).await.expect("gives back");
    }
    home.store.checkpoint().await.expect("checkpoints");
    let after = home.store.sizes().await.expect("measures");
    assert!(after.database + free <= before.database + 40_960, "{before:?} {after:?}");
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn the_log_stays_bounded_while_a_copy_is_made_under_load() {
    let home = filled(30, 30).await;
    let folder = TempDir::new().expect("a directory");
    let writing = Arc::new(AtomicBool::new(true));
    let writers = (0..4_u64).map(|writer| {
        let (store, writing) = (home.store.clone(), Arc::clone(&writing));
        tokio::spawn(async move {
            let run = format!("load{writer}");
            store.commit(begin(&run, &run)).await.expect("begins");
            let mut seq = 1;
            while writing.load(Ordering::Relaxed) {
                let blobs = vec![noise_blob(writer << 32 | seq, 60_000)];
                store.commit(Commit { blobs, ..append(&run, seq) }).await.expect("commits");
                seq += 1;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let log = home.folder.path().join("agentnative.db-wal");
    let mut largest = 0;
    for round in 0..6 {
        home.store.copy_to(&folder.path().join(format!("{round}.db")), all()).await.expect("copies");
        largest = largest.max(fs::metadata(&log).map_or(0, |meta| meta.len()));
    }
    writing.store(false, Ordering::Relaxed);
    for writer in writers {
        writer.await.expect("ends");
    }
    eprintln!("the log had at most {} MB", largest >> 20);
    assert!(largest <= 64 << 20, "{largest}");
}

#[tokio::test]
async fn what_the_rules_of_age_move_is_noted_in_the_same_moment() {
    let home = filled(2, 1).await;
    let store = &home.store;
    let archive = SessionUpdate { archived: Some(true), ..SessionUpdate::default() };
    let (there, gone) = (["s0".to_owned()], ["s1".to_owned(), "nowhere".to_owned()]);
    let noted = RetentionOutcome { at: 1, archived: "[\"s0\"]".to_owned(), ..RetentionOutcome::default() };
    let refused = store.note_retention(&noted, &[(&there, archive.clone()), (&gone, archive.clone())]).await;
    assert_eq!(refused, Err(StoreError::UnknownSession { session: "nowhere".to_owned() }));
    let archived = async || store.get_session("s0").await.expect("reads").expect("is there").archived_at;
    assert_eq!((archived().await, store.retention_runs(9).await), (None, Ok(Vec::new())));
    store.note_retention(&noted, &[(&there, archive)]).await.expect("moves");
    assert_eq!(archived().await, Some(1));
    assert_eq!(store.retention_runs(9).await.expect("lists"), [RetentionOutcome { number: 1, ..noted }]);
}

#[tokio::test]
async fn what_is_done_read_and_old_is_found_and_the_rest_is_not() {
    let home = Home::new().await;
    let store = &home.store;
    for (number, (status, unread, flagged)) in [
        ("completed", false, false),
        ("completed", true, false),
        ("paused", false, false),
        ("completed", false, true),
    ]
    .into_iter()
    .enumerate()
    {
        let mut commit = begin(&format!("r{number}"), &format!("s{number}"));
        if let RunChange::Create(new) = &mut commit.change {
            status.clone_into(&mut new.status);
            new.unread = unread;
        }
        store.commit(commit).await.expect("commits");
        let update = SessionUpdate { flagged: Some(flagged), ..SessionUpdate::default() };
        store.update_sessions(&[format!("s{number}")], &update, 1_000).await.expect("updates");
    }
    let aged = RetentionQueryResult {
        before: 2_000,
        over: vec!["completed".to_owned()],
        not_flagged: true,
        ..RetentionQueryResult::default()
    };
    assert_eq!(store.done_before(&aged, 10).await.expect("finds"), ["s0"]);
    assert_eq!(
        store
            .done_before(&RetentionQueryResult { not_flagged: false, ..aged.clone() }, 10)
            .await
            .expect("finds"),
        ["s0", "s3"]
    );
    assert_eq!(
        store.done_before(&RetentionQueryResult { before: 1_000, ..aged.clone() }, 10).await.expect("finds"),
        Vec::<String>::new()
    );
    // A status of the person's own goes before how the run stands.
    let set = |status: &str| SessionUpdate { status: Some(status.to_owned()), ..SessionUpdate::default() };
    store.update_sessions(&["s0".to_owned()], &set("in-progress"), 1_000).await.expect("updates");
    store.update_sessions(&["s2".to_owned()], &set("done"), 1_000).await.expect("updates");
    let closed = RetentionQueryResult { closed: vec!["done".to_owned()], ..aged.clone() };
    assert_eq!(store.done_before(&closed, 10).await.expect("finds"), ["s2"]);
    let label = SessionUpdate {
        add_labels: vec![("keep".to_owned(), "keep".to_owned())],
        ..SessionUpdate::default()
    };
    store.update_sessions(&["s2".to_owned()], &label, 1_000).await.expect("updates");
    let kept = RetentionQueryResult { not_labels: vec!["keep".to_owned(), "other".to_owned()], ..closed };
    assert_eq!(store.done_before(&kept, 10).await.expect("finds"), Vec::<String>::new());
    let archive = SessionUpdate { archived: Some(true), ..SessionUpdate::default() };
    store.update_sessions(&["s2".to_owned()], &archive, 1_500).await.expect("archives");
    assert_eq!(store.archived_before(&aged, 10).await.expect("finds"), ["s2"]);
    assert_eq!(
        store.archived_before(&RetentionQueryResult { before: 1_500, ..aged }, 10).await.expect("finds"),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn a_draft_that_another_text_replaces_is_kept_and_typing_is_not() {
    let home = Home::new().await;
    let (store, key) = (&home.store, "new");
    let earlier = async || {
        store
            .earlier_drafts(key)
            .await
            .expect("lists")
            .into_iter()
            .map(|draft| draft.text)
            .collect::<Vec<_>>()
    };
    for end in 1..=40 {
        store
            .save_draft(
                key,
                &"Wie prüft man Rückstellungen in Raten?".chars().take(end).collect::<String>(),
                end as i64,
            )
            .await
            .expect("saves");
    }
    assert_eq!(earlier().await, Vec::<String>::new());
    // Two windows with a draft each, saved in turn.
    for round in 1..=6 {
        store
            .save_draft(key, &format!("A second window has words of its own {}", "more ".repeat(round)), 100)
            .await
            .expect("saves");
        store
            .save_draft(
                key,
                &format!("Wie prüft man Rückstellungen in Raten? {}", "Noch ".repeat(round)),
                101,
            )
            .await
            .expect("saves");
    }
    let kept = earlier().await;
    assert!(kept[0].starts_with("A second window") && kept.len() <= 5, "{kept:?}");
    assert!(kept.iter().filter(|text| text.starts_with("A second")).count() == 1, "{kept:?}");
    store.save_draft(key, "", 200).await.expect("clears");
    assert!(store.get_draft(key).await.expect("reads").is_none());
    assert_eq!(earlier().await, kept);
}

#[tokio::test]
async fn a_session_knows_its_runs_and_payloads() {
    let home = filled(2, 7).await;
    let store = &home.store;
    assert_eq!(store.runs_of("s1").await.expect("lists"), ["r1"]);
    let mut blobs: Vec<u64> =
        store.run_blobs("r1").await.expect("lists").into_iter().map(|(_, size)| size).collect();
    blobs.sort_unstable();
    assert_eq!(blobs, [2_100, 2_100]);
    let small: Vec<u64> =
        store.run_blobs("r0").await.expect("lists").into_iter().map(|(_, size)| size).collect();
    assert_eq!(small, [2_000, 2_000]);
    let largest = store.largest_sessions(5).await.expect("measures");
    assert_eq!(largest.len(), 2);
    let events: u64 = (1..=7).map(|seq| event(seq).len() as u64).sum();
    assert!(largest[0].bytes >= 4_200 && largest[0].bytes <= 4_200 + events, "{largest:?}");
    let mut stamps: Vec<String> =
        store.session_stamps().await.expect("lists").into_iter().map(|session| session.id).collect();
    stamps.sort();
    assert_eq!(stamps, ["s0", "s1"]);
    let _: &Store = store;
}
