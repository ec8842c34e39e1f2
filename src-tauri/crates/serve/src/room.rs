//! Room for connections. When there is no more of it, whoever has waited longest without having asked for anything goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Connections at once.
pub(crate) const CONNECTIONS: usize = 128;

/// The connections of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionLimit {
    places: Arc<Mutex<Places>>,
}

#[derive(Debug, Default)]
struct Places {
    next: u64,
    /// By their number, so the oldest first.
    taken: BTreeMap<u64, Place>,
}

#[derive(Debug)]
struct Place {
    /// Whether the head of a request was complete.
    asked: bool,
    leave: Arc<Notify>,
}

/// One connection's place, until dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    room: ConnectionLimit,
    number: u64,
    leave: Arc<Notify>,
}

impl ConnectionLimit {
    /// A place for a new connection. Nobody waits for one: where all have asked for something there is none.
    pub(crate) fn enter(&self) -> Option<ConnectionSlot> {
        let mut places = self.places.lock();
        if places.taken.len() >= CONNECTIONS {
            let silent = places.taken.iter().find(|(_, place)| !place.asked).map(|(number, _)| *number)?;
            let place = places.taken.remove(&silent)?;
            place.leave.notify_one();
        }
        let number = places.next;
        places.next += 1;
        let leave = Arc::new(Notify::new());
        places.taken.insert(number, Place { asked: false, leave: leave.clone() });
        drop(places);
        Some(ConnectionSlot { room: self.clone(), number, leave })
    }
}

impl ConnectionSlot {
    /// Notes that a request came: from now on its place is its own.
    pub(crate) fn has_asked(&self) {
        if let Some(place) = self.room.places.lock().taken.get_mut(&self.number) {
            place.asked = true;
        }
    }

    /// Waits until the place is needed for another.
    pub(crate) async fn sent_away(&self) {
        self.leave.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.room.places.lock().taken.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_that_asked_for_nothing_makes_room() {
        let room = ConnectionLimit::default();
        let mut guests: Vec<ConnectionSlot> = (0..CONNECTIONS).filter_map(|_| room.enter()).collect();
        assert_eq!(guests.len(), CONNECTIONS);
        guests[0].has_asked();
        let next = room.enter().expect("the second one goes");
        guests[1].sent_away().await;
        guests.iter().for_each(ConnectionSlot::has_asked);
        next.has_asked();
        assert!(room.enter().is_none());
        drop(guests.remove(1));
        assert!(room.enter().is_none(), "it had no place any more");
        drop(guests.remove(0));
        assert!(room.enter().is_some());
    }
}
