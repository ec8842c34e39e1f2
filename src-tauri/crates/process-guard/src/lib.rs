//! The guard between this program and its children: a child ends with everything that it started.
//!
//! A program that starts children begins its `main` with [`intercept`], and can then be started as the guard itself. A
//! [`ProcessTree`] is a child spoken to over pipes, a [`GuardedCommand`] a command whose streams the caller sets. Both
//! end with their owner, even after a `kill -9`.
//!
//! Architecture invariant: knows no protocol and decides no permission. A child sees a short list of harmless
//! variables and those that its [`Environment`] names.

mod environment;
mod guard;
mod guarded;
mod process;
mod tree;

pub use environment::Environment;
pub use guard::{
    DEFAULT_GRACE, EXIT_GUARD_FAILED, EXIT_LIMIT, EXIT_NOT_FOUND, EXIT_NOT_STARTED, GuardArgs,
    GuardArgsError, LEFT_BEHIND, Limits, SEAL, SEAL_WRITES, SUBCOMMAND, intercept, keep_others_out,
    run_guard,
};
pub use guarded::{GuardedCommand, GuardedTree, plain_environment};
pub use process::{ExitReport, Launch, Pipes, ProcessTree};
pub use tree::end_orphans;
