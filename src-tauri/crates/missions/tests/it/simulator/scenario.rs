//! What one seed stands for: the terms of a mission, what its agents find, and what the world does to it.

use domain::mission::{
    AgendaItem, AgendaKind, AgendaStatus, DraftFacts, GraphCounts, GraphFacts, ItemId, MILLION, MissionPause,
};
use domain::{Budget, Digest, NanoUsd};
use missions::{Criteria, Essential, InvocationKey, Limits, Proposal, Terms};

use crate::rig::{assign, reserve, staffed};

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

/// A number that depends on what is given alone.
pub fn hash(parts: &[u64]) -> u64 {
    parts.iter().fold(0x51_7cc1, |sum, part| Rng(sum ^ part.wrapping_mul(0xa076_1d64_78bd_642f)).next())
}

pub fn digest(number: u64) -> Digest {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    Digest(bytes)
}

/// What an agent does, whenever and however often it is gone on with.
pub struct Behaviour {
    /// What its run uses in all.
    pub need: u64,
    pub asks: bool,
    pub fails: bool,
}

#[derive(Clone)]
pub struct Scenario {
    pub seed: u64,
    pub terms: Terms,
    /// The most that an invocation may use.
    pub reserve: u64,
    /// Of a hundred: those that fail.
    failing: u64,
    /// Of a hundred: those that ask the user.
    asking: u64,
    /// Of a hundred: proposals that break a rule.
    nonsense: u64,
    /// Whether it takes several results to know more.
    slow: u64,
}

