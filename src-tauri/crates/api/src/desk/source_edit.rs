//! Commands that add, change, call and approve sources.

use domain::{ErrorCode, Problem};

use crate::local::Local;
use crate::request::{Request, Response};

impl Local {
    /// Carries out a command of this module.
    pub(super) async fn at_sources(&self, request: Request) -> Result<Response, Problem> {
        Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", request.command().name)))
    }
}
