//! Schedules and the queue of requests by a clock that the tests set: nothing here waits.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use automation::{Event, MissedPolicy, Occurrence};
use gate::Automations;
use pretty_assertions::assert_eq;
use protocol::{AutomationFire, AutomationSave};
use serde_json::{Value, json};
use store::{AutomationEffect, Enabled};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::local::{Local, Options};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
/// 2033-05-18T03:30:00Z, later than any machine's clock that runs this.
const NOW: i64 = 2_000_000_000_000 - 200 * SECOND;
/// A status that is none: the server takes the request and never answers.
const SILENCE: u16 = 0;

/// A server that answers with these status codes, the last one from then on, and counts what it is asked.
#[derive(Clone)]
struct Server {
    url: String,
    asked: Arc<AtomicUsize>,
}

impl Server {
    async fn new(codes: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        tokio::spawn(async move {
            let mut silent = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                read_request(&mut stream).await;
                let number = count.fetch_add(1, Ordering::SeqCst);
                match codes[number.min(codes.len() - 1)] {
                    SILENCE => silent.push(stream),
                    code => {
                        let answer =
                            format!("HTTP/1.1 {code} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                        let _ = stream.write_all(answer.as_bytes()).await;
                    }
                }
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// A request without a body.
    fn action(&self) -> Value {
        json!([{"type": "webhook", "url": self.url, "method": "GET"}])
    }
}

async fn read_request(stream: &mut TcpStream) {
    let (mut text, mut piece) = (Vec::new(), [0; 4_096]);
    while !text.ends_with(b"\r\n\r\n") {
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => text.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
}

struct World {
    local: Local,
    folder: TempDir,
}

impl World {
    async fn over(folder: TempDir) -> Self {
        let options = Options {
            home: folder.path().to_owned(),
            program: std::env::current_exe().unwrap(),
            providers: BTreeMap::new(),
            hosts: None,
        };
        let local = Local::open(options).await.unwrap().in_workspace("default");
        local.permissions.gate().automations().clock.set(NOW);
        Self { local, folder }
    }

    /// With these automations, enabled an hour ago.
    async fn new(event: Event, entries: impl IntoIterator<Item = Value>) -> Self {
        let world = Self::over(TempDir::new().unwrap()).await;
        for entry in entries {
            let save = AutomationSave { id: None, event, entry };
            let view = world.local.scheduler.automation_save(save).await.unwrap();
            world.enable(&view.row.id, &view.digest, NOW - HOUR).await;
        }
        world
    }

    /// With a schedule that comes every ten minutes.
    async fn every_ten(missed: MissedPolicy, server: &Server) -> Self {
        let entry = json!({"id": "ten", "cron": "*/10 * * * *", "timezone": "UTC", "missed": missed, "actions": server.action()});
        Self::new(Event::Tick, [entry]).await
    }

    /// The same data directory in what stands for a new process.
    async fn reopened(self) -> Self {
        self.local.close().await.unwrap();
        let Self { local, folder } = self;
        drop(local);
        Self::over(folder).await
    }

    /// A new process over what lies on the disk now, as if this one had been killed.
    async fn killed(&self) -> Self {
        let folder = TempDir::new().unwrap();
        copy(self.folder.path(), folder.path());
        Self::over(folder).await
    }

    fn automations(&self) -> &Automations {
        self.local.permissions.gate().automations()
    }

    async fn enable(&self, id: &str, digest: &str, at: i64) {
        let enabled = Enabled { id: id.to_owned(), digest: digest.to_owned(), at };
        self.local.env.store().enable_automation("default", &enabled).await.unwrap();
        self.automations().look_again();
    }

    /// Fires one by hand.
    async fn fire(&self, id: &str) -> String {
        let fire = AutomationFire { id: id.to_owned(), dry: false, digest: String::new(), session: None };
        self.local.scheduler.automation_fire(fire).await.unwrap().remove(0).outcome
    }

    /// Looks at what is due when the clock says so; gives when to look again.
    async fn at(&self, now: i64) -> Option<i64> {
        self.automations().clock.set(now);
        self.local.scheduler.due(now).await.unwrap()
    }

    async fn history(&self) -> Vec<AutomationEffect> {
        let mut history = self.local.env.store().automation_history("default", "", 1_000).await.unwrap();
        history.reverse();
        history
    }

    /// What was done, the oldest first, once there are so many of them.
    async fn outcomes(&self, count: usize) -> Vec<String> {
        let mut events = self.local.events();
        loop {
            let history = self.history().await;
            if history.len() >= count {
                return history.into_iter().map(|fired| fired.outcome).collect();
            }
            events.recv().await.unwrap();
        }
    }

    /// When requests of the queue are due.
    async fn queue(&self) -> Vec<i64> {
        let waiting = self.local.env.store().webhook_retries().await.unwrap();
        waiting.into_iter().map(|retry| retry.due).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (entry, to) = {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            (entry.path(), to)
        };
        match entry.is_dir() {
            true => copy(&entry, &to),
            false => drop(std::fs::copy(&entry, &to)),
        }
    }
}

fn flagged(at: i64) -> Occurrence {
    Occurrence::new(Event::FlagChanged, at).on("true")
}

fn hook(server: &Server) -> Value {
    json!({"id": "hook", "actions": server.action()})
}

#[tokio::test]
async fn the_timer_is_set_to_the_next_time_and_nothing_fires_before_it() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Skip, &server).await;
    world.at(NOW + MINUTE).await;
    assert_eq!(world.at(NOW + MINUTE + 1).await, Some(NOW + 10 * MINUTE));
    assert_eq!(world.local.env.store().automation_clock().await.unwrap(), Some(NOW + MINUTE + 1));
    assert_eq!(world.at(NOW + 10 * MINUTE).await, Some(NOW + 20 * MINUTE));
    assert_eq!((world.outcomes(1).await, server.asked()), (vec!["done".to_owned()], 1));
}

#[tokio::test]
async fn times_that_came_while_the_program_was_closed_are_left_out_and_said_to_be() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Skip, &server).await;
    world.at(NOW + MINUTE).await;
    world.at(NOW + 35 * MINUTE).await;
    let history = world.history().await;
    assert_eq!(history.len(), 1);
    assert_eq!(
        (history[0].outcome.as_str(), history[0].detail.as_str()),
        ("missed", "3 times came while the program was not open")
    );
    // Looked at again they are not missed again, and the next time is kept.
    world.at(NOW + 35 * MINUTE + 1).await;
    world.at(NOW + 40 * MINUTE).await;
    assert_eq!((world.outcomes(2).await, server.asked()), (vec!["missed".to_owned(), "done".to_owned()], 1));
}

#[tokio::test]
async fn a_program_that_slept_through_several_times_fires_once_for_all_of_them() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Once, &server).await;
    world.at(NOW + MINUTE).await;
    let world = world.reopened().await;
    assert_eq!(world.at(NOW + 35 * MINUTE).await, Some(NOW + 40 * MINUTE));
    assert_eq!(world.outcomes(1).await, ["done"]);
    world.at(NOW + 35 * MINUTE + 1).await;
    world.at(NOW + 40 * MINUTE).await;
    assert_eq!((world.outcomes(2).await.len(), server.asked()), (2, 2));
}

