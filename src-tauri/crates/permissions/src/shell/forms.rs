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
    /// Letters of options with a value that is no file: the rest of their word, or else the next word.
    pub valued: &'static str,
    /// Letters of options whose value, no file, can only be the rest of their word.
    pub attached: &'static str,
    /// Letters of options whose value, no file, is the next word; nothing but digits may follow them in their own.
    pub apart: &'static str,
    /// Letters of options with a file for a value.
    pub files: &'static str,
    /// Letters of options with which it goes on below folders.
    pub deep: &'static str,
    /// Long options without a value, or with one that is no file and can only follow after `=`.
    pub long: &'static [&'static str],
    /// Long options with a value that is no file: after `=`, or else the next word.
    pub long_valued: &'static [&'static str],
    /// Long options with which it goes on below folders.
    pub long_deep: &'static [&'static str],
    pub words: Words,
    /// How far it reads from each file; without any file from the directory, if it is not `Exact`.
    pub extent: Extent,
}

const FILES: Form = Form {
    bare: "",
    valued: "",
    attached: "",
    apart: "",
    files: "",
    deep: "",
    long: &[],
    long_valued: &[],
    long_deep: &[],
    words: Words::Files,
    extent: Extent::Exact,
};

/// The options of commands that read files. What is left out reads more than its words say (`--files0-from`, `-c` of
/// checksums, `-S` of `objdump`), or has a value in some versions of the program alone (`-w` of `ls`, `-n` of `column`).
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
            long: &["quiet", "silent", "verbose"],
            long_valued: &["lines", "bytes"],
            ..FILES
        },
        "tail" => Form {
            bare: "fFqvrz0123456789",
            valued: "ncs",
            long: &["follow", "retry", "quiet", "silent", "verbose"],
            long_valued: &["lines", "bytes", "pid", "sleep-interval"],
            ..FILES
        },
        "nl" => Form { bare: "p", valued: "bdfhilnsvw", ..FILES },
        "tac" => Form { bare: "br", valued: "s", ..FILES },
        "rev" | "tsort" | "zcat" | "zipinfo" | "users" | "who" => FILES,
        "fold" => Form {
            bare: "bs0123456789",
            valued: "w",
            long: &["spaces", "bytes"],
            long_valued: &["width"],
            ..FILES
        },
        "fmt" => Form { bare: "cstu0123456789", valued: "wgp", long_valued: &["width"], ..FILES },
        "expand" | "unexpand" => Form { bare: "ai0123456789", valued: "t", long_valued: &["tabs"], ..FILES },
        "cut" => Form {
            bare: "nsz",
            valued: "bcdf",
            long: &["complement", "only-delimited"],
            long_valued: &["bytes", "characters", "delimiter", "fields", "output-delimiter"],
            ..FILES
        },
        "paste" => Form { bare: "sz", valued: "d", long: &["serial"], long_valued: &["delimiters"], ..FILES },
        "join" => Form { bare: "iz", valued: "aejotv12", ..FILES },
        "comm" => Form {
            bare: "123z",
            long: &["total", "nocheck-order"],
            long_valued: &["output-delimiter"],
            ..FILES
        },
        "cmp" => Form { bare: "bls", valued: "in", long: &["silent", "quiet", "verbose"], ..FILES },
        "wc" => Form {
            bare: "clmwL",
            long: &["bytes", "chars", "lines", "words", "max-line-length"],
            long_valued: &["total"],
            ..FILES
        },
        "od" => Form { bare: "abcdfilosxv", valued: "ANjtS", attached: "w", ..FILES },
        "hexdump" => Form { bare: "bcCdovx", valued: "nse", files: "f", ..FILES },
        "base32" | "base64" => Form {
            bare: "di",
            valued: "w",
            long: &["decode", "ignore-garbage"],
            long_valued: &["wrap"],
            ..FILES
        },
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" | "cksum"
        | "sum" => Form { bare: "btzrs", valued: "al", long: &["binary", "text", "tag"], ..FILES },
        "column" => Form { bare: "txeJ", valued: "csNOHoRTW", ..FILES },
        "ls" | "dir" | "vdir" => Form {
            bare: "aAbBcCdfFgGhHiklLmnNopqQrsStuUvxXZ1",
            deep: "R",
            long: &[
                "all",
                "almost-all",
                "author",
                "classify",
                "color",
                "directory",
                "file-type",
                "full-time",
                "group-directories-first",
                "human-readable",
                "hyperlink",
                "inode",
                "no-group",
                "numeric-uid-gid",
                "reverse",
                "si",
                "size",
            ],
            long_valued: &[
                "block-size",
                "format",
                "hide",
                "ignore",
                "quoting-style",
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
            long: &["dereference", "file-system", "terse"],
            long_valued: &["format", "printf"],
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
            long: &["all", "apparent-size", "bytes", "human-readable", "si", "summarize", "time", "total"],
            long_valued: &["max-depth", "threshold"],
            extent: Extent::Below,
            ..FILES
        },
        "tree" => Form {
            bare: "adfipsughDFtrUcCnxqNQAS",
            apart: "LPI",
            long: &["dirsfirst", "noreport", "prune", "du", "si", "gitignore", "inodes"],
            long_valued: &["sort", "filelimit", "charset"],
            extent: Extent::Below,
            ..FILES
        },
        "grep" | "egrep" | "fgrep" => Form {
            bare: "abcEFGhHiILlnoPqsTUvVwxyZz0123456789",
            valued: "ABCme",
            files: "f",
            deep: "rR",
            long: &[
                "basic-regexp",
                "byte-offset",
                "color",
                "colour",
                "count",
                "extended-regexp",
                "files-with-matches",
                "files-without-match",
                "fixed-strings",
                "ignore-case",
                "invert-match",
                "line-number",
                "line-regexp",
                "no-filename",
                "no-messages",
                "null",
                "null-data",
                "only-matching",
                "perl-regexp",
                "quiet",
                "silent",
                "text",
                "version",
                "with-filename",
                "word-regexp",
            ],
            long_valued: &[
                "after-context",
                "before-context",
                "binary-files",
                "exclude",
                "exclude-dir",
                "include",
                "label",
                "max-count",
                "regexp",
            ],
            long_deep: &["recursive", "dereference-recursive"],
            words: Words::TextThenFiles,
            ..FILES
        },
        "rg" => Form {
            bare: "abcFHIilLNnoPpqSsUuvwx0.",
            valued: "ABCEegjmMrtTd",
            files: "f",
            long: &[
                "case-sensitive",
                "column",
                "count",
                "count-matches",
                "files",
                "files-with-matches",
                "files-without-match",
                "fixed-strings",
                "heading",
                "hidden",
                "ignore-case",
                "invert-match",
                "json",
                "line-number",
                "line-regexp",
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
                "context",
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
                "type",
                "type-not",
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
                "fixed-strings",
                "full-path",
                "glob",
                "hidden",
                "ignore-case",
                "no-ignore",
                "no-ignore-vcs",
                "print0",
                "quiet",
                "unrestricted",
            ],
            long_valued: &[
                "extension",
                "exclude",
                "exact-depth",
                "max-depth",
                "max-results",
                "min-depth",
                "size",
                "type",
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
                "ignore-all-space",
                "ignore-blank-lines",
                "ignore-case",
                "ignore-space-change",
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
            ],
            long_valued: &["exclude", "label", "width"],
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
                "general-numeric-sort",
                "human-numeric-sort",
                "ignore-case",
                "month-sort",
                "numeric-sort",
                "reverse",
                "stable",
                "unique",
                "version-sort",
            ],
            long_valued: &["field-separator", "key"],
            ..FILES
        },
        "uniq" => Form {
            bare: "cdDiuz",
            valued: "fsw",
            long: &["count", "repeated", "all-repeated", "ignore-case", "unique"],
            long_valued: &["skip-fields", "skip-chars"],
            ..FILES
        },
        "shuf" => {
            let long_valued = &["head-count", "input-range"];
            Form { bare: "erz", valued: "in", long: &["echo"], long_valued, ..FILES }
        }
        "date" => Form {
            bare: "uR",
            valued: "d",
            files: "r",
            long: &["utc", "universal"],
            long_valued: &["date"],
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
