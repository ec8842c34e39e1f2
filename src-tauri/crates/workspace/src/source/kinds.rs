//! What each type of source needs, and what does not go together.

use domain::connection::{OauthService, callback_place};
use url::{Host, Url};

use super::check::{check_limits, check_server, check_value, is_secret_name, looks_secret, names_secret};
use super::{ApiAuth, ApiServer, LocalFolder, McpAuth, McpServer, SourceConfig, SourceType, Transport};
use crate::json::child;
use crate::problem::ConfigProblem;

/// Headers that the program sets itself.
const OWN_HEADERS: [&str; 10] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "accept-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "proxy-authorization",
];
/// The longest value of a header, in bytes.
const MAX_VALUE_BYTES: usize = 4_096;

/// Collects what is wrong.
struct Check<'a> {
    file: &'a str,
    problems: &'a mut Vec<ConfigProblem>,
}

/// Checks the part that the type asks for, and that there is no other.
pub(super) fn check(file: &str, config: &SourceConfig, problems: &mut Vec<ConfigProblem>) {
    let mut check = Check { file, problems };
    let parts = [
        (SourceType::Mcp, config.mcp.is_some()),
        (SourceType::Api, config.api.is_some()),
        (SourceType::Local, config.local.is_some()),
    ];
    for (kind, present) in parts {
        let word = kind.as_str();
        if kind == config.kind && !present {
            check.wrong(
                "",
                &format!("the field `{word}`, which a source of type `{word}` needs"),
                "no such field",
            );
        } else if kind != config.kind && present {
            let of = config.kind.as_str();
            check.wrong(
                &format!("/{word}"),
                &format!("only `{of}` beside type `{of}`"),
                &format!("the field `{word}`, too"),
            );
        }
    }
    if let (SourceType::Mcp, Some(mcp)) = (config.kind, &config.mcp) {
        match mcp.transport {
            Transport::Stdio => check.stdio(mcp),
            Transport::Http => check.http(mcp),
        }
    }
    if let (SourceType::Api, Some(api)) = (config.kind, &config.api) {
        check.api(api);
    }
    if let (SourceType::Local, Some(local)) = (config.kind, &config.local) {
        check.local(local);
    }
}

