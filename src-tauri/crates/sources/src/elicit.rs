//! What servers ask people: forms and pages (MCP "elicitation"). Nothing else is answered: no sampling, no roots.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode,
    ErrorData, Implementation, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

use crate::text::{excerpt, strip_invisible};
use crate::wire::Wire;

/// Longest question, in characters.
const QUESTION_CHARS: usize = 4_000;

/// Asks a person in the name of servers. An implementation says which server asks and that secrets do not belong into
/// forms, and has a deadline of its own: calls wait as long as it does.
#[async_trait]
pub trait Elicitor: fmt::Debug + Send + Sync {
    /// Asks and returns what the person decided.
    async fn ask(&self, question: Elicitation) -> ElicitationAnswer;
}

/// A question of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The slug of the source that asks.
    pub source: String,
    /// What it says, cleaned.
    pub message: String,
    /// What it wants.
    pub wanted: Question,
}

/// What a server wants from a person.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// A form with the fields of this JSON Schema: an object of plain values.
    Form {
        /// The schema as the server gave it.
        schema: Value,
    },
    /// A visit to a page. It has to be shown whole and must not be fetched before the person agreed.
    Visit {
        /// The page's address: https, or this machine.
        url: String,
    },
}

/// What the person decided.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationAnswer {
    /// The form's values (an object), or for a page that it may be visited.
    Accept(Value),
    /// No.
    Decline,
    /// Closed without a decision.
    Cancel,
}

/// Our side of the conversation with one server.
#[derive(Debug, Clone)]
pub(crate) struct Asker {
    pub(crate) source: String,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) wire: Arc<Wire>,
}

impl Asker {
    /// Answers a question in the protocol's JSON, as `ElicitResult`.
    pub(crate) async fn answer(&self, params: &Value) -> Value {
        let decline = || json!({"action": "decline"});
        let Some(elicitor) = &self.elicitor else {
            return decline();
        };
        let text = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
        let wanted = if text("mode") == "url" {
            match visitable(text("url")) {
                Some(url) => Question::Visit { url },
                None => return decline(),
            }
        } else {
            match params.get("requestedSchema") {
                Some(schema @ Value::Object(_)) => Question::Form { schema: schema.clone() },
                Some(_) | None => return decline(),
            }
        };
        let message = excerpt(text("message"), QUESTION_CHARS);
        let question = Elicitation { source: self.source.clone(), message, wanted };
        let is_form = matches!(question.wanted, Question::Form { .. });
        let _asking = self.wire.ask_person();
        match elicitor.ask(question).await {
            ElicitationAnswer::Accept(content @ Value::Object(_)) if is_form => {
                json!({"action": "accept", "content": content})
            }
            ElicitationAnswer::Accept(_) if !is_form => json!({"action": "accept"}),
            ElicitationAnswer::Accept(_) | ElicitationAnswer::Decline => decline(),
            ElicitationAnswer::Cancel => json!({"action": "cancel"}),
        }
    }
}

/// An address that a person may be sent to, exactly as it will be opened.
fn visitable(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let near = crate::http::is_loopback(&url);
    let fine = url.scheme() == "https" || (url.scheme() == "http" && near);
    (fine && url.username().is_empty() && url.password().is_none() && strip_invisible(text) == text)
        .then(|| url.to_string())
}

impl ClientHandler for Asker {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.elicitor.is_some() {
            capabilities.elicitation = serde_json::from_value(json!({"form": {}, "url": {}})).ok();
        }
        ClientConfig::new(capabilities, Implementation::new("agentnative", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(&request).unwrap_or_default();
        let answer = self.answer(&params).await;
        Ok(serde_json::from_value(answer).unwrap_or_else(|_| ElicitResult::new(ElicitationAction::Decline)))
    }

    // Older servers may still ask; sampling is refused by default.
    #[expect(deprecated)]
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        let why = "folders of this machine are not told to servers";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SourceConfig;
    use pretty_assertions::assert_eq;

    #[derive(Debug)]
    struct Yes;

    #[async_trait]
    impl Elicitor for Yes {
        async fn ask(&self, question: Elicitation) -> ElicitationAnswer {
            ElicitationAnswer::Accept(json!({"said": question.message}))
        }
    }

    fn asker(elicitor: Option<Arc<dyn Elicitor>>) -> Asker {
        let wire = Wire::new(&SourceConfig::http("kb", "https://mcp.example.org"));
        Asker { source: "kb".into(), elicitor, wire }
    }

    #[tokio::test]
    async fn without_anyone_to_ask_the_answer_is_no() {
        let form = json!({"message": "Name?", "requestedSchema": {"type": "object"}});
        assert_eq!(asker(None).answer(&form).await, json!({"action": "decline"}));
    }

    #[tokio::test]
    async fn a_form_is_cleaned_and_its_values_are_sent() {
        let asker = asker(Some(Arc::new(Yes)));
        let form = json!({"message": "Na\u{202e}me?", "requestedSchema": {"type": "object"}});
        assert_eq!(asker.answer(&form).await, json!({"action": "accept", "content": {"said": "Name?"}}));
        assert!(!asker.wire.waits_for_person());
    }

    #[tokio::test]
    async fn only_safe_pages_are_shown() {
        let asker = asker(Some(Arc::new(Yes)));
        for (url, action) in [
            ("https://example.org/pay?x=1", "accept"),
            ("http://localhost:8000/x", "accept"),
            ("http://example.org/", "decline"),
            ("javascript:alert(1)", "decline"),
            ("file:///etc/passwd", "decline"),
            ("https://me:pw@example.org/", "decline"),
            ("https://exa\u{200b}mple.org/", "decline"),
            ("", "decline"),
        ] {
            let page = json!({"mode": "url", "message": "m", "url": url});
            assert_eq!(asker.answer(&page).await["action"], action, "{url}");
        }
    }
}
