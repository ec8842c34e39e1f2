//! One fetch: each address on the way is checked, and the connection goes to what was checked; bytes are counted as they come.

use std::io::{self, Write};
use std::time::Duration;

use flate2::write::MultiGzDecoder;
use net_guard::AddressError;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Response, StatusCode};
use tokio::time::{Instant, timeout};
use url::Url;

use crate::crawl::Crawl;
use crate::error::Refusal;
use crate::files;
use crate::kind::{HEAD_BYTES, Kind, kind_of};
use crate::library::Expectation;
use crate::objects::{ObjectDraft, Objects, StoredObject};
use crate::policy::{Bounds, Policy};

/// What is asked for, the best first.
const WANTED: &str = "text/html, application/xhtml+xml, application/pdf, text/markdown;q=0.9, text/plain;q=0.8, \
                      application/json;q=0.8, */*;q=0.5";
/// The longest header that is kept, in bytes.
const MAX_HEADER_BYTES: usize = 1_000;
/// The longest reason that is passed on, in bytes.
const MAX_REASON_BYTES: usize = 300;

/// What the library has already: the server says whether it is the newest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Condition {
    /// The address that answered with it: those on the way there have versions of their own.
    pub(crate) at: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
}

impl Condition {
    fn is_about(&self, url: &Url) -> bool {
        url.as_str() == self.at && (self.etag.is_some() || self.last_modified.is_some())
    }
}

/// What came of a fetch.
pub(crate) enum Answer {
    /// What the library has is the newest.
    Unchanged,
    /// Something new.
    FetchedObject(Box<FetchedObject>),
}

/// What came.
pub(crate) struct FetchedObject {
    pub(crate) final_url: Url,
    pub(crate) redirects: Vec<Url>,
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) charset: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) object: StoredObject,
}

/// An answer whose body has not come yet, and the addresses on the way to it.
pub(crate) struct Opening {
    pub(crate) response: Response,
    pub(crate) url: Url,
    pub(crate) redirects: Vec<Url>,
}

/// What a request is for: what the lists mean for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A page or file: the lists, unknown hosts and robots.txt count.
    Page,
    /// The robots.txt of a site that may be fetched from.
    Robots,
    /// A search service, which the policy has admitted: it answers by itself or not at all.
    Service,
}

/// A fetch into the store, within the policy's bounds.
pub(crate) struct Fetch<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) objects: &'a Objects,
    pub(crate) crawl: &'a Crawl,
    pub(crate) condition: &'a Condition,
    pub(crate) expected: Expectation,
    pub(crate) now_ms: i64,
}

impl Fetch<'_> {
    pub(crate) async fn run(&self, first: &Url) -> Result<Answer, Refusal> {
        let Self { policy, condition, .. } = *self;
        let whole = async {
            let crawl = Some((self.crawl, self.now_ms));
            let opening = follow(policy, first, Purpose::Page, condition, crawl).await?;
            let status = opening.response.status();
            if status == StatusCode::NOT_MODIFIED && condition.is_about(&opening.url) {
                return Ok(Answer::Unchanged);
            }
            if status != StatusCode::OK && status != StatusCode::NON_AUTHORITATIVE_INFORMATION {
                return Err(Refusal::Status { status: status.as_u16() });
            }
            self.arrive(opening).await.map(|arrival| Answer::FetchedObject(Box::new(arrival)))
        };
        let most = policy.bounds.max_duration;
        timeout(most, whole).await.map_err(|_| Refusal::Deadline { seconds: most.as_secs() })?
    }
}

