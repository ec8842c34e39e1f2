//! Whether what is stored is sound, in words; and a repaired database where it is not.

use std::path::Path;
use std::sync::Arc;

use domain::Problem;
use environment::Step;
use parking_lot::Mutex;
use protocol::{DataCheck, JobKind, JobState};
use store::{DataDir, Depth, RepairReport, Replacement};
use support::now_ms;

use crate::backups::go_on;
use crate::manifest::DATABASE;
use crate::{Maintenance, count, size};

impl Maintenance {
    /// Checks what is stored, as a job whose warnings are the findings.
    pub async fn data_check(&self, check: DataCheck) -> Result<JobState, Problem> {
        let step = self.env.begin_job(JobKind::Check, "data".to_owned())?;
        let state = step.state();
        let local = self.clone();
        tokio::spawn(async move {
            let step = Arc::new(Mutex::new(Some(step)));
            let ended =
                if check.repair { local.repair(&step).await } else { local.look(check.full, &step).await };
            let step = step.lock().take();
            if let Some(step) = step {
                match ended {
                    Ok((text, findings)) => step.end(Ok(text), findings, &[]),
                    Err(problem) => step.end(Err(problem), Vec::new(), &[]),
                }
            }
        });
        Ok(state)
    }

    async fn look(
        &self,
        full: bool,
        step: &Arc<Mutex<Option<Step>>>,
    ) -> Result<(String, Vec<String>), Problem> {
        let told = Arc::clone(step);
        let watch = move |done, total| go_on(&told, "Reading what is stored", done, total);
        let depth = if full { Depth::Full } else { Depth::Sample };
        let Some(found) = self.env.store().check_integrity(depth, Box::new(watch)).await? else {
            return Err(crate::stopped());
        };
        let looked =
            format!("{} and {} were looked at", count(found.runs, "run"), count(found.blobs, "text"));
        let text = match found.findings.len() {
            0 => format!("Everything is sound: {looked}"),
            number => format!("{}: {looked}", count(number as u64, "finding")),
        };
        Ok((text, found.findings.iter().map(ToString::to_string).collect()))
    }

    /// Prepares a database of everything that can be read; it takes the place of this one when the program starts next.
    async fn repair(&self, step: &Arc<Mutex<Option<Step>>>) -> Result<(String, Vec<String>), Problem> {
        let told = Arc::clone(step);
        let watch = move |done, total| go_on(&told, "Copying what can be read", done, total);
        prepare_repair(self.env.store().data_dir(), Box::new(watch)).await
    }
}

/// Repairs a database that can't be opened. Gives what was done and what was found, in words.
///
/// # Errors
/// When the data directory is in use, or nothing of the database can be read.
pub async fn repair_closed(home: &Path) -> Result<(String, Vec<String>), Problem> {
    let dir = DataDir::open(home)?;
    let repaired = prepare_repair(&dir, Box::new(|_, _| true)).await?;
    drop(dir);
    // What is due takes its place.
    DataDir::open(home)?;
    Ok(repaired)
}

async fn prepare_repair(dir: &DataDir, watch: store::Watch) -> Result<(String, Vec<String>), Problem> {
    let staging = dir.prepare()?;
    let repaired = match store::salvage(dir, &staging.join(DATABASE), watch).await {
        Ok(Some(repaired)) => repaired,
        Ok(None) => {
            dir.give_up_replacement()?;
            return Err(crate::stopped());
        }
        Err(error) => {
            dir.give_up_replacement()?;
            return Err(error.into());
        }
    };
    let aside = format!("backups/damaged-{}", crate::backups::stamp(now_ms()));
    let note = format!("the repaired database; the damaged one goes to {aside}");
    let names = vec![DATABASE.to_owned()];
    dir.replace_when_opened(&Replacement { names, aside: aside.clone(), note })?;
    Ok(told_of(&repaired, &aside))
}

/// What a repair did, in words.
fn told_of(repaired: &RepairReport, aside: &str) -> (String, Vec<String>) {
    let text = format!(
        "{} with {} and {} were copied, {}. It takes effect when the program starts next; the damaged database is kept in {aside}. \
         Search finds what was said as it is indexed again, while the program runs.",
        count(repaired.rows, "row"),
        count(repaired.sessions, "session"),
        count(repaired.runs, "run"),
        size(repaired.bytes),
    );
    (text, repaired.findings.iter().map(ToString::to_string).collect())
}
