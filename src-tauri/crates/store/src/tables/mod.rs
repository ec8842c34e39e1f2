//! One module per table: its migrations, its row, its statements.

pub(crate) mod automations;
pub(crate) mod blobs;
pub(crate) mod drafts;
pub(crate) mod imports;
pub(crate) mod judgements;
pub(crate) mod labels;
pub(crate) mod model_calls;
pub(crate) mod packs;
pub(crate) mod passages;
pub(crate) mod permissions;
pub(crate) mod queue;
pub(crate) mod retention;
pub(crate) mod run_events;
pub(crate) mod runs;
pub(crate) mod sessions;
pub(crate) mod source_notes;
