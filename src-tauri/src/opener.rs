//! Handing addresses and files to the person's own programs. The page asks; what is handed over is decided here.

use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};

/// Files that are shown, never run.
const READABLE: [&str; 14] =
    ["csv", "docx", "html", "jpeg", "jpg", "json", "jsonl", "log", "md", "pdf", "png", "svg", "txt", "webp"];

/// Opens `http`, `https` and `mailto` addresses.
pub fn url(text: &str) -> Result<(), Problem> {
    let address = address(text)?;
    open::that_detached(address.as_str()).map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("no program opened the address: {error}"))
            .with_action("copy the address and open it in your browser")
    })
}

/// Opens a file or folder inside the data directory, or below what the person has chosen.
pub fn path(path: &Path, home: &Path, chosen: &[PathBuf]) -> Result<(), Problem> {
    let path = allowed(path, home, chosen)?;
    open::that_detached(&path).map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("no program opened {}: {error}", path.display()))
    })
}

fn address(text: &str) -> Result<url::Url, Problem> {
    let refused = || Problem::new(ErrorCode::InvalidInput, "only web and mail addresses are opened");
    if text.len() > 8_192 || text.chars().any(char::is_control) {
        return Err(refused());
    }
    let address = url::Url::parse(text).map_err(|_| refused())?;
    match address.scheme() {
        "http" | "https" if address.host_str().is_some_and(|host| !host.is_empty()) => Ok(address),
        "mailto" => Ok(address),
        _ => Err(refused()),
    }
}

fn allowed(path: &Path, home: &Path, chosen: &[PathBuf]) -> Result<PathBuf, Problem> {
    let real = path.canonicalize().map_err(|error| {
        Problem::new(ErrorCode::NotFound, format!("{} can't be opened: {error}", path.display()))
    })?;
    let mut places = std::iter::once(home).chain(chosen.iter().map(PathBuf::as_path));
    let ours = places.any(|place| place.canonicalize().is_ok_and(|place| real.starts_with(place)));
    if !ours {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("{} is outside of the data directory", path.display()),
        ));
    }
    let ending = real.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    if real.is_dir() || READABLE.contains(&ending.as_str()) {
        Ok(real)
    } else {
        Err(Problem::new(ErrorCode::InvalidInput, format!("{} is not a document", path.display()))
            .with_action("open its folder instead"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_are_opened() {
        for good in ["https://example.org/a?b=c", "http://example.org", "mailto:a@example.org"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,hi",
            "agentnative://session/a",
            "vscode://x",
            "smb://host/share",
            "https://",
            "-flag",
            "https://example.org/\n",
            "",
        ] {
            assert!(address(bad).is_err(), "{bad:?}");
        }
        assert!(address(&format!("https://example.org/{}", "a".repeat(9_000))).is_err());
    }

    #[test]
    fn only_documents_of_ours_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (home, other) = (folder.path().join("home"), folder.path().join("other"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        for file in [home.join("a.md"), home.join("run.sh"), home.join("x.desktop"), other.join("a.md")] {
            std::fs::write(file, "").unwrap();
        }
        assert!(allowed(&home.join("a.md"), &home, &[]).is_ok());
        assert!(allowed(&home, &home, &[]).is_ok());
        assert!(allowed(&home.join("run.sh"), &home, &[]).is_err());
        assert!(allowed(&home.join("x.desktop"), &home, &[]).is_err());
        assert!(allowed(&other.join("a.md"), &home, &[]).is_err());
        assert!(allowed(&home.join("../other/a.md"), &home, &[]).is_err());
        assert!(allowed(&other.join("a.md"), &home, std::slice::from_ref(&other)).is_ok());
        assert!(allowed(&home.join("missing.md"), &home, &[]).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(other.join("a.md"), home.join("link.md")).unwrap();
            assert!(allowed(&home.join("link.md"), &home, &[]).is_err());
        }
    }
}
