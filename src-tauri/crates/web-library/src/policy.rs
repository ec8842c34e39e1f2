//! What may be fetched: a profile, and the person's own lists and numbers over it.

use std::path::Path;
use std::time::Duration;

use net_guard::Allow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::Refusal;
use crate::pattern::{SourcePattern, host_of};

/// The settings' file in the library's folder.
pub const FILE: &str = "policy.json";
/// The largest settings, in bytes.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;

/// How careful it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// https alone, and only from hosts that the user allowed; search services of science are off until allowed.
    #[default]
    Strict,
    /// https alone, from every host that is not blocked.
    Permissive,
    /// From every host that is not blocked, over http as well.
    MaxAutomation,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Permissive, Self::MaxAutomation];

    /// Its name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Permissive => "permissive",
            Self::MaxAutomation => "max_automation",
        }
    }
}

impl std::str::FromStr for Profile {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let known = Self::ALL.into_iter().find(|profile| profile.as_str() == text);
        known.ok_or_else(|| {
            Refusal::Argument(format!("no profile is called {text:?}: strict, permissive, max_automation"))
        })
    }
}

/// What `policy.json` may say. What it leaves out is as the profile has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Settings {
    /// The profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Hosts that are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<SourcePattern>,
    /// What is never fetched; stands over `allow`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub block: Vec<SourcePattern>,
    /// If there are any: nothing else is fetched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<SourcePattern>,
    /// Machines of the user's own, which are not public, as `host:port`. They may speak http.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub local: Vec<LocalHost>,
    /// Whether only https is fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub https_only: Option<bool>,
    /// Whether robots.txt is honoured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<bool>,
    /// Whether hosts that are not known need approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_unknown: Option<bool>,
    /// Whether search services of science may be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub academic: Option<bool>,
    /// The largest PDF, in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pdf_megabytes: Option<u32>,
    /// The largest page or other file, in megabytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_page_megabytes: Option<u32>,
    /// The longest that one fetch takes, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u32>,
    /// How many days a stored page counts as fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u32>,
}

/// A machine of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LocalHost {
    host: String,
    port: u16,
}

impl TryFrom<String> for LocalHost {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        text.parse()
    }
}

impl From<LocalHost> for String {
    fn from(local: LocalHost) -> Self {
        format!("{}:{}", local.host, local.port)
    }
}

impl std::str::FromStr for LocalHost {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let wrong = || Refusal::Argument(format!("{text:?} names no machine: write host:port"));
        let (host, port) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '@' | '*')) {
            return Err(wrong());
        }
        Ok(Self { host: host.to_ascii_lowercase(), port })
    }
}

/// Bounds of time and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The largest PDF, in bytes, also unpacked.
    pub max_pdf_bytes: u64,
    /// The largest other file, in bytes, also unpacked.
    pub max_other_bytes: u64,
    /// The longest that all of it takes.
    pub max_duration: Duration,
    /// The longest wait for the next bytes.
    pub max_silence: Duration,
    /// The slowest that it may come, in bytes a second, once `grace` is over.
    pub min_bytes_per_second: u64,
    /// How long the speed does not matter.
    pub grace: Duration,
    /// The longest wait that a site's crawl delay brings.
    pub max_crawl_delay: Duration,
    /// The most redirects.
    pub max_redirects: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_pdf_bytes: 100 << 20,
            max_other_bytes: 32 << 20,
            max_duration: Duration::from_secs(300),
            max_silence: Duration::from_secs(20),
            min_bytes_per_second: 1 << 10,
            grace: Duration::from_secs(15),
            max_crawl_delay: Duration::from_secs(10),
            max_redirects: 5,
        }
    }
}

/// What may be fetched, worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The profile that it comes from.
    pub profile: Profile,
    /// Hosts that are known.
    pub allow: Vec<SourcePattern>,
    /// What is never fetched.
    pub block: Vec<SourcePattern>,
    /// If there are any: nothing else is fetched.
    pub only: Vec<SourcePattern>,
    /// Machines of the user's own.
    pub local: Vec<LocalHost>,
    /// The schemes that are taken.
    pub schemes: Schemes,
    /// What robots.txt means.
    pub robots: RobotsUse,
    /// What becomes of hosts that are not known.
    pub unknown: UnknownHosts,
    /// Whether search services of science may be asked.
    pub academic: AcademicUse,
    /// Bounds of time and size.
    pub bounds: Bounds,
    /// How many days a stored page counts as fresh.
    pub max_age_days: u32,
}

/// The schemes that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schemes {
    /// https alone; a machine of the user's own may speak http.
    Https,
    /// http as well. A redirect from https to http is never followed.
    HttpToo,
}

/// What robots.txt means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsUse {
    /// It is read and honoured.
    Honoured,
    /// It is not asked for.
    Ignored,
}

/// What becomes of hosts that are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownHosts {
    /// They need approval.
    Ask,
    /// They are fetched.
    Fetch,
}

/// Whether search services of science may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcademicUse {
    /// Those alone that are among the known hosts.
    Known,
    /// All.
    On,
    /// None.
    Off,
}

