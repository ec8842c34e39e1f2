//! A child that takes a request and then does what its first argument says, for the tests of this crate.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let deed = std::env::args().nth(1).unwrap_or_default();
    let mut request = String::new();
    let _ = std::io::stdin().read_line(&mut request);
    match deed.as_str() {
        "abort" => std::process::abort(),
        "exit" => ExitCode::from(3),
        "spin" => loop {
            std::hint::spin_loop();
        },
        "flood" => loop {
            if std::io::stdout().write_all(&[b'x'; 1 << 16]).is_err() {
                return ExitCode::FAILURE;
            }
        },
        "garbage" => {
            println!("{{\"block\":[]}}");
            let _ = std::io::read_to_string(std::io::stdin());
            ExitCode::SUCCESS
        }
        "beat" => {
            // Says that it lives, and never ends.
            let mut count = 0_u64;
            while writeln!(std::io::stdout(), "{{\"beat\":{count}}}").is_ok() {
                count += 1;
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}
