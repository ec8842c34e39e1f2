//! Judgements kept over runs: a pair that a judge has read before, shown the same way, is not paid for again.
//!
//! What is known is put beside the pairs of a check before its result is recorded, so that a log stays the whole truth about
//! its run.

use std::collections::BTreeMap;

use domain::Digest;
use domain::agent::{Stage, StageKind};
use serde_json::{Value, json};
use store::{Store, StoredJudgement};

use crate::run::pinned::Pinned;

/// The field of a check's result that holds what is known of its pairs.
const KNOWN: &str = "known";

/// Everything that a judge of one stage is shown besides a pair, as a digest.
#[derive(Debug, Clone)]
pub(crate) struct JudgeSetting(Digest);

impl JudgeSetting {
    /// Of a stage whose model judges; `None` for every other one.
    pub(crate) fn new(pinned: &Pinned, stage: &Stage, question: &str) -> Option<Self> {
        let prompt = stage.prompt.as_ref().filter(|_| stage.kind == StageKind::Verify)?;
        if pinned.is_offline() {
            return None;
        }
        let (model, info) = pinned.asks(stage);
        let schema = pinned.schemas.get(&stage.id).map(Value::to_string);
        Some(Self(Digest::of_json(&json!({
            "question": question,
            "model": [info.provider, model],
            "prompt": pinned.prompts.get(prompt),
            "schema": schema,
            "shown": stage.context,
            "effort": stage.effort,
        }))))
    }

    /// The key of a pair: of its statement and its evidence, whatever numbers it has in this answer.
    fn key(&self, pair: &Value) -> [u8; 32] {
        let content = [pair.get("statement"), pair.get("row"), pair.get("evidence")];
        Digest::of_json(&json!([self.0, content])).0
    }

    /// The pairs of a check's result by their own keys.
    fn keys(&self, found: &Value) -> BTreeMap<String, [u8; 32]> {
        let pairs = found.get("pairs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let own = |pair: &Value| Some((pair.get("key")?.as_str()?.to_owned(), self.key(pair)));
        pairs.iter().filter_map(own).collect()
    }

    /// The result of a check with what is known of its pairs. What can't be read is not known.
    pub(crate) async fn recalled(&self, store: &Store, mut found: Value) -> Value {
        let keys = self.keys(&found);
        let asked: Vec<[u8; 32]> = keys.values().copied().collect();
        let kept = match store.judgements(&asked).await {
            Ok(kept) => kept,
            Err(error) => {
                tracing::warn!("judgements of earlier runs can't be read: {error}");
                return found;
            }
        };
        let kept: BTreeMap<[u8; 32], StoredJudgement> = kept.into_iter().map(|one| (one.key, one)).collect();
        let known: Vec<Value> = keys
            .iter()
            .filter_map(|(own, key)| {
                let StoredJudgement { finding, words, reason, .. } = kept.get(key)?;
                Some(json!({ "key": own, "finding": finding, "words": words, "reason": reason }))
            })
            .collect();
        if let (false, Some(fields)) = (known.is_empty(), found.as_object_mut()) {
            fields.insert(KNOWN.to_owned(), Value::Array(known));
        }
        found
    }

    /// What the judge found in a check that has ended, to be kept.
    pub(crate) fn to_keep(&self, output: &Value) -> Vec<StoredJudgement> {
        let Some(answer) = output.get("answer") else { return Vec::new() };
        let keys = self.keys(answer);
        let judgements = answer.get("judgements").and_then(Value::as_array);
        let text =
            |one: &Value, name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        judgements
            .into_iter()
            .flatten()
            .filter_map(|one| {
                Some(StoredJudgement {
                    key: *keys.get(one.get("key")?.as_str()?)?,
                    finding: one.get("finding")?.as_str()?.to_owned(),
                    words: text(one, "words"),
                    reason: text(one, "reason"),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_pair_is_known_by_what_it_says_and_not_by_its_number() {
        let setting = JudgeSetting(Digest::of("a"));
        let pair = |n: u64, statement: &str, row: Value| json!({ "n": n, "key": "k", "statement": statement, "row": row, "evidence": ["e"] });
        let key = |pair: Value| setting.key(&pair);
        assert_eq!(key(pair(1, "It is so.", Value::Null)), key(pair(9, "It is so.", Value::Null)));
        assert_ne!(key(pair(1, "It is so.", Value::Null)), key(pair(1, "It is not so.", Value::Null)));
        assert_ne!(key(pair(1, "It is so.", Value::Null)), key(pair(1, "It is so.", json!("Fee"))));
        assert_ne!(
            key(pair(1, "s", Value::Null)),
            JudgeSetting(Digest::of("b")).key(&pair(1, "s", Value::Null))
        );
    }
}
