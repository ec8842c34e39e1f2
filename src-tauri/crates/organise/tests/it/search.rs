use organise::{
    Choice, Facts, Field, Filter, HasFilter, KnownValues, LabelList, Scope, SearchLine, StateFilter,
    StatusList, Test,
};
use pretty_assertions::assert_eq;

use crate::support::{COLUMNS, DAY, HOUR, NOW, scope, session};

fn read(line: &str) -> SearchLine {
    let labels = LabelList::shipped();
    let agents = vec![Choice { value: "isa-deep-research".to_owned(), label: String::new() }];
    let known = KnownValues { values: vec![(Field::Agent, agents)] };
    SearchLine::parse(line, &scope(&labels), &StatusList::shipped(), &known)
}

fn tests(line: &str) -> Vec<(bool, Test)> {
    let found = read(line);
    assert_eq!(found.mistakes, [], "{line}");
    found.terms.into_iter().map(|term| (term.negated, term.test)).collect()
}

fn fits(line: &str, facts: &Facts) -> bool {
    let labels = LabelList::shipped();
    read(line).condition().holds(facts, &scope(&labels))
}

fn texts(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

#[test]
fn a_line_is_words_and_filters() {
    let line =
        "agent:isa-deep-research label:bug status:todo is:flagged has:document \"exact phrase\" -word login";
    assert_eq!(
        tests(line),
        [
            (false, Test::Filter(Filter::Agent(texts(&["isa-deep-research"])))),
            (false, Test::Filter(Filter::Label(texts(&["bug"])))),
            (false, Test::Filter(Filter::Status(texts(&["todo"])))),
            (false, Test::Filter(Filter::Is(StateFilter::Flagged))),
            (false, Test::Filter(Filter::Has(HasFilter::Document))),
            (false, Test::Phrase("exact phrase".to_owned())),
            (true, Test::Word("word".to_owned())),
            (false, Test::Word("login".to_owned())),
        ]
    );
}

#[test]
fn names_stand_for_ids_and_commas_for_or() {
    assert_eq!(
        tests("-status:\"in progress\",Done label:Bug,Priority::\"$1.5k\""),
        [
            (true, Test::Filter(Filter::Status(texts(&["in-progress", "done"])))),
            (false, Test::Filter(Filter::Label(texts(&["bug", "priority::1500"])))),
        ]
    );
}

#[test]
fn a_day_begins_where_the_person_is() {
    // 2026-05-10 14:00 at two hours east.
    let midnight = NOW - 14 * HOUR;
    for (value, ms) in [
        ("2026-05-10", midnight),
        ("2026-05", midnight - 9 * DAY),
        ("2026", midnight - 129 * DAY),
        ("today", midnight),
        ("Yesterday", midnight - DAY),
        ("7d", NOW - 7 * DAY),
        ("2w", NOW - 14 * DAY),
        ("12h", NOW - 12 * HOUR),
        ("2m", midnight - 61 * DAY),
        ("1y", midnight - 365 * DAY),
    ] {
        assert_eq!(tests(&format!("after:{value}")), [(false, Test::Filter(Filter::After(ms)))], "{value}");
        assert_eq!(tests(&format!("before:{value}")), [(false, Test::Filter(Filter::Before(ms)))], "{value}");
    }
}

#[test]
fn filters_hold_for_the_sessions_they_name() {
    let facts = session();
    for (line, expected) in [
        ("", true),
        ("only words", true),
        ("label:bug", true),
        ("label:work", true),
        ("-label:work", false),
        ("label:writing,bug", true),
        ("label:writing label:bug", false),
        ("label:priority::3", true),
        ("label:priority>2", true),
        ("label:priority>=4", false),
        ("label:due<2026-06-01", true),
        ("label:due>\"1 June 2026\"", false),
        ("status:todo", true),
        ("status:done status:todo", true),
        ("status:done -status:todo", false),
        ("agent:isa-deep-research", true),
        ("model:OPUS", true),
        ("model:haiku", false),
        ("mode:ask", true),
        ("mode:safe,ask", true),
        ("source:linear", true),
        ("is:unread", true),
        ("is:read", false),
        ("is:open", true),
        ("is:closed", false),
        ("-is:archived", true),
        ("has:labels has:source", true),
        ("has:draft", false),
        ("after:7d before:2d", true),
        ("before:7d", false),
    ] {
        assert_eq!(fits(line, &facts), expected, "{line}");
    }
    assert!(fits("is:open", &Facts::default()));
}

#[test]
fn a_filter_that_is_wrong_is_left_out_and_said() {
    for (line, at, said) in [
        ("status:dnoe x", "status:dnoe", "there is no status `dnoe` (did you mean `done`?)"),
        ("label:bgu", "bgu", "there is no label `bgu` (did you mean `bug`?)"),
        ("is:flaged", "flaged", "a session is never `flaged` (did you mean `flagged`?)"),
        ("has:documnt", "documnt", "a session can't have `documnt` (did you mean `document`?)"),
        ("mode:alow-all", "alow-all", "there is no mode `alow-all` (did you mean `allow-all`?)"),
        (
            "before:2026-13-01",
            "2026-13-01",
            "`2026-13-01` is no day (`before:` takes a day such as 2026-05-01, or an age such as 7d)",
        ),
        ("agent: x", "agent:", "`agent:` takes an agent's slug"),
        (
            "label:priority>x",
            "priority>x",
            "`x` is no number and no day (`label:` takes a label, such as bug, priority::3 or priority>2)",
        ),
    ] {
        let found = read(line);
        let mistake = &found.mistakes[0];
        let span = &line[mistake.at.start as usize..mistake.at.end as usize];
        assert!(at.ends_with(span), "{line}: {span}");
        assert_eq!(mistake.to_string(), said);
        assert!(found.terms.iter().all(|term| !matches!(term.test, Test::Filter(_))), "{line}");
    }
}

#[test]
fn what_may_be_meant_is_said() {
    let found = read("agent:isa-deep-reserch lable:bug");
    let said: Vec<String> = found.mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "there is no agent `isa-deep-reserch` (did you mean `isa-deep-research`?)",
            "there is no filter `lable:` (did you mean `label:`? Words with a colon go in quotes)",
        ]
    );
    assert_eq!(found.terms.len(), 1, "a filter that is none is no word either");
    let quoted = read("\"lable:bug\"");
    assert!(quoted.mistakes.is_empty());
    assert_eq!(quoted.words().count(), 1);
}

