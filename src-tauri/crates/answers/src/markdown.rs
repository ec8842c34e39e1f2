//! The document as Markdown.

use crate::citation_index::verdict_word;

use crate::statements::State;
use crate::{
    Axis, Citation, Document, Level, Limits, Section, SourceEntry, VerificationSummary, markers, text,
};

/// The most uncited sentences that are listed; the count says how many there are.
pub(crate) const LISTED: usize = 10;

/// Writes the document as Markdown. Citations link to `#cite-<number>`, an anchor at the first Sources entry of that
/// paragraph. These anchors are the only HTML in it.
pub fn to_markdown(document: &Document) -> String {
    let mut out: Vec<String> = vec![format!("# {}", text::inline(&document.title))];
    if let Some(notice) = &document.notice {
        out.push(format!("> {}", text::line(notice)));
    }
    if let Some(headline) = &document.headline {
        out.push(format!("**{}**", text::inline(&headline.text)));
        if !document.statements.is_empty() {
            out.push(legend(document));
        }
        let beside = beside(document);
        if !beside.is_empty() {
            out.push(list(beside.iter().map(|line| text::line(line))));
        }
    }
    if asks_more(document) {
        out.push("## Original Question".to_owned());
        out.push(text::paragraphs(&document.question));
    }
    let mut anchored = Vec::new();
    for (index, section) in document.sections.iter().enumerate() {
        if index == 0 && section.heading.is_none() {
            out.push("## Answer".to_owned());
        }
        if !section.markdown.is_empty() {
            out.push(document.typeset(&section.markdown).into_owned());
        }
        out.extend(sources(section, document, &mut anchored));
    }
    let keeps_statements = !document.statements.is_empty();
    if keeps_statements {
        out.extend(paragraphs(document, &mut anchored));
        out.extend(limits(document));
        out.push("## Statements".to_owned());
        out.push(statements(document));
    }
    if let Some(summary) = &document.verification {
        out.push("## Verification Summary".to_owned());
        out.extend(verification(summary));
    }
    if !document.citations.is_empty() && !keeps_statements {
        out.push("## Citations Used".to_owned());
        out.push(citations(document, &anchored));
    }
    if !document.web_references.is_empty() {
        out.push("## External References".to_owned());
        out.push(list(document.web_references.iter().enumerate().map(|(index, page)| {
            let label = markers::plain_label(&markers::web_label(&document.web_label, index + 1));
            let title = match text::link_target(&page.url) {
                Some(url) if document.link_web => format!("[{}]({url})", text::inline(&page.title)),
                _ => text::inline(&page.title),
            };
            let insight = text::inline(&page.insight);
            let insight = if insight.is_empty() { insight } else { format!(" - {insight}") };
            format!("{label} {title}{insight}")
        })));
    }
    if document.earlier.is_some() || !document.prior_references.is_empty() {
        out.push("## Prior Research References".to_owned());
        let earlier = document.earlier.iter().map(|earlier| {
            let title = text::inline(&earlier.title);
            let title = earlier.address().map_or(title.clone(), |address| format!("[{title}]({address})"));
            format!("Earlier answer: {title} ({})", text::inline(&earlier.details()))
        });
        out.push(list(earlier.chain(document.prior_references.iter().map(|section| {
            let (heading, excerpt) = (text::inline(&section.heading), text::inline(&section.excerpt));
            format!("[P{}] {heading} - {excerpt}", section.number)
        }))));
    }
    if !keeps_statements {
        out.extend(limits(document));
    }
    out.extend(decomposition(document));
    if !document.out_of_scope.is_empty() {
        out.push("## Out-of-Scope Notes".to_owned());
        out.push(list(document.out_of_scope.iter().map(|note| text::line(note))));
    }
    let mut markdown = out.join("\n\n");
    markdown.push('\n');
    markdown
}

