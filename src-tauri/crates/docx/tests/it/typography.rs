//! How words of others are set.

use docx::{HeadingCase, nested_quotes, typeset};
use pretty_assertions::assert_eq;

#[test]
fn a_quotation_within_another_has_single_marks() {
    for (line, shown) in [
        ("“““a” b” c”", "“‘“a” b’ c”"),
        ("““Hall” means it.” (Ex. 1)[^1]", "“‘Hall’ means it.” (Ex. 1)[^1]"),
        ("“The “Hall”” and “more”", "“The ‘Hall’” and “more”"),
        ("“\"Hall\" means (\"it\").”", "“‘Hall’ means (‘it’).”"),
        // An excerpt ends within a quotation.
        ("““Strong.” So “b”", "“‘Strong.” So “b”"),
        ("“\"Strong.”", "“‘Strong.”"),
        ("“So it is.\"”", "“So it is.’”"),
        // What is no pair stays.
        ("“5\" by 7\"”", "“5\" by 7\"”"),
        ("“The pipe is 6\"”", "“The pipe is 6\"”"),
        ("“see [x](https://a.example \"List\")”", "“see [x](https://a.example \"List\")”"),
        ("“a” \"b\" “c”", "“a” \"b\" “c”"),
        ("Hall” is “a “b” c", "Hall” is “a “b” c"),
        ("none", "none"),
    ] {
        assert_eq!(nested_quotes(line), shown);
    }
}

#[test]
fn headings_and_quotations_are_set_and_code_is_not() {
    let code = "```\n# MAKE THE FILES ““a””\n```\n\n~~~\n# MAKE\n```\n# ALL\n~~~";
    let markdown = format!("## CHANGE OF CONTROL\n\n““A” b”\n\n{code}\n");
    let expected = format!("## Change of Control\n\n“‘A’ b”\n\n{code}\n");
    assert_eq!(typeset(&markdown, &HeadingCase::default()), expected);
}
