//! Backups, space, age and copies over a real engine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use app::{Request, Response};
use domain::ErrorCode;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use protocol::{
    BackupDifference, BackupEvery, BackupKind, BackupList, BackupNow, BackupRef, BackupRestore,
    BackupSettings, CleanKind, Cleaned, DataCheck, DataClean, DraftKey, JobState, JobStatus, RetentionQuery,
    RetentionSettings, SessionCopy, SessionPatch, SessionView, SettingsPatch,
};
use store::{Commit, NewRun, NewSession, RunChange, SessionUpdate};

use crate::world::{World, answer};

const DAY_MS: i64 = 86_400_000;

/// Begins a job and waits until it has ended.
async fn ended(world: &World, request: Request) -> JobState {
    let job = answer!(world.call(request).await, Job);
    loop {
        let jobs = answer!(world.call(Request::JobList).await, Jobs);
        let now = jobs.into_iter().find(|each| each.job == job.job).expect("it is listed");
        if now.status != JobStatus::Running {
            return now;
        }
        tokio::task::yield_now().await;
    }
}

async fn back_up(world: &World) -> BackupList {
    let job = ended(world, Request::BackupNow(BackupNow::default())).await;
    assert_eq!(job.status, JobStatus::Done, "{job:?}");
    *answer!(world.call(Request::BackupList).await, Backups)
}

/// A session of one finished run, without an engine.
async fn add(world: &World, session: &str, title: &str, at_ms: i64) {
    let store = &world.local.engine().parts().store;
    let new = NewRun {
        session: NewSession { id: session.to_owned(), title: title.to_owned(), ..NewSession::default() },
        agent: "an-agent".to_owned(),
        status: "completed".to_owned(),
        title: title.to_owned(),
        ..NewRun::default()
    };
    let commit = Commit {
        run: format!("run-{session}"),
        seq_last: 1,
        at_ms,
        events: format!("[[1,{at_ms},1,0,{{\"session\":\"{session}\"}}]]").into_bytes(),
        blobs: vec![store::Blob::new(format!("payload of {session}").into_bytes()).unwrap()],
        change: RunChange::Create(new),
        ..Commit::default()
    };
    store.commit(commit).await.unwrap();
    let folder = world.home().join("sessions").join(session).join("plans");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.md"), format!("plan of {session}")).unwrap();
}

fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn a_backup_is_made_looked_into_checked_and_restored_at_the_next_start() {
    let world = World::new().await;
    add(&world, "kept", "Kept", 1_000).await;
    add(&world, "changed", "Changed", 2_000).await;
    add(&world, "lost", "Lost", 3_000).await;
    fs::write(world.home().join("settings.json"), "{\"zoom\": 1.1}").unwrap();
    let list = back_up(&world).await;
    let row = &list.backups[0];
    assert_eq!((row.kind, row.sessions, row.runs, row.problem.clone()), (BackupKind::Manual, 3, 3, None));
    assert!(Path::new(&row.path).starts_with(world.home().join("backups/snapshots")));

    let second = back_up(&world).await;
    assert_eq!(second.backups.len(), 2);
    assert!(second.backups[0].shared > 0, "unchanged files are linked");

    add(&world, "added", "Added", 4_000).await;
    world.patch("lost", SessionPatch { deleted: Some(true), ..SessionPatch::default() }).await;
    world.call(Request::SessionPurge { sessions: vec!["lost".to_owned()] }).await;
    let store = &world.local.engine().parts().store;
    let more = NewRun {
        session: NewSession { id: "changed".to_owned(), ..NewSession::default() },
        status: "completed".to_owned(),
        ..NewRun::default()
    };
    store
        .commit(Commit {
            run: "run-more".to_owned(),
            at_ms: 5_000,
            change: RunChange::Create(more),
            ..Commit::default()
        })
        .await
        .unwrap();
    fs::write(world.home().join("settings.json"), "{\"zoom\": 1.5}").unwrap();

    let view = *answer!(world.call(Request::BackupInspect(BackupRef::default())).await, Backup);
    assert_eq!((view.same, view.newer, view.gone, view.added), (1, 1, 1, 1));
    let how = |session: &str| {
        view.differing.iter().find(|each| each.session == session).map(|each| each.difference)
    };
    assert_eq!(how("lost"), Some(BackupDifference::Gone));
    assert_eq!(how("changed"), Some(BackupDifference::Newer));
    assert_eq!(how("added"), Some(BackupDifference::Added));
    assert!(view.replaces.contains(&"settings.json".to_owned()) && !view.vault);

    let checked = ended(&world, Request::BackupVerify(BackupRef::default())).await;
    assert_eq!((checked.status, checked.warnings.len()), (JobStatus::Done, 0), "{checked:?}");

    let restored = answer!(world.call(Request::BackupRestore(BackupRestore::default())).await, Restored);
    assert!(restored.at_next_start, "{restored:?}");
    assert!(answer!(world.call(Request::BackupList).await, Backups).due.is_some());
    // Until then everything goes on, and what is added is put aside with the rest.
    assert_eq!(world.counts().await.inbox, 3);
    add(&world, "late", "Late", 6_000).await;

    let world = world.reopened().await;
    let mut sessions: Vec<String> =
        world.list(SessionView::Inbox).await.into_iter().map(|row| row.session).collect();
    sessions.sort();
    assert_eq!(sessions, ["changed", "kept", "lost"]);
    assert_eq!(world.list(SessionView::Inbox).await.iter().map(|row| row.runs).max(), Some(1));
    assert_eq!(fs::read_to_string(world.home().join("sessions/lost/plans/a.md")).unwrap(), "plan of lost");
    assert!(!world.home().join("sessions/late").exists());
    assert_eq!(fs::read_to_string(world.home().join("settings.json")).unwrap(), "{\"zoom\": 1.1}");
    let list = *answer!(world.call(Request::BackupList).await, Backups);
    assert_eq!(list.due, None);
    let aside =
        list.backups.iter().find(|row| row.kind == BackupKind::Replaced).expect("what was there is kept");
    assert_eq!((aside.sessions, aside.problem.clone()), (4, None));

    // And back again.
    let restore = BackupRestore { backup: aside.name.clone(), ..BackupRestore::default() };
    world.call(Request::BackupRestore(restore)).await;
    let world = world.reopened().await;
    let mut sessions: Vec<String> =
        world.list(SessionView::Inbox).await.into_iter().map(|row| row.session).collect();
    sessions.sort();
    assert_eq!(sessions, ["added", "changed", "kept", "late"]);
    assert_eq!(fs::read_to_string(world.home().join("sessions/late/plans/a.md")).unwrap(), "plan of late");
}

#[tokio::test]
async fn a_restore_that_was_given_up_changes_nothing() {
    let world = World::new().await;
    add(&world, "a", "A", 1_000).await;
    back_up(&world).await;
    add(&world, "b", "B", 2_000).await;
    world.call(Request::BackupRestore(BackupRestore::default())).await;
    let give_up = BackupRestore { give_up: true, ..BackupRestore::default() };
    answer!(world.call(Request::BackupRestore(give_up)).await, Restored);
    let world = world.reopened().await;
    assert_eq!(world.counts().await.inbox, 2);
}

