//! Failures in the words of the closed list that surfaces know.

use domain::{ErrorCode, Problem};

use crate::error::StoreError;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::Busy { .. } | StoreError::Locked { .. } | StoreError::Overloaded => ErrorCode::Busy,
            StoreError::NotWritable { .. }
            | StoreError::BadPath { .. }
            | StoreError::DiskFull
            | StoreError::Io { .. }
            | StoreError::WriterStopped { .. } => ErrorCode::Storage,
            StoreError::Foreign { .. }
            | StoreError::Corrupt { .. }
            | StoreError::BlobDamaged { .. }
            | StoreError::UnknownBlob { .. } => ErrorCode::Corrupt,
            StoreError::Newer { .. } => ErrorCode::NewerData,
            StoreError::Conflict { .. } | StoreError::RunExists { .. } => ErrorCode::Conflict,
            StoreError::UnknownRun { .. } | StoreError::UnknownSession { .. } => ErrorCode::NotFound,
            StoreError::TooLarge { .. } => ErrorCode::InvalidInput,
            StoreError::Invalid { .. } | StoreError::Closed | StoreError::Refused { .. } => {
                ErrorCode::Internal
            }
        };
        let problem = Problem::new(code, error.to_string());
        match error {
            StoreError::DiskFull
            | StoreError::Locked { .. }
            | StoreError::Overloaded
            | StoreError::Busy { .. } => problem.retryable(),
            _ => problem,
        }
    }
}
