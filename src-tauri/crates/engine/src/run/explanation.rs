//! What a person is told who asks about a pause instead of deciding: what the stage found, and what each choice does.

use engine_types::Form;
use replies::is_question;

/// Words that a question about anything may hold.
const COMMON: [&str; 24] = [
    "about", "again", "also", "change", "does", "explain", "from", "have", "here", "into", "mean", "plan",
    "search", "shall", "should", "that", "these", "they", "this", "what", "when", "which", "will", "with",
];

/// What a question is answered with, and words that decide nothing: `why`. It decides nothing.
pub(crate) fn explanation(form: &Form, text: &str, why: Option<&str>) -> String {
    let mut out = vec!["Nothing was decided: the run waits for your choice.".to_owned()];
    out.extend(why.map(str::to_owned));
    if is_question(text.trim()) {
        out.extend(concerned(form, text));
        out.extend(form.meter.as_ref().map(|meter| {
            let (value, threshold) = (meter.value * 100.0, meter.threshold * 100.0);
            let side = if meter.value < meter.threshold {
                format!("below {threshold:.0}%, so answers to the questions and a look at the assumptions are worth it")
            } else {
                format!("at or above {threshold:.0}%, so nothing has to be answered first")
            };
            format!("**{}: {value:.0}%**, as {} rated it: {side}.", meter.label, form.title)
        }));
        for part in &form.parts {
            let title = if part.title.is_empty() { String::new() } else { format!("**{}**\n\n", part.title) };
            out.push(format!("{title}{}", part.markdown));
        }
        if !form.questions.is_empty() {
            let questions = form.questions.iter().map(|question| format!("- {question}"));
            out.push(format!("**Open questions**\n\n{}", questions.collect::<Vec<_>>().join("\n")));
        }
    }
    let choices = form.choices.iter().map(|choice| format!("- **{}**: {}", choice.label, choice.next));
    out.push(format!("**What you can do**\n\n{}", choices.collect::<Vec<_>>().join("\n")));
    out.join("\n\n")
}

/// The items of the message that share a word with the question, each with its part's title.
fn concerned(form: &Form, text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 && !COMMON.contains(word))
        .collect();
    let mut items = Vec::new();
    for part in &form.parts {
        for line in part.markdown.lines().filter(|line| !line.trim().is_empty()) {
            let lower = line.to_lowercase();
            if words.iter().any(|word| lower.contains(word)) {
                let item = line.trim_start_matches(['-', ' ']);
                items.push(if part.title.is_empty() {
                    format!("- {item}")
                } else {
                    format!("- {}: {item}", part.title)
                });
            }
        }
    }
    (!items.is_empty()).then(|| format!("**On your question**\n\n{}", items.join("\n")))
}