/// Whether the question says more than the title, which may have words before it ("Follow-up 1: …").
pub(crate) fn asks_more(document: &Document) -> bool {
    let words = |text: &str| text::one_line(text).trim_end_matches(['?', '.', '\u{2026}']).to_lowercase();
    !document.question.is_empty() && !words(&document.title).ends_with(&words(&document.question))
}

/// What the signs behind statements mean, of those that occur.
fn legend(document: &Document) -> String {
    let words: Vec<String> = State::ALL
        .into_iter()
        .filter(|state| document.statements.iter().any(|one| one.state == *state))
        .map(|state| format!("{} {}", state.sign(), state.as_str()))
        .collect();
    format!("Behind each statement: {}.", words.join(", "))
}

/// Every paragraph that is cited, once, with the quoted words in bold.
fn paragraphs(document: &Document, anchored: &mut Vec<usize>) -> Vec<String> {
    if document.citations.is_empty() {
        return Vec::new();
    }
    let entries = document.citations.iter().map(|citation| paragraph(citation, "", anchored));
    vec!["## Sources".to_owned(), entries.collect::<Vec<_>>().join("\n>\n")]
}

/// Each statement with its state and why.
fn statements(document: &Document) -> String {
    let mut table = "| # | Statement | State | Why |\n|---:|---|---|---|".to_owned();
    for one in &document.statements {
        table.push_str(&format!(
            "\n| <a id=\"statement-{}\"></a>{} | {} | {} {} | {} |",
            one.n,
            one.n,
            text::inline(&text::cut_at_word(&one.text, STATEMENT)),
            one.state.sign(),
            one.state.as_str(),
            text::inline(&one.reason_text())
        ));
    }
    table
}

/// Statements in the table are cut to so many characters.
const STATEMENT: usize = 200;

fn list(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

/// The Sources block: one entry each, a blank quoted line between.
fn sources(section: &Section, document: &Document, anchored: &mut Vec<usize>) -> Option<String> {
    if section.sources.is_empty() {
        return None;
    }
    if !document.statements.is_empty() {
        return sources_line(section, document);
    }
    let mut entries = vec!["> **Sources**".to_owned()];
    for entry in &section.sources {
        entries.push(match entry {
            SourceEntry::Paragraph(number) => {
                let citation = document.citations.get(number.saturating_sub(1))?;
                paragraph(citation, &section.markdown, anchored)
            }
            SourceEntry::Note(note) => format!("> {} [unverified: names no paragraph]", text::line(note)),
            SourceEntry::Prior(mark) => mark.markdown().map(|line| format!("> {line}")).join("\n"),
            SourceEntry::Web(mark) => format!("> {}", mark.markdown(document.link_web)),
        });
    }
    Some(entries.join("\n>\n"))
}

/// The Sources block where every paragraph stands once at the end: what the section rests on, in one line.
fn sources_line(section: &Section, document: &Document) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for entry in &section.sources {
        match entry {
            SourceEntry::Paragraph(number) => {
                let citation = document.citations.get(number.saturating_sub(1))?;
                let mark = citation.mark().map(|mark| format!(" {mark}")).unwrap_or_default();
                names.push(format!("[{}](#{}){mark}", text::inline(citation.name()), citation.anchor()));
            }
            SourceEntry::Note(note) => {
                lines.push(format!("> {} [unverified: names no paragraph]", text::line(note)));
            }
            SourceEntry::Prior(mark) => {
                lines.push(mark.markdown().map(|line| format!("> {line}")).join("\n"))
            }
            SourceEntry::Web(mark) => lines.push(format!("> {}", mark.markdown(document.link_web))),
        }
    }
    let mut entries = vec!["> **Sources**".to_owned()];
    if !names.is_empty() {
        entries.push(format!("> {}", names.join(", ")));
    }
    entries.extend(lines);
    Some(entries.join("\n>\n"))
}

