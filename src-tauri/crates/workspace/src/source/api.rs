//! Sources of type `api`.

use std::collections::BTreeMap;

use domain::connection::OauthService;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an HTTP interface is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiServer {
    /// Its address. Every request stays at or below it.
    pub base_url: String,
    /// What requests present.
    #[serde(default)]
    pub auth_type: ApiAuth,
    /// For `bearer` and `header`: the word before the secret; `Bearer` for `bearer`, else none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_scheme: Option<String>,
    /// For `header`: the header that holds the secret `apikey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_name: Option<String>,
    /// For `headers`: headers that each hold the secret of their own name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header_names: Vec<String>,
    /// For `query`: the parameter that holds the secret `apikey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_param: Option<String>,
    /// For `basic`: the user; the secret `basic` is the password. Without it the secret is `user:password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// For `oauth`: the service to sign in at, with the person's own client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OauthService>,
    /// Headers of every request. A secret is written as `${secret:NAME}`, never in plain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub default_headers: BTreeMap<String, String>,
    /// What is asked to see whether it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_endpoint: Option<TestEndpoint>,
    /// The file beside this one with its OpenAPI 3 document, from which typed tools are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openapi: Option<String>,
    /// Whether its address may lead into the private network. Addresses of this machine need no such word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_network: bool,
    /// The longest request, in seconds.
    #[serde(default = "timeout")]
    pub timeout_seconds: u64,
}

fn timeout() -> u64 {
    60
}

/// What requests present.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ApiAuth {
    /// Nothing beside the headers.
    #[default]
    None,
    /// `Authorization: Bearer`, with the secret `bearer`.
    Bearer,
    /// A header with the secret `apikey`.
    Header,
    /// Several headers, each with the secret of its own name.
    Headers,
    /// A parameter of the address with the secret `apikey`.
    Query,
    /// A user and the secret `basic` as the password.
    Basic,
    /// A token of an OAuth service; the person signs in.
    Oauth,
}

/// What is asked to see whether an interface works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestEndpoint {
    /// `GET`, `HEAD` or `POST`.
    #[serde(default = "get")]
    pub method: String,
    /// The path below the address, with parameters where it needs some.
    pub path: String,
}

fn get() -> String {
    "GET".to_owned()
}
