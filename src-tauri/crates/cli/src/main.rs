//! The agentnative command.
fn main() {}
