//! The help page is the reference of the language, so it names what there is and its examples are right.

use organise::{Expression, Field, Function};

const PAGE: &str = include_str!("../../../../../prompts/help/views.md");

#[test]
fn the_help_page_names_every_field_and_function() {
    for field in Field::ALL {
        assert!(PAGE.contains(&format!("`{}`", field.name())), "{}", field.name());
    }
    for function in Function::ALL {
        let name = function.name();
        assert!(PAGE.contains(&format!("`{name}(")) || PAGE.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_examples_of_the_help_page_are_right() {
    let examples = PAGE.split("```").nth(1).unwrap();
    let lines: Vec<&str> = examples.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert!(Expression::parse(line).is_ok(), "{line}");
    }
}
