//! Repair units: when one is repaired, how its repairs end, and what lets a run through a gate that did not pass.

use domain::agent::{OnExhausted, RepairUnit};
use domain::{ErrorCode, Problem, StageId};

use crate::event::{Event, PauseKind, RepairEnd};
use crate::state::{Attempt, Phase, StageState, State};

/// The warning of a stage whose best attempt was accepted although its check does not pass.
pub(crate) const CERTIFIED: &str = "certified with limitations";

impl State {
    /// What the machine itself wants to happen next with repair units.
    pub(crate) fn decide_repairs(&self) -> Vec<Event> {
        let mut events = Vec::new();
        for (at, unit) in self.graph.repair_units.iter().enumerate() {
            if unit.on_exhausted == OnExhausted::Fail && self.is_gate_shut(at as u32) {
                events.extend(self.gate_failure(at));
            }
            if !self.needs_repair(at) {
                continue;
            }
            let verdict = self.last_of(unit).and_then(|last| last.history.last());
            if self.gained_nothing(at) {
                events.push(self.end_repair(at, RepairEnd::NoGain));
                continue;
            }
            events.push(match self.next_repair(at) {
                Some(iteration) => Event::RepairStarted {
                    unit: at as u32,
                    iteration,
                    scores: verdict.map(|verdict| verdict.scores.clone()).unwrap_or_default(),
                },
                None => self.end_repair(at, RepairEnd::Exhausted),
            });
        }
        events
    }

    /// The pauses at gates that are still to be requested: the unit's last stage and its index.
    pub(crate) fn gates_to_pause_at(&self) -> impl Iterator<Item = (&StageId, u32)> {
        self.graph.repair_units.iter().enumerate().filter_map(|(at, unit)| {
            let number = at as u32;
            let waits = unit.on_exhausted == OnExhausted::Pause && self.is_gate_shut(number);
            let asked = |kind: &PauseKind| matches!(kind, PauseKind::Gate { unit } if *unit == number);
            let wanted = waits && !self.open_pauses().any(|pause| asked(&pause.kind));
            Some((unit.stages.last().filter(|_| wanted)?, number))
        })
    }

    /// Whether a unit's repairs have ended without passing and its outcome lets nobody use what stands.
    pub(crate) fn is_gate_shut(&self, unit: u32) -> bool {
        let how = self.graph.repair_units.get(unit as usize).map(|unit| unit.on_exhausted);
        self.repairs.get(&unit).is_some_and(|outcome| match how {
            Some(OnExhausted::Pause) => !outcome.certified,
            Some(OnExhausted::Fail) => true,
            Some(OnExhausted::Best | OnExhausted::Certify) | None => false,
        })
    }

    /// Whether a stage is the last of a unit whose outcome is its failure.
    pub(crate) fn fails_at_gate(&self, stage: &StageId) -> Option<usize> {
        let at = self.graph.unit_of(stage)?;
        let unit = &self.graph.repair_units[at];
        let fails = unit.on_exhausted == OnExhausted::Fail && unit.stages.last() == Some(stage);
        (fails && self.is_gate_shut(at as u32)).then_some(at)
    }

    /// The failure of a unit's last stage, which says what was tried.
    fn gate_failure(&self, at: usize) -> Option<Event> {
        let unit = &self.graph.repair_units[at];
        let id = unit.stages.last()?;
        let last = self.stage(id).filter(|last| last.phase != Phase::Failed)?;
        let attempts = last.present_attempts();
        let told: Vec<String> =
            attempts.map(|attempt| format!("{}: {}", name(attempt), scores(attempt))).collect();
        let gate = unit.name.clone().unwrap_or_else(|| format!("of stage {id}"));
        let message = format!("gate {gate} did not pass in {} attempts ({})", told.len(), told.join("; "));
        let problem = Problem::new(ErrorCode::InvalidAnswer, message).with_action(
            "retry the run for one more attempt; what the check found stands in the output of its stage",
        );
        Some(Event::StageFailed { stage: id.clone(), attempt: last.attempt, problem })
    }

    /// Lets a unit whose repairs have ended make one more, of the attempt that stands.
    pub(crate) fn grant(&mut self, at: usize) {
        let Some(outcome) = self.repairs.remove(&(at as u32)) else { return };
        for index in self.unit_indexes(at) {
            self.stages[index].mends = Some(outcome.chosen);
        }
        let iteration = self.last_of(&self.graph.repair_units[at]).map_or(0, |last| last.iteration);
        self.granted.insert(at as u32, iteration + 1);
    }

