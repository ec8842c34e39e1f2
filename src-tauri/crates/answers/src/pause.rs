//! The message shown when a run stops for a person. Code writes it, never a model.

mod recover;
mod template;

use domain::NanoUsd;
use domain::agent::{Display, DisplaySection, DisplayStyle, Show};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use recover::recover_json;

use crate::json::{is_empty, lookup, number, plain};
use crate::text;

/// The most items of one part; the folded data has all of them.
const MAX_ITEMS: usize = 50;
/// The most characters of one item or line.
const MAX_ITEM_CHARS: usize = 2_000;
/// The most characters of the folded data.
const MAX_DATA_CHARS: usize = 200_000;

/// What a pause message is made from.
#[derive(Debug, Clone, Copy)]
pub struct PauseInput<'a> {
    /// The stage's title.
    pub stage_title: &'a str,
    /// How its output is shown; without it the output is folded under a plain header.
    pub display: Option<&'a Display>,
    /// The status that holds, already evaluated.
    pub status: Option<&'a StatusLine>,
    /// The stage's output.
    pub data: &'a Value,
    /// The questions asked.
    pub questions: &'a [String],
    /// What the person can choose.
    pub choices: &'a [PauseChoice],
    /// What the stage cost.
    pub cost: Option<&'a CostLine>,
}

/// A status and what it means.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusLine {
    /// The word beside the header.
    pub label: String,
    /// What it means and what to do.
    pub summary: String,
}

/// A choice as the message shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseChoice {
    /// Names it in answers.
    pub id: String,
    /// What its button says.
    pub label: String,
    /// What happens next.
    pub next: String,
}

/// What the stage used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostLine {
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Money; `None` when no price is known.
    pub cost: Option<NanoUsd>,
    /// Whether the money is what it would have cost: subscriptions.
    pub equivalent: bool,
}

/// A pause message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PauseMessage {
    /// The message.
    pub markdown: String,
    /// How it came about; recorded with the run.
    pub shape: Shape,
    /// The meter beside the header.
    pub meter: Option<MeterReading>,
    /// The header alone, plain.
    pub heading: String,
    /// Its parts without questions and choices, for surfaces that lay them out themselves.
    pub parts: Vec<PausePart>,
    /// The label of the folded data, plain.
    pub data_label: String,
    /// The folded data.
    pub data: Value,
}

/// A part of a pause message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PausePart {
    /// Its title, plain; empty for none.
    pub title: String,
    /// Its text, Markdown.
    pub markdown: String,
    /// The path list it was read by; empty for text that no field holds.
    pub path: String,
}

/// How a message came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Laid out as the stage's display says.
    Display,
    /// So too, from JSON found inside of `rawText`.
    Recovered,
    /// The display could not be applied: an explanation and the folded data.
    Fallback,
    /// The stage has no display: a header and the folded data.
    Plain,
}

impl Shape {
    /// Its name in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Recovered => "recovered",
            Self::Fallback => "fallback",
            Self::Plain => "plain",
        }
    }
}

/// A meter's value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeterReading {
    /// Its name.
    pub label: String,
    /// 0 to 1.
    pub value: f64,
    /// 0 to 1.
    pub threshold: f64,
    /// Whether the value is below the threshold.
    pub below: bool,
}

