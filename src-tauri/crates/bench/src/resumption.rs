//! Resuming in this process: from opening the store until the provider is asked.

use std::fs;
use std::path::Path;
use std::time::Instant;

use engine::PausePolicy;

use crate::disk::Raw;
use crate::figure::{Figure, median, ms};
use crate::rig::Rig;
use crate::{Bench, Outcome};

const ROUNDS: usize = 15;

/// A run of six stages, killed while its fourth waits for an answer, resumed again and again from copies of its files.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let folder = bench.scratch()?;
    let killed = folder.path().join("killed");
    let home = folder.path().join("home");
    let rig = Rig::open(&home, Some(4)).await?;
    let run = rig.start(6).await?;
    rig.marks.asked(4).await?;
    // What a kill leaves: the files as they are now.
    copy(&home, &killed)?;
    rig.engine.cancel(&run).await?;
    rig.store.close().await?;
    let mut raw = Raw::create(folder.path()).await?;
    let (mut whole, mut over, mut theirs) = (vec![], vec![], vec![]);
    let mut commits = 0;
    for round in 0..=ROUNDS {
        let home = folder.path().join(format!("round-{round}"));
        copy(&killed, &home)?;
        let mut small = 0.0;
        for _ in 0..3 {
            small += raw.commit(1_000).await? / 3.0;
        }
        let start = Instant::now();
        let rig = Rig::open(&home, Some(1)).await?;
        rig.engine.resume(&run, PausePolicy { replies: Vec::new(), unattended: true }).await?;
        rig.marks.asked(1).await?;
        let asked = rig.marks.take().0[0];
        commits = rig.store.stats().full_transactions;
        rig.engine.cancel(&run).await?;
        rig.store.close().await?;
        fs::remove_dir_all(&home)?;
        if round > 0 {
            let took = ms(asked.duration_since(start));
            whole.push(took);
            over.push(took - commits as f64 * small);
            theirs.push(small);
        }
    }
    raw.close().await?;
    Ok(vec![
        Figure::plain("resume.open-to-effect", median(whole), "ms").beside(commits as f64 * median(theirs)),
        // Opening the directory and the store, reading the run, and its commits, less what as many raw commits took.
        Figure::plain("resume.open-to-effect-over-commits", median(over), "ms").at_most(3.0),
    ])
}

/// Copies a folder with what is below it, and waits until the copy is on the disk: else the first fsync of whoever opens
/// it would pay for it. What was read stays in the page cache.
pub fn copy(from: &Path, to: &Path) -> Outcome<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else if entry.file_type()?.is_file() {
            fs::copy(entry.path(), &target)?;
            support::sync_file(&target)?;
        }
    }
    Ok(())
}
