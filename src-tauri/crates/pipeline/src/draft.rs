//! What is kept of an answer while it is streamed, and calls whose next try goes on from there.

use domain::{Digest, DraftPlace};

use crate::event::CallKey;
use crate::fold::IllegalReason;
use crate::state::{Call, CallStatus, State};

/// How much of an answer had been streamed when that was last noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDraft {
    /// Words.
    pub words: u32,
    /// The text, as a blob.
    pub text: Digest,
    /// Where it stands in the answer; none where no answer can go on from it.
    pub place: Option<DraftPlace>,
}

impl Call {
    /// Whether an answer can go on from what is kept.
    pub(crate) fn may_continue(&self) -> bool {
        self.model && !self.is_child && self.draft.as_ref().is_some_and(|draft| draft.place.is_some())
    }

    /// The next try goes on from the draft, or begins anew.
    pub(crate) fn begin_again(&mut self, continues: bool) {
        let from = if continues { self.draft.clone() } else { None };
        self.is_stale |= self.continues != from;
        if !continues && self.continues.is_some() {
            // What did not lead to an answer is not gone on from once more.
            self.draft = None;
        }
        self.continues = from;
    }

    /// Waits to be issued, or to be prepared for that.
    pub(crate) fn await_issue(&mut self) {
        self.status = if self.is_stale { CallStatus::Unprepared } else { CallStatus::Planned };
    }
}

impl State {
    /// Takes in how much of an answer has been streamed.
    pub(crate) fn draft_call(
        &mut self,
        key: &CallKey,
        attempt: u32,
        draft: CallDraft,
    ) -> Result<(), IllegalReason> {
        let call = self.calls.get_mut(key).ok_or(IllegalReason("there is no such call"))?;
        if call.status != CallStatus::Requested || call.tries != attempt || !call.model || call.is_child {
            return Err(IllegalReason("the call is not under way"));
        }
        call.draft = Some(draft);
        Ok(())
    }
}
