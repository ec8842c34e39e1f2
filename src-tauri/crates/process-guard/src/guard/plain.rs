//! The guard where there are no Unix processes: it starts the command and passes its exit code on. A job object is the
//! mechanism that would end the tree there.

use std::process::Command;

use super::{EXIT_GUARD_FAILED, GuardArgs, report_not_started};

pub(super) fn run(args: &GuardArgs) -> u8 {
    match Command::new(&args.command).args(&args.arguments).envs(args.added_environment()).status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(EXIT_GUARD_FAILED)
        }
        Err(error) => report_not_started(&args.command, &error),
    }
}
