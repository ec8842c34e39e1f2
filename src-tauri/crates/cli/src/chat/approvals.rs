//! Asking the person in a terminal; where nobody is there, what was said beforehand counts.

use std::io::IsTerminal as _;

use app::AnyClient;
use app::turn::{Approval, StepKind, StepStatus, TurnView};
use domain::{Preview, Problem, Question};
use protocol::{ApprovalVerdict, Client};

use super::args::ChatArgs;
use crate::prompt::line;
use crate::terminal::printable;

/// The longest diff that is shown, in characters.
const MAX_DIFF_CHARS: usize = 20_000;

/// Whoever answers.
pub struct TerminalUser {
    there: bool,
    allow: Vec<String>,
}

impl TerminalUser {
    /// As the command line says.
    pub fn new(args: &ChatArgs) -> Self {
        Self { there: !args.json && std::io::stdin().is_terminal(), allow: args.allow.clone() }
    }

    /// As somebody who sits at the terminal, or does not; nothing was allowed beforehand.
    pub fn at_terminal(there: bool) -> Self {
        Self { there, allow: Vec::new() }
    }

    /// Answers the first thing that a turn asks. Whether there was one.
    pub async fn answer(&mut self, client: &AnyClient, view: &TurnView) -> Result<bool, Problem> {
        let asking = view.steps.iter().find(|step| step.status == StepStatus::Asking);
        let Some(step) = asking else { return Ok(false) };
        let StepKind::Tool { tool, intent, approval, question, .. } = &step.kind else { return Ok(false) };
        let run = view.head.run.clone();
        let call = step.id.clone();
        if let Some(question) = question {
            let answer = self.tell(question).await;
            client.question_answer(run, call, answer).await?;
        } else if let Some(approval) = approval {
            let verdict = self.permit(tool, intent, approval).await;
            client.approval_answer(run, call, verdict).await?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    async fn permit(&self, tool: &str, intent: &str, approval: &Approval) -> ApprovalVerdict {
        if self.allow.iter().any(|allowed| allowed == tool) {
            return ApprovalVerdict::Allow { offer: 0 };
        }
        if !self.there {
            return ApprovalVerdict::Deny { reason: domain::NOBODY.to_owned() };
        }
        eprintln!("\n{}\n  {}", printable(intent), printable(&approval.why));
        preview(&approval.preview);
        for (number, offer) in approval.offers.iter().enumerate() {
            eprintln!("  {}  {}", number + 1, printable(&offer.words));
        }
        eprintln!("  n  Deny");
        loop {
            let Some(text) = line("Number, n, or a reason to deny > ").await else {
                return ApprovalVerdict::Deny { reason: String::new() };
            };
            let text = text.trim();
            let said = if replies::is_agreement(text) { Ok(1) } else { text.parse::<usize>() };
            if let Ok(number) = said {
                if (1..=approval.offers.len()).contains(&number) {
                    return ApprovalVerdict::Allow { offer: number as u32 - 1 };
                }
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let reason = if text.eq_ignore_ascii_case("n") { String::new() } else { text.to_owned() };
            return ApprovalVerdict::Deny { reason };
        }
    }

    async fn tell(&self, question: &Question) -> String {
        const NOBODY: &str = "Nobody is there to answer. Decide yourself, and say what you assumed.";
        if !self.there {
            return NOBODY.to_owned();
        }
        eprintln!("\n{}", printable(&question.text));
        for (number, option) in question.options.iter().enumerate() {
            eprintln!("  {}  {}  {}", number + 1, printable(&option.label), printable(&option.description));
        }
        let Some(text) = line("> ").await else { return NOBODY.to_owned() };
        let chosen = text.trim().parse::<usize>().ok().and_then(|n| question.options.get(n.checked_sub(1)?));
        chosen.map_or(text, |option| option.label.clone())
    }
}

fn preview(preview: &Preview) {
    match preview {
        Preview::None => {}
        Preview::Command { command, cwd } => eprintln!("  in {}\n  $ {}", printable(cwd), printable(command)),
        Preview::Request { method, url, headers, body } => {
            eprintln!("  {} {}", printable(method), printable(url));
            for header in headers {
                eprintln!("  {}", printable(header));
            }
            if let Some(body) = body {
                eprintln!("  {}", printable(body));
            }
        }
        Preview::Diff { before, after, .. } => {
            let (added, removed) = domain::changed_lines(before.as_deref().unwrap_or_default(), after);
            eprintln!("  {added} lines added, {removed} removed");
            for line in preview.text(MAX_DIFF_CHARS).lines() {
                eprintln!("  {}", printable(line));
            }
        }
    }
}
