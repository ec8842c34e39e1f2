//! Whether one run is better than another, or only luckier: the paired bootstrap over queries.

use super::measures::Scores;

/// How often the queries are drawn again, with replacement.
const DRAWS: usize = 10_000;

/// One run against another, by nDCG at 10.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Mean difference; above zero the first run is better.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub low: f64,
    /// See `low`.
    pub high: f64,
    /// Queries for which the first run is better, and for which the second is.
    pub better: usize,
    /// See `better`.
    pub worse: usize,
}

/// Compares two runs over the queries that both were scored on. The draws are the same every time.
pub fn compare(one: &Scores, other: &Scores) -> Comparison {
    let pairs = one.each.iter().filter_map(|(query, one)| Some(one.ndcg_10 - other.each.get(query)?.ndcg_10));
    let differences: Vec<f64> = pairs.collect();
    let count = differences.len();
    let mean = |sum: f64| sum / count.max(1) as f64;
    let mut state = 0_u64;
    let mut draws: Vec<f64> = (0..DRAWS)
        .map(|_| mean((0..count).map(|_| differences[(next(&mut state) % count as u64) as usize]).sum()))
        .collect();
    draws.sort_unstable_by(f64::total_cmp);
    Comparison {
        difference: mean(differences.iter().sum()),
        low: draws[DRAWS / 40],
        high: draws[DRAWS - 1 - DRAWS / 40],
        better: differences.iter().filter(|&&difference| difference > 0.0).count(),
        worse: differences.iter().filter(|&&difference| difference < 0.0).count(),
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
