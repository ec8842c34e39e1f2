//! The sign-in itself: the page's address, the way back, and the tokens for the code.

use oauth::Proof;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use url::Url;

use super::client::Client;
use super::credential::now;
use super::discovery::Service;
use super::fetch::{Reply, fetch, service_address};
use super::{Authorizer, Credential, Oauth, failed};
use crate::error::SourceErrorKind;
use crate::text::excerpt;

/// The longest token that is taken, in bytes.
const MAX_TOKEN_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
struct Tokens {
    access_token: String,
    token_type: String,
    #[serde(default)]
    expires_in: Option<f64>,
    #[serde(default)]
    refresh_token: Option<String>,
}

#[derive(Default, Deserialize)]
struct OauthErrorBody {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

/// Leads the person through the sign-in and gets tokens with these scopes.
pub(super) async fn authorize(
    server: &Url,
    oauth: &Oauth,
    authorizer: &dyn Authorizer,
    service: &Service,
    scopes: Vec<String>,
    known: Option<&Credential>,
) -> Result<Credential, SourceErrorKind> {
    let page = authorizer.begin().await.map_err(|fault| failed(fault.to_string()))?;
    let redirect_uri = page.redirect_uri().to_owned();
    let client = Client::find(server, oauth, service, &redirect_uri, known).await?;
    let proof = Proof::fresh().map_err(|_| failed("this machine gives no random numbers"))?;
    let metadata = &service.metadata;
    let mut address = service_address(server, &metadata.authorization_endpoint)?;
    {
        let mut query = address.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &redirect_uri)
            .append_pair("state", &proof.state)
            .append_pair("code_challenge", &proof.challenge())
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &service.resource);
        if !scopes.is_empty() {
            query.append_pair("scope", &scopes.join(" "));
        }
        if scopes.iter().any(|scope| scope == "offline_access") {
            // OpenID Connect Core section 11: without it, the request for lasting access is ignored.
            query.append_pair("prompt", "consent");
        }
    }
    let back = page.visit(&address).await.map_err(|fault| failed(fault.to_string()))?;
    let code = read_callback(&back, &proof.state, service)?;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", &redirect_uri),
        ("code_verifier", proof.verifier.expose_secret()),
        ("resource", &service.resource),
    ];
    let endpoint = service_address(server, &metadata.token_endpoint)?;
    let reply = fetch(server, &endpoint, &client.identify(&form)?).await?;
    let tokens = read_tokens(&reply, "the code of the sign-in")?;
    let by_hand = oauth.client_id.is_some() || oauth.client_metadata_url.as_ref() == Some(&client.id);
    let obtained_at = now();
    Ok(Credential {
        resource: service.resource.clone(),
        issuer: metadata.issuer.clone(),
        token_endpoint: metadata.token_endpoint.clone(),
        client_id: client.id,
        client_secret: client.secret,
        auth_method: client.method.name().to_owned(),
        redirect_uri: if by_hand { String::new() } else { redirect_uri },
        access_token: tokens.access_token.into(),
        refresh_token: tokens.refresh_token.map(SecretString::from),
        obtained_at,
        expires_at: end_of(obtained_at, tokens.expires_in),
        scopes,
    })
}

/// Renews a credential; nobody has to be asked.
pub(super) async fn refresh(
    server: &Url,
    credential: &Credential,
    refresh_token: &str,
) -> Result<Credential, SourceErrorKind> {
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh_token),
        ("resource", &credential.resource),
    ];
    let endpoint = service_address(server, &credential.token_endpoint)?;
    let reply = fetch(server, &endpoint, &Client::of(credential).identify(&form)?).await?;
    let tokens = read_tokens(&reply, "the renewal")?;
    let obtained_at = now();
    Ok(Credential {
        access_token: tokens.access_token.into(),
        // A service that gives no new one goes on with the old one (RFC 6749 section 6).
        refresh_token: tokens
            .refresh_token
            .map(SecretString::from)
            .or_else(|| credential.refresh_token.clone()),
        obtained_at,
        expires_at: end_of(obtained_at, tokens.expires_in),
        ..credential.clone()
    })
}

fn end_of(obtained_at: u64, expires_in: Option<f64>) -> Option<u64> {
    let seconds = expires_in.filter(|seconds| seconds.is_finite() && *seconds > 0.0)?;
    // Fractions of a second, and ages of the world, don't matter here.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let seconds = seconds.min(1e10) as u64;
    Some(obtained_at.saturating_add(seconds))
}

