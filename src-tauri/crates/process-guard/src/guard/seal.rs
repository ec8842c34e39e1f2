//! The last step before a confined command: rules of the kernel (Landlock) that allow writing below some folders alone.
//!
//! What confines commands mounts everything read-only, and that does not keep anybody from writing into a named pipe
//! that somebody outside reads. These rules do. They come on top: on a kernel without them the command runs without.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
};

use super::{EXIT_GUARD_FAILED, SEAL_WRITES, report_not_started};

/// Folders that stay writable: those that confinement gave to the command alone, and the devices.
const WRITABLE: &[&str] = &["/tmp", "/dev"];

/// Applies the rules and becomes the command. Returns only when that failed.
pub(super) fn run(mut words: impl Iterator<Item = OsString>) -> u8 {
    let mut writable: Vec<OsString> = WRITABLE.iter().map(OsString::from).collect();
    let command = loop {
        match words.next() {
            Some(word) if word == SEAL_WRITES => writable.extend(words.next()),
            Some(word) if word == "--" => break words.next(),
            Some(_) | None => break None,
        }
    };
    let Some(command) = command else {
        eprintln!("guard: a command is needed after --seal --");
        return EXIT_GUARD_FAILED;
    };
    if let Err(error) = seal(&writable) {
        eprintln!("guard: cannot confine: {error}");
        return EXIT_GUARD_FAILED;
    }
    let error = Command::new(&command).args(words).exec();
    report_not_started(&command, &error)
}

fn seal(writable: &[OsString]) -> Result<(), RulesetError> {
    let abi = ABI::V6;
    let writing = AccessFs::from_write(abi);
    let mut rules = Ruleset::default().handle_access(writing)?.scope(Scope::from_all(abi))?.create()?;
    for folder in writable {
        if let Ok(folder) = PathFd::new(folder) {
            rules = rules.add_rule(PathBeneath::new(folder, writing))?;
        }
    }
    rules.restrict_self()?;
    Ok(())
}
