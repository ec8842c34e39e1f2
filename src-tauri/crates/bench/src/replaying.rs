//! Computing a stored run of six stages again.

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
    Ok(vec![Figure::plain("replay.six-stages", median(times), "ms").at_most(150.0)])
}