impl From<Profile> for Policy {
    fn from(profile: Profile) -> Self {
        Settings { profile: Some(profile), ..Settings::default() }.into()
    }
}

impl From<Settings> for Policy {
    fn from(settings: Settings) -> Self {
        let profile = settings.profile.unwrap_or_default();
        let (https, ask, academic) = match profile {
            Profile::Strict => (Schemes::Https, UnknownHosts::Ask, AcademicUse::Known),
            Profile::Permissive => (Schemes::Https, UnknownHosts::Fetch, AcademicUse::On),
            Profile::MaxAutomation => (Schemes::HttpToo, UnknownHosts::Fetch, AcademicUse::On),
        };
        let usual = Bounds::default();
        let megabytes = |size: Option<u32>, usual| size.map_or(usual, |size| u64::from(size) << 20);
        Self {
            profile,
            allow: settings.allow,
            block: settings.block,
            only: settings.only,
            local: settings.local,
            schemes: choice(settings.https_only, Schemes::Https, Schemes::HttpToo, https),
            robots: choice(settings.robots, RobotsUse::Honoured, RobotsUse::Ignored, RobotsUse::Honoured),
            unknown: choice(settings.ask_unknown, UnknownHosts::Ask, UnknownHosts::Fetch, ask),
            academic: choice(settings.academic, AcademicUse::On, AcademicUse::Off, academic),
            bounds: Bounds {
                max_pdf_bytes: megabytes(settings.max_pdf_megabytes, usual.max_pdf_bytes),
                max_other_bytes: megabytes(settings.max_page_megabytes, usual.max_other_bytes),
                max_duration: settings
                    .max_seconds
                    .map_or(usual.max_duration, |seconds| Duration::from_secs(seconds.into())),
                ..usual
            },
            max_age_days: settings.max_age_days.unwrap_or(30),
        }
    }
}

fn choice<T>(said: Option<bool>, yes: T, no: T, usual: T) -> T {
    match said {
        Some(true) => yes,
        Some(false) => no,
        None => usual,
    }
}

impl Settings {
    /// The settings in the library's folder; none are the same as empty ones.
    ///
    /// # Errors
    /// When the file can't be read or says what it can't: nothing is fetched on a guess.
    pub fn read(root: &Path) -> Result<Self, Refusal> {
        let path = root.join(FILE);
        let size = match std::fs::metadata(&path) {
            Ok(data) => data.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Refusal::disk(&path)(error)),
        };
        if size > MAX_SETTINGS_BYTES {
            let what = format!("{size} bytes; at most {MAX_SETTINGS_BYTES} are read");
            return Err(Refusal::Settings { path, what });
        }
        let text = std::fs::read_to_string(&path).map_err(Refusal::disk(&path))?;
        serde_json::from_str(&text).map_err(|error| Refusal::Settings { path, what: error.to_string() })
    }

    /// These with others over them: lists count together, single settings of the others stand over these.
    #[must_use]
    pub fn with(mut self, over: Self) -> Self {
        self.allow.extend(over.allow);
        self.block.extend(over.block);
        self.only.extend(over.only);
        self.local.extend(over.local);
        Self {
            profile: over.profile.or(self.profile),
            https_only: over.https_only.or(self.https_only),
            robots: over.robots.or(self.robots),
            ask_unknown: over.ask_unknown.or(self.ask_unknown),
            academic: over.academic.or(self.academic),
            max_pdf_megabytes: over.max_pdf_megabytes.or(self.max_pdf_megabytes),
            max_page_megabytes: over.max_page_megabytes.or(self.max_page_megabytes),
            max_seconds: over.max_seconds.or(self.max_seconds),
            max_age_days: over.max_age_days.or(self.max_age_days),
            ..self
        }
    }

    /// Writes the settings into the library's folder.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn write(&self, root: &Path) -> Result<(), Refusal> {
        crate::files::replace_json(&root.join(FILE), self)
    }
}

impl Policy {
    /// The addresses that may be reached although they are not public.
    pub fn reach(&self) -> Allow {
        self.local.iter().fold(Allow::none(), |allow, local| allow.and(&local.host, local.port))
    }

    /// Whether an address leads to a machine of the user's own.
    fn is_local(&self, url: &Url) -> bool {
        self.reach().has(url)
    }

