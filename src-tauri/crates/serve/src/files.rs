//! The window's files, from one folder and nothing outside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::{ErrorCode, Problem};

use crate::{HttpGuard, auth};

/// The largest file that is given, in bytes.
const MAX_FILE_BYTES: u64 = 32 << 20;

pub(crate) async fn give(State(gate): State<Arc<HttpGuard>>, request: Request) -> Response {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response();
    }
    let missing = |what: &str| auth::problem(StatusCode::NOT_FOUND, &Problem::new(ErrorCode::NotFound, what));
    let Some(root) = gate.ui.clone() else {
        return missing(
            "the window's files are not here: build them with `npm run ui`, or name their folder with --ui",
        );
    };
    let Some(name) = name(request.uri().path()) else { return missing("there is no such file") };
    let kind = kind(&name);
    // Names of built files change with their contents.
    let keep = if name.starts_with("assets/") { "private, max-age=31536000, immutable" } else { "no-cache" };
    match tokio::task::spawn_blocking(move || read(&root, &name)).await {
        Ok(Some(bytes)) => ([(CONTENT_TYPE, kind), (CACHE_CONTROL, keep)], bytes).into_response(),
        Ok(None) | Err(_) => missing("there is no such file"),
    }
}

/// A path as a name below the folder: plain parts alone. Whatever is encoded is refused: no file of ours needs it.
fn name(path: &str) -> Option<String> {
    let path = path.strip_prefix('/')?;
    if path.is_empty() {
        return Some("index.html".to_owned());
    }
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    (path.len() <= 512 && path.split('/').all(plain)).then(|| path.to_owned())
}

/// A file's bytes. A link that leads out of the folder is no file.
fn read(root: &Path, name: &str) -> Option<Vec<u8>> {
    let root = root.canonicalize().ok()?;
    let file: PathBuf = root.join(name).canonicalize().ok()?;
    let about = std::fs::metadata(&file).ok()?;
    (file.starts_with(&root) && about.is_file() && about.len() <= MAX_FILE_BYTES)
        .then(|| std::fs::read(&file).ok())?
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("woff") => "font/woff",
        Some("ttf") => "font/ttf",
        Some("wasm") => "application/wasm",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_files() {
        assert_eq!(name("/").as_deref(), Some("index.html"));
        assert_eq!(name("/assets/index-Bx_1.js").as_deref(), Some("assets/index-Bx_1.js"));
        for bad in [
            "",
            "//",
            "/..",
            "/../x",
            "/a/../b",
            "/..%2fx",
            "/%2e%2e/x",
            "/a%00",
            "/a\\b",
            "/.git/config",
            "/a//b",
            "/assets/",
            "/é",
            "/a b",
        ] {
            assert_eq!(name(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_link_out_of_the_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ui");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        std::fs::write(root.join("index.html"), "page").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), root.join("link.txt")).unwrap();
        assert_eq!(read(&root, "index.html").as_deref(), Some(b"page".as_slice()));
        assert_eq!(read(&root, "link.txt"), None);
        assert_eq!(read(&root, "nothing.html"), None);
    }
}
