//! The workspace's files as a person and the program meet them.

mod agents;
mod broken;
mod mutations;
mod schemas;
mod shipped;
mod sources;
mod support;
