//! The guard on Linux: pidfd of the parent, subreaper, and a walk over /proc until no descendant is left.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, pidfd_open, pidfd_send_signal,
    set_child_subreaper, set_parent_process_death_signal, wait,
};

use super::{EXIT_GUARD_FAILED, EXIT_LIMIT, GuardArgs, LEFT_BEHIND, Step, report_not_started};
use crate::tree::descendants;

/// How long SIGKILL is repeated for; only a process stuck in the kernel outlives it.
const KILL_LIMIT: Duration = Duration::from_secs(5);
/// A pidfd needs Linux 5.3; on an older kernel the parent is looked at this often.
const PARENT_POLL: Duration = Duration::from_millis(200);
/// How often a tree with bounds is looked at, at first and later.
const LIMITS_POLL: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(250)];
/// How long after its start a tree is looked at often.
const YOUNG: Duration = Duration::from_secs(5);
/// How often a tree that is to be killed is looked for processes that were started meanwhile, before that.
const MAX_FREEZES: usize = 100;

/// The most processes that are named.
const MAX_NAMED: usize = 5;
/// The most characters of a process' command line that are told.
const MAX_NAME_CHARS: usize = 100;

pub(super) fn run(args: &GuardArgs) -> u8 {
    match args.step {
        Step::Become => become_command(args),
        Step::Watch => watch(args).unwrap_or_else(|error| {
            eprintln!("guard: {error}");
            EXIT_GUARD_FAILED
        }),
    }
}

/// Asks the kernel to kill this process with the guard, then turns into the command; the request survives `execve`.
fn become_command(args: &GuardArgs) -> u8 {
    let armed = set_parent_process_death_signal(Some(Signal::KILL));
    if armed.is_err() || parent_id() != Some(args.owner) {
        return EXIT_GUARD_FAILED;
    }
    let error = Command::new(&args.command).args(&args.arguments).exec();
    report_not_started(&args.command, &error)
}

fn watch(args: &GuardArgs) -> std::io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    let (stop, stop_writer) = signal_pipe()?;
    for signal in [
        signal_hook::consts::SIGTERM,
        signal_hook::consts::SIGINT,
        signal_hook::consts::SIGHUP,
        signal_hook::consts::SIGQUIT,
    ] {
        signal_hook::low_level::pipe::register(signal, stop_writer.try_clone()?)?;
    }
    let (mut children, children_writer) = signal_pipe()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, children_writer)?;

    let parent = open_parent(args.owner);
    // The parent may have died, and its number been given away, before the pidfd was opened.
    if parent_id() != Some(args.owner) {
        return Ok(EXIT_GUARD_FAILED);
    }

    let inner = GuardArgs { step: Step::Become, owner: std::process::id(), mark: None, ..args.clone() };
    // The link, not the path it names: the program's file may have been replaced by an update since.
    let spawned = Command::new("/proc/self/exe")
        .args(inner.to_words())
        .envs(args.added_environment())
        .process_group(0)
        .spawn();
    let child = match spawned {
        Ok(child) => Pid::from_child(&child),
        Err(error) => return Ok(report_not_started(&args.command, &error)),
    };
    release_stdio()?;

    let begun = Instant::now();
    let mut outcome = None;
    loop {
        reap(child, &mut outcome);
        if outcome.is_some() || parent_id() != Some(args.owner) {
            break;
        }
        let mut watched = vec![PollFd::new(&stop, PollFlags::IN), PollFd::new(&children, PollFlags::IN)];
        if let Some(parent) = &parent {
            watched.push(PollFd::new(parent, PollFlags::IN));
        }
        let looks = [
            parent.is_none().then_some(PARENT_POLL),
            args.limits.map(|_| LIMITS_POLL[usize::from(begun.elapsed() > YOUNG)]),
        ];
        let timeout = looks.into_iter().flatten().min();
        let timeout = timeout.map(|time| Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) });
        match poll(&mut watched, timeout.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let stopped = !watched[0].revents().is_empty();
        let parent_ended = watched.get(2).is_some_and(|fd| !fd.revents().is_empty());
        if stopped || parent_ended {
            break;
        }
        drain(&mut children);
        let passed = args.limits.and_then(|limits| limits.passed(&descendants(std::process::id())));
        if let Some(passed) = passed {
            freeze();
            while signal_descendants(Signal::KILL) {
                reap(child, &mut outcome);
            }
            eprintln!("[The command was ended: {passed}.]");
            return Ok(EXIT_LIMIT);
        }
    }
    // Told where the command is bounded, as a person's or a model's is: it may have meant them to go on.
    if outcome.is_some() && args.limits.is_some() {
        tell_of_left_behind();
    }
    end_tree(child, args.grace, &mut outcome);
    Ok(outcome.unwrap_or(EXIT_GUARD_FAILED))
}

