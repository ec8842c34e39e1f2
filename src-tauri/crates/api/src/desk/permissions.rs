//! Commands on permissions: rules, grants, the audit.

use domain::{ErrorCode, Problem};

use crate::local::Local;
use crate::request::{Request, Response};

impl Local {
    /// Carries out a command of this module.
    pub(super) async fn at_permissions(&self, request: Request) -> Result<Response, Problem> {
        Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", request.command().name)))
    }
}
