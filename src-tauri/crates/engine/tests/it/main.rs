//! The engine, driven end to end in this process: a real store in a temporary directory, a scripted model, scripted
//! tools.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod agents;
mod child_runs;
mod commits;
mod compare;
mod cuts;
mod faults;
mod gates;
mod graph;
mod handed;
mod hostile;
mod isa;
mod judging;
mod lanes;
mod material;
mod models;
mod pauses;
mod providers;
mod records;
mod recovery;
mod replaying;
mod reuse;
mod sources;
mod spending;
mod stage_turn;
mod stores;
mod tools;
mod turn;
mod turn_asks;
mod turn_context;
mod turn_crash;
mod turn_live;
mod turn_world;
mod world;
