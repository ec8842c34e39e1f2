//! Questions that tools ask a model themselves: paid for from the turn's budget, as its own calls are.

use domain::{Digest, NanoUsd, Reserve, Usage};

use crate::event::Purpose;
use crate::state::State;

/// A question that a call of a tool asked a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What was asked: the same question of the same call has the same one.
    pub question: Digest,
    /// What is set aside for it.
    pub reserve: Reserve,
    /// How it stands.
    pub standing: AskState,
}

/// How a question of a tool stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskState {
    /// It is under way.
    Open,
    /// Nobody knows what it cost: the program or the call ended before it did.
    Unknown,
    /// It was answered; the text as a blob.
    Answered(Digest),
    /// It failed.
    Failed,
}

impl Ask {
    fn is_unsettled(&self) -> bool {
        matches!(self.standing, AskState::Open | AskState::Unknown)
    }
}

impl State {
    /// The answer to a question that a call asked before, perhaps in another process.
    pub fn answer_to(&self, call: &str, question: Digest) -> Option<Digest> {
        let asks = &self.tools.get(call)?.asks;
        asks.iter().filter(|ask| ask.question == question).find_map(|ask| {
            let AskState::Answered(answer) = ask.standing else { return None };
            Some(answer)
        })
    }

    /// What is set aside for questions under way.
    pub(crate) fn set_aside_for_asks(&self) -> Reserve {
        let asks = self.batch().flat_map(|(_, call)| &call.asks);
        let open = asks.filter(|ask| ask.standing == AskState::Open);
        open.fold(Reserve::default(), |sum, ask| sum + ask.reserve)
    }

    pub(crate) fn begin_ask(
        &mut self,
        call: &str,
        question: Digest,
        reserve: Reserve,
    ) -> Result<(), &'static str> {
        if !self.tools.get(call).is_some_and(|call| call.is_running()) || self.stopping || self.suspended {
            return Err("the call does not run");
        }
        if !self.affords(Purpose::Step, reserve) {
            return Err("it could cost more than is left");
        }
        // One that is open still was asked by a process that died.
        self.doubt_asks(call);
        if let Some(call) = self.tools.get_mut(call) {
            call.asks.push(Ask { question, reserve, standing: AskState::Open });
        }
        Ok(())
    }

    /// Takes in what became of a question. It may be told late: when the call, or the turn, has ended.
    pub(crate) fn end_ask(
        &mut self,
        call: &str,
        answer: Option<Digest>,
        usage: Usage,
        cost: NanoUsd,
        equivalent: NanoUsd,
    ) -> Result<(), &'static str> {
        let asks = self.tools.get_mut(call).map(|call| &mut call.asks);
        let ask = asks.and_then(|asks| asks.iter_mut().rev().find(|ask| ask.is_unsettled()));
        let ask = ask.ok_or("no model is asked by this call")?;
        if ask.standing == AskState::Unknown {
            self.doubtful = self.doubtful.less(ask.reserve);
        }
        ask.standing = answer.map_or(AskState::Failed, AskState::Answered);
        self.pay(usage, cost, equivalent);
        Ok(())
    }

    /// Questions that a call has open may have cost what was set aside for them.
    pub(crate) fn doubt_asks(&mut self, call: &str) {
        let Some(call) = self.tools.get_mut(call) else { return };
        for ask in call.asks.iter_mut().filter(|ask| ask.standing == AskState::Open) {
            ask.standing = AskState::Unknown;
            self.doubtful = self.doubtful + ask.reserve;
        }
    }
}
