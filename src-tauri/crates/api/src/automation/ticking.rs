//! Looks at the clock: one timer to the next thing that is due.

use std::time::Duration;

use automation::{Entry, Event, MissedPolicy, Occurrence};
use domain::Problem;
use tokio::sync::broadcast::error::RecvError;
use workspace::places;

use super::firing::Came;
use crate::corpus::now_ms;
use crate::local::Local;
use crate::workspaces::Part;

/// The longest sleep. Timers stand still while the machine sleeps, and clocks are put forward.
const LONGEST: i64 = 60_000;
/// So late a time still counts as kept: the timer was a little late, the machine was busy.
const GRACE: i64 = 90_000;
/// A clock that was put back by more than this is believed: times that come again come again.
const PUT_BACK: i64 = 5 * 60_000;
/// How long to wait after a failure of the database.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Fires schedules when they are due, and requests whose next attempt is.
pub(super) async fn tick(local: Local) {
    let mut changes = local.desk.live.changes();
    loop {
        let next = match local.due(now_ms()).await {
            Ok(next) => next,
            Err(problem) => {
                tracing::warn!("schedules can't be looked at: {}", problem.message);
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
        };
        let sleep = async {
            match next {
                Some(next) => {
                    let wait = next.saturating_sub(now_ms()).clamp(0, LONGEST);
                    // A whole clock tick later: at the time itself, never before it.
                    tokio::time::sleep(Duration::from_millis(wait.unsigned_abs().saturating_add(1))).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep => {}
            () = local.chat.hooks().nudge.notified() => {}
            () = changed(&mut changes) => local.stream.tell(&[crate::wire::Tag::Automations]),
        }
    }
}

/// Returns when a file of automations has changed.
async fn changed(changes: &mut tokio::sync::broadcast::Receiver<crate::workspaces::FileChange>) {
    loop {
        match changes.recv().await {
            Ok(change) if change.part == Part::Automations => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

impl Local {
    /// Fires what is due, and gives when the next thing is: in milliseconds since 1970, nothing where nothing will be.
    async fn due(&self, now: i64) -> Result<Option<i64>, Problem> {
        let hooks = self.chat.hooks();
        let looked = self.store().automation_clock().await?;
        let last = looked.unwrap_or(now);
        let last = if last > now.saturating_add(PUT_BACK) { now } else { last };
        let mut next: Option<i64> = None;
        let mut soonest = |at: i64| next = Some(next.map_or(at, |known| known.min(at)));
        let mut fires: Vec<(Local, Entry, Occurrence)> = Vec::new();
        let mut schedules = false;
        for place in places(&self.home) {
            let known = hooks.known(&place.slug).await?;
            if known.enabled.is_empty() {
                continue;
            }
            let here = self.of(&place.slug);
            let since = self.store().enabled_automations(&place.slug).await?;
            for entry in known.file.entries() {
                let Some(schedule) = &entry.schedule else { continue };
                let Some(enabled) = since.iter().find(|row| row.id == entry.id) else { continue };
                if !entry.is_sound() || !entry.on || enabled.digest != entry.digest.to_string() {
                    continue;
                }
                schedules = true;
                if let Ok(at) = schedule.next(now.max(last)) {
                    soonest(at);
                }
                let Some(missed) = schedule.missed(last.max(enabled.at), now) else { continue };
                let mut happened = Occurrence::new(Event::Tick, now).with("workspaceId", place.slug.as_str());
                happened.facts.insert("due".to_owned(), missed.last.into());
                happened.facts.insert("missed".to_owned(), (missed.count - 1).into());
                let in_time = now - missed.last <= GRACE;
                if in_time || entry.missed == MissedPolicy::Once {
                    fires.push((here.clone(), entry.clone(), happened));
                } else {
                    let times = if missed.count == 1 {
                        "1 time".to_owned()
                    } else {
                        format!("{} times", missed.count)
                    };
                    let detail = format!("{times} came while the program was not open");
                    here.note(entry, &happened, now, Came::of("missed", detail)).await;
                }
            }
        }
        if schedules {
            // Written before anything fires: after a crash a time is rather left out than kept twice.
            self.store().set_automation_clock(now.max(last)).await?;
        }
        for (here, entry, happened) in fires {
            tokio::spawn(async move { here.fire_one(&entry, &happened).await });
        }
        if let Some(at) = self.retry_webhooks(now).await? {
            soonest(at);
        }
        Ok(next)
    }

    /// Fires one schedule, if its conditions hold and the limits allow it.
    async fn fire_one(&self, entry: &Entry, happened: &Occurrence) {
        let hooks = self.chat.hooks();
        let Ok(known) = hooks.known(self.slug()).await else { return };
        let verdict = {
            let mut rate = super::lock(&hooks.rate);
            let verdict = entry.decide(happened, automation::State { enabled: &known.enabled, rate: &rate });
            if verdict == automation::Verdict::Fire {
                rate.note(happened.event, happened.at);
            }
            verdict
        };
        match verdict {
            automation::Verdict::Fire => drop(self.fire(entry, happened).await),
            automation::Verdict::VetoesOnly(why) | automation::Verdict::Refused(why) => {
                self.note(entry, happened, happened.at, Came::of("refused", why.words())).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use automation::MissedPolicy;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;
    use crate::local::Options;
    use crate::wire::{AutomationEnable, AutomationSave};

    const MINUTE: i64 = 60_000;

    struct World {
        local: Local,
        _folder: TempDir,
    }

    impl World {
        /// With an enabled schedule that comes every ten minutes.
        async fn new(missed: MissedPolicy) -> Self {
            let folder = TempDir::new().unwrap();
            let options = Options {
                home: folder.path().to_owned(),
                program: std::env::current_exe().unwrap(),
                providers: BTreeMap::new(),
                hosts: None,
            };
            let local = Local::open(options).await.unwrap().of("default");
            let entry = json!({"id": "ten", "cron": "*/10 * * * *", "missed": missed,
                "actions": [{"type": "webhook", "url": "http://127.0.0.1:9/"}]});
            let save = AutomationSave { id: None, event: Event::Tick, entry };
            let view = local.automation_save(save).await.unwrap();
            let enable = AutomationEnable { id: "ten".to_owned(), on: true, digest: view.digest };
            local.automation_enable(enable).await.unwrap();
            Self { local, _folder: folder }
        }

        async fn outcomes(&self) -> Vec<String> {
            let history = self.local.store().automation_history("default", "ten", 20).await.unwrap();
            history.into_iter().map(|fired| fired.outcome).collect()
        }
    }

    #[tokio::test]
    async fn the_timer_is_set_to_the_next_time_and_nothing_fires_before_it() {
        let world = World::new(MissedPolicy::Skip).await;
        let now = (now_ms() / (10 * MINUTE) + 1) * 10 * MINUTE + MINUTE;
        world.local.store().set_automation_clock(now).await.unwrap();
        assert_eq!(world.local.due(now + 1).await.unwrap(), Some(now + 9 * MINUTE));
        assert_eq!(world.outcomes().await, Vec::<String>::new());
        assert_eq!(world.local.store().automation_clock().await.unwrap(), Some(now + 1));
    }

    #[tokio::test]
    async fn times_that_came_while_the_program_was_closed_are_left_out_and_said_to_be() {
        let world = World::new(MissedPolicy::Skip).await;
        let now = (now_ms() / (10 * MINUTE) + 20) * 10 * MINUTE + 5 * MINUTE;
        world.local.store().set_automation_clock(now - 31 * MINUTE).await.unwrap();
        world.local.due(now).await.unwrap();
        assert_eq!(world.outcomes().await, ["missed"]);
        // Looked at again they are not missed again.
        world.local.due(now + 1).await.unwrap();
        assert_eq!(world.outcomes().await, ["missed"]);
    }

    #[tokio::test]
    async fn a_clock_that_was_put_back_far_is_believed() {
        let world = World::new(MissedPolicy::Skip).await;
        let now = (now_ms() / (10 * MINUTE) + 1) * 10 * MINUTE + MINUTE;
        world.local.store().set_automation_clock(now + 600 * MINUTE).await.unwrap();
        assert_eq!(world.local.due(now).await.unwrap(), Some(now + 9 * MINUTE));
        assert_eq!(world.local.store().automation_clock().await.unwrap(), Some(now));
    }
}
