//! What a tree of processes may use: memory and processes all together, the size of each file, no core dumps.
//!
//! The system itself bounds each process only, and processes for a whole user. So on Linux the guard looks at its tree
//! ten times a second and ends it when it has grown beyond a bound; files and core dumps are bounded by the system
//! (`setrlimit`), which children inherit. Elsewhere than Linux nobody looks.

use std::fmt;
use std::str::FromStr;

/// What a tree of processes may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Memory of all its processes together, in bytes; what they share counts once.
    pub memory: u64,
    /// Processes at once.
    pub processes: u32,
    /// The size of a file that it writes, in bytes.
    pub file: u64,
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.memory, self.processes, self.file)
    }
}

/// Bounds that can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bounds are written as <bytes>,<processes>,<bytes>")]
pub struct LimitsError;

impl FromStr for Limits {
    type Err = LimitsError;

    fn from_str(text: &str) -> Result<Self, LimitsError> {
        let mut parts = text.split(',');
        let mut next = || parts.next().and_then(|part| part.parse::<u64>().ok()).ok_or(LimitsError);
        let (memory, processes, file) = (next()?, next()?, next()?);
        Ok(Self { memory, processes: u32::try_from(processes).map_err(|_| LimitsError)?, file })
    }
}

/// Why a tree was ended.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitReached {
    Memory(u64),
    Processes(u32),
}

#[cfg(target_os = "linux")]
impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(bytes) => write!(f, "it used more than {} MiB of memory", bytes >> 20),
            Self::Processes(most) => write!(f, "it had more than {most} processes at once"),
        }
    }
}

impl Limits {
    /// Bounds this process and what it starts in what the system bounds for each.
    #[cfg(unix)]
    pub(super) fn apply(&self) {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let bound = |resource: Resource, most: u64| {
            let maximum = getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
            // A bound that the system refuses leaves the others.
            let _ = setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) });
        };
        bound(Resource::Core, 0);
        bound(Resource::Fsize, self.file);
    }

    #[cfg(not(unix))]
    pub(super) fn apply(&self) {}

    /// Which bound a tree has passed.
    #[cfg(target_os = "linux")]
    pub(super) fn passed(&self, tree: &[crate::tree::Process]) -> Option<LimitReached> {
        if tree.len() > usize::try_from(self.processes).unwrap_or(usize::MAX) {
            return Some(LimitReached::Processes(self.processes));
        }
        let memory = |bytes: fn(u32) -> Option<u64>| -> u64 {
            tree.iter().filter_map(|process| bytes(process.pid)).sum()
        };
        // What is shared counts for each at first, which is quick to read; only a sum that is too large is looked at closely.
        (memory(resident) > self.memory && memory(share) > self.memory)
            .then_some(LimitReached::Memory(self.memory))
    }
}

/// Memory that a process has, in bytes.
#[cfg(target_os = "linux")]
fn resident(pid: u32) -> Option<u64> {
    kilobytes(&format!("/proc/{pid}/status"), "VmRSS:").map(|kilobytes| kilobytes << 10)
}

/// The same with its share of what it has together with others; where that can't be read, all of it.
#[cfg(target_os = "linux")]
fn share(pid: u32) -> Option<u64> {
    let share = kilobytes(&format!("/proc/{pid}/smaps_rollup"), "Pss:").map(|kilobytes| kilobytes << 10);
    share.or_else(|| resident(pid))
}

/// What a file of the kernel's says in a line of this name.
#[cfg(target_os = "linux")]
fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim_end().parse().ok()
}
