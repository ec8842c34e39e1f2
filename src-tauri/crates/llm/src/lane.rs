//! The lane of a connection: how many of its calls are under way at once, in which order the others begin, and until when
//! all of them wait because the provider asked for it.

use std::sync::Arc;
use std::time::Duration;

use domain::connection::MAX_PARALLEL_CALLS;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::{Fault, ProviderError, Retry};

/// The longest wait that is sat out, and the longest hold of a lane. Where a provider asks for more, the call fails, and a
/// person decides.
pub const MAX_HOLD: Duration = Duration::from_secs(120);
/// The first hold after a refusal that names no wait; it doubles with each refusal in a row.
const FIRST_HOLD: Duration = Duration::from_secs(1);
/// The longest hold after a refusal that names no wait.
const MAX_UNNAMED_HOLD: Duration = Duration::from_secs(30);

/// The calls of one connection: at most so many at once, first come first served.
#[derive(Debug)]
pub struct Lane {
    places: Arc<Semaphore>,
    state: Mutex<LaneState>,
}

#[derive(Debug)]
struct LaneState {
    limit: usize,
    /// Places that are taken and go when they are left: the limit was lowered meanwhile.
    surplus: usize,
    held_until: Option<Instant>,
    /// Refusals in a row that named no wait.
    refusals: u32,
}

/// Why a call waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneWait {
    /// As many calls as the connection allows are under way.
    Full {
        /// How many those are.
        limit: usize,
    },
    /// The provider asked for a pause in another call.
    Held {
        /// For how long still.
        left: Duration,
    },
}

/// A place in a lane; dropping it leaves it.
#[derive(Debug)]
pub struct LaneSlot {
    lane: Arc<Lane>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Lane {
    /// A lane for so many calls at once; at least one.
    pub fn new(limit: u32) -> Arc<Self> {
        let limit = bounded(limit);
        Arc::new(Self {
            places: Arc::new(Semaphore::new(limit)),
            state: Mutex::new(LaneState { limit, surplus: 0, held_until: None, refusals: 0 }),
        })
    }

    /// Changes how many calls are under way at once. Calls under way go on.
    pub fn resize(&self, limit: u32) {
        let limit = bounded(limit);
        let mut state = self.state.lock();
        if limit > state.limit {
            let more = limit - state.limit;
            let kept = more.min(state.surplus);
            state.surplus -= kept;
            self.places.add_permits(more - kept);
        } else {
            let fewer = state.limit - limit;
            state.surplus += fewer - self.places.forget_permits(fewer);
        }
        state.limit = limit;
    }

    /// Waits for a place. Dropping the future leaves the queue. `on_wait` is told each time that the call has to wait for
    /// something else.
    pub async fn enter(self: &Arc<Self>, mut on_wait: impl FnMut(LaneWait)) -> LaneSlot {
        let permit = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => {
                let limit = self.state.lock().limit;
                on_wait(LaneWait::Full { limit });
                // The semaphore is never closed.
                Arc::clone(&self.places).acquire_owned().await.ok()
            }
        };
        let place = LaneSlot { lane: Arc::clone(self), permit };
        // A hold can grow while it is sat out.
        while let Some(until) = self.held_until() {
            on_wait(LaneWait::Held { left: until.saturating_duration_since(Instant::now()) });
            tokio::time::sleep_until(until).await;
        }
        place
    }

    /// Tells that a call failed: a refusal for too many requests, or for too much work, holds the lane.
    pub fn failed(&self, error: &ProviderError) {
        if !matches!(error.fault, Fault::RateLimit { .. } | Fault::Overloaded { .. }) {
            return;
        }
        let Retry::After(named) = error.retry() else { return };
        let mut state = self.state.lock();
        let hold = match named {
            Some(named) if named > MAX_HOLD => return,
            Some(named) => named,
            None => {
                let hold = FIRST_HOLD.saturating_mul(1 << state.refusals.min(16)).min(MAX_UNNAMED_HOLD);
                state.refusals = state.refusals.saturating_add(1);
                hold
            }
        };
        let until = Instant::now() + hold;
        state.held_until = Some(state.held_until.map_or(until, |earlier| earlier.max(until)));
    }

    /// Tells that a call was answered.
    pub fn answered(&self) {
        self.state.lock().refusals = 0;
    }

