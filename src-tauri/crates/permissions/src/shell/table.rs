//! Commands of which it is known when they only read.

use super::flags::{self, Flags, check};
use super::{Command, NotReadOnly, Word, find, git, plain_name};

/// What a command that only reads needs for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReadOnlyCondition {
    /// Nothing.
    Nothing,
    /// To be confined: a folder's own configuration can make it run other programs.
    Confinement,
}

/// Commands that write nothing, whatever they are given.
const HARMLESS: &[&str] = &[
    "arch",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "cat",
    "cd",
    "cal",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "df",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "fmt",
    "fold",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "hexdump",
    "id",
    "join",
    "locale",
    "logname",
    "ls",
    "lsblk",
    "lscpu",
    "md5sum",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "sleep",
    "stat",
    "sum",
    "tac",
    "tail",
    "tr",
    "true",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uptime",
    "users",
    "vdir",
    "dir",
    "wc",
    "which",
    "who",
    "whoami",
    "jq",
];

/// Programs that tell their version and do nothing else when that is all they are asked. Which program of that name
/// answers may be chosen by files of the folder.
const VERSIONED: &[&str] = &[
    "awk", "bash", "bun", "cargo", "clang", "cmake", "deno", "docker", "dotnet", "g++", "gcc", "gh", "java",
    "javac", "make", "node", "npm", "npx", "php", "pip", "pip3", "pnpm", "python", "python3", "ruby",
    "rustc", "rustup", "sed", "tsc", "uv", "yarn",
];

/// Whether a program is there to read, whatever its options make of it.
pub(crate) fn is_reader(command: &Command) -> bool {
    let name = plain_name(command.name());
    HARMLESS.contains(&name)
        || matches!(name, "git" | "find" | "test" | "date" | "ps" | "tar" | "unzip" | "sed")
        || flags_of(name).is_some()
}

/// Whether a command only reads, or why that is not known.
pub(crate) fn only_reads(command: &Command) -> Result<ReadOnlyCondition, NotReadOnly> {
    let name = plain_name(command.name());
    let arguments = command.arguments();
    let nothing = |verdict: Result<(), NotReadOnly>| verdict.map(|()| ReadOnlyCondition::Nothing);
    if HARMLESS.contains(&name) {
        return Ok(ReadOnlyCondition::Nothing);
    }
    match name {
        "git" => git::check_git(arguments).map(|()| ReadOnlyCondition::Confinement),
        "find" => nothing(find::check(arguments)),
        "test" => nothing(test(arguments)),
        "sed" if !is_version(arguments) => nothing(sed(arguments)),
        "type" => nothing(known(arguments, &Flags { short: "atpPf", ..flags::NONE })),
        "command" => match arguments {
            [first, names @ ..] if first.text == "-v" && !names.is_empty() => {
                nothing(known(names, &flags::NONE))
            }
            _ => Err("it runs another command".into()),
        },
        "tar" => nothing(tar(arguments)),
        "unzip" => match arguments {
            [first, file] if matches!(first.text.as_str(), "-l" | "-v" | "-Z") && is_file(file) => {
                Ok(ReadOnlyCondition::Nothing)
            }
            _ => Err("anything but `unzip -l FILE` may do more than read".into()),
        },
        "go" if matches!(arguments, [word] if word.text == "version") => Ok(ReadOnlyCondition::Confinement),
        name if is_version(arguments) && VERSIONED.contains(&name) => Ok(ReadOnlyCondition::Confinement),
        "date" => nothing(date(arguments)),
        "ps" => nothing(ps(arguments)),
        name => match flags_of(name) {
            Some(flags) => nothing(known(arguments, &flags)),
            None => Err("it may do more than read".into()),
        },
    }
}

fn known(arguments: &[Word], flags: &Flags) -> Result<(), NotReadOnly> {
    check(arguments, flags).map(drop)
}

fn is_version(arguments: &[Word]) -> bool {
    matches!(arguments, [word] if word.text == "--version")
}

fn is_file(word: &Word) -> bool {
    !word.glob && !word.text.starts_with('-') && !word.text.contains(':')
}

