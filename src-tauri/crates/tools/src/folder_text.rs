//! A text file of a folder, read for the program itself with the care that tools take.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::safe_path::{PathPurpose, Roots};

/// A text of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderText {
    /// Where it lies, without links.
    pub path: PathBuf,
    /// Its text, cut at a character's end where it is longer than was asked for.
    pub text: String,
    /// Its whole length in bytes.
    pub bytes: u64,
}

/// Reads a text file of a folder, at most `most` bytes of it. `None` for what is not there, leads out of the folder, is no
/// file (a named pipe is not waited for) or no text.
pub fn text_inside(folder: &Path, name: &str, most: usize) -> Option<FolderText> {
    let place = Roots::fixed(folder).place(name, PathPurpose::Reading).ok().filter(|place| place.exists)?;
    let file = place.open().ok()?;
    let about = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes).ok()?;
    if bytes.contains(&0) {
        return None;
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.utf8_error().error_len().is_none() => {
            // The cut went through a character.
            let end = error.utf8_error().valid_up_to();
            String::from_utf8_lossy(&error.as_bytes()[..end]).into_owned()
        }
        Err(_) => return None,
    };
    Some(FolderText { path: place.path(), text, bytes: about.len() })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_up_to_the_bound_and_cut_between_characters() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("NOTES.md"), "abcé").unwrap();
        let read = |most| text_inside(folder.path(), "NOTES.md", most).map(|it| (it.text, it.bytes));
        assert_eq!(read(100), Some(("abcé".to_owned(), 5)));
        assert_eq!(read(4), Some(("abc".to_owned(), 5)));
    }

    #[test]
    fn links_out_of_the_folder_pipes_folders_and_bytes_are_not_read() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(other.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(other.path().join("secret"), folder.path().join("link")).unwrap();
        std::fs::write(folder.path().join("bytes"), [1, 0, 2]).unwrap();
        std::fs::write(folder.path().join("latin"), [b'a', 0xe9, b'b']).unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
        assert!(pipe.success());
        for name in ["link", "bytes", "latin", "folder", "pipe", "missing"] {
            assert_eq!(text_inside(folder.path(), name, 100), None, "{name}");
        }
        std::fs::write(folder.path().join("real"), "x").unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("inner")).unwrap();
        assert_eq!(text_inside(folder.path(), "inner", 100).unwrap().text, "x");
    }
}
