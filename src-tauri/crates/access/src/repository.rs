//! Whether git can read a repository without running a program that the repository itself names.

use std::path::Path;

use permissions::PlainRepository;

/// The longest list of settings that is looked at, in bytes.
const MAX_SETTINGS_BYTES: u64 = 64 << 10;
/// The longest list of files, in bytes.
const MAX_INDEX_BYTES: u64 = 32 << 20;

/// Settings that name no program and no other place, as `section.name`; of a section with a name of its own, without it.
const HARMLESS: &[&str] = &[
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.quotepath",
    "core.abbrev",
    "remote.url",
    "remote.fetch",
    "remote.pushurl",
    "remote.tagopt",
    "remote.prune",
    "remote.gh-resolved",
    "branch.remote",
    "branch.merge",
    "branch.rebase",
    "branch.description",
    "branch.vscode-merge-base",
    "branch.gh-merge-base",
    "user.name",
    "user.email",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "fetch.prune",
    "init.defaultbranch",
    "merge.ff",
    "rebase.autostash",
    "color.ui",
    "gc.auto",
    "commit.gpgsign",
];

/// The repository of a folder, or of one above it, if its settings are harmless ones and it has no others inside.
pub(crate) fn plain(folder: &Path) -> Option<PlainRepository> {
    let root = folder.ancestors().find(|path| path.join(".git").symlink_metadata().is_ok())?;
    let git = root.join(".git");
    // A worktree's repository lies elsewhere, and so does what a link leads to.
    let own = git.symlink_metadata().ok()?.is_dir() && !git.join("commondir").exists();
    let alone = !git.join("modules").exists() && !git.join("config.worktree").exists();
    if !own || !alone || !settings(&text(&git.join("config"), MAX_SETTINGS_BYTES)?) {
        return None;
    }
    let index = git.join("index");
    let files = if index.exists() { files(&bytes(&index, MAX_INDEX_BYTES)?)? } else { Vec::new() };
    Some(PlainRepository { root: root.to_str()?.to_owned(), files })
}

fn bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    let small = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= most);
    small.then(|| std::fs::read(path).ok()).flatten()
}

fn text(path: &Path, most: u64) -> Option<String> {
    String::from_utf8(bytes(path, most)?).ok()
}

/// Whether all settings are known to name no program. Whatever is written in another way than git itself writes it is not.
fn settings(text: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).all(|line| {
        if let Some(head) = line.strip_prefix('[') {
            let Some(head) = head.strip_suffix(']') else { return false };
            section = head.split([' ', '"']).next().unwrap_or_default().to_ascii_lowercase();
            return true;
        }
        let name = line.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        !line.ends_with('\\') && HARMLESS.contains(&format!("{section}.{name}").as_str())
    })
}

/// The files that an index names. `None`: its form is not known.
///
/// Source: gitformat-index(5): a head of 12 bytes, then entries of 62 bytes with the name behind them, filled up with zero
/// bytes to a multiple of eight.
fn files(index: &[u8]) -> Option<Vec<String>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    if index.get(..4)? != b"DIRC" || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut files = Vec::new();
    let mut at = 12;
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        let begin = at + if flags & 0x4000 != 0 { 64 } else { 62 };
        let name = index.get(begin..)?.split(|byte| *byte == 0).next()?;
        files.push(String::from_utf8_lossy(name).into_owned());
        at += (begin - at + name.len() + 8) / 8 * 8;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_may_name_a_program_are_not_plain() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://a/b\n";
        assert!(settings(plain));
        for more in [
            "[core]\n\tfsmonitor = ./evil\n",
            "[core] fsmonitor = ./evil\n",
            "[filter \"x\"]\n\tclean = ./evil\n",
            "[diff \"x\"]\n\ttextconv = ./evil\n",
            "[diff]\n\texternal = ./evil\n",
            "[include]\n\tpath = ../evil\n",
            "[core]\n\tworktree = /home\n",
            "[user]\n\tname = a\\\n[x]\n",
            "[alias]\n\tst = !evil\n",
        ] {
            assert!(!settings(&format!("{plain}{more}")), "{more}");
        }
    }
}