    /// Marks what stands of a unit as accepted although its check does not pass.
    pub(crate) fn certify(&mut self, at: usize) {
        if let Some(outcome) = self.repairs.get_mut(&(at as u32)) {
            outcome.certified = true;
        }
        let last = self.graph.repair_units[at].stages.last().and_then(|id| self.index(id));
        if let Some(index) = last {
            self.stages[index].warnings.push(CERTIFIED.to_owned());
        }
    }

    /// A check that ran once more, because the person edited what it checks, keeps the mark.
    pub(crate) fn certify_again(&mut self, index: usize) {
        let id = &self.graph.nodes[index].id;
        let Some(at) = self.graph.unit_of(id) else { return };
        let certified = self.repairs.get(&(at as u32)).is_some_and(|outcome| outcome.certified);
        let checks = self.graph.repair_units[at].stages.last() == Some(id);
        let stage = &mut self.stages[index];
        if certified && checks && stage.history.last().is_some_and(|done| done.passed == Some(false)) {
            stage.warnings.push(CERTIFIED.to_owned());
        }
    }

    /// The most repairs of a unit, with what the person allowed beyond its own.
    pub fn most_repairs(&self, unit: usize) -> u32 {
        let own = self.graph.repair_units.get(unit).map_or(0, |unit| unit.max_iterations);
        self.granted.get(&(unit as u32)).copied().unwrap_or(own)
    }

    /// Whether the last of several attempts scores no better than one before it, or too little better by the unit's
    /// rule. Without scores nobody can tell, and what the person allowed is not asked about.
    fn gained_nothing(&self, at: usize) -> bool {
        let unit = &self.graph.repair_units[at];
        let Some(last) = self.last_of(unit) else { return false };
        if self.granted.get(&(at as u32)).is_some_and(|granted| *granted > last.iteration) {
            return false;
        }
        if last.present_attempts().next_back().and_then(|attempt| attempt.progress) == Some(false) {
            return true;
        }
        if !unit.stop_without_gain {
            return false;
        }
        let scored = last.present_attempts().filter(|attempt| !attempt.scores.is_empty());
        let scores: Vec<i64> = scored.map(sum).collect();
        matches!(scores.split_last(), Some((last, before)) if before.iter().any(|score| score >= last))
    }

    /// Whether a unit's stages have all ended and the last one asks for repair.
    fn needs_repair(&self, at: usize) -> bool {
        let unit = &self.graph.repair_units[at];
        !self.repairs.contains_key(&(at as u32))
            && !self.unit_settled(at)
            && unit.stages.iter().filter_map(|id| self.stage(id)).all(|stage| stage.phase.has_ended())
    }

    /// The number of the repair that a unit asks for and may have.
    pub(crate) fn next_repair(&self, at: usize) -> Option<u32> {
        let iteration = self.last_of(&self.graph.repair_units[at])?.iteration + 1;
        (self.needs_repair(at) && iteration <= self.most_repairs(at)).then_some(iteration)
    }

    /// The repair unit that a stage is being repaired in.
    pub(crate) fn repairing(&self, id: &StageId) -> Option<usize> {
        let iteration = self.stage(id)?.iteration;
        let at = self.graph.unit_of(id)?;
        (iteration > 0 && !self.repairs.contains_key(&(at as u32))).then_some(at)
    }

    /// The end of a unit's repairs: the attempt with the highest sum of scores stands, the earliest among equals.
    pub(crate) fn end_repair(&self, at: usize, reason: RepairEnd) -> Event {
        let last = self.last_of(&self.graph.repair_units[at]);
        let mut best: Option<(i64, u32)> = None;
        for attempt in last.into_iter().flat_map(StageState::present_attempts) {
            let score = sum(attempt);
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, attempt.iteration));
            }
        }
        Event::RepairEnded { unit: at as u32, reason, chosen: best.map_or(0, |(_, iteration)| iteration) }
    }

    fn last_of(&self, unit: &RepairUnit) -> Option<&StageState> {
        self.stage(unit.stages.last()?)
    }

    pub(crate) fn unit_indexes(&self, at: usize) -> Vec<usize> {
        let unit = self.graph.repair_units.get(at);
        unit.iter().flat_map(|unit| &unit.stages).filter_map(|id| self.index(id)).collect()
    }
}

fn sum(attempt: &Attempt) -> i64 {
    attempt.scores.values().fold(0i64, |sum, score| sum.saturating_add(*score))
}

fn name(attempt: &Attempt) -> String {
    match attempt.iteration {
        0 => "first attempt".to_owned(),
        number => format!("repair {number}"),
    }
}

/// Scores by axis, in percent.
fn scores(attempt: &Attempt) -> String {
    if attempt.scores.is_empty() {
        return "no scores".to_owned();
    }
    let one = |(axis, score): (&String, &i64)| format!("{axis} {} %", (score + 5_000) / 10_000);
    attempt.scores.iter().map(one).collect::<Vec<_>>().join(", ")
}