/// Makes the message: a function of its input.
pub fn format_pause(input: PauseInput<'_>) -> PauseMessage {
    let recovered = input
        .data
        .get("rawText")
        .or_else(|| input.data.get("raw_text"))
        .and_then(Value::as_str)
        .and_then(recover_json);
    let readable = |display: &Display, data: &Value| container(display, data).is_some();
    let (data, shape) = match (input.display, &recovered) {
        (None, _) => (input.data, Shape::Plain),
        (Some(display), _) if readable(display, input.data) => (input.data, Shape::Display),
        (Some(display), Some(found)) if readable(display, found) => (found, Shape::Recovered),
        (Some(_), _) => (input.data, Shape::Fallback),
    };
    let mut meter = None;
    let plain_part = |markdown: String| PausePart { title: String::new(), markdown, path: String::new() };
    let summary =
        input.status.map(|status| text_block(&status.summary)).filter(|summary| !summary.is_empty());
    let mut parts: Vec<PausePart> = summary.map(plain_part).into_iter().collect();
    let heading = match (input.display, shape) {
        (Some(display), Shape::Display | Shape::Recovered) => {
            let at = container(display, data).unwrap_or_else(|| data.clone());
            meter = reading(display, &at, data);
            parts.extend(display.sections.iter().filter_map(|part| section(part, &at, data, meter.as_ref())));
            display.header.clone()
        }
        (None, _) => format!("{} complete", input.stage_title),
        (Some(_), Shape::Fallback | Shape::Plain) => {
            parts.push(plain_part(
                "This stage returned data that could not be laid out for reading. Nothing is lost: the data as it came is folded below. Look at it before you decide; amending lets the stage try again."
                    .to_owned(),
            ));
            format!("{} complete", input.stage_title)
        }
    };
    let mut out = vec![header(&heading, meter.as_ref(), input.status)];
    for part in &parts {
        if !part.title.is_empty() {
            out.push(format!("**{}**", text::inline(&part.title)));
        }
        out.push(part.markdown.clone());
    }
    out.extend(questions(input.questions, meter.as_ref()));
    out.extend(choices(input.choices));
    let label = match (input.display, shape) {
        (Some(display), Shape::Display | Shape::Recovered) => display.data_label.as_str(),
        (Some(_), _) => "Raw output",
        (None, _) => "Output (JSON)",
    };
    out.push(folded(label, data));
    out.extend(input.cost.map(footer));
    let mut markdown = out.join("\n\n");
    markdown.push('\n');
    PauseMessage {
        markdown,
        shape,
        meter,
        heading: text::one_line(&heading),
        parts,
        data_label: text::one_line(label),
        data: data.clone(),
    }
}

/// Where the display's paths start, if what it requires is there.
fn container(display: &Display, data: &Value) -> Option<Value> {
    let at = display
        .container
        .as_deref()
        .and_then(|paths| lookup(data, data, paths))
        .unwrap_or_else(|| data.clone());
    match &display.requires {
        Some(paths) => lookup(&at, data, paths).is_some().then_some(at),
        None => at.is_object().then_some(at),
    }
}

fn reading(display: &Display, at: &Value, root: &Value) -> Option<MeterReading> {
    let meter = display.meter.as_ref()?;
    let value = number(&lookup(at, root, &meter.path)?)?;
    // Some answers give percent where a share was asked for.
    let value = if value > 1.0 && value <= 100.0 { value / 100.0 } else { value.clamp(0.0, 1.0) };
    Some(MeterReading {
        label: text::one_line(&meter.label),
        value,
        threshold: meter.threshold,
        below: value < meter.threshold,
    })
}

/// A share in percent, rounded so that it stays on its side of the threshold.
fn percent(value: f64, threshold: f64) -> i64 {
    let rounded = (value * 100.0).round();
    if value < threshold && rounded >= (threshold * 100.0).round() {
        rounded as i64 - 1
    } else {
        rounded as i64
    }
}

fn header(title: &str, meter: Option<&MeterReading>, status: Option<&StatusLine>) -> String {
    let mut out = format!("**{}**", text::inline(title));
    if let Some(status) = status.filter(|status| !status.label.trim().is_empty()) {
        out.push_str(&format!(" - {}", text::inline(&status.label)));
    }
    if let Some(meter) = meter {
        out.push_str(&format!(
            " - {}: {}% ({} {}% threshold)",
            text::inline(&meter.label),
            percent(meter.value, meter.threshold),
            if meter.below { "below" } else { "above" },
            (meter.threshold * 100.0).round() as i64
        ));
    }
    out
}

fn section(
    part: &DisplaySection,
    at: &Value,
    root: &Value,
    meter: Option<&MeterReading>,
) -> Option<PausePart> {
    let shown = match part.show {
        Show::Present => true,
        Show::BelowThreshold => meter.is_some_and(|meter| meter.below),
    };
    let value = lookup(at, root, &part.path).filter(|value| shown && !is_empty(value))?;
    let items: Vec<Value> = match value {
        Value::Array(items) => items.into_iter().filter(|item| !is_empty(item)).collect(),
        other => vec![other],
    };
    let title = template::fill(&part.title, at, root, Some(items.len()));
    let written: Vec<String> = items
        .iter()
        .map(|item| written(item, part.item.as_deref(), root))
        .filter(|item| !item.is_empty())
        .collect();
    if written.is_empty() {
        return None;
    }
    let more = written.len().saturating_sub(MAX_ITEMS);
    let shown = written.iter().take(MAX_ITEMS);
    let body = match part.style {
        DisplayStyle::Bullets => list(shown.map(|item| format!("- {}", text::line(item))), more),
        DisplayStyle::Numbered => {
            list(shown.enumerate().map(|(index, item)| format!("{}. {}", index + 1, text::line(item))), more)
        }
        DisplayStyle::Commas => text::line(&shown.cloned().collect::<Vec<_>>().join(", ")),
        DisplayStyle::Text => shown.map(|item| text_block(item)).collect::<Vec<_>>().join("\n\n"),
    };
    Some(PausePart { title, markdown: body, path: part.path.clone() })
}

