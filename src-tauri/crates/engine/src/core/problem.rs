//! Failures of the parts below, in the words of the closed list.

use domain::{ErrorCode, Problem};
use store::StoreError;

/// A failure of the store.
pub(crate) fn store(error: StoreError) -> Problem {
    error.into()
}

/// A failure that only a defect of the program explains.
pub(crate) fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::Internal, error.to_string())
}
