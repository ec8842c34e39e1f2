//! Commands: `POST /api`.

use std::sync::Arc;
use std::time::Duration;

use app::ClientCommand;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::{ErrorCode, Problem};
use serde::Serialize;
use serde_json::Value;

use crate::{HttpGuard, auth};

/// The largest command, in bytes.
const MAX_COMMAND_BYTES: usize = 4 << 20;
/// How long a command may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Serialize)]
struct Answer {
    ok: Value,
}

pub(crate) async fn carry_out(
    State(gate): State<Arc<HttpGuard>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    if !auth::knows_token(&gate, &headers) {
        return auth::problem(
            StatusCode::UNAUTHORIZED,
            &Problem::new(ErrorCode::InvalidInput, "the token is missing or wrong")
                .with_action("open the address that `agentnative serve` printed when it was started"),
        );
    }
    match answer(&gate, &headers, body).await {
        Ok(value) => {
            let body = serde_json::to_vec(&Answer { ok: value }).unwrap_or_default();
            ([(CONTENT_TYPE, "application/json")], body).into_response()
        }
        Err((status, problem)) => auth::problem(status, &problem),
    }
}

async fn answer(gate: &HttpGuard, headers: &HeaderMap, body: Body) -> Result<Value, (StatusCode, Problem)> {
    let too_large = || {
        let what = format!("a command has at most {MAX_COMMAND_BYTES} bytes");
        (StatusCode::PAYLOAD_TOO_LARGE, Problem::new(ErrorCode::InvalidInput, what))
    };
    let told = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|text| text.parse().ok());
    if told.is_some_and(|length: usize| length > MAX_COMMAND_BYTES) {
        return Err(too_large());
    }
    let bytes = match tokio::time::timeout(TIMEOUT, to_bytes(body, MAX_COMMAND_BYTES)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(too_large()),
        Err(_) => {
            let slow = Problem::new(ErrorCode::Deadline, "the command did not arrive in time").retryable();
            return Err((StatusCode::REQUEST_TIMEOUT, slow));
        }
    };
    let ClientCommand { request, workspace } =
        ClientCommand::read(&bytes).map_err(|problem| (StatusCode::BAD_REQUEST, problem))?;
    // Carried out to its end even if nobody waits for the answer any more.
    let host = gate.host.clone();
    let called = tokio::spawn(async move { host.call_in(workspace, request).await }).await;
    let answered = called.unwrap_or_else(|error| {
        Err(Problem::new(ErrorCode::Internal, format!("the command ended early: {error}")))
    });
    let answer = answered.map_err(|problem| (status_of(&problem), problem))?;
    answer.into_value().map_err(|problem| (StatusCode::INTERNAL_SERVER_ERROR, problem))
}

fn status_of(problem: &Problem) -> StatusCode {
    match problem.code {
        ErrorCode::InvalidInput | ErrorCode::ContextTooLong => StatusCode::BAD_REQUEST,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::Permission => StatusCode::FORBIDDEN,
        ErrorCode::Conflict | ErrorCode::Cancelled => StatusCode::CONFLICT,
        ErrorCode::InvalidConfig | ErrorCode::InvalidAnswer => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::Budget => StatusCode::PAYMENT_REQUIRED,
        ErrorCode::Busy => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Source | ErrorCode::Provider => StatusCode::BAD_GATEWAY,
        ErrorCode::Deadline => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::NewerData | ErrorCode::Storage | ErrorCode::Corrupt | ErrorCode::Internal => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
