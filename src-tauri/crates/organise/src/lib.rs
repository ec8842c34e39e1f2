//! What orders many sessions: the language of views, the search line, statuses, labels, views, auto-label rules.
//!
//! Bird's-eye view: [`Expression`] and [`SearchLine`] both become a [`Condition`], which is asked of [`Facts`] or compiled
//! to a condition for SQLite ([`Compiled`]). [`StatusList`], [`LabelList`] and [`ViewList`] are what the files
//! `statuses/config.json`, `labels/config.json` and `views.json` say; editing them are functions on these lists that say
//! what becomes of sessions. [`AutoRules`] find labels in a message.
//!
//! Architecture invariant: depends on `domain` alone; no IO, no clock, no async. What time it is and where is given in
//! [`Scope`]. Nothing that a person typed gets into the text of an SQL condition.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod auto;
mod colour;
mod edit;
mod entry;
mod expression;
mod labels;
mod mistake;
mod search;
mod statuses;
mod time;
mod views;

pub use auto::{AutoMatch, AutoRule, AutoRules, MAX_MATCHES, TryOut, try_out};
pub use colour::{Colour, is_colour};
pub use edit::{EditError, Fault, RemovalEffect};
pub use entry::{Entry, EntryError, ValueType, normalise};
pub use expression::{
    Bind, Choice, Columns, Compiled, Completion, CompletionKind, Completions, Condition, Expression, Facts,
    Field, Function, KnownValues, MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH, MAX_PARTS, Piece, Scope, Type,
    complete,
};
pub use labels::{Label, LabelList, LabelPatch, MAX_LABEL_DEPTH, MAX_LABELS, NewLabel};
pub use mistake::{Mistake, Span, byte_of_utf16};
pub use search::{Filter, HasFilter, SearchLine, StateFilter, Term, Test};
pub use statuses::{Category, Icon, MAX_STATUSES, NewStatus, Status, StatusList, StatusPatch};
pub use views::{Direction, Group, MAX_VIEWS, NewView, SortKey, View, ViewEntry, ViewList, ViewPatch};
