//! `web`: what was fetched from the web, and from where may be fetched.

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use documents::worker::Reader;
use domain::{Digest, ErrorCode, Problem};
use mcp_servers::{WebServerOptions, academic_services_from_env, serve_web, web_search_from_env};
use serde_json::{Value, json};
use support::now_ms;
use web_library::day::day;
use web_library::pages::Page;
use web_library::pattern::SourcePattern;
use web_library::policy::{LocalHost, Policy, Profile, Settings};
use web_library::text::Text;
use web_library::{Expectation, FetchRequest, HostDecision, Library, Refresh, Refusal, WebError};

use crate::outcome::Outcome;
use crate::terminal::{JSON, json_line, printable};

/// `web`.
#[derive(Debug, Subcommand)]
pub enum WebCommand {
    /// List what was fetched, the newest first.
    List {
        /// Only addresses and titles in which these words stand.
        words: Vec<String>,
        /// The most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print the result as JSON, one entry a line.
        #[arg(long)]
        json: bool,
    },
    /// Show a page or file: where and when it was fetched, and its text in numbered blocks.
    Show {
        /// The address of the page, or the SHA-256 of its bytes.
        page: String,
        /// Only where and when it was fetched.
        #[arg(long)]
        brief: bool,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Fetch addresses again, or for the first time; what has not changed costs one short request.
    Refresh {
        /// The addresses.
        #[arg(required = true)]
        urls: Vec<String>,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Print the result as JSON, one entry a line.
        #[arg(long)]
        json: bool,
    },
    /// Remove files that no address has any more, and unfinished downloads. Quotes from a removed page can no longer be checked
    /// against its bytes.
    Clean {
        /// Also addresses that were last confirmed this many days ago or earlier.
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Forget an address.
    Forget {
        /// The address.
        url: String,
    },
    /// Allow a host with all below it, or a folder of it: nothing asks about it again.
    Allow {
        /// The host, such as `example.org`, or `example.org/reports`.
        source: SourcePattern,
    },
    /// Never fetch from a host or a folder of it.
    Block {
        /// The host, such as `example.org`, or `example.org/reports`.
        source: SourcePattern,
    },
    /// Take back a decision about a host or a folder of it.
    Withdraw {
        /// The host, such as `example.org`, or `example.org/reports`.
        source: SourcePattern,
    },
    /// Print the profile with its lists.
    Policy {
        /// Change the profile: strict asks for each unknown host, permissive fetches from every host that is not blocked,
        /// max_automation over http as well.
        #[arg(long, value_name = "PROFILE")]
        set: Option<Profile>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Print every fetch, refusal and decision, the newest last.
    Log {
        /// The most lines.
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print the result as JSON, one entry a line.
        #[arg(long)]
        json: bool,
    },
}

/// Settings over those of `library/policy.json`.
#[derive(Debug, Clone, Default, Args)]
pub struct PolicyArgs {
    /// How careful it is: strict (the default), permissive or max_automation.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<Profile>,
    /// A host that is known, with all below it; can be given several times.
    #[arg(long, value_name = "HOST")]
    allow: Vec<SourcePattern>,
    /// A host from which nothing is fetched; can be given several times.
    #[arg(long, value_name = "HOST")]
    block: Vec<SourcePattern>,
    /// Fetch from this host and from no other; can be given several times.
    #[arg(long, value_name = "HOST")]
    only: Vec<SourcePattern>,
    /// A machine of your own that is not on the public internet; can be given several times.
    #[arg(long, value_name = "HOST:PORT")]
    local: Vec<LocalHost>,
}

impl From<PolicyArgs> for Settings {
    fn from(args: PolicyArgs) -> Self {
        let PolicyArgs { profile, allow, block, only, local } = args;
        Self { profile, allow, block, only, local, ..Self::default() }
    }
}

/// The library of the workspace that was asked for.
fn library(home: &Path) -> Result<Library, Problem> {
    let files = crate::home::files(home)?;
    Ok(Library::in_workspace(home, files.slug(), Arc::new(Reader::of_this_program())))
}

/// `mcp web`.
pub async fn serve(home: &Path, args: PolicyArgs) -> Result<Outcome, Problem> {
    let options = WebServerOptions {
        home: home.to_owned(),
        workspace: crate::home::files(home)?.slug().to_owned(),
        settings: args.into(),
        reader: Arc::new(Reader::of_this_program()),
        web: web_search_from_env(),
        services: academic_services_from_env().map_err(Problem::from)?,
        now: now_ms,
    };
    serve_web(options).await.map_err(|error| Problem::new(ErrorCode::Source, error.to_string()))?;
    Ok(Outcome::Done)
}

/// `web`.
pub async fn web(home: &Path, command: WebCommand) -> Result<Outcome, Problem> {
    let library = library(home)?;
    carry_out(&library, command).await.map_err(Problem::from)
}

async fn carry_out(library: &Library, command: WebCommand) -> Result<Outcome, WebError> {
    match command {
        WebCommand::List { words, limit, json } => list(library, &words, limit, json)?,
        WebCommand::Show { page, brief, json } => return show(library, &page, brief, json).await,
        WebCommand::Refresh { urls, policy, json } => return refresh(library, &urls, policy, json).await,
        WebCommand::Clean { older_than, json } => {
            let cleaned = library.clean(older_than, &[], now_ms())?;
            if json {
                println!("{}", json_line(&cleaned));
            } else {
                println!(
                    "removed: {} addresses, {} files ({} bytes), {} unfinished",
                    cleaned.pages, cleaned.objects, cleaned.bytes, cleaned.unfinished
                );
            }
        }
        WebCommand::Forget { url } => {
            if !library.forget(&url, now_ms())? {
                return Err(Refusal::Absent.at(url));
            }
        }
        WebCommand::Allow { source } => library.decide(&source, HostDecision::Allow, now_ms())?,
        WebCommand::Block { source } => library.decide(&source, HostDecision::Block, now_ms())?,
        WebCommand::Withdraw { source } => library.decide(&source, HostDecision::Withdraw, now_ms())?,
        WebCommand::Policy { set, json } => {
            let settings = match set {
                Some(profile) => library.choose(profile)?,
                None => library.settings()?,
            };
            print_policy(&settings, json);
        }
        WebCommand::Log { limit, json } => {
            for line in library.log().tail(limit).map_err(|refusal| refusal.at("log.jsonl"))? {
                if json {
                    println!("{}", json_line(&line));
                } else {
                    let code = line.code.as_deref().unwrap_or_default();
                    let kind = json!(line.kind);
                    let kind = kind.as_str().unwrap_or_default();
                    let why = line.why.map(|why| format!(" ({})", printable(&why))).unwrap_or_default();
                    println!("{}  {kind:<10} {code:<16} {}{why}", day(line.at_ms), printable(&line.place));
                }
            }
        }
    }
    Ok(Outcome::Done)
}

/// A page as JSON shows it.
fn row(page: &Page) -> Value {
    json!({
        "url": page.url,
        "final_url": page.final_url,
        "title": page.title,
        "kind": page.kind,
        "bytes": page.bytes,
        "pages": page.pages,
        "object": page.object,
        "retrieved": page.retrieved(),
        "checked": day(page.checked_ms),
        "earlier": page.earlier.iter().map(|earlier| json!({
            "object": earlier.object, "retrieved": day(earlier.retrieved_ms),
        })).collect::<Vec<_>>(),
    })
}

fn list(library: &Library, words: &[String], limit: usize, json: bool) -> Result<(), WebError> {
    for page in &library.find(&words.join(" "), limit)?.0 {
        if json {
            println!("{}", json_line(&row(page)));
        } else {
            let title = page.title.as_deref().unwrap_or_default();
            println!(
                "{}  {:>10}  {}  {}",
                page.retrieved(),
                page.bytes,
                printable(&page.url),
                printable(title)
            );
        }
    }
    Ok(())
}

async fn show(library: &Library, asked: &str, brief: bool, json: bool) -> Result<Outcome, WebError> {
    let (object, page) = match asked.parse::<Digest>() {
        Ok(object) => (object, library.pages_of(&object)?.into_iter().next()),
        Err(_) => {
            let page = library.page(asked)?.ok_or_else(|| Refusal::Absent.at(asked))?;
            (page.object, Some(page))
        }
    };
    let text = if brief { None } else { Some(library.text(object, page.as_ref()).await?) };
    if json {
        let mut value = page.as_ref().map_or_else(|| json!({ "object": object }), row);
        value["object"] = json!(object);
        value["path"] = json!(library.objects().path(&object));
        if let Some(text) = &text {
            value["blocks"] = json!(text.blocks);
        }
        println!("{}", json_line(&value));
        return Ok(Outcome::Done);
    }
    if let Some(page) = &page {
        println!("{}", printable(&page.url));
        if page.final_url != page.url {
            println!("answered by  {}", printable(&page.final_url));
        }
        if let Some(title) = &page.title {
            println!("title        {}", printable(title));
        }
        println!("retrieved    {}, confirmed {}", page.retrieved(), day(page.checked_ms));
        if let Some(why) = &page.unreadable {
            println!("no text      {}", printable(why));
        }
    }
    println!("file         {}", printable(&library.objects().path(&object).display().to_string()));
    text.iter().for_each(print_text);
    Ok(Outcome::Done)
}

fn print_text(text: &Text) {
    for block in &text.blocks {
        let page = block.page.map(|page| format!(" p. {page}")).unwrap_or_default();
        println!("\n[{}{page}] {}", block.number, printable(&block.text));
    }
}

async fn refresh(
    library: &Library,
    urls: &[String],
    args: PolicyArgs,
    json: bool,
) -> Result<Outcome, WebError> {
    let policy: Policy = library.settings()?.with(args.into()).into();
    let mut outcome = Outcome::Done;
    for url in urls {
        let wish = FetchRequest {
            url: url.clone(),
            max_age_days: None,
            refresh: Refresh::Always,
            expected: Expectation::Any,
        };
        match library.fetch(&policy, &wish, now_ms()).await {
            Ok(visit) if json => {
                let mut value = row(&visit.page);
                value["freshness"] = json!(visit.freshness);
                println!("{}", json_line(&value));
            }
            Ok(visit) => {
                let freshness = json!(visit.freshness);
                println!("{:<10} {}", freshness.as_str().unwrap_or_default(), printable(&visit.page.url));
            }
            Err(error) => {
                outcome = Outcome::Failed;
                if json {
                    let (code, remedy) = (error.refusal.code(), error.refusal.remedy());
                    let message = error.refusal.to_string();
                    println!(
                        "{}",
                        json_line(
                            &json!({"url": error.place, "code": code, "message": message, "remedy": remedy})
                        )
                    );
                } else {
                    eprintln!("{}; {}", printable(&error.to_string()), error.refusal.remedy());
                }
            }
        }
    }
    Ok(outcome)
}

fn print_policy(settings: &Settings, json: bool) {
    if json {
        let mut value = json!(settings);
        value["profile"] = json!(settings.profile.unwrap_or_default());
        println!("{}", json_line(&value));
        return;
    }
    println!("profile  {}", settings.profile.unwrap_or_default().as_str());
    for (name, sources) in [("allow", &settings.allow), ("block", &settings.block), ("only", &settings.only)]
    {
        sources.iter().for_each(|source| println!("{name:<8} {source}"));
    }
    for local in settings.local.iter().cloned().map(String::from) {
        println!("{:<8} {local}", "local");
    }
}
