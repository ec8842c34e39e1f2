//! The child that reads documents as a program of its own, for the tests of this crate. Without the argument that
//! makes it one it is a parent whose child waits for the file named, for the test that kills it.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use documents::worker::{Reader, child_main};
use documents::{Format, Limits};

fn main() -> ExitCode {
    if let Some(code) = child_main(std::env::args_os().skip(1)) {
        return code;
    }
    let Some(path) = std::env::args_os().nth(1) else { return ExitCode::FAILURE };
    let reader = Reader::of_this_program();
    let read = reader.read(path.as_ref(), Format::Text, &Limits::default(), &AtomicBool::new(false));
    println!("{}", read.is_ok());
    // Stays with its warm child until it is killed.
    let _ = std::io::read_to_string(std::io::stdin());
    ExitCode::SUCCESS
}
