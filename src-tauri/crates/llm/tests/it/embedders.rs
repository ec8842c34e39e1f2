//! Embedders of services, against a loopback server that answers as they do.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use embeddings::{EmbedError, Embedder as _, Purpose, Service};
use llm::embeddings::{HttpEmbedder, RetryPolicy, Secret};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// What the server heard: the head in lower case, and the body.
struct Heard {
    head: String,
    body: Value,
}

/// An answer: status, further headers, body.
type Answer = (u16, String, String);

fn ok(body: Value) -> Answer {
    (200, String::new(), body.to_string())
}

fn request(stream: &TcpStream) -> Heard {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0, "the request broke off");
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Heard { head, body: serde_json::from_slice(&body).unwrap() }
}

/// Answers one connection after the other, and gives what it heard.
fn serve(answers: Vec<Answer>) -> (String, JoinHandle<Vec<Heard>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        answers
            .into_iter()
            .map(|(status, headers, body)| {
                let (mut stream, _) = listener.accept().unwrap();
                let heard = request(&stream);
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
                );
                // The client may have gone: it reads no more of an answer that is too long.
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
                heard
            })
            .collect()
    });
    (address, server)
}

const PATIENCE: RetryPolicy = RetryPolicy {
    tries: 3,
    wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(500),
    deadline: Duration::from_secs(20),
};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

fn open(runtime: &Runtime, service: Service, address: &str) -> Result<HttpEmbedder, EmbedError> {
    let keys = |name: &str| (name == "AGENTNATIVE_EMBEDDINGS_KEY").then(|| Secret::new("very-secret"));
    HttpEmbedder::open(service, "m", Some(address), &keys, runtime.handle(), PATIENCE, Arc::default())
}

fn answer(service: Service, vectors: &[[f64; 2]]) -> Answer {
    ok(match service {
        Service::Ollama => json!({ "model": "m", "embeddings": vectors, "total_duration": 7 }),
        // In another order than asked: the index tells.
        Service::OpenAi | Service::Voyage => {
            let rows = vectors.iter().enumerate().rev();
            json!({
                "object": "list",
                "data": rows.map(|(index, embedding)| json!({ "index": index, "embedding": embedding })).collect::<Vec<_>>(),
                "usage": { "total_tokens": 3 },
            })
        }
        Service::Gemini => {
            json!({ "embeddings": vectors.iter().map(|values| json!({ "values": values })).collect::<Vec<_>>() })
        }
    })
}

#[test]
fn each_service_is_asked_in_its_form_and_its_vectors_have_length_one() {
    let runtime = runtime();
    let gemini = ["a", " "].map(|text| {
        json!({ "model": "models/m", "content": { "parts": [{ "text": text }] }, "taskType": "RETRIEVAL_QUERY" })
    });
    let gemini = json!({ "requests": gemini });
    for (service, path, key, question) in [
        (
            Service::Ollama,
            "/base/api/embed",
            "authorization: bearer very-secret",
            json!({ "model": "m", "input": ["a", " "], "truncate": true }),
        ),
        (
            Service::OpenAi,
            "/base/embeddings",
            "authorization: bearer very-secret",
            json!({ "model": "m", "input": ["a", " "], "encoding_format": "float" }),
        ),
        (
            Service::Voyage,
            "/base/embeddings",
            "authorization: bearer very-secret",
            json!({ "model": "m", "input": ["a", " "], "input_type": "query", "truncation": true }),
        ),
        (Service::Gemini, "/base/models/m:batchembedcontents", "x-goog-api-key: very-secret", gemini),
    ] {
        let (address, server) =
            serve(vec![answer(service, &[[1.0, 0.0]]), answer(service, &[[3.0, 4.0], [0.0, -1e30]])]);
        let address = format!("{address}/base/");
        let embedder = open(&runtime, service, &address).unwrap();
        assert_eq!(embedder.model().id, format!("{}:m@{address}", service.scheme()));
        assert_eq!(embedder.model().dimensions, 2);
        assert!(!format!("{embedder:?}").contains("secret"));
        let vectors = embedder.embed(&["a", ""], Purpose::Query).unwrap();
        assert_eq!(vectors, [[0.6, 0.8], [0.0, -1.0]]);
        let heard = server.join().unwrap();
        assert!(heard[1].head.starts_with(&format!("post {path} http/1.1\r\n")), "{}", heard[1].head);
        assert!(heard[1].head.contains(key), "{}", heard[1].head);
        assert_eq!(heard[1].body, question);
    }
}

#[test]
fn many_texts_go_in_several_calls_and_come_back_in_order() {
    let runtime = runtime();
    let row = |n: usize| [1.0, n as f64];
    let rows = |numbers: std::ops::Range<usize>| numbers.map(row).collect::<Vec<_>>();
    let (address, server) = serve(vec![
        answer(Service::OpenAi, &[[1.0, 0.0]]),
        answer(Service::OpenAi, &rows(0..96)),
        answer(Service::OpenAi, &rows(96..100)),
    ]);
    let embedder = open(&runtime, Service::OpenAi, &address).unwrap();
    let vectors = embedder.embed(&["t"; 100], Purpose::Passage).unwrap();
    assert_eq!(vectors.len(), 100);
    assert!(vectors.iter().enumerate().all(|(n, vector)| (vector[1] / vector[0] - n as f32).abs() < 1e-3));
    assert_eq!(server.join().unwrap()[2].body["input"].as_array().unwrap().len(), 4);
}