impl Check<'_> {
    fn wrong(&mut self, pointer: &str, expected: &str, found: &str) {
        self.problems.push(ConfigProblem::new(self.file, pointer, expected, found));
    }

    fn stdio(&mut self, mcp: &McpServer) {
        check_server(self.file, mcp, self.problems);
        let others = [
            ("url", mcp.url.is_some()),
            ("headers", !mcp.headers.is_empty()),
            ("authType", mcp.auth_type != McpAuth::None),
            ("clientId", mcp.client_id.is_some()),
            ("scopes", !mcp.scopes.is_empty()),
        ];
        for (field, present) in others {
            if present {
                self.wrong(&format!("/mcp/{field}"), "`transport` to be `http` with this field", "`stdio`");
            }
        }
    }

    fn http(&mut self, mcp: &McpServer) {
        let others = [
            ("command", !mcp.command.is_empty()),
            ("args", !mcp.args.is_empty()),
            ("cwd", mcp.cwd.is_some()),
            ("env", !mcp.env.is_empty()),
            ("inheritEnv", !mcp.inherit_env.is_empty()),
        ];
        for (field, present) in others {
            if present {
                self.wrong(&format!("/mcp/{field}"), "`transport` to be `stdio` with this field", "`http`");
            }
        }
        match &mcp.url {
            None => self.wrong("/mcp", "the field `url`, which `transport` `http` needs", "no such field"),
            Some(url) => self.address("/mcp/url", url, false),
        }
        self.headers("/mcp/headers", &mcp.headers);
        if mcp.client_id.as_ref().is_some_and(|id| id.trim().is_empty() || id.len() > 500) {
            self.wrong("/mcp/clientId", "a client's id", "another text");
        }
        if mcp.scopes.iter().any(|scope| scope.is_empty() || scope.contains(char::is_whitespace)) {
            self.wrong("/mcp/scopes", "names without spaces", "another text");
        }
        if mcp.auth_type != McpAuth::Oauth && (mcp.client_id.is_some() || !mcp.scopes.is_empty()) {
            self.wrong("/mcp/authType", "`oauth`, since there is a Client ID or a scope", "another type");
        }
        check_limits(self.file, mcp, self.problems);
    }

    fn api(&mut self, api: &ApiServer) {
        self.address("/api/baseUrl", &api.base_url, api.private_network);
        self.headers("/api/defaultHeaders", &api.default_headers);
        let needs = [
            ("headerName", api.header_name.is_some(), api.auth_type == ApiAuth::Header),
            ("headerNames", !api.header_names.is_empty(), api.auth_type == ApiAuth::Headers),
            ("queryParam", api.query_param.is_some(), api.auth_type == ApiAuth::Query),
            ("oauth", api.oauth.is_some(), api.auth_type == ApiAuth::Oauth),
        ];
        for (field, present, needed) in needs {
            if needed && !present {
                self.wrong(
                    "/api",
                    &format!("the field `{field}`, which this `authType` needs"),
                    "no such field",
                );
            } else if present && !needed {
                self.wrong(
                    &format!("/api/{field}"),
                    "an `authType` that uses this field",
                    "another `authType`",
                );
            }
        }
        if api.username.is_some() && api.auth_type != ApiAuth::Basic {
            self.wrong("/api/username", "an `authType` that uses this field", "another `authType`");
        }
        if api.auth_scheme.is_some() && !matches!(api.auth_type, ApiAuth::Bearer | ApiAuth::Header) {
            self.wrong("/api/authScheme", "an `authType` that uses this field", "another `authType`");
        }
        for scheme in api.auth_scheme.iter().chain(&api.username) {
            if scheme.len() > 200
                || !scheme.bytes().all(|byte| (32..127).contains(&byte))
                || looks_secret(scheme)
            {
                self.wrong(
                    "/api",
                    "`authScheme` and `username` to be short texts without a secret",
                    "another text (not shown)",
                );
            }
        }
        if api.username.as_ref().is_some_and(|name| name.contains(':')) {
            self.wrong("/api/username", "a name without a colon", "one with it");
        }
        for (index, name) in api.header_names.iter().enumerate() {
            self.header_name(&format!("/api/headerNames/{index}"), name);
            if !is_secret_name(name) {
                self.wrong(
                    &format!("/api/headerNames/{index}"),
                    "letters, digits, `_`, `-` and `.`",
                    "another text",
                );
            }
        }
        if let Some(name) = &api.header_name {
            self.header_name("/api/headerName", name);
        }
        if let Some(name) = &api.query_param
            && (name.is_empty() || name.len() > 100 || !name.bytes().all(|byte| (33..127).contains(&byte)))
        {
            self.wrong("/api/queryParam", "the name of a parameter", "another text");
        }
        if let Some(service) = &api.oauth {
            self.service(service);
        }
        if let Some(test) = &api.test_endpoint {
            if !matches!(test.method.as_str(), "GET" | "HEAD" | "POST") {
                self.wrong("/api/testEndpoint/method", "`GET`, `HEAD` or `POST`", "another text");
            }
            if test.path.contains("://") || test.path.starts_with("//") || test.path.len() > 2_000 {
                self.wrong("/api/testEndpoint/path", "a path below the address", "another text");
            }
        }
        if let Some(file) = &api.openapi {
            let ending = [".json", ".yaml", ".yml"].iter().any(|ending| file.ends_with(ending));
            if file.contains(['/', '\\', '\0']) || file.starts_with('.') || !ending || file == "config.json" {
                self.wrong(
                    "/api/openapi",
                    "the name of a file beside this one that ends in .json, .yaml or .yml",
                    "another text",
                );
            }
        }
        if !(1..=600).contains(&api.timeout_seconds) {
            self.wrong(
                "/api/timeoutSeconds",
                "a whole number from 1 to 600",
                &api.timeout_seconds.to_string(),
            );
        }
    }

    fn local(&mut self, local: &LocalFolder) {
        let path = std::path::Path::new(&local.path);
        let placed = path.is_absolute() || local.path == "~" || local.path.starts_with("~/");
        let climbs = path.components().any(|part| matches!(part, std::path::Component::ParentDir));
        if !placed || climbs || local.path.contains('\0') || local.path.len() > 4_096 {
            self.wrong("/local/path", "a folder's full path, without `..`", "another text");
        }
    }

    fn service(&mut self, service: &OauthService) {
        self.address("/api/oauth/tokenUrl", &service.token_url, false);
        match &service.authorize_url {
            Some(address) => self.address("/api/oauth/authorizeUrl", address, false),
            None => self.wrong(
                "/api/oauth",
                "the field `authorizeUrl`, where the person signs in",
                "no such field",
            ),
        }
        if service.client_id.trim().is_empty() || service.client_id.len() > 500 {
            self.wrong("/api/oauth/clientId", "your own client's id", "another text");
        }
        if service.scopes.iter().any(|scope| scope.is_empty() || scope.contains(char::is_whitespace)) {
            self.wrong("/api/oauth/scopes", "names without spaces", "another text");
        }
        for (name, value) in &service.extra {
            if names_secret(name) || looks_secret(value) {
                self.wrong(&child("/api/oauth/extra", name), "no secret", "a literal value (not shown)");
            }
        }
        if service.redirect_url.as_deref().is_some_and(|address| callback_place(address).is_none()) {
            self.wrong("/api/oauth/redirectUrl", "http://localhost:<port>/callback", "another text");
        }
    }

    fn headers(&mut self, base: &str, headers: &std::collections::BTreeMap<String, String>) {
        for (name, value) in headers {
            let at = child(base, name);
            self.header_name(&at, name);
            let lower = name.to_ascii_lowercase();
            let sensitive = names_secret(name) || lower == "cookie" || lower == "authorization";
            check_value(self.file, &at, value, sensitive, self.problems);
            if value.len() > MAX_VALUE_BYTES || !value.bytes().all(|byte| (32..127).contains(&byte)) {
                self.wrong(&at, "at most 4096 printable ASCII characters", "another text");
            }
        }
    }

    fn header_name(&mut self, at: &str, name: &str) {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || name.len() > 100 || !name.bytes().all(token) || looks_secret(name) {
            self.wrong(at, "the name of a header", "another text (not shown)");
        } else if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            self.wrong(at, "a header that the program does not set itself", &format!("`{name}`"));
        }
    }

    /// An address that secrets may be sent to: encrypted, or on this machine, or, where it says so, in the private network.
    fn address(&mut self, at: &str, text: &str, private: bool) {
        let Ok(url) = Url::parse(text) else {
            return self.wrong(at, "an address like `https://example.org/`", "another text (not shown)");
        };
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return self.wrong(at, "an address that begins with https://", "another text (not shown)");
        }
        if !url.username().is_empty() || url.password().is_some() || looks_secret(text) {
            let problem = ConfigProblem::new(
                self.file,
                at,
                "an address without a name, a password or a key",
                "one with them (not shown)",
            );
            return self.problems.push(problem.with_remedy("store it as a secret instead"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return self.wrong(at, "an address without `?` and `#`", "one with them");
        }
        if url.scheme() == "http" && !private && !is_loopback(&url) {
            self.wrong(
                at,
                "an address that begins with https://",
                "http://, which would send secrets in the clear",
            );
        }
    }
}

/// Whether an address leads to this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
