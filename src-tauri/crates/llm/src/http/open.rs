//! What callers know and ask of a connection before anything is sent.

use std::sync::Arc;

use domain::connection::{Connection, ProviderKind};
use url::Url;

use super::address::base;
use super::provider::HttpProvider;
use super::{Credential, setting};
use crate::wire::Codec;
use crate::{ModelInfo, Provider, ProviderError};

/// Calls at once to a provider on the internet.
const REMOTE_CALLS: u32 = 8;
/// Calls at once to a server on this machine or in a private network.
const NEAR_CALLS: u32 = 2;
/// Calls at once to an Ollama nearby, which answers one after the other unless it is told otherwise.
const OLLAMA_CALLS: u32 = 1;

/// The address below which a connection's paths stand: its own, else the environment's, else the provider's. What
/// [`super::connect`] uses. Fails where it has none, or one that can't be meant.
pub fn address(connection: &Connection) -> Result<Url, ProviderError> {
    base(codec_of(connection)?, connection, |name| std::env::var(name).ok())
}

/// How many calls a connection may have under way: its own number, else what its kind of server usually takes.
pub fn parallel_calls(connection: &Connection) -> u32 {
    connection.max_parallel_calls.unwrap_or_else(|| {
        let near = address(connection)
            .is_ok_and(|address| address.host().is_some_and(|host| super::address::is_near(&host)));
        match (near, connection.provider) {
            (false, _) => REMOTE_CALLS,
            (true, ProviderKind::Ollama) => OLLAMA_CALLS,
            (true, _) => NEAR_CALLS,
        }
    })
}

/// [`super::connect`] with the models that the provider listed earlier, without the person's own words on them.
pub fn connect_knowing(
    connection: Connection,
    credential: Arc<dyn Credential>,
    listed: Vec<ModelInfo>,
) -> Result<Arc<dyn Provider>, ProviderError> {
    Ok(Arc::new(HttpProvider::open(codec_of(&connection)?, connection, credential, listed)?))
}

/// The codec of a connection's protocol. The offline engine has none: it is no connection.
fn codec_of(connection: &Connection) -> Result<&'static dyn Codec, ProviderError> {
    crate::wire::codec(connection.provider)
        .ok_or_else(|| setting(connection, "the offline engine has no address: nothing leaves this machine"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_nearby_gets_fewer_calls_at_once_unless_the_connection_says_otherwise() {
        let calls = |provider, address: Option<&str>, own| {
            let mut connection = Connection::new("c", provider);
            connection.base_url = address.map(str::to_owned);
            connection.max_parallel_calls = own;
            parallel_calls(&connection)
        };
        let (near, far) = (Some("http://127.0.0.1:8080/v1"), Some("https://models.example/v1"));
        assert_eq!(calls(ProviderKind::Anthropic, far, None), REMOTE_CALLS);
        assert_eq!(calls(ProviderKind::OpenaiChat, None, None), REMOTE_CALLS);
        assert_eq!(calls(ProviderKind::OpenaiChat, near, None), NEAR_CALLS);
        assert_eq!(calls(ProviderKind::Ollama, near, None), OLLAMA_CALLS);
        assert_eq!(calls(ProviderKind::Ollama, far, None), REMOTE_CALLS);
        assert_eq!(calls(ProviderKind::Ollama, near, Some(5)), 5);
    }
}
