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

/// Commands that take options from a file that a word names after `@`.
pub(super) const TAKE_LISTS: &[&str] = &["nm", "objdump", "readelf", "size", "strings"];

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
        || matches!(name, "git" | "find" | "test" | "date" | "ps" | "tar" | "unzip" | "sed" | "xxd")
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
        "xxd" => nothing(xxd(arguments)),
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
        name if TAKE_LISTS.contains(&name) && arguments.iter().any(|word| word.text.starts_with('@')) => {
            Err("it takes options from a file".into())
        }
        // One of the programs of that name takes the letters out of any word.
        "yq" if arguments.iter().any(|word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('i')
        }) =>
        {
            Err("an `i` in an option may edit the file".into())
        }
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
                "debug",
            ],
            long_valued: &["key", "field-separator", "buffer-size", "parallel", "sort"],
            ..flags::NONE
        },
        "uniq" => Flags {
            short: "cdDiuz",
            valued: "fsw",
            long: &["count", "repeated", "all-repeated", "ignore-case", "unique", "zero-terminated", "group"],
            long_valued: &["skip-fields", "skip-chars", "check-chars"],
            most: 1,
            ..flags::NONE
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
                "color",
                "show-c-function",
                "expand-tabs",
                "no-dereference",
            ],
            long_valued: &["exclude", "width", "label"],
            ..flags::NONE
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
            apart: "LPI",
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
            ],
            long_valued: &["filelimit", "charset", "sort"],
            ..flags::NONE
        },
        "rg" => Flags {
            short: "abcFHIilLNnoPpqSsUuvwx0.",
            valued: "ABCEegfjmMrtTd",
            long: &[
                "case-sensitive",
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
                "heading",
                "hidden",
                "ignore-case",
                "invert-match",
                "json",
                "line-number",
                "line-regexp",
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
                "smart-case",
                "stats",
                "text",
                "trim",
                "type-list",
                "unrestricted",
                "vimgrep",
                "with-filename",
                "word-regexp",
            ],
            long_valued: &[
                "after-context",
                "before-context",
                "color",
                "colors",
                "context",
                "encoding",
                "file",
                "glob",
                "iglob",
                "max-columns",
                "max-count",
                "max-depth",
                "max-filesize",
                "regexp",
                "replace",
                "sort",
                "sortr",
                "threads",
                "type",
                "type-not",
            ],
            ..flags::NONE
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
                "quiet",
                "one-file-system",
                "print0",
            ],
            long_valued: &[
                "changed-before",
                "changed-within",
                "color",
                "exact-depth",
                "exclude",
                "extension",
                "max-depth",
                "max-results",
                "min-depth",
                "size",
                "type",
            ],
            ..flags::NONE
        },
        "yq" => Flags {
            short: "rePNjMC",
            valued: "op",
            long: &["unwrapScalar", "exit-status", "prettyPrint", "no-doc", "no-colors", "colors"],
            long_valued: &["output-format", "input-format", "indent"],
            ..flags::NONE
        },
        "base32" | "base64" => Flags {
            short: "diD",
            valued: "w",
            long: &["decode", "ignore-garbage"],
            long_valued: &["wrap"],
            ..flags::NONE
        },
        "getconf" => Flags { short: "a", most: 2, ..flags::NONE },
        // Some versions of `-n` have a value.
        "column" => Flags { short: "txeJ", valued: "csNOHoRTW", ..flags::NONE },
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
            let long_valued = &["head-count", "input-range"];
            Flags { short: "erz", valued: "in", long: &["echo"], long_valued, ..flags::NONE }
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
        long: &["utc", "universal", "iso-8601", "rfc-email"],
        long_valued: &["date", "reference", "rfc-3339"],
        most: 1,
        ..flags::NONE
    };
    match check(arguments, &flags)?.as_slice() {
        [word] if !word.text.starts_with('+') => Err("it may set the clock".into()),
        _ => Ok(()),
    }
}

