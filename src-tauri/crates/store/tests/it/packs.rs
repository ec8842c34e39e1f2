//! Small payloads lie together, and are found, kept and deleted one by one.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::{Blob, BlobHash, Commit, Depth, Passage, Role, StoreError, salvage};

use crate::{Home, append, begin, noise, noise_blob, open};

/// Rows of packs, packed and blobs; of what packs go on in there are none where there are no packs.
async fn rows(home: &Home) -> [i64; 3] {
    let options = SqliteConnectOptions::new().filename(home.dir.database()).read_only(true);
    let mut db = options.connect().await.expect("connects");
    let sql =
        "SELECT (SELECT count(*) FROM packs), (SELECT count(*) FROM packed), (SELECT count(*) FROM blobs)";
    let (packs, packed, blobs) = sqlx::query_as(sql).fetch_one(&mut db).await.expect("counts");
    [packs, packed, blobs]
}

async fn raw(home: &Home, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(home.dir.database());
    let mut db = options.connect().await.expect("connects");
    sqlx::raw_sql(sql).execute(&mut db).await.expect("changes it");
    db.close().await.expect("closes");
}

fn text(words: &str) -> Blob {
    Blob::new(words.as_bytes().to_vec()).expect("small")
}

fn passage(blob: &Blob) -> Passage {
    Passage {
        role: Role::User,
        step: String::new(),
        at_ms: 1,
        text: String::from_utf8_lossy(blob.bytes()).into_owned(),
        blob: blob.hash(),
        attachments: false,
    }
}

#[tokio::test]
async fn a_thousand_payloads_of_a_commit_are_read_back_each() {
    let home = Home::new().await;
    let mut blobs: Vec<Blob> = (0..996).map(|seed| noise_blob(seed, (seed * 7 % 2_049) as usize)).collect();
    blobs.extend([text(""), text(""), noise_blob(2_000, 2_048), noise_blob(2_001, 2_049)]);
    home.store.commit(Commit { blobs: blobs.clone(), ..begin("r", "s") }).await.expect("commits");
    let home = home.reopened().await;
    for blob in &blobs {
        assert_eq!(home.store.get_blob(blob.hash()).await.expect("reads"), blob.bytes());
    }
    let different: BTreeMap<BlobHash, usize> =
        blobs.iter().map(|blob| (blob.hash(), blob.bytes().len())).collect();
    let listed = home.store.run_blobs("r").await.expect("lists");
    assert_eq!(listed.len(), different.len());
    let [packs, packed, large] = rows(&home).await;
    assert_eq!((packed as usize, large), (different.len() - 1, 1));
    assert!((15..25).contains(&packs), "{packs}: none is so large that reading one payload takes long");
}

