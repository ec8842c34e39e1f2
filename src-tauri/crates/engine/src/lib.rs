//! The engine: carries out what the machines want, and commits what happened.
//!
//! One loop a run (`driver`): decisions and local effects until there are none; one durable commit; then the external
//! effects whose intent is now in the log; wait; repeat. Policy is in the machine, mechanism in the adapters.
//!
//! Architecture invariant: knows no transport, renders nothing for a screen, names no agent, stage or tool.

mod answer;
mod call;
mod collect;
mod driver;
mod engine;
mod evaluate;
mod exports;
mod form;
mod ids;
mod journal;
mod line;
mod log;
mod passages;
mod pinned;
mod problem;
mod recheck;
mod render;
mod replay;
mod reply;
mod scope;
mod tools;
pub mod turn;
mod ui;
mod values;

pub use answer::Answered;
pub use engine::{Attend, Connections, Engine, Loaded, Parts, StartRun};
pub use evaluate::Payload;
pub use exports::Written;
pub use form::{Form, FormChoice, FormColumn, FormColumnKind, FormList, FormMeter, FormPart};
pub use ids::{date, run_id};
pub use journal::status_word;
pub use log::{decode_batches, decode_log, encode_log};
pub use passages::{passage_text, passages_of_turn};
pub use pinned::{Corpus, Pinned};
pub use recheck::{Checking, Recheck};
pub use reply::Reply;
pub use tools::{HostFactory, ToolFailure, ToolHost};
pub use ui::{Exit, UiEvent, UiKind};
