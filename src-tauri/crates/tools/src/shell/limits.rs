//! What commands may use.

use std::sync::OnceLock;
use std::time::Duration;

use process_guard::Limits;

/// How long a command may go on in the background.
pub(super) const BACKGROUND: Duration = Duration::from_secs(24 * 3600);

/// Memory of a command that only reads, in bytes; of a machine with little memory at most half.
const READING_MEMORY: u64 = 2 << 30;
const READING_PROCESSES: u32 = 256;
const READING_FILE: u64 = 1 << 30;

/// Of the machine's memory, what a command may use that was allowed, in hundredths.
const ALLOWED_MEMORY: u64 = 80;
const ALLOWED_PROCESSES: u32 = 4_096;
const ALLOWED_FILE: u64 = 64 << 30;

/// What a machine has of which that is not known, in bytes.
const UNKNOWN_MEMORY: u64 = 4 << 30;

/// What a command may use, with all that it starts.
pub(super) fn of_command(confined: bool) -> Limits {
    let machine = memory();
    if confined {
        let memory = READING_MEMORY.min(machine / 2);
        Limits { memory, processes: READING_PROCESSES, file: READING_FILE }
    } else {
        let memory = (machine / 100 * ALLOWED_MEMORY).max(READING_MEMORY.min(machine));
        Limits { memory, processes: ALLOWED_PROCESSES, file: ALLOWED_FILE }
    }
}

/// The machine's memory, in bytes.
fn memory() -> u64 {
    static MEMORY: OnceLock<u64> = OnceLock::new();
    *MEMORY.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kilobytes =
            total.and_then(|rest| rest.trim().trim_end_matches("kB").trim_end().parse::<u64>().ok());
        kilobytes.map_or(UNKNOWN_MEMORY, |kilobytes| kilobytes << 10)
    })
}
