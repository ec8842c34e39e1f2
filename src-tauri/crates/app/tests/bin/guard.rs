//! The guard as a program of its own, for the tests of this crate.

fn main() -> std::process::ExitCode {
    sources::guard::intercept().unwrap_or(std::process::ExitCode::from(sources::guard::EXIT_GUARD_FAILED))
}
