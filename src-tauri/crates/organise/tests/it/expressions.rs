use organise::{Expression, Facts, LabelList, Scope};

use crate::support::{DAY, HOUR, NOW, holds, session};

#[test]
fn expressions_that_people_have_run_unchanged() {
    let facts = session();
    for (text, expected) in [
        ("hasUnread == true", true),
        ("hasPendingPlan == true", false),
        ("permissionMode == \"safe\"", false),
        ("isProcessing == true", false),
        ("daysSince(lastUsedAt) > 2", true),
        ("daysSince(lastUsedAt) < 7 and contains(labels, \"bug\")", true),
        ("contains(labels, \"priority\")", true),
        ("contains(labels, \"priority::3\")", true),
        ("contains(labels, \"prio\")", false),
        ("contains(name, \"login\")", true),
        ("contains(lower(name), \"fix\")", true),
        ("tokenUsage.costUsd > 1", true),
        ("costUsd of tokenUsage > 1", true),
        ("todoState == \"todo\"", true),
        ("length(labels) == 3", true),
        ("labels.length == labelCount", true),
        ("startsWith(name, \"Fix\") and not isFlagged", true),
        ("hoursSince(lastMessageAt) >= 36", true),
        ("hasUnread", true),
        ("messageCount", true),
        ("isFlagged or messageCount > 10 and hasUnread", true),
        ("name", true),
        ("preview ~= \"^The .*nothing$\"", true),
    ] {
        assert_eq!(holds(text, &facts), expected, "{text}");
    }
}

#[test]
fn operators_mean_what_filtrex_says() {
    let facts = Facts::default();
    for (text, expected) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 9", true),
        ("((1 + 2) * 3 / 2 + 1 - 4 + 2 ^ 3) * -2 == -19", true),
        ("97 mod 10 == 7", true),
        ("-1 mod 3 == 2", true),
        ("-1 % 3 == 2", true),
        ("2 * 3 ^ 2 == 18", true),
        ("5 ^ 3 ^ 2 == 5 ^ 9", true),
        ("-2 ^ 2 == -4", true),
        ("2 ^ -1 == 0.5", true),
        ("1 < 2 <= 2 < 3", true),
        ("1 == 1 != 2", true),
        ("1 <= 1 > 1", false),
        ("\"abc\" == \"abc\" ~= \"a.c\" == \"a.c\" != \"abc\"", true),
        ("3 in (1, 2, 3, 4)", true),
        ("5 not in (1, 2, 3, 4)", true),
        ("(1, 2) in (2, 3, 1)", true),
        ("(3, 4) not in (1, 2, 3)", true),
        ("1 in 1", true),
        ("\"1\" == 1", false),
        ("1 in (\"1\", 2)", false),
        ("true or true and false", true),
        ("not true and false", false),
        ("not true == false", true),
        ("(1 == 1) == 1", true),
        ("if 1 > 2 then 3 else 4 == 4", true),
        ("(if 1 > 2 then 3 else 4) == 4", true),
        ("(1 > 2 ? 3 : 4) == 4", true),
        ("(1 > 2 ? 3 : 2 > 1 ? 5 : 6) == 5", true),
        ("1 + if true then 2 else 3 + 4", true),
        ("(if false then 1 else if true then 2 else 3) == 2", true),
        ("abs(-5) == 5 and ceil(4.1) == 5 and floor(4.6) == 4", true),
        ("round(4.5) == 5 and round(-4.5) == -4 and round(0.4) == 0", true),
        ("sqrt(9) == 3 and log(1) == 0 and log2(8) == 3 and log10(100) == 2", true),
        ("min(2, 5, 6, 1, 9) == 1 and max(2, 5) == 5 and max(3) == 3", true),
        ("min() > max()", true),
        ("1 / 0 > 10 ^ 300", true),
        ("0 / 0 == 0 / 0", false),
        ("not (0 / 0)", true),
        ("\"a\" + 1 + \"b\" == \"a1b\"", true),
        ("1 + 2 + \"a\" == \"3a\"", true),
        ("empty(\"\") and not empty(\"a\") and not empty(0)", true),
        ("exists(0) and exists(\"\")", true),
        ("endsWith(\"login\", \"gin\") and startsWith(\"\", \"\")", true),
        ("length(\"ü☃\") == 2", true),
        ("\"say \\\"\\\\\\\"\" == \"say \\\"\\\\\" + \"\\\"\"", true),
        ("matches(\"x12\", \"[0-9]{2}\")", true),
    ] {
        assert_eq!(holds(text, &facts), expected, "{text}");
    }
}

