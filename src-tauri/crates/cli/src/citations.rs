//! The citations of a document: the files and pages that they lead to.

use std::io::Write as _;
use std::path::Path;

use app::AnyClient;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{ErrorCode, Problem, RunId, Verdict};
use protocol::{CitationRow, Client, PagePictureQuery, ParagraphView, RunRef};
use serde::Serialize;

use crate::args::ShowArgs;
use crate::terminal::{json_line, printable};

/// A page's width in pixels: what a letter of ten points needs to be read.
const WIDTH: u32 = 1_600;

/// A citation with the paragraph that it leads to.
#[derive(Serialize)]
struct Cited {
    citation: CitationRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<ParagraphView>,
    /// Why there is no paragraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// `show --citations` and `show --citation <number>`.
pub async fn show(client: &AnyClient, run: RunRef, args: &ShowArgs) -> Result<(), Problem> {
    let found = client.run_find(run).await?.run;
    let document = client.run_document(RunRef::Id(found.0.clone())).await?;
    let document =
        document.ok_or_else(|| Problem::new(ErrorCode::NotFound, "the run has no document yet"))?;
    let most = document.citations.len();
    let one = |citation: &CitationRow| args.citation.is_none_or(|number| number == citation.number);
    let wanted: Vec<CitationRow> = document.citations.into_iter().filter(one).collect();
    if let (Some(number), true) = (args.citation, wanted.is_empty()) {
        let message = format!("the document has no citation {number}; it has {most}");
        return Err(Problem::new(ErrorCode::NotFound, message)
            .with_action(format!("`agentnative show {found} --citations` lists them")));
    }
    for citation in wanted {
        let cited = cited(client, &found, citation).await;
        if args.json {
            println!("{}", json_line(&cited));
        } else if args.citation.is_some() {
            print_whole(&cited);
        } else {
            print_line(&cited);
        }
        if let Some(file) = &args.picture {
            picture(client, &found, &cited.citation, args.page, file).await?;
        }
    }
    Ok(())
}

async fn cited(client: &AnyClient, run: &RunId, citation: CitationRow) -> Cited {
    if citation.paragraph.is_empty() {
        let problem = Some("the paragraph is not in the knowledge base".to_owned());
        return Cited { citation, paragraph: None, problem };
    }
    let shown =
        client.paragraph_show(None, Some(run.clone()), citation.paragraph.clone(), citation.quotes.clone());
    match shown.await {
        Ok(paragraph) => Cited { citation, paragraph: Some(paragraph), problem: None },
        Err(problem) => Cited { citation, paragraph: None, problem: Some(problem.to_string()) },
    }
}

/// The file and the page, as far as they are known and the label does not say them.
fn place(cited: &Cited) -> String {
    let place = match &cited.paragraph {
        Some(ParagraphView { file, page: Some(page), .. }) if !file.is_empty() => {
            format!("{file}, page {page}")
        }
        Some(ParagraphView { file, .. }) if !file.is_empty() => file.clone(),
        Some(paragraph) => paragraph.base_title.clone(),
        None => cited.problem.clone().unwrap_or_default(),
    };
    if cited.citation.label.contains(&place) { String::new() } else { place }
}

fn print_line(cited: &Cited) {
    let CitationRow { number, label, verdict, .. } = &cited.citation;
    let line = format!(
        "{number:>3}  {:<24} {:<12} {}",
        printable(label),
        verdict_word(*verdict),
        printable(&place(cited))
    );
    println!("{}", line.trim_end());
}

fn print_whole(cited: &Cited) {
    let CitationRow { label, verdict, reason, text, .. } = &cited.citation;
    println!("{}", printable(label));
    let place = place(cited);
    if !place.is_empty() {
        println!("{}", printable(&place));
    }
    if let Some(paragraph) = &cited.paragraph {
        if let Some(path) = &paragraph.path {
            println!("{}", printable(path));
        }
        if let Some(note) = &paragraph.file_note {
            println!("{}", printable(note));
        }
    }
    let reason = if reason.is_empty() { String::new() } else { format!(". {}", printable(reason)) };
    println!("{}{reason}\n", verdict_word(*verdict));
    if let Some(context) = cited.paragraph.as_ref().map(|one| &one.context).filter(|one| !one.is_empty()) {
        println!("[{}]", printable(context));
    }
    let words = cited.paragraph.as_ref().map_or_else(|| text.clone(), marked);
    println!("{}", printable(&words));
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "verified",
        Verdict::Missing => "not found",
        Verdict::Withdrawn => "withdrawn",
        Verdict::QuoteMismatch => "misquoted",
        Verdict::Unverified => "unverified",
    }
}

/// The paragraph's text with the quotes between angle quotation marks.
fn marked(paragraph: &ParagraphView) -> String {
    let units: Vec<u16> = paragraph.text.encode_utf16().collect();
    let part = |from: usize, to: usize| {
        units.get(from..to.max(from)).map(String::from_utf16_lossy).unwrap_or_default()
    };
    let mut out = String::new();
    let mut at = 0;
    for range in &paragraph.highlights {
        let (start, end) = (range.start as usize, range.end as usize);
        out.push_str(&format!("{}»{}«", part(at, start), part(start, end)));
        at = end;
    }
    out.push_str(&part(at, units.len()));
    out
}

async fn picture(
    client: &AnyClient,
    run: &RunId,
    citation: &CitationRow,
    page: Option<u32>,
    file: &Path,
) -> Result<(), Problem> {
    let wanted = PagePictureQuery {
        base: None,
        run: Some(run.clone()),
        id: citation.paragraph.clone(),
        quotes: citation.quotes.clone(),
        page,
        width: WIDTH,
    };
    let drawn = client.page_picture(wanted).await?;
    let bytes = STANDARD.decode(&drawn.png).map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("the picture cannot be decoded: {error}"))
    })?;
    let failed =
        |error: std::io::Error| Problem::new(ErrorCode::Storage, format!("{}: {error}", file.display()));
    // A picture that was there is kept: the name may be a slip.
    let mut out = std::fs::File::create_new(file).map_err(failed)?;
    out.write_all(&bytes).map_err(failed)?;
    let marks = match drawn.marks.len() {
        0 => "the passage was not found on it".to_owned(),
        count => format!("{count} marked"),
    };
    eprintln!("Page {} of {} ({marks}): {}", drawn.page, drawn.pages, file.display());
    Ok(())
}
