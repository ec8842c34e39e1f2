//! Lists the repository's `agents`, `prompts` and `sources` folders for embedding: sorted by path, without hidden files
//! and without the generated schemas. A folder that isn't there is an empty one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDERS: [&str; 3] = ["agents", "prompts", "sources"];
/// Written from the types; the program makes them itself.
const GENERATED: [&str; 8] = [
    "agents/agent.schema.json",
    "agents/mission.schema.json",
    "sources/connections.schema.json",
    "sources/labels.schema.json",
    "sources/permissions.schema.json",
    "sources/source.schema.json",
    "sources/statuses.schema.json",
    "sources/views.schema.json",
];
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

fn main() -> io::Result<()> {
    let variable = |name| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name));
    let root = variable("CARGO_MANIFEST_DIR")?.join("../../..").canonicalize()?;
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        collect(&root, folder, &mut files)?;
    }
    files.sort();
    let mut code = String::from("&[\n");
    for name in files {
        let path = root.join(&name);
        writeln!(code, "    ({name:?}, include_bytes!({path:?}) as &[u8]),").map_err(io::Error::other)?;
    }
    code.push_str("]\n");
    fs::write(variable("OUT_DIR")?.join("shipped.rs"), code)
}

fn collect(root: &Path, folder: &str, files: &mut Vec<String>) -> io::Result<()> {
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{folder}/{name}");
        if name.starts_with('.') || name.ends_with('~') || GENERATED.contains(&path.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(root, &path, files)?;
        } else if kind.is_file() {
            if entry.metadata()?.len() > MAX_FILE_BYTES {
                return Err(io::Error::other(format!("{path} is too large to embed")));
            }
            files.push(path);
        }
    }
    Ok(())
}
