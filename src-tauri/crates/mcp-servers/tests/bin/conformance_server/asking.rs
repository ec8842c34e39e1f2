//! Answers that ask back before they are complete (MCP 2026-07-28, "Multi round-trip requests").

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, InputRequiredResult,
    InputResponses,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::{Examined, typed};

/// A question with one field.
fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": {
        "type": "object", "properties": {field: {"type": kind}}, "required": [field]}}})
}

fn name() -> Value {
    form("What is your name?", "name", "string")
}

fn sampling(question: &str) -> Value {
    json!({"method": "sampling/createMessage", "params": {"maxTokens": 100,
        "messages": [{"role": "user", "content": {"type": "text", "text": question}}]}})
}

fn roots() -> Value {
    json!({"method": "roots/list"})
}

fn back(requests: Value, state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    typed(result)
}

fn done(words: &str) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResponse::Complete(typed(
        json!({"resultType": "complete", "content": [{"type": "text", "text": words}]}),
    )?))
}

/// An answer to a question: what is no object is none.
fn given<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Value> {
    answers?.get(key).filter(|answer| answer.is_object())
}

fn field(answer: &Value, name: &str) -> String {
    answer.pointer(&format!("/content/{name}")).and_then(Value::as_str).unwrap_or("nobody").to_owned()
}

/// Answers a call of a tool that asks back; `None` for any other tool.
pub fn call(
    server: &Examined,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let answers = request.input_responses.as_ref();
    let state = request.request_state.as_deref().map(|sealed| server.opened(sealed)).transpose()?;
    let ask = |requests: Value, state: Option<&str>| {
        let state = state.map(|state| server.sealed(state));
        Ok(Some(CallToolResponse::InputRequired(back(requests, state)?)))
    };
    let complete = |words: &str| done(words).map(Some);
    let once = |key: &str, question: Value, answer: &dyn Fn(&Value) -> String| match given(answers, key) {
        Some(given) => complete(&answer(given)),
        None => ask(json!({key: question}), None),
    };
    match request.name.as_ref() {
        "test_input_required_result_elicitation" => {
            once("user_name", name(), &|answer| format!("Hello, {}!", field(answer, "name")))
        }
        "test_streaming_elicitation" => once("user_name", name(), &|_| "Thank you.".into()),
        "test_input_required_result_sampling" => {
            let said =
                |answer: &Value| answer.pointer("/content/text").and_then(Value::as_str).map(str::to_owned);
            once("capital_question", sampling("What is the capital of France?"), &|answer| {
                said(answer).unwrap_or_default()
            })
        }
        "test_input_required_result_list_roots" => {
            once("client_roots", roots(), &|answer| format!("Roots: {}", answer["roots"]))
        }
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            match (&state, given(answers, "confirm")) {
                (Some(_), Some(_)) => complete("state-ok"),
                (Some(_) | None, _) => {
                    ask(json!({"confirm": form("Please confirm.", "ok", "boolean")}), Some("confirm"))
                }
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let all =
                ["user_name", "greeting", "client_roots"].iter().all(|key| given(answers, key).is_some());
            if all && state.is_some() {
                return complete("All of it was answered.");
            }
            let questions = json!({"user_name": name(), "greeting": sampling("Write a greeting."), "client_roots": roots()});
            ask(questions, Some("several"))
        }
        "test_input_required_result_multi_round" => match state.as_deref() {
            None => ask(json!({"step1": form("Step 1: your name?", "name", "string")}), Some("1")),
            Some("1") => ask(json!({"step2": form("Step 2: your colour?", "color", "string")}), Some("2")),
            Some(_) => complete("Both rounds are done."),
        },
        "test_input_required_result_capabilities" => {
            if answers.is_some() {
                return complete("Thank you.");
            }
            let can = context.client_capabilities().unwrap_or_default();
            let mut questions = json!({});
            for (key, able, question) in [
                ("user_name", can.elicitation.is_some(), name()),
                ("greeting", can.sampling.is_some(), sampling("Write a greeting.")),
                ("client_roots", can.roots.is_some(), roots()),
            ] {
                if able {
                    questions[key] = question;
                }
            }
            if questions == json!({}) { complete("There is nobody to ask.") } else { ask(questions, None) }
        }
        _ => Ok(None),
    }
}

/// Answers a request for a prompt that asks back; `None` for any other prompt.
pub fn prompt(request: &GetPromptRequestParams) -> Result<Option<GetPromptResponse>, ErrorData> {
    if request.name != "test_input_required_result_prompt" {
        return Ok(None);
    }
    Ok(Some(match given(request.input_responses.as_ref(), "user_context") {
        Some(answer) => {
            let text = format!("Use this context: {}", field(answer, "context"));
            let message = json!({"role": "user", "content": {"type": "text", "text": text}});
            GetPromptResponse::Complete(typed(json!({"resultType": "complete", "messages": [message]}))?)
        }
        None => {
            let question = form("Which context should be used?", "context", "string");
            GetPromptResponse::InputRequired(back(json!({"user_context": question}), None)?)
        }
    }))
}
