//! Services whose addresses are known. The client id is always the person's own.

use std::collections::BTreeMap;

use domain::connection::OauthService;

/// Where people sign in at a well-known service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name: `google`, `microsoft`, `slack`, `github`.
    pub name: &'static str,
    /// Where the person signs in.
    pub authorize_url: &'static str,
    /// Where codes and refresh tokens are exchanged.
    pub token_url: &'static str,
    /// What is always asked for, so that the token can be renewed.
    pub scopes: &'static [&'static str],
    /// Further parameters of the authorization request.
    pub extra: &'static [(&'static str, &'static str)],
    /// Whether the service gives native applications a client secret, too, and asks for it.
    pub client_secret: bool,
}

/// The well-known services.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "google",
        authorize_url: "https://accounts.google.com/o/oauth2/v2/auth",
        token_url: "https://oauth2.googleapis.com/token",
        scopes: &[],
        extra: &[("access_type", "offline"), ("prompt", "consent")],
        client_secret: true,
    },
    Preset {
        name: "microsoft",
        authorize_url: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
        token_url: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
        scopes: &["offline_access"],
        extra: &[],
        client_secret: false,
    },
    Preset {
        name: "slack",
        authorize_url: "https://slack.com/oauth/v2/authorize",
        token_url: "https://slack.com/api/oauth.v2.access",
        scopes: &[],
        extra: &[],
        client_secret: true,
    },
    Preset {
        name: "github",
        authorize_url: "https://github.com/login/oauth/authorize",
        token_url: "https://github.com/login/oauth/access_token",
        scopes: &[],
        extra: &[],
        client_secret: true,
    },
];

/// The well-known service of this name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

impl Preset {
    /// Its description with the person's own client id and what else is asked for.
    pub fn service(&self, client_id: &str, scopes: &[&str]) -> OauthService {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        OauthService {
            authorize_url: Some(self.authorize_url.to_owned()),
            token_url: self.token_url.to_owned(),
            client_id: client_id.to_owned(),
            scopes: [texts(self.scopes), texts(scopes)].concat(),
            extra: self
                .extra
                .iter()
                .map(|&(key, value)| (key.to_owned(), value.to_owned()))
                .collect::<BTreeMap<_, _>>(),
            redirect_url: None,
        }
    }
}
