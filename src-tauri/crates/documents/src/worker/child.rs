//! The child's side: requests in, documents out.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use super::wire::{Answer, Failure, Head, Request};
use super::{ARGUMENT, caught, confine, pulse};
use crate::{Document, PagePicture, ReadError};

/// Deep nesting is refused by the readers' bounds; this is for the parsers below them.
const STACK: usize = 256 << 20;
/// Signs of life come no closer than this.
const BEAT: Duration = Duration::from_millis(100);

/// Reads documents for the parent if `args` (without the program's name) begin with [`ARGUMENT`], else
/// returns `None` at once. To be called before anything else in `main`: what the program starts is outside of the bounds.
pub fn child_main(mut args: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if args.next()? != ARGUMENT {
        return None;
    }
    // The parent learns of panics from the answer.
    std::panic::set_hook(Box::new(|_| {}));
    let (requests, received) = sync_channel(1);
    let served = std::thread::Builder::new().stack_size(STACK).spawn(move || serve(&received));
    let beats = std::thread::Builder::new().spawn(beat);
    let watched = std::thread::Builder::new().spawn(move || watch(&requests));
    match (served, beats, watched) {
        (Ok(served), Ok(_), Ok(_)) => {
            let fine = served.join().is_ok_and(|result| result.is_ok());
            Some(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        _ => Some(ExitCode::FAILURE),
    }
}

/// Takes requests in. When there are no more the parent is gone, or does not need this process any longer.
fn watch(requests: &SyncSender<Request>) {
    let mut lines = BufReader::new(io::stdin()).lines();
    while let Some(Ok(line)) = lines.next() {
        let Ok(request) = serde_json::from_str(&line) else { break };
        if requests.send(request).is_err() {
            break;
        }
    }
    confine::end()
}

fn beat() {
    let mut told = 0;
    loop {
        std::thread::sleep(BEAT);
        let count = pulse::count();
        if count != told && send(&mut io::stdout().lock(), &Answer::Beat(count)).is_err() {
            confine::end();
        }
        told = count;
    }
}

fn serve(requests: &Receiver<Request>) -> io::Result<()> {
    let mut base = None;
    for (index, request) in requests.iter().enumerate() {
        // Not before: the bounds would forbid the threads that bring the requests.
        if index == 0 {
            if request.limits.recogniser.is_some() {
                super::recogniser_threads();
            }
            confine::at_start();
            base = confine::taken();
        }
        let path = Path::new(&request.path);
        confine::for_file(
            base,
            path.metadata().map_or(0, |data| data.len()),
            request.limits.recogniser.is_some(),
        );
        // Not before: whoever holds the output keeps the signs of life from the parent.
        let done = caught(|| carry_out(path, &request));
        let mut out = BufWriter::new(io::stdout().lock());
        match done {
            Ok(Done::Document(document)) => answer(&mut out, document)?,
            Ok(Done::Picture(picture)) => send(&mut out, &Answer::Picture(picture))?,
            Err(error) => send(&mut out, &Answer::Failed(Failure::from(error)))?,
        }
        out.flush()?;
    }
    Ok(())
}

/// What a request came to.
enum Done {
    Document(Document),
    Picture(PagePicture),
}

fn carry_out(path: &Path, request: &Request) -> Result<Done, ReadError> {
    let never = AtomicBool::new(false);
    match &request.draw {
        Some(page) => crate::draw(path, page, &request.limits, &never).map(Done::Picture),
        None => crate::read(path, request.format, &request.limits, &never).map(Done::Document),
    }
}

fn answer(out: &mut impl Write, document: Document) -> io::Result<()> {
    let Document { title, blocks, pages, scans, notes } = document;
    send(out, &Answer::Head(Head { title, pages, scans, notes }))?;
    for block in blocks {
        send(out, &Answer::Block(block))?;
    }
    send(out, &Answer::End)
}

fn send(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *out, answer)?;
    out.write_all(b"\n")?;
    // What a person waits for is a whole document; only signs of life go alone.
    if matches!(answer, Answer::Beat(_)) { out.flush() } else { Ok(()) }
}