/// The paragraph in full where it is first a source; further down the sentences around the quotes, with the way back.
fn paragraph(citation: &Citation, markdown: &str, anchored: &mut Vec<usize>) -> String {
    let again = anchored.contains(&citation.number);
    let mark = citation.mark().map(|mark| format!(" {mark}")).unwrap_or_default();
    let name = text::inline(citation.name());
    if again && let Some(excerpts) = citation.excerpts(markdown) {
        let parts = excerpts.parts.iter().filter_map(|part| Some(quoted_text(part)?.join(" ")));
        let words = parts.collect::<Vec<_>>().join(" [...] ");
        let before = if excerpts.after_more { "[...] " } else { "" };
        let after = if excerpts.before_more { " [...]" } else { "" };
        return format!("> **{name}**{mark}: {before}{words}{after} ([full text](#{}))", citation.anchor());
    }
    let anchor = if again {
        String::new()
    } else {
        anchored.push(citation.number);
        format!("<a id=\"{}\"></a>", citation.anchor())
    };
    let place =
        citation.place_beside().map(|place| format!(" ({})", text::inline(place))).unwrap_or_default();
    let head = format!("> {anchor}**{name}**{mark}{place}: ");
    let Some(body) = quoted_text(&citation.pieces()) else {
        return format!("{head}no text of this paragraph is at hand.");
    };
    format!("{head}{}", body.join("\\\n> "))
}

/// The pieces as lines with the quoted ones in bold.
fn quoted_text(pieces: &[(&str, bool)]) -> Option<Vec<String>> {
    const START: &str = "\u{E000}";
    const END: &str = "\u{E001}";
    let mut marked = String::new();
    for &(piece, quoted) in pieces {
        if quoted {
            // Emphasis can't begin or end at white space.
            let inner = piece.trim();
            let lead = &piece[..piece.len() - piece.trim_start().len()];
            let trail = &piece[piece.trim_end().len()..];
            marked.push_str(&format!("{lead}{START}{inner}{END}{trail}"));
        } else {
            marked.push_str(piece);
        }
    }
    let mut inside = false;
    let mut out = Vec::new();
    for line in marked.trim().split('\n') {
        if line.trim().is_empty() {
            continue;
        }
        // A quote over several lines is emphasised line by line.
        let mut pieces = String::new();
        let mut rest = line.trim();
        let mut first = true;
        while !rest.is_empty() {
            let cut = rest
                .find([START, END].map(|mark| mark.chars().next().unwrap_or_default()))
                .unwrap_or(rest.len());
            let words = &rest[..cut];
            if !words.is_empty() {
                let escaped = escaped_piece(words, first && pieces.is_empty());
                if inside {
                    let next = rest[cut..]
                        .trim_start_matches([START, END].map(|m| m.chars().next().unwrap_or_default()));
                    push_strong(&mut pieces, &escaped, next.chars().next())
                } else {
                    pieces.push_str(&escaped)
                }
                first = false;
            }
            rest = &rest[cut..];
            if let Some(tail) = rest.strip_prefix(START) {
                inside = true;
                rest = tail;
            } else if let Some(tail) = rest.strip_prefix(END) {
                inside = false;
                rest = tail;
            }
        }
        out.push(pieces);
    }
    (!out.is_empty()).then_some(out)
}

/// Escapes a piece of a line; the blanks at its ends stay, they part it from the next piece.
fn escaped_piece(words: &str, at_start: bool) -> String {
    let lead = if words.starts_with(char::is_whitespace) && !at_start { " " } else { "" };
    let trail = if words.ends_with(char::is_whitespace) { " " } else { "" };
    let inner = if at_start { text::line(words) } else { text::inline(words) };
    if inner.is_empty() { lead.to_owned() } else { format!("{lead}{inner}{trail}") }
}