fn signal_pipe() -> std::io::Result<(UnixStream, UnixStream)> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    Ok((reader, writer))
}

fn drain(pipe: &mut UnixStream) {
    let mut bytes = [0_u8; 256];
    while matches!(pipe.read(&mut bytes), Ok(1..)) {}
}

fn parent_id() -> Option<u32> {
    getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

fn open_parent(owner: u32) -> Option<OwnedFd> {
    let pid = Pid::from_raw(i32::try_from(owner).ok()?)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Gives up the guard's own copies of the command's streams, so that end-of-file reaches both sides.
fn release_stdio() -> std::io::Result<()> {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(null.as_fd())?;
    rustix::stdio::dup2_stdout(null.as_fd())?;
    Ok(())
}

/// Collects everyone that has ended; orphans of the tree are ours to collect too.
fn reap(child: Pid, outcome: &mut Option<u8>) {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == child {
            let code = status
                .exit_status()
                .or_else(|| status.terminating_signal().map(|signal| 128 + signal))
                .unwrap_or(i32::from(EXIT_GUARD_FAILED));
            *outcome = Some(u8::try_from(code & 0xff).unwrap_or(EXIT_GUARD_FAILED));
        }
    }
}

/// SIGTERM, a grace period, then SIGKILL again and again until the walk finds nobody: a tree may fork while it dies.
fn end_tree(child: Pid, grace: Duration, outcome: &mut Option<u8>) {
    let begun = Instant::now();
    if signal_descendants(Signal::TERM) {
        while begun.elapsed() < grace {
            reap(child, outcome);
            if descendants(std::process::id()).is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let killing = Instant::now();
    while signal_descendants(Signal::KILL) && killing.elapsed() < KILL_LIMIT {
        reap(child, outcome);
        std::thread::sleep(Duration::from_millis(2));
    }
    reap(child, outcome);
}

/// Names what the command started and left running, which ends now. What lives in a process namespace of its own (a
/// confined command's) ends with the command in any case; there the shell tells of its jobs.
fn tell_of_left_behind() {
    let own = namespaces(std::process::id());
    let named: Vec<String> = descendants(std::process::id())
        .iter()
        .filter(|process| namespaces(process.pid) <= own)
        .filter_map(|process| {
            let words = std::fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            let words: String =
                words.trim().chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
            // One that is just ending has no words any more.
            (!words.is_empty()).then(|| format!("process {} ({words})", process.pid))
        })
        .collect();
    if !named.is_empty() {
        let shown = named.len().min(MAX_NAMED);
        let more =
            if named.len() > shown { format!(" and {} more", named.len() - shown) } else { String::new() };
        eprintln!("{LEFT_BEHIND}{}{more}.]", named[..shown].join(", "));
    }
}

/// In how many process namespaces a process has a number; 0 of one that has ended.
fn namespaces(pid: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    numbers.map_or(0, |numbers| numbers.split_whitespace().count())
}

/// Stops every descendant, so that none starts more while they are killed.
fn freeze() {
    let mut frozen = 0;
    for _ in 0..MAX_FREEZES {
        signal_descendants(Signal::STOP);
        let now = descendants(std::process::id()).len();
        if now <= frozen {
            return;
        }
        frozen = now;
    }
}

/// Signals every living descendant; false when there is none.
fn signal_descendants(signal: Signal) -> bool {
    let living = descendants(std::process::id());
    for process in &living {
        let Some(pid) = i32::try_from(process.pid).ok().and_then(Pid::from_raw) else {
            continue;
        };
        match pidfd_open(pid, PidfdFlags::empty()) {
            // The start time proves that the number still names the process that the walk saw.
            Ok(handle) if process.is_same() => {
                let _ = pidfd_send_signal(handle, signal);
            }
            Ok(_) => {}
            Err(rustix::io::Errno::NOSYS) => {
                let _ = rustix::process::kill_process(pid, signal);
            }
            Err(_) => {}
        }
    }
    !living.is_empty()
}
