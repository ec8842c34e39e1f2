//! The guard as a program of its own, for the tests of this crate, and the reader of documents.

fn main() -> std::process::ExitCode {
    if let Some(code) = documents::worker::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    process_guard::intercept().unwrap_or(std::process::ExitCode::from(process_guard::EXIT_GUARD_FAILED))
}
