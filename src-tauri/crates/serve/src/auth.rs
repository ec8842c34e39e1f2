//! Who may come in, and what every answer says.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::{ErrorCode, Problem};

use crate::HttpGuard;

/// Looks at every request before anything else does, and at every answer afterwards.
pub(crate) async fn pass(State(gate): State<Arc<HttpGuard>>, request: Request, next: Next) -> Response {
    let (path, port) = (request.uri().path().to_owned(), gate.port);
    let mut response = match refuse(request.uri(), request.headers(), port) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(policy) = HeaderValue::from_str(&policy(&path, port)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A name that somebody has rebound to this address, or a page of another origin.
fn refuse(uri: &Uri, headers: &HeaderMap, port: u16) -> Option<Response> {
    let ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let is_ours = |name: &str| ours.iter().any(|own| own.eq_ignore_ascii_case(name));
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().unwrap_or_default(),
        _ => "",
    };
    let named = uri.authority().map_or(host, |authority| authority.as_str());
    if !is_ours(host) || !is_ours(named) {
        return Some(problem(
            StatusCode::MISDIRECTED_REQUEST,
            &Problem::new(ErrorCode::InvalidInput, "this server has another name")
                .with_action(format!("open http://127.0.0.1:{port}/")),
        ));
    }
    let own_origin = |origin: &HeaderValue| {
        origin.to_str().is_ok_and(|origin| origin.strip_prefix("http://").is_some_and(is_ours))
    };
    // The sandboxed document that draws diagrams has no origin, and says so when it asks for its own program.
    let drawing = uri.path() == "/mermaid.js";
    let allowed = |origin: &HeaderValue| own_origin(origin) || (drawing && origin == "null");
    if !headers.get_all(ORIGIN).iter().all(allowed) {
        return Some(problem(
            StatusCode::FORBIDDEN,
            &Problem::new(ErrorCode::InvalidInput, "pages of other origins are not served"),
        ));
    }
    None
}

/// Whether a request shows the token.
pub(crate) fn knows_token(gate: &HttpGuard, headers: &HeaderMap) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    };
    gate.token.is(token)
}

/// The policy of the window, and the narrower one of the document that draws diagrams.
fn policy(path: &str, port: u16) -> String {
    if path == "/mermaid.html" {
        // A sandboxed document has no origin: WebKit then matches the address, not 'self'.
        let own = format!("'self' http://127.0.0.1:{port} http://localhost:{port}");
        return format!(
            "default-src 'none'; script-src {own}; style-src {own}; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
        );
    }
    format!(
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
         connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}; frame-src 'self'; worker-src 'self'; \
         object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
}

/// A failure as programs read it.
pub(crate) fn problem(status: StatusCode, problem: &Problem) -> Response {
    let body = serde_json::to_vec(problem).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/json")], body).into_response()
}
