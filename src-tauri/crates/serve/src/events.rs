//! Events: a WebSocket at `/events`. Its first message is `{"hello": {"token": …}}`, answered with `"welcome"`; then
//! arrays of events come.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{ErrorCode, Problem};
use serde::Deserialize;
use tokio::time::timeout;

use crate::{HttpGuard, auth};

/// The largest message that a client sends, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 10;
/// How long the first message may take.
const HELLO: Duration = Duration::from_secs(5);
/// How long a client may take to accept a message.
const TIMEOUT: Duration = Duration::from_secs(20);
/// A client that says nothing is asked this often whether it is still there.
const PULSE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HelloFrame {
    hello: Hello,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    token: String,
}

pub(crate) async fn listen(
    State(gate): State<Arc<HttpGuard>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let what = Problem::new(ErrorCode::InvalidInput, "events come over a WebSocket");
        return auth::problem(StatusCode::UPGRADE_REQUIRED, &what);
    };
    let Ok(slot) = gate.streams.clone().try_acquire_owned() else {
        let full = Problem::new(ErrorCode::Busy, "too many windows listen already")
            .with_action("close one of them")
            .retryable();
        return auth::problem(StatusCode::SERVICE_UNAVAILABLE, &full);
    };
    upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES).on_upgrade(
        async move |socket| {
            tell(&gate, socket).await;
            drop(slot);
        },
    )
}

async fn tell(gate: &HttpGuard, mut socket: WebSocket) {
    let known = match timeout(HELLO, socket.recv()).await {
        Ok(Some(Ok(Message::Text(text)))) => {
            serde_json::from_str::<HelloFrame>(&text).is_ok_and(|first| gate.token.is(&first.hello.token))
        }
        _ => false,
    };
    if !known {
        return close(&mut socket, close_code::POLICY, "the token is missing or wrong").await;
    }
    // Listening begins before the client knows that it does: what it asks for afterwards misses nothing.
    let mut batches = gate.host.events();
    if !send(&mut socket, Message::text("\"welcome\"")).await {
        return;
    }
    let mut closing = gate.closing.clone();
    let mut pulse = tokio::time::interval(PULSE);
    pulse.reset();
    let mut heard = true;
    loop {
        tokio::select! {
            batch = batches.next() => {
                let Some(batch) = batch else { break };
                let Ok(text) = serde_json::to_string(&batch) else { break };
                if !send(&mut socket, Message::text(text)).await {
                    return;
                }
            }
            message = socket.recv() => match message {
                // There is nothing to say here; an answer to the pulse is enough.
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => heard = true,
            },
            _ = pulse.tick() => {
                if !heard || !send(&mut socket, Message::Ping(Default::default())).await {
                    return;
                }
                heard = false;
            }
            () = crate::closed(&mut closing) => break,
        }
    }
    close(&mut socket, close_code::AWAY, "the program is ending").await;
}

/// Whether the client took it.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(TIMEOUT, socket.send(message)).await, Ok(Ok(())))
}

async fn close(socket: &mut WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame { code, reason: reason.into() };
    let _ = timeout(Duration::from_secs(1), socket.send(Message::Close(Some(frame)))).await;
}
