//! OAuth 2.0 for native applications: signing in (RFC 8252, RFC 7636), renewing, the exchange of a workload's identity
//! (RFC 7523), and the renewal of keys at services that offer it.

mod http;
mod presets;
mod renewal;
mod sign_in;
mod tokens;

pub use http::Http;
pub use presets::{PRESETS, Preset, preset};
pub use renewal::Renewal;
pub use sign_in::SignIn;
pub use tokens::Tokens;
