//! What one seed stands for: a graph of stages, what its calls give, what the person answers. All of it is a pure
//! function of the seed, so that the same decisions and results come back under any schedule of crashes.

use std::sync::{Arc, OnceLock};

use domain::agent::{
    AgentConfig, Choice, ChoiceAction, Conversation, OnAmbiguous, OnExhausted, PauseSpec, RepairUnit, Stage,
    StageKind, Step,
};
use domain::{Budget, Digest, NanoUsd, Reserve, StageId};
use pipeline::{CallKey, Graph};

/// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// From 0 up to, but not including, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash of some numbers.
pub fn hash(parts: &[u64]) -> u64 {
    parts.iter().fold(0x51_7cc1_b727_220a, |sum, part| {
        mix(sum.wrapping_add(*part).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    })
}

pub fn digest(number: u64) -> Digest {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Digest(bytes)
}

pub fn number(digest: &Digest) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest.0[..8]);
    u64::from_le_bytes(bytes)
}

/// What a stage's calls are like.
pub struct Shape {
    /// Calls by wave.
    pub calls: Vec<u32>,
    pub optional: bool,
    pub repeatable: bool,
    /// Whether its `when` is false.
    pub gated: bool,
    pub reserve: Reserve,
}

pub struct Scenario {
    pub seed: u64,
    pub graph: Arc<Graph>,
    pub shapes: Vec<Shape>,
    pub budget: Budget,
    pub essential: Reserve,
    pub retry_ambiguous: bool,
    /// Whether the provider stays within what was reserved.
    pub honest: bool,
    /// Whether calls may fail, dawdle or give invalid answers.
    pub trouble: bool,
    pub chain: bool,
}

/// How a try ends outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Good,
    Invalid,
    /// It fails; the next try may be made after so many milliseconds.
    Fails(Option<u64>),
    /// It misses its deadline and ends later.
    Late,
}

fn template() -> &'static (AgentConfig, Stage, Step) {
    static TEMPLATE: OnceLock<(AgentConfig, Stage, Step)> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let config = serde_json::json!({
            "slug": "a", "name": "A", "description": "d", "controlFlow": { "stages": [
                { "id": "s", "name": "s", "title": "S", "kind": "tools", "steps": [ { "tool": "t/t" } ] }
            ] }
        });
        let mut config: AgentConfig = serde_json::from_value(config).unwrap();
        let mut stage = config.control_flow.stages.remove(0);
        let step = stage.steps.remove(0);
        (config, stage, step)
    })
}

fn id(index: usize) -> StageId {
    StageId(format!("s{index}"))
}

/// The stage's place in the graph; ids are `s0`, `s1` …
pub fn place(id: &StageId) -> usize {
    id.as_str()[1..].parse().unwrap()
}

