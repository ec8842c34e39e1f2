//! The requests of a run under another strategy. Nothing here is measured; the formulas stand in the help.

use std::collections::BTreeMap;

use domain::{Digest, NanoUsd, RunId, Usage};
use llm::ModelInfo;
use protocol::{StrategyTokens, TokenStrategy};

use super::sections::{ANSWERS, FORMAT, Piece};

/// Tokens of one earlier output's handoff: its summary, decisions, files and open questions.
const HANDOFF_TOKENS: u64 = 500;

/// A request as it was sent, with what the strategies need to know of it.
#[derive(Debug, Clone)]
pub struct Sent {
    pub run: RunId,
    pub model: ModelInfo,
    pub pieces: Vec<Piece>,
    /// Sections that show outputs or handoffs of earlier stages, or the conversation in which they were made.
    pub carried: Vec<String>,
    /// Tokens of each earlier stage's whole output.
    pub earlier: Vec<u64>,
    /// Tokens of the answer.
    pub output: u64,
    /// Whether it goes on with the results of tools where the request before it left off.
    pub goes_on: bool,
}

/// What the requests of a run, and of its child runs, would have been.
pub fn under(strategy: TokenStrategy, sent: &[Sent]) -> StrategyTokens {
    let mut sum = StrategyTokens { strategy, input: 0, cached: 0, output: 0, cost: NanoUsd::default() };
    // By run: what its conversation holds, and the requests that went before.
    let mut conversations: BTreeMap<&RunId, u64> = BTreeMap::new();
    let mut before: Vec<(&Sent, Vec<Piece>)> = Vec::new();
    for request in sent {
        let pieces = match strategy {
            TokenStrategy::Fresh | TokenStrategy::Continue => request.pieces.clone(),
            TokenStrategy::Naive => request.with_outputs(u64::MAX),
            TokenStrategy::Handoff => request.with_outputs(HANDOFF_TOKENS),
        };
        let whole: u64 = pieces.iter().map(|piece| piece.tokens).sum();
        let (mut input, mut cached) = match strategy {
            TokenStrategy::Fresh | TokenStrategy::Naive | TokenStrategy::Handoff => {
                let same = before.iter().filter(|(earlier, _)| earlier.model.id == request.model.id);
                let shared = same.map(|(_, earlier)| common(earlier, &pieces)).max().unwrap_or(0);
                (whole - shared, shared)
            }
            TokenStrategy::Continue => {
                let held = conversations.entry(&request.run).or_default();
                let last = before.last().filter(|_| request.goes_on);
                let kept = last.map_or(0, |(_, earlier)| same(earlier, &pieces));
                let fixed = |piece: &Piece| *held > 0 && matches!(piece.name.as_str(), "tools" | "system");
                let carried = |piece: &Piece| *held > 0 && request.carried.contains(&piece.name);
                let said = |piece: &Piece| piece.name == ANSWERS;
                let new =
                    pieces[kept..].iter().filter(|piece| !fixed(piece) && !carried(piece) && !said(piece));
                let new: u64 = new.map(|piece| piece.tokens).sum();
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
        before.push((request, pieces));
    }
    sum
}

impl Sent {
    /// Its pieces with outputs of earlier stages, each cut to so many tokens, in place of those that carry them.
    fn with_outputs(&self, most: u64) -> Vec<Piece> {
        let is_carried = |piece: &Piece| self.carried.contains(&piece.name);
        let end = self.pieces.iter().rposition(|piece| piece.name != FORMAT).map_or(0, |last| last + 1);
        let place = self.pieces.iter().position(is_carried).unwrap_or(end);
        let outputs = Piece {
            name: "outputs".to_owned(),
            text: Digest::of(format!("{:?}", self.earlier)),
            tokens: self.earlier.iter().map(|output| (*output).min(most)).sum(),
        };
        let (head, tail) = self.pieces.split_at(place);
        let tail = tail.iter().filter(|piece| !is_carried(piece)).cloned();
        head.iter().cloned().chain([outputs]).chain(tail).collect()
    }
}

/// The tokens of the whole pieces with which two requests begin alike.
fn common(earlier: &[Piece], pieces: &[Piece]) -> u64 {
    pieces[..same(earlier, pieces)].iter().map(|piece| piece.tokens).sum()
}

/// How many pieces two requests begin with alike, under whichever name.
fn same(earlier: &[Piece], pieces: &[Piece]) -> usize {
    let alike = |(a, b): &(&Piece, &Piece)| a.text == b.text && a.tokens == b.tokens && a.name != FORMAT;
    earlier.iter().zip(pieces).take_while(alike).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(sections: &[(&str, &str, u64)], earlier: &[u64]) -> Sent {
        let piece = |(name, text, tokens): &(&str, &str, u64)| Piece {
            name: (*name).to_owned(),
            text: Digest::of(text),
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
            goes_on: false,
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
    fn a_stage_that_calls_tools_in_a_shared_conversation_carries_it_once() {
        let first = sent(&[("system", "s", 100), ("text", "ideas", 50)], &[]);
        let said = [("conversation", "ideas", 50), ("conversation", "answer", 10)];
        let own = [("text", "implement", 30)];
        let steps = [("answers", "read", 5), ("results", "file", 400)];
        let stage: Vec<_> = [("system", "s", 100)].iter().chain(&said).chain(&own).copied().collect();
        let second = sent(&stage, &[2_000]);
        let stage: Vec<_> = stage.iter().chain(&steps).copied().collect();
        let third = Sent { goes_on: true, ..sent(&stage, &[2_000]) };
        let all =
            [first, second, third].map(|sent| Sent { carried: vec!["conversation".to_owned()], ..sent });
        let figures = |strategy| {
            let sum = under(strategy, &all);
            (sum.input, sum.cached)
        };
        // 150; 150 cached and 40 new; 190 cached and 405 new.
        assert_eq!(figures(TokenStrategy::Fresh), (150 + 40 + 405, 150 + 190));
        // Without the conversation, with the whole output of the first stage, which the second request of the stage finds
        // in the cache: 100 cached and 2,030 new; 2,130 cached and 405 new.
        assert_eq!(figures(TokenStrategy::Naive), (150 + 2_030 + 405, 100 + 2_130));
        // Of the results alone nothing was read yet.
        assert_eq!(figures(TokenStrategy::Continue), (150 + 30 + 400, 160 + 200));
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