/// Asks, and follows redirects to where the policy allows.
pub(crate) async fn follow(
    policy: &Policy,
    first: &Url,
    purpose: Purpose,
    condition: &Condition,
    crawl: Option<(&Crawl, i64)>,
) -> Result<Opening, Refusal> {
    let mut url = first.clone();
    let mut redirects: Vec<Url> = Vec::new();
    loop {
        match purpose {
            Purpose::Page | Purpose::Robots => policy.admits_host(&url)?,
            Purpose::Service => {}
        }
        if let Some((crawl, now_ms)) = crawl {
            crawl.admits(policy, &url, now_ms).await?;
        }
        let response = ask(policy, &url, purpose, condition).await?;
        let status = response.status();
        let is_redirect = status.is_redirection() && status != StatusCode::NOT_MODIFIED;
        let Some(location) = is_redirect.then(|| response.headers().get(LOCATION)).flatten() else {
            return Ok(Opening { response, url, redirects });
        };
        if purpose == Purpose::Service {
            return Err(Refusal::Status { status: status.as_u16() });
        }
        let next = next(policy, &url, location.to_str().unwrap_or_default())?;
        if next == url || redirects.contains(&next) {
            return Err(Refusal::RedirectLoop);
        }
        if redirects.len() >= policy.bounds.max_redirects {
            return Err(Refusal::Redirects { limit: policy.bounds.max_redirects });
        }
        redirects.push(std::mem::replace(&mut url, next));
    }
}

async fn ask(
    policy: &Policy,
    url: &Url,
    purpose: Purpose,
    condition: &Condition,
) -> Result<Response, Refusal> {
    let addresses = net_guard::resolve(url, &policy.reach()).await?;
    let client = net_guard::client(url, &addresses)?;
    let accepted = match purpose {
        Purpose::Page => WANTED,
        Purpose::Robots => "text/plain, */*;q=0.5",
        Purpose::Service => "application/json, application/atom+xml, */*;q=0.5",
    };
    let packing = if purpose == Purpose::Page { "gzip, identity" } else { "identity" };
    let mut request = client.get(url.clone()).header(ACCEPT, accepted).header(ACCEPT_ENCODING, packing);
    if condition.is_about(url) {
        if let Some(etag) = &condition.etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        if let Some(time) = &condition.last_modified {
            request = request.header(IF_MODIFIED_SINCE, time);
        }
    }
    let silence = policy.bounds.max_silence;
    let sent = timeout(silence, request.send()).await;
    sent.map_err(|_| Refusal::Silence { seconds: silence.as_secs() })?.map_err(|error| no_answer(&error))
}

/// Where a redirect leads, if the policy allows going there.
fn next(policy: &Policy, from: &Url, location: &str) -> Result<Url, Refusal> {
    let text = net_guard::redirected(from, location).ok_or(Refusal::RedirectTarget)?;
    match policy.address(&text) {
        Ok(next) if from.scheme() == "https" && next.scheme() == "http" => {
            Err(Refusal::Downgrade { to: next.into() })
        }
        Err(Refusal::HttpsRequired) if from.scheme() == "https" => Err(Refusal::Downgrade { to: text }),
        Err(Refusal::Address(AddressError::Malformed(_))) => Err(Refusal::RedirectTarget),
        next => next,
    }
}

/// Why there was no answer, without the address.
fn no_answer(error: &reqwest::Error) -> Refusal {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let mut what = cause.to_string();
    what.truncate(what.floor_char_boundary(MAX_REASON_BYTES));
    Refusal::NoAnswer { what }
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?.trim();
    (!value.is_empty() && value.len() <= MAX_HEADER_BYTES).then(|| value.to_owned())
}

