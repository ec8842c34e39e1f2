//! Fetching a file so that it is either whole, or goes on later where it stopped.
//!
//! What has come so far is `<name>.part`; beside it `<name>.part.json` says which version of the file it is the
//! beginning of. A resumed request names that version (`If-Range`, RFC 9110 section 13.1.5), so that a file that
//! changed in between is fetched anew and never glued together of two versions.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::Digest;
use reqwest::header::{
    ACCEPT_ENCODING, CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, LAST_MODIFIED, LOCATION, RANGE,
};
use reqwest::{Client, Response, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use url::Url;

use crate::address::{AddressError, allowed};
use crate::receipt::{Receipt, place};

/// A file to fetch.
#[derive(Debug, Clone)]
pub struct Download {
    /// Where it is.
    pub address: Url,
    /// Where it goes. The folder is made when it is missing.
    pub file: PathBuf,
    /// What its bytes must be, where that is known.
    pub sha256: Option<Digest>,
    /// Most bytes taken.
    pub most_bytes: u64,
    /// Now, in milliseconds since 1970, for the receipt.
    pub now_ms: i64,
}

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes there, those of earlier attempts included.
    pub bytes: u64,
    /// Bytes in all, where the server says.
    pub of: Option<u64>,
}

/// Why a file was not fetched. What came so far is kept, where it is of use.
#[derive(Debug, Error)]
pub enum DownloadError {
    /// The address may not be fetched.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The server cannot be reached at all.
    #[error("{host} cannot be reached ({what}). Without a network, fetch {address} on another machine")]
    NoNetwork {
        /// The server.
        host: String,
        /// What the system says.
        what: String,
        /// The address.
        address: String,
    },
    /// The server has no such file, or does not give it.
    #[error("{address} answered {status}: {remedy}")]
    Refused {
        /// The address.
        address: String,
        /// The status code.
        status: u16,
        /// What to do.
        remedy: &'static str,
    },
    /// The connection ended too early, again and again.
    #[error("the connection ended after {bytes} bytes ({what}): start again to go on from there")]
    Interrupted {
        /// Bytes that are there.
        bytes: u64,
        /// What the system says.
        what: String,
    },
    /// More bytes than are taken.
    #[error("the file is larger than {limit} bytes: not taken")]
    TooLarge {
        /// The bound.
        limit: u64,
    },
    /// The bytes are not those that the registry names.
    #[error(
        "the file's SHA-256 is {found}, expected {expected}: it was changed on the way or at its source, and is not used"
    )]
    Changed {
        /// What was expected.
        expected: Digest,
        /// What came.
        found: Digest,
    },
    /// Redirected too often.
    #[error("{0} leads from address to address without end")]
    Redirects(String),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The connection could not be set up.
    #[error("the connection could not be set up: {0}")]
    Setup(String),
    /// The caller asked to stop; what came so far is kept.
    #[error("cancelled; what came so far is kept")]
    Cancelled,
}

impl DownloadError {
    /// Whether its message ends with how a person fetches the file without this program.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::NoNetwork { .. } | Self::Refused { status: 401 | 403, .. })
    }
}

const REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(20);
/// The longest wait for the next bytes.
const POLL_AFTER: Duration = Duration::from_secs(60);
/// How often a broken transfer is taken up again by itself.
const ATTEMPTS: u32 = 4;

/// Fetches files.
pub struct Downloader {
    client: Client,
    pause: Duration,
}

/// Which version of a file the bytes so far belong to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PartialFile {
    address: String,
    version: String,
}

/// Why one attempt ended.
enum AttemptEnd {
    /// Worth another attempt.
    Broken(String),
    /// The bytes so far are of no use.
    Stale,
    Final(DownloadError),
}

impl From<DownloadError> for AttemptEnd {
    fn from(error: DownloadError) -> Self {
        Self::Final(error)
    }
}

