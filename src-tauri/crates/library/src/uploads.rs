//! Files that a page hands over by their bytes, because a browser does not say where they lie: kept below `uploads` of the
//! data directory, where a knowledge base is made of them as of any other folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{ErrorCode, Problem};
use protocol::{UploadPart, Uploaded};
use support::blocking;

use crate::Library;
use crate::bases::Recipe;

/// The largest file, in bytes.
const MAX_BYTES: u64 = 512 << 20;
/// What no base is made of is kept for a day.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

impl Library {
    /// Keeps a part of a file. The first part of what is handed over together clears away what nobody made a base of.
    ///
    /// # Errors
    /// For a name that leads elsewhere, a part that does not follow the one before, a file that is too large, and a full disk.
    pub async fn upload_write(&self, part: UploadPart) -> Result<Uploaded, Problem> {
        let home = self.env.home.clone();
        blocking(move || write(&home, &part)).await
    }
}

fn write(home: &Path, part: &UploadPart) -> Result<Uploaded, Problem> {
    let invalid = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    if !support::is_session_id(&part.upload) {
        return Err(invalid(format!("{:?} is no id of an upload", part.upload)));
    }
    transfer::check_name(&part.name)
        .map_err(|fault| invalid(format!("a file can't be named {:?}: {fault}", part.name)))?;
    let bytes = BASE64_STANDARD
        .decode(&part.data)
        .map_err(|_| invalid(format!("the bytes of {:?} are not base64", part.name)))?;
    let whole = part.at.saturating_add(bytes.len() as u64);
    if whole > MAX_BYTES {
        return Err(invalid(format!("{} is larger than {} MiB", part.name, MAX_BYTES >> 20)).with_action(
            "name its path instead, or make a base of it in the terminal with `agentnative kb ingest`",
        ));
    }
    let folder = home.join("uploads").join(&part.upload);
    let path = folder.join(&part.name);
    if !folder.is_dir() {
        sweep(home);
    }
    let failed = |error: io::Error| {
        Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
            .with_action("free some space and hand the files over again")
    };
    fs::create_dir_all(path.parent().unwrap_or(&folder)).map_err(failed)?;
    let mut file = match part.at {
        0 => File::create(&path),
        _ => OpenOptions::new().append(true).open(&path),
    }
    .map_err(failed)?;
    let there = file.metadata().map_err(failed)?.len();
    if there != part.at {
        let what =
            format!("{} has {there} bytes; a part that begins at {} does not follow", part.name, part.at);
        return Err(
            Problem::new(ErrorCode::Conflict, what).with_action("hand the file over from its beginning")
        );
    }
    file.write_all(&bytes).map_err(failed)?;
    Ok(Uploaded { folder: folder.display().to_string(), bytes: whole })
}

/// Clears away what was handed over long ago and no base is made of.
fn sweep(home: &Path) {
    let Ok(uploads) = fs::read_dir(home.join("uploads")) else { return };
    let Ok(bases) = knowledge::list_bases(home) else { return };
    let used: Vec<PathBuf> = bases
        .iter()
        .filter_map(|base| Recipe::read(home, &base.name))
        .flat_map(|recipe| recipe.paths)
        .collect();
    let now = SystemTime::now();
    for folder in uploads.flatten().map(|entry| entry.path()) {
        let old = fs::metadata(&folder)
            .and_then(|about| about.modified())
            .is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > KEPT));
        if old && !used.iter().any(|path| path.starts_with(&folder)) {
            // What can't be removed now is looked at again with the next upload.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}