/// `**` only opens and closes between certain neighbours; where a quote ends at a sign, the signs stay outside of the bold,
/// except parentheses that close one opened inside, and those around the number that a quote begins with.
fn push_strong(out: &mut String, words: &str, next: Option<char>) {
    let bold = words.trim();
    let lead = &words[..words.len() - words.trim_start().len()];
    let trail = &words[words.trim_end().len()..];
    // `**(i) …**` opens where nothing or a blank stands before it.
    let whole = bold.starts_with('(')
        && bold.contains(')')
        && (out.is_empty() || lead.len() + usize::from(out.ends_with(char::is_whitespace)) > 0);
    let start = if whole { 0 } else { bold.find(char::is_alphanumeric).unwrap_or(bold.len()) };
    let end = bold
        .rfind(char::is_alphanumeric)
        .map_or(start, |at| at + bold[at..].chars().next().map_or(1, char::len_utf8));
    let end = {
        let open =
            bold[start..end].matches('(').count().saturating_sub(bold[start..end].matches(')').count());
        let closing = bold[end..].bytes().take(open).take_while(|&byte| byte == b')').count();
        let after = bold[end + closing..].chars().next().or(trail.chars().next()).or(next);
        if after.is_none_or(|c| !c.is_alphanumeric()) { end + closing } else { end }
    };
    out.push_str(lead);
    out.push_str(&bold[..start]);
    if start < end {
        out.push_str("**");
        out.push_str(&bold[start..end]);
        out.push_str("**");
    }
    out.push_str(&bold[end..]);
    out.push_str(trail);
}

/// The most gaps that stand beside the headline; all of them stand under Gaps and Limits.
const MAX_HEADLINE_GAPS: usize = 3;

/// What a reader has to know with the headline: what was not answered, and how sure the answer is of itself.
pub(crate) fn beside(document: &Document) -> Vec<String> {
    let Limits { gaps, confidence, .. } = &document.limits;
    let mut lines: Vec<String> =
        gaps.iter().take(MAX_HEADLINE_GAPS).map(|gap| format!("Not answered: {gap}")).collect();
    if !lines.is_empty()
        && let Some(confidence) = confidence
    {
        lines.push(format!("Confidence stated by the answer: {confidence}"));
    }
    lines
}

/// What stands first: how far the document may be relied on, and what is known of it in one line.
pub(crate) fn seal(document: &Document) -> (Level, String) {
    match (&document.headline, &document.verification) {
        (Some(headline), _) => (headline.level, headline.text.clone()),
        (None, Some(summary)) => {
            let good = summary.total > 0 && summary.verified == summary.total && !summary.needs_repair;
            let text = verified_line(summary).trim_end_matches('.').to_owned();
            (if good { Level::Good } else { Level::Doubt }, text)
        }
        (None, None) => (Level::Doubt, "Citations were not verified".to_owned()),
    }
}

/// What stands beside it, a sentence each.
pub(crate) fn seal_lines(document: &Document) -> Vec<String> {
    let mut lines = beside(document);
    lines.extend(uncited_count(document));
    match document.limits.unsupported.len() {
        0 => {}
        1 => lines.push("1 statement not supported by checking.".to_owned()),
        count => lines.push(format!("{count} statements not supported by checking.")),
    }
    lines
}

/// "42 of 42 citations verified."
pub(crate) fn verified_line(summary: &VerificationSummary) -> String {
    match summary.total {
        0 => "The answer cites no paragraph.".to_owned(),
        1 => format!("{} of 1 citation verified.", summary.verified),
        total => format!("{} of {total} citations verified.", summary.verified),
    }
}

/// An axis' name for people.
pub(crate) fn axis_name(name: &str) -> String {
    let mut chars = name.replace('_', " ").chars().collect::<Vec<_>>();
    if let Some(first) = chars.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    chars.into_iter().collect()
}

/// The axes that pass or fail, and those whose checks were counted. A bare score judges nothing: what it counts is listed
/// under the limits.
pub(crate) fn judged_axes(summary: &VerificationSummary) -> Vec<&Axis> {
    summary.axes.iter().filter(|axis| axis.threshold.is_some() || axis.count.is_some()).collect()
}

/// Whether the axes say how many checks were made.
pub(crate) fn counted(axes: &[&Axis]) -> bool {
    axes.iter().any(|axis| axis.count.is_some())
}

