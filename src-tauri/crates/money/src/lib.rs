//! Limits on money and forecasts in the terminal: what is typed, asked and shown.
//!
//! Architecture invariant: knows no transport; any client of the core will do.

mod args;
mod change;
mod forecast;
mod limits;

pub use args::{LimitArgs, LimitChange};
pub use change::{ask_for_limits, change_limits, set_own_limits};
pub use forecast::{forecast_line, foreseen};
pub use limits::{limits_table, limits_typed};
