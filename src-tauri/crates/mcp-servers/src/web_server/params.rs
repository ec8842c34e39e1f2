//! What the tools take.

use domain::Digest;
use schemars::JsonSchema;
use serde::Deserialize;
use web_library::academic::ServiceName;

/// `web_search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParams {
    /// What to look for.
    pub(super) query: String,
    /// The most results, 1 to 20; 10 where nothing is said.
    #[serde(default)]
    pub(super) limit: Option<usize>,
    /// How many days old stored results may be; 1 where nothing is said.
    #[serde(default)]
    pub(super) max_age_days: Option<u32>,
    /// Asks the service again even if the same was asked lately.
    #[serde(default)]
    pub(super) refresh: bool,
}

/// `web_fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchParams {
    /// The whole address, with https://.
    pub(super) url: String,
    /// How many days old a stored version may be; as the settings have it where nothing is said.
    #[serde(default)]
    pub(super) max_age_days: Option<u32>,
    /// Asks the site again even if the library has a fresh version.
    #[serde(default)]
    pub(super) refresh: bool,
    #[serde(flatten)]
    pub(super) extract: ExtractParams,
}

/// `library_page`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageParams {
    /// The object's digest, as results name it; or `url`.
    #[serde(default)]
    pub(super) object: Option<Digest>,
    /// The address from which it was fetched; or `object`.
    #[serde(default)]
    pub(super) url: Option<String>,
    #[serde(flatten)]
    pub(super) extract: ExtractParams,
}

/// Which blocks of a text are given.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(super) struct ExtractParams {
    /// The number of the first block; 1 where nothing is said. `next_block` of a result goes on.
    #[serde(default)]
    pub(super) from_block: Option<u32>,
    /// The first page, for files with pages.
    #[serde(default)]
    pub(super) from_page: Option<u32>,
    /// The last page, for files with pages.
    #[serde(default)]
    pub(super) to_page: Option<u32>,
    /// The most characters of text, up to 200,000; 40,000 where nothing is said.
    #[serde(default)]
    pub(super) max_chars: Option<usize>,
}

/// `library_search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LibraryParams {
    /// Words to look for in everything that was fetched.
    pub(super) query: String,
    /// The most blocks, 1 to 100; 10 where nothing is said.
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// `library_verify`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyParams {
    /// The object's digest.
    pub(super) object: Digest,
    /// The words, as they stand there.
    pub(super) quote: String,
    /// The block in which they should stand; anywhere where nothing is said.
    #[serde(default)]
    pub(super) block: Option<u32>,
}

/// `academic_search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AcademicParams {
    /// What to look for.
    pub(super) query: String,
    /// The services to ask; all where nothing is said.
    #[serde(default)]
    pub(super) services: Vec<ServiceName>,
    /// The most works of each service, 1 to 50; 10 where nothing is said.
    #[serde(default)]
    pub(super) limit: Option<usize>,
    /// How many days old stored results may be; 7 where nothing is said.
    #[serde(default)]
    pub(super) max_age_days: Option<u32>,
    /// Asks the services again even if the same was asked lately.
    #[serde(default)]
    pub(super) refresh: bool,
}
