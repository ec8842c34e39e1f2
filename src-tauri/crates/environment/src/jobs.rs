//! Long work outside of runs. Jobs live as long as this process; what they finish is on the disk.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use protocol::{ApiEvent, JobKind, JobState, JobStatus, Tag};
use support::{clipped, now_ms};

use crate::stream::Stream;

/// Jobs that are still listed after they have ended.
const KEPT: usize = 50;
/// Jobs at the same time.
const MAX_RUNNING: usize = 4;
/// Progress is told this often at most.
const SPAN: Duration = Duration::from_millis(100);
/// The most warnings of one job, and the most bytes of one.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING_BYTES: usize = 300;
/// How long jobs may take to end when the program does.
const LAST_MOMENTS: Duration = Duration::from_secs(5);

/// The jobs of this process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    /// Oldest first.
    jobs: Arc<Mutex<VecDeque<Job>>>,
    number: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Job {
    state: JobState,
    cancel: Arc<AtomicBool>,
}

/// The job, for the work itself.
pub struct Step {
    jobs: Arc<Mutex<VecDeque<Job>>>,
    stream: Stream,
    state: JobState,
    told: Instant,
    /// Set when somebody wants it to stop.
    pub cancel: Arc<AtomicBool>,
}

impl Jobs {
    /// Those of a workspace, newest first.
    pub fn list(&self, workspace: &str) -> Vec<JobState> {
        let jobs = self.jobs.lock();
        let own = jobs.iter().rev().filter(|job| job.state.workspace == workspace);
        own.map(|job| job.state.clone()).collect()
    }

    /// Those of every workspace, for what concerns the whole program.
    pub fn all(&self) -> Vec<JobState> {
        self.jobs.lock().iter().map(|job| job.state.clone()).collect()
    }

    /// Lists a job of a workspace that begins now.
    pub fn begin(
        &self,
        kind: JobKind,
        workspace: &str,
        subject: String,
        stream: &Stream,
    ) -> Result<Step, Problem> {
        let mut jobs = self.jobs.lock();
        let running = |job: &&Job| job.state.status == JobStatus::Running;
        let is_same = |job: &Job| job.state.subject == subject && job.state.workspace == workspace;
        if jobs.iter().filter(running).any(is_same) {
            return Err(Problem::new(
                ErrorCode::Busy,
                format!("{subject} is being worked on already; nothing was changed"),
            )
            .with_action("wait until that job has ended, or stop it"));
        }
        if jobs.iter().filter(running).count() >= MAX_RUNNING {
            return Err(Problem::new(
                ErrorCode::Busy,
                format!("{MAX_RUNNING} jobs are under way, the most at once"),
            )
            .with_action("wait until one has ended, or stop one"));
        }
        let state = JobState {
            job: format!("job-{}", self.number.fetch_add(1, Ordering::Relaxed) + 1),
            kind,
            workspace: workspace.to_owned(),
            subject,
            status: JobStatus::Running,
            text: "Starting".to_owned(),
            done: 0,
            total: 0,
            warnings: Vec::new(),
            problem: None,
            started_at: now_ms(),
        };
        let cancel = Arc::new(AtomicBool::new(false));
        jobs.push_back(Job { state: state.clone(), cancel: cancel.clone() });
        while jobs.len() > KEPT {
            let Some(old) = jobs.iter().position(|job| job.state.status != JobStatus::Running) else { break };
            jobs.remove(old);
        }
        drop(jobs);
        stream.send(ApiEvent::Job(state.clone()));
        Ok(Step { jobs: self.jobs.clone(), stream: stream.clone(), state, told: Instant::now(), cancel })
    }

