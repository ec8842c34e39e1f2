//! The requests of a run under another strategy. Nothing here is measured; the formulas stand in the help.

use std::collections::BTreeMap;

use domain::{NanoUsd, RunId, Usage};
use llm::ModelInfo;
use protocol::{StrategyTokens, TokenStrategy};

use super::sections::Piece;

/// Tokens of one earlier output's handoff: its summary, decisions, files and open questions.
const HANDOFF_TOKENS: u64 = 500;

/// A request as it was sent, with what the strategies need to know of it.
#[derive(Debug, Clone)]
pub struct Sent {
    pub run: RunId,
    pub model: ModelInfo,
    pub pieces: Vec<Piece>,
    /// Sections that show outputs or handoffs of earlier stages.
    pub carried: Vec<String>,
    /// Tokens of each earlier stage's whole output.
    pub earlier: Vec<u64>,
    /// Tokens of the answer.
    pub output: u64,
}

/// What the requests of a run, and of its child runs, would have been.
pub fn under(strategy: TokenStrategy, sent: &[Sent]) -> StrategyTokens {
    let mut sum = StrategyTokens { strategy, input: 0, cached: 0, output: 0, cost: NanoUsd::default() };
    // By run: what its conversation holds, and the requests that went before.
    let mut conversations: BTreeMap<&RunId, u64> = BTreeMap::new();
    let mut before: Vec<&Sent> = Vec::new();
    for request in sent {
        let whole: u64 = request.pieces.iter().map(|piece| piece.tokens).sum();
        let carried: u64 = tokens(request, |piece| request.carried.contains(&piece.name));
        let shared = before.iter().filter(|earlier| earlier.model.id == request.model.id);
        let shared = shared.map(|earlier| common(earlier, request)).max().unwrap_or(0);
        let (mut input, mut cached) = match strategy {
            TokenStrategy::Fresh => (whole - shared, shared),
            TokenStrategy::Naive => {
                let outputs: u64 = request.earlier.iter().sum();
                (whole - shared.min(whole - carried) - carried + outputs, shared.min(whole - carried))
            }
            TokenStrategy::Handoff => {
                let handoffs: u64 = request.earlier.iter().map(|output| (*output).min(HANDOFF_TOKENS)).sum();
                (whole - shared.min(whole - carried) - carried + handoffs, shared.min(whole - carried))
            }
            TokenStrategy::Continue => {
                let held = conversations.entry(&request.run).or_default();
                let fixed = tokens(request, |piece| matches!(piece.name.as_str(), "tools" | "system"));
                let new = if *held == 0 { whole } else { whole.saturating_sub(carried + fixed) };
                let read = *held;
                *held = held.saturating_add(new).saturating_add(request.output);
                (new, read)
            }
        };
        if cached < request.model.abilities.cache_min {
            (input, cached) = (input + cached, 0);
        }
        let usage = Usage { input, cache_read: cached, output: request.output, ..Usage::default() };
        sum.input += input;
        sum.cached += cached;
        sum.output += request.output;
        sum.cost += request.model.cost(&usage);
        before.push(request);
    }
    sum
}

fn tokens(request: &Sent, wanted: impl Fn(&Piece) -> bool) -> u64 {
    request.pieces.iter().filter(|piece| wanted(piece)).map(|piece| piece.tokens).sum()
}

/// The tokens of the whole sections with which two requests begin alike.
fn common(earlier: &Sent, request: &Sent) -> u64 {
    let same = earlier.pieces.iter().zip(&request.pieces).take_while(|(a, b)| a == b && a.name != "format");
    same.map(|(piece, _)| piece.tokens).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(sections: &[(&str, &str, u64)], earlier: &[u64]) -> Sent {
        let piece = |(name, text, tokens): &(&str, &str, u64)| Piece {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
            tokens: *tokens,
        };
        let mut model = ModelInfo::free("m", "p", 100_000, 10_000);
        model.abilities.cache_min = 0;
        Sent {
            run: RunId("r".to_owned()),
            model,
            pieces: sections.iter().map(piece).collect(),
            carried: vec!["PLAN".to_owned()],
            earlier: earlier.to_vec(),
            output: 10,
        }
    }

    #[test]
    fn each_strategy_is_its_formula() {
        let first = sent(&[("system", "s", 100), ("REQUEST", "q", 20)], &[]);
        let second = sent(&[("system", "s", 100), ("REQUEST", "q", 20), ("PLAN", "p", 300)], &[2_000]);
        let third =
            sent(&[("system", "s", 100), ("REQUEST", "other", 20), ("PLAN", "p", 300)], &[2_000, 400]);
        let all = [first, second, third];
        let figures = |strategy| {
            let sum = under(strategy, &all);
            (sum.input, sum.cached, sum.output)
        };
        // 120; 120 cached and 300 new; 100 cached and 320 new.
        assert_eq!(figures(TokenStrategy::Fresh), (120 + 300 + 320, 120 + 100, 30));
        // The plan's section gives way to whole outputs: 2,000, then 2,400.
        assert_eq!(figures(TokenStrategy::Naive), (120 + 2_000 + 20 + 2_400, 120 + 100, 30));
        // And to handoffs of at most 500 tokens.
        assert_eq!(figures(TokenStrategy::Handoff), (120 + 500 + 20 + 900, 120 + 100, 30));
        // One conversation: 120 + 10; then the request alone is new.
        assert_eq!(figures(TokenStrategy::Continue), (120 + 20 + 20, 130 + 160, 30));
    }

    #[test]
    fn a_beginning_too_short_for_the_cache_is_paid_in_full() {
        let mut twice = [sent(&[("system", "s", 100)], &[]), sent(&[("system", "s", 100)], &[])];
        for request in &mut twice {
            request.model.abilities.cache_min = 1_024;
        }
        let sum = under(TokenStrategy::Fresh, &twice);
        assert_eq!((sum.input, sum.cached), (200, 0));
    }
}
