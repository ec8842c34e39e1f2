//! What callers know and ask of a connection before anything is sent.

use std::sync::Arc;

use domain::connection::Connection;
use url::Url;

use super::address::base;
use super::provider::HttpProvider;
use super::{Credential, setting};
use crate::{ModelInfo, OfflineEngine, Provider, ProviderError};

/// The address below which a connection's paths stand: its own, else the environment's, else the provider's. What
/// [`super::connect`] uses. Fails where it has none, or one that can't be meant.
pub fn address(connection: &Connection) -> Result<Url, ProviderError> {
    match crate::wire::codec(connection.provider) {
        Some(codec) => base(codec, connection, |name| std::env::var(name).ok()),
        None => Err(setting(connection, "it has no address: nothing leaves this machine")),
    }
}

/// [`super::connect`] with the models that the provider listed earlier, without the person's own words on them.
pub fn connect_knowing(
    connection: Connection,
    credential: Arc<dyn Credential>,
    listed: Vec<ModelInfo>,
) -> Result<Arc<dyn Provider>, ProviderError> {
    match crate::wire::codec(connection.provider) {
        Some(codec) => Ok(Arc::new(HttpProvider::open(codec, connection, credential, listed)?)),
        None => Ok(Arc::new(OfflineEngine)),
    }
}