#[tokio::test]
async fn a_time_that_comes_right_after_long_sleep_is_kept_whatever_was_missed_before() {
    let server = Server::new(&[200]).await;
    let entry = json!({"id": "each", "cron": "* * * * *", "actions": server.action()});
    let world = World::new(Event::Tick, [entry]).await;
    world.at(NOW).await;
    // More minutes than are counted.
    world.at(NOW + 8 * 24 * HOUR).await;
    assert_eq!((world.outcomes(1).await, server.asked()), (vec!["done".to_owned()], 1));
}

#[tokio::test]
async fn a_clock_that_was_put_back_a_little_fires_nothing_twice() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Once, &server).await;
    world.at(NOW - MINUTE).await;
    world.at(NOW).await;
    assert_eq!(world.outcomes(1).await, ["done"]);
    assert_eq!(world.at(NOW - 2 * MINUTE).await, Some(NOW + 10 * MINUTE));
    world.at(NOW).await;
    world.at(NOW + 10 * MINUTE).await;
    assert_eq!((world.outcomes(2).await.len(), server.asked()), (2, 2));
}

#[tokio::test]
async fn a_clock_that_was_put_back_far_is_believed() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Skip, &server).await;
    world.at(NOW + 10 * HOUR).await;
    assert_eq!(world.at(NOW + MINUTE).await, Some(NOW + 10 * MINUTE));
    assert_eq!(world.local.env.store().automation_clock().await.unwrap(), Some(NOW + MINUTE));
    world.at(NOW + 10 * MINUTE).await;
    assert_eq!((world.outcomes(1).await, server.asked()), (vec!["done".to_owned()], 1));
}

