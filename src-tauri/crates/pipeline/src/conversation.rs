//! Conversations that stages share: which one a stage goes on in, from which turn, and how one hands over to the next.

use domain::{Digest, StageId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{CallKey, PauseKind};
use crate::fold::IllegalReason;
use crate::graph::Node;
use crate::state::{CallStatus, Phase, StageState, State};

/// How full a turn left its conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConversationFill {
    /// Tokens of its last answer, input and output, as the provider counted them.
    pub tokens: u64,
    /// Whether what was said before the turn now stands in a summary.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub summarised: bool,
}

impl ConversationFill {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is to become of a conversation that has too little room left for a stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Handoff {
    /// Nothing: there is room, or nobody looked yet.
    #[default]
    None,
    /// It has too little: the person is asked.
    Asked {
        /// The share that is used, from 0 to 1.
        fill: f64,
        /// Tokens used.
        used: u64,
        /// Tokens that fit.
        window: u64,
        /// Tokens needed.
        needed: u64,
    },
    /// The stage goes on in it all the same.
    GoesOn,
    /// It hands over; the stage begins a fresh one.
    HandsOver,
    /// What it handed over, as a blob.
    Done(Digest),
}

impl StageState {
    /// Whether the old conversation is asked to hand over, or has been, in the current or coming attempt: the stage then has
    /// one wave more, before that of its own turn.
    pub fn hands_over(&self) -> bool {
        matches!(self.handoff, Handoff::HandsOver | Handoff::Done(_))
    }

    /// What became of a conversation that has too little room left for the stage.
    pub fn handoff(&self) -> Handoff {
        self.handoff
    }

    /// The conversation of the current attempt; 0: one of its own.
    pub fn conversation(&self) -> u32 {
        self.conversation
    }

    /// Whether the old conversation was asked and the document is still to be made of what it said.
    pub(crate) fn wants_handoff(&self, node: &Node) -> bool {
        self.handoff == Handoff::HandsOver && self.waves == node.tool_waves + 1
    }
}

impl State {
    /// The conversation of a stage's coming attempt, and the call whose turn it goes on from. An attempt after the first, of a
    /// repair or because the person wanted another, begins a fresh one: what it knows stands in its prompt and its context.
    pub(crate) fn next_conversation(&self, index: usize) -> (u32, Option<CallKey>) {
        let (node, stage) = (&self.graph.nodes[index], &self.stages[index]);
        if !node.continues {
            return (0, None);
        }
        let first = stage.attempt == 0 && stage.iteration == 0;
        match self.gone_before(index).filter(|_| first) {
            Some((number, key)) if !stage.hands_over() => (number, Some(key)),
            Some((_, key)) => (self.conversations + 1, Some(key)),
            None => (self.conversations + 1, None),
        }
    }

    /// The last stage before one whose turn gave what stands of it: its conversation and its call.
    fn gone_before(&self, index: usize) -> Option<(u32, CallKey)> {
        let id = &self.graph.nodes[index].id;
        self.nodes()
            .rev()
            .filter(|(node, _)| node.continues && self.graph.dependents(&node.id).contains(id))
            .find_map(|(node, stage)| {
                let attempt = stage.history.iter().rfind(|attempt| attempt.attempt == stage.stands)?;
                let key = self.turn_of(node, attempt.attempt)?;
                (stage.phase == Phase::Completed).then_some((attempt.conversation, key))
            })
    }

    /// The call whose turn gave a stage's answer in an attempt.
    fn turn_of(&self, node: &Node, attempt: u32) -> Option<CallKey> {
        // The last wave: the one before it may have handed over.
        let at = |wave| CallKey { stage: node.id.clone(), attempt, wave, item: 0 };
        let mut calls = self.calls.range(at(node.tool_waves)..=at(u32::MAX));
        let (key, call) = calls.next_back()?;
        let said = matches!(call.status, CallStatus::Done(_)) && !call.children.is_empty();
        said.then(|| key.clone())
    }

