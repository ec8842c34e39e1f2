//! Why something was not fetched, found or read.

use std::path::{Path, PathBuf};

use documents::ReadError;
use domain::{ErrorCode, Problem};
use net_guard::AddressError;
use thiserror::Error;

/// A refusal or failure, with its place.
#[derive(Debug, Error)]
#[error("{place}: {refusal}")]
pub struct WebError {
    /// The address, or what else was asked for.
    pub place: String,
    /// What is in the way.
    pub refusal: Refusal,
}

/// What is in the way.
#[derive(Debug, Error)]
pub enum Refusal {
    /// The address may not be reached.
    #[error("{0}")]
    Address(#[from] AddressError),
    /// The profile asks for https.
    #[error("only https is fetched under this profile")]
    HttpsRequired,
    /// A redirect leads from https to http.
    #[error("redirects from https to http ({to})")]
    Downgrade {
        /// Where it leads.
        to: String,
    },
    /// The address is on the list of what is never fetched.
    #[error("blocked by {pattern:?}")]
    Blocked {
        /// The entry of the list.
        pattern: String,
    },
    /// Other sources are wanted.
    #[error("not among the sources that this work is limited to")]
    OtherSource,
    /// The host is not known, and the profile asks.
    #[error("the host {host} needs approval; nothing was requested from it")]
    NeedsApproval {
        /// The host.
        host: String,
    },
    /// Redirected too often.
    #[error("redirects more than {limit} times")]
    Redirects {
        /// The bound.
        limit: usize,
    },
    /// Redirected to where it was before.
    #[error("redirects in a circle")]
    RedirectLoop,
    /// Redirected to what is no address.
    #[error("redirects to what is no address")]
    RedirectTarget,
    /// The site's robots.txt forbids it.
    #[error("robots.txt of {host} does not allow it")]
    Robots {
        /// The host.
        host: String,
    },
    /// The site's robots.txt can't be had, which counts as a no.
    #[error("robots.txt of {host} can't be read ({what}), which counts as a refusal")]
    RobotsUnreachable {
        /// The host.
        host: String,
        /// What came instead.
        what: String,
    },
    /// More bytes than are taken.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The bound.
        limit: u64,
    },
    /// It unpacks to more bytes than are taken.
    #[error("unpacks to more than {limit} bytes")]
    UnpacksTooLarge {
        /// The bound.
        limit: u64,
    },
    /// A program.
    #[error("is a program ({what})")]
    Executable {
        /// Its kind.
        what: &'static str,
    },
    /// An archive.
    #[error("is an archive ({what})")]
    Archive {
        /// Its kind.
        what: &'static str,
    },
    /// Another type than is taken.
    #[error("is {found}, not {wanted}")]
    Type {
        /// What its bytes say.
        found: String,
        /// What is taken.
        wanted: &'static str,
    },
    /// Nothing came.
    #[error("the answer is empty")]
    Empty,
    /// The whole took too long.
    #[error("not complete within {seconds} seconds")]
    Deadline {
        /// The bound.
        seconds: u64,
    },
    /// Nothing came for a while.
    #[error("nothing came for {seconds} seconds")]
    Silence {
        /// The bound.
        seconds: u64,
    },
    /// It comes in drops.
    #[error("comes with fewer than {limit} bytes a second")]
    TooSlow {
        /// The bound.
        limit: u64,
    },
    /// Whoever asked for it did not wait for the end.
    #[error("given up before all of it had come")]
    GivenUp,
    /// No answer, or not the whole of it.
    #[error("no answer: {what}")]
    NoAnswer {
        /// What the system says.
        what: String,
    },
    /// A status that brings nothing.
    #[error("answered with status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// Packed in a way that was not asked for, or wrongly.
    #[error("can't be unpacked ({encoding})")]
    Packed {
        /// The encoding.
        encoding: String,
    },
    /// Its text can't be read.
    #[error("has no readable text: {0}")]
    Unreadable(ReadError),
    /// The library does not have it.
    #[error("not in the library")]
    Absent,
    /// A stored file is not what it was.
    #[error("{} was changed or damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A search service is off under the profile.
    #[error("{host} is off under this profile until you allow it")]
    ServiceOff {
        /// Its host.
        host: String,
    },
    /// An answer is not of the documented form.
    #[error("the answer is not of the documented form")]
    Form,
    /// An argument can't be used.
    #[error("{0}")]
    Argument(String),
    /// The settings can't be read.
    #[error("{}: {what}", .path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The file system refused.
    #[error("{}: {source}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Refusal {
    /// The refusal of this place.
    pub fn at(self, place: impl Into<String>) -> WebError {
        WebError { place: place.into(), refusal: self }
    }