    /// An address as it was written, if it may be fetched or read from the library at all. Nothing is requested.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn address(&self, text: &str) -> Result<Url, Refusal> {
        let text = text.trim_matches(' ');
        if text.contains('\\') {
            return Err(net_guard::AddressError::Malformed("has backslashes in it").into());
        }
        let url = net_guard::checked(text, &self.reach())?;
        self.admits_source(&url)?;
        if url.scheme() == "http" && self.schemes == Schemes::Https && !self.is_local(&url) {
            return Err(Refusal::HttpsRequired);
        }
        Ok(url)
    }

    /// Whether the lists admit a source, for what is fetched, found and read alike.
    ///
    /// # Errors
    /// When they don't.
    pub fn admits_source(&self, url: &Url) -> Result<(), Refusal> {
        if let Some(pattern) = self.block.iter().find(|pattern| pattern.has(url)) {
            return Err(Refusal::Blocked { pattern: pattern.to_string() });
        }
        if !self.only.is_empty() && !self.only.iter().any(|pattern| pattern.has(url)) {
            return Err(Refusal::OtherSource);
        }
        Ok(())
    }

    /// Whether something may be requested from the host of an address.
    ///
    /// # Errors
    /// [`Refusal::NeedsApproval`].
    pub fn admits_host(&self, url: &Url) -> Result<(), Refusal> {
        match self.unknown {
            UnknownHosts::Ask if !self.is_known(url) => Err(Refusal::NeedsApproval { host: host_of(url) }),
            UnknownHosts::Ask | UnknownHosts::Fetch => Ok(()),
        }
    }

    /// Whether the user named a source: under `allow`, `only` or `local`.
    fn is_known(&self, url: &Url) -> bool {
        self.is_local(url) || self.allow.iter().chain(&self.only).any(|pattern| pattern.has(url))
    }

    /// Whether a search service of science may be asked.
    ///
    /// # Errors
    /// [`Refusal::ServiceOff`], or that its host is blocked.
    pub fn admits_service(&self, url: &Url) -> Result<(), Refusal> {
        if let Some(pattern) = self.block.iter().find(|pattern| pattern.has(url)) {
            return Err(Refusal::Blocked { pattern: pattern.to_string() });
        }
        let is_on = match self.academic {
            AcademicUse::On => true,
            AcademicUse::Known => self.is_known(url),
            AcademicUse::Off => false,
        };
        if is_on { Ok(()) } else { Err(Refusal::ServiceOff { host: host_of(url) }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> Policy {
        serde_json::from_str::<Settings>(text).unwrap().into()
    }

    fn code(result: Result<impl Sized, Refusal>) -> &'static str {
        result.map_or_else(|refusal| refusal.code(), |_| "")
    }

    #[test]
    fn a_profile_decides_about_schemes_and_unknown_hosts() {
        for (profile, http, unknown) in [
            (Profile::Strict, "https_required", "needs_approval"),
            (Profile::Permissive, "https_required", ""),
            (Profile::MaxAutomation, "", ""),
        ] {
            let policy = Policy::from(profile);
            assert_eq!(code(policy.address("http://example.org/")), http, "{profile:?}");
            let url = policy.address("https://example.org/").unwrap();
            assert_eq!(code(policy.admits_host(&url)), unknown, "{profile:?}");
        }
        assert_eq!(Policy::from(Settings::default()).profile, Profile::Strict);
    }

    #[test]
    fn lists_stand_over_each_other_in_one_order() {
        let policy = policy(
            r#"{"allow": ["example.org", "bad.example.org"], "block": ["bad.example.org", "ads.test"],
                "only": ["example.org", "other.test"]}"#,
        );
        assert_eq!(code(policy.address("https://bad.example.org/")), "blocked");
        assert_eq!(code(policy.address("https://third.test/")), "other_source");
        for url in ["https://www.example.org/", "https://other.test/"] {
            assert_eq!(code(policy.admits_host(&policy.address(url).unwrap())), "", "{url}");
        }
    }

    #[test]
    fn a_machine_of_the_users_own_is_reached_by_its_name_and_port_alone() {
        let policy = policy(r#"{"local": ["127.0.0.1:8080", "localhost:9000"]}"#);
        for url in ["http://127.0.0.1:8080/", "http://localhost:9000/x"] {
            let url = policy.address(url).unwrap();
            assert!(policy.admits_host(&url).is_ok());
        }
        for url in ["http://127.0.0.1:8081/", "http://localhost:8080/", "https://192.168.0.1/"] {
            assert_eq!(code(policy.address(url)), "private_address", "{url}");
        }
    }

    #[test]
    fn search_services_of_science_are_off_in_strict_until_allowed() {
        let url = Url::parse("https://api.crossref.org/works").unwrap();
        assert_eq!(code(Policy::from(Profile::Strict).admits_service(&url)), "service_off");
        assert_eq!(code(Policy::from(Profile::Permissive).admits_service(&url)), "");
        assert_eq!(code(policy(r#"{"allow": ["api.crossref.org"]}"#).admits_service(&url)), "");
        assert_eq!(code(policy(r#"{"academic": true}"#).admits_service(&url)), "");
        let off = policy(r#"{"profile": "permissive", "academic": false}"#);
        assert_eq!(code(off.admits_service(&url)), "service_off");
    }

    #[test]
    fn settings_that_say_what_they_can_not_are_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(Settings::read(folder.path()).unwrap(), Settings::default());
        for text in ["{", r#"{"alow": []}"#, r#"{"profile": "lax"}"#, r#"{"local": ["127.0.0.1"]}"#] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(code(Settings::read(folder.path())), "settings", "{text}");
        }
        let settings: Settings = serde_json::from_str(r#"{"allow": ["*.Example.org/"]}"#).unwrap();
        settings.write(folder.path()).unwrap();
        assert_eq!(Settings::read(folder.path()).unwrap(), settings);
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(text.contains("\"example.org\""), "{text}");
    }
}
