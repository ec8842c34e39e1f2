//! Repairs of files whose upper pages are lost: rows are read from the leaves.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use store::{DataDir, RepairReport, salvage};

use crate::maintenance::{closed, filled, pages_of, raw, repaired};
use crate::{append, noise, noise_blob, open};

const PAGE: usize = 4_096;
/// Every table that a repair copies and that has upper pages in these tests.
const TABLES: &str = "'run_events', 'runs', 'sessions', 'blobs', 'packs', 'pack_pieces', 'run_blobs'";

fn zero(bytes: &mut [u8], page: usize) {
    bytes[(page - 1) * PAGE..page * PAGE].fill(0);
}

fn told(done: &RepairReport) -> String {
    done.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Every payload that [`filled`] stored can be read from the repaired database.
async fn payloads_are_there(folder: &Path, sessions: u64, events: u64) {
    let elsewhere = tempfile::TempDir::new().expect("a directory");
    fs::copy(folder.join("fresh.db"), elsewhere.path().join("agentnative.db")).expect("copies");
    let (_dir, store) = open(elsewhere.path()).await;
    for number in 0..sessions {
        let length = if number % 2 == 0 { 2_000 } else { 2_100 };
        for seq in (1..events).filter(|seq| seq % 3 == 0) {
            let seed = number * 1_000 + seq;
            let found = store.get_blob(noise_blob(seed, length).hash()).await.expect("the payload is there");
            assert_eq!(found, noise(seed, length));
        }
    }
}

#[tokio::test]
async fn all_upper_pages_of_all_tables_together_cost_nothing() {
    let folder = closed(filled(150, 9).await).await;
    let path = folder.path().join("agentnative.db");
    let upper: Vec<usize> = pages_of(&path, TABLES)
        .await
        .into_iter()
        .filter(|(_, has_rows)| !has_rows)
        .map(|(page, _)| page)
        .collect();
    assert!(upper.len() >= 4, "{upper:?}");
    let original = fs::read(&path).expect("reads");
    for noisy in [false, true] {
        let mut bytes = original.clone();
        for page in &upper {
            zero(&mut bytes, *page);
            if noisy {
                bytes[(page - 1) * PAGE..page * PAGE].copy_from_slice(&noise(*page as u64, PAGE));
            }
        }
        fs::write(&path, &bytes).expect("writes");
        let _ = fs::remove_file(folder.path().join("fresh.db"));
        let (done, left) = repaired(folder.path()).await;
        assert_eq!(left.len(), 150);
        assert!(left.iter().all(|(_, events)| *events == 9), "{left:?}");
        let told = told(&done);
        assert!(told.contains("rows were read from pages that it no longer leads to"), "{told}");
        assert!(!told.contains("can't be read") && !told.contains("lost"), "nothing is missing: {told}");
        payloads_are_there(folder.path(), 150, 9).await;
    }
}

#[tokio::test]
async fn a_lost_leaf_below_a_lost_upper_page_costs_its_own_rows_alone() {
    let folder = closed(filled(150, 9).await).await;
    let path = folder.path().join("agentnative.db");
    let pages = pages_of(&path, "'run_events'").await;
    let mut bytes = fs::read(&path).expect("reads");
    for (page, has_rows) in &pages {
        if !has_rows {
            zero(&mut bytes, *page);
        }
    }
    let leaves: Vec<usize> = pages.iter().filter(|(_, has_rows)| *has_rows).map(|(page, _)| *page).collect();
    assert!(leaves.len() > 5, "{leaves:?}");
    zero(&mut bytes, leaves[leaves.len() / 2]);
    fs::write(&path, &bytes).expect("writes");
    let (done, left) = repaired(folder.path()).await;
    let events: usize = left.iter().map(|(_, events)| events).sum();
    let whole = 150 * 9;
    // A page holds the events of a few runs; what stands behind a gap of its run is left out as well.
    assert!(events < whole && events > whole / 10 * 8, "{events} of {whole}");
    let told = told(&done);
    assert!(told.contains("run_events: rows ") && told.contains("can't be read"), "{told}");
    // The end of the table is unknown: what was looked for behind its last row is no row that was lost.
    let rows = told.lines().filter(|line| line.starts_with("run_events: row"));
    let numbers = rows.flat_map(|line| line.split(|c: char| !c.is_ascii_digit()));
    let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
    assert!(numbers.iter().all(|number| (1..=whole).contains(number)), "{told}");
}

#[tokio::test]
async fn a_lost_list_of_tables_is_made_up_for() {
    let folder = closed(filled(150, 9).await).await;
    let path = folder.path().join("agentnative.db");
    raw(&path, "UPDATE sessions SET title = 'kept ' || id").await;
    let original = fs::read(&path).expect("reads");
    let list: Vec<usize> = pages_of_list(&path).await;
    // The first page alone; with its header kept; and every page of the list.
    for round in 0..3 {
        let mut bytes = original.clone();
        match round {
            0 => bytes[..PAGE].copy_from_slice(&noise(7, PAGE)),
            1 => bytes[100..PAGE].fill(0),
            _ => list.iter().for_each(|page| zero(&mut bytes, *page)),
        }
        fs::write(&path, &bytes).expect("writes");
        let _ = fs::remove_file(folder.path().join("fresh.db"));
        let (done, left) = repaired(folder.path()).await;
        let told = told(&done);
        assert_eq!(left.len(), 150, "round {round}: {told}");
        assert!(left.iter().all(|(_, events)| *events == 9), "round {round}: {told}");
        assert!(told.contains("its list of tables can't be read"), "{told}");
        if round < 2 {
            payloads_are_there(folder.path(), 150, 9).await;
        }
    }
}

/// The pages of the list of tables, the first page among them.
async fn pages_of_list(path: &Path) -> Vec<usize> {
    let mut pages = vec![1];
    pages.extend(pages_of(path, "'sqlite_schema', 'sqlite_master'").await.into_iter().map(|(page, _)| page));
    assert!(pages.len() > 2, "the list has pages of its own: {pages:?}");
    pages
}

#[tokio::test]
async fn deleted_rows_do_not_come_back() {
    let home = filled(60, 9).await;
    for number in 0..30 {
        home.store.delete_session(&format!("s{number}")).await.expect("deletes");
    }
    let folder = closed(home).await;
    let path = folder.path().join("agentnative.db");
    let mut bytes = fs::read(&path).expect("reads");
    for (page, has_rows) in pages_of(&path, TABLES).await {
        if !has_rows {
            zero(&mut bytes, page);
        }
    }
    fs::write(&path, &bytes).expect("writes");
    let (_, left) = repaired(folder.path()).await;
    assert_eq!(left.len(), 30);
    assert!(left.iter().all(|(_, events)| *events == 9), "{left:?}");
}

#[tokio::test]
async fn leaves_are_read_from_the_log_as_well_and_beside_a_writer() {
    let home = filled(100, 9).await;
    home.store.checkpoint().await.expect("checkpoints");
    let upper = pages_of(&home.dir.database(), "'run_events'").await;
    for seq in 9..12 {
        home.store.commit(append("r7", seq)).await.expect("commits");
    }
    // The upper pages are lost in the file; their newest version in the log, where there is one, is not.
    let mut bytes = fs::read(home.dir.database()).expect("reads");
    let log = fs::read(home.folder.path().join("agentnative.db-wal")).expect("reads");
    for (page, has_rows) in upper {
        if !has_rows {
            zero(&mut bytes, page);
        }
    }
    let folder = tempfile::TempDir::new().expect("a directory");
    fs::write(folder.path().join("agentnative.db"), &bytes).expect("writes");
    fs::write(folder.path().join("agentnative.db-wal"), &log).expect("writes");
    let (_, left) = repaired(folder.path()).await;
    let of = |id: &str| left.iter().find(|(session, _)| session == id).map(|(_, events)| *events);
    assert_eq!((left.len(), of("s7"), of("s8")), (100, Some(12), Some(9)));
    // A torn end of the log costs what was not committed, and no more.
    fs::write(folder.path().join("agentnative.db"), &bytes).expect("writes");
    fs::write(folder.path().join("agentnative.db-wal"), &log[..log.len() - 100]).expect("writes");
    let _ = fs::remove_file(folder.path().join("fresh.db"));
    let (_, left) = repaired(folder.path()).await;
    let of = |id: &str| left.iter().find(|(session, _)| session == id).map(|(_, events)| *events);
    assert_eq!((left.len(), of("s7")), (100, Some(11)));
}

#[tokio::test]
async fn a_damaged_database_that_is_open_is_read_beside_its_writer() {
    let home = filled(100, 9).await;
    let path = home.dir.database();
    home.store.checkpoint().await.expect("checkpoints");
    let mut bytes = fs::read(&path).expect("reads");
    let pages = pages_of(&path, "'run_events'").await;
    let folder = closed(home).await;
    let root = pages.iter().find(|(_, has_rows)| !has_rows).expect("an upper page").0;
    zero(&mut bytes, root);
    fs::write(folder.path().join("agentnative.db"), &bytes).expect("writes");
    let (dir, store) = open(folder.path()).await;
    let target = folder.path().join("fresh.db");
    let done =
        salvage(&dir, &target, Box::new(|_, _| true)).await.expect("repairs").expect("was not stopped");
    assert_eq!((done.sessions, done.runs), (100, 100));
    let told = told(&done);
    assert!(told.contains("900 rows were read from pages"), "{told}");
    drop(store);
    drop::<DataDir>(dir);
}
