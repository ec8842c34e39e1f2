//! What is known of an address: `pages/<hash of the normalised address>.json`.

use std::path::PathBuf;

use domain::Digest;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::day::{DAY_MS, day};
use crate::error::Refusal;
use crate::files;
use crate::kind::Kind;

/// The largest record, in bytes.
const MAX_PAGE_BYTES: u64 = 1 << 20;
/// The most earlier versions that a record names.
const MAX_EARLIER: usize = 50;
/// Parameters that only say where a visitor came from.
const TRACKING: [&str; 6] = ["gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "igshid"];

/// What is known of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The address in its normal form.
    pub url: String,
    /// The one that answered.
    pub final_url: String,
    /// Addresses on the way to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
    /// The status of the answer.
    pub status: u16,
    /// The media type that the answer declared.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    /// The charset that the answer declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// What it is.
    pub kind: Kind,
    /// The version that the server named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The time of the last change that the server named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
    /// When its bytes came, in milliseconds since 1970.
    pub retrieved_ms: i64,
    /// When the server last said that they are the newest.
    pub checked_ms: i64,
    /// Its bytes.
    pub object: Digest,
    /// How many.
    pub bytes: u64,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The digest of its text, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Digest>,
    /// Pages, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Why it has no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// What stood there before, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierVersion>,
}

/// What stood at an address before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierVersion {
    /// Its bytes.
    pub object: Digest,
    /// When they came.
    pub retrieved_ms: i64,
}

impl Page {
    /// The day on which its bytes came.
    pub fn retrieved(&self) -> String {
        day(self.retrieved_ms)
    }

    /// Whether it was confirmed within so many days. A time that lies ahead confirms nothing.
    pub fn is_fresh(&self, max_age_days: u32, now_ms: i64) -> bool {
        (0..=i64::from(max_age_days) * DAY_MS).contains(&(now_ms - self.checked_ms))
    }

    /// The same with what stood there before.
    pub(crate) fn after(mut self, before: Option<Self>) -> Self {
        if let Some(before) = before {
            self.earlier = before.earlier;
            if before.object != self.object {
                let version = EarlierVersion { object: before.object, retrieved_ms: before.retrieved_ms };
                self.earlier.retain(|earlier| earlier.object != version.object);
                self.earlier.insert(0, version);
            }
            let now = self.object;
            self.earlier.retain(|earlier| earlier.object != now);
            self.earlier.truncate(MAX_EARLIER);
        }
        self
    }

    /// Every object that the record names.
    pub fn objects(&self) -> impl Iterator<Item = Digest> + '_ {
        std::iter::once(self.object).chain(self.earlier.iter().map(|earlier| earlier.object))
    }
}

/// An address in its normal form: without fragment, an empty query, and what only tracks visitors.
pub fn normal(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query
            .split('&')
            .filter(|pair| {
                let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
                !pair.is_empty() && !name.starts_with("utm_") && !TRACKING.contains(&name.as_str())
            })
            .collect();
        let kept = kept.join("&");
        url.set_query((!kept.is_empty()).then_some(&kept));
    }
    if let Some(host) = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned) {
        // A host that can't be set stays as it is.
        let _ = url.set_host(Some(&host));
    }
    url
}

/// The records.
#[derive(Debug, Clone)]
pub struct Pages {
    root: PathBuf,
}

