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
        match effect {
            Effect::Refuse { .. }
            | Effect::TakeAnswer { .. }
            | Effect::TakeSummary { .. }
            | Effect::CompactByCode
            | Effect::Nudge { .. }
            | Effect::Summarise { .. } => true,
            Effect::CallModel { .. }
            | Effect::Wait { .. }
            | Effect::Authorize { .. }
            | Effect::Run { .. } => false,
        }
    }

    fn local_effect(&self) -> Option<Effect> {
        self.effects().into_iter().find(|effect| !self.suspended && Self::is_local(effect))
    }
}