/// The bytes of a small answer.
pub(crate) async fn small(policy: &Policy, response: Response, max_bytes: u64) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut stream = Stream::new(response, policy.bounds);
    while let Some(piece) = stream.piece().await? {
        if (bytes.len() + piece.len()) as u64 > max_bytes {
            return Err(Refusal::TooLarge { limit: max_bytes });
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// As much of a small answer as is read.
pub(crate) async fn beginning(
    policy: &Policy,
    response: Response,
    max_bytes: u64,
) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut stream = Stream::new(response, policy.bounds);
    while let Some(piece) = stream.piece().await? {
        let room = (max_bytes as usize).saturating_sub(bytes.len());
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() >= room {
            break;
        }
    }
    Ok(bytes)
}

/// A body that must keep coming.
struct Stream {
    response: Response,
    bounds: Bounds,
    begun: Instant,
    bytes: u64,
}

impl Stream {
    fn new(response: Response, bounds: Bounds) -> Self {
        Self { response, bounds, begun: Instant::now(), bytes: 0 }
    }

    async fn piece(
        &mut self,
    ) -> Result<Option<impl AsRef<[u8]> + std::ops::Deref<Target = [u8]> + use<>>, Refusal> {
        let silence = self.bounds.max_silence;
        let piece = timeout(silence, self.response.chunk())
            .await
            .map_err(|_| Refusal::Silence { seconds: silence.as_secs() })?
            .map_err(|error| no_answer(&error))?;
        self.bytes += piece.as_ref().map_or(0, |piece| piece.len() as u64);
        let since = self.begun.elapsed();
        let limit = self.bounds.min_bytes_per_second;
        if piece.is_some() && since > self.bounds.grace && self.speed(since) < limit {
            return Err(Refusal::TooSlow { limit });
        }
        Ok(piece)
    }

    fn speed(&self, since: Duration) -> u64 {
        (self.bytes as f64 / since.as_secs_f64()) as u64
    }
}

impl Fetch<'_> {
    /// Takes a body into the store.
    async fn arrive(&self, opening: Opening) -> Result<FetchedObject, Refusal> {
        let Opening { response, url, redirects } = opening;
        let bounds = self.policy.bounds;
        let length = response.content_length();
        let status = response.status().as_u16();
        let declared = header(&response, CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        let media_type = declared.split(';').next().unwrap_or_default().trim().to_owned();
        let charset = declared.split("charset=").nth(1).map(|rest| {
            let rest = rest.trim_start_matches(['"', '\'', ' ']);
            rest.split(['"', '\'', ';', ' ']).next().unwrap_or_default().to_owned()
        });
        let (etag, last_modified) = (header(&response, ETAG), header(&response, LAST_MODIFIED));
        let encoding = header(&response, CONTENT_ENCODING).unwrap_or_default().to_ascii_lowercase();
        let largest = bounds.max_pdf_bytes.max(bounds.max_other_bytes);
        if length.is_some_and(|length| length > largest) {
            return Err(Refusal::TooLarge { limit: largest });
        }
        let packing = match encoding.as_str() {
            "" | "identity" => Packing::None,
            "gzip" | "x-gzip" => Packing::Gzip,
            _ => return Err(Refusal::Packed { encoding: encoding.chars().take(40).collect() }),
        };
        let intake = Intake {
            draft: self.objects.draft()?,
            head: Vec::new(),
            kind: None,
            media_type: media_type.clone(),
            url: url.clone(),
            bounds,
            length: length.filter(|_| packing == Packing::None),
            bytes: 0,
            packing,
            refusal: None,
        };
        let mut stream = Stream::new(response, bounds);
        let mut intake = match packing {
            Packing::None => {
                let mut intake = intake;
                while let Some(piece) = stream.piece().await? {
                    intake.write_all(&piece).map_err(|error| intake.reason(error))?;
                }
                intake
            }
            Packing::Gzip => {
                let mut unpacking = MultiGzDecoder::new(intake);
                while let Some(piece) = stream.piece().await? {
                    if stream.bytes > largest {
                        return Err(Refusal::TooLarge { limit: largest });
                    }
                    unpacking.write_all(&piece).map_err(|error| unpacking.get_mut().reason(error))?;
                }
                unpacking.try_finish().map_err(|error| unpacking.get_mut().reason(error))?;
                unpacking.finish().map_err(|_| Refusal::Packed { encoding })?
            }
        };
        let kind = intake.kind()?;
        self.expected.check(kind)?;
        let draft = intake.draft;
        // Waits for the disk.
        let objects = self.objects.clone();
        let object = files::blocking(move || objects.keep(draft)).await?;
        let arrival = FetchedObject {
            final_url: url,
            redirects,
            status,
            media_type,
            charset,
            etag,
            last_modified,
            kind,
            object,
        };
        Ok(arrival)
    }
}

/// How a body is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
}

