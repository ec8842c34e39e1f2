//! The server as a browser, another page and a hostile program find it.
// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod auth;
mod rig;
mod shares;
mod streams;