#[tokio::test]
async fn a_session_comes_back_alone_under_its_own_id_or_beside_the_one_that_is_there() {
    let world = World::new().await;
    add(&world, "one", "One", 1_000).await;
    add(&world, "two", "Two", 2_000).await;
    world.patch("one", SessionPatch { flagged: Some(true), ..SessionPatch::default() }).await;
    back_up(&world).await;
    world.patch("one", SessionPatch { deleted: Some(true), ..SessionPatch::default() }).await;
    world.call(Request::SessionPurge { sessions: vec!["one".to_owned()] }).await;
    let both = vec!["one".to_owned(), "two".to_owned()];
    let restore = BackupRestore { sessions: both, ..BackupRestore::default() };
    let restored = answer!(world.call(Request::BackupRestore(restore)).await, Restored);
    assert_eq!(
        (restored.sessions.as_slice(), restored.at_next_start),
        (["one".to_owned(), "two-restored".to_owned()].as_slice(), false)
    );
    let store = &world.local.engine().parts().store;
    let one = store.get_session("one").await.unwrap().unwrap();
    assert_eq!((one.title.as_str(), one.flagged, one.runs), ("One", true, 1));
    assert_eq!(store.get_blob(store::BlobHash::of(b"payload of one")).await.unwrap(), b"payload of one");
    assert_eq!(fs::read_to_string(world.home().join("sessions/one/plans/a.md")).unwrap(), "plan of one");
    let runs = store.runs_of("two-restored").await.unwrap();
    assert_ne!(runs, store.runs_of("two").await.unwrap());
    let events = store.load_events(&runs[0]).await.unwrap().remove(0).bytes;
    assert!(String::from_utf8(events).unwrap().contains("\"two-restored\""));
    assert!(
        fs::read_dir(world.home())
            .unwrap()
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().starts_with("unpacked-"))
    );
    let missing = BackupRestore { sessions: vec!["three".to_owned()], ..BackupRestore::default() };
    assert_eq!(world.refused(Request::BackupRestore(missing)).await.code, ErrorCode::NotFound);
    let outside = BackupRestore { sessions: vec!["../x".to_owned()], ..BackupRestore::default() };
    assert_eq!(world.refused(Request::BackupRestore(outside)).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_backup_that_was_changed_is_found_out_and_changes_nothing() {
    let world = World::new().await;
    add(&world, "a", "A", 1_000).await;
    let path = PathBuf::from(&back_up(&world).await.backups[0].path);
    let plan = path.join("sessions/a/plans/a.md");
    let before = fs::read(&plan).unwrap();
    fs::write(&plan, "forged").unwrap();
    let checked = ended(&world, Request::BackupVerify(BackupRef::default())).await;
    assert_eq!(checked.warnings, ["sessions/a/plans/a.md was changed"]);
    let refused = world.refused(Request::BackupRestore(BackupRestore::default())).await;
    assert_eq!(refused.code, ErrorCode::Corrupt);
    assert!(!world.home().join("incoming").exists());
    fs::write(&plan, before).unwrap();

    // The list of files itself, with a way out of the folder.
    let list = path.join("files.jsonl");
    let text = fs::read_to_string(&list).unwrap();
    for bad in [
        text.replace("sessions/a/plans/a.md", "../../../../a.md"),
        text[..text.len() / 2].to_owned(),
        String::new(),
    ] {
        fs::write(&list, bad).unwrap();
        assert_eq!(
            world.refused(Request::BackupRestore(BackupRestore::default())).await.code,
            ErrorCode::Corrupt
        );
    }
    fs::write(&list, text).unwrap();
    let mut database = fs::read(path.join("agentnative.db")).unwrap();
    let middle = database.len() / 2;
    database[middle..middle + 4_000].fill(7);
    fs::write(path.join("agentnative.db"), database).unwrap();
    assert_eq!(
        world.refused(Request::BackupRestore(BackupRestore::default())).await.code,
        ErrorCode::Corrupt
    );
    fs::write(path.join("backup.json"), "{").unwrap();
    let list = *answer!(world.call(Request::BackupList).await, Backups);
    assert_eq!(list.backups[0].problem.as_ref().map(|problem| problem.code), Some(ErrorCode::Corrupt));
    assert_eq!(world.refused(Request::BackupInspect(BackupRef::default())).await.code, ErrorCode::NotFound);
    assert_eq!(world.counts().await.inbox, 1);
}

#[tokio::test]
async fn old_ones_made_by_itself_go_and_those_of_the_person_stay() {
    let world = World::new().await;
    add(&world, "a", "A", 1_000).await;
    let first = back_up(&world).await.backups[0].name.clone();
    let backup = BackupSettings { every: BackupEvery::Daily, keep: 1, ..BackupSettings::default() };
    let patch = SettingsPatch { backup: Some(backup), ..SettingsPatch::default() };
    world.call(Request::SettingsUpdate(patch)).await;
    let list = *answer!(world.call(Request::BackupList).await, Backups);
    assert_eq!(list.next, Some(list.backups[0].at + DAY_MS));
    let bad = BackupSettings { folder: "relative".to_owned(), ..BackupSettings::default() };
    let patch = SettingsPatch { backup: Some(bad), ..SettingsPatch::default() };
    assert_eq!(world.refused(Request::SettingsUpdate(patch)).await.code, ErrorCode::InvalidInput);
    let inside = world.home().join("sessions/x").display().to_string();
    assert_eq!(
        world.refused(Request::BackupNow(BackupNow { folder: Some(inside), bases: None })).await.code,
        ErrorCode::InvalidInput
    );
    let relative = BackupNow { folder: Some("here".to_owned()), bases: None };
    assert_eq!(world.refused(Request::BackupNow(relative)).await.code, ErrorCode::InvalidInput);
    world.call(Request::BackupRemove(BackupRef { backup: first.clone() })).await;
    let again = world.refused(Request::BackupRemove(BackupRef { backup: first })).await;
    assert_eq!(again.code, ErrorCode::NotFound);
    let outside = BackupRef { backup: world.home().display().to_string() };
    assert_eq!(world.refused(Request::BackupRemove(outside)).await.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn a_backup_of_a_clock_that_was_ahead_keeps_no_other_one_from_being_due() {
    let world = World::new().await;
    let backup = BackupSettings { every: BackupEvery::Daily, ..BackupSettings::default() };
    let patch = SettingsPatch { backup: Some(backup), ..SettingsPatch::default() };
    world.call(Request::SettingsUpdate(patch)).await;
    let made = back_up(&world).await.backups.remove(0);
    let about = Path::new(&made.path).join("backup.json");
    let text = fs::read_to_string(&about).unwrap();
    fs::write(&about, text.replace(&made.at.to_string(), &(made.at + 400 * DAY_MS).to_string())).unwrap();
    let list = *answer!(world.call(Request::BackupList).await, Backups);
    assert_eq!(list.backups[0].at, made.at + 400 * DAY_MS);
    assert!(list.next.is_some_and(|next| next <= now_ms()), "{:?}", list.next);
    let list = back_up(&world).await;
    assert_eq!(list.next, Some(list.backups[0].at + DAY_MS));
}

async fn clean(world: &World, what: CleanKind, preview: bool) -> Cleaned {
    let clean = DataClean { what: vec![what], preview, names: Vec::new() };
    answer!(world.call(Request::DataClean(clean)).await, Cleaned).remove(0)
}

#[tokio::test]
async fn what_takes_space_is_shown_and_given_back_only_where_it_was_asked_for() {
    let world = World::new().await;
    add(&world, "a", "A", 1_000).await;
    add(&world, "gone", "Gone", 1_000).await;
    let orphan = world.home().join("sessions/orphan");
    fs::create_dir_all(&orphan).unwrap();
    fs::write(orphan.join("file"), vec![1; 5_000]).unwrap();
    let sizes = *answer!(world.call(Request::DataShow).await, Data);
    assert_eq!(
        sizes.orphans.iter().map(|folder| (folder.name.as_str(), folder.bytes)).collect::<Vec<_>>(),
        [("orphan", 5_000)]
    );
    assert_eq!(sizes.largest.len(), 2);
    assert!(sizes.total >= sizes.database.iter().map(|part| part.bytes).sum::<u64>());
    assert!(sizes.database.iter().any(|part| part.name == "Index for searching" && part.bytes > 0));

    let before = files(world.home());
    for kind in [
        CleanKind::Undo,
        CleanKind::Orphans,
        CleanKind::Attachments,
        CleanKind::Exports,
        CleanKind::Cache,
        CleanKind::Copies,
    ] {
        clean(&world, kind, true).await;
    }
    assert_eq!(
        files(&world.home().join("sessions")).len(),
        before.keys().filter(|name| name.starts_with("sessions/")).count()
    );
    let seen = clean(&world, CleanKind::Orphans, true).await;
    assert_eq!((seen.count, seen.bytes), (1, 5_000));
    let done = clean(&world, CleanKind::Orphans, false).await;
    assert_eq!((done.count, done.bytes, orphan.exists()), (1, 5_000, false));
    assert!(world.home().join("sessions/a/plans/a.md").exists());

    world.patch("gone", SessionPatch { deleted: Some(true), ..SessionPatch::default() }).await;
    assert_eq!(clean(&world, CleanKind::Trash, true).await.count, 1);
    assert_eq!(clean(&world, CleanKind::Trash, false).await.count, 1);
    let rewritten = clean(&world, CleanKind::Rewrite, false).await;
    assert!(rewritten.note.contains("backups"));
    for (name, bytes) in files(world.home()) {
        assert!(!String::from_utf8_lossy(&bytes).contains("payload of gone"), "{name}");
    }
}

#[tokio::test]
async fn a_cleaned_cache_costs_no_last_valid_version_of_a_file_that_is_broken() {
    let world = World::new().await;
    let file = world.home().join("settings.json");
    fs::write(&file, r#"{"zoom": 1.3}"#).unwrap();
    let list = world.home().join("cache/models/house.json");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    fs::write(&list, "[]").unwrap();
    assert_eq!(answer!(world.call(Request::SettingsShow).await, Settings).zoom, 1.3);
    fs::write(&file, "{ oops").unwrap();
    clean(&world, CleanKind::Cache, false).await;
    assert!(!list.exists());
    let world = world.reopened().await;
    assert_eq!(answer!(world.call(Request::SettingsShow).await, Settings).zoom, 1.3);
}

#[tokio::test]
async fn what_is_stored_is_checked_and_repaired_and_the_damaged_database_is_kept() {
    let world = World::new().await;
    add(&world, "a", "A", 1_000).await;
    let sound = ended(&world, Request::DataCheck(DataCheck { full: true, repair: false })).await;
    assert!(sound.warnings.is_empty() && sound.text.starts_with("Everything is sound"), "{sound:?}");
    let repaired = ended(&world, Request::DataCheck(DataCheck { full: false, repair: true })).await;
    assert_eq!(repaired.status, JobStatus::Done, "{repaired:?}");
    let world = world.reopened().await;
    assert_eq!(world.counts().await.inbox, 1);
    let damaged = fs::read_dir(world.home().join("backups")).unwrap().flatten();
    assert_eq!(
        damaged.filter(|entry| entry.file_name().to_string_lossy().starts_with("damaged-")).count(),
        1
    );
}

#[tokio::test]
async fn rules_of_age_move_what_they_say_and_are_taken_back() {
    let world = World::new().await;
    let now = now_ms();
    for (session, days) in [("old", 40), ("flagged", 40), ("new", 3)] {
        add(&world, session, session, now - days * DAY_MS).await;
    }
    world.patch("flagged", SessionPatch { flagged: Some(true), ..SessionPatch::default() }).await;
    let rules =
        RetentionSettings { archive_done_days: 30, trash_archived_days: 90, ..RetentionSettings::default() };
    let tried = RetentionQuery { rules: Some(rules.clone()), ..RetentionQuery::default() };
    let state = answer!(world.call(Request::Retention(tried)).await, Retention);
    assert_eq!((state.archive, state.trash, state.purge, state.past.len()), (1, 0, 0, 0));
    assert_eq!(world.counts().await.archived, 0, "trying changes nothing");

    let patch = SettingsPatch { retention: Some(rules), ..SettingsPatch::default() };
    world.call(Request::SettingsUpdate(patch)).await;
    let apply = || Request::Retention(RetentionQuery { apply: true, ..RetentionQuery::default() });
    let state = answer!(world.call(apply()).await, Retention);
    assert_eq!((state.archive, state.past[0].archived), (0, 1));
    assert_eq!(world.list(SessionView::Archived).await[0].session, "old");
    // Nobody looked at it for another quarter of a year.
    let store = &world.local.engine().parts().store;
    let back = SessionUpdate { archived: Some(false), ..SessionUpdate::default() };
    store.update_sessions(&["old".to_owned()], &back, now).await.unwrap();
    let put = SessionUpdate { archived: Some(true), ..SessionUpdate::default() };
    store.update_sessions(&["old".to_owned()], &put, now - 91 * DAY_MS).await.unwrap();
    let state = answer!(world.call(apply()).await, Retention);
    assert_eq!(state.past[0].trashed, 1);
    assert_eq!(world.counts().await.trash, 1);
    let undo =
        |number| Request::Retention(RetentionQuery { undo: Some(number), ..RetentionQuery::default() });
    let state = answer!(world.call(undo(state.past[0].number)).await, Retention);
    assert!(state.past[0].undone);
    assert_eq!((world.counts().await.trash, world.counts().await.archived), (0, 1));
    assert_eq!(world.refused(undo(state.past[0].number)).await.code, ErrorCode::Conflict);
    assert_eq!(world.refused(undo(999)).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_session_that_cannot_be_removed_keeps_neither_others_nor_what_was_moved_from_being_noted() {
    let world = World::new().await;
    let now = now_ms();
    for (session, days) in [("old", 40), ("gone", 3), ("stuck", 3)] {
        add(&world, session, session, now - days * DAY_MS).await;
    }
    let store = &world.local.engine().parts().store;
    let delete = SessionUpdate { deleted: Some(true), ..SessionUpdate::default() };
    // The one that can't be removed comes first.
    for (session, days) in [("stuck", 6), ("gone", 5)] {
        store.update_sessions(&[session.to_owned()], &delete, now - days * DAY_MS).await.unwrap();
    }
    let folder = world.home().join("sessions/stuck");
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "no folder").unwrap();
    let rules =
        RetentionSettings { archive_done_days: 30, empty_trash_days: 4, ..RetentionSettings::default() };
    let patch = SettingsPatch { retention: Some(rules), ..SettingsPatch::default() };
    world.call(Request::SettingsUpdate(patch)).await;
    let refused =
        world.refused(Request::Retention(RetentionQuery { apply: true, ..RetentionQuery::default() })).await;
    assert_eq!(refused.code, ErrorCode::Storage);
    assert!(refused.message.contains("stuck can't be removed"), "{}", refused.message);
    assert!(refused.message.ends_with("; sessions deleted for good: 1"), "{}", refused.message);
    assert_eq!(store.get_session("gone").await.unwrap(), None);
    assert_eq!(world.list(SessionView::Trash).await[0].session, "stuck");

    let state = answer!(world.call(Request::Retention(RetentionQuery::default())).await, Retention);
    let did: Vec<_> = state.past.iter().map(|run| (run.archived, run.trashed, run.purged)).collect();
    assert_eq!(did, [(0, 0, 1), (1, 0, 0)]);
    let undo = RetentionQuery { undo: Some(state.past[1].number), ..RetentionQuery::default() };
    world.call(Request::Retention(undo)).await;
    assert_eq!(world.counts().await.archived, 0);

    // Emptying the trash by hand says the same, and goes on as well.
    add(&world, "another", "another", now).await;
    store.update_sessions(&["another".to_owned()], &delete, now).await.unwrap();
    let refused = world.refused(Request::SessionPurge { sessions: Vec::new() }).await;
    assert!(refused.message.contains("stuck can't be removed"), "{}", refused.message);
    assert_eq!(store.get_session("another").await.unwrap(), None);
    let cleaned = clean(&world, CleanKind::Trash, false).await;
    assert!(cleaned.count == 0 && cleaned.note.contains("stuck can't be removed"), "{cleaned:?}");
    fs::remove_file(&folder).unwrap();
    assert_eq!(clean(&world, CleanKind::Trash, false).await.count, 1);
}

#[tokio::test]
async fn a_conversation_is_copied_with_its_runs_and_goes_on_by_itself() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    let copy = answer!(
        world.call(Request::SessionDuplicate(SessionCopy { session: session.clone() })).await,
        Branched
    );
    let (original, copied) = (world.session(&session).await, world.session(&copy).await);
    assert_eq!(copied.session.title, format!("{} (copy)", original.session.title));
    assert_eq!(copied.runs.len(), 1);
    assert_ne!(copied.runs[0].run, original.runs[0].run);
    assert_eq!(copied.runs[0].status, domain::RunStatus::Completed);
    assert_eq!(copied.runs[0].session, copy);
    let document = |run: &domain::RunId| Request::RunDocument { run: app::RunRef::Id(run.0.clone()) };
    assert!(answer!(world.call(document(&copied.runs[0].run)).await, Document).is_some());
    let plans = files(&world.home().join("sessions").join(&session).join("plans"));
    assert_eq!(files(&world.home().join("sessions").join(&copy).join("plans")), plans);

    world.patch(&session, SessionPatch { deleted: Some(true), ..SessionPatch::default() }).await;
    world.call(Request::SessionPurge { sessions: vec![session] }).await;
    assert!(answer!(world.call(document(&copied.runs[0].run)).await, Document).is_some(), "it has its own");
    let nowhere = Request::SessionDuplicate(SessionCopy { session: "none".to_owned() });
    assert_eq!(world.refused(nowhere).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn an_earlier_draft_is_offered() {
    let world = World::new().await;
    for text in ["What did the first window have to say?", "Something else stands in the second one"] {
        world.call(Request::DraftSave { key: "new".to_owned(), text: text.to_owned() }).await;
    }
    let earlier =
        answer!(world.call(Request::DraftEarlier(DraftKey { key: "new".to_owned() })).await, Drafts);
    assert_eq!(
        earlier.iter().map(|draft| draft.text.as_str()).collect::<Vec<_>>(),
        ["What did the first window have to say?"]
    );
}

/// What a person does with sessions.
#[derive(Debug, Clone)]
enum Act {
    Create,
    Rename(usize),
    Flag(usize, bool),
    Archive(usize, bool),
    Trash(usize, bool),
    Purge(usize),
    Duplicate(usize),
    EmptyTrash,
    BackUp,
    Reopen,
}

/// A session as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    title: String,
    flagged: bool,
    archived: bool,
    deleted: bool,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let one = any::<prop::sample::Index>().prop_map(|index| index.index(12));
    let act = prop_oneof![
        4 => Just(Act::Create),
        2 => one.clone().prop_map(Act::Rename),
        2 => (one.clone(), any::<bool>()).prop_map(|(at, on)| Act::Flag(at, on)),
        2 => (one.clone(), any::<bool>()).prop_map(|(at, on)| Act::Archive(at, on)),
        3 => (one.clone(), any::<bool>()).prop_map(|(at, on)| Act::Trash(at, on)),
        2 => one.clone().prop_map(Act::Purge),
        2 => one.prop_map(Act::Duplicate),
        1 => Just(Act::EmptyTrash),
        1 => Just(Act::BackUp),
        1 => Just(Act::Reopen),
    ];
    prop::collection::vec(act, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lists_counts_rows_and_files_agree_whatever_is_done_in_whatever_order(acts in acts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(played(acts));
    }
}

async fn played(acts: Vec<Act>) {
    let mut world = World::new().await;
    let mut model: BTreeMap<String, Kept> = BTreeMap::new();
    let mut number = 0;
    for act in acts {
        let chosen = |at: usize| model.keys().nth(at).cloned();
        match act {
            Act::Create => {
                let id = format!("session-{number}");
                number += 1;
                add(&world, &id, &id, now_ms()).await;
                model.insert(id.clone(), Kept { title: id, flagged: false, archived: false, deleted: false });
            }
            Act::Rename(at) => {
                if let Some(id) = chosen(at) {
                    let title = format!("Title {number}");
                    world
                        .patch(&id, SessionPatch { title: Some(title.clone()), ..SessionPatch::default() })
                        .await;
                    model.get_mut(&id).unwrap().title = title;
                }
            }
            Act::Flag(at, on) => {
                if let Some(id) = chosen(at) {
                    world.patch(&id, SessionPatch { flagged: Some(on), ..SessionPatch::default() }).await;
                    model.get_mut(&id).unwrap().flagged = on;
                }
            }
            Act::Archive(at, on) => {
                if let Some(id) = chosen(at) {
                    world.patch(&id, SessionPatch { archived: Some(on), ..SessionPatch::default() }).await;
                    model.get_mut(&id).unwrap().archived = on;
                }
            }
            Act::Trash(at, on) => {
                if let Some(id) = chosen(at) {
                    world.patch(&id, SessionPatch { deleted: Some(on), ..SessionPatch::default() }).await;
                    model.get_mut(&id).unwrap().deleted = on;
                }
            }
            Act::Purge(at) => {
                if let Some(id) = chosen(at) {
                    let purged = world.local.call(Request::SessionPurge { sessions: vec![id.clone()] }).await;
                    assert_eq!(purged.is_ok(), model[&id].deleted);
                    if purged.is_ok() {
                        model.remove(&id);
                    }
                }
            }
            Act::Duplicate(at) => {
                if let Some(id) = chosen(at) {
                    let copy = answer!(
                        world.call(Request::SessionDuplicate(SessionCopy { session: id.clone() })).await,
                        Branched
                    );
                    let title = format!("{} (copy)", model[&id].title);
                    model.insert(copy, Kept { title, flagged: false, archived: false, deleted: false });
                }
            }
            Act::EmptyTrash => {
                let purged =
                    answer!(world.call(Request::SessionPurge { sessions: Vec::new() }).await, Purged);
                let before = model.len();
                model.retain(|_, kept| !kept.deleted);
                assert_eq!(purged as usize, before - model.len());
            }
            Act::BackUp => drop(back_up(&world).await),
            Act::Reopen => world = world.reopened().await,
        }
        agree(&world, &model).await;
    }
    let found = ended(&world, Request::DataCheck(DataCheck { full: true, repair: false })).await;
    assert_eq!(found.warnings, Vec::<String>::new());
}

async fn agree(world: &World, model: &BTreeMap<String, Kept>) {
    let mut rows = Vec::new();
    for view in [SessionView::Inbox, SessionView::Archived, SessionView::Trash] {
        rows.extend(world.list(view).await);
    }
    let listed: BTreeMap<String, Kept> = rows
        .into_iter()
        .map(|row| {
            (
                row.session,
                Kept { title: row.title, flagged: row.flagged, archived: row.archived, deleted: row.deleted },
            )
        })
        .collect();
    assert_eq!(&listed, model);
    let counts = world.counts().await;
    let number = |wanted: &dyn Fn(&Kept) -> bool| model.values().filter(|kept| wanted(kept)).count() as u32;
    assert_eq!(counts.trash, number(&|kept| kept.deleted));
    assert_eq!(counts.archived, number(&|kept| kept.archived && !kept.deleted));
    assert_eq!(counts.inbox, number(&|kept| !kept.archived && !kept.deleted));
    assert_eq!(counts.flagged, number(&|kept| kept.flagged && !kept.archived && !kept.deleted));
    let folders = fs::read_dir(world.home().join("sessions")).into_iter().flatten().flatten();
    let mut folders: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    folders.sort();
    assert_eq!(folders, model.keys().cloned().collect::<Vec<_>>());
    let store = &world.local.engine().parts().store;
    for id in model.keys() {
        let runs = store.runs_of(id).await.unwrap();
        assert_eq!(runs.len(), 1);
        assert_eq!(store.load_events(&runs[0]).await.unwrap().len(), 1);
    }
    assert!(matches!(world.call(Request::SessionCounts).await, Response::SessionCounts(_)));
}
