//! The arguments of `kb` and `mcp`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::terminal::JSON;

/// `kb`.
#[derive(Debug, Subcommand)]
pub enum KbCommand {
    /// Read files or folders into a base: PDF, DOCX, XLSX, HTML, EPUB, Markdown, text, CSV, JSONL, OSCAL, eCFR. An earlier generation
    /// stays until the new one is whole; files that did not change are not read again.
    Ingest(IngestArgs),
    /// Download an openly licensed text and make it a base; without a name, list what there is.
    Add(AddArgs),
    /// Models for vectors and for pages that are pictures: list them, or download one.
    Model {
        /// A model of the list to download.
        name: Option<String>,
        /// Accept its licence, which you have read.
        #[arg(long)]
        accept_license: bool,
        /// A folder that holds its files, for a machine without a network.
        #[arg(long, value_name = "FOLDER")]
        from: Option<PathBuf>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// List the rule sets that recognise paragraphs.
    Rules {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// List bases.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Search one base or several.
    Search(SearchArgs),
    /// Show a paragraph with its cross-references.
    Show {
        /// The id or the citation of the paragraph.
        id: String,
        /// The base.
        #[arg(long, default_value = "isa-primer")]
        base: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Cross-references around a paragraph; without one, all of the base as lines of JSON.
    Graph {
        /// The paragraph.
        id: Option<String>,
        /// The base.
        #[arg(long, default_value = "isa-primer")]
        base: String,
        /// Steps along cross-references.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
        depth: u8,
        #[arg(long, conflicts_with = "dot", help = JSON)]
        json: bool,
        /// As a graph for Graphviz.
        #[arg(long)]
        dot: bool,
    },
    /// Check quotes against the paragraphs they name, or the statement records of an answer against their sources.
    Verify {
        /// The citation.
        #[arg(requires = "quote", required_unless_present_any = ["batch", "answer"])]
        source_ref: Option<String>,
        /// The quote.
        quote: Option<String>,
        /// A file of rows {"id", "source_ref", "quote"}, one a line (`-` is standard input); prints {"id", "verdict", "reason"} a line.
        #[arg(long, value_name = "FILE", conflicts_with = "source_ref")]
        batch: Option<PathBuf>,
        /// An answer.json: each of its statement records is checked again.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["source_ref", "batch"])]
        answer: Option<PathBuf>,
        /// The base.
        #[arg(long, default_value = "isa-primer")]
        base: String,
    },
    /// Measure search on a folder with docs.jsonl, queries.jsonl and qrels.jsonl.
    Eval(EvalArgs),
    /// Counts of a base.
    Stats {
        /// The base.
        #[arg(default_value = "isa-primer")]
        base: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Export a base to a new folder, for `kb import`.
    Export {
        /// The base.
        base: String,
        /// The folder, which must not exist.
        folder: PathBuf,
    },
    /// Import a base from a folder that `kb export` wrote.
    Import {
        /// The folder.
        folder: PathBuf,
        /// The base's name.
        #[arg(long)]
        base: String,
    },
    /// Share a base with another workspace: bases are their workspace's own until you do.
    Share {
        /// The base.
        base: String,
        /// The other workspace, by its slug.
        #[arg(long, value_name = "WORKSPACE")]
        with: String,
        /// Stop sharing it with that workspace.
        #[arg(long)]
        stop: bool,
    },
    /// Remove a base from the disk.
    Remove {
        /// The base.
        base: String,
        /// Do not ask for confirmation.
        #[arg(long, short = 'y')]
        yes: bool,
    },
}

/// `kb ingest`.
#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files and folders.
    #[arg(required = true)]
    pub sources: Vec<PathBuf>,
    /// The base's name; a preview needs none.
    #[arg(long, required_unless_present = "preview")]
    pub base: Option<String>,
    /// The title of the base.
    #[arg(long, default_value = "")]
    pub title: String,
    /// What the text is: document, standard, guide, web or primer. Only a standard carries a standard's weight.
    #[arg(long, default_value = "document")]
    pub tier: String,
    /// How a paragraph is cited, with {id} in it, such as "(Policy {id})"; default: the rule set's form.
    #[arg(long, default_value = "")]
    pub citation: String,
    /// The rule set (see `kb rules`); default: found by looking at each file.
    #[arg(long)]
    pub rules: Option<String>,
    /// The model for vectors: a folder, local:<name>, ollama:<model>, openai:<model>, voyage:<model> or gemini:<model>.
    #[arg(long)]
    pub model: Option<String>,
    /// Show what would be recognised, and store nothing.
    #[arg(long)]
    pub preview: bool,
    /// Ingest again when files change, while a window or server is open.
    #[arg(long)]
    pub watch: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `kb add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// A name of the list, or an address that begins with https://.
    pub name: Option<String>,
    /// The base's name; needed for an address.
    #[arg(long, default_value = "")]
    pub base: String,
    /// Accept its licence, which you have read.
    #[arg(long)]
    pub accept_license: bool,
    /// The model for vectors.
    #[arg(long)]
    pub model: Option<String>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `kb search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The words.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// The base; can be given several times. Default: every base.
    #[arg(long)]
    pub base: Vec<String>,
    /// Every base, as without --base.
    #[arg(long, conflicts_with = "base")]
    pub all: bool,
    /// The most hits.
    #[arg(long, default_value_t = 8)]
    pub limit: usize,
    /// Hits to skip.
    #[arg(long, default_value_t = 0)]
    pub offset: usize,
    /// Steps along cross-references.
    #[arg(long, default_value_t = 0)]
    pub hops: usize,
    /// How paragraphs are found.
    #[arg(long, value_enum, default_value_t = SearchBy::Auto)]
    pub by: SearchBy,
    /// Only bases of this tier; can be given several times.
    #[arg(long)]
    pub tier: Vec<String>,
    /// Only this document; can be given several times.
    #[arg(long)]
    pub document: Vec<String>,
    /// Only this kind of paragraph, such as requirement; can be given several times.
    #[arg(long)]
    pub kind: Vec<String>,
    /// Only below this heading or id; can be given several times.
    #[arg(long)]
    pub under: Vec<String>,
    /// Ignore which documents and titles the words name.
    #[arg(long)]
    pub plain: bool,
    /// Explain each hit.
    #[arg(long)]
    pub explain: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// How paragraphs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchBy {
    /// Words, and meaning where the base has vectors.
    Auto,
    /// Words alone.
    Words,
    /// Meaning alone.
    Vectors,
}

/// `kb eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The folder.
    pub folder: PathBuf,
    /// The model for vectors.
    #[arg(long)]
    pub model: Option<String>,
    /// Steps along cross-references.
    #[arg(long, default_value_t = 0)]
    pub hops: usize,
    /// A corpus (.jsonl) whose rows tell links between the documents, where the documents themselves have none.
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,
    /// How paragraphs are found.
    #[arg(long, value_enum, default_value_t = SearchBy::Auto)]
    pub by: SearchBy,
    /// Ignore which documents and titles the queries name.
    #[arg(long)]
    pub plain: bool,
    /// Write the ranking, with the model where one is given, in TREC's form.
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Compare with a ranking in TREC's form: difference in nDCG@10 with its 95 % interval.
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Print the result as JSON, with the figures of each query.
    #[arg(long)]
    pub json: bool,
}

/// `mcp`.
#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// The knowledge base's tools, documents and prompts.
    Knowledge {
        /// The base that the isa_* tools read, and the default of the kb_* tools.
        #[arg(long, default_value = "isa-primer")]
        base: String,
        /// The generation of the base; default: the current one.
        #[arg(long)]
        generation: Option<String>,
        /// Bases of attached documents, which are asked with it.
        #[arg(long = "with", value_name = "BASE@GENERATION", value_delimiter = ',', hide = true)]
        beside: Vec<String>,
        /// Over HTTP on this machine instead of standard input and output. Prints the address and a token.
        #[arg(long)]
        http: bool,
        /// The port on 127.0.0.1; 0 for any that is free.
        #[arg(long, default_value_t = 0, requires = "http")]
        port: u16,
    },
    /// Checks of long documents as tools: parts, footnotes, references, registers, totals, scores.
    Manuscript,
    /// The web within a security profile: search, pages, PDFs, scientific works, and the library of what was fetched.
    Web {
        #[command(flatten)]
        policy: crate::web::PolicyArgs,
    },
    /// Your sources of the type api as tools `<source>__<tool>`; what they need to sign in never reaches the client.
    /// Tools that you have not approved, or that changed since, are left out.
    Bridge {
        /// Only this source, which may be of the type mcp, too; can be given several times.
        #[arg(long = "source", value_name = "SLUG")]
        sources: Vec<String>,
    },
    /// Your sessions, sources and configurations as tools: look at them, rename and flag, submit plans, test, check.
    SessionTools {
        /// The session that tools are about when they name none; then no other one is changed.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Adds a tool that asks your models; without it there is none.
        #[arg(long)]
        allow_model: bool,
        /// The most US dollars that all questions together may cost.
        #[arg(long, value_name = "USD", default_value_t = 1.0, requires = "allow_model")]
        model_budget: f64,
    },
}
