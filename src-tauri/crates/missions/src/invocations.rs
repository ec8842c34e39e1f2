//! The part of the fold that is about invocations: what is set aside, how child runs leave off, what they used.

use domain::mission::ItemId;
use domain::{AgentSlug, Digest, ErrorCode, NanoUsd, Problem, Reserve, RunId};

use crate::choice::Assignment;
use crate::event::{ChildEnd, DropCause, InvocationKey, PauseKind, Role};
use crate::fold::IllegalReason;
use crate::state::{ChildUsage, Invocation, InvocationStatus, State};
use crate::{agenda, event::Event};

const NO_INVOCATION: IllegalReason = "there is no such invocation";

impl Invocation {
    fn new(role: Role, agent: &AgentSlug, task: Option<&ItemId>) -> Self {
        Self {
            role,
            agent: agent.clone(),
            task: task.cloned(),
            fingerprint: None,
            request: None,
            reserve: Reserve::default(),
            least: Reserve::default(),
            held: Reserve::default(),
            status: InvocationStatus::Assigned,
            tries: 0,
            child: None,
            used: ChildUsage::default(),
            reused: None,
            ms: 0,
            is_unknown: false,
            is_forgiven: false,
        }
    }

    /// Waits for what its child run needs to go on. The problem, where it can never have it.
    fn falls_short(&mut self, needed: Reserve, is_idle: bool, held: Reserve) -> Option<Problem> {
        // One that did nothing with enough would ask for the same for ever.
        let in_vain = is_idle && held.covers(needed);
        if self.reserve.less(self.used.amount()).covers(needed) && !in_vain {
            self.least = needed;
            return None;
        }
        let what = format!(
            "the child run needs {} tokens or {} for its next call, more than it may use",
            needed.tokens, needed.cost
        );
        Some(Problem::new(ErrorCode::Budget, what).with_action("raise the budget of the agent"))
    }
}

impl State {
    fn invocation(&mut self, key: InvocationKey) -> Result<&mut Invocation, IllegalReason> {
        self.invocations.get_mut(&key).ok_or(NO_INVOCATION)
    }

    /// Puts what was decided on in its slots.
    pub(crate) fn assign(&mut self, assignments: &[Assignment]) {
        for Assignment { agent, task } in assignments {
            let item = agenda::item(&self.facts, task);
            let role = item.map_or(Role::Research, agenda::role_of);
            let mut invocation = Invocation::new(role, agent, Some(task));
            invocation.fingerprint = item.map(|item| item.fingerprint);
            self.invocations.insert(self.next_key(), invocation);
        }
    }

    /// Takes in what an event says of a planned invocation.
    pub(crate) fn plan_invocation(&mut self, event: &Event) -> Result<(), IllegalReason> {
        let Event::InvocationPlanned { key, role, agent, task, request, reserve, least } = event else {
            return Err("it plans no invocation");
        };
        if let Some(invocation) = self.invocations.get(key) {
            let is_same = invocation.role == *role && &invocation.agent == agent && &invocation.task == task;
            if invocation.status != InvocationStatus::Assigned || !is_same {
                return Err("it is not what was decided on");
            }
        } else {
            let named = self.terms().and_then(|terms| role.named_in(&terms.roles));
            if *key != self.next_key() || named != Some(agent) || task.is_some() {
                return Err("it is neither decided on nor an invocation of a fixed role");
            }
            if self.has_open_invocations() || !self.has_use_for(*role) {
                return Err("the mission is not at that point");
            }
            if *role == Role::Review {
                self.report.reviews += 1;
                self.report.wants_review = false;
            }
        }
        let invocation =
            self.invocations.entry(*key).or_insert_with(|| Invocation::new(*role, agent, task.as_ref()));
        invocation.request = Some(*request);
        invocation.reserve = *reserve;
        invocation.least = *least;
        invocation.status = InvocationStatus::Planned;
        Ok(())
    }

    pub(crate) fn reuse(
        &mut self,
        key: InvocationKey,
        output: Digest,
        from: &RunId,
    ) -> Result<(), IllegalReason> {
        let invocation = self.invocation(key)?;
        if invocation.status != InvocationStatus::Planned || invocation.tries > 0 {
            return Err("it was begun already, or is not planned");
        }
        invocation.status = InvocationStatus::Finished(output);
        invocation.reused = Some(from.clone());
        Ok(())
    }

