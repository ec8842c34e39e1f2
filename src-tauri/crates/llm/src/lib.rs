//! Model providers behind one streaming trait; embedders; prices; JSON extraction; a scripted provider.
//!
//! Architecture invariant: nothing here knows an agent, a stage or a pipeline. A provider gets a request and streams an
//! answer; who asked, and what for, is not its business.

mod collect;
pub mod embeddings;
mod error;
pub mod http;
mod lane;
mod paced;
pub mod prices;
mod provider;
mod request;
mod rewrite;
pub mod scripted;
pub mod wire;

pub use collect::{Limits, collect};
pub use error::{Detail, Fault, ProviderError, Retry};
pub use lane::{Lane, LaneSlot, LaneWait, MAX_HOLD};
pub use model_text::{ExtractError, Extraction, JsonOrigin, SchemaFault, extract, likely_truncated};
pub use paced::Paced;
pub use prices::{ModelFeatures, ModelInfo, Price, Prices, ThinkingStyle};
pub use provider::{AnswerStream, ModelAnswer, Provider, StopReason, StreamEvent};
pub use request::{Message, ModelRequest, Origin, Part, Role, ToolCall, ToolChoice, ToolSpec};
pub use scripted::{Answer, ScriptError, ScriptedProvider};
