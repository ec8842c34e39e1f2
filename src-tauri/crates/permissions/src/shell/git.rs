//! `git`: sub-commands and options that only read. Options are listed rather than excluded, because git takes
//! beginnings of their names.

use super::flags::{Flags, check};
use super::{NotReadOnly, Word};

/// Options of log, show and diff that choose commits and say how they are printed.
const SHOWING: Flags = Flags {
    short: "pusizwbRaEFP0123456789cmtqg",
    valued: "nLSG",
    attached: "MCUX",
    long: &[
        "abbrev-commit",
        "abbrev",
        "all",
        "ancestry-path",
        "author-date-order",
        "bisect",
        "boundary",
        "branches",
        "cached",
        "cc",
        "cherry",
        "cherry-mark",
        "cherry-pick",
        "children",
        "color",
        "color-words",
        "compact-summary",
        "count",
        "cumulative",
        "date-order",
        "decorate",
        "dirstat",
        "exit-code",
        "find-copies",
        "find-copies-harder",
        "find-renames",
        "first-parent",
        "follow",
        "format",
        "full-history",
        "full-index",
        "function-context",
        "graph",
        "histogram",
        "ignore-all-space",
        "ignore-blank-lines",
        "ignore-cr-at-eol",
        "ignore-space-at-eol",
        "ignore-space-change",
        "left-right",
        "log-size",
        "max-parents",
        "merges",
        "min-parents",
        "minimal",
        "name-only",
        "name-status",
        "no-abbrev",
        "no-abbrev-commit",
        "no-color",
        "no-decorate",
        "no-ext-diff",
        "no-index",
        "no-merges",
        "no-notes",
        "no-patch",
        "no-prefix",
        "no-renames",
        "no-textconv",
        "not",
        "notes",
        "numstat",
        "oneline",
        "parents",
        "patch",
        "patch-with-raw",
        "patch-with-stat",
        "patience",
        "pickaxe-all",
        "pickaxe-regex",
        "pretty",
        "quiet",
        "raw",
        "relative",
        "relative-date",
        "remotes",
        "remove-empty",
        "reverse",
        "root",
        "shortstat",
        "simplify-by-decoration",
        "sparse",
        "staged",
        "stat",
        "stdin",
        "submodule",
        "summary",
        "tags",
        "text",
        "topo-order",
        "unified",
        "use-mailmap",
        "word-diff",
        "z",
        "ignore-submodules",
        "indent-heuristic",
        "invert-grep",
        "regexp-ignore-case",
        "no-indent-heuristic",
        "merge-base",
        "cherry",
        "walk-reflogs",
    ],
    long_valued: &[
        "after",
        "author",
        "before",
        "committer",
        "grep",
        "since",
        "until",
        "glob",
        "exclude",
        "diff-merges",
        "inter-hunk-context",
        "stat-width",
        "find-object",
        "date",
        "decorate-refs",
        "diff-algorithm",
        "diff-filter",
        "max-count",
        "skip",
        "word-diff-regex",
        "ws-error-highlight",
    ],
    ..super::flags::NONE
};

const NOTHING: Flags = Flags { most: 0, ..super::flags::NONE };

/// Whether these arguments of git only read.
pub(super) fn check_git(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let mut rest = arguments;
    loop {
        match rest {
            [word, ..] if word.glob || word.text.is_empty() => {
                return Err("the sub-command is not a plain word".into());
            }
            [word, tail @ ..]
                if matches!(word.text.as_str(), "--no-pager" | "--no-optional-locks" | "-P") =>
            {
                rest = tail
            }
            [word, folder, tail @ ..] if word.text == "-C" => {
                if folder.glob || folder.text.starts_with('-') {
                    return Err("the folder of `-C` is not a plain one".into());
                }
                rest = tail;
            }
            [word] if word.text == "--version" => return Ok(()),
            [word, ..] if word.text.starts_with('-') => {
                return Err(format!("`git {}` may do more than read", word.text).into());
            }
            [word, tail @ ..] => return sub_command(&word.text, tail),
            [] => return Err("it names no sub-command".into()),
        }
    }
}