/// Commands that write with some options or with too many names.
fn flags_of(name: &str) -> Option<Flags> {
    let flags = match name {
        "sort" => Flags {
            short: "bdfghiMnRrVcCmsuz",
            valued: "ktS",
            long: &[
                "ignore-leading-blanks",
                "dictionary-order",
                "ignore-case",
                "general-numeric-sort",
                "human-numeric-sort",
                "ignore-nonprinting",
                "month-sort",
                "numeric-sort",
                "random-sort",
                "reverse",
                "version-sort",
                "check",
                "merge",
                "stable",
                "unique",
                "zero-terminated",
                "parallel",
                "sort",
                "debug",
            ],
            long_valued: &["key", "field-separator", "buffer-size"],
            most: usize::MAX,
        },
        "uniq" => Flags {
            short: "cdDiuz",
            valued: "fsw",
            long: &["count", "repeated", "all-repeated", "ignore-case", "unique", "zero-terminated", "group"],
            long_valued: &["skip-fields", "skip-chars", "check-chars"],
            most: 1,
        },
        "diff" => Flags {
            short: "qsyuceniEbBwatrNpTdZ0123456789",
            valued: "UCWxLFI",
            long: &[
                "brief",
                "report-identical-files",
                "side-by-side",
                "unified",
                "context",
                "ed",
                "normal",
                "ignore-case",
                "ignore-all-space",
                "ignore-space-change",
                "ignore-blank-lines",
                "ignore-trailing-space",
                "text",
                "recursive",
                "new-file",
                "minimal",
                "suppress-common-lines",
                "strip-trailing-cr",
                "exclude",
                "color",
                "width",
                "label",
                "show-c-function",
                "expand-tabs",
                "no-dereference",
            ],
            long_valued: &[],
            most: usize::MAX,
        },
        "hostname" => Flags { short: "fsidIA", most: 0, ..flags::NONE },
        "file" => Flags {
            short: "bhiLkNnr0E",
            valued: "F",
            long: &[
                "brief",
                "mime",
                "mime-type",
                "mime-encoding",
                "dereference",
                "no-dereference",
                "keep-going",
            ],
            ..flags::NONE
        },
        "tree" => Flags {
            short: "adfilpsughDFtrUcCnxqNQAS",
            valued: "LPI",
            long: &[
                "dirsfirst",
                "noreport",
                "prune",
                "du",
                "si",
                "gitignore",
                "inodes",
                "device",
                "filesfirst",
                "matchdirs",
                "ignore-case",
                "nolinks",
                "sort",
            ],
            long_valued: &["filelimit", "charset"],
            most: usize::MAX,
        },
        "rg" => Flags {
            short: "abcFHIilLNnoPpqSsUuvwx0.",
            valued: "ABCEegfjmMrtTd",
            long: &[
                "after-context",
                "before-context",
                "context",
                "case-sensitive",
                "color",
                "colors",
                "column",
                "count",
                "count-matches",
                "crlf",
                "debug",
                "files",
                "files-with-matches",
                "files-without-match",
                "fixed-strings",
                "follow",
                "glob",
                "heading",
                "hidden",
                "iglob",
                "ignore-case",
                "invert-match",
                "json",
                "line-number",
                "line-regexp",
                "max-columns",
                "max-count",
                "max-depth",
                "multiline",
                "multiline-dotall",
                "no-config",
                "no-filename",
                "no-heading",
                "no-ignore",
                "no-ignore-vcs",
                "no-line-number",
                "no-messages",
                "null",
                "one-file-system",
                "only-matching",
                "passthru",
                "pcre2",
                "pretty",
                "quiet",
                "replace",
                "smart-case",
                "sort",
                "sortr",
                "stats",
                "text",
                "trim",
                "type",
                "type-list",
                "type-not",
                "unrestricted",
                "vimgrep",
                "with-filename",
                "word-regexp",
                "max-filesize",
                "threads",
                "encoding",
            ],
            long_valued: &["regexp", "file"],
            most: usize::MAX,
        },
        "fd" | "fdfind" => Flags {
            short: "HIusiFgapL01q",
            valued: "deEtScj",
            long: &[
                "hidden",
                "no-ignore",
                "no-ignore-vcs",
                "unrestricted",
                "case-sensitive",
                "ignore-case",
                "fixed-strings",
                "glob",
                "regex",
                "absolute-path",
                "full-path",
                "follow",
                "max-depth",
                "min-depth",
                "exact-depth",
                "extension",
                "exclude",
                "type",
                "size",
                "changed-within",
                "changed-before",
                "color",
                "max-results",
                "quiet",
                "one-file-system",
                "print0",
            ],
            ..flags::NONE
        },
        "yq" => Flags {
            short: "rePNjMC",
            valued: "op",
            long: &["unwrapScalar", "exit-status", "prettyPrint", "no-doc", "no-colors", "colors"],
            long_valued: &["output-format", "input-format", "indent"],
            most: usize::MAX,
        },
        "xxd" => Flags { short: "abCeEiprRuU", valued: "cglos", most: 1, ..flags::NONE },
        "column" => Flags { short: "txenJ", valued: "csNOHoRTW", ..flags::NONE },
        "objdump" => Flags {
            short: "adDfhpRrSsTtxCwz",
            valued: "jMm",
            long: &["disassemble", "syms", "headers", "section-headers", "all-headers", "source", "demangle"],
            ..flags::NONE
        },
        "nm" => {
            Flags { short: "aACDglnoprSu", long: &["demangle", "dynamic", "defined-only"], ..flags::NONE }
        }
        "readelf" => Flags { short: "ahlSsrdVAIW", valued: "px", ..flags::NONE },
        "size" => Flags { short: "ABdoxt", ..flags::NONE },
        "strings" => Flags { short: "afo", valued: "nte", ..flags::NONE },
        "shuf" => {
            Flags { short: "eirz", valued: "n", long: &["head-count", "input-range", "echo"], ..flags::NONE }
        }
        "printf" => flags::NONE,
        "zcat" | "zipinfo" => flags::NONE,
        _ => return None,
    };
    Some(flags)
}