fn list(items: impl Iterator<Item = String>, more: usize) -> String {
    let mut out: Vec<String> = items.collect();
    if more > 0 {
        out.push(format!("- ... and {more} more"));
    }
    out.join("\n")
}

/// One item as plain text: by its template; a text is its own template, and fields no template names are all listed.
fn written(item: &Value, template: Option<&str>, root: &Value) -> String {
    let by_template =
        template.filter(|_| item.is_object()).map(|template| template::fill(template, item, root, None));
    let out = match (by_template.filter(|text| !text.is_empty()), item) {
        (Some(text), _) => text,
        (None, Value::Object(fields)) => {
            let fields = fields.iter().filter(|(_, value)| !is_empty(value));
            fields.map(|(name, value)| format!("{name}: {}", plain(value))).collect::<Vec<_>>().join(", ")
        }
        (None, _) => plain(item),
    };
    text::cut_at_word(out.trim(), MAX_ITEM_CHARS)
}

fn text_block(words: &str) -> String {
    text::paragraphs(&text::cut_at_word(words.trim(), 4 * MAX_ITEM_CHARS))
}

fn questions(questions: &[String], meter: Option<&MeterReading>) -> Option<String> {
    let asked: Vec<&String> = questions.iter().filter(|question| !question.trim().is_empty()).collect();
    if asked.is_empty() {
        return None;
    }
    let lead = match meter {
        Some(meter) if meter.below => format!(
            "{} is at {}%. Please answer what you can before the run goes on:",
            text::inline(&meter.label),
            percent(meter.value, meter.threshold)
        ),
        _ => "Please answer what you can; every question may stay open:".to_owned(),
    };
    let items = asked.iter().enumerate().map(|(index, question)| {
        format!("{}. {}", index + 1, text::line(&text::cut_at_word(question.trim(), MAX_ITEM_CHARS)))
    });
    Some(format!("**Questions**\n\n{lead}\n\n{}", list(items, 0)))
}

fn choices(choices: &[PauseChoice]) -> Option<String> {
    if choices.is_empty() {
        return None;
    }
    let items = choices.iter().map(|choice| {
        let label = if choice.label.trim().is_empty() { &choice.id } else { &choice.label };
        let next = text::inline(&choice.next);
        let next = if next.is_empty() { String::new() } else { format!(" - {next}") };
        format!("- **{}**{next}", text::inline(label))
    });
    Some(format!("**What you can do**\n\n{}", list(items, 0)))
}

/// The data in a fold. Blank lines around the fence let Markdown be read inside of HTML; the content can't close the fence.
fn folded(label: &str, data: &Value) -> String {
    let only_text = data
        .as_object()
        .filter(|map| map.len() == 1)
        .and_then(|map| map.get("rawText").or_else(|| map.get("raw_text")));
    let (language, content) = match (only_text, data) {
        (Some(Value::String(raw)), _) | (None, Value::String(raw)) => ("text", text::clean(raw)),
        _ => ("json", visible_json(data)),
    };
    let content = if content.chars().count() > MAX_DATA_CHARS {
        let kept: String = content.chars().take(MAX_DATA_CHARS).collect();
        format!("{kept}\n... cut here: the run's own record has all of it")
    } else {
        content
    };
    let fence = text::fence(&content);
    format!(
        "<details>\n<summary>{}</summary>\n\n{fence}{language}\n{content}\n{fence}\n\n</details>",
        text::html(&text::one_line(label))
    )
}

/// Indented JSON in which angle brackets and hidden characters are written as escapes: still the same JSON.
fn visible_json(data: &Value) -> String {
    let json = serde_json::to_string_pretty(data).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let mut one = [0_u8; 4];
        let hidden = text::hidden_count(c.encode_utf8(&mut one)) > 0
            || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}');
        if c == '<' || hidden {
            let mut units = [0_u16; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn footer(cost: &CostLine) -> String {
    let money = match cost.cost {
        Some(money) if cost.equivalent => format!(" (about {money} equivalent)"),
        Some(money) => format!(" ({money})"),
        None => " (no price known)".to_owned(),
    };
    format!(
        "---\n\n*This stage used {} input and {} output tokens{money}*",
        grouped(cost.input),
        grouped(cost.output)
    )
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