    /// The call whose last turn a stage's call goes on from, where it goes on in the conversation of a stage before it.
    pub fn goes_on_from(&self, key: &CallKey) -> Option<&CallKey> {
        let (node, stage) = (self.graph.node(&key.stage)?, self.stage(&key.stage)?);
        let own = stage.phase == Phase::Running && stage.attempt == key.attempt;
        // Of one that hands over only the question for it is asked in the old conversation.
        let here = !stage.hands_over() || key.wave == node.tool_waves;
        stage.goes_on.as_ref().filter(|_| own && here && key.wave >= node.tool_waves)
    }

    /// The call whose last turn a stage's coming or current attempt follows: it goes on there, or has it hand over.
    pub fn follows(&self, id: &StageId) -> Option<CallKey> {
        let index = self.index(id)?;
        let stage = &self.stages[index];
        match stage.phase {
            Phase::Pending => self.next_conversation(index).1,
            Phase::Running | Phase::Completed | Phase::Skipped | Phase::Failed => stage.goes_on.clone(),
        }
    }

    /// Calls of the conversation that ends with a call, that one included, the newest first: what their turns said is read by
    /// a turn that goes on there. What stands before a summary is not.
    pub fn said_in(&self, last: &CallKey) -> Vec<CallKey> {
        let mut said: Vec<CallKey> = Vec::new();
        let mut next = Some(last.clone());
        while let Some(key) = next.take().filter(|key| !said.contains(key)) {
            let summarised = self.calls.get(&key).is_some_and(|call| call.fill.summarised);
            let stage = self.stage(&key.stage).filter(|_| !summarised);
            let attempt =
                stage.and_then(|stage| stage.history.iter().find(|done| done.attempt == key.attempt));
            next = attempt.and_then(|attempt| attempt.goes_on.clone());
            said.push(key);
        }
        said
    }

    /// Whether the person is to be asked about a conversation with too little room.
    pub(crate) fn asks_for_handoff(&self, stage: &StageState) -> bool {
        stage.phase == Phase::Pending && matches!(stage.handoff, Handoff::Asked { .. })
    }

    /// Stages whose pause about it is still to be requested.
    pub(crate) fn handoffs_to_ask_for(&self) -> impl Iterator<Item = &StageId> {
        let asked = |id: &StageId| {
            self.open_pauses().any(|pause| &pause.stage == id && pause.kind == PauseKind::Handoff)
        };
        let wanted = self.nodes().filter(|(_, stage)| self.asks_for_handoff(stage)).map(|(node, _)| &node.id);
        wanted.filter(move |id| !asked(id))
    }

    pub(crate) fn begin_conversation(&mut self, index: usize, number: u32) -> Result<(), IllegalReason> {
        let (wanted, goes_on) = self.next_conversation(index);
        if number != wanted {
            return Err(IllegalReason("the stage goes on in another conversation"));
        }
        self.conversations = self.conversations.max(number);
        let stage = &mut self.stages[index];
        (stage.conversation, stage.goes_on) = (number, goes_on);
        Ok(())
    }

    pub(crate) fn request_handoff(&mut self, id: &StageId, asked: Handoff) -> Result<(), IllegalReason> {
        let index = self.index(id).ok_or(IllegalReason("there is no such stage"))?;
        let stage = &self.stages[index];
        let waits = stage.phase == Phase::Pending && stage.handoff == Handoff::None && self.may_open(index);
        if !waits || self.next_conversation(index).1.is_none() {
            return Err(IllegalReason("the stage is not about to go on in a conversation"));
        }
        self.stages[index].handoff = asked;
        Ok(())
    }

    pub(crate) fn settle_handoff(&mut self, id: &StageId, how: Handoff) {
        if let Some(stage) = self.stage_mut(id) {
            stage.handoff = how;
        }
    }

    pub(crate) fn approve_handoff(&mut self, id: &StageId, handoff: Digest) -> Result<(), IllegalReason> {
        let index = self.index(id).ok_or(IllegalReason("there is no such stage"))?;
        let (node, stage) = (&self.graph.nodes[index], &mut self.stages[index]);
        if stage.phase != Phase::Running || !stage.wants_handoff(node) || stage.open_calls > 0 {
            return Err(IllegalReason("no conversation has been asked to hand over to it"));
        }
        stage.handoff = Handoff::Done(handoff);
        Ok(())
    }
}
