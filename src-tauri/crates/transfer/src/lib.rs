//! Sessions on their way out and in.
//!
//! Bird's-eye view: a [`Transcript`] is a session as any program could read it. It is written as JSONL, Markdown or one HTML
//! page, after a [`Redactor`] has taken out what the person does not want to give away. A bundle ([`BundleWriter`],
//! [`Bundle`]) holds sessions exactly as they are stored, with a digest for every entry. [`craft`] reads the folder that
//! Craft Agent and the agentnative fork keep, [`programs`] the conversations of four other programs. Whatever is read is hostile until it has been checked: everything is bounded by
//! [`Limits`], links are never followed, and what was changed or left out stands in a [`Report`].
//!
//! Architecture invariant: knows no database, engine or network; writes only where it is told to.

mod bundle;
mod capsule;
pub mod craft;
mod html;
mod jsonl;
mod limits;
mod lines;
mod markdown;
mod names;
pub mod programs;
mod redact;
mod report;
mod transcript;

pub use bundle::{
    BUNDLE_FORMAT, BUNDLE_VERSION, Bundle, BundleError, BundleWriter, Entry, Manifest, RunFile, SessionFile,
    StoredBatch,
};
pub use capsule::{
    CAPSULE_FORMAT, CAPSULE_MANIFEST, CAPSULE_VERSION, CHAIN, Capsule, CapsuleEntry, CapsuleFault,
    CapsuleManifest, CapsuleReport, CapsuleSource, ChainLine, CitedParagraph, EVIDENCE, REDACTION, SOURCES,
    SourceForm, SourceLine, SourceOf, blob_entry, document_entry, json_lines, run_entry, source_entry,
};
pub use html::{HtmlOptions, page_policy, to_html};
pub use jsonl::{JsonlError, LineOf, TRANSCRIPT_FORMAT, TRANSCRIPT_VERSION, read_jsonl, write_jsonl};
pub use limits::{Limits, ReadError, open_plain, read_plain};
pub use lines::{Line, Lines, decoded};
pub use markdown::to_markdown;
pub use names::{NameFault, check_name, is_id, plain_name};
pub use redact::{Finding, Findings, Kind, Redactor, Secret};
pub use report::{Counts, ImportOutcome, Report, ReportLine};
pub use transcript::{Attachment, Header, Message, Role, ToolStatus, ToolUse, Transcript};
