//! The transport that all protocols share: requests, streams, deadlines, proxies, certificates, credentials.

mod address;
mod answer;
mod client;
pub mod frames;
mod headers;
mod known_models;
mod network;
mod omission;
mod open;
mod provider;
mod redaction;

use std::sync::Arc;

use domain::connection::Connection;
use futures_util::future::BoxFuture;
use secrecy::SecretString;

pub use self::headers::retry_after;
pub use self::open::{address, connect_knowing, parallel_calls};
use self::provider::HttpProvider;
use crate::wire::Codec;
use crate::{Detail, Fault, Provider, ProviderError};

/// What a connection presents itself with. Asked before every request, so that what is stored or renewed meanwhile is
/// used at once.
pub trait Credential: Send + Sync {
    /// The secret as it is now: a fresh one, where it was about to expire. `None`: the connection asks as nobody.
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>>;

    /// The service refused `refused`: another one, where there is one; `None` where asking again would change nothing.
    /// Called at most once a request; calls at the same time are answered by one renewal.
    fn renewed(&self, refused: &SecretString) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>>;
}

/// A credential that is always the same.
pub struct Fixed(pub Option<SecretString>);

impl Credential for Fixed {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }

    fn renewed(&self, _refused: &SecretString) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Opens a connection. Sends nothing. Fails where the connection can't be meant: an address that is no address, a file
/// of certificates that can't be read, a header that can't be one, a secret that would travel in the clear.
pub fn connect(
    connection: Connection,
    credential: Arc<dyn Credential>,
) -> Result<Arc<dyn Provider>, ProviderError> {
    connect_knowing(connection, credential, Vec::new())
}

/// [`connect`] for a protocol of the caller's.
pub fn connect_with(
    codec: &'static dyn Codec,
    connection: Connection,
    credential: Arc<dyn Credential>,
) -> Result<Arc<dyn Provider>, ProviderError> {
    Ok(Arc::new(HttpProvider::open(codec, connection, credential, Vec::new())?))
}

/// A connection that can't be meant.
fn setting(connection: &Connection, what: impl Into<String>) -> ProviderError {
    ProviderError::new(&connection.slug, Fault::BadRequest, what).with_detail(Detail::Settings)
}
