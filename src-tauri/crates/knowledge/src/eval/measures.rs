//! What a run is worth: nDCG with linear gains, recall, the rank of the first relevant document, and whether the first few
//! hold all of them.

use std::collections::BTreeMap;

use super::collection::Judgments;
use super::run::Run;

const DEPTH: usize = 10;
const DEEP: usize = 100;
const ALL: usize = 8;

/// Measures of one query, or their means.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// nDCG at 10.
    pub ndcg_10: f64,
    /// Share of the relevant documents among the first 100.
    pub recall_100: f64,
    /// 1 by the rank of the first relevant document among the first 100.
    pub mrr: f64,
    /// Whether the first 8 hold every relevant document; as a mean the share of queries for which they do.
    pub all_8: f64,
}

/// Measures of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// Over all judged queries; one without results counts 0.
    pub mean: Measures,
    /// By query.
    pub each: BTreeMap<String, Measures>,
}

/// Scores a run against judgments.
pub fn score(run: &Run, judgments: &Judgments) -> Scores {
    let each: BTreeMap<String, Measures> = judgments
        .iter()
        .map(|(query, grades)| (query.clone(), measured(&run.ranked(query), grades)))
        .collect();
    let count = each.len().max(1) as f64;
    let mean = |of: fn(&Measures) -> f64| each.values().map(of).sum::<f64>() / count;
    let mean = Measures {
        ndcg_10: mean(|one| one.ndcg_10),
        recall_100: mean(|one| one.recall_100),
        mrr: mean(|one| one.mrr),
        all_8: mean(|one| one.all_8),
    };
    Scores { mean, each }
}

fn measured(ranked: &[&str], grades: &BTreeMap<String, i64>) -> Measures {
    let discounted = |grades: &mut dyn Iterator<Item = i64>| -> f64 {
        grades.take(DEPTH).zip(2..).map(|(grade, rank)| grade as f64 / f64::from(rank).log2()).sum()
    };
    let grade = |document: &str| grades.get(document).copied().unwrap_or(0);
    let mut ideal: Vec<i64> = grades.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let best = discounted(&mut ideal.into_iter());
    let gain = discounted(&mut ranked.iter().map(|document| grade(document)));
    let relevant = grades.values().filter(|&&grade| grade > 0).count();
    let deep = &ranked[..ranked.len().min(DEEP)];
    let complete =
        relevant > 0 && ranked.iter().take(ALL).filter(|document| grade(document) > 0).count() == relevant;
    let found = deep.iter().filter(|document| grade(document) > 0).count();
    let first = deep.iter().position(|document| grade(document) > 0);
    Measures {
        ndcg_10: if best > 0.0 { gain / best } else { 0.0 },
        recall_100: found as f64 / relevant.max(1) as f64,
        mrr: first.map_or(0.0, |at| 1.0 / (at + 1) as f64),
        all_8: f64::from(u8::from(complete)),
    }
}
