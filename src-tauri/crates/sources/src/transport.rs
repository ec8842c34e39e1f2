//! The transport that the SDK drives: lines in, whole messages out.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::lines::{LineEvent, Lines};
use crate::wire::{BYTE_ORDER_MARK, Wire};

/// Messages that may wait for a server that does not read.
const OUTBOX: usize = 64;

/// The transport that the SDK drives.
pub(crate) struct StdioTransport<R> {
    wire: Arc<Wire>,
    lines: Lines<R>,
    outbox: mpsc::Sender<Vec<u8>>,
    /// Nothing has been read yet: a byte order mark here belongs to the stream, not to a message.
    fresh: bool,
}

impl<R: AsyncRead + Unpin + Send> StdioTransport<R> {
    /// Starts the task that writes to `input`; must be called within a tokio runtime.
    pub(crate) fn new(wire: Arc<Wire>, output: R, input: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (outbox, inbox) = mpsc::channel(OUTBOX);
        tokio::spawn(write_all(input, inbox, wire.input_closed.clone()));
        Self { lines: Lines::new(output, wire.message_limit()), wire, outbox, fresh: true }
    }
}

/// Writes messages whole, in order. A message is never cut, whoever stops waiting for it, until the input is closed.
async fn write_all(
    mut input: impl AsyncWrite + Unpin,
    mut inbox: mpsc::Receiver<Vec<u8>>,
    closed: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            message = inbox.recv() => message,
        };
        let Some(message) = message else { return };
        let written = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            written = async {
                input.write_all(&message).await?;
                input.flush().await
            } => written,
        };
        if written.is_err() {
            return;
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleClient> for StdioTransport<R> {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outbox = self.outbox.clone();
        let bytes = serde_json::to_vec(&message).map(|mut bytes| {
            bytes.push(b'\n');
            bytes
        });
        self.wire.note_sent(&message);
        async move { outbox.send(bytes?).await.map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe)) }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        if let Some(message) = self.wire.queued() {
            return Some(message);
        }
        loop {
            let probe = self.wire.probe_deadline();
            let event = tokio::select! {
                biased;
                () = self.wire.ended.cancelled() => return None,
                event = self.lines.next() => event,
                () = sleep_until(probe) => {
                    if let Some(message) = self.wire.answer_probe() {
                        return Some(message);
                    }
                    continue;
                }
            };
            let message = match event {
                LineEvent::Line => {
                    let line = self.lines.line();
                    let rest = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.fresh);
                    self.fresh = false;
                    self.wire.read_line(rest.unwrap_or(line))
                }
                LineEvent::TooLong => self.wire.read_too_long(self.lines.line()),
                LineEvent::Endless => self.wire.read_endless(),
                LineEvent::End => {
                    self.wire.ended.cancel();
                    None
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.wire.close();
        Ok(())
    }
}

async fn sleep_until(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
