//! Runs: the driver of the staged machine, its journal, what stages are given and what comes of them.

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod child_request;
pub(crate) mod child_run;
pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod driver;
pub(crate) mod evaluate;
pub(crate) mod explanation;
pub(crate) mod exports;
pub(crate) mod follow_up;
pub(crate) mod form;
mod gate;
mod inputs;
pub(crate) mod journal;
pub(crate) mod kept_judgements;
pub(crate) mod meta;
pub(crate) mod pinned;
pub(crate) mod render;
pub(crate) mod replay;
pub(crate) mod reply;
pub(crate) mod reuse;
pub(crate) mod scope;
pub(crate) mod values;
pub(crate) mod verdict;
pub(crate) mod wave;
