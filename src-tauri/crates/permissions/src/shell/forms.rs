//! The options and words of commands that read files.

use super::Extent;

/// What the words of a command are that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// Files.
    Files,
    /// No files.
    Text,
    /// A pattern or script, then files.
    TextThenFiles,
}

/// A command's options and words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Letters of options without a value.
    pub bare: &'static str,
    /// Letters of options with a value that is no file.
    pub valued: &'static str,
    /// Letters of options with a file for a value.
    pub files: &'static str,
    /// Letters of options with which it goes on below folders.
    pub deep: &'static str,
    /// Long options without a value, or with one after `=` that is no file.
    pub long: &'static [&'static str],
    /// Long options with which it goes on below folders.
    pub long_deep: &'static [&'static str],
    pub words: Words,
    /// How far it reads from each file; without any file from the directory, if it is not `Exact`.
    pub extent: Extent,
}

const FILES: Form = Form {
    bare: "",
    valued: "",
    files: "",
    deep: "",
    long: &[],
    long_deep: &[],
    words: Words::Files,
    extent: Extent::Exact,
};

/// The options of commands that read files. What is left out reads more than its words say: `--files0-from`, `-c` of
/// checksums, `-S` of `objdump`.
pub(super) fn form(name: &str) -> Option<Form> {
    let form = match name {
        "cat" => Form {
            bare: "AbeEnstTuv",
            long: &["number", "number-nonblank", "show-all", "show-ends", "show-tabs", "squeeze-blank"],
            ..FILES
        },
        "head" => Form {
            bare: "qvz0123456789",
            valued: "nc",
            long: &["lines", "bytes", "quiet", "silent", "verbose"],
            ..FILES
        },
        "tail" => Form {
            bare: "fFqvrz0123456789",
            valued: "ncs",
            long: &[
                "lines",
                "bytes",
                "follow",
                "pid",
                "retry",
                "quiet",
                "silent",
                "verbose",
                "sleep-interval",
            ],
            ..FILES
        },
        "nl" => Form { bare: "p", valued: "bdfhilnsvw", ..FILES },
        "tac" => Form { bare: "br", valued: "s", ..FILES },
        "rev" | "tsort" | "zcat" | "zipinfo" | "users" | "who" => FILES,
        "fold" => Form { bare: "bs0123456789", valued: "w", long: &["width", "spaces", "bytes"], ..FILES },
        "fmt" => Form { bare: "cstu0123456789", valued: "wgp", long: &["width"], ..FILES },
        "expand" | "unexpand" => Form { bare: "ai0123456789", valued: "t", long: &["tabs"], ..FILES },
        "cut" => Form {
            bare: "nsz",
            valued: "bcdf",
            long: &[
                "bytes",
                "characters",
                "complement",
                "delimiter",
                "fields",
                "only-delimited",
                "output-delimiter",
            ],
            ..FILES
        },
        "paste" => Form { bare: "sz", valued: "d", long: &["delimiters", "serial"], ..FILES },
        "join" => Form { bare: "iz", valued: "aejotv12", ..FILES },
        "comm" => Form { bare: "123z", long: &["output-delimiter", "total", "nocheck-order"], ..FILES },
        "cmp" => Form { bare: "bls", valued: "in", long: &["silent", "quiet", "verbose"], ..FILES },
        "wc" => Form {
            bare: "clmwL",
            long: &["bytes", "chars", "lines", "words", "max-line-length", "total"],
            ..FILES
        },
        "od" => Form { bare: "abcdfilosxv", valued: "ANjtSw", ..FILES },
        "hexdump" => Form { bare: "bcCdovx", valued: "nse", files: "f", ..FILES },
        "xxd" => Form { bare: "abCeEiprRuU", valued: "cglos", ..FILES },
        "base32" | "base64" => {
            Form { bare: "di", valued: "w", long: &["decode", "ignore-garbage", "wrap"], ..FILES }
        }
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" | "cksum"
        | "sum" => Form { bare: "btzrs", valued: "al", long: &["binary", "text", "tag"], ..FILES },
        "column" => Form { bare: "txenJ", valued: "csNOHoRTW", ..FILES },
        "ls" | "dir" | "vdir" => Form {
            bare: "aAbBcCdfFgGhHiklLmnNopqQrsStuUvxXZ1",
            valued: "wTI",
            deep: "R",
            long: &[
                "all",
                "almost-all",
                "author",
                "block-size",
                "classify",
                "color",
                "directory",
                "file-type",
                "format",
                "full-time",
                "group-directories-first",
                "hide",
                "human-readable",
                "hyperlink",
                "ignore",
                "inode",
                "no-group",
                "numeric-uid-gid",
                "quoting-style",
                "reverse",
                "si",
                "size",
                "sort",
                "time",
                "time-style",
                "width",
            ],
            long_deep: &["recursive"],
            ..FILES
        },
        "stat" => Form {
            bare: "Lft",
            valued: "c",
            long: &["dereference", "file-system", "terse", "format", "printf"],
            ..FILES
        },
        "readlink" => Form { bare: "femnqsvz", long: &["canonicalize"], ..FILES },
        "realpath" => Form { bare: "emLPqsz", ..FILES },
        "df" => Form {
            bare: "ahHiklPTv",
            valued: "Btx",
            long: &[
                "all",
                "human-readable",
                "inodes",
                "local",
                "output",
                "portability",
                "print-type",
                "total",
            ],
            ..FILES
        },
        "du" => Form {
            bare: "0abchHklmsSx",
            valued: "Bdt",
            long: &[
                "all",
                "apparent-size",
                "bytes",
                "human-readable",
                "max-depth",
                "si",
                "summarize",
                "threshold",
                "time",
                "total",
            ],
            extent: Extent::Below,
            ..FILES
        },
        "tree" => Form {
            bare: "adfipsughDFtrUcCnxqNQAS",
            valued: "LPI",
            long: &[
                "dirsfirst",
                "noreport",
                "prune",
                "du",
                "si",
                "gitignore",
                "inodes",
                "sort",
                "filelimit",
                "charset",
            ],
            extent: Extent::Below,
            ..FILES
        },
        "grep" | "egrep" | "fgrep" => Form {
            bare: "abcEFGhHiILlnoPqsTUvVwxyZz0123456789",
            valued: "ABCme",
            files: "f",
            deep: "rR",
            long: &[
                "after-context",
                "basic-regexp",
                "before-context",
                "binary-files",
                "byte-offset",
                "color",
                "colour",
                "context",
                "count",
                "exclude",
                "exclude-dir",
                "extended-regexp",
                "files-with-matches",
                "files-without-match",
                "fixed-strings",
                "ignore-case",
                "include",
                "invert-match",
                "label",
                "line-number",
                "line-regexp",
                "max-count",
                "no-filename",
                "no-messages",
                "null",
                "null-data",
                "only-matching",
                "perl-regexp",
                "quiet",
                "regexp",
                "silent",
                "text",
                "version",
                "with-filename",
                "word-regexp",
            ],
            long_deep: &["recursive", "dereference-recursive"],
            words: Words::TextThenFiles,
            ..FILES
        },
        // What it may be given was checked; a value of a long option that is a word of its own counts as a file.
        "rg" => Form {
            bare: "abcFHIilLNnoPpqSsUuvwx0.",
            valued: "ABCEegjmMrtTd",
            files: "f",
            long: &[
                "after-context",
                "before-context",
                "case-sensitive",
                "color",
                "column",
                "context",
                "count",
                "count-matches",
                "files",
                "files-with-matches",
                "files-without-match",
                "fixed-strings",
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
                "max-filesize",
                "multiline",
                "multiline-dotall",
                "no-filename",
                "no-heading",
                "no-ignore",
                "no-ignore-vcs",
                "no-line-number",
                "no-messages",
                "null",
                "only-matching",
                "passthru",
                "pcre2",
                "pretty",
                "quiet",
                "regexp",
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
            ],
            words: Words::TextThenFiles,
            extent: Extent::Below,
            ..FILES
        },
        "fd" | "fdfind" => Form {
            bare: "HIusiFgapL01q",
            valued: "deEtScj",
            long: &[
                "absolute-path",
                "extension",
                "exclude",
                "exact-depth",
                "fixed-strings",
                "full-path",
                "glob",
                "hidden",
                "ignore-case",
                "max-depth",
                "max-results",
                "min-depth",
                "no-ignore",
                "no-ignore-vcs",
                "print0",
                "quiet",
                "size",
                "type",
                "unrestricted",
            ],
            words: Words::TextThenFiles,
            extent: Extent::Below,
            ..FILES
        },
        // Of two folders it compares the files, and of those what links lead to.
        "diff" => Form {
            bare: "qsyuceniEbBwatrNpTdZ0123456789",
            valued: "UCWxLFI",
            long: &[
                "brief",
                "color",
                "context",
                "exclude",
                "ignore-all-space",
                "ignore-blank-lines",
                "ignore-case",
                "ignore-space-change",
                "label",
                "minimal",
                "new-file",
                "no-dereference",
                "recursive",
                "report-identical-files",
                "side-by-side",
                "strip-trailing-cr",
                "suppress-common-lines",
                "text",
                "unified",
                "width",
            ],
            extent: Extent::Below,
            ..FILES
        },
        "file" => Form {
            bare: "bhiLkNnr0E",
            valued: "F",
            long: &[
                "brief",
                "dereference",
                "keep-going",
                "mime",
                "mime-encoding",
                "mime-type",
                "no-dereference",
            ],
            ..FILES
        },
        "sort" => Form {
            bare: "bdfghiMnRrVcCmsuz",
            valued: "ktS",
            long: &[
                "check",
                "dictionary-order",
                "field-separator",
                "general-numeric-sort",
                "human-numeric-sort",
                "ignore-case",
                "key",
                "month-sort",
                "numeric-sort",
                "reverse",
                "stable",
                "unique",
                "version-sort",
            ],
            ..FILES
        },
        "uniq" => Form {
            bare: "cdDiuz",
            valued: "fsw",
            long: &[
                "count",
                "repeated",
                "all-repeated",
                "ignore-case",
                "unique",
                "skip-fields",
                "skip-chars",
            ],
            ..FILES
        },
        "shuf" => Form { bare: "eirz", valued: "n", long: &["head-count", "input-range", "echo"], ..FILES },
        "date" => Form {
            bare: "uR",
            valued: "d",
            files: "r",
            long: &["utc", "universal", "date"],
            words: Words::Text,
            ..FILES
        },
        "sed" => Form { bare: "n", words: Words::TextThenFiles, ..FILES },
        "jq" => Form {
            bare: "acCejMnrRsS",
            long: &[
                "ascii-output",
                "color-output",
                "compact-output",
                "exit-status",
                "join-output",
                "monochrome-output",
                "null-input",
                "raw-input",
                "raw-output",
                "slurp",
                "sort-keys",
                "tab",
            ],
            words: Words::TextThenFiles,
            ..FILES
        },
        "objdump" => Form {
            bare: "adDfhpRrsTtxCwz",
            valued: "jMm",
            long: &["disassemble", "syms", "headers", "section-headers", "all-headers", "demangle"],
            ..FILES
        },
        "nm" => Form { bare: "aACDglnoprSu", long: &["demangle", "dynamic", "defined-only"], ..FILES },
        "readelf" => Form { bare: "ahlSsrdVAIW", valued: "px", ..FILES },
        "size" => Form { bare: "ABdoxt", ..FILES },
        "strings" => Form { bare: "afo", valued: "nte", ..FILES },
        _ => return None,
    };
    Some(form)
}
