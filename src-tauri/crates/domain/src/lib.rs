//! Nouns shared by every part: ids, hashes, usage, money, agent configuration, error codes.
//!
//! Architecture invariant: no IO, no clock, no randomness; nothing here knows SQL, a provider or a transport.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

pub mod agent;
mod calendar;
mod chat;
mod citation;
pub mod connection;
mod draft;
mod earlier;
mod forecast;
mod hash;
mod ids;
mod invisible;
mod json_text;
mod limits;
mod lines;
mod list_edit;
mod machine;
mod media;
pub mod mission;
mod nearest;
mod permission;
mod preview;
mod problem;
mod record;
mod run_status;
mod sentence_end;
mod sentence_key;
mod usage;
mod words;

pub use calendar::MONTHS;
pub use chat::{
    Attachment, Mention, MentionKind, Question, QuestionOption, SessionSetup, Show, Task, TaskStatus,
    UserMessage, WhenBusy,
};
pub use citation::{CheckedCitation, Verdict};
pub use draft::{Draft, DraftPlace, DraftText, begins_anew, joined, whole_words};
pub use earlier::EarlierAnswer;
pub use forecast::{ForecastRange, ForecastScore, RunForecast, RunUse};
pub use hash::{Digest, NotADigest, canonical};
pub use ids::{AgentSlug, PauseId, RunId, SessionId, StageId};
pub use invisible::is_invisible;
pub use json_text::{HIGH_HALVES, LOW_HALVES, readable_json, replace_halves, without_halves};
pub use limits::{
    LimitReached, LimitSettings, LimitSpan, MAX_LIMIT_USD, RaisedLimit, SpanSpending, SpendLimits, Spending,
    WARN_PERCENT,
};
pub use lines::changed_lines;
pub use list_edit::{ListPiece, with_lists};
pub use machine::{Machine, Record};
pub use media::{MediaFault, MediaKind};
pub use nearest::nearest;
pub use permission::{
    AccessRequest, AgentStages, AllowedBy, CallEffect, Covers, Grant, GrantScope, Hints, Mode, NOBODY, Offer,
    Ruling, Walls,
};
pub use preview::{FileChange, Preview, shortened};
pub use problem::{ErrorCode, Problem};
pub use record::{
    CitationRecord, ConflictRecord, EntityRecord, Finding, Method, NotAMethod, Proof, RelationRecord,
    SentenceRecord, SentenceVerdict, SourceDocument,
};
pub use run_status::{NotARunStatus, RunStatus};
pub use sentence_end::{ends_sentence, is_abbreviation, list_mark, sentence_tail};
pub use sentence_key::KeyForm;
pub use usage::{Budget, NanoUsd, Reserve, Usage, amount};

/// The member of a block's `_meta` by which servers of this program say that a model reads the blocks of a result instead
/// of its structured content: they say the same in fewer words.
pub const READ_INSTEAD: &str = "agentnative/instead-of-structured";
