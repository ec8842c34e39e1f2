//! A loopback server that answers as a test says, and a protocol of a few words to speak with it.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::Usage;
use domain::connection::{Auth, Connection, ProviderKind};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use llm::http::{Credential, Fixed, connect_with, retry_after};
use llm::wire::{AuthScheme, Call, Codec, Frame, Framing, Reader, Refusal, Target};
use llm::{
    Fault, Message, ModelAnswer, ModelInfo, ModelRequest, Provider, ProviderError, StopReason, StreamEvent,
};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rustls::ServerConfig;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

pub const KEY: &str = "sk-canary-0123456789";

/// What a server does with a request, in order. Afterwards the connection is closed, unless the last said how long the
/// body is.
#[derive(Debug, Clone)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits.
    Pause(Duration),
    /// Waits for the next request on the same connection.
    Keep,
    /// Waits until the client is gone, and says so.
    Hang,
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// `POST /v1/say HTTP/1.1`.
    pub line: String,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// Of which connection, counted from zero.
    pub connection: usize,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Answers one request after the other with one script after the other.
pub struct Server {
    pub at: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    gone: mpsc::UnboundedReceiver<()>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(scripts: Vec<Vec<Act>>) -> Self {
        Self::serve(scripts, None).await
    }

    pub async fn start_tls(scripts: Vec<Vec<Act>>, tls: ServerConfig) -> Self {
        Self::serve(scripts, Some(Arc::new(tls))).await
    }

    async fn serve(scripts: Vec<Vec<Act>>, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (tell, gone) = mpsc::unbounded_channel();
        let scripts = Arc::new(Mutex::new(VecDeque::from(scripts)));
        let all = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            for number in 0.. {
                let (socket, _) = listener.accept().await.unwrap();
                let (seen, scripts, tell, tls) =
                    (Arc::clone(&all), Arc::clone(&scripts), tell.clone(), tls.clone());
                tokio::spawn(async move {
                    let _ = match tls {
                        None => speak(socket, number, &seen, &scripts, &tell).await,
                        Some(tls) => match tokio_rustls::TlsAcceptor::from(tls).accept(socket).await {
                            Ok(socket) => speak(socket, number, &seen, &scripts, &tell).await,
                            Err(error) => Err(error),
                        },
                    };
                });
            }
        });
        Self { at, seen, gone, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Until a hanging answer's client is gone.
    pub async fn gone(&mut self) {
        tokio::time::timeout(Duration::from_secs(20), self.gone.recv()).await.unwrap().unwrap();
    }
}

async fn speak<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: S,
    connection: usize,
    seen: &Mutex<Vec<Seen>>,
    scripts: &Mutex<VecDeque<Vec<Act>>>,
    gone: &mpsc::UnboundedSender<()>,
) -> io::Result<()> {
    while let Some(mut request) = read(&mut socket).await? {
        request.connection = connection;
        seen.lock().unwrap().push(request);
        let script = scripts.lock().unwrap().pop_front().unwrap_or_default();
        let mut keep = false;
        for act in script {
            match act {
                Act::Send(bytes) => {
                    socket.write_all(&bytes).await?;
                    socket.flush().await?;
                }
                Act::Pause(time) => tokio::time::sleep(time).await,
                Act::Keep => keep = true,
                Act::Hang => {
                    let mut byte = [0];
                    while socket.read(&mut byte).await.is_ok_and(|read| read > 0) {}
                    let _ = gone.send(());
                }
            }
        }
        if !keep {
            break;
        }
    }
    socket.shutdown().await
}

/// Reads one request.
pub async fn read<S: AsyncRead + Unpin>(socket: &mut S) -> io::Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if socket.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(Seen { line, headers, body: String::from_utf8(body).unwrap(), connection: 0 }))
}

pub fn send(bytes: impl Into<Vec<u8>>) -> Act {
    Act::Send(bytes.into())
}

/// A whole answer.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<Act> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
    vec![send(head), send(body), Act::Keep]
}

/// The head of a stream that ends with its connection.
pub fn stream_head() -> Act {
    send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_7\r\n\r\n")
}

/// The event of one word.
pub fn word(text: &str) -> Act {
    send(format!("data: {}\n\n", json!({"text": text})))
}

pub fn done() -> Act {
    send("data: {\"done\": true}\n\n")
}

/// A stream of words, whole.
pub fn words(texts: &[&str]) -> Vec<Act> {
    let mut acts = vec![stream_head()];
    acts.extend(texts.iter().map(|text| word(text)));
    acts.push(done());
    acts
}

/// The protocol: `{"started"}`, `{"text"}`, `{"done"}`, `{"error"}`.
#[derive(Debug)]
pub struct Words(pub Framing);

pub static SSE: Words = Words(Framing::Sse);
pub static LINES: Words = Words(Framing::Lines);

struct WordsReader {
    text: String,
}

fn call(path: &str, body: Option<String>) -> Call {
    Call { path: path.to_owned(), query: Vec::new(), headers: Vec::new(), body }
}

impl Codec for Words {
    fn kind(&self) -> ProviderKind {
        ProviderKind::OpenaiChat
    }

