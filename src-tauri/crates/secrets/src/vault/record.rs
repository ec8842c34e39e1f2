//! What one record holds, and its bytes before they are sealed.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::VaultError;

/// The most bytes of one record's texts together.
const RECORD_CAP: usize = 256 * 1024;

/// Sealed records come in steps of this size, so that their lengths tell little.
const STEP: usize = 64;

/// What stands under a name.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A key, a password, a bearer token.
    Secret(SecretString),
    /// A token of an OAuth service.
    Token(Token),
}

/// What kind of entry a name has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// [`Entry::Secret`].
    Secret,
    /// [`Entry::Token`].
    Token,
}

/// What an OAuth service gave, with what is needed to renew it.
#[derive(Debug, Clone)]
pub struct Token {
    /// What requests carry.
    pub access: SecretString,
    /// What a new access token is fetched with.
    pub refresh: Option<SecretString>,
    /// When `access` expires, in milliseconds since 1970; `None`: unknown or never.
    pub expires_at: Option<i64>,
    /// What it was granted for, as the service said it; empty: what was asked for.
    pub scope: String,
    /// The client that it was given to; empty: the one of the service's description.
    pub client_id: String,
    /// That client's secret, where the service gives native applications one.
    pub client_secret: Option<SecretString>,
    /// Where it is renewed; empty: the address of the service's description.
    pub token_url: String,
}

impl Token {
    /// An access token and nothing more.
    pub fn new(access: SecretString) -> Self {
        Self {
            access,
            refresh: None,
            expires_at: None,
            scope: String::new(),
            client_id: String::new(),
            client_secret: None,
            token_url: String::new(),
        }
    }
}

impl Entry {
    /// Which kind it is.
    pub fn kind(&self) -> EntryKind {
        match self {
            Self::Secret(_) => EntryKind::Secret,
            Self::Token(_) => EntryKind::Token,
        }
    }

    /// What requests carry: the secret, or the access token.
    pub fn secret(&self) -> &SecretString {
        match self {
            Self::Secret(secret) => secret,
            Self::Token(token) => &token.access,
        }
    }

    /// When it expires, in milliseconds since 1970.
    pub fn expires_at(&self) -> Option<i64> {
        match self {
            Self::Secret(_) => None,
            Self::Token(token) => token.expires_at,
        }
    }

    /// Tag, length (u32, little endian) and bytes of every field that is there; tag 0 ends them; zeros up to a full step.
    pub(super) fn encode(&self) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let expires = self.expires_at().map(i64::to_le_bytes);
        let mut fields: Vec<(u8, &[u8])> = Vec::with_capacity(7);
        match self {
            Self::Secret(secret) => fields.push((SECRET, secret.expose_secret().as_bytes())),
            Self::Token(token) => {
                fields.push((ACCESS, token.access.expose_secret().as_bytes()));
                if let Some(refresh) = &token.refresh {
                    fields.push((REFRESH, refresh.expose_secret().as_bytes()));
                }
                if let Some(expires) = &expires {
                    fields.push((EXPIRES, expires));
                }
                fields.push((SCOPE, token.scope.as_bytes()));
                fields.push((CLIENT, token.client_id.as_bytes()));
                if let Some(secret) = &token.client_secret {
                    fields.push((CLIENT_SECRET, secret.expose_secret().as_bytes()));
                }
                fields.push((TOKEN_URL, token.token_url.as_bytes()));
            }
        }
        let size = fields.iter().map(|(_, bytes)| 5 + bytes.len()).sum::<usize>() + 1;
        if size > RECORD_CAP {
            return Err(VaultError::TooBig { what: "a secret", size: size as u64, cap: RECORD_CAP as u64 });
        }
        // The capacity is exact: a vector that grew would leave copies behind that nobody clears.
        let mut bytes = Zeroizing::new(Vec::with_capacity(size.next_multiple_of(STEP)));
        for (tag, field) in fields {
            bytes.push(tag);
            bytes.extend_from_slice(&u32::try_from(field.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend_from_slice(field);
        }
        bytes.resize(size.next_multiple_of(STEP), 0);
        Ok(bytes)
    }

    /// The reverse of `encode`; `None` for anything else.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let (mut secret, mut access, mut refresh, mut client_secret) = (None, None, None, None);
        let (mut expires_at, mut scope, mut client_id, mut token_url) = (None, "", "", "");
        loop {
            let (tag, rest) = bytes.split_first()?;
            if *tag == 0 {
                break;
            }
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let (field, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
            bytes = rest;
            if *tag == EXPIRES {
                expires_at = Some(i64::from_le_bytes(field.try_into().ok()?));
                continue;
            }
            let text = std::str::from_utf8(field).ok()?;
            match *tag {
                SECRET => secret = Some(SecretString::from(text)),
                ACCESS => access = Some(SecretString::from(text)),
                REFRESH => refresh = Some(SecretString::from(text)),
                CLIENT_SECRET => client_secret = Some(SecretString::from(text)),
                SCOPE => scope = text,
                CLIENT => client_id = text,
                TOKEN_URL => token_url = text,
                // A later release's field.
                _ => {}
            }
        }
        match (secret, access) {
            (Some(secret), None) => Some(Self::Secret(secret)),
            (None, Some(access)) => Some(Self::Token(Token {
                access,
                refresh,
                expires_at,
                scope: scope.to_owned(),
                client_id: client_id.to_owned(),
                client_secret,
                token_url: token_url.to_owned(),
            })),
            _ => None,
        }
    }
}

const SECRET: u8 = 1;
const ACCESS: u8 = 2;
const REFRESH: u8 = 3;
const EXPIRES: u8 = 4;
const SCOPE: u8 = 5;
const CLIENT: u8 = 6;
const CLIENT_SECRET: u8 = 7;
const TOKEN_URL: u8 = 8;
