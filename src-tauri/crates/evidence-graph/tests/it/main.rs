//! Evidence graphs through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod analysis;
mod contradictions;
mod findings;
mod fold;
mod grounds;
mod join;
mod pages;
mod plan;
mod ramdocs;
mod report;
mod request;
mod rig;
mod statements;