    fn home(&self) -> Option<&'static str> {
        None
    }

    fn framing(&self) -> Framing {
        self.0
    }

    fn credential(
        &self,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        let value = HeaderValue::from_str(&format!("Bearer {}", secret.expose_secret()));
        let value = value.map_err(|_| ProviderError::new("words", Fault::Auth, "that is no key"))?;
        let mut headers = vec![(AUTHORIZATION, value)];
        if bearing == AuthScheme::Oauth {
            headers.push((HeaderName::from_static("x-beta"), HeaderValue::from_static("oauth-1")));
        }
        Ok(headers)
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        let mut call =
            call("v1/say", Some(json!({"model": target.model.id, "system": request.system}).to_string()));
        call.query.push(("alt", "sse".to_owned()));
        call.headers.push((HeaderName::from_static("x-version"), HeaderValue::from_static("3")));
        Ok(call)
    }

    fn reader(&self, _request: &ModelRequest, _target: Target<'_>) -> Box<dyn Reader> {
        Box::new(WordsReader { text: String::new() })
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        let retry_after_ms = retry_after(refusal.headers);
        let fault = match refusal.status {
            401 => Fault::Auth,
            403 => Fault::Permission,
            429 => Fault::RateLimit { retry_after_ms },
            500.. => Fault::Overloaded { retry_after_ms },
            _ => Fault::BadRequest,
        };
        ProviderError::new("words", fault, format!("status {}: {}", refusal.status, refusal.body))
    }

    fn list(&self) -> Option<Call> {
        Some(call("v1/models", None))
    }

    fn list_after(&self, body: &Value) -> Option<Call> {
        let after = body["after"].as_str()?.to_owned();
        Some(Call { query: vec![("after", after)], ..call("v1/models", None) })
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        let names = body["models"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(|name| ModelInfo::free(name, "words", 500, 50)).collect()
    }

    fn count(&self, request: &ModelRequest, _target: Target<'_>) -> Option<Result<Call, ProviderError>> {
        Some(Ok(call("v1/count", Some(json!({"system": request.system}).to_string()))))
    }

    fn counted(&self, body: &Value) -> Option<u64> {
        body["tokens"].as_u64()
    }
}

impl Reader for WordsReader {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let value: Value = serde_json::from_str(&frame.data)
            .map_err(|_| ProviderError::new("words", Fault::Malformed, "an event is no JSON"))?;
        if let Some(error) = value["error"].as_str() {
            return Err(ProviderError::new("words", Fault::Overloaded { retry_after_ms: None }, error));
        }
        if let Some(id) = value["started"].as_str() {
            return Ok(vec![StreamEvent::Started { response_id: Some(id.to_owned()) }]);
        }
        if let Some(text) = value["text"].as_str() {
            self.text.push_str(text);
            return Ok(vec![StreamEvent::Text(text.to_owned())]);
        }
        if value["done"] == true {
            let text = std::mem::take(&mut self.text);
            let answer = ModelAnswer::of_text(text, "m", Usage::default(), StopReason::EndTurn);
            return Ok(vec![StreamEvent::Finished(answer)]);
        }
        Ok(Vec::new())
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        Err(ProviderError::new("words", Fault::StreamCut, "the stream ended too early"))
    }
}

/// A connection to an address, with a key.
pub fn connection(url: &str) -> Connection {
    let mut connection = Connection::new("mine", ProviderKind::OpenaiChat);
    connection.base_url = Some(url.to_owned());
    connection.auth = Auth::Key { env: None };
    connection.default_model = Some("m".to_owned());
    connection
}

pub fn key() -> Arc<dyn Credential> {
    Arc::new(Fixed(Some(SecretString::from(KEY))))
}

pub fn open(connection: Connection) -> Arc<dyn Provider> {
    connect_with(&SSE, connection, key()).unwrap_or_else(|error| panic!("{error}"))
}

pub fn request() -> ModelRequest {
    ModelRequest {
        model: "m".to_owned(),
        system: "Say it.".to_owned(),
        messages: vec![Message::user("Now.")],
        max_output_tokens: 100,
        ..ModelRequest::default()
    }
}

/// Every event of an answer, and how it failed, where it did.
pub async fn events(provider: &dyn Provider) -> (Vec<StreamEvent>, Option<ProviderError>) {
    let mut stream = provider.stream(request());
    let (mut events, mut failure) = (Vec::new(), None);
    while let Some(event) = stream.next().await {
        assert_eq!(failure, None, "nothing follows an error");
        match event {
            Ok(event) => events.push(event),
            Err(error) => failure = Some(error),
        }
    }
    (events, failure)
}

/// The text of an answer.
pub async fn text(provider: &dyn Provider) -> Result<String, ProviderError> {
    match events(provider).await {
        (events, None) => match events.last() {
            Some(StreamEvent::Finished(answer)) => Ok(answer.text.clone()),
            other => panic!("the last event is {other:?}"),
        },
        (_, Some(error)) => {
            assert!(!error.to_string().contains(KEY), "an error holds the key: {error}");
            Err(error)
        }
    }
}

/// Secrets one after the other; counts how often it is asked.
pub struct Renewing {
    pub secrets: Mutex<VecDeque<&'static str>>,
    pub renewals: Mutex<usize>,
}

impl Credential for Renewing {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        let current = self.secrets.lock().unwrap().front().copied().map(SecretString::from);
        Box::pin(std::future::ready(Ok(current)))
    }

    fn renewed(&self, refused: &SecretString) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        *self.renewals.lock().unwrap() += 1;
        let mut secrets = self.secrets.lock().unwrap();
        assert_eq!(secrets.pop_front(), Some(refused.expose_secret()));
        let next = secrets.front().copied().map(SecretString::from);
        Box::pin(std::future::ready(Ok(next)))
    }
}