/// "12 of 14" checks held.
pub(crate) fn axis_count(axis: &Axis) -> String {
    match axis.count {
        Some((_, 0)) => "nothing to check".to_owned(),
        Some((held, checked)) => format!("{held} of {checked}"),
        None => "-".to_owned(),
    }
}

/// An axis' score; none where there was nothing to check.
pub(crate) fn axis_score(axis: &Axis) -> String {
    match axis.count {
        Some((_, 0)) => "-".to_owned(),
        _ => format!("{:.2}", axis.score),
    }
}

/// What a comparison with the threshold says. What was not checked neither passes nor fails.
pub(crate) fn axis_result(axis: &Axis) -> &'static str {
    match axis.passed {
        _ if axis.count.is_some_and(|(_, checked)| checked == 0) => "-",
        Some(true) => "pass",
        Some(false) => "below threshold",
        None => "no threshold set",
    }
}

fn verification(summary: &VerificationSummary) -> Vec<String> {
    let mut out = vec![verified_line(summary)];
    let axes = judged_axes(summary);
    if !axes.is_empty() {
        let counted = counted(&axes);
        let mut table = match counted {
            true => "| Axis | Held | Score | Threshold | Result |\n|---|---:|---:|---:|---|".to_owned(),
            false => "| Axis | Score | Threshold | Result |\n|---|---:|---:|---|".to_owned(),
        };
        for axis in axes {
            let threshold = axis.threshold.map_or("-".to_owned(), |least| format!("{least:.2}"));
            let held = if counted { format!(" {} |", axis_count(axis)) } else { String::new() };
            table.push_str(&format!(
                "\n| {} |{held} {} | {threshold} | {} |",
                text::inline(&axis_name(&axis.name)),
                axis_score(axis),
                axis_result(axis)
            ));
        }
        out.push(table);
    }
    if !summary.counts.is_empty() {
        let mut table = "| Verdict | Citations |\n|---|---:|".to_owned();
        for count in &summary.counts {
            table.push_str(&format!("\n| {} | {} |", verdict_word(count.verdict), count.count));
        }
        out.push(table);
    }
    out
}

fn citations(document: &Document, anchored: &[usize]) -> String {
    let mut table = "| # | Citation | Verdict | Uses | Claim |\n|---:|---|---|---:|---|".to_owned();
    for citation in &document.citations {
        let name = text::inline(citation.name());
        let name = if anchored.contains(&citation.number) {
            format!("[{name}](#{})", citation.anchor())
        } else {
            name
        };
        for row in citation.rows() {
            table.push_str(&format!(
                "\n| {} | {name} | {} | {} | {} |",
                citation.number,
                text::inline(&row.verdict),
                row.uses(),
                text::inline(&row.claims)
            ));
        }
    }
    table
}

/// A row of the table of citations: what was found for one citation with one verdict.
pub(crate) struct Row {
    /// The verdict with its reason.
    pub verdict: String,
    /// Whether that is a good one.
    pub good: bool,
    /// How many claims were made with it.
    pub uses: usize,
    /// What was claimed, shortened.
    pub claims: String,
}

impl Row {
    /// The number of claims; a citation outside the answer's list has none that could be counted.
    pub(crate) fn uses(&self) -> String {
        if self.uses == 0 { "-".to_owned() } else { self.uses.to_string() }
    }
}

/// Claims in a row are cut to so many characters.
const CLAIM: usize = 140;

