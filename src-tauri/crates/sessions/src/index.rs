//! Texts of runs that an earlier version stored are indexed in the background.

use std::collections::HashMap;

use domain::Digest;
use protocol::Tag;
use store::{BlobHash, Passage};

use crate::Sessions;

/// Runs that are indexed before others get their turn.
const AT_ONCE: u32 = 50;
/// The same of texts.
const TEXTS_AT_ONCE: u32 = 200;

impl Sessions {
    /// Begins it; with nothing to index it ends at once.
    pub fn index_earlier_runs(&self) {
        let local = self.clone();
        tokio::spawn(async move {
            let mut any = false;
            loop {
                let runs = match local.env.store().unindexed_runs(AT_ONCE).await {
                    Ok(runs) if !runs.is_empty() => runs,
                    Ok(_) => break,
                    Err(problem) => {
                        tracing::warn!("earlier texts are not indexed: {problem}");
                        return;
                    }
                };
                for (run, kind) in runs {
                    // A run that can't be read is found by its title only.
                    let passages = local.passages_of(&run, &kind).await.unwrap_or_default();
                    if let Err(problem) = local.env.store().index_run(&run, passages).await {
                        tracing::warn!("the texts of run {run} are not indexed: {problem}");
                        return;
                    }
                    any = true;
                }
                tokio::task::yield_now().await;
            }
            match local.index_earlier_words().await {
                Ok(more) => any |= more,
                Err(problem) => tracing::warn!("the words of earlier texts are not indexed: {problem}"),
            }
            if any {
                local.env.stream.tell(&[Tag::Sessions]);
            }
        });
    }

    /// Indexes the words of texts whose index an earlier version made in another way; whether there were any.
    async fn index_earlier_words(&self) -> Result<bool, domain::Problem> {
        let (mut before, mut any) = (i64::MAX, false);
        loop {
            let texts = self.env.store().unworded_passages(before, TEXTS_AT_ONCE).await?;
            let Some(last) = texts.iter().map(|text| text.no).min() else { return Ok(any) };
            let words: Vec<(i64, String)> = texts
                .iter()
                .map(|text| {
                    // A text that can't be read has no words, and is not tried again.
                    let bytes = text.bytes.as_deref().unwrap_or_default();
                    (text.no, engine::indexed_text(text.role, bytes))
                })
                .collect();
            self.env.store().index_words(&words).await?;
            (before, any) = (last, true);
            tokio::task::yield_now().await;
        }
    }

    /// What is searched of a run.
    pub async fn passages_of(&self, run: &str, kind: &str) -> Result<Vec<Passage>, domain::Problem> {
        if kind == engine::mission::KIND {
            // Its objective is among the words of its row.
            return Ok(Vec::new());
        }
        if kind != engine::turn::KIND {
            let loaded = self.env.engine.load(&domain::RunId(run.to_owned())).await?;
            return self.env.engine.passages_of_run(&loaded).await;
        }
        let records = engine::turn::decode_turn(&self.env.store().load_events(run).await?)?;
        let mut payloads: HashMap<Digest, Vec<u8>> = HashMap::new();
        let mut wanted = Vec::new();
        let _ = engine::passages_of_turn(&records, |digest| {
            wanted.push(digest);
            None::<Vec<u8>>
        });
        for digest in wanted {
            payloads.insert(digest, self.env.store().get_blob(BlobHash::from_bytes(digest.0)).await?);
        }
        Ok(engine::passages_of_turn(&records, |digest| payloads.get(&digest)))
    }
}
