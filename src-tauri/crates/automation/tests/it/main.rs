//! Tests of schedules, conditions, files and plans.

// The lint's exception for tests covers test functions only, not what they share.
#![allow(clippy::unwrap_used)]

mod cron;
mod file;
mod planning;
