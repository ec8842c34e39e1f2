//! The guard on other Unixes: the parent is polled and the command's process group is killed.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process_group};

use super::{EXIT_GUARD_FAILED, GuardArgs, Step, report_not_started};

const POLL: Duration = Duration::from_millis(50);

pub(super) fn run(args: &GuardArgs) -> u8 {
    match args.step {
        Step::Become => {
            let error = Command::new(&args.command).args(&args.arguments).exec();
            report_not_started(&args.command, &error)
        }
        Step::Watch => watch(args).unwrap_or_else(|error| {
            eprintln!("guard: {error}");
            EXIT_GUARD_FAILED
        }),
    }
}

fn watch(args: &GuardArgs) -> std::io::Result<u8> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let spawned = Command::new(&args.command)
        .args(&args.arguments)
        .envs(args.added_environment())
        .process_group(0)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Ok(report_not_started(&args.command, &error)),
    };
    let group = Pid::from_child(&child);
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;

    let owner = i32::try_from(args.owner).ok();
    let mut outcome = child.try_wait()?;
    while outcome.is_none()
        && !stop.load(Ordering::Relaxed)
        && getppid().map(|pid| pid.as_raw_nonzero().get()) == owner
    {
        std::thread::sleep(POLL);
        outcome = child.try_wait()?;
    }
    let begun = Instant::now();
    let _ = kill_process_group(group, Signal::TERM);
    while outcome.is_none() && begun.elapsed() < args.grace {
        std::thread::sleep(Duration::from_millis(5));
        outcome = child.try_wait()?;
    }
    let _ = kill_process_group(group, Signal::KILL);
    let status = match outcome {
        Some(status) => status,
        None => child.wait()?,
    };
    let code = status.code().unwrap_or(128 + 9);
    Ok(u8::try_from(code & 0xff).unwrap_or(EXIT_GUARD_FAILED))
}
