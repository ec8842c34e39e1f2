//! What the model requests of a run were made of.

use app::AnyClient;
use clap::{Args, ValueEnum};
use domain::{Problem, Usage};
use protocol::{Client, RunRef, RunTokens, TokenStrategy, TokenSum};

use crate::outcome::Outcome;
use crate::terminal::{JSON, json_line, printable};

/// `tokens`.
#[derive(Debug, Args)]
pub struct TokensArgs {
    /// The id of a run, the first characters of it, or its session, which names its newest; default: the newest run.
    pub run: Option<String>,
    /// Compute the same requests under other strategies, with the provider's rates for cached input: `fresh` as they were
    /// sent; `naive` with the whole outputs of all earlier stages in place of the sections that show outputs and of the conversation
    /// before a stage; `handoff` with
    /// at most 500 tokens of each output in their place; `continue` as one conversation, in which what was said before is read
    /// from the cache. Sections with which an earlier request began as well count as cached. All of it is estimated.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STRATEGY")]
    pub compare: Vec<Strategy>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// How requests are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Whole outputs in every later request.
    Naive,
    /// As it was sent.
    Fresh,
    /// A short handoff of each output.
    Handoff,
    /// One conversation.
    Continue,
}

impl Strategy {
    const fn strategy(self) -> TokenStrategy {
        match self {
            Self::Naive => TokenStrategy::Naive,
            Self::Fresh => TokenStrategy::Fresh,
            Self::Handoff => TokenStrategy::Handoff,
            Self::Continue => TokenStrategy::Continue,
        }
    }
}

/// `tokens`.
pub async fn tokens(client: &AnyClient, args: TokensArgs) -> Result<Outcome, Problem> {
    let compare = args.compare.iter().map(|strategy| strategy.strategy()).collect();
    let found = client.run_tokens(args.run.map_or(RunRef::Last, RunRef::Id), compare).await?;
    if args.json {
        println!("{}", json_line(&found));
    } else {
        print(&found);
    }
    Ok(Outcome::Done)
}

fn print(found: &RunTokens) {
    println!("{}", found.run);
    for request in &found.requests {
        let measured = &request.measured;
        println!(
            "\n{}  {}  {}  {}",
            printable(&request.agent),
            request.key,
            printable(&request.title),
            printable(&request.model)
        );
        for section in &request.sections {
            let cached =
                if section.cached > 0 { format!("  {} cached", section.cached) } else { String::new() };
            println!(
                "  {:<28} {:>9} {:>6}{cached}",
                printable(&section.name),
                section.tokens,
                percent(section.share)
            );
        }
        let tries = if request.tries > 1 { format!(", {} tries", request.tries) } else { String::new() };
        println!("  {:<28} {:>9}", "estimated input", request.estimated);
        reported(measured, &tries);
    }
    table("By stage (estimated)", &found.stages);
    table("By section (estimated)", &found.sections);
    println!("\nAll requests");
    println!("  {:<28} {:>9}", "estimated input", found.estimated);
    reported(&found.measured, &format!(", {}", found.cost));
    if !found.strategies.is_empty() {
        println!("\nUnder other strategies (recomputed; only the output is the provider's figure)");
    }
    for strategy in &found.strategies {
        let name = match strategy.strategy {
            TokenStrategy::Naive => "naive",
            TokenStrategy::Fresh => "fresh",
            TokenStrategy::Handoff => "handoff",
            TokenStrategy::Continue => "continue",
        };
        println!(
            "  {name:<28} {:>9}  of it {} cached, {} output, {}",
            strategy.whole_input(),
            strategy.cached,
            strategy.output,
            strategy.cost
        );
    }
    for left_out in &found.left_out {
        eprintln!("not counted: {}", printable(left_out));
    }
}

fn table(title: &str, sums: &[TokenSum]) {
    if sums.is_empty() {
        return;
    }
    println!("\n{title}");
    for sum in sums {
        println!("  {:<28} {:>9} {:>6}", printable(&sum.name), sum.tokens, percent(sum.share));
    }
}

fn percent(thousandths: u32) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn reported(usage: &Usage, more: &str) {
    println!(
        "  {:<28} {:>9}  and {} output, {} read from its cache, {} written to it{more}",
        "reported by the provider",
        usage.input + usage.cache_read + usage.cache_write,
        usage.output,
        usage.cache_read,
        usage.cache_write
    );
}
