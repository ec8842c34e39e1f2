//! What the caller sees of the file system; decisions themselves look at nothing.

/// Answers where paths lead. Implemented by the caller: this crate reads no file system.
pub trait Disk: std::fmt::Debug {
    /// What lies at an absolute path, which may have steps back and links; `None`: nothing, or it can't be seen.
    fn find(&self, path: &str) -> Option<PathEntry>;

    /// The first file or folder below a folder that is wanted, at most `depth` steps down: its path, and where that leads.
    /// Links are not walked through.
    ///
    /// # Errors
    /// When the folder holds too much to be looked through.
    fn first_below(
        &self,
        folder: &str,
        depth: usize,
        wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany>;

    /// The repository of git that a folder lies in, if its own settings name no program, nothing outside of it and no
    /// other repository; `None` as well where that can't be told.
    fn plain_repository(&self, _folder: &str) -> Option<PlainRepository> {
        None
    }
}

/// A repository that git can read without running anything that the repository names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainRepository {
    /// Its folder.
    pub root: String,
    /// The files that it keeps, from its folder.
    pub files: Vec<String>,
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// Its own path, without links and steps back.
    pub path: String,
    /// Whether it is a folder.
    pub folder: bool,
}

/// A folder holds too much to be looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany;

/// A file system on which nothing is known: each path is what it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnknownDisk;

impl Disk for UnknownDisk {
    fn find(&self, _path: &str) -> Option<PathEntry> {
        None
    }

    fn first_below(
        &self,
        _folder: &str,
        _depth: usize,
        _wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany> {
        Ok(None)
    }
}
