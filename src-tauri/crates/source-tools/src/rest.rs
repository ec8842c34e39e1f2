//! Sources of type `api`: what their interface is asked with.

use std::sync::Arc;
use std::time::Duration;

use ::secrets::{ExposeSecret, Http, OauthError, SecretString, Tokens};
use ::sources::Reason;
use ::sources::openapi::{self, Interface};
use ::sources::rest::{FreshToken, Present, Rest, RestConfig};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::connection::OauthService;
use domain::{Digest, ErrorCode, Problem};
use net_guard::Allow;
use serde_json::json;
use support::blocking;
use workspace::{ApiAuth, ApiServer, SourceConfig};

use super::{Inner, secrets};

/// The largest OpenAPI document, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 4 << 20;
/// Redirects that are followed to a document.
const HOPS: usize = 5;
/// The longest that reading a document may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A configuration's interface without what it presents.
pub fn plain(config: &SourceConfig) -> Result<(RestConfig, &ApiServer), Problem> {
    let Some(api) = &config.api else {
        return Err(Problem::new(ErrorCode::InvalidConfig, "it is no HTTP interface"));
    };
    let mut made = RestConfig::new(config.slug.clone(), &api.base_url, api.private_network)
        .map_err(|error| Problem::new(ErrorCode::InvalidConfig, error.to_string()))?;
    made.deadline = Duration::from_secs(api.timeout_seconds);
    // The names are set without their values, so that nobody takes them for their own.
    made.headers = fixed_headers(api).into_iter().map(|name| (name, SecretString::from(""))).collect();
    if let (ApiAuth::Query, Some(name)) = (api.auth_type, &api.query_param) {
        made.query = vec![(name.clone(), SecretString::from(""))];
    }
    Ok((made, api))
}

fn fixed_headers(api: &ApiServer) -> Vec<String> {
    let mut names: Vec<String> = api.default_headers.keys().cloned().collect();
    match api.auth_type {
        ApiAuth::None | ApiAuth::Query => {}
        ApiAuth::Bearer | ApiAuth::Basic | ApiAuth::Oauth => names.push("Authorization".to_owned()),
        ApiAuth::Header => names.extend(api.header_name.clone()),
        ApiAuth::Headers => names.extend(api.header_names.iter().cloned()),
    }
    names
}

impl Inner {
    /// The interface of a source with what it presents. The same one as long as nothing changes, so that connections and
    /// the log live on.
    pub async fn rest(&self, config: &SourceConfig) -> Result<Rest, Problem> {
        let (mut made, api) = plain(config)?;
        let (vault, asked) = (self.vault.clone(), config.clone());
        let held = blocking(move || secrets::resolve(&vault, &asked)).await?;
        let secret = |name: &str| held.get(name).map(ExposeSecret::expose_secret).unwrap_or_default();
        let mut headers: Vec<(String, SecretString)> = api
            .default_headers
            .iter()
            .map(|(name, value)| (name.clone(), secrets::filled(value, &held)))
            .collect();
        let scheme = |standard: &str| match api.auth_scheme.as_deref().unwrap_or(standard) {
            "" => String::new(),
            scheme => format!("{scheme} "),
        };
        let mut more = Vec::new();
        match api.auth_type {
            ApiAuth::None | ApiAuth::Oauth => {}
            ApiAuth::Bearer => {
                let value = format!("{}{}", scheme("Bearer"), secret("bearer"));
                headers.push(("Authorization".to_owned(), SecretString::from(value)));
            }
            ApiAuth::Header => {
                let value = format!("{}{}", scheme(""), secret("apikey"));
                headers.push((api.header_name.clone().unwrap_or_default(), SecretString::from(value)));
            }
            ApiAuth::Headers => {
                headers.extend(
                    api.header_names.iter().map(|name| (name.clone(), SecretString::from(secret(name)))),
                );
            }
            ApiAuth::Query => {
                let name = api.query_param.clone().unwrap_or_default();
                made.query = vec![(name, SecretString::from(secret("apikey")))];
            }
            ApiAuth::Basic => {
                let pair = match &api.username {
                    Some(user) => format!("{user}:{}", secret("basic")),
                    None => secret("basic").to_owned(),
                };
                let coded = BASE64_STANDARD.encode(pair);
                headers.push(("Authorization".to_owned(), SecretString::from(format!("Basic {coded}"))));
                more.push(SecretString::from(coded));
            }
        }
        made.headers = headers;
        made.secrets = held.values().cloned().chain(more).collect();
        if let (ApiAuth::Oauth, Some(service)) = (api.auth_type, &api.oauth) {
            made.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
            made.token = Some(Arc::new(self.signed_in(config, service)?));
        }
        let texts: Vec<&str> = made.secrets.iter().map(ExposeSecret::expose_secret).collect();
        let of = Digest::of_json(&json!([serde_json::to_value(config).unwrap_or_default(), texts]));
        Ok(self.with(&config.slug, |known| match &known.rest {
            Some((known, rest)) if *known == of => rest.clone(),
            Some(_) | None => {
                let rest = Rest::new(made);
                known.rest = Some((of, rest.clone()));
                rest
            }
        }))
    }

