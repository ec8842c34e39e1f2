//! Commands within commands, for rules that deny; and beginnings of commands that may be granted.

use super::{Command, Line, plain_name, read};

/// Programs that run what their words say.
const WRAPPERS: &[&str] = &[
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "find",
    "firejail",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "pkexec",
    "proxychains",
    "run0",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "ssh",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "xargs",
    "xvfb-run",
    "do",
    "then",
    "else",
    "while",
    "until",
    "if",
    "!",
    "{",
    "fd",
    "fdfind",
    "trap",
    "bwrap",
];
/// Programs that run texts, whole languages of them.
const INTERPRETERS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "bun",
    "csh",
    "dash",
    "deno",
    "elvish",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "guile",
    "irb",
    "java",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "mawk",
    "mksh",
    "nawk",
    "node",
    "nodejs",
    "nu",
    "osascript",
    "perl",
    "php",
    "powershell",
    "psql",
    "pwsh",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "source",
    "sqlite3",
    "tclsh",
    "tcsh",
    "vim",
    "vi",
    "nvim",
    "emacs",
    "ed",
    "ex",
    "zsh",
    ".",
    "m4",
    "make",
    "less",
    "more",
    "man",
    "sed",
    "dc",
    "bc",
    "mysql",
    "uv",
    "pipx",
    "Rscript",
    "R",
    "ghci",
    "swift",
    "scala",
    "groovy",
    "racket",
    "sbcl",
    "ocaml",
    "erl",
    "elixir",
];
/// Programs of which no two calls are alike enough to be granted together.
const SHARP: &[&str] = &[
    "chattr",
    "chmod",
    "chown",
    "crontab",
    "curl",
    "dd",
    "at",
    "export",
    "fdisk",
    "halt",
    "iptables",
    "kill",
    "killall",
    "ln",
    "mkfs",
    "mount",
    "mv",
    "nc",
    "ncat",
    "parted",
    "pkill",
    "poweroff",
    "reboot",
    "rm",
    "rmdir",
    "rsync",
    "scp",
    "shred",
    "shutdown",
    "socat",
    "systemctl",
    "tee",
    "truncate",
    "umount",
    "unlink",
    "useradd",
    "usermod",
    "wget",
    "alias",
    "cp",
    "install",
    "set",
    "unset",
    "enable",
    "declare",
    "typeset",
    "readonly",
    "local",
    "let",
    "printf",
];
/// Programs whose second word says what they do.
const WITH_VERBS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "deno",
    "dnf",
    "docker",
    "dotnet",
    "flutter",
    "gcloud",
    "gem",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "helm",
    "hg",
    "jj",
    "just",
    "kubectl",
    "mix",
    "mvn",
    "npm",
    "nx",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "rails",
    "rake",
    "rustup",
    "sbt",
    "stack",
    "svn",
    "swift",
    "terraform",
    "turbo",
    "yarn",
    "zig",
];
/// Verbs that run something that is named after them.
const RUNNING_VERBS: &[&str] = &["run", "exec", "x", "dlx", "task", "script", "compose"];
const MAX_DEPTH: u32 = 4;

impl Command {
    /// Its words as rules that deny or ask see them: as they stand, without a path before the name, and each command
    /// that it may run in turn.
    pub(crate) fn guarded(&self) -> Vec<String> {
        let mut forms = Vec::new();
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        collect(&words, &mut forms, 0);
        forms
    }
}

fn collect(words: &[&str], forms: &mut Vec<String>, depth: u32) {
    let Some(name) = words.first() else { return };
    if depth > MAX_DEPTH || forms.len() > 400 {
        return;
    }
    let base = name.rsplit('/').next().unwrap_or(name);
    let joined = |words: &[&str]| {
        let mut words = words.to_vec();
        words[0] = base;
        words.join("\0")
    };
    forms.push(joined(words));
    if base == "git" {
        let plain = without_global_options(words);
        if plain.len() < words.len() {
            forms.push(joined(&plain));
        }
    }
    if WRAPPERS.contains(&base) {
        for start in 1..words.len().min(40) {
            collect(&words[start..], forms, depth + 1);
        }
    }
    if WRAPPERS.contains(&base) || INTERPRETERS.contains(&base) {
        for text in words.iter().skip(1).filter(|word| word.contains(char::is_whitespace)) {
            let Line { commands, .. } = read(text);
            for command in commands {
                let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
                collect(&words, forms, depth + 1);
            }
        }
    }
}

/// `git -C folder push` is `git push`.
fn without_global_options<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut plain = vec![words[0]];
    let mut rest = words[1..].iter();
    while let Some(word) = rest.next() {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" | "--super-prefix" => {
                rest.next();
            }
            option if option.starts_with('-') => {}
            verb => {
                plain.push(verb);
                plain.extend(rest.copied());
                break;
            }
        }
    }
    plain
}

/// The beginning of a command that may be granted for others like it; none for what can do anything.
pub(crate) fn prefix(command: &Command) -> Option<Vec<String>> {
    let mut words = vec![plain_name(command.name()).to_owned()];
    if !may_begin(&words[0]) {
        return None;
    }
    if WITH_VERBS.contains(&words[0].as_str()) {
        let mut rest = command.arguments().iter();
        loop {
            let word = rest.next()?;
            if word.glob || word.dynamic || !is_verb(&word.text) {
                return None;
            }
            words.push(word.text.clone());
            let enough = !RUNNING_VERBS.contains(&word.text.as_str()) || words.len() > 2;
            if enough {
                break;
            }
            // What `run` runs without a name is the folder's own program.
            if command.arguments().len() == 1 || command.arguments()[1].text.starts_with('-') {
                break;
            }
        }
    }
    (!runs_anything(&words)).then_some(words)
}

fn is_verb(word: &str) -> bool {
    word.bytes().next().is_some_and(|c| c.is_ascii_alphabetic())
        && word.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b':' | b'.'))
}

/// Whether a program's name says something about what it does.
fn may_begin(name: &str) -> bool {
    let plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.' | b'+'))
        && name.bytes().any(|c| c.is_ascii_alphabetic());
    let versioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let barred = |list: &[&str]| list.contains(&name) || list.contains(&versioned);
    plain && !barred(WRAPPERS) && !barred(INTERPRETERS) && !barred(SHARP)
}

/// A program with verbs is granted by verb, and never by one that takes a whole program as its word.
fn runs_anything(words: &[String]) -> bool {
    const GIT: &[&str] =
        &["bisect", "config", "difftool", "filter-branch", "mergetool", "rebase", "submodule"];
    match words {
        [only] => WITH_VERBS.contains(&only.as_str()),
        [git, verb, ..] if git == "git" => GIT.contains(&verb.as_str()),
        [_, verb] => matches!(verb.as_str(), "exec" | "x" | "dlx"),
        _ => false,
    }
}