    pub(crate) fn request(
        &mut self,
        key: InvocationKey,
        r#try: u32,
        reserve: Reserve,
    ) -> Result<(), IllegalReason> {
        if self.suspended || self.cancelling || self.failure.is_some() {
            return Err("nothing new is begun now");
        }
        if self.in_flight().count() >= self.terms().map_or(1, |terms| terms.max_parallel) as usize {
            return Err("as many agents as may be are at work");
        }
        let invocation = self.invocations.get(&key).ok_or(NO_INVOCATION)?;
        if invocation.status != InvocationStatus::Planned || r#try != invocation.tries + 1 {
            return Err("it is not waiting to be begun");
        }
        if invocation.is_unknown {
            if reserve != invocation.held {
                return Err("what is set aside for it is not what was");
            }
        } else {
            if !invocation.reserve.less(invocation.used.amount()).covers(reserve) {
                return Err("it would get more than was planned");
            }
            if !self.leaves_enough(invocation.role, reserve) {
                return Err("it could cost more than is left");
            }
        }
        let invocation = self.invocation(key)?;
        invocation.status = InvocationStatus::Requested;
        invocation.held = reserve;
        invocation.tries = r#try;
        // What it needs to go on, it tells when it leaves off.
        invocation.least = Reserve::default();
        Ok(())
    }

    pub(crate) fn drop_invocation(
        &mut self,
        key: InvocationKey,
        why: DropCause,
    ) -> Result<(), IllegalReason> {
        let invocation = self.invocation(key)?;
        if !invocation.waits() && invocation.status != InvocationStatus::Asking {
            return Err("it is under way or over");
        }
        invocation.status = InvocationStatus::Dropped(why);
        if invocation.role == Role::Synthesise {
            self.give_up_draft();
        }
        self.withdraw_pauses(|kind| *kind == PauseKind::Child { key });
        Ok(())
    }

    pub(crate) fn begin_child(&mut self, key: InvocationKey, child: &RunId) -> Result<(), IllegalReason> {
        if self.invocations.values().any(|other| other.child.as_ref() == Some(child)) {
            return Err("that run carries out an invocation already");
        }
        let invocation = self.invocation(key)?;
        if invocation.status != InvocationStatus::Requested || invocation.child.is_some() {
            return Err("it does not wait for a child run");
        }
        invocation.child = Some(child.clone());
        Ok(())
    }

    /// A child run left off; what it used since it did so last is booked.
    pub(crate) fn end_child(
        &mut self,
        key: InvocationKey,
        r#try: u32,
        child: &RunId,
        end: &ChildEnd,
        used: ChildUsage,
        ms: u64,
    ) -> Result<(), IllegalReason> {
        let (writing, cancelling) = (self.writing, self.cancelling);
        let invocation = self.invocation(key)?;
        if invocation.child.as_ref() != Some(child) {
            return Err("that child run does not carry it out");
        }
        if invocation.status != InvocationStatus::Requested || r#try != invocation.tries {
            return Err("that try is not awaited");
        }
        let (before, held) = (invocation.used, std::mem::take(&mut invocation.held));
        invocation.is_unknown = false;
        invocation.ms = invocation.ms.saturating_add(ms);
        // One whose log could not be read tells of nothing that it used.
        if used.usage.total() >= before.usage.total() {
            invocation.used = used;
        }
        let unwanted = cancelling || (writing && invocation.role != Role::Synthesise);
        let mut problem = None;
        invocation.status = match end {
            ChildEnd::Finished { output } => InvocationStatus::Finished(*output),
            ChildEnd::Waits { .. } => InvocationStatus::Asking,
            ChildEnd::Interrupted if unwanted => InvocationStatus::Dropped(DropCause::Person),
            ChildEnd::Interrupted => InvocationStatus::Planned,
            ChildEnd::Short { needed } => {
                problem = invocation.falls_short(*needed, before == used, held);
                InvocationStatus::Planned
            }
            ChildEnd::Failed { problem: why } => {
                problem = Some(why.clone());
                InvocationStatus::Planned
            }
        };
        let role = invocation.role;
        if let Some(problem) = problem {
            invocation.status = InvocationStatus::Failed(problem.clone());
            if role == Role::Synthesise {
                self.fail_draft(problem);
            }
        }
        self.usage += used.usage.since(&before.usage);
        self.cost += NanoUsd(used.cost.0.saturating_sub(before.cost.0));
        self.equivalent += NanoUsd(used.equivalent.0.saturating_sub(before.equivalent.0));
        // What was doubtful may be known by now.
        if used.usage.total() >= before.usage.total() {
            self.doubtful = self.doubtful.less(before.doubtful) + used.doubtful;
        }
        Ok(())
    }

    pub(crate) fn lose(&mut self, key: InvocationKey, r#try: u32) -> Result<(), IllegalReason> {
        let invocation = self.invocation(key)?;
        if invocation.status != InvocationStatus::Requested || invocation.tries != r#try {
            return Err("it was not under way");
        }
        // Its run has a log of its own and goes on where it was. What is set aside stays so: it may be spent.
        invocation.status = InvocationStatus::Planned;
        invocation.is_unknown = true;
        Ok(())
    }

    /// Takes in the result of an invocation of one of some roles.
    pub(crate) fn take_result(&mut self, key: InvocationKey, roles: &[Role]) -> Result<(), IllegalReason> {
        let invocation = self.invocation(key)?;
        let InvocationStatus::Finished(output) = invocation.status else {
            return Err("it has no result that was not taken in");
        };
        if !roles.contains(&invocation.role) {
            return Err("it was invoked for something else");
        }
        invocation.status = InvocationStatus::Settled(output);
        Ok(())
    }

    /// The next result that goes into the graph, in the order of keys whatever order they arrived in.
    pub(crate) fn next_to_integrate(&self) -> Option<InvocationKey> {
        let research = self.invocations.iter().filter(|(_, invocation)| invocation.role.is_research());
        for (key, invocation) in research {
            if matches!(invocation.status, InvocationStatus::Finished(_)) {
                return Some(*key);
            }
            if invocation.is_open() {
                return None;
            }
        }
        None
    }

    /// Why an invocation that waits does not take place.
    pub(crate) fn drop_cause(&self, invocation: &Invocation) -> Option<DropCause> {
        let waits_to_begin = invocation.waits();
        // A writer that asks would keep back the report that the user wants now; code writes it then.
        let asks = invocation.status == InvocationStatus::Asking;
        if self.writing && (asks || (waits_to_begin && invocation.role != Role::Synthesise)) {
            Some(DropCause::Person)
        } else if waits_to_begin && self.is_out_of_time(invocation.role) {
            Some(DropCause::Time)
        } else {
            None
        }
    }
}
