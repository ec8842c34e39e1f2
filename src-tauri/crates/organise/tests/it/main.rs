//! Expressions, the search line and the lists, as a person and the program meet them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod auto;
mod completion;
mod expressions;
mod files;
mod generated;
mod help;
mod labels;
mod mistakes;
mod search;
mod sql;
mod statuses;
mod support;
mod views;
