use super::*;

fn words(text: &str) -> Vec<PlacedWord> {
    let lines = text.lines().enumerate();
    let words = lines.flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
    let place = |(index, (line, word)): (usize, (usize, &str))| {
        let (x, y) = (index as f32 * 10.0, line as f32 * 12.0);
        PlacedWord { text: word.to_owned(), line, x0: x, y0: y, x1: x + 8.0, y1: y + 10.0 }
    };
    words.enumerate().map(place).collect()
}

/// The words within each mark.
fn marked(page: &str, passage: &str) -> Vec<String> {
    let words = words(page);
    let inside = |mark: &Mark| {
        let those =
            words.iter().filter(|word| word.y0 == mark.y0 && word.x0 >= mark.x0 && word.x1 <= mark.x1);
        those.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    shown(&words, &[passage.to_owned()]).marks.iter().map(inside).collect()
}

#[test]
fn a_passage_is_found_over_hyphens_and_line_ends() {
    let page = "The keeper shall trim the\nwick before dusk, and shall under-\nstand the log. Nothing else.";
    let found = marked(page, "trim the wick before dusk, and shall understand the log.");
    assert_eq!(found, ["trim the", "wick before dusk, and shall under-", "stand the log."]);
}

#[test]
fn the_beginning_of_a_passage_that_goes_on_overleaf_is_marked() {
    let page = "Other words.\nThe lamp is cleaned every morning with a dry cloth";
    let passage = "The lamp is cleaned every morning with a dry cloth and a little spirit, never with water.";
    assert_eq!(marked(page, passage), ["The lamp is cleaned every morning with a dry cloth"]);
    let overleaf = "and a little spirit, never with water.\nNew words.";
    assert_eq!(marked(overleaf, passage), ["and a little spirit, never with water."]);
}

#[test]
fn words_in_common_are_not_marked() {
    let page = "As the board has decided in accordance with the requirements of the law it may close.";
    let passage = "Every keeper works, in accordance with the requirements of this handbook, at night and not by day, \
                   and keeps to the hours that the harbour office has posted for the season.";
    assert_eq!(marked(page, passage), Vec::<String>::new());
    assert_eq!(marked(page, "close it"), Vec::<String>::new());
    assert_eq!(marked(page, ""), Vec::<String>::new());
}

#[test]
fn what_stands_between_is_left_out() {
    let page = "The auditor shall determine materiality for the statements\n12 See chapter nine.\n\
                as a whole when establishing the overall strategy.";
    let passage = "The auditor shall determine materiality for the statements as a whole when establishing the overall strategy.";
    let found = marked(page, passage);
    let whole = [
        "The auditor shall determine materiality for the statements",
        "as a whole when establishing the overall strategy.",
    ];
    assert_eq!(found, whole);
}
