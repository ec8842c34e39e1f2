//! How a command is declared: [`commands!`] makes [`crate::Request`], [`COMMANDS`] and [`crate::Client`] of one entry each.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use domain::{ErrorCode, Problem};

use crate::{Response, RunRef, Tag};

/// A command as surfaces need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// The name on the wire.
    pub name: &'static str,
    /// The variant of [`crate::Response`] that answers it.
    pub answer: &'static str,
    /// Cached data that it makes stale; empty for a command that only reads.
    pub changes: &'static [Tag],
    /// Cached data that its answer shows: it is read again when that changes.
    pub reads: &'static [Tag],
    /// Whether it only reads: then it may be carried out again where nobody knows whether it was.
    pub only_reads: bool,
    /// Whether it is on a session, whose workspace it is carried out for.
    pub on_session: bool,
}

/// What a command is serialised with: commands of the same scope are carried out one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Nothing: any number at once.
    Free,
    /// Other changes of the same run.
    Run(String),
    /// Other changes of sessions.
    Sessions,
    /// Other changes of the same session.
    Session(String),
    /// Other changes of sources.
    Sources,
    /// Other changes of the same knowledge base.
    Base(String),
    /// Other changes of connections and the vault.
    Connections,
    /// Other changes of settings.
    Settings,
    /// Other changes of automations.
    Automations,
    /// Other changes of the list of workspaces.
    Workspaces,
}

/// Of commands on one run. The engine itself orders most of them.
pub(crate) fn of_run(run: &RunRef) -> Scope {
    match run {
        RunRef::Id(id) => Scope::Run(id.clone()),
        RunRef::Last | RunRef::LastOpen => Scope::Free,
    }
}

/// Of a command that is declared with what it reads.
pub(crate) const fn is_read(_: &[Tag]) -> bool {
    true
}

/// Of a command that is declared with the session that it is on.
pub(crate) const fn names_session(_: &str) -> bool {
    true
}

/// What is under way for a caller, such as the answer to a command. Boxed: as types of their own, hundreds of them would be
/// checked once more for each client, and what is behind them compiled once more in each program.
pub type PendingAnswer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

/// The answer to one command, of its own type. One future for all of them: what a command adds is how its answer is taken out.
pub struct TypedAnswer<'a, T> {
    answer: PendingAnswer<'a, Response>,
    take: fn(Response) -> Result<T, Problem>,
}

impl<'a, T> TypedAnswer<'a, T> {
    pub(crate) fn new(answer: PendingAnswer<'a, Response>, take: fn(Response) -> Result<T, Problem>) -> Self {
        Self { answer, take }
    }
}

impl<T> Future for TypedAnswer<'_, T> {
    type Output = Result<T, Problem>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(self.answer.as_mut().poll(context)).and_then(self.take))
    }
}

/// The problem of an answer of another kind than the command's: two versions of the program talk with each other.
pub(crate) fn unexpected(command: &str) -> Problem {
    Problem::new(ErrorCode::Internal, format!("unexpected response type for {command}"))
        .with_action("close every window of AgentNative, then start it again")
}

/// A value as a response carries it: boxed where it is large.
pub(crate) trait Carried<T> {
    /// The value itself.
    fn take(self) -> T;
}

impl<T> Carried<T> for T {
    fn take(self) -> T {
        self
    }
}

impl<T> Carried<T> for Box<T> {
    fn take(self) -> T {
        *self
    }
}

/// Declares commands. An entry says, in this order:
///
/// * its documentation, its name on the wire and its variant of [`crate::Request`], with the parameters;
/// * after the arrow the variant of [`crate::Response`] that answers it, with the type that Rust callers get;
/// * `changes`, the cached data that it makes stale (`[]`: it has effects, but none that is cached), or `reads`, the cached
///   data that the answer of a command without effects shows;
/// * `session`: the session that it is on, which decides the workspace;
/// * `scope`: what it is serialised with; [`Scope::Free`] where nothing is said.
macro_rules! commands {
    ($(
        $(#[$meta:meta])*
        $name:ident: $variant:ident
            $(($param:ident: $param_type:ty))?
            $({ $($(#[$field_meta:meta])* $field:ident: $field_type:ty),* $(,)? })?
            -> $answer:ident $(($result:ty))?
            $(, changes [$($change:ident),*])?
            $(, reads [$($read:ident),*])?
            $(, session $session:expr)?
            $(, scope $scope:expr)?;
    )*) => {
        /// A command with its parameters.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case", tag = "command", content = "params")]
        pub enum Request {
            $(
                $(#[$meta])*
                $variant $(($param_type))? $({ $($(#[$field_meta])* $field: $field_type),* })?,
            )*
        }

        /// Every command, in the order of [`Request`].
        pub const COMMANDS: &[Command] = &[$(
            Command {
                name: stringify!($name),
                answer: stringify!($answer),
                changes: &[$($(Tag::$change),*)?],
                reads: &[$($(Tag::$read),*)?],
                only_reads: either!(false $(, is_read(&[$(Tag::$read),*]))?),
                on_session: either!(false $(, names_session(stringify!($session)))?),
            },
        )*];

        /// Where a command stands in [`COMMANDS`].
        #[allow(non_camel_case_types)]
        enum Index {
            $($name,)*
        }

        impl Request {
            /// Its declaration.
            pub const fn command(&self) -> &'static Command {
                match self {
                    $(Self::$variant { .. } => &COMMANDS[Index::$name as usize],)*
                }
            }

            /// What it is serialised with.
            #[allow(unused_variables)]
            pub fn scope(&self) -> Scope {
                match self {
                    $(Self::$variant $(($param))? $({ $($field),* })? => either!(Scope::Free $(, $scope)?),)*
                }
            }

            /// The session that it is on, which decides the workspace that it is for.
            #[allow(unused_variables)]
            pub fn session(&self) -> Option<&str> {
                match self {
                    $(Self::$variant $(($param))? $({ $($field),* })? => either!(None $(, $session)?),)*
                }
            }
        }

        /// Who carries commands out, here or elsewhere: a method a command, with the type of its answer.
        pub trait Client: Sync {
            /// Carries out a command.
            fn call(&self, request: Request) -> impl Future<Output = Result<Response, Problem>> + Send;

            $(
                $(#[$meta])*
                fn $name(
                    &self
                    $(, $param: $param_type)?
                    $($(, $field: $field_type)*)?
                ) -> TypedAnswer<'_, answer_type!($($result)?)> {
                    let answer = self.call(Request::$variant $(($param))? $({ $($field),* })?);
                    TypedAnswer::new(Box::pin(answer), |answer| match answer {
                        answer_pattern!($answer, value $(, $result)?) => Ok(answer_value!(value $(, $result)?)),
                        _ => Err(unexpected(stringify!($name))),
                    })
                }
            )*
        }
    };
}

/// What is said, else the default.
macro_rules! either {
    ($default:expr) => {
        $default
    };
    ($default:expr, $given:expr) => {
        $given
    };
}

/// What a command gives to Rust callers.
macro_rules! answer_type {
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}

macro_rules! answer_pattern {
    ($answer:ident, $value:ident) => {
        Response::$answer
    };
    ($answer:ident, $value:ident, $type:ty) => {
        Response::$answer($value)
    };
}

macro_rules! answer_value {
    ($value:ident) => {
        ()
    };
    ($value:ident, $type:ty) => {
        Carried::<$type>::take($value)
    };
}

pub(crate) use {answer_pattern, answer_type, answer_value, commands, either};
