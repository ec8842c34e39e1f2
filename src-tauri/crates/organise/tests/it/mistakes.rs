use organise::{
    Expression, MAX_EXPRESSION_BYTES, MAX_EXPRESSION_DEPTH, MAX_PARTS, Mistake, Span, byte_of_utf16,
};
use pretty_assertions::assert_eq;

fn mistakes(text: &str) -> Vec<Mistake> {
    Expression::parse(text).map(|expression| panic!("{expression} is right")).unwrap_err()
}

/// The first mistake: the text that it is at, what is wrong, and the hint.
fn first(text: &str) -> (String, String, String) {
    let mistake = mistakes(text).remove(0);
    let at = text[mistake.at.start as usize..mistake.at.end as usize].to_owned();
    (at, mistake.message, mistake.hint.unwrap_or_default())
}

#[test]
fn a_misspelled_name_is_shown_with_the_one_that_was_meant() {
    for (text, at, hint) in [
        ("hasUnraed == true", "hasUnraed", "did you mean `hasUnread`?"),
        ("isflagged", "isflagged", "did you mean `isFlagged`?"),
        ("tokenUsage.totaltokens > 1", "tokenUsage.totaltokens", "did you mean `tokenUsage.totalTokens`?"),
        (
            "totaltoken of tokenUsage > 1",
            "totaltoken of tokenUsage",
            "did you mean `tokenUsage.totalTokens`?",
        ),
        ("daySince(createdAt) > 1", "daySince(createdAt)", "did you mean `daysSince`?"),
        ("name == 'login'", "'login'", "a text is written in double quotes: \"login\""),
        ("contains(labels, 'bug')", "'bug'", "a text is written in double quotes: \"bug\""),
        ("hasUnread() == true", "hasUnread()", "`hasUnread` is a field: leave the parentheses out"),
        ("lower == \"a\"", "lower", "it is a function: write `lower(…)`"),
        ("tokenUsage > 1", "tokenUsage", "write one of its parts, such as `tokenUsage.totalTokens`"),
        ("model == null", "null", "ask with `exists(…)` or `empty(…)`"),
    ] {
        let (found, _, said) = first(text);
        assert_eq!((found.as_str(), said.as_str()), (at, hint), "{text}");
    }
}

#[test]
fn chance_is_refused_with_a_reason() {
    let (_, message, hint) = first("random() > 0.5");
    assert_eq!(message, "there is no function `random`");
    assert!(hint.contains("nothing is left to chance"));
}

#[test]
fn types_that_do_not_fit_are_refused_where_they_stand() {
    for (text, at, message) in [
        ("name > 3", "name", "`<` and `>` compare numbers, this is a text"),
        ("createdAt > \"2026-05-01\"", "\"2026-05-01\"", "`<` and `>` compare numbers, this is a text"),
        ("name * 2 > 1", "name", "`*` takes numbers, this is a text"),
        ("labels > 2", "labels", "`<` and `>` compare numbers, this is a list"),
        ("not name", "name", "`not` takes true or false, this is a text"),
        ("name and hasUnread", "name", "`and` takes true or false, this is a text"),
        ("if labels then 1 else 2", "labels", "`if` takes true or false, this is a list"),
        ("labels", "labels", "a list is neither true nor false"),
        ("messageCount ~= \"1\"", "messageCount", "`~=` looks into a text, this is a number"),
        ("name ~= model", "model", "a pattern is a text in double quotes"),
        ("daysSince(name) > 1", "name", "`daysSince` takes a time here, this is a text"),
        ("startsWith(labels, \"b\")", "labels", "`startsWith` takes a text here, this is a list"),
        ("abs(name) > 1", "name", "`abs` takes a number here, this is a text"),
        ("date(\"May\") > 1", "\"May\"", "`May` is no day"),
        ("daysSince() > 1", "daysSince()", "`daysSince` takes one argument, not 0"),
        ("contains(name) ", "contains(name)", "`contains` takes 2 arguments, not 1"),
    ] {
        let (found, said, _) = first(text);
        assert_eq!((found.as_str(), said.as_str()), (at, message), "{text}");
    }
}

#[test]
fn not_before_a_comparison_says_what_was_meant() {
    let (at, message, hint) = first("not sessionStatus == \"done\"");
    assert_eq!(at, "not sessionStatus");
    assert_eq!(message, "`not` belongs to `sessionStatus` alone here");
    assert_eq!(hint, "write `not (sessionStatus == \"done\")`");
    assert!(Expression::parse("not (sessionStatus == \"done\")").is_ok());
    assert!(Expression::parse("not hasUnread == true").is_ok());
}