/// `date` that prints a time; given another word it would set the clock.
fn date(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let flags = Flags {
        short: "uR",
        valued: "dr",
        long: &["utc", "universal", "rfc-3339", "iso-8601", "rfc-email"],
        long_valued: &["date", "reference"],
        most: 1,
    };
    match check(arguments, &flags)?.as_slice() {
        [word] if !word.text.starts_with('+') => Err("it may set the clock".into()),
        _ => Ok(()),
    }
}

/// `ps`, without the forms that print the environment of processes.
fn ps(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let flags = Flags {
        short: "AeFfljyLTHw",
        valued: "opuCtGU",
        long: &["forest", "no-headers", "sort", "pid", "ppid", "user", "headers"],
        long_valued: &[],
        most: 1,
    };
    match check(arguments, &flags)?.as_slice() {
        [] => Ok(()),
        [word] if matches!(word.text.as_str(), "aux" | "ax" | "auxww" | "axu" | "auxf" | "axf") => Ok(()),
        _ => Err("anything but the usual forms of `ps` may do more than read".into()),
    }
}

/// `test` without the operators whose operands the shell evaluates.
fn test(arguments: &[Word]) -> Result<(), NotReadOnly> {
    const OPERATORS: &[&str] = &[
        "!", "=", "==", "!=", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-z", "-n", "-nt", "-ot",
        "-ef",
    ];
    for word in arguments {
        if word.glob || word.text.starts_with('-') && !OPERATORS.contains(&word.text.as_str()) {
            return Err(format!("`{}` may do more than read", word.text).into());
        }
    }
    Ok(())
}

/// `sed -n` with a script that only prints lines.
fn sed(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let only = || NotReadOnly::from("anything but `sed -n` that prints lines may do more than read");
    let [first, script, files @ ..] = arguments else { return Err(only()) };
    let prints = |part: &str| {
        let Some(range) = part.trim().strip_suffix('p') else { return false };
        let place = |text: &str| text == "$" || !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        match range.split_once(',') {
            Some((from, to)) => place(from) && place(to),
            None => place(range),
        }
    };
    if first.text != "-n" || script.glob || !script.text.split(';').all(prints) {
        return Err(only());
    }
    // Options may follow the files, too.
    if files.iter().any(|file| file.leading || file.text.starts_with('-')) {
        return Err(only());
    }
    Ok(())
}

/// `tar` that lists.
fn tar(arguments: &[Word]) -> Result<(), NotReadOnly> {
    const LISTS: &[&str] = &[
        "tf", "-tf", "tvf", "-tvf", "tzf", "-tzf", "tjf", "-tjf", "tJf", "-tJf", "tvzf", "-tvzf", "tzvf",
        "-tzvf",
    ];
    match arguments {
        [mode, file] if LISTS.contains(&mode.text.as_str()) && !mode.glob && is_file(file) => Ok(()),
        _ => Err("anything but `tar -tf FILE` may do more than read".into()),
    }
}