#[test]
fn what_was_left_out_is_told_from_what_is_searched_for_all_the_same() {
    let refused =
        |line: &str| read(line).refused().iter().map(|mistake| mistake.message.clone()).collect::<Vec<_>>();
    assert_eq!(refused("label:nonsense is:open"), ["there is no label `nonsense`"]);
    assert_eq!(refused("is:open lable:bug"), ["there is no filter `lable:`"]);
    assert_eq!(refused("is:open agent:nobody"), Vec::<String>::new());
    assert_eq!(refused("is:open budget"), Vec::<String>::new());
}

#[test]
fn addresses_times_and_dashes_are_words() {
    for word in ["https://example.org/a", "12:30", "std::vec", "--flag", "-", "a-b", "C:\\x"] {
        assert_eq!(tests(word), [(false, Test::Word(word.to_owned()))]);
    }
    assert_eq!(tests("\"not closed"), [(false, Test::Phrase("not closed".to_owned()))]);
    assert_eq!(tests("\"\" \"  \""), []);
}

#[test]
fn a_line_is_bounded() {
    let many = read(&"a ".repeat(60));
    assert_eq!((many.terms.len(), many.mistakes[0].message.as_str()), (50, "more than 50 terms"));
    let long = read(&"ü".repeat(5_000));
    assert_eq!((long.terms.len(), long.mistakes[0].message.as_str()), (1, "more than 2000 bytes"));
}

#[test]
fn filters_become_sql() {
    let labels = LabelList::shipped();
    let scope = Scope { labels: Some(&labels), ..Scope::default() };
    let line = read("label:work status:todo,done -is:unread after:2026-05-01 x");
    let condition = line.condition().compile(&COLUMNS, &scope);
    assert!(condition.exact, "{}", condition.sql);
    assert!(!condition.sql.contains("todo"));
    assert!(!read("has:attachments").condition().compile(&COLUMNS, &scope).exact);
}
