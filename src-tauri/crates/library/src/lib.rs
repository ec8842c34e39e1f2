//! Knowledge bases: what makes them, asks them and watches their files, for every surface.
//!
//! [`Library`] carries the commands out; [`bases`] and [`corpus`] serve programs that need no engine. What a base is, and how
//! it is searched, is in the crate `knowledge`.

pub mod attached;
pub mod attachments;
pub mod bases;
mod citation_state;
mod commands;
pub mod corpus;
mod exhibits;
pub mod intake;
mod paragraphs;
mod recheck;
mod search;
mod settle;
mod text;
mod uploads;
mod watch;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use environment::Environment;

pub use citation_state::{cited_now, state_words};
pub use commands::{BaseCache, bytes_below, removable, source_slugs};
pub use exhibits::exhibits;
pub use recheck::{Bases, recheck_answer};
pub use text::ranges;

/// The commands on knowledge bases.
#[derive(Clone)]
pub struct Library {
    env: Environment,
    state: Arc<LibraryState>,
}

/// What stays between commands: open bases and the watch over files.
pub struct LibraryState {
    shelf: BaseCache,
    meanings: OnceLock<bases::Meanings>,
    watching: watch::BaseWatch,
}

impl LibraryState {
    /// Of a data directory.
    pub fn new(home: &Path) -> Self {
        Self { shelf: BaseCache::new(home), meanings: OnceLock::new(), watching: watch::BaseWatch::default() }
    }
}

impl Library {
    /// Over the bases of a data directory.
    pub fn new(env: Environment, state: Arc<LibraryState>) -> Self {
        Self { env, state }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env, self.state.clone())
    }

    /// What stays between commands.
    pub fn state(&self) -> &Arc<LibraryState> {
        &self.state
    }

    /// Ends the watch over files.
    pub fn quiet(&self) {
        self.state.watching.end();
    }
}
