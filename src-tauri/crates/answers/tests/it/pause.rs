//! Pause messages over every shape of data that stages give.

use answers::{CostLine, PauseChoice, PauseInput, PauseMessage, Shape, StatusLine, format_pause};
use domain::NanoUsd;
use domain::agent::Display;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn plan_display() -> Display {
    serde_json::from_str(include_str!("../fixtures/display-query-plan.json")).unwrap()
}

fn calibration_display() -> Display {
    serde_json::from_str(include_str!("../fixtures/display-calibration.json")).unwrap()
}

fn shown(display: Option<&Display>, status: Option<(&str, &str)>, data: &Value) -> PauseMessage {
    let status = status.map(|(label, summary)| StatusLine { label: label.into(), summary: summary.into() });
    format_pause(PauseInput {
        stage_title: "Analyze query",
        display,
        status: status.as_ref(),
        data,
        questions: &[],
        choices: &[],
        cost: None,
    })
}

/// The message without its folded data.
fn visible(message: &PauseMessage) -> &str {
    message.markdown.split("\n\n<details>").next().unwrap()
}

fn plan_with(extra: Value) -> Value {
    let mut plan = json!({
        "clarity_score": 0.64,
        "assumptions": ["Group audit", "Year end 2026"],
        "primary_standards": ["ISA 315", "ISA 600"],
    });
    plan.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    plan
}

const PLAN: &str = "\
**Query Analysis Complete** - Clarity: 64% (below 70% threshold)

**Assumptions**

- Group audit
- Year end 2026

**2 queries planned (deep mode, cross-standard scope)**

- [core] How is risk identified? - ISA 315, ISA 330
- [context] What about components? - ISA 600

**Primary Standards**

ISA 315, ISA 600";

fn first_shape() -> Value {
    plan_with(json!({
        "sub_queries": [
            { "query": "How is risk identified?", "role": "core", "target_standards": ["ISA 315", "ISA 330"] },
            { "query": "What about components?", "role": "context", "target_standards": ["ISA 600"] },
        ],
        "depth_mode": "deep",
        "scope": "cross-standard",
    }))
}

#[test]
fn a_query_plan_reads_the_same_wrapped_or_not() {
    let bare = first_shape();
    let wrapped = json!({ "query_plan": bare });
    for data in [&bare, &wrapped] {
        let message = shown(Some(&plan_display()), None, data);
        assert_eq!(visible(&message), PLAN);
        assert_eq!(message.shape, Shape::Display);
        let meter = message.meter.unwrap();
        assert_eq!((meter.label.as_str(), meter.value, meter.below), ("Clarity", 0.64, true));
    }
}

#[test]
fn the_other_names_of_the_same_fields_are_read() {
    let data = json!({ "query_plan": plan_with(json!({
        "sub_queries": [{ "text": "How is risk identified?", "isa_standards": ["ISA 315"], "search_strategy": "hybrid" }, { "text": "No standard named" }],
        "depth_recommendation": "quick",
        "scope_classification": "single-standard",
        "refined_query": "How does the auditor identify risks?",
    })) });
    assert_eq!(
        visible(&shown(Some(&plan_display()), None, &data)),
        "\
**Query Analysis Complete** - Clarity: 64% (below 70% threshold)

**Assumptions**

- Group audit
- Year end 2026

**2 queries planned (quick mode, single-standard scope)**

- How is risk identified? - ISA 315
- No standard named

**Primary Standards**

ISA 315, ISA 600

**Refined Question**

How does the auditor identify risks?"
    );
}

#[test]
fn the_percentage_stays_on_its_side_of_the_threshold() {
    for (score, words) in [
        (json!(0.64), "64% (below 70% threshold)"),
        (json!(0.6999), "69% (below 70% threshold)"),
        (json!(0.7), "70% (above 70% threshold)"),
        (json!(1), "100% (above 70% threshold)"),
        (json!("0.5"), "50% (below 70% threshold)"),
        (json!("64%"), "64% (below 70% threshold)"),
        (json!(85), "85% (above 70% threshold)"),
        (json!(-3), "0% (below 70% threshold)"),
    ] {
        let message = shown(Some(&plan_display()), None, &json!({ "clarity_score": score }));
        assert_eq!(visible(&message), format!("**Query Analysis Complete** - Clarity: {words}"));
    }
}

