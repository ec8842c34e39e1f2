use pretty_assertions::assert_eq;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::{Blob, BlobHash, Commit, MAX_BLOB_BYTES, StoreError};

use crate::{Home, append, begin, noise_blob};

#[tokio::test]
async fn blobs_are_read_back_whole_whether_they_compress_or_not() {
    let home = Home::new().await;
    let text = Blob::new(b"words and words ".repeat(10_000)).expect("small");
    let blobs = vec![text, noise_blob(1, 50_000), Blob::new(Vec::new()).expect("small")];
    home.store.commit(Commit { blobs: blobs.clone(), ..begin("r", "s") }).await.expect("commits");
    let home = home.reopened().await;
    for blob in blobs {
        assert_eq!(home.store.get_blob(blob.hash()).await.expect("reads"), blob.bytes());
    }
    let absent = BlobHash::of(b"absent");
    assert_eq!(home.store.get_blob(absent).await, Err(StoreError::UnknownBlob { hash: absent }));
}

#[tokio::test]
async fn the_largest_blob_passes_and_one_byte_more_is_refused() {
    let home = Home::new().await;
    let largest = noise_blob(3, MAX_BLOB_BYTES);
    let hash = largest.hash();
    home.store.commit(Commit { blobs: vec![largest], ..begin("r", "s") }).await.expect("commits");
    assert_eq!(home.store.get_blob(hash).await.expect("reads").len(), MAX_BLOB_BYTES);
    // Behind the next commit the log has been emptied.
    home.store.commit(append("r", 1)).await.expect("appends");
    home.store.commit(append("r", 2)).await.expect("appends");
    assert!(home.store.sizes().await.expect("measures").log < 1 << 20);
    let refused = Blob::new(vec![0; MAX_BLOB_BYTES + 1]).expect_err("too large");
    assert!(matches!(refused, StoreError::TooLarge { size: 67_108_865, cap: 67_108_864, .. }), "{refused}");
}

#[tokio::test]
async fn a_deleted_run_takes_its_rows_and_the_blobs_nobody_else_has() {
    let home = Home::new().await;
    let (own, shared, later) = (noise_blob(1, 9_000), noise_blob(2, 9_000), noise_blob(3, 9_000));
    let first = Commit { blobs: vec![own.clone(), shared.clone(), later.clone()], ..begin("r1", "s") };
    home.store.commit(first).await.expect("commits");
    let second = Commit { blobs: vec![shared.clone()], refs: vec![later.hash()], ..begin("r2", "s") };
    home.store.commit(second).await.expect("commits");

    assert_eq!(home.store.delete_run("r1").await, Ok(true));
    assert_eq!(home.store.delete_run("r1").await, Ok(false));
    assert_eq!(home.store.get_blob(own.hash()).await, Err(StoreError::UnknownBlob { hash: own.hash() }));
    for kept in [&shared, &later] {
        assert_eq!(home.store.get_blob(kept.hash()).await.expect("is kept"), kept.bytes());
    }
    assert_eq!(rows(&home).await, [1, 1, 1, 2, 2]);
    assert_eq!(home.store.delete_run("r2").await, Ok(true));
    assert_eq!(rows(&home).await, [1, 0, 0, 0, 0]);
    assert!(matches!(home.store.commit(append("r2", 1)).await, Err(StoreError::UnknownRun { .. })));
    home.store.commit(begin("r2", "s")).await.expect("the id is free again");
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_deleted_session_leaves_nothing_and_its_space_can_be_given_back() {
    let home = Home::new().await;
    for n in 0..4 {
        let blobs = vec![noise_blob(n, 100_000), noise_blob(99, 100_000)];
        home.store.commit(Commit { blobs, ..begin(&format!("r{n}"), "s") }).await.expect("commits");
    }
    home.store.checkpoint().await.expect("checkpoints");
    let full = home.store.sizes().await.expect("measures").database;
    assert_eq!(home.store.delete_session("s").await, Ok(true));
    assert_eq!(home.store.delete_session("s").await, Ok(false));
    assert_eq!(rows(&home).await, [0; 5]);
    home.store.incremental_vacuum(u32::MAX).await.expect("vacuums");
    home.store.checkpoint().await.expect("checkpoints");
    let sizes = home.store.sizes().await.expect("measures");
    assert!(sizes.database < full - 500_000, "{full} -> {sizes:?}");
    assert_eq!(sizes.free, 0);
    assert!(sizes.tables.iter().any(|table| table.table == "run_events"), "{sizes:?}");
}

#[tokio::test]
async fn a_reference_to_a_blob_that_is_not_there_fails_the_whole_commit() {
    let home = Home::new().await;
    let hash = BlobHash::of(b"absent");
    let commit = Commit { refs: vec![hash], ..begin("r", "s") };
    assert_eq!(home.store.commit(commit).await, Err(StoreError::UnknownBlob { hash }));
    assert_eq!(rows(&home).await, [0; 5]);
}

#[tokio::test]
async fn a_blob_that_changed_on_disk_is_never_returned() {
    let home = Home::new().await;
    let (noise, text) = (noise_blob(1, 5_000), Blob::new(b"text ".repeat(4_000)).expect("small"));
    let blobs = vec![noise.clone(), text.clone()];
    home.store.commit(Commit { blobs, ..begin("r", "s") }).await.expect("commits");
    home.store.close().await.expect("closes");
    let mut db = SqliteConnectOptions::new().filename(home.dir.database()).connect().await.expect("connects");
    // The last byte of each becomes another one.
    let sql = "UPDATE blobs SET data = CAST(substr(data, 1, length(data) - 1) || \
        CASE substr(data, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB)";
    sqlx::query(sql).execute(&mut db).await.expect("damages");
    db.close().await.expect("closes");
    let store = store::Store::open(&home.dir, "test").await.expect("opens");
    for blob in [noise, text] {
        let found = store.get_blob(blob.hash()).await;
        assert!(matches!(found, Err(StoreError::BlobDamaged { .. })), "{found:?}");
    }
    assert!(home.folder.path().exists());
}

/// Rows of sessions, runs, run_events, run_blobs and blobs.
async fn rows(home: &Home) -> [i64; 5] {
    let options = SqliteConnectOptions::new().filename(home.dir.database()).read_only(true);
    let mut db = options.connect().await.expect("connects");
    let sql = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs), \
        (SELECT count(*) FROM run_events), (SELECT count(*) FROM run_blobs), (SELECT count(*) FROM blobs)";
    let (sessions, runs, events, refs, blobs) = sqlx::query_as(sql).fetch_one(&mut db).await.expect("counts");
    [sessions, runs, events, refs, blobs]
}
