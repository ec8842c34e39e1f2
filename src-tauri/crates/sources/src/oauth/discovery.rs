//! Where to sign in: from the server's own description (RFC 9728) to the service's (RFC 8414, OpenID Connect Discovery).

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::challenge::Challenge;
use super::failed;
use super::fetch::{Body, fetch, service_address};
use crate::error::SourceErrorKind;
use crate::http::{same_origin, spoken};

/// Services of one server that are looked at.
const SERVICES: usize = 4;

/// Where to sign in for a server, and how.
#[derive(Debug, Clone)]
pub(super) struct Service {
    /// The server as it calls itself: what tokens are asked for.
    pub(super) resource: String,
    /// The scopes that the server knows.
    pub(super) scopes: Vec<String>,
    /// The service.
    pub(super) metadata: Metadata,
}

/// A service as it describes itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Metadata {
    pub(super) issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    #[serde(default)]
    pub(super) registration_endpoint: Option<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
    #[serde(default)]
    pub(super) code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub(super) token_endpoint_auth_methods_supported: Vec<String>,
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    pub(super) client_id_metadata_document_supported: bool,
}

#[derive(Debug, Deserialize)]
struct Resource {
    #[serde(default)]
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

/// Finds out where to sign in; `known` is the issuer of tokens that are there already.
pub(super) async fn discover(
    server: &Url,
    challenge: &Challenge,
    known: Option<&str>,
) -> Result<Service, SourceErrorKind> {
    let Some(described) = describe(server, challenge).await? else {
        // Servers from before RFC 9728 are their own service.
        let issuer = server.origin().ascii_serialization();
        let metadata = metadata(server, &issuer).await?;
        return Ok(Service { resource: canonical(server), scopes: Vec::new(), metadata });
    };
    let Resource { resource, mut authorization_servers, scopes_supported } = described;
    let resource = check_resource(server, resource.as_deref())?;
    authorization_servers.truncate(SERVICES);
    let preferred = authorization_servers.iter().find(|issuer| Some(issuer.as_str()) == known);
    let Some(issuer) = preferred.or(authorization_servers.first()) else {
        return Err(failed("the server wants a token but does not say who gives it"));
    };
    let metadata = metadata(server, issuer).await?;
    Ok(Service { resource, scopes: scopes_supported, metadata })
}

/// The server's own description; `None` when it has none.
async fn describe(server: &Url, challenge: &Challenge) -> Result<Option<Resource>, SourceErrorKind> {
    let mut places = Vec::new();
    if let Some(named) = &challenge.resource_metadata {
        let named = server.join(named).map_err(|_| failed("the server names a description at no address"))?;
        places.push(service_address(server, named.as_str())?);
    }
    let path = server.path().trim_end_matches('/');
    for path in [path, ""] {
        let mut place = server.clone();
        place.set_query(None);
        place.set_path(&format!("/.well-known/oauth-protected-resource{path}"));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    for place in places {
        let reply = fetch(server, &place, &Body::None).await?;
        if reply.status.is_server_error() {
            return Err(failed(format!(
                "{} answered with HTTP {} when it was asked how to sign in",
                spoken(&place),
                reply.status.as_u16()
            )));
        }
        let described = reply.json().and_then(|value| serde_json::from_value::<Resource>(value).ok());
        if let Some(described) = described
            && (described.resource.is_some() || !described.authorization_servers.is_empty())
        {
            return Ok(Some(described));
        }
    }
    Ok(None)
}

/// The server as it calls itself must be the one that was asked, or a part of its address above it (RFC 9728 section 3.3).
fn check_resource(server: &Url, resource: Option<&str>) -> Result<String, SourceErrorKind> {
    let Some(named) = resource else {
        return Err(failed("the server's description does not say which server it is about"));
    };
    let url = Url::parse(named).map_err(|_| failed("the server calls itself by an address that is none"))?;
    let own = server.path().trim_end_matches('/');
    let base = url.path().trim_end_matches('/');
    let below = own.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if !same_origin(server, &url) || !below {
        return Err(failed(format!(
            "the server's description is about another one ({}): tokens for that would be of use to whoever wrote it",
            spoken(&url)
        )));
    }
    Ok(named.to_owned())
}

/// The address of a server as a resource: without query and fragment, and without a slash that means nothing.
fn canonical(server: &Url) -> String {
    let mut url = server.clone();
    url.set_query(None);
    url.set_fragment(None);
    let text = url.to_string();
    if url.path() == "/" { text.trim_end_matches('/').to_owned() } else { text }
}

/// A service's description from the places where it may stand.
async fn metadata(server: &Url, issuer: &str) -> Result<Metadata, SourceErrorKind> {
    let url = service_address(server, issuer)?;
    let path = url.path().trim_end_matches('/');
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    for path in paths {
        let mut place = url.clone();
        place.set_query(None);
        place.set_path(&path);
        let reply = fetch(server, &place, &Body::None).await?;
        if reply.status.is_server_error() {
            return Err(failed(format!(
                "{} answered with HTTP {} when it was asked for its description",
                spoken(&place),
                reply.status.as_u16()
            )));
        }
        if let Some(value) = reply.json().filter(Value::is_object) {
            return check_metadata(server, issuer, value);
        }
    }
    Err(failed(format!("{} does not describe how to sign in there", spoken(&url))))
}

fn check_metadata(server: &Url, issuer: &str, value: Value) -> Result<Metadata, SourceErrorKind> {
    let metadata: Metadata = serde_json::from_value(value)
        .map_err(|error| failed(format!("the service's description can't be read: {error}")))?;
    // RFC 8414 section 3.3: identical. An address without a path has one of `/` as well.
    let same = metadata.issuer == issuer
        || (metadata.issuer.trim_end_matches('/') == issuer.trim_end_matches('/')
            && Url::parse(issuer).is_ok_and(|url| url.path() == "/"));
    if !same {
        return Err(failed("the service's description is that of another issuer"));
    }
    service_address(server, &metadata.authorization_endpoint)?;
    service_address(server, &metadata.token_endpoint)?;
    if !metadata.code_challenge_methods_supported.iter().any(|method| method == "S256") {
        return Err(failed(
            "the service does not offer PKCE with S256, without which a code can be stolen; ask its operator",
        ));
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_server_is_itself_or_a_part_of_its_address_above_it() {
        let server = url("https://mcp.example.org/team/mcp");
        for good in [
            "https://mcp.example.org/team/mcp",
            "https://mcp.example.org/team/mcp/",
            "https://mcp.example.org/team",
            "https://mcp.example.org",
            "https://MCP.example.org:443/",
        ] {
            assert_eq!(check_resource(&server, Some(good)), Ok(good.to_owned()));
        }
        for bad in [
            "https://evil.example.org/team/mcp",
            "http://mcp.example.org/team/mcp",
            "https://mcp.example.org:8443/",
            "https://mcp.example.org/team/mcp/deeper",
            "https://mcp.example.org/te",
            "mcp",
        ] {
            assert!(check_resource(&server, Some(bad)).is_err(), "{bad}");
        }
        assert!(check_resource(&server, None).is_err());
        assert_eq!(canonical(&url("https://mcp.example.org/?key=1")), "https://mcp.example.org");
        assert_eq!(canonical(&server), "https://mcp.example.org/team/mcp");
    }

    #[test]
    fn a_description_must_be_of_the_issuer_with_pkce_and_safe_addresses() {
        let server = url("https://mcp.example.org/");
        let good = json!({"issuer": "https://id.example.org", "authorization_endpoint": "https://id.example.org/a",
            "token_endpoint": "https://id.example.org/t", "code_challenge_methods_supported": ["plain", "S256"]});
        let check = |issuer: &str, value: &Value| check_metadata(&server, issuer, value.clone());
        assert!(check("https://id.example.org", &good).is_ok());
        assert!(check("https://id.example.org/", &good).is_ok());
        assert!(check("https://id.example.org/tenant", &good).is_err());
        for (key, bad) in [
            ("issuer", json!("https://other.example.org")),
            ("issuer", json!(null)),
            ("code_challenge_methods_supported", json!(["plain"])),
            ("code_challenge_methods_supported", json!([])),
            ("authorization_endpoint", json!("javascript:alert(1)")),
            ("authorization_endpoint", json!("http://id.example.org/a")),
            ("token_endpoint", json!("https://127.0.0.1/t")),
        ] {
            let mut value = good.clone();
            value[key] = bad;
            assert!(check("https://id.example.org", &value).is_err(), "{value}");
        }
    }
}
