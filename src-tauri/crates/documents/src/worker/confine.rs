//! Bounds that the child puts on itself before it sees a byte of a document.

/// Memory beyond what the program needs by itself and what the file's size explains.
pub(super) const MEMORY: u64 = 1 << 30;
/// More for the models that read pictures.
#[cfg(unix)]
const MODELS: u64 = 1 << 30;
/// Processor time of a child's whole life, in seconds, which reading pictures may take up: the parent's clock ends it long before.
#[cfg(unix)]
const PROCESSOR: u64 = 48 * 3600;

/// No file written, no process started, no core dumped.
#[cfg(unix)]
pub(super) fn at_start() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let to = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    // A bound that the system refuses leaves the others.
    let _ = setrlimit(Resource::Core, to(0));
    let _ = setrlimit(Resource::Fsize, to(0));
    let _ = setrlimit(Resource::Nofile, to(64));
    let _ = setrlimit(Resource::Nproc, to(0));
    let _ = setrlimit(Resource::Cpu, to(PROCESSOR));
}

/// Bounds the memory for one file; `base` is what the program took before it read any.
#[cfg(unix)]
pub(super) fn for_file(base: Option<u64>, bytes: u64, recognises: bool) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// Memory for each byte of the file: its bytes, a copy for the parser, its text and the blocks.
    const PER_BYTE: u64 = 4;
    let Some(base) = base else { return };
    let models = if recognises { MODELS } else { 0 };
    let most = base.saturating_add(MEMORY + models).saturating_add(bytes.saturating_mul(PER_BYTE));
    let maximum = getrlimit(Resource::As).maximum;
    let most = maximum.map_or(most, |maximum| most.min(maximum));
    let _ = setrlimit(Resource::As, Rlimit { current: Some(most), maximum });
}

/// The address space that this process takes, in bytes, where the system tells.
#[cfg(unix)]
pub(super) fn taken() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim_end().parse().ok()?;
    Some(kilobytes << 10)
}

/// Ends this process at once.
#[cfg(unix)]
pub(super) fn end() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}

#[cfg(not(unix))]
pub(super) fn at_start() {}

#[cfg(not(unix))]
pub(super) fn for_file(_: Option<u64>, _: u64, _: bool) {}

#[cfg(not(unix))]
pub(super) fn taken() -> Option<u64> {
    None
}

#[cfg(not(unix))]
pub(super) fn end() -> ! {
    std::process::abort()
}
