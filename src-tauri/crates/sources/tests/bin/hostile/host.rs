//! A program that holds a source open until it is killed.

use std::process::ExitCode;

use sources::{Source, SourceConfig};

/// Arguments: the guard's program, the server's mode.
pub fn run(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let (Some(guard), Some(mode)) = (arguments.next(), arguments.next()) else {
        return ExitCode::FAILURE;
    };
    let Ok(runtime) = tokio::runtime::Runtime::new() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let Ok(program) = std::env::current_exe() else {
            return ExitCode::FAILURE;
        };
        let mut config = SourceConfig::new("held", program.to_string_lossy()).with_args([mode.as_str()]);
        config.inherit_env = vec!["MARKER".into()];
        match Source::start(config, Some(guard.into()), None).await {
            Ok(source) => {
                println!("ready with {} tools", source.tools().len());
                std::future::pending::<ExitCode>().await
            }
            Err(error) => {
                println!("{error}");
                ExitCode::FAILURE
            }
        }
    })
}