/// The code in the address at which the person arrived, if it belongs to this sign-in and comes from its service.
fn read_callback(back: &str, state: &str, service: &Service) -> Result<String, SourceErrorKind> {
    let url = Url::parse(back).map_err(|_| failed("the way back from the sign-in page is no address"))?;
    let find =
        |name: &str| oauth::parameter(url.query().unwrap_or_default(), name).map(|value| value.to_string());
    if find("state").as_deref() != Some(state) {
        return Err(failed("the answer does not belong to this sign-in; begin again"));
    }
    let metadata = &service.metadata;
    match find("iss") {
        // RFC 9207 section 2.4: compared as text, nothing normalised.
        Some(issuer) if issuer != metadata.issuer => {
            return Err(failed("the answer comes from another service than the one that was asked"));
        }
        None if metadata.authorization_response_iss_parameter_supported => {
            return Err(failed(
                "the answer does not say which service it comes from, which this one always does",
            ));
        }
        Some(_) | None => {}
    }
    if let Some(error) = find("error") {
        let more = find("error_description").unwrap_or_default();
        return Err(failed(refusal_text(&OauthErrorBody { error, error_description: more }, "the sign-in")));
    }
    find("code").filter(|code| !code.is_empty()).ok_or_else(|| failed("the service gave no code"))
}

fn read_tokens(reply: &Reply, what: &str) -> Result<Tokens, SourceErrorKind> {
    let Some(value) = reply.json() else {
        let said: OauthErrorBody = serde_json::from_slice(&reply.body).unwrap_or_default();
        if said.error.is_empty() {
            return Err(failed(format!(
                "the service answered with HTTP {} to {what}",
                reply.status.as_u16()
            )));
        }
        return Err(failed(refusal_text(&said, what)));
    };
    let tokens: Tokens = serde_json::from_value(value)
        .map_err(|_| failed(format!("the service's answer to {what} has no token")))?;
    let printable = tokens.access_token.bytes().all(|byte| byte.is_ascii_graphic());
    if tokens.access_token.is_empty() || tokens.access_token.len() > MAX_TOKEN_BYTES || !printable {
        return Err(failed("the service's token can't be sent"));
    }
    if !tokens.token_type.eq_ignore_ascii_case("bearer") {
        return Err(failed(format!(
            "the service gives tokens of the kind {:?}, which can't be used",
            excerpt(&tokens.token_type, 40)
        )));
    }
    Ok(tokens)
}

fn refusal_text(told: &OauthErrorBody, what: &str) -> String {
    let more = excerpt(&told.error_description, 300);
    let more = if more.is_empty() { more } else { format!(" ({more})") };
    format!("the service refused {what}: {}{more}", excerpt(&told.error, 100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn service(always: bool) -> Service {
        let metadata = json!({"issuer": "https://id.example.org", "authorization_endpoint": "https://id.example.org/a",
            "token_endpoint": "https://id.example.org/t", "authorization_response_iss_parameter_supported": always});
        Service {
            resource: "https://mcp.example.org".into(),
            scopes: Vec::new(),
            metadata: serde_json::from_value(metadata).unwrap(),
        }
    }

    #[test]
    fn a_code_is_taken_only_from_this_sign_in_and_its_service() {
        let read = |query: &str, always| {
            read_callback(&format!("http://localhost:1/cb?{query}"), "s1", &service(always))
        };
        assert_eq!(read("code=c&state=s1", false), Ok("c".into()));
        assert_eq!(read("code=c&state=s1&iss=https%3A%2F%2Fid.example.org", true), Ok("c".into()));
        for (query, always) in [
            ("code=c", false),
            ("code=c&state=s2", false),
            ("code=c&state=s1&state=s1", false),
            ("code=c&code=d&state=s1", false),
            ("state=s1", false),
            ("code=c&state=s1", true),
            ("code=c&state=s1&iss=https%3A%2F%2Fid.example.org%2F", true),
            ("code=c&state=s1&iss=https%3A%2F%2Fevil.example.org", false),
            ("error=access_denied&state=s1", false),
        ] {
            assert!(read(query, always).is_err(), "{query}");
        }
        assert!(read_callback("nowhere", "s1", &service(false)).is_err());
    }

    #[test]
    fn only_plain_bearer_tokens_are_taken() {
        let read = |body: serde_json::Value| {
            let reply = Reply { status: reqwest::StatusCode::OK, body: body.to_string().into_bytes() };
            read_tokens(&reply, "the code").map(|tokens| tokens.access_token)
        };
        assert_eq!(
            read(json!({"access_token": "a.b", "token_type": "bearer", "expires_in": 3600})),
            Ok("a.b".into())
        );
        for bad in [
            json!({"access_token": "a", "token_type": "DPoP"}),
            json!({"access_token": "a\r\nb", "token_type": "Bearer"}),
            json!({"access_token": "", "token_type": "Bearer"}),
            json!({"token_type": "Bearer"}),
            json!("a"),
        ] {
            assert!(read(bad).is_err());
        }
        assert_eq!(end_of(10, Some(5.5)), Some(15));
        assert_eq!(end_of(10, Some(f64::MAX)), Some(10_000_000_010));
        assert_eq!(end_of(10, Some(-1.0)), None);
    }
}
