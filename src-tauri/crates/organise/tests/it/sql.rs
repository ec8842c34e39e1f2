use organise::{Bind, Columns, Compiled, Expression, Field, LabelList};
use pretty_assertions::assert_eq;

use crate::support::{COLUMNS, Database, run, scope, session};

fn compiled(text: &str) -> Compiled {
    let labels = LabelList::shipped();
    Expression::parse(text).unwrap().compile(&COLUMNS, &scope(&labels))
}

#[test]
fn nothing_that_was_typed_is_in_the_condition() {
    let hostile = "x'); DROP TABLE sessions; --";
    let text =
        format!("name == \"{hostile}\" or contains(labels, \"{hostile}\") or name in (\"?\", \"{hostile}\")");
    let condition = compiled(&text);
    assert!(condition.exact);
    assert!(!condition.sql.contains("DROP") && !condition.sql.contains('\''), "{}", condition.sql);
    let texts: Vec<&str> = condition
        .binds
        .iter()
        .map(|bind| match bind {
            Bind::Text(text) => text.as_str(),
            Bind::Number(_) => "",
        })
        .collect();
    assert_eq!(texts, [hostile, hostile, "?", hostile]);
    assert_eq!(condition.sql.matches('?').count(), condition.binds.len());
}

#[test]
fn usual_views_are_said_in_sql_exactly() {
    for text in [
        "hasUnread == true",
        "not isFlagged",
        "sessionStatus not in (\"done\", \"cancelled\")",
        "daysSince(lastUsedAt) < 7 and contains(labels, \"bug\")",
        "hasLabel(\"work\") or \"bug\" in labels",
        "contains(name, \"login\") or startsWith(name, \"Fix\") or endsWith(name, \"?\")",
        "messageCount * 2 + 1 > 10 and costUsd < 1.5",
        "length(labels) > 2 and labelCount > 2 and not empty(labels)",
        "createdAt >= date(\"2026-05-01\")",
        "if isFlagged then messageCount > 1 else hasUnread",
        "max(messageCount, 3) > 4",
        "exists(preview)",
        "empty(model)",
        "1 < 2",
    ] {
        assert!(compiled(text).exact, "{text}: {}", compiled(text).sql);
    }
}

#[test]
fn what_can_not_be_said_holds_for_more() {
    for (text, sql) in [
        ("name ~= \"^a\"", "1"),
        ("not (name ~= \"^a\")", "(NOT 0)"),
        ("hasUnread and name ~= \"^a\"", "((s.unread) AND 1)"),
        ("hasUnread and not (isFlagged and name ~= \"^a\")", "((s.unread) AND (NOT ((s.flagged) AND 0)))"),
        ("isArchived and hasUnread", "(1 AND (s.unread))"),
        (
            "labelValue(\"priority\") > 2",
            "(EXISTS (SELECT 1 FROM labels AS l WHERE l.session = s.no AND l.id IN (?)))",
        ),
        ("labelValue(\"priority\") != 2", "1"),
        ("lower(name) == \"a\"", "1"),
    ] {
        let condition = compiled(text);
        assert_eq!((condition.sql.as_str(), condition.exact), (sql, false), "{text}");
    }
}

#[test]
fn a_field_without_a_column_is_left_to_evaluation() {
    let none = Columns { values: &[], lists: &[], label_ids: None };
    let labels = LabelList::shipped();
    let text =
        "hasUnread and contains(labels, \"bug\") and not hasLabel(\"due\") and daysSince(createdAt) < 3";
    let condition = Expression::parse(text).unwrap().compile(&none, &scope(&labels));
    assert!(!condition.exact);
    assert!(condition.binds.is_empty());
}

#[test]
fn the_largest_expressions_stay_within_the_limits_of_sqlite() {
    run(async {
        let mut database = Database::new().await;
        database.fill(&[session()]).await;
        let nested =
            format!("{}hasUnread{}", "(if name ~= \"x\" then hasUnread else ".repeat(40), ")".repeat(40));
        let nested_conditions =
            format!("{}name ~= \"x\"{}", "if (".repeat(30), ") then hasUnread else isFlagged".repeat(30));
        let chains = format!("{}hasUnread{}", "(0 <= ".repeat(30), " <= 1)".repeat(30));
        for text in [
            vec!["isFlagged"; 300].join(" or "),
            vec!["isFlagged or hasUnread"; 150].join(" and "),
            format!("name in ({})", vec!["\"a\""; 900].join(",")),
            vec!["hasLabel(\"work\")"; 180].join(" and "),
            format!("{}isFlagged{}", "not (".repeat(60), ")".repeat(60)),
            vec!["1.5"; 60].join(" + ") + " + messageCount > 3",
            nested,
            nested_conditions,
            chains,
        ] {
            let condition = compiled(&text);
            assert!(condition.sql.len() < 400_000, "{} bytes of {text}", condition.sql.len());
            let found = database.select(&condition).await.unwrap_or_else(|error| panic!("{text}: {error}"));
            let labels = LabelList::shipped();
            let holds = Expression::parse(&text).unwrap().holds(&session(), &scope(&labels));
            assert!(!holds || found == [0], "{text}");
        }
    });
}

#[test]
fn views_are_ordered_by_columns_that_there_are() {
    let view: organise::View = serde_json::from_value(serde_json::json!({
        "id": "v", "name": "V", "expression": "true",
        "sort": [
            {"field": "updated_at", "direction": "desc"},
            {"field": "preview"},
            {"field": "nonsense; DROP TABLE sessions"},
            {"field": "name"}
        ]
    }))
    .unwrap();
    assert_eq!(view.order_by(&COLUMNS).as_deref(), Some("s.used_at DESC, s.name ASC"));
    assert_eq!(
        view.order().iter().map(|(field, _)| *field).collect::<Vec<_>>(),
        [Field::LastUsedAt, Field::Preview, Field::Name]
    );
}
