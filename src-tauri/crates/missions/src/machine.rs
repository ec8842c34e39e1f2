//! The machine as the engine drives it.

use domain::Machine;

use crate::{EVENT_VERSION, Effect, Event, IllegalEvent, Record, State};

impl Machine for State {
    type Event = Event;
    type Effect = Effect;
    type Illegal = IllegalEvent;

    const NEWEST: u32 = EVENT_VERSION;

    fn seq(&self) -> u64 {
        self.seq
    }

    fn apply(&mut self, record: &Record) -> Result<(), IllegalEvent> {
        State::apply(self, record)
    }

    fn decide(&self) -> Vec<Event> {
        State::decide(self)
    }

    fn effects(&self) -> Vec<Effect> {
        State::effects(self)
    }

    fn is_local(effect: &Effect) -> bool {
        effect.is_local()
    }
}
