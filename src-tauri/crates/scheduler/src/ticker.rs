//! Looks at the clock: one timer to the next thing that is due.

use std::time::Duration;

use automation::{Entry, Event, MissedPolicy, Occurrence};
use config::Part;
use domain::Problem;
use tokio::sync::broadcast::error::RecvError;
use workspace::workspace_entries;

use crate::Scheduler;
use crate::executor::ActionResult;

/// The longest sleep. Timers stand still while the machine sleeps, and clocks are put forward.
const MAX_SLEEP_MS: i64 = 60_000;
/// So late a time still counts as kept: the timer was a little late, the machine was busy.
const GRACE: i64 = 90_000;
/// A clock that was put back by more than this is believed: times that come again come again.
const PUT_BACK: i64 = 5 * 60_000;
/// How long to wait after a failure of the database.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Fires schedules when they are due, and requests whose next attempt is.
pub async fn run_scheduler(local: Scheduler) {
    let mut changes = local.env.config.changes();
    loop {
        let next = match local.due(local.permissions.gate().automations().clock.now()).await {
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
                    let now = local.permissions.gate().automations().clock.now();
                    let wait = next.saturating_sub(now).clamp(0, MAX_SLEEP_MS);
                    // A whole clock tick later: at the time itself, never before it.
                    tokio::time::sleep(Duration::from_millis(wait.unsigned_abs().saturating_add(1))).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep => {}
            () = local.permissions.gate().automations().nudge.notified() => {}
            () = changed(&mut changes) => local.env.stream.tell(&[protocol::Tag::Automations]),
        }
    }
}

/// Returns when a file of automations has changed.
async fn changed(changes: &mut tokio::sync::broadcast::Receiver<config::FileChange>) {
    loop {
        match changes.recv().await {
            Ok(change) if change.part == Part::Automations => return,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// Whether a time was written by a clock that has been put back since.
fn is_ahead(at: i64, now: i64) -> bool {
    at > now.saturating_add(PUT_BACK)
}

impl Scheduler {
    /// Fires what is due, and gives when the next thing is: in milliseconds since 1970, nothing where nothing will be.
    pub async fn due(&self, now: i64) -> Result<Option<i64>, Problem> {
        let automations = self.permissions.gate().automations();
        let looked = self.env.store().automation_clock().await?;
        let last = looked.unwrap_or(now);
        let last = if is_ahead(last, now) { now } else { last };
        let mut next: Option<i64> = None;
        let mut soonest = |at: i64| next = Some(next.map_or(at, |known| known.min(at)));
        let mut fires: Vec<(Scheduler, Entry, Occurrence)> = Vec::new();
        let mut schedules = false;
        for place in workspace_entries(&self.env.home) {
            let known = automations.known(&place.slug).await?;
            if known.enabled.is_empty() {
                continue;
            }
            let here = self.in_workspace(&place.slug);
            let rows = self.env.store().enabled_automations(&place.slug).await?;
            for entry in known.file.entries() {
                let Some(schedule) = &entry.schedule else { continue };
                let Some(enabled) = rows.iter().find(|row| row.id == entry.id) else { continue };
                if !entry.is_sound() || !entry.on || enabled.digest != entry.digest.to_string() {
                    continue;
                }
                schedules = true;
                if let Ok(at) = schedule.next(now.max(last)) {
                    soonest(at);
                }
                // One that was enabled while the clock was far ahead does not wait for that time.
                let since = if is_ahead(enabled.at, now) { last } else { last.max(enabled.at) };
                let Some(missed) = schedule.missed(since, now) else { continue };
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
                    here.note(entry, &happened, now, ActionResult::new("missed", detail)).await;
                }
            }
        }
        if schedules {
            // Written before anything fires: after a crash a time is rather left out than kept twice.
            self.env.store().set_automation_clock(now.max(last)).await?;
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
        let automations = self.permissions.gate().automations();
        let Ok(known) = automations.known(self.env.slug()).await else { return };
        let verdict = {
            let mut rates = automations.rate.lock();
            let rate = rates.entry(self.env.slug().to_owned()).or_default();
            let verdict = entry.decide(happened, automation::State { enabled: &known.enabled, rate });
            if verdict == automation::Verdict::Fire {
                rate.note(happened.event, happened.at);
            }
            verdict
        };
        match verdict {
            automation::Verdict::Fire => drop(self.fire(entry, happened).await),
            automation::Verdict::VetoesOnly(why) | automation::Verdict::Refused(why) => {
                self.note(entry, happened, happened.at, ActionResult::new("refused", why.words())).await;
            }
        }
    }
}