    fn held_until(&self) -> Option<Instant> {
        let mut state = self.state.lock();
        state.held_until = state.held_until.filter(|until| *until > Instant::now());
        state.held_until
    }
}

impl Drop for LaneSlot {
    fn drop(&mut self) {
        let mut state = self.lane.state.lock();
        if state.surplus > 0 {
            state.surplus -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
    }
}

fn bounded(limit: u32) -> usize {
    limit.clamp(1, MAX_PARALLEL_CALLS) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use pretty_assertions::assert_eq;

    use super::*;

    fn refusal(retry_after_ms: Option<u64>) -> ProviderError {
        ProviderError::new("p", Fault::RateLimit { retry_after_ms }, "slow down")
    }

    async fn idle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_calls_than_the_limit_are_under_way_and_they_begin_in_their_order() {
        let lane = Lane::new(2);
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let begun = Arc::new(Mutex::new(Vec::new()));
        let mut calls = tokio::task::JoinSet::new();
        for call in 0..20_u32 {
            let (lane, now, most, begun) = (lane.clone(), now.clone(), most.clone(), begun.clone());
            calls.spawn(async move {
                let _place = lane.enter(|_| {}).await;
                begun.lock().push(call);
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(u64::from(call % 3) + 1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
            });
        }
        calls.join_all().await;
        assert_eq!(most.load(Ordering::SeqCst), 2);
        assert_eq!(*begun.lock(), (0..20).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_a_provider_asks_for_holds_every_next_call() {
        let lane = Lane::new(4);
        let began = Instant::now();
        lane.failed(&refusal(Some(5_000)));
        lane.failed(&refusal(Some(2_000)));
        let mut waits = Vec::new();
        let first = lane.enter(|wait| waits.push(wait)).await;
        let second = lane.enter(|_| {}).await;
        assert_eq!(began.elapsed(), Duration::from_secs(5), "the longer wait counts, and both wait for it");
        assert_eq!(waits, [LaneWait::Held { left: Duration::from_secs(5) }]);
        drop((first, second));
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_without_a_wait_hold_for_longer_each_time_until_a_call_is_answered() {
        let lane = Lane::new(1);
        let mut seconds = Vec::new();
        for refused in 0..8 {
            if refused == 7 {
                lane.answered();
            }
            lane.failed(&refusal(None));
            let began = Instant::now();
            drop(lane.enter(|_| {}).await);
            seconds.push(began.elapsed().as_secs());
        }
        assert_eq!(seconds, [1, 2, 4, 8, 16, 30, 30, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn neither_too_long_a_wait_nor_another_failure_holds_the_lane() {
        let lane = Lane::new(1);
        let began = Instant::now();
        lane.failed(&refusal(Some(MAX_HOLD.as_millis() as u64 + 1)));
        lane.failed(&ProviderError::new("p", Fault::Network, "no route"));
        lane.failed(&refusal(Some(1_000)).with_detail(crate::Detail::SpendLimit));
        drop(lane.enter(|_| {}).await);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_leaves_the_queue() {
        let lane = Lane::new(1);
        let place = lane.enter(|_| {}).await;
        let waiting = |lane: &Arc<Lane>| {
            let lane = lane.clone();
            tokio::spawn(async move { drop(lane.enter(|_| {}).await) })
        };
        let (given_up, patient) = (waiting(&lane), waiting(&lane));
        idle().await;
        given_up.abort();
        assert!(given_up.await.unwrap_err().is_cancelled());
        assert!(!patient.is_finished());
        drop(place);
        patient.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_that_is_changed_holds_for_the_calls_that_wait() {
        let lane = Lane::new(2);
        let (first, second) = (lane.enter(|_| {}).await, lane.enter(|_| {}).await);
        lane.resize(1);
        drop(first);
        let mut waits = Vec::new();
        {
            let third = lane.enter(|wait| waits.push(wait));
            tokio::pin!(third);
            assert!(futures_util::poll!(&mut third).is_pending(), "one call is still under way");
            drop(second);
            drop(third.await);
        }
        assert_eq!(waits, [LaneWait::Full { limit: 1 }]);
        lane.resize(3);
        let places = [lane.enter(|_| {}).await, lane.enter(|_| {}).await, lane.enter(|_| {}).await];
        assert_eq!(lane.places.available_permits(), 0);
        drop(places);
        assert_eq!(lane.places.available_permits(), 3);
    }
}
