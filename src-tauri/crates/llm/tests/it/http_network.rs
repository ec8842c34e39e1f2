//! Connections that can't be made, redirects, proxies and certificates.

use std::sync::Arc;

use domain::connection::{Auth, Connection, ProviderKind};
use llm::http::{Fixed, address, connect, connect_knowing, connect_with};
use llm::{Detail, Fault, ModelInfo, Provider, ProviderError, Retry};
use pretty_assertions::assert_eq;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::http_rig::{KEY, SSE, Seen, Server, answer, connection, key, open, read, send, text, words};

/// An issuer that nobody trusts, and what it signs.
struct Issuer(CertifiedIssuer<'static, KeyPair>);

impl Issuer {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A server's side of TLS under a name, valid for these years.
    fn serves(&self, name: &str, from: i32, to: i32) -> ServerConfig {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(to, 1, 1);
        let own = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&own, &self.0).unwrap();
        let private = PrivateKeyDer::try_from(own.serialize_der()).unwrap();
        ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)
            .unwrap()
    }

    /// Its certificate in a file.
    fn file(&self, folder: &TempDir) -> String {
        let file = folder.path().join("company.pem");
        std::fs::write(&file, self.0.pem()).unwrap();
        file.to_str().unwrap().to_owned()
    }
}

async fn failure(connection: Connection) -> ProviderError {
    text(&*open(connection)).await.unwrap_err()
}

fn refused(connection: Connection) -> ProviderError {
    let error = connect_with(&SSE, connection, key()).err().unwrap();
    assert_eq!(
        (error.fault, error.detail, error.retry()),
        (Fault::BadRequest, Some(Detail::Settings), Retry::Never)
    );
    error
}

/// A proxy for one request: gives what it was asked and passes it on.
async fn proxy(to: Option<std::net::SocketAddr>) -> (String, tokio::task::JoinHandle<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap().to_string();
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let seen = read(&mut socket).await.unwrap().unwrap();
        match to {
            Some(to) => {
                let mut other = TcpStream::connect(to).await.unwrap();
                socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let _ = copy_bidirectional(&mut socket, &mut other).await;
            }
            None => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let body = "data: {\"text\": \"by proxy\"}\n\ndata: {\"done\": true}\n\n";
                socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            }
        }
        seen
    });
    (at, task)
}

#[tokio::test]
async fn a_redirect_is_refused_and_the_key_goes_nowhere_else() {
    let other = Server::start(vec![words(&["stolen"])]).await;
    let elsewhere = format!("location: http://me:pw@{}/v1/say?token=1\r\n", other.at);
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let server = Server::start(vec![answer(status, &elsewhere, "")]).await;
        let error = failure(connection(&server.url())).await;
        assert_eq!((error.fault, error.detail), (Fault::BadRequest, Some(Detail::Redirect)));
        assert!(error.message.contains(&format!("http://{}/v1/say;", other.at)), "{error}");
        assert!(!error.message.contains("pw") && !error.message.contains("token"), "{error}");
    }
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn nobody_listening_and_no_name_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    let error = failure(connection(&format!("http://{free}"))).await;
    assert_eq!((error.fault, error.detail), (Fault::Network, Some(Detail::Refused)), "{error}");
    assert!(error.message.contains("127.0.0.1"), "{error}");
    let mut unknown = connection("https://no-such-host.invalid");
    unknown.proxy = Some("none".to_owned());
    let error = failure(unknown).await;
    assert_eq!((error.fault, error.detail), (Fault::Network, Some(Detail::Dns)), "{error}");
    assert_eq!(error.retry(), Retry::After(None));
}

#[tokio::test]
async fn a_server_that_hangs_up_is_told_as_that() {
    let server = Server::start(vec![vec![], vec![send("HTTP/1.1 200 OK\r\ncontent-")]]).await;
    for _ in 0..2 {
        let error = failure(connection(&server.url())).await;
        assert_eq!((error.fault, error.detail), (Fault::Network, Some(Detail::Reset)), "{error}");
    }
}

#[tokio::test]
async fn certificates_that_are_not_trusted_are_told_apart() {
    let (issuer, folder) = (Issuer::new(), TempDir::new().unwrap());
    let trusted = issuer.file(&folder);
    for (name, from, to, file, detail) in [
        ("localhost", 2020, 2060, None, Detail::Tls),
        ("other.test", 2020, 2060, Some(&trusted), Detail::Tls),
        ("localhost", 2020, 2021, Some(&trusted), Detail::Clock),
        ("localhost", 2059, 2060, Some(&trusted), Detail::Clock),
    ] {
        let server = Server::start_tls(vec![words(&["a"])], issuer.serves(name, from, to)).await;
        let mut connection = connection(&format!("https://localhost:{}", server.at.port()));
        connection.ca_file = file.cloned();
        let error = failure(connection).await;
        assert_eq!((error.fault, error.detail), (Fault::Network, Some(detail)), "{error}");
        assert_eq!(server.seen().len(), 0);
    }
}

#[tokio::test]
async fn a_companys_certificate_is_trusted_besides_the_systems() {
    let (issuer, folder) = (Issuer::new(), TempDir::new().unwrap());
    let server = Server::start_tls(vec![words(&["a"])], issuer.serves("localhost", 2020, 2060)).await;
    let mut connection = connection(&format!("https://localhost:{}", server.at.port()));
    connection.ca_file = Some(issuer.file(&folder));
    assert_eq!(text(&*open(connection)).await.unwrap(), "a");
}

