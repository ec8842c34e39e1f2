//! The transport that the SDK drives: every message a request of its own.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::exchange::{Endpoint, OutgoingMessage};
use crate::wire::Wire;

/// Messages that may wait for the SDK.
const INBOX: usize = 64;

/// The transport that the SDK drives.
pub(crate) struct HttpTransport {
    wire: Arc<Wire>,
    endpoint: Arc<Endpoint>,
    deliver: mpsc::Sender<ServerJsonRpcMessage>,
    inbox: mpsc::Receiver<ServerJsonRpcMessage>,
}

impl HttpTransport {
    pub(crate) fn new(wire: Arc<Wire>, endpoint: Arc<Endpoint>) -> Self {
        let (deliver, inbox) = mpsc::channel(INBOX);
        Self { wire, endpoint, deliver, inbox }
    }
}

impl Transport<RoleClient> for HttpTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.wire.note_sent(&message);
        let endpoint = Arc::clone(&self.endpoint);
        let deliver = self.deliver.clone();
        let outgoing = OutgoingMessage::from_message(&message);
        async move {
            let outgoing = outgoing?;
            match message {
                // The answer is waited for beside the SDK's loop, which has other messages to send.
                JsonRpcMessage::Request(request) => {
                    tokio::spawn(endpoint.answer(request.id, outgoing, deliver));
                }
                JsonRpcMessage::Notification(notification) => match notification.notification {
                    ClientNotification::CancelledNotification(cancelled) => {
                        if let Some(id) = &cancelled.params.request_id {
                            endpoint.abandon(id);
                        }
                        // Closing the stream is the cancellation in the newer generation.
                        if !endpoint.is_modern() {
                            endpoint.tell(outgoing).await;
                        }
                    }
                    ClientNotification::InitializedNotification(_) => {
                        Arc::clone(&endpoint).tell(outgoing).await;
                        endpoint.begin_listening(deliver).await;
                    }
                    _ => endpoint.tell(outgoing).await,
                },
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => endpoint.tell(outgoing).await,
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        tokio::select! {
            biased;
            () = self.wire.ended.cancelled() => None,
            message = self.inbox.recv() => message,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.close();
        Ok(())
    }
}