impl Scenario {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng(hash(&[seed, 1]));
        let mut terms = staffed();
        let limit = |rng: &mut Rng, most: u64| rng.chance(35).then(|| 20 + rng.below(most));
        let count = |rng: &mut Rng, most: u64| rng.chance(35).then(|| rng.below(most) as u32);
        let budget = Budget {
            cost: limit(&mut rng, 900).map(NanoUsd),
            tokens: limit(&mut rng, 900),
            active_ms: limit(&mut rng, 600),
        };
        let caps =
            ["reader", "searcher", "writer", "coordinator"].map(|slug| (slug.into(), count(&mut rng, 6)));
        terms.limits = Limits {
            budget,
            invocations: count(&mut rng, 25),
            per_agent: caps.into_iter().filter_map(|(slug, cap)| Some((slug, cap?))).collect(),
            // The analyses of a mission without any limit still come to an end: nothing new is found some time.
            iterations: count(&mut rng, 9),
        };
        terms.essential = Essential { reserve: reserve(rng.below(80)), active_ms: rng.below(60) };
        let roles = &mut terms.roles;
        for role in [
            &mut roles.split,
            &mut roles.plan,
            &mut roles.coordinate,
            &mut roles.synthesise,
            &mut roles.review,
        ] {
            role.take_if(|_| rng.chance(25));
        }
        terms.criteria =
            Criteria { coverage: Some(MILLION / 2 + rng.below(500_000) as u32), ..Criteria::default() };
        terms.max_parallel = 1 + rng.below(4) as u32;
        terms.no_progress_rounds = 1 + rng.below(3) as u32;
        terms.review_rounds = rng.below(3) as u32;
        let pauses = [MissionPause::Plan, MissionPause::Limit, MissionPause::NoProgress, MissionPause::Hosts];
        terms.pauses = pauses.into_iter().filter(|_| rng.chance(30)).collect();
        Self {
            seed,
            terms,
            reserve: 20 + rng.below(60),
            failing: rng.below(2) * rng.below(40),
            asking: rng.below(2) * rng.below(30),
            nonsense: rng.below(60),
            slow: 1 + rng.below(8),
        }
    }

    /// Whether money, tokens or time can run out: then what happens depends on when it does.
    pub fn is_bounded(&self) -> bool {
        self.terms.limits.budget != Budget::default()
    }

    pub fn behaviour(&self, key: InvocationKey) -> Behaviour {
        let mut rng = Rng(hash(&[self.seed, 2, u64::from(key.iteration), u64::from(key.slot)]));
        Behaviour {
            need: 1 + rng.below(self.reserve + 4),
            asks: rng.chance(self.asking),
            fails: rng.chance(self.failing),
        }
    }

    /// What is known once so much was integrated: the same in every order of arrival.
    pub fn facts(&self, version: u64, integrated: &[InvocationKey]) -> GraphFacts {
        let found = integrated.iter().fold(hash(&[self.seed, 3]), |sum, key| {
            hash(&[sum, u64::from(key.iteration), u64::from(key.slot)])
        });
        let mut rng = Rng(found);
        let count = integrated.len() as u64;
        let known = (count / self.slow) as u32;
        let items = (0..6 + count % 5).map(|n| {
            let kind = if n % 4 == 3 { AgendaKind::Contradiction } else { AgendaKind::Gap };
            let (capability, age) = if n % 4 == 3 { ("checking", count / 2) } else { ("reading", count / 3) };
            AgendaItem {
                id: ItemId(format!("g{n}")),
                kind,
                priority: (1 + rng.below(10)) as u8,
                capability: if rng.chance(5) { "singing".to_owned() } else { capability.to_owned() },
                fingerprint: digest(hash(&[n, age])),
                depends_on: if n > 4 { vec![ItemId(format!("g{}", n - 4))] } else { Vec::new() },
                status: match rng.below(6) {
                    0 => AgendaStatus::Done,
                    1 => AgendaStatus::Dropped,
                    2 => AgendaStatus::Tried,
                    _ => AgendaStatus::Pending,
                },
            }
        });
        let agenda = items.collect();
        let counts = GraphCounts { supported_claims: known, sources: known, ..GraphCounts::default() };
        let coverage = (rng.below(150_000) as u32 + known * 100_000).min(MILLION);
        GraphFacts {
            version,
            counts,
            coverage,
            confidence: rng.below(20_000) as u32,
            agenda,
            ..GraphFacts::default()
        }
    }

    pub fn proposal(&self, key: InvocationKey, facts: &GraphFacts) -> Proposal {
        let mut rng = Rng(hash(&[self.seed, 4, u64::from(key.iteration), u64::from(key.slot)]));
        if rng.chance(3) {
            return Proposal { exit: true, ..Proposal::default() };
        }
        let item = |rng: &mut Rng| facts.agenda[rng.below(facts.agenda.len() as u64) as usize].id.0.clone();
        let agents = if rng.chance(self.nonsense) {
            ["nobody", "writer", "checker"].as_slice()
        } else {
            &["reader", "searcher"]
        };
        let agent = |rng: &mut Rng| agents[rng.below(agents.len() as u64) as usize];
        let assignments = (0..rng.below(4)).map(|_| assign(agent(&mut rng), &item(&mut rng))).collect();
        Proposal { assignments, exit: false }
    }

    pub fn quality(&self, key: Option<InvocationKey>) -> u32 {
        let key = key.unwrap_or_default();
        hash(&[self.seed, 5, u64::from(key.iteration), u64::from(key.slot)]) as u32 % MILLION
    }

    /// What a draft tells of so many findings; in half of the missions it is not measured, as in those of earlier programs.
    pub fn draft_facts(&self, key: Option<InvocationKey>, known: u32) -> Option<DraftFacts> {
        let key = key.unwrap_or_default();
        let mut rng = Rng(hash(&[self.seed, 9, u64::from(key.iteration), u64::from(key.slot)]));
        let mut share = || rng.below(u64::from(MILLION) + 1) as u32;
        let (sections, open, told) = (share(), share(), share());
        let told = (u64::from(told) * u64::from(known) / u64::from(MILLION)) as u32;
        self.seed.is_multiple_of(2).then_some(DraftFacts { told, known, sections, open })
    }

    /// Whether an earlier mission's result stands for an invocation.
    pub fn reuses(&self, key: InvocationKey) -> bool {
        hash(&[self.seed, 7, u64::from(key.iteration), u64::from(key.slot)]).is_multiple_of(8)
    }

    /// A host of which pages were left out in an invocation.
    pub fn left_out(&self, key: InvocationKey) -> Option<String> {
        let drawn = hash(&[self.seed, 8, u64::from(key.iteration), u64::from(key.slot)]);
        (drawn.is_multiple_of(5)).then(|| format!("h{}", drawn / 5 % 3))
    }

    /// Gaps that a review raises.
    pub fn raised(&self, key: InvocationKey) -> u32 {
        hash(&[self.seed, 6, u64::from(key.iteration), u64::from(key.slot)]) as u32 % 2
    }
}
