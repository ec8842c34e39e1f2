//! Contents: what a stage is given, what it plans and gives, and what the person answers. Everything is a hash of its
//! inputs, so that the same results must give the same document.

use domain::{Budget, NanoUsd, Reserve, StageId};
use pipeline::{Action, Cut, Decision, Event, Handoff, PauseKind, PlannedCall};

use crate::engine::Engine;
use crate::scenario::{digest, hash, number, place};

impl Engine<'_> {
    /// What a stage works from: outputs and answers of the stages before it, feedback, and the verdict to mend.
    fn input(&self, id: &StageId) -> u64 {
        let state = &self.state;
        let node = state.graph.node(id).unwrap();
        let mut sum = hash(&[self.scenario.seed, place(id) as u64]);
        for on in node.depends_on.iter().chain([id]) {
            let stage = state.stage(on).unwrap();
            if on != id {
                sum = hash(&[sum, stage.output.as_ref().map_or(1, number)]);
            }
            let answered =
                state.pauses.iter().filter(|pause| &pause.stage == on && pause.kind == PauseKind::Stage);
            for decision in answered.filter_map(|pause| pause.decision.as_ref()).filter(|d| d.has_content()) {
                sum = hash(&[sum, decision.text.as_ref().map_or(0, |text| text.len() as u64)]);
            }
        }
        let stage = state.stage(id).unwrap();
        sum = stage.feedback.iter().fold(sum, |sum, text| hash(&[sum, text.len() as u64]));
        let unit = state.graph.repair_units.iter().find(|unit| unit.stages.contains(id));
        if let Some(verify) = unit.and_then(|unit| unit.stages.last())
            && stage.iteration > 0
        {
            let verdict = state.stage(verify).unwrap().mended();
            sum = hash(&[
                sum,
                u64::from(stage.iteration),
                verdict.map_or(0, |attempt| number(&attempt.output)),
            ]);
        }
        sum
    }

    /// The same, with the results of the waves so far.
    fn so_far(&self, id: &StageId, waves: u32) -> u64 {
        let (node, stage) = (self.state.graph.node(id).unwrap(), self.state.stage(id).unwrap());
        (0..waves).fold(self.input(id), |sum, wave| {
            let wave = wave + u32::from(stage.hands_over() && wave >= node.tool_waves);
            let results = self.state.wave_results(id, wave);
            results.iter().fold(sum, |sum, result| hash(&[sum, result.as_ref().map_or(2, number)]))
        })
    }

    /// Whether the conversation in which a stage would go on has too little room left, and nobody was asked yet.
    pub fn lacks_room(&self, stage: &StageId) -> bool {
        let nobody_asked = self.state.stage(stage).unwrap().handoff() == Handoff::None;
        nobody_asked && self.state.follows(stage).is_some() && self.scenario.room(place(stage)).0
    }

    pub fn plan(&self, stage: StageId, attempt: u32, wave: u32) -> Event {
        let index = place(&stage);
        let node = &self.state.graph.nodes[index];
        let hands_over = self.state.stages[index].hands_over();
        if hands_over && wave == node.tool_waves {
            let reserve = self.scenario.shapes[index].reserve;
            let call = PlannedCall {
                request: digest(hash(&[self.scenario.seed, 15, index as u64, u64::from(attempt)])),
                reserve,
                least: reserve,
                repeatable: false,
                optional: true,
                title: String::new(),
                name: String::new(),
            };
            return Event::StagePlanned { stage, attempt, wave, calls: vec![call], cut: Cut::default() };
        }
        // What was handed over says what the old conversation says.
        let shown = wave - u32::from(hands_over && wave > node.tool_waves);
        let shape = &self.scenario.shapes[index];
        let model = wave >= self.state.graph.nodes[index].tool_waves;
        let child = model && self.state.graph.nodes[index].child.is_some();
        // A child run makes up to four calls.
        let six = |unit: Reserve| Reserve { cost: NanoUsd(6 * unit.cost.0), tokens: 6 * unit.tokens };
        let input = self.so_far(&stage, shown);
        let call = |item: u32| PlannedCall {
            request: digest(hash(&[input, u64::from(shown), u64::from(item)])),
            reserve: match (model, child) {
                (true, true) => six(shape.reserve),
                (true, false) => shape.reserve,
                (false, _) => Reserve::default(),
            },
            least: if child { shape.reserve } else { Reserve::default() },
            repeatable: !model && shape.repeatable,
            optional: shape.optional,
            title: String::new(),
            name: String::new(),
        };
        let calls = (0..shape.calls[shown as usize]).map(call).collect();
        Event::StagePlanned { stage, attempt, wave, calls, cut: Cut::default() }
    }

    pub fn complete(&self, stage: StageId, attempt: u32) -> Event {
        let node = self.state.graph.node(&stage).unwrap();
        let output = self.so_far(&stage, node.waves());
        let verifies = self.state.graph.repair_units.iter().any(|unit| unit.stages.last() == Some(&stage));
        let (passed, score) = self.scenario.verdict(output);
        let repaired = verifies && self.state.stage(&stage).unwrap().iteration > 0;
        Event::StageCompleted {
            stage,
            attempt,
            output: digest(output),
            summary: String::new(),
            passed: verifies.then_some(passed),
            scores: if verifies { [("axis".to_owned(), score)].into() } else { Default::default() },
            warnings: Vec::new(),
            progress: (repaired && !passed).then(|| self.scenario.progress(output)).flatten(),
        }
    }

    /// The person answers one of the open pauses, perhaps twice.
    pub fn person_answers(&mut self, which: usize) {
        let pause = self.state.open_pauses().nth(which).unwrap().clone();
        let mut decision = Decision {
            choice: String::new(),
            action: Action::Proceed,
            text: None,
            answers: Default::default(),
            unattended: false,
            edited: false,
            because: None,
            follow_up: false,
            at: None,
        };
        let mut reply = None;
        match &pause.kind {
            PauseKind::Stage => self.answer_stage(&pause.stage, &mut decision),
            PauseKind::Ambiguous { .. } => decision.action = Action::Retry,
            PauseKind::Dialogue { .. } => decision.text = Some("go on".to_owned()),
            PauseKind::Child { .. } => reply = Some(digest(7)),
            PauseKind::Gate { unit } => decision.action = self.answer_gate(*unit),
            PauseKind::Permission { .. } => decision.action = self.answer_permission(&pause.stage),
            PauseKind::Handoff => {
                let hands_over = self.scenario.room(place(&pause.stage)).1;
                decision.action = if hands_over { Action::HandOver } else { Action::GoOn };
            }
            PauseKind::Budget => {
                self.raises += 1;
                let more = |limit: u64| limit + 100 * u64::from(self.raises);
                let old = self.state.budget;
                let budget = Budget {
                    cost: old.cost.map(|cost| NanoUsd(more(cost.0))),
                    tokens: old.tokens.map(more),
                    active_ms: old.active_ms.map(more),
                };
                let budget = if self.raises > 8 { Budget::default() } else { budget };
                decision.action = if self.rng.chance(95) { Action::Raise { budget } } else { Action::Cancel };
            }
        }
        let event = Event::Resumed { pause: pause.id, decision, reply };
        self.append(event.clone());
        if self.rng.below(4) == 0 {
            self.books.must_refuse(&self.state, event);
        }
    }

    /// What the person says at a gate. How often it was answered counts, so that nobody asks for ever.
    fn answer_gate(&self, unit: u32) -> Action {
        let kind = PauseKind::Gate { unit };
        let gates = self.state.pauses.iter().filter(|pause| pause.kind == kind && pause.decision.is_some());
        let count = gates.count() as u64;
        match self.scenario.gate(unit, count).below(100) {
            0..=2 => Action::Cancel,
            3..=54 if count < 3 => Action::Again,
            _ => Action::Certify,
        }
    }

    /// What the person says where a stage asks for permission.
    fn answer_permission(&self, stage: &StageId) -> Action {
        let before = self.state.pauses.iter().filter(|pause| {
            &pause.stage == stage
                && matches!(pause.kind, PauseKind::Permission { .. })
                && pause.decision.is_some()
        });
        match self.scenario.allows(place(stage), before.count() as u64) {
            true => Action::Permit,
            false => Action::Refuse,
        }
    }

    fn answer_stage(&mut self, stage: &StageId, decision: &mut Decision) {
        let before = self.state.pauses.iter().filter(|pause| {
            &pause.stage == stage && pause.kind == PauseKind::Stage && pause.decision.is_some()
        });
        let count = before.count() as u64;
        let mut rng = self.scenario.answer(place(stage), count);
        if rng.chance(20) {
            let output = digest(rng.next());
            self.append(Event::Edited { stage: stage.clone(), output, depth: None });
        }
        let skips = self.state.graph.node(stage).unwrap().skips.first().cloned();
        match rng.below(100) {
            0..=19 if count < 3 => {
                let feedback = "x".repeat(1 + count as usize);
                self.append(Event::Amended { stage: stage.clone(), feedback });
                decision.action = Action::Amend;
            }
            20..=49 => decision.text = Some("y".repeat(1 + count as usize)),
            50..=79 => {
                if let Some(stage) =
                    skips.filter(|id| self.state.stage(id).unwrap().phase == pipeline::Phase::Pending)
                {
                    decision.action = Action::Skip { stage };
                }
            }
            80 | 81 => decision.action = Action::Cancel,
            _ => {}
        }
    }
}