#[tokio::test]
async fn a_file_without_certificates_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.pem");
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (content, part) in [(None, "can't be read"), (Some(""), "no certificates"), (Some(broken), "set up")]
    {
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        let mut connection = connection("https://models.example");
        connection.ca_file = Some(file.to_str().unwrap().to_owned());
        let error = refused(connection);
        assert!(error.message.contains(part), "{error}");
    }
}

#[tokio::test]
async fn tls_where_there_is_none_is_told_as_another_protocol() {
    let server = Server::start(vec![]).await;
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = plain.local_addr().unwrap().port();
    let task = tokio::spawn(async move {
        let (mut socket, _) = plain.accept().await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let error = failure(connection(&format!("https://localhost:{port}"))).await;
    assert_eq!(error.detail, Some(Detail::WrongProtocol), "{error}");
    task.await.unwrap();
    drop(server);
}

#[tokio::test]
async fn a_proxy_carries_what_is_sent_in_the_clear() {
    let (at, asked) = proxy(None).await;
    let mut connection = connection("http://models.test/base");
    connection.proxy = Some(format!("http://{at}"));
    assert_eq!(text(&*open(connection)).await.unwrap(), "by proxy");
    assert_eq!(asked.await.unwrap().line, "POST http://models.test/base/v1/say?alt=sse HTTP/1.1");
}

#[tokio::test]
async fn a_proxy_sees_only_the_host_of_what_is_sent_by_tls() {
    let (issuer, folder) = (Issuer::new(), TempDir::new().unwrap());
    let server = Server::start_tls(vec![words(&["a"])], issuer.serves("models.test", 2020, 2060)).await;
    let (at, asked) = proxy(Some(server.at)).await;
    let mut connection = connection("https://models.test");
    connection.ca_file = Some(issuer.file(&folder));
    connection.proxy = Some(format!("http://{at}"));
    assert_eq!(text(&*open(connection)).await.unwrap(), "a");
    let asked = asked.await.unwrap();
    assert_eq!(asked.line, "CONNECT models.test:443 HTTP/1.1");
    assert!(!format!("{asked:?}").contains(KEY));
    assert_eq!(server.seen()[0].header("authorization"), Some(&*format!("Bearer {KEY}")));
}

#[tokio::test]
async fn a_proxy_that_is_not_there_or_refuses_is_told_as_the_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    let denying = Server::start(vec![answer("403 Forbidden", "", "")]).await;
    for at in [free, denying.at] {
        let mut connection = connection("https://models.test");
        connection.proxy = Some(format!("http://{at}"));
        let error = failure(connection).await;
        assert_eq!((error.fault, error.detail), (Fault::Network, Some(Detail::Proxy)), "{error}");
    }
}

#[tokio::test]
async fn a_connection_that_cant_be_meant_is_refused_when_it_is_opened() {
    let with = |change: &dyn Fn(&mut Connection)| {
        let mut connection = connection("https://models.example");
        change(&mut connection);
        refused(connection).message
    };
    assert!(with(&|c| c.base_url = None).contains("no address"));
    assert!(with(&|c| c.base_url = Some("http://models.example".into())).contains("http is taken only"));
    assert!(with(&|c| c.proxy = Some("ftp://x".into())).contains("proxy"));
    assert!(with(&|c| drop(c.headers.insert("x-api-key".into(), "a".into()))).contains("secret"));
}

#[tokio::test]
async fn a_connection_without_a_credential_presents_none() {
    let server = Server::start(vec![words(&["a"]), words(&["b"])]).await;
    let mut nobody = connection(&server.url());
    nobody.auth = Auth::None;
    assert_eq!(text(&*open(nobody)).await.unwrap(), "a");
    let empty = connect_with(&SSE, connection(&server.url()), Arc::new(Fixed(None))).unwrap();
    assert_eq!(text(&*empty).await.unwrap(), "b");
    assert!(server.seen().iter().all(|seen| seen.header("authorization").is_none()));
}

#[test]
fn what_was_listed_earlier_is_known_when_a_connection_is_opened() {
    let connection = connection("https://models.example/v1");
    let listed = vec![ModelInfo::free("house", "words", 777, 70)];
    let provider = connect_knowing(connection.clone(), key(), listed).unwrap();
    assert_eq!(provider.model("house").context_window, 777);
    assert_eq!(address(&connection).unwrap().as_str(), "https://models.example/v1/");
}

#[test]
fn every_protocol_of_the_program_can_be_connected() {
    for kind in ProviderKind::ALL {
        if kind == ProviderKind::Offline {
            continue;
        }
        let mut connection = Connection::new("mine", kind);
        connection.base_url = Some("https://models.example".to_owned());
        connect(connection, Arc::new(Fixed(None)))
            .map(|provider: Arc<dyn Provider>| provider.default_model())
            .unwrap();
    }
}

#[test]
fn the_offline_engine_is_no_connection() {
    let refused = connect(Connection::new("mine", ProviderKind::Offline), Arc::new(Fixed(None)));
    assert!(refused.err().unwrap().message.contains("offline engine"));
}
