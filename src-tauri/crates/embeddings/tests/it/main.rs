//! Tests of the crate from outside.

#![allow(clippy::unwrap_used)]

mod folders;
mod judged;
mod naive;
mod tiny;
mod vectors;
