//! Sessions on their way out and in, and pages that others may read.

mod bundles;
mod exporting;
mod files;
mod gathering;
mod importing;
mod inspecting;
pub mod shares;
mod turns;
mod unbundling;

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use domain::{ErrorCode, Problem};

use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::wire::ImportDone;

/// Imports whose outcome can still be asked for.
const KEPT: usize = 20;

/// How imports ended, by job.
#[derive(Debug, Default)]
pub(crate) struct Outcomes(Mutex<VecDeque<(String, ImportDone)>>);

impl Outcomes {
    fn keep(&self, job: String, done: ImportDone) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push_back((job, done));
        while all.len() > KEPT {
            all.pop_front();
        }
    }

    fn of(&self, job: &str) -> Result<ImportDone, Problem> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|(known, _)| known == job).map(|(_, done)| done.clone());
        found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, "that import has not ended, or is not known")
                .with_action("list the jobs to see how it stands")
        })
    }
}

impl Local {
    /// Carries out a command of this module.
    pub(crate) async fn at_transfer(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::ExportPreview(of) => {
                self.export_preview(&of).await.map(|preview| Response::ExportPreview(Box::new(preview)))
            }
            Request::ExportWrite(of) => self.export_write(&of).await.map(Response::ExportWritten),
            Request::ImportInspect(from) => {
                self.import_inspect(&from.path).await.map(|view| Response::ImportView(Box::new(view)))
            }
            Request::ImportRun(of) => self.import_run(of).await.map(Response::Job),
            Request::ImportShow(of) => {
                self.desk.imports.of(&of.job).map(|done| Response::ImportDone(Box::new(done)))
            }
            Request::ShareAdd(of) => self.share_add(&of).await.map(|row| Response::Shares(vec![row])),
            Request::ShareList => self.share_list().await.map(Response::Shares),
            Request::ShareRevoke(of) => self.share_revoke(&of.id).await.map(|()| Response::Done),
            other => Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", other.name()))),
        }
    }
}
