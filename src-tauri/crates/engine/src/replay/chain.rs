//! The chain of hashes over the commits of a run: whoever knows its head knows every byte of the logs.

use domain::{Digest, Problem, RunId};
use store::{Batch, Store};

use crate::core::engine::Engine;
use crate::core::log::decode_batches;
use crate::core::problem::store as store_problem;
use crate::turn::KIND;

/// The chain before the first commit.
const START: &str = "agentnative-chain-1";
/// The most runs and turns that belong to one answer.
const MAX_RUNS: usize = 10_000;

/// A commit in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLink {
    /// The run or turn whose log it is of.
    pub run: RunId,
    /// The number of its first event.
    pub first: u64,
    /// The number of its last event.
    pub last: u64,
    /// SHA-256 of its events as they are stored.
    pub sha256: Digest,
    /// The head after it.
    pub head: Digest,
}

/// The chain over some logs, one after another.
#[derive(Debug)]
pub struct Chain {
    head: Digest,
    links: Vec<ChainLink>,
}

impl Default for Chain {
    fn default() -> Self {
        Self { head: Digest::of(START), links: Vec::new() }
    }
}

impl Chain {
    /// Adds a commit.
    pub fn add(&mut self, run: &RunId, batch: &Batch) {
        let sha256 = Digest::of(&batch.bytes);
        let (first, last) = (batch.seq_first, batch.seq_last);
        let mut hashed = self.head.0.to_vec();
        // What is hashed can be read in one way only: a run's name has no zero byte.
        hashed.extend(run.0.as_bytes());
        hashed.push(0);
        hashed.extend(first.to_be_bytes());
        hashed.extend(last.to_be_bytes());
        hashed.extend(sha256.0);
        self.head = Digest::of(&hashed);
        self.links.push(ChainLink { run: run.clone(), first, last, sha256, head: self.head });
    }

    /// The head.
    pub fn head(&self) -> Digest {
        self.head
    }

    /// The commits, in order.
    pub fn links(&self) -> &[ChainLink] {
        &self.links
    }
}

/// The turns that carried out a run's stages, in the order in which they began.
fn children(batches: &[Batch]) -> Result<Vec<RunId>, Problem> {
    let mut children: Vec<RunId> = Vec::new();
    for record in decode_batches(batches)? {
        if let pipeline::Event::ChildRunStarted { child, .. } = record.event
            && !children.contains(&child)
        {
            children.push(child);
        }
    }
    Ok(children)
}

/// A run with the turns of its stages; of a turn itself.
pub(crate) async fn tree(store: &Store, run: &RunId) -> Result<Vec<RunId>, Problem> {
    let row = store.get_run(&run.0).await.map_err(store_problem)?;
    let mut tree = vec![run.clone()];
    if row.kind != KIND {
        for child in children(&store.load_events(&run.0).await.map_err(store_problem)?)? {
            tree.extend(Box::pin(self::tree(store, &child)).await?);
        }
    }
    Ok(tree)
}

/// The head of the chain over a run with the turns of its stages.
pub(crate) async fn head(store: &Store, run: &RunId) -> Result<Digest, Problem> {
    let mut chain = Chain::default();
    for run in tree(store, run).await? {
        for batch in store.load_events(&run.0).await.map_err(store_problem)? {
            chain.add(&run, &batch);
        }
    }
    Ok(chain.head())
}

impl Engine {
    /// A run with the turns of its stages, over which its chain goes.
    ///
    /// # Errors
    /// `NotFound` when there is no such run.
    pub async fn run_tree(&self, run: &RunId) -> Result<Vec<RunId>, Problem> {
        tree(&self.parts().store, run).await
    }

    /// What else has to be read to compute these runs and turns again: what turns follow in their conversations, with the
    /// turns of its stages.
    ///
    /// # Errors
    /// `Corrupt` when a log can't be read.
    pub async fn runs_before(&self, tree: &[RunId]) -> Result<Vec<RunId>, Problem> {
        let store = &self.parts().store;
        let mut found: Vec<RunId> = Vec::new();
        for run in tree.iter().rev() {
            if store.get_run(&run.0).await.map_err(store_problem)?.kind != KIND {
                continue;
            }
            for before in self.conversation_to(Some(run.clone())).await?.runs {
                if found.len() < MAX_RUNS && !tree.contains(&before) && !found.contains(&before) {
                    found.push(before);
                }
            }
        }
        Ok(found)
    }
}