#[tokio::test]
async fn what_was_enabled_while_the_clock_was_ahead_does_not_wait_for_that_time() {
    let server = Server::new(&[200]).await;
    let world = World::every_ten(MissedPolicy::Skip, &server).await;
    let digest = world.automations().known("default").await.unwrap().enabled["ten"].clone();
    world.enable("ten", &digest, NOW + 365 * 24 * HOUR).await;
    world.at(NOW + MINUTE).await;
    world.at(NOW + 10 * MINUTE).await;
    assert_eq!((world.outcomes(1).await, server.asked()), (vec!["done".to_owned()], 1));
}

#[tokio::test]
async fn of_one_event_ten_a_minute_fire_and_what_is_refused_is_said() {
    let server = Server::new(&[200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    for second in 0..12 {
        world.local.scheduler.fire_all(&flagged(NOW + second * SECOND)).await;
    }
    let history = world.history().await;
    assert_eq!(server.asked(), 10);
    assert_eq!(history[9].outcome, "done");
    assert_eq!(history[10].detail, "true: this event fired too often within a minute");
    world.local.scheduler.fire_all(&flagged(NOW + 61 * SECOND)).await;
    assert_eq!(server.asked(), 11);
}

#[tokio::test]
async fn one_workspace_takes_nothing_of_another_ones_limit() {
    let server = Server::new(&[200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    let lab = world.local.in_workspace("lab");
    std::fs::create_dir_all(world.folder.path().join("workspaces/lab")).unwrap();
    let save = AutomationSave { id: None, event: Event::FlagChanged, entry: hook(&server) };
    let view = lab.scheduler.automation_save(save).await.unwrap();
    let enabled = Enabled { id: view.row.id, digest: view.digest, at: NOW };
    lab.env.store().enable_automation("lab", &enabled).await.unwrap();
    world.automations().look_again();
    for second in 0..12 {
        world.local.scheduler.fire_all(&flagged(NOW + second * SECOND)).await;
    }
    lab.scheduler.fire_all(&flagged(NOW + 12 * SECOND)).await;
    assert_eq!(server.asked(), 11);
}

#[tokio::test]
async fn sixty_schedules_fire_in_a_minute_and_no_more() {
    let server = Server::new(&[200]).await;
    let entry =
        |at: usize| json!({"id": format!("at-{at}"), "cron": "* * * * *", "actions": server.action()});
    let world = World::new(Event::Tick, (0..63).map(entry)).await;
    world.at(NOW).await;
    world.at(NOW + MINUTE).await;
    let mut outcomes = world.outcomes(63).await;
    outcomes.sort_unstable();
    let refused = outcomes.iter().filter(|outcome| *outcome == "refused").count();
    assert_eq!((server.asked(), refused), (60, 3));
}

#[tokio::test]
async fn a_request_waits_5_then_30_then_60_minutes_and_is_then_given_up() {
    let server = Server::new(&[503]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    assert_eq!(world.fire("hook").await, "waiting");
    assert_eq!(server.asked(), 4, "at once, and after 1, 2 and 4 seconds");
    let mut last = NOW + 7 * SECOND;
    for (number, minutes) in [5, 30, 60].into_iter().enumerate() {
        let due = last + minutes * MINUTE;
        assert_eq!(world.queue().await, [due]);
        assert_eq!(world.at(due - 1).await, Some(due), "not before its time");
        world.at(due).await;
        world.outcomes(number + 2).await;
        assert_eq!(server.asked(), 5 + number);
        last = due;
    }
    let history = world.history().await;
    let details: Vec<&str> = history.iter().map(|fired| fired.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            "127.0.0.1 answered 503; it is tried again in 5 minutes",
            "127.0.0.1 answered 503; it is tried again in 30 minutes",
            "127.0.0.1 answered 503; it is tried again in 60 minutes",
            "127.0.0.1 answered 503; it is not tried again",
        ]
    );
    assert_eq!(history[3].outcome, "failed");
    assert_eq!(world.queue().await, [0; 0]);
}

#[tokio::test]
async fn a_request_that_waits_outlives_the_program() {
    let server = Server::new(&[503, 503, 503, 503, 200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    assert_eq!(world.fire("hook").await, "waiting");
    let due = world.queue().await[0];
    let world = world.reopened().await;
    assert_eq!(world.at(due - 1).await, Some(due));
    world.at(due).await;
    assert_eq!(world.outcomes(2).await, ["waiting", "done"]);
    assert_eq!((server.asked(), world.queue().await.len()), (5, 0));
}

#[tokio::test]
async fn a_program_that_ends_during_an_attempt_tries_it_again() {
    let server = Server::new(&[503, 503, 503, 503, SILENCE, 200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    assert_eq!(world.fire("hook").await, "waiting");
    let due = world.queue().await[0];
    world.at(due).await;
    while server.asked() < 5 {
        tokio::task::yield_now().await;
    }
    // Looked at again meanwhile it is not sent twice.
    world.at(due + SECOND).await;
    let world = world.killed().await;
    world.at(due + MINUTE).await;
    assert_eq!(world.outcomes(2).await, ["waiting", "done"]);
    assert_eq!(server.asked(), 6);
}

#[tokio::test]
async fn a_program_that_ends_during_the_first_attempts_tries_it_again() {
    let server = Server::new(&[SILENCE, 200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    let here = world.local.clone();
    let fired = tokio::spawn(async move { here.scheduler.fire_all(&flagged(NOW)).await });
    while server.asked() < 1 {
        tokio::task::yield_now().await;
    }
    let due = NOW + 5 * MINUTE;
    assert_eq!(world.queue().await, [due]);
    // Looked at meanwhile, before its time and at it, it is not sent twice.
    assert_eq!(world.at(due - MINUTE).await, None);
    world.at(due).await;
    let killed = world.killed().await;
    killed.at(due).await;
    assert_eq!(killed.outcomes(1).await, ["done"]);
    assert_eq!((server.asked(), killed.queue().await.len()), (2, 0));

    // Without an end of its own it is tried again here, too.
    fired.abort();
    let _ = fired.await;
    world.at(due).await;
    assert_eq!(world.outcomes(1).await, ["done"]);
    assert_eq!((server.asked(), world.queue().await.len()), (3, 0));
    assert!(world.automations().trying.lock().is_empty());
}

#[tokio::test]
async fn only_what_may_go_better_is_tried_again() {
    for (codes, asked, waits) in [
        (&[400], 1, 0),
        (&[401], 1, 0),
        (&[404], 1, 0),
        (&[410], 1, 0),
        (&[422], 1, 0),
        (&[301], 1, 0),
        (&[408], 4, 1),
        (&[429], 4, 1),
        (&[500], 4, 1),
        (&[503], 4, 1),
    ] {
        let server = Server::new(codes).await;
        let world = World::new(Event::FlagChanged, [hook(&server)]).await;
        let outcome = world.fire("hook").await;
        assert_eq!(outcome, if waits == 0 { "failed" } else { "waiting" }, "{codes:?}");
        assert_eq!((server.asked(), world.queue().await.len()), (asked, waits), "{codes:?}");
    }
}

#[tokio::test]
async fn what_was_changed_or_disabled_meanwhile_is_not_sent() {
    let server = Server::new(&[503, 503, 503, 503, 200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    assert_eq!(world.fire("hook").await, "waiting");
    let due = world.queue().await[0];
    let entry = json!({"id": "hook", "name": "Another", "actions": server.action()});
    let save = AutomationSave { id: Some("hook".to_owned()), event: Event::FlagChanged, entry };
    let view = world.local.scheduler.automation_save(save).await.unwrap();
    world.at(due).await;
    assert_eq!(world.outcomes(2).await, ["waiting", "failed"]);
    assert!(world.history().await[1].detail.contains("changed or disabled meanwhile"));
    assert_eq!((server.asked(), world.queue().await.len()), (4, 0));

    let server = Server::new(&[503]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    assert_eq!(world.fire("hook").await, "waiting");
    world.local.env.store().disable_automation("default", "hook").await.unwrap();
    assert_eq!(world.queue().await.len(), 0, "{}", view.row.id);
}

#[tokio::test]
async fn a_request_that_was_kept_by_a_clock_far_ahead_is_not_kept_for_years() {
    let server = Server::new(&[503, 503, 503, 503, 200]).await;
    let world = World::new(Event::FlagChanged, [hook(&server)]).await;
    world.automations().clock.set(NOW + 10 * 365 * 24 * HOUR);
    assert_eq!(world.fire("hook").await, "waiting");
    world.at(NOW).await;
    assert_eq!(world.outcomes(2).await, ["waiting", "done"]);
    assert!(world.automations().trying.lock().is_empty());
}