fn sub_command(name: &str, arguments: &[Word]) -> Result<(), NotReadOnly> {
    let known = |flags: Flags| check(arguments, &flags).map(drop);
    match name {
        "log" | "show" | "diff" | "diff-tree" | "diff-index" | "diff-files" | "rev-list" | "whatchanged" => {
            known(SHOWING)
        }
        "status" => known(Flags {
            short: "sbvz",
            attached: "u",
            long: &[
                "short",
                "branch",
                "show-stash",
                "porcelain",
                "long",
                "verbose",
                "untracked-files",
                "ignored",
                "ignore-submodules",
                "column",
                "no-column",
                "ahead-behind",
                "no-ahead-behind",
                "renames",
                "no-renames",
                "find-renames",
            ],
            ..super::flags::NONE
        }),
        "shortlog" => known(Flags {
            short: "nsec0123456789",
            long: &["numbered", "summary", "email", "no-merges", "all"],
            long_valued: &["since", "until", "after", "before", "group"],
            ..super::flags::NONE
        }),
        "blame" | "annotate" => known(Flags {
            short: "blcstefnw",
            valued: "L",
            attached: "MC",
            long: &["show-email", "show-name", "show-number", "porcelain", "line-porcelain", "incremental"],
            long_valued: &["date"],
            ..super::flags::NONE
        }),
        "grep" => known(Flags {
            short: "aivwhHEGPFnlLzcpWqr0123456789",
            valued: "ABCefm",
            long: &[
                "cached",
                "untracked",
                "no-index",
                "text",
                "ignore-case",
                "word-regexp",
                "invert-match",
                "extended-regexp",
                "basic-regexp",
                "perl-regexp",
                "fixed-strings",
                "line-number",
                "column",
                "files-with-matches",
                "name-only",
                "files-without-match",
                "count",
                "color",
                "no-color",
                "break",
                "heading",
                "show-function",
                "function-context",
                "and",
                "or",
                "not",
                "all-match",
                "recursive",
                "no-recursive",
            ],
            long_valued: &["max-depth", "max-count", "context"],
            ..super::flags::NONE
        }),
        "ls-files" => known(Flags {
            short: "cdmoiskutvfz",
            valued: "xX",
            long: &[
                "cached",
                "deleted",
                "modified",
                "others",
                "ignored",
                "stage",
                "killed",
                "unmerged",
                "directory",
                "exclude-standard",
                "full-name",
                "error-unmatch",
                "abbrev",
                "debug",
                "eol",
                "deduplicate",
            ],
            long_valued: &["exclude"],
            ..super::flags::NONE
        }),
        "ls-tree" => known(Flags {
            short: "drtlz",
            long: &["long", "name-only", "name-status", "object-only", "full-name", "full-tree", "abbrev"],
            long_valued: &["format"],
            ..super::flags::NONE
        }),
        "rev-parse" => known(Flags {
            short: "q",
            long: &[
                "abbrev-ref",
                "short",
                "verify",
                "quiet",
                "symbolic",
                "symbolic-full-name",
                "git-dir",
                "absolute-git-dir",
                "git-common-dir",
                "show-toplevel",
                "show-prefix",
                "show-cdup",
                "is-inside-work-tree",
                "is-inside-git-dir",
                "is-bare-repository",
                "all",
                "branches",
                "tags",
                "remotes",
                "show-superproject-working-tree",
                "is-shallow-repository",
            ],
            ..super::flags::NONE
        }),
        "describe" => known(Flags {
            long: &[
                "all",
                "tags",
                "contains",
                "abbrev",
                "exact-match",
                "long",
                "always",
                "first-parent",
                "dirty",
                "broken",
            ],
            long_valued: &["candidates", "match", "exclude"],
            ..super::flags::NONE
        }),
        "cat-file" => known(Flags { short: "tsep", ..super::flags::NONE }),
        "merge-base" => known(Flags {
            short: "a",
            long: &["all", "octopus", "independent", "is-ancestor", "fork-point"],
            ..super::flags::NONE
        }),
        "show-ref" => known(Flags {
            short: "dqh",
            attached: "s",
            long: &["head", "heads", "branches", "tags", "dereference", "hash", "verify", "quiet", "abbrev"],
            ..super::flags::NONE
        }),
        "for-each-ref" => known(Flags {
            long_valued: &[
                "count",
                "sort",
                "format",
                "merged",
                "no-merged",
                "contains",
                "no-contains",
                "points-at",
            ],
            ..super::flags::NONE
        }),
        "name-rev" => known(Flags { long: &["tags", "name-only", "all", "always"], ..super::flags::NONE }),
        "count-objects" => known(Flags { short: "vH", long: &["verbose", "human-readable"], ..NOTHING }),
        "check-ignore" => {
            known(Flags { short: "vnqz", long: &["verbose", "quiet", "no-index"], ..super::flags::NONE })
        }
        "cherry" => known(Flags { short: "v", long: &["abbrev"], ..super::flags::NONE }),
        "version" => known(Flags { long: &["build-options"], ..NOTHING }),
        "branch" => listing(
            arguments,
            Flags {
                short: "arv",
                long: &[
                    "all",
                    "remotes",
                    "verbose",
                    "list",
                    "show-current",
                    "color",
                    "no-color",
                    "column",
                    "no-column",
                    "abbrev",
                    "no-abbrev",
                    "ignore-case",
                ],
                long_valued: &[
                    "sort",
                    "format",
                    "contains",
                    "no-contains",
                    "merged",
                    "no-merged",
                    "points-at",
                ],
                ..super::flags::NONE
            },
            &["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
        ),
        "tag" => listing(
            arguments,
            Flags {
                short: "l",
                attached: "n",
                long: &["list", "color", "no-color", "column", "no-column", "ignore-case"],
                long_valued: &[
                    "sort",
                    "format",
                    "contains",
                    "no-contains",
                    "merged",
                    "no-merged",
                    "points-at",
                ],
                ..super::flags::NONE
            },
            &["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"],
        ),
        "remote" => match texts(arguments).as_slice() {
            [] | ["-v" | "--verbose" | "show"] => Ok(()),
            ["get-url", name] if !name.starts_with('-') => Ok(()),
            _ => Err(unknown("remote")),
        },
        "stash" => match arguments {
            [first, rest @ ..] if first.text == "list" || first.text == "show" => {
                check(rest, &SHOWING).map(drop)
            }
            _ => Err(unknown("stash")),
        },
        "reflog" => match arguments {
            [] => Ok(()),
            [first, rest @ ..] if first.text == "show" => check(rest, &SHOWING).map(drop),
            _ => Err(unknown("reflog")),
        },
        "worktree" => match texts(arguments).as_slice() {
            ["list"] | ["list", "--porcelain" | "-v"] => Ok(()),
            _ => Err(unknown("worktree")),
        },
        "submodule" => match texts(arguments).as_slice() {
            ["status"] | ["status", "--recursive" | "--cached"] => Ok(()),
            _ => Err(unknown("submodule")),
        },
        "config" => config(arguments),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> NotReadOnly {
    format!("`git {name}` with these words may do more than read").into()
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| if word.glob { "-*" } else { word.text.as_str() }).collect()
}

/// A sub-command that lists as long as one of these options is there, and else creates what it is given.
fn listing(arguments: &[Word], flags: Flags, lists: &[&str]) -> Result<(), NotReadOnly> {
    let plain = check(arguments, &flags)?;
    if arguments.iter().any(|word| word.text == "--") {
        return Err("names after `--` may be created".into());
    }
    let listed = arguments.iter().any(|word| {
        let option = word.text.split('=').next().unwrap_or_default();
        lists.contains(&option)
    });
    if plain.is_empty() || listed { Ok(()) } else { Err("with a name it creates something".into()) }
}

fn config(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let flags = Flags {
        short: "lz",
        long: &[
            "get",
            "get-all",
            "get-regexp",
            "list",
            "show-origin",
            "show-scope",
            "global",
            "local",
            "system",
            "worktree",
            "name-only",
            "includes",
            "null",
            "bool",
            "int",
            "path",
        ],
        long_valued: &["type"],
        ..super::flags::NONE
    };
    let plain = check(arguments, &flags)?;
    if arguments.iter().any(|word| word.glob) {
        return Err("a pattern may become several words".into());
    }
    let has = |names: &[&str]| arguments.iter().any(|word| names.contains(&word.text.as_str()));
    let reads = has(&["--get", "--get-all", "--get-regexp"]);
    match plain.as_slice() {
        [] if has(&["--list", "-l"]) => Ok(()),
        [only] if reads || only.text.contains('.') => Ok(()),
        [_, _] if reads => Ok(()),
        _ => Err("`git config` with these words may set something".into()),
    }
}