#[test]
fn alternatives_are_shown_only_below_the_threshold() {
    for (score, expected) in [(0.69, true), (0.9, false)] {
        let data = json!({ "clarity_score": score, "alternative_interpretations": ["It may mean reviews"] });
        let message = shown(Some(&plan_display()), None, &data);
        assert_eq!(
            visible(&message).contains("**Alternative Interpretations**\n\n- It may mean reviews"),
            expected
        );
    }
}

#[test]
fn a_calibration_shows_what_changed_and_why() {
    let data = json!({
        "websearch_calibration": {
            "web_research_context": "Two changes.\nBoth small.",
            "intent_changes": {
                "sub_queries_added": [{ "query": "New rules?", "role": "core", "reason": "in force since May" }],
                "sub_queries_modified": [{ "original": "Old words", "modified": "New words", "reason": "term changed" }],
                "sub_queries_demoted": [{ "query": "History" }, "Plain text"],
            },
            "web_sources": [{ "title": "Board", "url": "https://board.example/a" }],
        },
        "webResults": [],
    });
    assert_eq!(
        visible(&shown(Some(&calibration_display()), Some(("CALIBRATED", "The plan was changed.")), &data)),
        "\
**Web Search Calibration** - CALIBRATED

The plan was changed.

**Summary**

Two changes.\\
Both small.

**Queries added**

- [core] New rules? (in force since May)

**Queries modified**

- Old words -> New words (term changed)

**Queries demoted**

- History
- Plain text

**1 pages found**

- Board - https://board.example/a"
    );
}

#[test]
fn a_calibration_that_lists_actions_reads_alike() {
    let data = json!({
        "calibration": {
            "calibration_summary": "Some words.",
            "queries": [
                { "original_text": "Same", "refined_text": "Same", "action": "keep" },
                { "original_text": "Old words", "refined_text": "New words", "action": "modified" },
                { "refined_text": "New rules?", "action": "ADDED" },
                { "original_text": "History", "action": "removed" },
            ],
        },
        "webResults": [{ "title": "Board", "url": "https://board.example/a", "snippet": "s" }],
    });
    assert_eq!(
        visible(&shown(Some(&calibration_display()), Some(("CONFIRMED", "")), &data)),
        "\
**Web Search Calibration** - CONFIRMED

**Summary**

Some words.

**Queries added**

- New rules?

**Queries modified**

- Old words -> New words

**Queries demoted**

- History

**1 pages found**

- Board - https://board.example/a"
    );
}

#[test]
fn a_skipped_calibration_says_so() {
    for data in [json!({ "websearch_calibration": { "skipped": true } }), json!({ "skipped": true })] {
        let message =
            shown(Some(&calibration_display()), Some(("SKIPPED", "The plan goes on unchanged.")), &data);
        assert_eq!(visible(&message), "**Web Search Calibration** - SKIPPED\n\nThe plan goes on unchanged.");
        assert_eq!(message.shape, Shape::Display);
    }
}

#[test]
fn json_inside_of_raw_text_is_recovered() {
    let raw = format!("Here it is:\n```json\n{}\n```\n", json!({ "query_plan": first_shape() }));
    let message = shown(Some(&plan_display()), None, &json!({ "rawText": raw, "webResults": [] }));
    assert_eq!(message.shape, Shape::Recovered);
    assert_eq!(visible(&message), PLAN);
    assert!(message.markdown.contains("```json\n{\n  \"query_plan\": {"), "{}", message.markdown);
}

#[test]
fn data_that_can_not_be_laid_out_is_explained_and_folded() {
    for data in [
        json!({ "rawText": "{\"clarity_score\": 0.6, \"assum" }),
        json!({ "other": 1 }),
        json!([1, 2]),
        Value::Null,
    ] {
        let message = shown(Some(&plan_display()), None, &data);
        assert_eq!(message.shape, Shape::Fallback);
        assert_eq!(
            visible(&message),
            "**Analyze query complete**\n\nThis stage returned data that could not be laid out for reading. Nothing is lost: the data as it came is folded below. Look at it before you decide; amending lets the stage try again."
        );
        assert!(message.markdown.contains("<summary>Raw output</summary>\n\n```"), "{}", message.markdown);
    }
}