impl Pages {
    /// The records in a folder, which need not be there.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    fn path(&self, url: &Url) -> PathBuf {
        self.root.join(format!("{}.json", Digest::of(normal(url).as_str())))
    }

    /// What is known of an address. A record that can't be read is none: the next fetch writes it anew.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn read(&self, url: &Url) -> Result<Option<Page>, Refusal> {
        match files::read_json(&self.path(url), MAX_PAGE_BYTES) {
            Err(Refusal::Damaged { .. }) => Ok(None),
            read => read,
        }
    }

    /// Keeps what is known of an address.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, url: &Url, page: &Page) -> Result<(), Refusal> {
        files::replace_json(&self.path(url), page)
    }

    /// Forgets an address.
    pub(crate) fn remove(&self, url: &Url) -> Result<(), Refusal> {
        files::remove(&self.path(url))
    }

    /// All records, those that came last first.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn list(&self) -> Result<Vec<Page>, Refusal> {
        let mut pages = Vec::new();
        for path in files::named(&self.root, ".json")? {
            match files::read_json::<Page>(&path, MAX_PAGE_BYTES) {
                Ok(page) => pages.extend(page),
                Err(Refusal::Damaged { .. }) => {}
                Err(refusal) => return Err(refusal),
            }
        }
        pages.sort_by(|a, b| b.retrieved_ms.cmp(&a.retrieved_ms).then_with(|| a.url.cmp(&b.url)));
        Ok(pages)
    }

    /// The records that name an object, those that came last first.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn naming(&self, object: &Digest) -> Result<Vec<Page>, Refusal> {
        let mut pages = self.list()?;
        pages.retain(|page| page.objects().any(|other| other == *object));
        Ok(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn page(object: &[u8], at: i64) -> Page {
        Page {
            url: "https://example.org/".into(),
            final_url: "https://example.org/".into(),
            redirects: Vec::new(),
            status: 200,
            media_type: "text/html".into(),
            charset: None,
            kind: Kind::Html,
            etag: None,
            last_modified: None,
            retrieved_ms: at,
            checked_ms: at,
            object: Digest::of(object),
            bytes: 1,
            title: None,
            text: None,
            pages: None,
            unreadable: None,
            earlier: Vec::new(),
        }
    }

    #[test]
    fn what_does_not_change_the_page_does_not_change_its_address() {
        let same = |a: &str, b: &str| assert_eq!(normal(&Url::parse(a).unwrap()).as_str(), b);
        same("https://Example.org:443?#x", "https://example.org/");
        same("https://example.org./a?utm_source=x&b=2&UTM_Campaign=y&gclid=1#f", "https://example.org/a?b=2");
        same("https://example.org/a?b=2&a=1", "https://example.org/a?b=2&a=1");
    }

    #[test]
    fn a_page_is_fresh_for_as_many_days_as_asked_and_not_from_the_future() {
        let page = page(b"a", 10 * DAY_MS);
        assert!(page.is_fresh(7, 17 * DAY_MS) && !page.is_fresh(7, 17 * DAY_MS + 1));
        assert!(page.is_fresh(0, 10 * DAY_MS) && !page.is_fresh(7, 9 * DAY_MS));
    }

    #[test]
    fn a_change_names_what_stood_there_before() {
        let first = page(b"a", 1).after(None);
        let second = page(b"b", 2).after(Some(first.clone()));
        assert_eq!(second.earlier, [EarlierVersion { object: Digest::of(b"a"), retrieved_ms: 1 }]);
        let back = page(b"a", 3).after(Some(second));
        assert_eq!(back.earlier, [EarlierVersion { object: Digest::of(b"b"), retrieved_ms: 2 }]);
        let same = page(b"a", 4).after(Some(back.clone()));
        assert_eq!(same.earlier, back.earlier);
    }

    #[test]
    fn a_damaged_record_is_none() {
        let folder = tempfile::TempDir::new().unwrap();
        let pages = Pages::new(folder.path().to_owned());
        let url = Url::parse("https://example.org/").unwrap();
        assert_eq!(pages.read(&url).unwrap(), None);
        pages.write(&url, &page(b"a", 1)).unwrap();
        assert_eq!(pages.list().unwrap(), [page(b"a", 1)]);
        std::fs::write(pages.path(&url), "{\"url\":").unwrap();
        assert_eq!((pages.read(&url).unwrap(), pages.list().unwrap().len()), (None, 0));
    }
}
