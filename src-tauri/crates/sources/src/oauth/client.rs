//! As whom this program signs in: registered by hand, described by a document, or registered now.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::discovery::Service;
use super::fetch::{Body, fetch, service_address};
use super::{Credential, Oauth, failed};
use crate::error::SourceErrorKind;
use crate::text::excerpt;

/// How a client identifies itself at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// By its id alone.
    None,
    /// By its secret in a header field.
    Basic,
    /// By its secret in the form.
    Post,
}

impl Method {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "none" => Some(Self::None),
            "client_secret_basic" => Some(Self::Basic),
            "client_secret_post" => Some(Self::Post),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
        }
    }
}

/// A client of a service.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<SecretString>,
    pub(super) method: Method,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

impl Client {
    /// The client that a credential was given to.
    pub(super) fn of(credential: &Credential) -> Self {
        Self {
            id: credential.client_id.clone(),
            secret: credential.client_secret.clone(),
            method: Method::parse(&credential.auth_method).unwrap_or(Method::None),
        }
    }

    /// The client to sign in as; `known` are tokens of the same issuer.
    pub(super) async fn find(
        server: &Url,
        oauth: &Oauth,
        service: &Service,
        redirect_uri: &str,
        known: Option<&Credential>,
    ) -> Result<Self, SourceErrorKind> {
        let metadata = &service.metadata;
        if let Some(id) = &oauth.client_id {
            let secret = oauth.client_secret.clone();
            let method = choose(&metadata.token_endpoint_auth_methods_supported, secret.is_some());
            return Ok(Self { id: id.clone(), secret, method });
        }
        if metadata.client_id_metadata_document_supported
            && let Some(id) = oauth.client_metadata_url.as_ref().filter(|url| url.starts_with("https://"))
        {
            return Ok(Self { id: id.clone(), secret: None, method: Method::None });
        }
        if let Some(known) = known.filter(|known| known.redirect_uri == redirect_uri) {
            return Ok(Self::of(known));
        }
        match &metadata.registration_endpoint {
            Some(endpoint) => register(server, oauth, service, endpoint, redirect_uri).await,
            None => Err(failed(
                "the service does not let programs register themselves: register one there by hand and write its \
                 Client ID into the source",
            )),
        }
    }

    /// A form with what identifies the client.
    pub(super) fn identify(&self, pairs: &[(&str, &str)]) -> Result<Body, SourceErrorKind> {
        let mut form = Serializer::new(String::new());
        form.extend_pairs(pairs);
        let secret = self.secret.as_ref().map(|secret| secret.expose_secret().to_owned());
        match (self.method, secret) {
            (Method::Basic, Some(secret)) => {
                let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                let pair = format!("{}:{}", encode(&self.id), encode(&secret));
                let value = format!("Basic {}", BASE64_STANDARD.encode(pair));
                let mut value = HeaderValue::from_str(&value)
                    .map_err(|_| failed("the client's id or secret can't be sent"))?;
                value.set_sensitive(true);
                Ok(Body::Form(form.finish(), Some(value)))
            }
            (Method::Post, Some(secret)) => {
                form.append_pair("client_id", &self.id).append_pair("client_secret", &secret);
                Ok(Body::Form(form.finish(), None))
            }
            (Method::None | Method::Basic | Method::Post, _) => {
                form.append_pair("client_id", &self.id);
                Ok(Body::Form(form.finish(), None))
            }
        }
    }
}

/// The best way that the service offers; a list that is absent means the header field (RFC 8414).
fn choose(offered: &[String], has_secret: bool) -> Method {
    let offers = |method: Method| offered.iter().any(|name| name == method.name());
    match (has_secret, offered.is_empty()) {
        (false, _) => Method::None,
        (true, true) => Method::Basic,
        (true, false) if !offers(Method::Basic) && offers(Method::Post) => Method::Post,
        (true, false) => Method::Basic,
    }
}

async fn register(
    server: &Url,
    oauth: &Oauth,
    service: &Service,
    endpoint: &str,
    redirect_uri: &str,
) -> Result<Client, SourceErrorKind> {
    let offered = &service.metadata.token_endpoint_auth_methods_supported;
    let offers = |method: Method| offered.iter().any(|name| name == method.name());
    // A program on somebody's machine can't keep a secret from them, so none is the honest choice.
    let wanted = [Method::None, Method::Basic, Method::Post].into_iter().find(|method| offers(*method));
    let wanted = wanted.unwrap_or(Method::None);
    let request = json!({
        "client_name": oauth.client_name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "application_type": "native",
        "token_endpoint_auth_method": wanted.name(),
    });
    let endpoint = service_address(server, endpoint)?;
    let reply = fetch(server, &endpoint, &Body::Json(request)).await?;
    let registered = reply.json().and_then(|value| serde_json::from_value::<Registered>(value).ok());
    let Some(registered) = registered else {
        let said = excerpt(String::from_utf8_lossy(&reply.body).trim(), 200);
        return Err(failed(format!(
            "the service refused to register this program (HTTP {}): {said}",
            reply.status.as_u16()
        )));
    };
    let secret = registered.client_secret.filter(|secret| !secret.is_empty()).map(SecretString::from);
    let told = registered.token_endpoint_auth_method.as_deref().and_then(Method::parse);
    let method = match told {
        Some(method) if method == Method::None || secret.is_some() => method,
        Some(_) | None => choose(offered, secret.is_some()),
    };
    Ok(Client { id: registered.client_id, secret, method })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_secret_goes_where_the_service_wants_it() {
        let client = |method| Client { id: "a b".into(), secret: Some("s:%".into()), method };
        let form = || &[("grant_type", "x")];
        let Body::Form(body, Some(header)) = client(Method::Basic).identify(form()).unwrap() else {
            panic!("no header")
        };
        assert_eq!(body, "grant_type=x");
        assert_eq!(header, format!("Basic {}", BASE64_STANDARD.encode("a+b:s%3A%25")));
        assert!(!format!("{header:?}").contains("Basic"));
        let Body::Form(body, None) = client(Method::Post).identify(form()).unwrap() else {
            panic!("a header")
        };
        assert_eq!(body, "grant_type=x&client_id=a+b&client_secret=s%3A%25");
        let Body::Form(body, None) = client(Method::None).identify(form()).unwrap() else {
            panic!("a header")
        };
        assert_eq!(body, "grant_type=x&client_id=a+b");
    }

    #[test]
    fn the_way_is_chosen_among_those_that_are_offered() {
        let offered = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(choose(&[], true), Method::Basic);
        assert_eq!(choose(&[], false), Method::None);
        assert_eq!(choose(&offered(&["client_secret_post", "none"]), true), Method::Post);
        assert_eq!(choose(&offered(&["client_secret_post", "client_secret_basic"]), true), Method::Basic);
        assert_eq!(choose(&offered(&["private_key_jwt"]), true), Method::Basic);
    }
}
