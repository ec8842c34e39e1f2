//! A database of every version that was ever released opens, with all that was in it.

use std::path::Path;

use pretty_assertions::assert_eq;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};
use store::{DataDir, Folder, SCHEMA_VERSION, SessionFilter, Store, Word, Words};
use tempfile::TempDir;

/// What led from each version to the next, as it was released.
const SCRIPTS: [&str; 8] = [
    include_str!("released/1.sql"),
    include_str!("released/2.sql"),
    include_str!("released/3.sql"),
    include_str!("released/4.sql"),
    include_str!("released/5.sql"),
    include_str!("released/6.sql"),
    include_str!("released/7.sql"),
    include_str!("released/8.sql"),
];

/// Rows that every version had, as the first one wrote them; then what each later one brought.
const ROWS: [&str; 8] = [
    "INSERT INTO sessions(no, id, created_at, title) VALUES(1, 'first', 10, 'Älteste Frage'), (2, 'second', 20, 'B');
     INSERT INTO runs(no, id, session, agent, status, created_at, updated_at, title, meta_codec, meta)
       VALUES(1, 'r1', 1, 'an-agent', 'completed', 11, 12, 'First', 0, x'6d'), (2, 'r2', 2, 'an-agent', 'paused', 21, 22, 'Second', 0, x'');
     INSERT INTO run_events(run, seq_first, seq_last, at, codec, events) VALUES(1, 1, 2, 11, 0, x'6f6e65'), (1, 3, 3, 12, 0, x'74776f'), (2, 1, 1, 21, 0, x'78');
     INSERT INTO blobs(no, hash, size, codec, data)
       VALUES(1, x'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 3, 0, x'616263');
     INSERT INTO run_blobs(run, blob) VALUES(1, 1), (2, 1);",
    "INSERT INTO drafts(key, session, text, updated_at) VALUES('first', 1, 'typed', 13), ('new', NULL, 'loose', 14);
     UPDATE sessions SET flagged = 1, archived = 1 WHERE no = 2;",
    "INSERT INTO model_call_kinds(no, agent, stage, connection, provider, model) VALUES(1, 'an-agent', 's', 'c', 'p', 'm');
     INSERT INTO model_calls(at, kind, flags, input, output, thinking, cache_read, cache_write, cache_write_long, cost, ms, session, run, call, try)
       VALUES(12, 1, 0, 100, 20, 0, 0, 0, 0, 5000, 40, 'first', 'r1', 'call', 1);
     UPDATE sessions SET connection = 'c', model = 'm' WHERE no = 1;",
    "INSERT INTO queue(id, session, place, at, message) VALUES('q', 1, 1, 15, 'waits');
     INSERT INTO grants(id, session, what) VALUES('g', 1, 'a grant');
     INSERT INTO pins(source, tool, fingerprint, definition, at) VALUES('s', 't', 'f', 'd', 16);
     INSERT INTO audit(at, session, run, call, source, tool, mode, decision, by_what, subject) VALUES(17, 'first', 'r1', 'c', 's', 't', 'ask', 'allow', 'rule', 'x');
     UPDATE sessions SET setup = '{\"mode\":\"ask\"}' WHERE no = 1;",
    "INSERT INTO session_labels(session, entry, id) VALUES(1, 'bug', 'bug');
     INSERT INTO passages(no, run, role, at, step, text) VALUES(1, 1, 0, 11, '', 1);
     UPDATE sessions SET status = 'done' WHERE no = 1;",
    "INSERT INTO judgements(key, run, finding, words, reason) VALUES(zeroblob(32), 1, 'supported', 'w', 'r');",
    "UPDATE sessions SET title = 'B' WHERE no = 2;",
    "UPDATE sessions SET title_key = 'alteste frage' WHERE no = 1;",
];

async fn made(home: &Path, version: usize) -> SqliteConnection {
    let mut db = SqliteConnectOptions::new()
        .filename(home.join("agentnative.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Delete)
        .connect()
        .await
        .expect("creates");
    let header = "BEGIN; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 1097289332; COMMIT; PRAGMA journal_mode = WAL;";
    sqlx::raw_sql(header).execute(&mut db).await.expect("marks it as ours");
    for (script, rows) in SCRIPTS.into_iter().zip(ROWS).take(version) {
        sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut db).await.expect("makes tables");
        sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut db).await.expect("fills them");
    }
    db
}

/// A closed database of a version, with its rows.
pub(crate) async fn make(home: &Path, version: usize) {
    made(home, version).await.close().await.expect("closes");
}

#[tokio::test]
async fn a_database_of_every_released_version_opens_with_all_that_was_in_it() {
    assert_eq!(SCRIPTS.len(), SCHEMA_VERSION as usize, "freeze the script of the new version");
    for version in 1..=SCRIPTS.len() {
        let home = TempDir::new().expect("a directory");
        make(home.path(), version).await;
        let dir = DataDir::open(home.path()).expect("locks");
        let store = Store::open(&dir, "t").await.expect("migrates");
        store.integrity_check().await.expect("is sound");
        let events: Vec<Vec<u8>> =
            store.load_events("r1").await.expect("loads").into_iter().map(|batch| batch.bytes).collect();
        assert_eq!(events, [b"one".to_vec(), b"two".to_vec()], "{version}");
        let hash = store::BlobHash::of(b"abc");
        assert_eq!(store.get_blob(hash).await.expect("reads"), b"abc");
        let first = store.get_session("first").await.expect("reads").expect("there");
        assert_eq!(
            (first.title.as_str(), first.runs, first.updated_at),
            ("Älteste Frage", 1, 12),
            "{version}"
        );
        assert_eq!(
            first.latest.map(|run| (run.run, run.status)),
            Some(("r1".to_owned(), "completed".to_owned()))
        );
        if version >= 2 {
            assert_eq!(store.get_draft("first").await.expect("reads").expect("there").text, "typed");
            assert_eq!(store.get_draft("new").await.expect("reads").expect("there").text, "loose");
            let archive =
                SessionFilter { shelf: Folder::Archive, anywhere: true, ..SessionFilter::default() };
            let archived = store.list_sessions(&archive, None, 10).await.expect("lists").sessions;
            assert_eq!(
                archived.iter().map(|row| (row.id.as_str(), row.flagged)).collect::<Vec<_>>(),
                [("second", true)]
            );
        }
        if version >= 3 {
            let sums = store.usage_sums(&store::ModelCallFilter::default(), 0).await.expect("sums");
            assert_eq!((sums.total.calls, sums.total.usage.input), (1, 100));
            assert_eq!((first.connection.as_str(), first.model.as_str()), ("c", "m"));
        }
        if version >= 4 {
            assert_eq!(store.queue_list("first").await.expect("lists")[0].message, "waits");
            assert_eq!(store.grants_in_force("first", 0).await.expect("lists"), ["a grant"]);
            assert_eq!(store.pinned_tools("s").await.expect("lists").len(), 1);
            assert_eq!(store.decisions(None, Some("first"), None, 10).await.expect("lists").len(), 1);
            assert_eq!(
                store.session_setup("first").await.expect("reads").as_deref(),
                Some("{\"mode\":\"ask\"}")
            );
        }
        if version >= 5 {
            assert_eq!(
                store.labels_of("first").await.expect("lists"),
                [("bug".to_owned(), "bug".to_owned())]
            );
        }
        let words =
            |text: &str| Words(vec![Word { any: vec![text.to_owned()], prefix: false, negated: false }]);
        let titled =
            store.search_titles(&words("alteste"), &SessionFilter::default(), 9).await.expect("searches");
        assert_eq!(titled.len(), 1, "{version}");
        if version >= 5 {
            // What an earlier version indexed is to be indexed again.
            let again = store.unworded_passages(i64::MAX, 10).await.expect("reads");
            assert_eq!(again.iter().map(|text| text.no).collect::<Vec<_>>(), [1], "{version}");
            store
                .index_words(&[(1, "付款期限 abc".to_owned()), (7, "gone".to_owned())])
                .await
                .expect("indexes");
            assert!(store.unworded_passages(i64::MAX, 10).await.expect("reads").is_empty());
            let found = store.search_passages(&words("期限"), &SessionFilter::default(), None).await;
            assert_eq!(found.expect("searches").len(), 1, "{version}");
        }
        // It goes on, and is deleted without a rest.
        let next = store::Commit {
            run: "r2".to_owned(),
            expect_seq: 1,
            seq_last: 2,
            events: b"next".to_vec(),
            ..store::Commit::default()
        };
        store.commit(next).await.expect("goes on");
        assert!(store.delete_session("first").await.expect("deletes"));
        assert_eq!(store.get_blob(hash).await.expect("the other run still has it"), b"abc");
        assert!(store.delete_session("second").await.expect("deletes"));
        assert!(store.get_blob(hash).await.is_err());
        store.close().await.expect("closes");
        let copy = dir.backups().join(format!("agentnative-v{version}-t.db"));
        assert_eq!(copy.exists(), version < SCRIPTS.len(), "{version}");
        assert_no_rows(&dir.database()).await;
    }
}

/// What was spent stays spent, and the audit and what was approved belong to no session.
async fn assert_no_rows(database: &Path) {
    let mut db =
        SqliteConnectOptions::new().filename(database).read_only(true).connect().await.expect("opens");
    for table in [
        "sessions",
        "runs",
        "run_events",
        "blobs",
        "run_blobs",
        "packs",
        "packed",
        "pack_pieces",
        "queue",
        "grants",
        "session_labels",
        "passages",
    ] {
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
            .fetch_one(&mut db)
            .await
            .expect("counts");
        assert_eq!(count, 0, "{table}");
    }
}

#[tokio::test]
async fn a_database_that_a_killed_process_left_with_its_log_is_migrated_with_what_is_in_the_log() {
    let (home, elsewhere) = (TempDir::new().expect("a directory"), TempDir::new().expect("a directory"));
    let db = made(elsewhere.path(), 3).await;
    for name in ["agentnative.db", "agentnative.db-wal"] {
        std::fs::copy(elsewhere.path().join(name), home.path().join(name)).expect("copies");
    }
    assert!(std::fs::metadata(home.path().join("agentnative.db-wal")).expect("is there").len() > 0);
    db.close().await.expect("closes");
    let dir = DataDir::open(home.path()).expect("locks");
    let store = Store::open(&dir, "t").await.expect("migrates");
    assert_eq!(store.load_events("r1").await.expect("loads").len(), 2);
    assert_eq!(store.get_draft("first").await.expect("reads").expect("there").text, "typed");
}
