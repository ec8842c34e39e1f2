//! Finding the processes of a tree: by parentage below a process, and by the mark that every child of ours inherits.
//!
//! The mark is an environment variable naming the program (process number and start time, so that a reused number is
//! not mistaken for it) and the tree. It finds what parentage no longer shows: processes whose guard was killed.

/// The environment variable that carries the mark.
pub(crate) const MARK_VARIABLE: &str = "AGENTNATIVE_TREE";

/// The guard's flag for the mark of its tree.
pub(crate) const MARK_FLAG: &str = "--mark";

/// One process of the table, as the kernel described it at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    /// Process number.
    pub(crate) pid: u32,
    /// Number of its parent.
    pub(crate) parent: u32,
    /// Start time in clock ticks since boot (`/proc/<pid>/stat`, field 22).
    pub(crate) started: u64,
    /// Ended and only waiting to be collected.
    pub(crate) zombie: bool,
}

impl Process {
    /// Whether the number still names this very process.
    #[cfg(unix)]
    pub(crate) fn is_same(self) -> bool {
        read(self.pid).is_some_and(|now| now.started == self.started)
    }
}

/// The process with this number, or `None` when there is none (or no `/proc`).
pub(crate) fn read(pid: u32) -> Option<Process> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &stat)
}

fn parse_stat(pid: u32, stat: &[u8]) -> Option<Process> {
    // The second field is the program's name in brackets and may hold brackets and spaces itself.
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(stat.get(after_name..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Process { pid, parent, started, zombie: matches!(state, "Z" | "X") })
}

fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(read).collect()
}

/// Every living process below `root`, in ascending order of their numbers.
#[cfg(target_os = "linux")]
pub(crate) fn descendants(root: u32) -> Vec<Process> {
    let mut children: std::collections::BTreeMap<u32, Vec<Process>> = Default::default();
    for process in all() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        // Removing the entry also ends the walk on a loop, which a table read while it changes could show.
        for process in children.remove(&parent).unwrap_or_default() {
            open.push(process.pid);
            if !process.zombie {
                found.push(process);
            }
        }
    }
    found.sort_by_key(|process| process.pid);
    found
}

/// The mark for a new tree of this program, unique within the machine's uptime.
pub(crate) fn new_mark() -> String {
    static TREES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let pid = std::process::id();
    let started = read(pid).map_or(0, |process| process.started);
    let tree = TREES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{pid}.{started}.{tree}")
}

/// Living processes with a mark that `wanted` accepts. Only processes of the same user can be read.
fn marked(wanted: impl Fn(&str) -> bool) -> Vec<Process> {
    let prefix = format!("{MARK_VARIABLE}=");
    all()
        .into_iter()
        .filter(|process| !process.zombie && process.pid != std::process::id())
        .filter(|process| {
            let Ok(environment) = std::fs::read(format!("/proc/{}/environ", process.pid)) else {
                return false;
            };
            environment
                .split(|byte| *byte == 0)
                .filter_map(|entry| std::str::from_utf8(entry).ok()?.strip_prefix(&prefix))
                .any(&wanted)
        })
        .collect()
}

/// Kills every process with a mark that `wanted` accepts, again until none is left or 2 s have passed. Returns how many
/// were signalled. Blocking.
fn kill_marked(wanted: impl Fn(&str) -> bool) -> usize {
    let begun = std::time::Instant::now();
    let mut killed = std::collections::BTreeSet::new();
    loop {
        let living = marked(&wanted);
        if living.is_empty() || begun.elapsed() > std::time::Duration::from_secs(2) {
            return killed.len();
        }
        for process in living {
            killed.insert(process.pid);
            kill(process);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(unix)]
fn kill(process: Process) {
    let pid = i32::try_from(process.pid).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid
        && process.is_same()
    {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(_process: Process) {}

/// Kills what is left of one tree. Blocking.
pub(crate) fn end_marked(mark: &str) -> usize {
    kill_marked(|found| found == mark)
}

/// Kills processes that an earlier run of the program left behind because it and a guard were both killed with SIGKILL;
/// returns how many. Called once at start; it reads `/proc` (some milliseconds) and blocks for at most 2 s. Linux only.
///
/// Inside the tree of another program nobody is ended: that program may live where its process number can't be seen.
pub fn end_orphans() -> usize {
    if std::env::var_os(MARK_VARIABLE).is_some() { 0 } else { kill_marked(is_orphaned) }
}

/// Whether a tree's program and its guard are both gone. A living guard ends the tree itself, and leaves it time for that.
fn is_orphaned(mark: &str) -> bool {
    let mut parts = mark.split('.').map(str::parse::<u64>);
    let (Some(Ok(pid)), Some(Ok(started))) = (parts.next(), parts.next()) else {
        return false;
    };
    let owner_lives =
        u32::try_from(pid).ok().and_then(read).is_some_and(|owner| owner.started == started && !owner.zombie);
    !owner_lives && !has_guard(mark)
}

/// Whether a process has this mark on its command line, as the tree's guard has.
fn has_guard(mark: &str) -> bool {
    all().into_iter().any(|process| {
        let words = std::fs::read(format!("/proc/{}/cmdline", process.pid)).unwrap_or_default();
        let words: Vec<&[u8]> = words.split(|byte| *byte == 0).collect();
        words.windows(2).any(|pair| pair == [MARK_FLAG.as_bytes(), mark.as_bytes()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_program_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let line = b"7 (a) R (b) S 3 7 7 0 -1 4194304 9 0 0 0 1 2 0 0 20 0 1 0 8812 1000 20 184467";
        assert_eq!(parse_stat(7, line), Some(Process { pid: 7, parent: 3, started: 8812, zombie: false }));
    }

    #[test]
    fn a_truncated_line_is_nobody() {
        assert_eq!(parse_stat(7, b"7 (a) S 3 7"), None);
    }

    /// The number of no process, as a mark of it.
    #[cfg(target_os = "linux")]
    fn ended_program() -> String {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let mark = format!("{}.{}.0", child.id(), read(child.id()).unwrap().started);
        child.wait().unwrap();
        mark
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_tree_is_orphaned_once_its_program_and_its_guard_are_gone() {
        assert!(!is_orphaned(&new_mark()), "this program lives");
        assert!(!is_orphaned("no mark of ours"));
        let mark = ended_program();
        let mut guard = std::process::Command::new("sh")
            .args(["-c", "read line", "guard", "--parent", "1", MARK_FLAG, &mark, "--", "command"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        assert!(!is_orphaned(&mark), "its guard lives");
        guard.kill().unwrap();
        guard.wait().unwrap();
        assert!(is_orphaned(&mark));
    }
}
