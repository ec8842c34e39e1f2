//! The guard as a program of its own, for the tests of this crate.

fn main() -> std::process::ExitCode {
    process_guard::intercept().unwrap_or(std::process::ExitCode::from(process_guard::EXIT_GUARD_FAILED))
}