impl Citation {
    /// One row for each verdict, in the order of the claims.
    pub(crate) fn rows(&self) -> Vec<Row> {
        if self.checks.is_empty() {
            let verdict = format!("unverified: {}", self.reason);
            return vec![Row { verdict, good: false, uses: 0, claims: String::new() }];
        }
        let mut rows: Vec<(Row, Vec<String>)> = Vec::new();
        for check in &self.checks {
            let word = verdict_word(check.verdict);
            let verdict = if check.reason.is_empty() || check.reason == word {
                word.to_owned()
            } else {
                format!("{word}: {}", check.reason)
            };
            let place = rows.iter().position(|(row, _)| row.verdict == verdict).unwrap_or_else(|| {
                let good = check.verdict == domain::Verdict::Verified;
                rows.push((Row { verdict, good, uses: 0, claims: String::new() }, Vec::new()));
                rows.len() - 1
            });
            let (row, claims) = &mut rows[place];
            row.uses += 1;
            let claim = if same_words(&check.claim, &check.quote) {
                "quoted word for word".to_owned()
            } else {
                text::cut_at_word(&check.claim, CLAIM)
            };
            if !claim.is_empty() && !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        rows.into_iter().map(|(row, claims)| Row { claims: claims.join("; "), ..row }).collect()
    }
}

/// Whether a claim only repeats its quote.
fn same_words(claim: &str, quote: &str) -> bool {
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    !quote.is_empty() && bare(claim) == bare(quote)
}

/// The parts of Gaps and Limits: heading and items.
pub(crate) fn limit_parts(document: &Document) -> Vec<(&'static str, Vec<String>)> {
    let limits = &document.limits;
    let uncited = {
        let mut items: Vec<String> = document.uncited_sentences.iter().take(LISTED).cloned().collect();
        let more = document.uncited_sentences.len().saturating_sub(LISTED);
        if more > 0 {
            items.push(format!("and {more} more"));
        }
        items
    };
    let skipped = limits.skipped.iter().map(|stage| {
        if stage.why.is_empty() { stage.title.clone() } else { format!("{}: {}", stage.title, stage.why) }
    });
    let parts = vec![
        ("Changed since the earlier answer", limits.changed.clone()),
        ("Gaps", limits.gaps.clone()),
        ("Assumptions taken", limits.assumptions.clone()),
        ("Stages that did not run", skipped.collect()),
        ("What did not go as planned", limits.warnings.clone()),
        ("Statements that checking did not support", limits.unsupported.clone()),
        ("Possible contradictions, for a person to judge", limits.contradictions.clone()),
        ("Sentences without a citation", uncited),
    ];
    parts.into_iter().filter(|(_, items)| !items.is_empty()).collect()
}

/// What is said about sentences without a citation.
pub(crate) fn uncited_count(document: &Document) -> Option<String> {
    match document.uncited_sentences.len() {
        0 => None,
        1 => Some("1 sentence has no citation.".to_owned()),
        count => Some(format!("{count} sentences have no citation.")),
    }
}

fn limits(document: &Document) -> Vec<String> {
    let parts = limit_parts(document);
    if parts.is_empty() && document.limits.confidence.is_none() {
        return Vec::new();
    }
    let mut out = vec!["## Gaps and Limits".to_owned()];
    if let Some(confidence) = &document.limits.confidence {
        out.push(format!("Confidence stated by the answer: {}", text::inline(confidence)));
    }
    out.extend(uncited_count(document));
    for (heading, items) in parts {
        out.push(format!("### {heading}"));
        out.push(list(items.iter().map(|item| text::line(item))));
    }
    out
}

/// "2 queries, deep depth, scope: cross-standard."
pub(crate) fn decomposition_line(document: &Document) -> String {
    let mut line = match document.queries.len() {
        1 => "1 query".to_owned(),
        count => format!("{count} queries"),
    };
    if !document.depth.is_empty() {
        line.push_str(&format!(", {} depth", document.depth));
    }
    if !document.scope.is_empty() {
        line.push_str(&format!(", scope: {}", document.scope));
    }
    line.push('.');
    line
}

fn decomposition(document: &Document) -> Vec<String> {
    if document.queries.is_empty() {
        return Vec::new();
    }
    let mut table = "| # | Query | Role | Standards |\n|---:|---|---|---|".to_owned();
    for (index, query) in document.queries.iter().enumerate() {
        table.push_str(&format!(
            "\n| {} | {} | {} | {} |",
            index + 1,
            text::inline(&query.text),
            text::inline(&query.role),
            text::inline(&query.standards.join(", "))
        ));
    }
    vec!["## Appendix: Research Decomposition".to_owned(), text::line(&decomposition_line(document)), table]
}
