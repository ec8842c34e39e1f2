//! Computing a stored run of six stages again, and checking the capsule of a research run.

use std::process::{Command, Stdio};
use std::time::Instant;

use crate::figure::{Figure, median, ms};
use crate::rig::Rig;
use crate::{Bench, Outcome};

const ROUNDS: usize = 11;

/// From the stored log to the verdict.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let home = bench.scratch()?;
    let rig = Rig::open(home.path(), None).await?;
    let run = rig.start(6).await?;
    rig.engine.wait(&run).await?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let replay = rig.engine.replay(&run).await?;
        times.push(ms(start.elapsed()));
        if !replay.identical {
            return Err(format!("the run differs: {:?}", replay.differences).into());
        }
    }
    rig.store.close().await?;
    Ok(vec![
        Figure::plain("replay.six-stages", median(times), "ms").at_most(150.0),
        Figure::plain("replay.capsule-verify", checked(bench).await?, "ms").at_most(1_000.0),
    ])
}

/// From the file to the report, a scratch database included.
async fn checked(bench: &Bench) -> Outcome<f64> {
    let folder = bench.scratch()?;
    let home = folder.path().join("home");
    let file = folder.path().join("answer.capsule");
    let program = |arguments: &[&str]| -> Outcome<()> {
        let done = Command::new(&bench.program)
            .args(arguments)
            .env("AGENTNATIVE_HOME", &home)
            .stdout(Stdio::null())
            .status()?;
        if done.success() { Ok(()) } else { Err(format!("agentnative {arguments:?}: {done}").into()) }
    };
    program(&["run", "isa-deep-research", "--yes", "When must the auditor assess going concern?"])?;
    let session = std::fs::read_dir(home.join("sessions"))?.next().ok_or("there is no session")??;
    let session = session.file_name().to_string_lossy().into_owned();
    program(&["capsule", "make", &session, "-o", &file.to_string_lossy()])?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let report = app::verify_capsule(&file).await?;
        times.push(ms(start.elapsed()));
        if !report.holds {
            return Err(format!("the capsule does not hold: {:?}", report.faults).into());
        }
    }
    Ok(median(times))
}
