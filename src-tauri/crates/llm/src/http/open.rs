//! What callers know and ask of a connection before anything is sent.

use std::sync::Arc;

use domain::connection::Connection;
use url::Url;

use super::address::base;
use super::provider::HttpProvider;
use super::{Credential, setting};
use crate::wire::Codec;
use crate::{ModelInfo, Provider, ProviderError};

/// The address below which a connection's paths stand: its own, else the environment's, else the provider's. What
/// [`super::connect`] uses. Fails where it has none, or one that can't be meant.
pub fn address(connection: &Connection) -> Result<Url, ProviderError> {
    base(codec_of(connection)?, connection, |name| std::env::var(name).ok())
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