    pub(crate) fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Disk { path, source }
    }

    /// The reason as one word, which stays the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address(AddressError::Malformed(_)) => "malformed_address",
            Self::Address(AddressError::Private { .. }) => "private_address",
            Self::Address(AddressError::Unknown(_)) => "unknown_host",
            Self::Address(AddressError::Local) => "no_connections",
            Self::HttpsRequired => "https_required",
            Self::Downgrade { .. } => "downgrade",
            Self::Blocked { .. } => "blocked",
            Self::OtherSource => "other_source",
            Self::NeedsApproval { .. } => "needs_approval",
            Self::Redirects { .. } => "too_many_redirects",
            Self::RedirectLoop => "redirect_loop",
            Self::RedirectTarget => "redirect_target",
            Self::Robots { .. } => "robots",
            Self::RobotsUnreachable { .. } => "robots_unreachable",
            Self::TooLarge { .. } => "too_large",
            Self::UnpacksTooLarge { .. } => "unpacks_too_large",
            Self::Executable { .. } => "executable",
            Self::Archive { .. } => "archive",
            Self::Type { .. } => "wrong_type",
            Self::Empty => "empty",
            Self::Deadline { .. } => "deadline",
            Self::Silence { .. } => "silence",
            Self::TooSlow { .. } => "too_slow",
            Self::GivenUp => "given_up",
            Self::NoAnswer { .. } => "no_answer",
            Self::Status { .. } => "status",
            Self::Packed { .. } => "packed",
            Self::Unreadable(_) => "unreadable",
            Self::Absent => "absent",
            Self::Damaged { .. } => "damaged",
            Self::ServiceOff { .. } => "service_off",
            Self::Form => "wrong_form",
            Self::Argument(_) => "argument",
            Self::Settings { .. } => "settings",
            Self::Disk { .. } => "storage",
        }
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Address(AddressError::Malformed(_)) => "write the whole address, beginning with https://",
            Self::Address(AddressError::Private { .. }) => {
                "use a public address; the user can name a machine of their own under `local` in library/policy.json"
            }
            Self::Address(AddressError::Unknown(_)) => "check the host's spelling and the network",
            Self::Address(AddressError::Local) => "install the system's certificates",
            Self::HttpsRequired => "use the https address of the same page",
            Self::Downgrade { .. } => "look for another address of the same page",
            Self::Blocked { .. } | Self::OtherSource => "use another source",
            Self::NeedsApproval { .. } | Self::ServiceOff { .. } => {
                "go on without it, or ask the user, who allows it with `agentnative web allow <host>`"
            }
            Self::Redirects { .. } | Self::RedirectLoop | Self::RedirectTarget => {
                "look for the page's newest address"
            }
            Self::Robots { .. } => "use another source; the site does not want programs to read this",
            Self::RobotsUnreachable { .. } => "try again later, or use another source",
            Self::TooLarge { .. } | Self::UnpacksTooLarge { .. } => {
                "look for a smaller edition or a part of it"
            }
            Self::Executable { .. } | Self::Archive { .. } => {
                "look for the document itself, as a page or a PDF"
            }
            Self::Type { .. } => "look for the document as a page or a PDF",
            Self::Empty => "the page may be made by a script in the browser: look for another source",
            Self::Deadline { .. }
            | Self::Silence { .. }
            | Self::TooSlow { .. }
            | Self::GivenUp
            | Self::NoAnswer { .. } => "try again later, or use another source",
            Self::Status { status: 401 | 403 } => "the page is not given to programs: use another source",
            Self::Status { status: 404 | 410 } => "the page is gone: look for its new address",
            Self::Status { .. } => "try again later",
            Self::Packed { .. } => "use another source",
            Self::Unreadable(_) => "look for an edition with text",
            Self::Absent => "fetch it first; `library_search` and `agentnative web list` show what is there",
            Self::Damaged { .. } => "fetch it again with refresh: true",
            Self::Form => "try again later, or use another service",
            Self::Argument(_) => "correct the argument",
            Self::Settings { .. } => "correct the file; nothing is fetched until then",
            Self::Disk { .. } => "check the data directory's space and rights",
        }
    }

    /// Whether the same may succeed later without a change.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Deadline { .. }
            | Self::Silence { .. }
            | Self::TooSlow { .. }
            | Self::GivenUp
            | Self::NoAnswer { .. }
            | Self::RobotsUnreachable { .. }
            | Self::Address(AddressError::Unknown(_)) => true,
            Self::Status { status } => *status == 429 || *status >= 500,
            Self::Address(
                AddressError::Malformed(_) | AddressError::Private { .. } | AddressError::Local,
            )
            | Self::HttpsRequired
            | Self::Downgrade { .. }
            | Self::Blocked { .. }
            | Self::OtherSource
            | Self::NeedsApproval { .. }
            | Self::Redirects { .. }
            | Self::RedirectLoop
            | Self::RedirectTarget
            | Self::Robots { .. }
            | Self::TooLarge { .. }
            | Self::UnpacksTooLarge { .. }
            | Self::Executable { .. }
            | Self::Archive { .. }
            | Self::Type { .. }
            | Self::Empty
            | Self::Packed { .. }
            | Self::Unreadable(_)
            | Self::Absent
            | Self::Damaged { .. }
            | Self::ServiceOff { .. }
            | Self::Form
            | Self::Argument(_)
            | Self::Settings { .. }
            | Self::Disk { .. } => false,
        }
    }
}
impl From<WebError> for Problem {
    fn from(error: WebError) -> Self {
        let code = match &error.refusal {
            Refusal::Absent => ErrorCode::NotFound,
            Refusal::Argument(_) | Refusal::Address(_) => ErrorCode::InvalidInput,
            Refusal::Settings { .. } => ErrorCode::InvalidConfig,
            Refusal::Disk { .. } => ErrorCode::Storage,
            Refusal::Damaged { .. } => ErrorCode::Corrupt,
            Refusal::HttpsRequired
            | Refusal::Blocked { .. }
            | Refusal::OtherSource
            | Refusal::NeedsApproval { .. }
            | Refusal::ServiceOff { .. } => ErrorCode::Permission,
            Refusal::Downgrade { .. }
            | Refusal::Redirects { .. }
            | Refusal::RedirectLoop
            | Refusal::RedirectTarget
            | Refusal::Robots { .. }
            | Refusal::RobotsUnreachable { .. }
            | Refusal::TooLarge { .. }
            | Refusal::UnpacksTooLarge { .. }
            | Refusal::Executable { .. }
            | Refusal::Archive { .. }
            | Refusal::Type { .. }
            | Refusal::Empty
            | Refusal::Deadline { .. }
            | Refusal::Silence { .. }
            | Refusal::TooSlow { .. }
            | Refusal::GivenUp
            | Refusal::NoAnswer { .. }
            | Refusal::Status { .. }
            | Refusal::Packed { .. }
            | Refusal::Unreadable(_)
            | Refusal::Form => ErrorCode::Source,
        };
        Self::new(code, error.to_string()).with_action(error.refusal.remedy())
    }
}