#[test]
fn what_can_never_hold_is_said_and_allowed() {
    let expression = Expression::parse("sessionStatus == 3 or hasUnread != \"true\"").unwrap();
    let notes: Vec<String> = expression.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "a text and a number are never equal (this is always false)",
            "true or false and a text are never equal (this is always true)"
        ]
    );
}

#[test]
fn grammar_is_refused_at_its_first_mistake() {
    for (text, at, message) in [
        ("", "", "an empty expression"),
        ("  ", "", "an empty expression"),
        ("name ==", "", "expected a field, a value or a function, found the end"),
        ("== 3", "==", "expected a field, a value or a function, found `==`"),
        ("name \"a\"", "\"a\"", "expected an operator such as `and`, or the end, found a text"),
        ("(name", "", "expected `)`, or `,` and another value, found the end"),
        ("name)", ")", "expected an operator such as `and`, or the end, found `)`"),
        ("if hasUnread else 1", "else", "expected `then`, found `else`"),
        ("hasUnread ? 1", "", "expected `:` and what holds otherwise, found the end"),
        ("name = \"a\"", "=", "`=` is no sign of this language"),
        ("hasUnread && isFlagged", "&&", "`&&` is no sign of this language"),
        ("!hasUnread", "!", "`!` is no sign of this language"),
        ("name == \"a", "\"a", "a text that does not end"),
        ("name == \"\\d\"", "\"\\d", "`\\d` means nothing here"),
        ("name == “a”", "“", "`“` is a typographic quotation mark"),
        ("1.2.3 > 1", "1.2.3", "`1.2.3` is no number"),
        ("12abc > 1", "12abc", "`12abc` is neither a number nor a name"),
        ("name ~= \"(\"", "\"(\"", "`(` is no pattern: unclosed group"),
        ("hasUnread; x", ";", "`;` is no sign of this language"),
    ] {
        let (found, said, _) = first(text);
        assert_eq!((found.as_str(), said.as_str()), (at, message), "{text}");
    }
    let (_, _, hint) = first("name ~= \"(?=x)\"");
    assert_eq!(hint, "patterns look neither ahead nor behind: that keeps them quick on every text");
}

#[test]
fn every_mistake_of_names_and_types_is_listed() {
    let found = mistakes("nam == \"a\" and labels > 2 and foo(nope)");
    let at: Vec<u32> = found.iter().map(|mistake| mistake.at.start).collect();
    assert_eq!(at, [0, 15, 30, 34]);
}

#[test]
fn size_and_depth_are_bounded() {
    assert!(mistakes(&"x".repeat(MAX_EXPRESSION_BYTES + 1))[0].message.contains("bytes"));
    let many = vec!["isFlagged"; 300].join(" or ");
    assert!(Expression::parse(&many).is_ok());
    let more = vec!["1"; MAX_PARTS + 1].join(",");
    assert_eq!(mistakes(&format!("1 in ({more})"))[0].message, format!("more than {MAX_PARTS} parts"));
    for (open, close) in
        [("(", ")"), ("not ", ""), ("-", ""), ("abs(", ")"), ("1^", ""), ("if 1 then ", " else 0")]
    {
        for depth in [MAX_EXPRESSION_DEPTH * 3, 600] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let found = mistakes(&text[..text.len().min(MAX_EXPRESSION_BYTES)]);
            assert!(found[0].message.contains("nested"), "{open}: {}", found[0]);
        }
        let fits =
            format!("{}1{}", open.repeat(MAX_EXPRESSION_DEPTH - 2), close.repeat(MAX_EXPRESSION_DEPTH - 2));
        let expression = Expression::parse(&fits).unwrap_or_else(|mistakes| panic!("{fits}: {mistakes:?}"));
        assert_eq!(Expression::parse(&expression.to_string()).unwrap(), expression);
    }
    let wide = vec!["hasUnread"; MAX_EXPRESSION_DEPTH + 2].join(" + ");
    assert!(mistakes(&wide)[0].message.contains("nested"));
}

#[test]
fn nested_comparisons_are_checked_in_linear_time() {
    let depth = MAX_EXPRESSION_DEPTH / 2 - 2;
    let text = format!("{}true{}", "not (".repeat(depth), " == false)".repeat(depth));
    assert!(Expression::parse(&text).is_ok());
}

#[test]
fn places_can_be_counted_as_a_page_counts_them() {
    let text = "name == \"𝄞\" and nope";
    let mistake = mistakes(text).remove(0);
    assert_eq!(mistake.at.in_utf16(text), Span { start: 17, end: 21 });
    assert_eq!(byte_of_utf16(text, 17), mistake.at.start as usize);
    assert_eq!(byte_of_utf16(text, 999), text.len());
}
