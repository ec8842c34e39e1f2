//! The protocols of model providers. Each is a [`Codec`]: pure functions from a request to what goes over the wire, and
//! a state machine from what comes back to events. The transport ([`crate::http`]) is one for all.

pub mod anthropic;
pub mod gemini;
mod halves;
pub mod ollama;
pub mod openai;
pub(crate) mod shared;
mod written;

use domain::connection::{Connection, ProviderKind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::Value;
use url::Url;

pub use self::halves::JoinedReader;
pub use self::written::WrittenReader;
use crate::{Fault, ModelInfo, ModelRequest, ProviderError, StreamEvent};

/// Where a request goes and what is known of the model that it asks.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The connection.
    pub connection: &'a Connection,
    /// The address below which the protocol's paths stand; ends with `/`.
    pub base: &'a Url,
    /// The model.
    pub model: &'a ModelInfo,
}

/// A request as it goes over the wire, but for the credential.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Below the base address, without a leading slash: `v1/messages`.
    pub path: String,
    /// Query parameters.
    pub query: Vec<(&'static str, String)>,
    /// Headers of the protocol: versions, betas.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The JSON body; `None` for a GET.
    pub body: Option<String>,
}

/// The calls for an answer that the provider keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct CallArguments {
    /// Streams it from its beginning.
    pub read: Call,
    /// Ends it.
    pub cancel: Call,
}

/// How an answer is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// A JSON value a line.
    Lines,
}

/// One frame of a streamed answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The event's name, where it has one.
    pub event: Option<String>,
    /// Its data.
    pub data: String,
}

/// An answer that is not a success.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'a> {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// What could be read of its body, as text.
    pub body: &'a str,
}

/// How a secret is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthScheme {
    /// As the provider's own key.
    Key,
    /// As a bearer token of a gateway.
    Bearer,
    /// As a bearer token of an OAuth service.
    Oauth,
}

/// One protocol.
pub trait Codec: Send + Sync + std::fmt::Debug {
    /// Which one.
    fn kind(&self) -> ProviderKind;

    /// The provider's own address; `None` where there is none (compatible hosts).
    fn home(&self) -> Option<&'static str>;

    /// How answers are framed.
    fn framing(&self) -> Framing;

    /// Headers that present a secret. Values are marked as sensitive by the transport.
    fn credential(
        &self,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError>;

    /// As [`Self::credential`], for the host at `base`: some hosts of a protocol want a header of their own. This is what
    /// the transport asks.
    fn credential_at(
        &self,
        _base: &Url,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        self.credential(secret, bearing)
    }

    /// The streaming call for a request. Refuses what this model does not take, in words; never drops it silently.
    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError>;

    /// Reads the answer to a request.
    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader>;

    /// The call that goes on with an answer whose reader ended with a [`Reader::continuation`]. Its frames go to the
    /// same reader.
    fn encode_continued(
        &self,
        _request: &ModelRequest,
        _target: Target<'_>,
        _continuation: &str,
    ) -> Result<Call, ProviderError> {
        Err(ProviderError::new(
            self.kind().as_str(),
            Fault::BadRequest,
            "answers of this provider are not continued by another call",
        ))
    }

    /// The calls for an answer that the provider goes on with by itself; `None` where the protocol has none such.
    /// `response_id` is the provider's.
    fn kept(&self, _target: Target<'_>, _response_id: &str) -> Option<Result<CallArguments, ProviderError>> {
        None
    }

    /// Whether a frame of [`Self::unstreamed`] says that the answer is still being made.
    fn is_under_way(&self, _frame: &Frame) -> bool {
        false
    }

    /// Whether answers of this connection are made so.
    fn keeps(&self, _connection: &Connection) -> bool {
        false
    }

    /// A whole answer that came at once as the frames of a stream; `None` for what is none.
    fn unstreamed(&self, _body: &str) -> Option<Vec<Frame>> {
        None
    }

    /// After a refusal: the same call without what only some hosts take; `None` where that is not why.
    fn plainer(&self, _call: &Call, _refusal: &ProviderError) -> Option<Call> {
        None
    }

    /// The host took a plainer call: from now on it is asked so.
    fn ask_plainly(&self, _base: &Url) {}

    /// What an answer that is not a success means.
    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError;

    /// The call that lists models; `None` where there is none.
    fn list(&self) -> Option<Call>;

    /// The call for the page of a list after this one; `None` after the last.
    fn list_after(&self, _body: &Value) -> Option<Call> {
        None
    }

    /// What a list's body says: each model over what the table knows of it. `base` is the connection's address: some
    /// hosts list prices and windows.
    fn listed(&self, body: &Value) -> Vec<ModelInfo>;

    /// The call that counts a request's tokens; `None` where there is none.
    fn count(&self, _request: &ModelRequest, _target: Target<'_>) -> Option<Result<Call, ProviderError>> {
        None
    }

    /// What it answered.
    fn counted(&self, _body: &Value) -> Option<u64> {
        None
    }
}

/// Reads one answer, frame by frame. Pure: the same frames give the same events.
pub trait Reader: Send {
    /// What a frame says. After `Finished` or an error it is not called again.
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError>;

    /// The body has ended. Gives `Finished` where that completes the answer, `StreamCut` where it does not.
    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError>;

    /// Whether all of the answer has come but, with some hosts, figures: the body's end is waited for only briefly then.
    fn is_complete(&self) -> bool {
        false
    }

    /// After [`Self::end`] gave neither `Finished` nor an error: with what the answer is asked to go on
    /// ([`Codec::encode_continued`]). `None` in every other state. Bounded: a reader finishes an answer that goes on and
    /// on.
    fn continuation(&self) -> Option<String> {
        None
    }
}

/// The codec of a protocol; `None` for the offline engine, which has no wire.
pub fn codec(kind: ProviderKind) -> Option<&'static dyn Codec> {
    match kind {
        ProviderKind::Offline => None,
        ProviderKind::Anthropic => Some(&anthropic::Anthropic),
        ProviderKind::Openai => Some(&openai::Responses),
        ProviderKind::OpenaiChat => Some(&openai::Chat),
        ProviderKind::Gemini => Some(&gemini::Gemini),
        ProviderKind::Ollama => Some(&ollama::Ollama),
    }
}
