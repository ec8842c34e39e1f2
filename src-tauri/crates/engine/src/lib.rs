//! The engine: carries out what the machines want, and commits what happened.
//!
//! One loop (`core::performer`) drives runs, turns and missions: decisions and local effects until there are none; one
//! durable commit; then the external effects whose intent is now in the log; wait; repeat. Policy is in the machine,
//! mechanism in the adapters.
//!
//! Architecture invariant: knows no transport, renders nothing for a screen, names no agent, stage or tool.

mod core;
pub mod mission;
mod replay;
mod run;
pub mod turn;

pub use self::core::document::WrittenDocument;
pub use self::core::engine::{Connections, Engine, Parts};
pub use self::core::ids::{date, run_id};
pub use self::core::ledger::Ledger;
pub use self::core::log::{decode_batches, decode_log, encode_log};
pub use self::core::passages::{indexed_text, passage_text, passages_of_turn};
pub use self::core::payloads::Payloads;
pub use self::core::recheck::{ExportCheck, Recheck};
pub use self::core::stored::StoredRun;
pub use self::core::tools::{HostFactory, ToolFailure, ToolHost, WebSearchUse};
pub use engine_types::{
    Answered, AttachedDocuments, Corpus, Difference, Exit, Form, FormChoice, FormColumn, FormColumnKind,
    FormKind, FormList, FormMeter, FormPart, Gap, ListPiece, Material, PausePolicy, RepeatedRun, Replay,
    Reply, ResolvedAgent, StartRun, UiEvent, UiKind,
};
pub use replay::{Chain, ChainLink};
pub use run::child_request::ChildRequest;
pub use run::evaluate::Payload;
pub use run::inputs::prepare;
pub use run::meta::RunMeta;
pub use run::pinned::Pinned;
pub use run::run_files::OutputTable;
pub use run::scope::depth_name;