/// `ps`, without the forms that print the environment of processes. What it can't read as its own options it reads again
/// as those of BSD, where `e` is the environment: `-eTH`, `-uxe`.
fn ps(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let flags = Flags {
        short: "AeFfljyLHw",
        apart: "opuCtGU",
        long: &["forest", "no-headers", "headers"],
        long_valued: &["sort", "pid", "ppid", "user"],
        most: 1,
        ..flags::NONE
    };
    match check(arguments, &flags)?.as_slice() {
        [] => Ok(()),
        [word] if matches!(word.text.as_str(), "aux" | "ax" | "auxww" | "axu" | "auxf" | "axf") => Ok(()),
        _ => Err("anything but the usual forms of `ps` may do more than read".into()),
    }
}

/// `xxd` with one file at most: a second one it writes. It reads each word as one option, by its first letter.
fn xxd(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let mut names = 0;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if word.glob {
            return Err(format!("`{text}` may become several words").into());
        }
        let mut letters = match text.strip_prefix('-') {
            Some(option) if !option.is_empty() => option.chars(),
            _ => {
                names += 1;
                continue;
            }
        };
        let known = match (letters.next(), letters.as_str()) {
            (Some('a' | 'b' | 'C' | 'd' | 'e' | 'E' | 'i' | 'p' | 'r' | 'u'), "") | (Some('p'), "s") => true,
            (Some('c' | 'g' | 'l' | 'o' | 's'), "") => rest.next().is_none_or(|value| is_offset(&value.text)),
            (Some('c' | 'g' | 'l' | 'o' | 's'), value) => is_offset(value),
            _ => false,
        };
        if !known {
            return Err(format!("the option `{text}` may write a file").into());
        }
    }
    if names > 1 { Err("it writes what is named last".into()) } else { Ok(()) }
}

/// Whether a text is a number as `xxd` takes it.
fn is_offset(text: &str) -> bool {
    let number = text.trim_start_matches(['+', '-']);
    match number.strip_prefix("0x") {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit()),
        None => !number.is_empty() && flags::is_number(number),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::forms::form;

    fn reads(line: &str) -> bool {
        let line = crate::shell::read(line);
        assert!(line.fault.is_none(), "{line:?}");
        only_reads(&line.commands[0]).is_ok()
    }

    #[test]
    fn options_with_values_are_read_in_each_usual_spelling() {
        for line in [
            "rg --glob '*.rs' --type rust main src",
            "rg -g '*.rs' -A 3 -m1 main",
            "git log --max-count 5 --date iso -n3 --diff-filter=A",
            "git branch --merged",
            "git branch --sort=-committerdate --format '%(refname)'",
            "git status -uno",
            "git diff -M50% -U3",
            "git tag -n5 --sort version:refname",
            "diff --label a --label b x y",
            "sort --parallel 4 -t, -k 2 x",
            "tree -aL 2 -I 'target|dist' src",
            "tree -L2",
            "xxd -s 0x10 -l 64 -c16 x",
            "xxd -r -ps x",
            "ps -eo pid,args --sort=-pcpu",
            "ps -p 123 -o pid=",
            "shuf -i 1-10 -n 2",
            "base64 -w 0 x",
            "getconf PAGE_SIZE",
            "yq -o json .a x",
        ] {
            assert!(reads(line), "{line}");
        }
    }

    #[test]
    fn both_tables_read_an_option_the_same_way() {
        const NAMES: &[&str] = &[
            "base64", "column", "diff", "fd", "file", "nm", "objdump", "readelf", "rg", "shuf", "size",
            "sort", "strings", "tree", "uniq",
        ];
        for name in NAMES {
            let (Some(flags), Some(form)) = (flags_of(name), form(name)) else { panic!("{name}") };
            let letters =
                |one: &str, other: &str| one.chars().filter(|c| other.contains(*c)).collect::<String>();
            for (mine, theirs) in [
                (flags.short, [form.valued, form.files, form.attached, form.apart].concat()),
                (flags.valued, [form.bare, form.deep, form.attached, form.apart].concat()),
                (flags.attached, [form.bare, form.deep, form.valued, form.files, form.apart].concat()),
                (flags.apart, [form.bare, form.deep, form.valued, form.files, form.attached].concat()),
            ] {
                assert_eq!(letters(mine, &theirs), "", "{name}");
            }
            assert!(!flags.long.iter().any(|long| form.long_valued.contains(long)), "{name}");
            assert!(!flags.long_valued.iter().any(|long| form.long.contains(long)), "{name}");
        }
    }
}
