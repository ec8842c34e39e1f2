//! How runs of every kind stand: staged runs, turns and missions.

use std::str::FromStr;

use crate::words;

words! {
    /// How a run stands, as the lists of runs and sessions say it.
    pub enum RunStatus {
        /// It is under way.
        Running = "running",
        /// A turn that waits for permission or an answer.
        Waiting = "waiting",
        /// A turn that ended with a plan, which waits to be accepted.
        Planned = "planned",
        /// It waits for a reply to a pause.
        Paused = "paused",
        /// Nothing new starts until it is continued.
        Suspended = "suspended",
        /// It was under way when its program ended, and nobody drives it. No log and no database says so.
        Interrupted = "interrupted",
        /// It gave what it was for.
        Completed = "completed",
        /// A turn that was stopped.
        Stopped = "stopped",
        /// It failed and can go on.
        Failed = "failed",
        /// It was ended for good.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Of a stored word. Nobody drives a run whose status this version does not know.
    pub fn stored(word: &str) -> Self {
        Self::from_name(word).unwrap_or(Self::Interrupted)
    }

    /// As it is shown: what its log has running was interrupted where nobody drives it.
    pub fn shown(self, is_driven: impl FnOnce() -> bool) -> Self {
        if self == Self::Running && !is_driven() { Self::Interrupted } else { self }
    }
}

/// A word that stands for no status of a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no status of a run; there are {known}", known = known())]
pub struct NotARunStatus(String);

fn known() -> String {
    RunStatus::ALL.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(", ")
}

impl FromStr for RunStatus {
    type Err = NotARunStatus;

    fn from_str(word: &str) -> Result<Self, NotARunStatus> {
        Self::from_name(word).ok_or_else(|| NotARunStatus(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::RunStatus;

    #[test]
    fn a_status_has_one_word_on_the_wire_and_in_texts() {
        for status in RunStatus::ALL.iter().copied() {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
            assert_eq!(
                (RunStatus::from_name(status.as_str()), format!("{status:<12}|").len()),
                (Some(status), 13)
            );
        }
    }

    #[test]
    fn a_word_that_is_not_known_counts_as_interrupted_and_is_refused_where_it_is_given() {
        assert_eq!(RunStatus::stored("ready"), RunStatus::Interrupted);
        let refused = "ready".parse::<RunStatus>().unwrap_err().to_string();
        assert!(refused.contains("`ready`") && refused.contains("paused, suspended"), "{refused}");
    }
}