    fn signed_in(&self, config: &SourceConfig, service: &OauthService) -> Result<RestToken, Problem> {
        let tokens = match self.tokens.get() {
            Some(tokens) => tokens.clone(),
            None => {
                let made = Tokens::new(self.vault.clone(), Http::new()?);
                self.tokens.get_or_init(|| made).clone()
            }
        };
        Ok(RestToken { tokens, vault: self.vault.clone(), config: config.clone(), service: service.clone() })
    }

    /// The OpenAPI document of a source, read. `None`: it has none.
    pub async fn interface(&self, config: &SourceConfig) -> Result<Option<Interface>, Problem> {
        let Some(file) = config.api.as_ref().and_then(|api| api.openapi.clone()) else { return Ok(None) };
        let (files, slug) = (self.files(), config.slug.clone());
        blocking(move || {
            let path = files.root().join("sources").join(&slug).join(&file);
            let wrong = |what: String| {
                Problem::new(ErrorCode::InvalidConfig, format!("its OpenAPI document {file}: {what}"))
                    .with_action("correct the file, or take `openapi` out of config.json")
            };
            let about = std::fs::symlink_metadata(&path).map_err(|error| wrong(error.to_string()))?;
            if !about.is_file() || about.len() > MAX_DOCUMENT_BYTES {
                return Err(wrong("it is no file of at most 4 MiB".to_owned()));
            }
            let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
            openapi::read(&text).map(Some).map_err(|error| wrong(error.to_string()))
        })
        .await
    }
}

/// Reads a document from a public address, https at every hop.
pub async fn read_address(address: &str) -> Result<String, Problem> {
    let invalid = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    let unreachable = |host: &str| {
        Problem::new(ErrorCode::Source, format!("{host} can't be reached or broke the connection off"))
            .retryable()
    };
    let allow = Allow::none();
    let mut url = net_guard::checked(address, &allow).map_err(|error| invalid(error.to_string()))?;
    let read = async {
        for _ in 0..=HOPS {
            if url.scheme() != "https" {
                return Err(invalid("the document's address must begin with https://".to_owned()));
            }
            let host = url.host_str().unwrap_or_default().to_owned();
            let addresses =
                net_guard::resolve(&url, &allow).await.map_err(|error| invalid(error.to_string()))?;
            let client = net_guard::client(&url, &addresses).map_err(|error| invalid(error.to_string()))?;
            let mut response = client.get(url.clone()).send().await.map_err(|_| unreachable(&host))?;
            if response.status().is_redirection() {
                let to = response.headers().get("location").and_then(|to| to.to_str().ok());
                let to = to.and_then(|to| url.join(to).ok());
                let to = to.ok_or_else(|| invalid(format!("{host} redirects to no address")))?;
                url = net_guard::checked(to.as_str(), &allow).map_err(|error| invalid(error.to_string()))?;
                continue;
            }
            if !response.status().is_success() {
                let status = response.status().as_u16();
                return Err(Problem::new(ErrorCode::Source, format!("{host} gave status {status}")));
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(|_| unreachable(&host))? {
                if (bytes.len() + chunk.len()) as u64 > MAX_DOCUMENT_BYTES {
                    return Err(invalid("the document is larger than 4 MiB".to_owned()));
                }
                bytes.extend_from_slice(&chunk);
            }
            return String::from_utf8(bytes).map_err(|_| invalid("the document is no text".to_owned()));
        }
        Err(invalid("the address redirects too many times".to_owned()))
    };
    match tokio::time::timeout(TIMEOUT, read).await {
        Ok(read) => read,
        Err(_) => Err(Problem::new(ErrorCode::Deadline, "the document did not come in time").retryable()),
    }
}

/// The token of a sign-in, as long as it was given for where the source leads.
struct RestToken {
    tokens: Tokens,
    vault: ::secrets::Vault,
    config: SourceConfig,
    service: OauthService,
}

impl RestToken {
    async fn bound(&self) -> Result<(), Reason> {
        let (vault, config) = (self.vault.clone(), self.config.clone());
        let looked = blocking(move || match secrets::binding(&vault, &config)? {
            secrets::Binding::Here => Ok(()),
            secrets::Binding::Nowhere => Err(Problem::new(ErrorCode::InvalidConfig, "nobody is signed in")),
            secrets::Binding::Elsewhere => Err(secrets::elsewhere(&config)),
        });
        looked.await.map_err(|problem| format!("{}: sign in on the Sources page", problem.message).into())
    }
}

fn sign_in_reason(error: OauthError) -> Reason {
    format!("{error}: sign in again on the Sources page").into()
}

impl Present for RestToken {
    fn current(&self) -> FreshToken<'_> {
        Box::pin(async {
            self.bound().await?;
            self.tokens
                .current(&secrets::oauth_name(&self.config.key()), &self.service)
                .await
                .map_err(sign_in_reason)
        })
    }

    fn renewed(&self, refused: SecretString) -> FreshToken<'_> {
        Box::pin(async move {
            self.bound().await?;
            let name = secrets::oauth_name(&self.config.key());
            self.tokens.renewed(&name, &self.service, &refused).await.map_err(sign_in_reason)
        })
    }
}
