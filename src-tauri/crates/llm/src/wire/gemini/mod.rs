//! Google Gemini generateContent.

use domain::connection::ProviderKind;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::Value;

use super::{Bearing, Call, Codec, Framing, Reader, Refusal, Target};
use crate::{Fault, ModelInfo, ModelRequest, ProviderError};

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Codec for Gemini {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Gemini
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://generativelanguage.googleapis.com/v1beta")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn credential(
        &self,
        _secret: &SecretString,
        _bearing: Bearing,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        Ok(Vec::new())
    }

    fn encode(&self, _request: &ModelRequest, _target: Target<'_>) -> Result<Call, ProviderError> {
        Err(ProviderError::new(self.kind().word(), Fault::BadRequest, "not spoken yet"))
    }

    fn reader(&self, _request: &ModelRequest, _target: Target<'_>) -> Box<dyn Reader> {
        Box::new(Silent)
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        ProviderError::new(self.kind().word(), Fault::BadRequest, refusal.body)
    }

    fn list(&self) -> Option<Call> {
        None
    }

    fn listed(&self, _body: &Value) -> Vec<ModelInfo> {
        Vec::new()
    }
}

struct Silent;

impl Reader for Silent {
    fn frame(&mut self, _frame: &super::Frame) -> Result<Vec<crate::StreamEvent>, ProviderError> {
        Ok(Vec::new())
    }

    fn end(&mut self) -> Result<Vec<crate::StreamEvent>, ProviderError> {
        Err(ProviderError::new("wire", Fault::StreamCut, "not spoken yet"))
    }
}