impl Scenario {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng(hash(&[seed, 1]));
        let (mut config, plain, step) = template().clone();
        let count = 2 + (rng.below(7).min(rng.below(7))) as usize;
        let chain = rng.chance(50);
        // Some agents mostly talk.
        let mut talk = Rng(hash(&[seed, 16]));
        let talks = talk.chance(20);
        let mut shapes = Vec::new();
        for index in 0..count {
            let mut stage = plain.clone();
            stage.id = id(index);
            stage.kind = match rng.below(10) {
                0..=3 => StageKind::Model,
                4 | 5 => StageKind::Tools,
                6 => [StageKind::Agent, StageKind::Dialogue][rng.below(2) as usize],
                7 | 8 => StageKind::Verify,
                _ => StageKind::Render,
            };
            if talks && stage.kind == StageKind::Model && talk.chance(70) {
                stage.kind = StageKind::Dialogue;
            }
            if !chain {
                stage.depends_on = Some((0..index).filter(|_| rng.chance(40)).map(id).collect());
            }
            let tool_waves = match stage.kind {
                StageKind::Model => rng.below(2) * rng.below(2),
                StageKind::Tools | StageKind::Verify => 1 + rng.below(8) / 7,
                StageKind::Render | StageKind::Dialogue | StageKind::Agent => 0,
            };
            stage.steps = vec![step.clone(); tool_waves as usize];
            if rng.chance(22) {
                stage.pause = Some(PauseSpec { replan_on_answers: rng.chance(50), ..PauseSpec::default() });
            }
            stage.skippable = rng.chance(15);
            stage.essential = stage.kind == StageKind::Model && rng.chance(20);
            stage.limits.parallel = 1 + rng.below(3) as u32;
            stage.limits.attempts = 1 + rng.below(3) as u32;
            let mut calls: Vec<u32> =
                (0..tool_waves).map(|_| [1, 1, 2, 3, 0][rng.below(5) as usize]).collect();
            if stage.kind == StageKind::Agent {
                calls.push([1, 2, 3, 4][rng.below(4) as usize]);
            }
            if stage.kind == StageKind::Dialogue {
                calls.push(1);
                // The stages of a conversation wait for each other.
                let before = config.control_flow.stages.iter().rfind(|one| one.kind == StageKind::Dialogue);
                if let (Some(on), Some(before)) = (&mut stage.depends_on, before) {
                    on.push(before.id.clone());
                    on.dedup();
                }
            }
            if stage.kind == StageKind::Model {
                calls.push([1, 1, 1, 1, 1, 1, 2, 3, 0][rng.below(9) as usize]);
            }
            shapes.push(Shape {
                calls,
                optional: rng.chance(15),
                repeatable: rng.chance(80),
                gated: rng.chance(6),
                reserve: Reserve { cost: NanoUsd(50 + rng.below(100)), tokens: 50 + rng.below(100) },
            });
            config.control_flow.stages.push(stage);
        }
        if Rng(hash(&[seed, 9])).chance(80) {
            config.orchestrator.conversation = Conversation::Continue;
        }
        offer_skips(&mut config, &mut rng);
        config.control_flow.max_parallel = 1 + rng.below(4) as u32;
        config.orchestrator.on_ambiguous = if rng.chance(60) { OnAmbiguous::Retry } else { OnAmbiguous::Ask };
        let essential = shapes.iter().fold(Reserve::default(), |most, shape| Reserve {
            cost: most.cost.max(shape.reserve.cost),
            tokens: most.tokens.max(shape.reserve.tokens),
        });
        let graph = graph(&mut config, &mut rng);
        let all: u64 = shapes.iter().map(|shape| 100 * u64::from(shape.calls.iter().sum::<u32>())).sum();
        let mut limit = |percent| rng.chance(percent).then(|| 60 + rng.below(all * 3 / 2 + 300));
        let (cost, tokens, active_ms) = (limit(30), limit(15), limit(10));
        Self {
            seed,
            graph: Arc::new(graph),
            shapes,
            budget: Budget { cost: cost.map(NanoUsd), tokens, active_ms },
            essential,
            retry_ambiguous: rng.chance(30),
            honest: !rng.chance(10),
            trouble: rng.chance(80),
            chain,
        }
    }

    /// A chain of model stages with one call each and nothing else.
    pub fn serial(stages: usize) -> Self {
        let (mut config, plain, _) = template().clone();
        for index in 0..stages {
            config.control_flow.stages.push(Stage { id: id(index), kind: StageKind::Model, ..plain.clone() });
        }
        let shape = || Shape {
            calls: vec![1],
            optional: false,
            repeatable: false,
            gated: false,
            reserve: Reserve { cost: NanoUsd(100), tokens: 100 },
        };
        Self {
            seed: 7,
            graph: Arc::new(Graph::new(&config).unwrap()),
            shapes: (0..stages).map(|_| shape()).collect(),
            budget: Budget::default(),
            essential: Reserve::default(),
            retry_ambiguous: false,
            honest: true,
            trouble: false,
            chain: true,
        }
    }

    /// How a call ends that failed and was answered invalidly so often before.
    pub fn fate(&self, key: &CallKey, before: u64, model: bool) -> Fate {
        if !self.trouble {
            return Fate::Good;
        }
        let mut rng = Rng(hash(&[
            self.seed,
            2,
            place(&key.stage) as u64,
            u64::from(key.attempt),
            u64::from(key.wave),
            u64::from(key.item),
            before,
        ]));
        match rng.below(100) {
            0..=6 => Fate::Fails(Some(1 + rng.below(50))),
            7..=9 => Fate::Fails(Some(0)),
            10 | 11 => Fate::Fails(None),
            12..=16 => Fate::Late,
            17..=24 if model => Fate::Invalid,
            _ => Fate::Good,
        }
    }

    /// Whether a verify stage is content, and its score.
    pub fn verdict(&self, input: u64) -> (bool, i64) {
        let mut rng = Rng(hash(&[self.seed, 3, input]));
        (rng.chance(45), rng.below(5) as i64)
    }

    /// What a rule of progress says of a repair; not every scenario has one.
    pub fn progress(&self, input: u64) -> Option<bool> {
        let mut rng = Rng(hash(&[self.seed, 6, input]));
        Rng(hash(&[self.seed, 7])).chance(60).then(|| rng.chance(60))
    }

    /// Whether a tool call needs the person's permission.
    pub fn asks(&self, key: &CallKey) -> bool {
        let (stage, wave) = (place(&key.stage) as u64, u64::from(key.wave));
        Rng(hash(&[self.seed, 9, stage, wave, u64::from(key.item)])).chance(12)
    }

    /// Whether the person allows what a stage asks for at the so many-th time.
    pub fn allows(&self, stage: usize, number: u64) -> bool {
        Rng(hash(&[self.seed, 12, stage as u64, number])).chance(85)
    }

    /// Whether a conversation has too little room left for a stage, and whether the person lets it hand over then.
    pub fn room(&self, stage: usize) -> (bool, bool) {
        let mut rng = Rng(hash(&[self.seed, 10, stage as u64]));
        (rng.chance(50), rng.chance(70))
    }

    /// What the person does at the so many-th pause at a gate.
    pub fn gate(&self, unit: u32, number: u64) -> Rng {
        Rng(hash(&[self.seed, 8, u64::from(unit), number]))
    }

    /// What the person does at the so many-th pause on a stage's output.
    pub fn answer(&self, stage: usize, number: u64) -> Rng {
        Rng(hash(&[self.seed, 4, stage as u64, number]))
    }
}