#[tokio::test]
async fn more_payloads_than_a_commit_carries_are_stored_ahead_of_it() {
    let home = Home::new().await;
    let blobs: Vec<Blob> = (0..2_100).map(|number| text(&format!("payload {number}"))).collect();
    // A run begins with its first event, and that brings its payloads.
    let begun = home.store.commit(Commit { blobs: blobs.clone(), ..begin("r", "s") }).await;
    assert!(matches!(begun, Err(StoreError::Invalid { .. })), "{begun:?}");
    home.store.commit(begin("r", "s")).await.expect("begins");
    let said = vec![passage(&blobs[0])];
    let many = Commit { blobs: blobs.clone(), passages: said, ..append("r", 1) };
    home.store.commit(many.clone()).await.expect("commits");
    assert_eq!(home.store.stats().commits, 4);
    let stale = home.store.commit(many).await;
    assert!(matches!(stale, Err(StoreError::Conflict { expected: 1, found: 2, .. })), "{stale:?}");

    let home = home.reopened().await;
    assert_eq!(home.store.load_events("r").await.expect("loads").len(), 2);
    assert_eq!(home.store.run_blobs("r").await.expect("lists").len(), 2_100);
    for blob in [&blobs[0], &blobs[999], &blobs[1_000], &blobs[2_099]] {
        assert_eq!(home.store.get_blob(blob.hash()).await.expect("reads"), blob.bytes());
    }
    home.store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn what_another_run_refers_to_stays_and_its_neighbours_go() {
    let home = Home::new().await;
    let store = &home.store;
    let (kept, gone) = (text("kept, as a copy refers to it"), text("gone with its run"));
    let first = Commit { blobs: vec![gone.clone(), kept.clone()], ..begin("r1", "s1") };
    store.commit(first).await.expect("commits");
    let second = Commit { refs: vec![kept.hash(), kept.hash()], ..begin("r2", "s2") };
    store.commit(second).await.expect("commits");
    assert_eq!(rows(&home).await, [2, 3, 0]);
    assert!(store.delete_session("s1").await.expect("deletes"));
    assert_eq!(store.get_blob(kept.hash()).await.expect("is kept"), kept.bytes());
    assert_eq!(store.get_blob(gone.hash()).await, Err(StoreError::UnknownBlob { hash: gone.hash() }));
    // What a run has already is not stored again.
    store.commit(Commit { refs: vec![kept.hash()], ..append("r2", 1) }).await.expect("commits");
    assert_eq!(rows(&home).await, [1, 1, 0]);
    assert!(store.delete_run("r2").await.expect("deletes"));
    assert_eq!(rows(&home).await, [0; 3]);
    store.integrity_check().await.expect("is sound");
}

#[tokio::test]
async fn a_text_is_found_wherever_it_lies() {
    let home = Home::new().await;
    let store = &home.store;
    let (small, large) = (text("a small heron"), text(&"a large heron ".repeat(200)));
    let said = vec![passage(&large), passage(&small)];
    store
        .commit(Commit { blobs: vec![small.clone(), large.clone()], ..begin("r", "s") })
        .await
        .expect("commits");
    // By a later commit, by a run that copies them, and by an index that is made anew.
    store.commit(Commit { passages: said.clone(), ..append("r", 1) }).await.expect("commits");
    let refs = vec![small.hash(), large.hash()];
    store.commit(Commit { passages: said.clone(), refs, ..begin("copy", "other") }).await.expect("commits");
    store.index_run("r", said.clone()).await.expect("indexes");
    store.index_run("copy", said.iter().rev().cloned().collect()).await.expect("indexes");
    assert_eq!(rows(&home).await, [2, 2, 1]);
    let numbers: Vec<i64> = (1..20).collect();
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    for said in store.passage_texts(&numbers).await.expect("reads") {
        found.push((said.run, said.bytes.expect("is there")));
    }
    let expected = [("r", &large), ("r", &small), ("copy", &small), ("copy", &large)]
        .map(|(run, blob)| (run.to_owned(), blob.bytes().to_vec()));
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_damaged_pack_is_never_returned_and_its_index_is_made_anew_by_a_repair() {
    let home = Home::new().await;
    let (whole, torn) = (noise_blob(1, 900), noise_blob(2, 900));
    let first = Commit { blobs: vec![whole.clone(), text("beside it")], ..begin("r1", "s1") };
    home.store.commit(first).await.expect("commits");
    home.store.commit(Commit { blobs: vec![torn.clone()], ..begin("r2", "s2") }).await.expect("commits");
    home.store.close().await.expect("closes");
    raw(
        &home,
        "DELETE FROM packed WHERE pack = 1; UPDATE packs SET data = \
         CAST(substr(data, 1, length(data) - 1) || iif(substr(data, -1) = x'00', x'01', x'00') AS BLOB) WHERE no = 2",
    )
    .await;
    let Home { store, dir, folder } = home;
    drop((store, dir));
    let (dir, store) = open(folder.path()).await;
    let found = store.get_blob(torn.hash()).await;
    assert!(matches!(found, Err(StoreError::BlobDamaged { .. })), "{found:?}");
    assert!(matches!(store.get_blob(whole.hash()).await, Err(StoreError::UnknownBlob { .. })));
    let examined =
        store.check_integrity(Depth::Sample, Box::new(|_, _| true)).await.expect("looks").expect("ends");
    assert_eq!(examined.findings.len(), 2, "{:?}", examined.findings);
    let target = folder.path().join("fresh.db");
    salvage(&dir, &target, Box::new(|_, _| true)).await.expect("repairs").expect("ends");
    let fresh = tempfile::TempDir::new().expect("a directory");
    std::fs::copy(&target, fresh.path().join("agentnative.db")).expect("copies");
    let (_dir, repaired) = open(fresh.path()).await;
    assert_eq!(repaired.get_blob(whole.hash()).await.expect("is found again"), whole.bytes());
    assert!(repaired.get_blob(torn.hash()).await.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Runs with payloads of few kinds, so that many have the same, some by reference; and some of them deleted.
    #[test]
    fn payloads_are_there_as_long_as_a_run_has_them(
        steps in prop::collection::vec((0_u64..4, prop::collection::vec(0_u64..12, 0..8), 0_u8..4), 1..20),
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let home = Home::new().await;
            let store = &home.store;
            let payload = |seed: u64| Blob::new(noise(seed, (seed * 400) as usize)).expect("small");
            let mut model: BTreeMap<u64, (u64, Vec<u64>)> = BTreeMap::new();
            for (run, seeds, what) in steps {
                let id = format!("r{run}");
                if what == 0 {
                    assert_eq!(store.delete_run(&id).await, Ok(model.remove(&run).is_some()));
                    continue;
                }
                let mut commit = match model.get(&run) {
                    Some((seq, _)) => append(&id, *seq),
                    None => begin(&id, "s"),
                };
                let known: Vec<u64> = model.values().flat_map(|(_, seeds)| seeds.clone()).collect();
                for seed in &seeds {
                    if what == 1 && known.contains(seed) {
                        commit.refs.push(payload(*seed).hash());
                    } else {
                        commit.blobs.push(payload(*seed));
                    }
                }
                store.commit(commit).await.expect("commits");
                let (seq, has) = model.entry(run).or_default();
                *seq += 1;
                has.extend(seeds);
            }
            for seed in 0..12 {
                let there = model.values().any(|(_, seeds)| seeds.contains(&seed));
                assert_eq!(store.get_blob(payload(seed).hash()).await.ok(), there.then(|| payload(seed).bytes().to_vec()));
            }
            for (run, (_, seeds)) in &model {
                let mut has: Vec<BlobHash> = seeds.iter().map(|seed| payload(*seed).hash()).collect();
                has.sort_unstable();
                has.dedup();
                let listed = store.run_blobs(&format!("r{run}")).await.expect("lists");
                assert_eq!(listed.into_iter().map(|(hash, _)| hash).collect::<Vec<_>>(), has);
            }
            let found = store.check_integrity(Depth::Full, Box::new(|_, _| true)).await.expect("looks").expect("ends");
            assert_eq!(found.findings, Vec::new());
            for run in model.keys() {
                assert_eq!(store.delete_run(&format!("r{run}")).await, Ok(true));
            }
            assert_eq!(rows(&home).await, [0; 3]);
        });
    }
}
