//! What runs, turns and missions share: the loop, the journal, the registry of what is under way, the log, ids, tools and
//! rechecks.

pub(crate) mod blobs;
pub(crate) mod commits;
pub(crate) mod document;
pub(crate) mod engine;
pub(crate) mod ids;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod line;
pub(crate) mod live;
pub(crate) mod log;
pub(crate) mod passages;
pub(crate) mod payloads;
pub(crate) mod performer;
pub(crate) mod problem;
pub(crate) mod recheck;
pub(crate) mod stored;
pub(crate) mod tools;
pub(crate) mod waits;
