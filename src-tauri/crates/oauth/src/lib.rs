//! What the sign-ins to providers and to sources share: the proof that goes with a sign-in (RFC 7636) and the port to
//! which the browser comes back (RFC 8252, section 7.3). What is asked for, and of whom, is theirs: a provider is
//! configured, a source's server describes itself.

mod callback;
mod proof;

pub use callback::{Callback, parameter};
pub use proof::Proof;