impl Downloader {
    /// A downloader with the program's connection settings.
    pub fn new() -> Result<Self, DownloadError> {
        // Fails when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .read_timeout(POLL_AFTER)
            .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| DownloadError::Setup(cause(&error)))?;
        Ok(Self { client, pause: Duration::from_secs(1) })
    }

    /// The same downloader with another wait before it takes up a broken transfer.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    /// Fetches a file, or goes on where an earlier attempt stopped. A file that is there with a receipt for this
    /// address and the right bytes is not fetched again.
    pub async fn fetch(
        &self,
        what: &Download,
        progress: &mut (dyn FnMut(Progress) + Send),
        cancel: &AtomicBool,
    ) -> Result<Receipt, DownloadError> {
        if let Some(receipt) = there(what)? {
            return Ok(receipt);
        }
        if let Some(folder) = what.file.parent() {
            fs::create_dir_all(folder).map_err(disk(folder))?;
        }
        let part = beside(&what.file, ".part");
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.attempt(what, &part, progress, cancel).await {
                Ok((answered_by, last_modified)) => return finish(what, &part, answered_by, last_modified),
                Err(AttemptEnd::Final(error)) => return Err(error),
                Err(AttemptEnd::Stale) if attempt < ATTEMPTS => remove(&part)?,
                Err(AttemptEnd::Broken(_)) if attempt < ATTEMPTS => {
                    tokio::time::sleep(self.pause * attempt).await
                }
                Err(AttemptEnd::Broken(what)) => {
                    return Err(DownloadError::Interrupted { bytes: length(&part), what });
                }
                Err(AttemptEnd::Stale) => {
                    let what = "the file changes while it is fetched".into();
                    return Err(DownloadError::Interrupted { bytes: 0, what });
                }
            }
        }
    }

    async fn attempt(
        &self,
        what: &Download,
        part: &Path,
        progress: &mut (dyn FnMut(Progress) + Send),
        cancel: &AtomicBool,
    ) -> Result<(Url, Option<String>), AttemptEnd> {
        let begun_path = beside(&what.file, ".part.json");
        let begun: Option<PartialFile> = fs::read(&begun_path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|begun: &PartialFile| begun.address == what.address.as_str());
        let mut there = if begun.is_some() { length(part) } else { 0 };
        let (mut answer, answered_by) =
            self.ask(what, begun.as_ref().filter(|_| there > 0).map(|begun| (there, begun))).await?;
        match answer.status() {
            StatusCode::OK => there = 0,
            StatusCode::PARTIAL_CONTENT if starts_at(answer.headers(), there) => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => return Err(AttemptEnd::Stale),
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(AttemptEnd::Broken(format!("the server answered {status}")));
            }
            status => return Err(AttemptEnd::Final(refused(&what.address, status))),
        }
        let header = |name| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        let last_modified = header(LAST_MODIFIED);
        // A weak tag names a meaning, not bytes: it can't be resumed on.
        let version = header(ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| last_modified.clone());
        let of = answer.content_length().map(|rest| there + rest);
        if of.is_some_and(|of| of > what.most_bytes) {
            return Err(DownloadError::TooLarge { limit: what.most_bytes }.into());
        }
        match version {
            Some(version) => {
                let begun = PartialFile { address: what.address.to_string(), version };
                let text = serde_json::to_vec(&begun).unwrap_or_default();
                fs::write(&begun_path, text).map_err(disk(&begun_path))?;
            }
            None => remove(&begun_path)?,
        }
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .append(there > 0)
            .truncate(there == 0)
            .open(part)
            .map_err(disk(part))?;
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(DownloadError::Cancelled.into());
            }
            match answer.chunk().await {
                Ok(Some(chunk)) => {
                    there += chunk.len() as u64;
                    if there > what.most_bytes {
                        drop(file);
                        remove(part)?;
                        return Err(DownloadError::TooLarge { limit: what.most_bytes }.into());
                    }
                    file.write_all(&chunk).map_err(disk(part))?;
                    progress(Progress { bytes: there, of });
                }
                Ok(None) if of.is_some_and(|of| there < of) => {
                    return Err(AttemptEnd::Broken("the server closed the connection".into()));
                }
                Ok(None) => break,
                Err(error) => return Err(AttemptEnd::Broken(cause(&error))),
            }
        }
        file.sync_all().map_err(disk(part))?;
        Ok((answered_by, last_modified))
    }

    /// Asks, following redirections to addresses that may be fetched.
    async fn ask(
        &self,
        what: &Download,
        from: Option<(u64, &PartialFile)>,
    ) -> Result<(Response, Url), AttemptEnd> {
        let mut url = allowed(what.address.as_str()).map_err(DownloadError::from)?;
        for _ in 0..=REDIRECTS {
            let mut request = self.client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
            if let Some((bytes, begun)) = from {
                request = request.header(RANGE, format!("bytes={bytes}-")).header(IF_RANGE, &begun.version);
            }
            let answer = match request.send().await {
                Ok(answer) => answer,
                Err(error) if error.is_connect() => {
                    let host = url.host_str().unwrap_or_default().to_owned();
                    let address = what.address.to_string();
                    return Err(DownloadError::NoNetwork { host, what: cause(&error), address }.into());
                }
                Err(error) => return Err(AttemptEnd::Broken(cause(&error))),
            };
            if !answer.status().is_redirection() {
                return Ok((answer, url));
            }
            let target = answer.headers().get(LOCATION).and_then(|target| target.to_str().ok());
            let next = target.and_then(|target| url.join(target).ok());
            let next = next.ok_or_else(|| refused(&url, answer.status()))?;
            url = allowed(next.as_str()).map_err(DownloadError::from)?;
        }
        Err(DownloadError::Redirects(what.address.to_string()).into())
    }
}

