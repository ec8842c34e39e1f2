//! Room for connections. When there is no more of it, whoever has waited longest without a request under way goes.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// Connections at once.
pub(crate) const CONNECTIONS: usize = 128;

/// The connections of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionLimit {
    places: Arc<Mutex<Slots>>,
}

#[derive(Debug, Default)]
struct Slots {
    next: u64,
    /// By their number, so the oldest first.
    taken: BTreeMap<u64, Slot>,
}

#[derive(Debug)]
struct Slot {
    /// Requests whose head was complete and whose response is not.
    under_way: usize,
    leave: Arc<Notify>,
}

/// One connection's place, until dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    room: ConnectionLimit,
    number: Mutex<u64>,
    leave: Arc<Notify>,
}

/// A request under way, until dropped.
#[derive(Debug)]
pub(crate) struct RequestSlot(Arc<ConnectionSlot>);

impl ConnectionLimit {
    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.places.lock()
    }

    /// A place for a new connection. Nobody waits for one: where all have a request under way there is none.
    pub(crate) fn enter(&self) -> Option<ConnectionSlot> {
        let mut places = self.lock();
        if places.taken.len() >= CONNECTIONS {
            let silent =
                places.taken.iter().find(|(_, place)| place.under_way == 0).map(|(number, _)| *number)?;
            let place = places.taken.remove(&silent)?;
            place.leave.notify_one();
        }
        let leave = Arc::new(Notify::new());
        let number = places.put(Slot { under_way: 0, leave: leave.clone() });
        drop(places);
        Some(ConnectionSlot { room: self.clone(), number: Mutex::new(number), leave })
    }
}

impl Slots {
    /// Puts a place behind all others.
    fn put(&mut self, place: Slot) -> u64 {
        let number = self.next;
        self.next += 1;
        self.taken.insert(number, place);
        number
    }
}

impl ConnectionSlot {
    fn number(&self) -> MutexGuard<'_, u64> {
        self.number.lock()
    }

    /// Notes that a request came: its place is its own until the response is complete.
    pub(crate) fn request(self: &Arc<Self>) -> RequestSlot {
        if let Some(place) = self.room.lock().taken.get_mut(&self.number()) {
            place.under_way += 1;
        }
        RequestSlot(self.clone())
    }

    /// Waits until the place is needed for another.
    pub(crate) async fn sent_away(&self) {
        self.leave.notified().await;
    }
}

impl RequestSlot {
    /// The body of the response, with which the request ends.
    pub(crate) fn until_sent(self, body: axum::body::Body) -> SlotBody {
        SlotBody { body, _slot: self }
    }
}

/// A response's body, which keeps the connection's place until it was sent or given up.
pub(crate) struct SlotBody {
    body: axum::body::Body,
    _slot: RequestSlot,
}

impl Body for SlotBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestSlot {
    /// The connection is idle again, and the youngest of those.
    fn drop(&mut self) {
        let mut places = self.0.room.lock();
        let mut number = self.0.number();
        let Some(mut place) = places.taken.remove(&number) else { return };
        place.under_way = place.under_way.saturating_sub(1);
        *number = places.put(place);
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let number = *self.number();
        self.room.lock().taken.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(room: &ConnectionLimit) -> Vec<Arc<ConnectionSlot>> {
        let guests: Vec<_> = (0..CONNECTIONS).filter_map(|_| room.enter()).map(Arc::new).collect();
        assert_eq!(guests.len(), CONNECTIONS);
        guests
    }

    #[tokio::test]
    async fn the_oldest_without_a_request_makes_room() {
        let room = ConnectionLimit::default();
        let mut guests = full(&room);
        let mut requests = vec![guests[0].request()];
        let next = Arc::new(room.enter().expect("the second one goes"));
        guests[1].sent_away().await;
        requests.extend(guests.iter().skip(2).chain([&next]).map(ConnectionSlot::request));
        assert!(room.enter().is_none());
        drop(guests.remove(1));
        assert!(room.enter().is_none(), "it had no place any more");
        drop(requests.remove(0));
        drop(guests.remove(0));
        assert!(room.enter().is_some());
    }

    #[tokio::test]
    async fn a_connection_whose_response_is_complete_is_idle_again_behind_the_others() {
        let room = ConnectionLimit::default();
        let guests = full(&room);
        let requests: Vec<RequestSlot> = guests.iter().map(ConnectionSlot::request).collect();
        assert!(room.enter().is_none());
        let mut requests = requests.into_iter();
        let (first, second) = (requests.next(), requests.next());
        drop(second);
        drop(first);
        let _next = room.enter().expect("an idle one goes");
        guests[1].sent_away().await;
        let _last = room.enter().expect("the other one goes");
        guests[0].sent_away().await;
        // Two have left, and the new ones have not asked yet.
        assert!(room.enter().is_some());
        drop(requests);
    }
}