#[test]
fn the_whole_message_with_questions_choices_data_and_cost() {
    let display = plan_display();
    let data = json!({ "clarity_score": 0.6 });
    let choice = |id: &str, label: &str, next: &str| PauseChoice {
        id: id.into(),
        label: label.into(),
        next: next.into(),
    };
    let message = format_pause(PauseInput {
        stage_title: "Analyze query",
        display: Some(&display),
        status: None,
        data: &data,
        questions: &["Which year?".into(), "  ".into(), "Which <b>group</b>?".into()],
        choices: &[
            choice("proceed", "Search the web", "The plan is refined by what is found."),
            choice("cancel", "Cancel", ""),
        ],
        cost: Some(&CostLine {
            input: 1204,
            output: 380,
            cost: Some(NanoUsd::from_usd(0.0204)),
            equivalent: false,
        }),
    });
    assert_eq!(
        message.markdown,
        "\
**Query Analysis Complete** - Clarity: 60% (below 70% threshold)

**Questions**

Clarity is at 60%. Please answer what you can before the run goes on:

1. Which year?
2. Which &lt;b>group&lt;/b>?

**What you can do**

- **Search the web** - The plan is refined by what is found.
- **Cancel**

<details>
<summary>Full Query Plan (JSON)</summary>

```json
{
  \"clarity_score\": 0.6
}
```

</details>

---

*This stage used 1,204 input and 380 output tokens ($0.02)*
"
    );
    assert!(message.markdown.is_ascii());
}

#[test]
fn costs_say_when_they_are_equivalents_or_unknown() {
    let line = |cost, equivalent| {
        let cost = CostLine { input: 1_234_567, output: 1, cost, equivalent };
        let data = json!({});
        let input = PauseInput {
            stage_title: "S",
            display: None,
            status: None,
            data: &data,
            questions: &[],
            choices: &[],
            cost: Some(&cost),
        };
        format_pause(input).markdown.lines().last().unwrap().to_owned()
    };
    assert_eq!(
        line(Some(NanoUsd(4_100_000)), true),
        "*This stage used 1,234,567 input and 1 output tokens (about $0.0041 equivalent)*"
    );
    assert_eq!(line(None, false), "*This stage used 1,234,567 input and 1 output tokens (no price known)*");
}

#[test]
fn content_can_neither_leave_its_fold_nor_open_html_or_headings() {
    let data = json!({
        "clarity_score": 0.2,
        "assumptions": ["</details>\n# Fake", "```\n</details>\n<script>alert(1)</script>", "1. x", "---", "[a](javascript:b)", "\u{202E}reversed"],
        "scope": "<img src=x onerror=alert(1)>",
        "note": "````` </details>",
        "sub_queries": [{ "query": "## Heading", "role": "**bold**" }],
    });
    let message = shown(Some(&plan_display()), Some(("# Status", "## Fake\n\n<b>x</b>")), &data);
    assert_eq!(message.markdown.matches("<details>").count(), 1);
    assert_eq!(message.markdown.matches("</details>").count(), 1);
    assert!(
        !message.markdown.contains("<script")
            && !message.markdown.contains("<img")
            && !message.markdown.contains('\u{202E}')
    );
    assert!(message.markdown.contains("\n``````json\n"), "{}", message.markdown);
    let events: Vec<_> = pulldown_cmark::Parser::new(&message.markdown).collect();
    use pulldown_cmark::{Event, Tag};
    assert!(!events.iter().any(|event| matches!(
        event,
        Event::Start(Tag::Heading { .. } | Tag::Link { .. } | Tag::Image { .. })
    )));
    let html: String = events
        .iter()
        .filter_map(|event| {
            if let Event::Html(raw) | Event::InlineHtml(raw) = event { Some(raw.as_ref()) } else { None }
        })
        .collect();
    assert_eq!(html, "<details>\n<summary>Full Query Plan (JSON)</summary>\n</details>\n");
    // The fold still holds the same JSON.
    let fold = message.markdown.split("json\n").nth(1).unwrap().split("\n``````").next().unwrap();
    assert_eq!(serde_json::from_str::<Value>(fold).unwrap(), data);
}

#[test]
fn a_stage_without_a_display_shows_a_header_and_its_data_folded() {
    let message = shown(None, None, &json!({ "a": 1 }));
    assert_eq!(message.shape, Shape::Plain);
    assert_eq!(
        message.markdown,
        "**Analyze query complete**\n\n<details>\n<summary>Output (JSON)</summary>\n\n```json\n{\n  \"a\": 1\n}\n```\n\n</details>\n"
    );
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let all: Vec<String> = (0..80).map(|index| format!("Assumption {index}")).collect();
    let message = shown(Some(&plan_display()), None, &json!({ "clarity_score": 1, "assumptions": all }));
    assert!(visible(&message).ends_with("- Assumption 49\n- ... and 30 more"), "{}", visible(&message));
}
