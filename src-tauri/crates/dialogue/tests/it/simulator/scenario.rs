//! What one seed stands for: the turn's bounds, and how likely everything is that the world does to it.

use dialogue::{Bounds, Origin};
use domain::{Budget, Digest, NanoUsd, Reserve, RunId};

/// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
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

pub fn digest(number: u64) -> Digest {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Digest(bytes)
}

/// The most that any call to the model sets aside, in money and in tokens.
pub const DEAREST: u64 = 40;

pub struct Scenario {
    pub origin: Origin,
    pub bounds: Bounds,
    /// Of a hundred answers: those with calls of tools.
    pub busy: u64,
    /// Of a hundred calls to the model or of tools: those that fail.
    pub failing: u64,
    /// Of a hundred answers: those that are empty.
    pub empty: u64,
    /// How many different calls the model knows.
    pub vocabulary: u64,
    /// Of a hundred requests: those that do not fit the window.
    pub long: u64,
    /// Of a hundred calls: those for which the person is asked.
    pub asking: u64,
    pub crashes: u64,
    pub steers: bool,
    pub stops: bool,
    pub suspends: bool,
}

impl Scenario {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng(seed.wrapping_mul(0xa076_1d64_78bd_642f));
        let limit = |rng: &mut Rng, most: u64| rng.chance(25).then(|| rng.below(most));
        let budget = Budget {
            cost: limit(&mut rng, DEAREST * 20).map(NanoUsd),
            tokens: limit(&mut rng, DEAREST * 20),
            active_ms: limit(&mut rng, 600),
        };
        let origin = match rng.below(40) {
            0 => Origin::Compaction,
            1..=4 => Origin::Stage { run: RunId::from("r"), stage: String::new() },
            _ => Origin::Person,
        };
        Self {
            origin,
            bounds: Bounds {
                iterations: 1 + rng.below(20) as u32,
                tool_calls: rng.below(50) as u32,
                repeats: rng.below(5) as u32,
                parallel: rng.below(4) as u32,
                tries: 1 + rng.below(3) as u32,
                budget,
            },
            busy: 50 + rng.below(50),
            failing: rng.below(2) * rng.below(30),
            empty: rng.below(2) * rng.below(40),
            vocabulary: 1 + rng.below(6) * rng.below(20),
            long: rng.below(2) * rng.below(30),
            asking: rng.below(40),
            crashes: rng.below(6),
            steers: rng.chance(40),
            stops: rng.chance(40),
            suspends: rng.chance(40),
        }
    }

    /// What a request sets aside.
    pub fn reserve(&self, rng: &mut Rng) -> Reserve {
        Reserve { cost: NanoUsd(1 + rng.below(DEAREST)), tokens: 1 + rng.below(DEAREST) }
    }
}