#[test]
fn trouble_that_passes_is_waited_for_and_other_trouble_is_told() {
    let runtime = runtime();
    let good = answer(Service::OpenAi, &[[1.0, 0.0]]);
    let status = |status: u16, headers: &str| (status, headers.to_owned(), "very-secret".to_owned());
    let rows = |embedding: Value| ok(json!({ "data": [{ "index": 0, "embedding": embedding }] }));
    for (answers, expected) in [
        (vec![status(429, "retry-after: 0\r\n"), status(503, ""), good.clone()], Ok(())),
        (vec![status(500, ""), status(502, ""), status(503, "")], Err(("status 503", true))),
        (vec![status(429, "retry-after: 7200\r\n")], Err(("status 429", true))),
        (vec![status(401, "")], Err(("the key", false))),
        (vec![status(400, "")], Err(("status 400", false))),
        (vec![status(404, "")], Err(("model's name", false))),
        (vec![status(307, "location: http://127.0.0.1:9/\r\n")], Err(("redirects", false))),
        (vec![(200, String::new(), "<html>".into())], Err(("documented form", false))),
        (vec![ok(json!({ "data": [] }))], Err(("0 vectors for 1", false))),
        (vec![ok(json!({ "data": [{ "index": 3, "embedding": [1.0] }] }))], Err(("documented form", false))),
        (vec![rows(json!([]))], Err(("length", false))),
        (vec![rows(json!([0.0, 0.0]))], Err(("zeros", false))),
        (vec![rows(json!([null, 1.0]))], Err(("documented form", false))),
        (
            vec![(200, String::new(), r#"{"data":[{"index":0,"embedding":[NaN,1]}]}"#.into())],
            Err(("documented form", false)),
        ),
        (
            vec![(200, String::new(), r#"{"data":[{"index":0,"embedding":[1e39,1]}]}"#.into())],
            Err(("documented form", false)),
        ),
        (vec![(200, String::new(), " ".repeat((32 << 20) + 1))], Err(("longer than 32 MiB", false))),
    ] {
        let (address, server) = serve(answers);
        let opened = open(&runtime, Service::OpenAi, &address).map(|_| ());
        match (opened, expected) {
            (Ok(()), Ok(())) => {}
            (Err(EmbedError::Service { what, retryable, .. }), Err((words, again))) => {
                assert!(what.contains(words) && !what.contains("secret"), "{words}: {what}");
                assert_eq!(retryable, again, "{what}");
            }
            (opened, expected) => panic!("{opened:?} instead of {expected:?}"),
        }
        server.join().unwrap();
    }
}

#[test]
fn a_later_vector_of_another_length_is_refused() {
    let runtime = runtime();
    let longer = ok(json!({ "data": [{ "index": 0, "embedding": [1.0, 2.0, 3.0] }] }));
    let (address, server) = serve(vec![answer(Service::OpenAi, &[[1.0, 0.0]]), longer]);
    let embedder = open(&runtime, Service::OpenAi, &address).unwrap();
    let error = embedder.embed(&["a"], Purpose::Query).unwrap_err().to_string();
    assert!(error.contains("length 2"), "{error}");
    server.join().unwrap();
}

#[test]
fn a_service_that_does_not_answer_is_given_up_and_a_wish_to_stop_is_heard() {
    let runtime = runtime();
    // The system takes connections; nobody answers.
    let silent = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        (listener, address)
    };
    let open = |address: &str, patience, cancel: Arc<AtomicBool>| {
        HttpEmbedder::open(Service::Ollama, "m", Some(address), &|_| None, runtime.handle(), patience, cancel)
            .unwrap_err()
    };
    let short = RetryPolicy { deadline: Duration::from_millis(30), ..PATIENCE };
    let (_listener, address) = silent();
    let error = open(&address, short, Arc::default());
    assert!(
        matches!(&error, EmbedError::Service { what, retryable: true, .. } if what.contains("no answer"))
    );
    let cancel = Arc::new(AtomicBool::new(false));
    let (listener, address) = silent();
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| open(&address, PATIENCE, cancel.clone()));
        let connection = listener.accept().unwrap();
        cancel.store(true, Ordering::Relaxed);
        let error = waiting.join().unwrap();
        drop(connection);
        error
    });
    assert!(matches!(waiting, EmbedError::Cancelled));
}

#[test]
fn keys_travel_neither_in_the_clear_nor_to_other_addresses() {
    let runtime = runtime();
    let asked = std::sync::Mutex::new(Vec::new());
    let keys = |name: &str| {
        asked.lock().unwrap().push(name.to_owned());
        None
    };
    let open = |service, address| {
        HttpEmbedder::open(service, "m", address, &keys, runtime.handle(), PATIENCE, Arc::default())
            .unwrap_err()
            .to_string()
    };
    for address in ["http://example.org", "http://127.0.0.1.example", "ftp://127.0.0.1", "x"] {
        let error = open(Service::OpenAi, Some(address));
        assert!(error.contains("https://"), "{error}");
    }
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    for (service, variable) in [
        (Service::OpenAi, "OPENAI_API_KEY"),
        (Service::Voyage, "VOYAGE_API_KEY"),
        (Service::Gemini, "GEMINI_API_KEY"),
    ] {
        let error = open(service, None);
        assert!(error.contains(&format!("set {variable}")), "{error}");
    }
    // Nothing listens there; what matters is which key was wanted.
    open(Service::OpenAi, Some("http://127.0.0.1:1"));
    assert_eq!(
        *asked.lock().unwrap(),
        ["OPENAI_API_KEY", "VOYAGE_API_KEY", "GEMINI_API_KEY", "AGENTNATIVE_EMBEDDINGS_KEY"]
    );
    assert_eq!(format!("{:?}", Secret::new("x")), "Secret(…)");
}