/// The receipt of a file that is there already and is what is asked for.
fn there(what: &Download) -> Result<Option<Receipt>, DownloadError> {
    let Some(receipt) = crate::receipt_of(&what.file) else { return Ok(None) };
    if receipt.address != what.address.as_str() || what.sha256.is_some_and(|wanted| wanted != receipt.sha256)
    {
        return Ok(None);
    }
    let (bytes, sha256) = fingerprint(&what.file)?;
    Ok((bytes == receipt.bytes && sha256 == receipt.sha256).then_some(receipt))
}

fn finish(
    what: &Download,
    part: &Path,
    answered_by: Url,
    last_modified: Option<String>,
) -> Result<Receipt, DownloadError> {
    let (bytes, sha256) = fingerprint(part)?;
    let begun = beside(&what.file, ".part.json");
    if let Some(expected) = what.sha256.filter(|&expected| expected != sha256) {
        remove(part)?;
        remove(&begun)?;
        return Err(DownloadError::Changed { expected, found: sha256 });
    }
    let receipt = Receipt {
        address: what.address.to_string(),
        answered_by: answered_by.to_string(),
        bytes,
        sha256,
        retrieved_at_ms: what.now_ms,
        last_modified,
    };
    let path = place(&what.file);
    let text = serde_json::to_vec_pretty(&receipt).unwrap_or_default();
    fs::write(&path, text).map_err(disk(&path))?;
    fs::rename(part, &what.file).map_err(disk(&what.file))?;
    remove(&begun)?;
    Ok(receipt)
}

fn refused(address: &Url, status: StatusCode) -> DownloadError {
    let remedy = match status.as_u16() {
        401 | 403 => "it is not given to everybody; fetch it with a browser",
        404 | 410 => "it has moved; look for the new address at its publisher and give that",
        _ => "try again later",
    };
    DownloadError::Refused { address: address.to_string(), status: status.as_u16(), remedy }
}

fn starts_at(headers: &HeaderMap, bytes: u64) -> bool {
    let range = headers.get(CONTENT_RANGE).and_then(|range| range.to_str().ok()).unwrap_or_default();
    range.strip_prefix("bytes ").and_then(|range| range.split('-').next()?.parse().ok()) == Some(bytes)
}

fn fingerprint(path: &Path) -> Result<(u64, Digest), DownloadError> {
    let mut file = File::open(path).map_err(disk(path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer).map_err(disk(path))?;
        if read == 0 {
            return Ok((bytes, Digest(hasher.finalize().into())));
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    file.with_file_name(name)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn remove(path: &Path) -> Result<(), DownloadError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(disk(path)(error)),
        _ => Ok(()),
    }
}

fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> DownloadError {
    let path = path.to_owned();
    move |source| DownloadError::Disk { path, source }
}

/// The innermost cause, which is the one that says something.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