/// Counts what comes, and looks at what it is.
struct Intake {
    draft: ObjectDraft,
    head: Vec<u8>,
    kind: Option<Kind>,
    media_type: String,
    url: Url,
    bounds: Bounds,
    /// What the server says that there is.
    length: Option<u64>,
    bytes: u64,
    packing: Packing,
    refusal: Option<Refusal>,
}

impl Intake {
    /// What it is, once the head is complete or there is no more.
    fn kind(&mut self) -> Result<Kind, Refusal> {
        if let Some(kind) = self.kind {
            return Ok(kind);
        }
        let kind = kind_of(&self.head, &self.media_type, &self.url)?;
        self.kind = Some(kind);
        Ok(kind)
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.bytes += bytes.len() as u64;
        if self.head.len() >= HEAD_BYTES {
            let limit = match self.kind()? {
                Kind::Pdf => self.bounds.max_pdf_bytes,
                Kind::Html
                | Kind::Docx
                | Kind::Epub
                | Kind::Markdown
                | Kind::Json
                | Kind::Xml
                | Kind::Ecfr
                | Kind::Text => self.bounds.max_other_bytes,
            };
            if self.bytes > limit || self.length.is_some_and(|length| length > limit) {
                return Err(match self.packing {
                    Packing::None => Refusal::TooLarge { limit },
                    Packing::Gzip => Refusal::UnpacksTooLarge { limit },
                });
            }
        }
        let written = self.draft.write_all(bytes);
        written.map_err(|source| Refusal::Disk { path: "objects".into(), source })
    }

    /// Why writing ended.
    fn reason(&mut self, error: io::Error) -> Refusal {
        self.refusal.take().unwrap_or_else(|| match self.packing {
            Packing::Gzip => Refusal::Packed { encoding: "gzip".into() },
            Packing::None => Refusal::Disk { path: "objects".into(), source: error },
        })
    }
}

impl Write for Intake {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.take(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(refusal) => {
                self.refusal = Some(refusal);
                Err(io::Error::other("refused"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Profile;
    use pretty_assertions::assert_eq;

    fn leads(profile: Profile, from: &str, location: &str) -> Result<String, &'static str> {
        let from = Url::parse(from).unwrap();
        next(&Policy::from(profile), &from, location).map(String::from).map_err(|refusal| refusal.code())
    }

    #[test]
    fn a_redirect_leads_to_public_addresses_and_never_from_https_to_http() {
        let from = "https://example.org/a/b";
        for profile in Profile::ALL {
            assert_eq!(leads(profile, from, "c?d"), Ok("https://example.org/a/c?d".into()));
            assert_eq!(leads(profile, from, "//other.test/x"), Ok("https://other.test/x".into()));
            assert_eq!(leads(profile, from, "http://example.org/a/b"), Err("downgrade"));
            for private in [
                "https://127.0.0.1/",
                "https://localhost/",
                "https://10.0.0.1/",
                "https://[::1]/",
                "https://169.254.169.254/",
            ] {
                assert_eq!(leads(profile, from, private), Err("private_address"), "{private}");
            }
            for odd in
                ["", " ", "a b", "\\\\127.0.0.1\\", "file:///etc/passwd", "javascript:x", "https://a@b.test/"]
            {
                assert_eq!(leads(profile, from, odd), Err("redirect_target"), "{odd:?}");
            }
        }
        assert_eq!(
            leads(Profile::MaxAutomation, "http://example.org/", "/x"),
            Ok("http://example.org/x".into())
        );
    }

    #[tokio::test]
    async fn a_connection_goes_to_what_was_checked_whatever_the_name_says_now() {
        // The name leads nowhere: a client that looked it up once more would reach nothing.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let url = Url::parse(&format!("http://rebound.invalid:{}/", address.port())).unwrap();
        let client = net_guard::client(&url, &[address]).unwrap();
        let sent = tokio::spawn(async move { client.get(url).send().await });
        let accepted = timeout(Duration::from_secs(10), listener.accept()).await;
        assert!(accepted.unwrap().is_ok());
        sent.abort();
    }
}