/// Gives some pauses a choice that skips a stage which waits for the paused one.
fn offer_skips(config: &mut AgentConfig, rng: &mut Rng) {
    let stages = &mut config.control_flow.stages;
    for index in 0..stages.len() - 1 {
        let next = stages[index + 1].id.clone();
        let waits = match &stages[index + 1].depends_on {
            None => true,
            Some(on) => on.contains(&stages[index].id),
        };
        if let Some(pause) = stages[index].pause.as_mut()
            && waits
            && rng.chance(50)
        {
            pause.choices.push(Choice {
                id: "skip".to_owned(),
                label: "Skip".to_owned(),
                action: ChoiceAction::Skip,
                skips: Some(next),
                next: String::new(),
                when: None,
                unavailable: None,
                acts: Vec::new(),
                words: Vec::new(),
                matches: Vec::new(),
                never: Vec::new(),
            });
        }
    }
}

/// The graph, with a repair unit where one fits.
fn graph(config: &mut AgentConfig, rng: &mut Rng) -> Graph {
    for last in 1..config.control_flow.stages.len() {
        if config.control_flow.stages[last].kind == StageKind::Verify && rng.chance(75) {
            let first = last - 1 - (rng.below(2) as usize).min(last - 1);
            let unit = RepairUnit {
                stages: (first..=last).map(id).collect(),
                max_iterations: rng.below(3) as u32,
                stop_without_gain: rng.chance(10),
                name: None,
                title: None,
                progress: None,
                on_exhausted: [
                    OnExhausted::Best,
                    OnExhausted::Pause,
                    OnExhausted::Fail,
                    OnExhausted::Certify,
                ][rng.below(4) as usize],
            };
            config.control_flow.repair_units.push(unit);
            if Graph::new(config).is_err() {
                config.control_flow.repair_units.pop();
                continue;
            }
            // Of two pauses in one unit, amending at one makes the other ask again: the person's order would count.
            let paused: Vec<usize> =
                (first..=last).filter(|at| config.control_flow.stages[*at].pause.is_some()).collect();
            for at in paused.iter().skip(1) {
                config.control_flow.stages[*at].pause = None;
            }
        }
    }
    Graph::new(config).unwrap()
}