    /// Asks a job of a workspace to stop. One that has ended stays as it is.
    pub fn cancel(&self, workspace: &str, job: &str) -> Result<(), Problem> {
        let jobs = self.jobs.lock();
        let found = jobs.iter().find(|known| known.state.job == job && known.state.workspace == workspace);
        let found = found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("there is no job {}", clipped(job, 80)))
        })?;
        if found.state.status != JobStatus::Running {
            return Err(Problem::new(ErrorCode::Conflict, format!("{job} has ended already")));
        }
        found.cancel.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Waits until no job of a workspace works on a subject.
    pub async fn ended(&self, workspace: &str, subject: &str) {
        let is_same = |job: &Job| {
            job.state.status == JobStatus::Running
                && job.state.workspace == workspace
                && job.state.subject == subject
        };
        while self.jobs.lock().iter().any(is_same) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops all jobs and waits a moment for them.
    pub async fn end(&self) {
        let until = tokio::time::Instant::now() + LAST_MOMENTS;
        while self.running() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Asks all to stop; how many are still under way.
    fn running(&self) -> usize {
        let jobs = self.jobs.lock();
        let running = jobs.iter().filter(|job| job.state.status == JobStatus::Running);
        running.inspect(|job| job.cancel.store(true, Ordering::Relaxed)).count()
    }
}

impl Drop for Step {
    /// Work that ended without a word, because it panicked, must not be listed as running for ever.
    fn drop(&mut self) {
        if self.state.status == JobStatus::Running {
            self.state.status = JobStatus::Failed;
            "Failed".clone_into(&mut self.state.text);
            self.state.problem = Some(Problem::new(ErrorCode::Internal, "the work ended early"));
            self.tell();
        }
    }
}

impl Step {
    /// How it stands.
    pub fn state(&self) -> JobState {
        self.state.clone()
    }

    /// Tells what is being done.
    pub fn progress(&mut self, text: &str, done: u64, total: u64) {
        let other = self.state.text != text;
        if other {
            text.clone_into(&mut self.state.text);
        }
        (self.state.done, self.state.total) = (done, total);
        if other || self.told.elapsed() >= SPAN {
            self.tell();
        }
    }

    /// Tells how it ended.
    pub fn end(mut self, ended: Result<String, Problem>, warnings: Vec<String>, changed: &[Tag]) {
        self.state.warnings =
            warnings.iter().take(MAX_WARNINGS).map(|text| clipped(text, MAX_WARNING_BYTES)).collect();
        if warnings.len() > MAX_WARNINGS {
            self.state.warnings.push(format!("and {} more", warnings.len() - MAX_WARNINGS));
        }
        match ended {
            Ok(text) => {
                self.state.status = JobStatus::Done;
                self.state.done = self.state.total;
                self.state.text = text;
                self.stream.tell(changed);
            }
            Err(problem) => {
                let cancelled = problem.code == ErrorCode::Cancelled;
                self.state.status = if cancelled { JobStatus::Cancelled } else { JobStatus::Failed };
                self.state.text = if cancelled {
                    "Stopped; everything is as it was".to_owned()
                } else {
                    "Failed".to_owned()
                };
                self.state.problem = (!cancelled).then_some(problem);
            }
        }
        self.tell();
        self.stream.tell(&[Tag::Jobs]);
    }

    fn tell(&mut self) {
        self.told = Instant::now();
        let mut jobs = self.jobs.lock();
        if let Some(job) = jobs.iter_mut().find(|job| job.state.job == self.state.job) {
            job.state = self.state.clone();
        }
        drop(jobs);
        self.stream.send(ApiEvent::Job(self.state.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_listed_bounded_and_stopped_once() {
        let (jobs, stream) = (Jobs::default(), Stream::default());
        for number in 0..KEPT + 10 {
            let step = jobs.begin(JobKind::Ingest, "a", format!("b{number}"), &stream).unwrap();
            step.end(Ok("done".to_owned()), vec!["w".repeat(1_000); 200], &[]);
        }
        assert_eq!(jobs.list("b"), []);
        let list = jobs.list("a");
        assert_eq!(list.len(), KEPT);
        assert_eq!(list[0].job, "job-60");
        assert_eq!((list[0].warnings.len(), list[0].status), (MAX_WARNINGS + 1, JobStatus::Done));
        assert!(list[0].warnings.iter().all(|text| text.len() <= MAX_WARNING_BYTES + 4));
        let step = jobs.begin(JobKind::Ingest, "a", "mine".to_owned(), &stream).unwrap();
        let again = |workspace: &str| jobs.begin(JobKind::Ingest, workspace, "mine".to_owned(), &stream);
        assert_eq!(again("a").err().map(|problem| problem.code), Some(ErrorCode::Busy));
        assert!(again("b").is_ok(), "of the same name in another workspace");
        let job = step.state().job;
        assert_eq!(jobs.cancel("b", &job).unwrap_err().code, ErrorCode::NotFound);
        jobs.cancel("a", &job).unwrap();
        assert!(step.cancel.load(Ordering::Relaxed));
        step.end(Err(Problem::new(ErrorCode::Cancelled, "stopped")), Vec::new(), &[]);
        assert_eq!(jobs.list("a")[0].status, JobStatus::Cancelled);
        assert_eq!(jobs.cancel("a", &job).unwrap_err().code, ErrorCode::Conflict);
        assert_eq!(jobs.cancel("a", "job-999").unwrap_err().code, ErrorCode::NotFound);
    }
}
