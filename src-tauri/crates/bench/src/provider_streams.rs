//! Answers of model providers over HTTP: how fast events are decoded, how long one takes from the socket to its reader,
//! and what many streams at once cost.
//!
//! The server is a process of its own, so that its work does not count.

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use domain::connection::{Connection, ProviderKind};
use futures_util::StreamExt as _;
use futures_util::future::try_join_all;
use llm::http::frames::Decoder;
use llm::http::{Fixed, connect};
use llm::wire::Framing;
use llm::{Message, ModelRequest, Provider, StreamEvent};

use crate::figure::Figure;
use crate::{Bench, Outcome};

/// Bytes of events that are decoded.
const BODY: usize = 32_000_000;
/// Bytes that arrive at once: what a socket gives.
const CHUNK: usize = 16_384;
const ROUNDS: usize = 5;
/// Events of one streamed answer.
const EVENTS: u32 = 1_000;
/// From one event to the next: 200 a second.
const GAP: Duration = Duration::from_millis(5);
const STREAMS: usize = 20;
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// Kills what it started when dropped.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The figures of the group.
pub async fn measure(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut figures = decoding(bench)?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg("--serve-streams")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().ok_or("no standard output")?;
    let _served = Served(child);
    let mut address = String::new();
    BufReader::new(stdout).read_line(&mut address)?;
    let mut connection = Connection::new("bench", ProviderKind::OpenaiChat);
    connection.base_url = Some(format!("http://{}", address.trim()));
    let provider = connect(connection, Arc::new(Fixed(None)))?;
    figures.push(latency(&*provider).await?);
    figures.extend(share(&*provider).await?);
    Ok(figures)
}

/// Decoding with owned events, beside the npm package that most programs use, on the same bytes in the same run.
fn decoding(bench: &Bench) -> Outcome<Vec<Figure>> {
    let mut body = Vec::with_capacity(BODY + 256);
    let words = ["The", " auditor", " weighs", " \u{e9}vidence", ","];
    for word in words.iter().cycle() {
        if body.len() >= BODY {
            break;
        }
        write!(
            body,
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{word}\"}}}}\n\n"
        )?;
    }
    let mut best = f64::INFINITY;
    let mut count = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let (mut decoder, mut frames) = (Decoder::new(Framing::Sse), Vec::new());
        count = 0;
        for chunk in body.chunks(CHUNK) {
            decoder.push(chunk, &mut frames)?;
            count += std::hint::black_box(&frames).len();
            frames.clear();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let speed = |seconds: f64| body.len() as f64 / 1e6 / seconds;
    let mut figures = vec![Figure::plain("llm.sse-decoding", speed(best), "MB/s").at_least(400.0)];
    if let Some(script) = &bench.sse_baseline {
        let folder = bench.scratch()?;
        let file = folder.path().join("body.sse");
        fs::write(&file, &body)?;
        let other = baseline(script, &file, count)?;
        let value = best * 1_000.0;
        figures.push(Figure::plain("llm.sse-decoding-32MB", value, "ms").beside(other).ratio_at_most(1.0));
    }
    Ok(figures)
}

/// Milliseconds of the other decoder; it has to give as many events.
fn baseline(script: &Path, file: &Path, count: usize) -> Outcome<f64> {
    let arguments = [CHUNK.to_string(), ROUNDS.to_string()];
    let output = Command::new("node").arg(script).arg(file).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("{}: {}", script.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let (ms, events) = text.trim().split_once(' ').ok_or("the other decoder printed no figures")?;
    if events.parse::<usize>()? != count {
        return Err(format!("{count} events here, {events} from the other decoder").into());
    }
    Ok(ms.parse()?)
}

/// From the moment an event is written to a socket until its text is out of the stream, while 200 a second come.
async fn latency(provider: &dyn Provider) -> Outcome<Figure> {
    let mut stream = provider.stream(request());
    let mut times = Vec::new();
    while let Some(event) = stream.next().await {
        if let StreamEvent::Text(text) = event? {
            let written: u64 = text.trim().parse()?;
            times.push(now().saturating_sub(written) as f64 / 1e6);
        }
    }
    if times.len() != EVENTS as usize {
        return Err(format!("{} of {EVENTS} events arrived", times.len()).into());
    }
    times.sort_by(f64::total_cmp);
    let p95 = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    Ok(Figure::plain("llm.delta-latency-p95", p95, "ms").at_most(1.0))
}

/// The processor's time of this process while streams run, as a share of one core. Nothing where the system does not
/// say it.
async fn share(provider: &dyn Provider) -> Outcome<Vec<Figure>> {
    let Some(before) = processor() else { return Ok(Vec::new()) };
    let start = Instant::now();
    let streams = (0..STREAMS).map(|_| async {
        let mut stream = provider.stream(request());
        let mut texts = 0;
        while let Some(event) = stream.next().await {
            texts += u32::from(matches!(event?, StreamEvent::Text(_)));
        }
        Ok::<u32, Box<dyn Error + Send + Sync>>(texts)
    });
    let texts: u32 = try_join_all(streams).await?.into_iter().sum();
    let wall = start.elapsed();
    let used = processor().unwrap_or(before).saturating_sub(before);
    if texts != EVENTS * STREAMS as u32 {
        return Err(format!("{texts} events of {STREAMS} streams arrived").into());
    }
    let share = used.as_secs_f64() / wall.as_secs_f64() * 100.0;
    Ok(vec![Figure::plain("llm.20-streams-cpu", share, "% of a core").at_most(25.0)])
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "bench".to_owned(),
        messages: vec![Message::user("Go on.")],
        max_output_tokens: 4_000,
        ..ModelRequest::default()
    }
}

/// The processor's time that this process has used.
fn processor() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may hold anything: fields 14 and 15 in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// The server: prints its address, answers every request with the same stream, ends when its standard input does.
pub fn serve() -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            std::thread::spawn(move || answer(socket));
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn answer(mut socket: TcpStream) -> Outcome<()> {
    socket.set_nodelay(true)?;
    let mut request = Vec::new();
    let mut piece = [0; 4_096];
    // The body ends with the JSON object's brace, and it is the only request of its connection.
    while !(request.windows(4).any(|four| four == b"\r\n\r\n") && request.ends_with(b"}")) {
        match socket.read(&mut piece)? {
            0 => return Ok(()),
            read => request.extend_from_slice(piece.get(..read).unwrap_or_default()),
        }
    }
    socket.write_all(HEAD.as_bytes())?;
    let event = |content: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1795167677,\"model\":\"bench\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let start = Instant::now();
    for number in 1..=EVENTS {
        std::thread::sleep((start + GAP * number).saturating_duration_since(Instant::now()));
        socket.write_all(event(&format!(" {}", now()), "null").as_bytes())?;
    }
    socket.write_all(format!("{}data: [DONE]\n\n", event("", "\"stop\"")).as_bytes())?;
    Ok(())
}
