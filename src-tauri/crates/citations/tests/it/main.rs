//! The verification of quotes, claims and answers through its public interface.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod brackets;
mod checks;
mod contradicting;
#[path = "../../../knowledge/tests/it/dice.rs"]
mod dice;
mod falsified;
mod hiding;
mod records;
mod seeded;
#[allow(dead_code)]
#[path = "../../../knowledge/tests/it/world.rs"]
mod world;