#[test]
fn times_count_from_now_and_days_begin_where_the_person_is() {
    let facts = Facts { last_used_at: NOW - 2 * DAY, created_at: NOW + HOUR, ..Facts::default() };
    for (text, expected) in [
        ("daysSince(lastUsedAt) == 2", true),
        ("hoursSince(lastUsedAt) == 48", true),
        ("daysSince(createdAt) == 0", true),
        ("daysSince(lastMessageAt) == 0", true),
        ("lastUsedAt >= date(\"2026-05-08\")", true),
        ("date(\"1970-01-02\") == 22 * 3600 * 1000", true),
    ] {
        assert_eq!(holds(text, &facts), expected, "{text}");
    }
}

#[test]
fn a_label_stands_for_those_below_it_and_its_value_has_a_type() {
    let facts = session();
    for (text, expected) in [
        ("hasLabel(\"bug\")", true),
        ("hasLabel(\"coding\")", true),
        ("hasLabel(\"work\")", true),
        ("hasLabel(\"writing\")", false),
        ("hasLabel(\"gone\")", false),
        ("labelValue(\"priority\") > 2", true),
        ("labelValue(\"priority\") == 3", true),
        ("labelValue(\"due\") == date(\"2026-05-12\")", true),
        ("exists(labelValue(\"project\"))", false),
        ("labelValue(\"project\") > 0", false),
        ("labelValue(\"project\") < 1", false),
        ("labelValue(\"bug\") + 1 == 2", false),
        ("empty(labelValue(\"bug\"))", true),
        ("\"bug\" in labels", true),
        ("\"priority\" in labels", false),
        ("(\"bug\", \"priority::3\") in labels", true),
        ("\"linear\" in sources", true),
    ] {
        assert_eq!(holds(text, &facts), expected, "{text}");
    }
}

#[test]
fn without_a_tree_a_label_stands_for_itself() {
    let expression = Expression::parse("hasLabel(\"bug\") and not hasLabel(\"work\")").unwrap();
    assert!(expression.holds(&session(), &Scope::default()));
    let empty = LabelList::empty();
    assert!(expression.holds(&session(), &Scope { labels: Some(&empty), ..Scope::default() }));
}

#[test]
fn an_expression_is_written_out_evenly() {
    for (text, written) in [
        ("hasUnread==true", "hasUnread == true"),
        ("(a)", ""),
        ("((messageCount)+1)*2>3", "(messageCount + 1) * 2 > 3"),
        ("hasUnread?1:0", "if hasUnread then 1 else 0"),
        ("not(hasUnread and isFlagged)", "not (hasUnread and isFlagged)"),
        ("(hasUnread and isFlagged)and isArchived", "(hasUnread and isFlagged) and isArchived"),
        ("1-(2-3)-4>0", "1 - (2 - 3) - 4 > 0"),
        ("(2^3)^2==64", "(2 ^ 3) ^ 2 == 64"),
        ("(-2)^2==4", "(-2) ^ 2 == 4"),
        ("messageCount%2==0", "messageCount mod 2 == 0"),
        ("'name'==\"a\"", "'name' == \"a\""),
        ("costUsd of tokenUsage>1", "costUsd of tokenUsage > 1"),
        ("name not  in(\"a\",\"b\")", "name not in (\"a\", \"b\")"),
        ("(hasUnread == isFlagged) == isArchived", "(hasUnread == isFlagged) == isArchived"),
        ("1.50 > 0", "1.5 > 0"),
    ] {
        match Expression::parse(text) {
            Ok(expression) => {
                assert_eq!(expression.to_string(), written, "{text}");
                assert_eq!(Expression::parse(written).unwrap(), expression);
            }
            Err(_) => assert_eq!(written, "", "{text}"),
        }
    }
}
