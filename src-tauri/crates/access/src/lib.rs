//! What may be called: the mode, the rules and the grants of this moment decide, and the audit keeps what was decided.
//!
//! [`Decisions`] reads the rule files of all layers as they were last valid and asks the pure policy (crate `permissions`).
//! Who calls, what automations object to and what is asked of the person is in the crate `gate`, which every call goes
//! through.

mod decisions;
mod disk;
mod repository;
mod rule_files;

pub use decisions::{DecisionRequest, Decisions, named};
pub use disk::LocalDisk;
pub use rule_files::RulesShown;
