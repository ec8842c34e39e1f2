use pretty_assertions::assert_eq;

use super::*;

/// The text that reads so when it stands so on paper.
fn read(drawn: &str, right: bool) -> String {
    let chars: Vec<char> = drawn.chars().collect();
    order(&chars, right).into_iter().map(|place| place.character(&chars)).collect()
}

#[test]
fn lines_from_the_right_are_turned_and_numbers_and_latin_words_are_not() {
    for (drawn, text) in [
        ("םינוכיסה לע חוד", "דוח על הסיכונים"),
        ("ISA 315 ןקת", "תקן ISA 315"),
        ("2024 תנש", "שנת 2024"),
        ("1,250.50 םוכס", "סכום 1,250.50"),
        ("%12.5 תיביר", "ריבית %12.5"),
        ("12.5% תיביר", "ריבית 12.5%"),
        ("דגנ Smith & Co הרבח", "חברה Smith & Co נגד"),
        ("(ףיעס) קוח", "חוק (סעיף)"),
        ("ملاعلاب ابحرم", "مرحبا بالعالم"),
        ("15/3/2024 خيرات", "تاريخ 15/3/2024"),
        ("3 ,2 ,1 םיפיעס", "סעיפים 1, 2, 3"),
    ] {
        assert_eq!(read(drawn, true), text, "{drawn}");
    }
}

#[test]
fn brackets_that_are_stored_as_they_are_read_stay() {
    assert_eq!(read(")ףיעס(", true), "(סעיף)");
    assert_eq!(read("(ףיעס)", true), "(סעיף)");
}

#[test]
fn in_a_line_from_the_left_only_the_words_from_the_right_are_turned() {
    for (drawn, text) in [
        ("Arabic: ملاعلاب ابحرم!", "Arabic: مرحبا بالعالم!"),
        ("The word ןיד and the word טפשמ", "The word דין and the word משפט"),
        ("Section 12 of טפשמ 34 ןיד here", "Section 12 of דין 34 משפט here"),
    ] {
        assert_eq!(read(drawn, false), text, "{drawn}");
    }
}

#[test]
fn marks_stay_behind_their_letters_and_forms_become_letters() {
    assert_eq!(read("םוֹלשׁ", true), "שׁלוֹם");
    let forms: String = "ﺎﺒﺣﺮﻣ".chars().rev().flat_map(plain).collect();
    assert_eq!(forms, "مرحبا");
    assert_eq!("ﻻ".chars().flat_map(plain).collect::<String>(), "لا");
}

#[test]
fn what_is_written_from_reading_order_can_be_read_again() {
    for text in ["תקן ISA 315 סעיף 12", "مرحبا بالعالم 2024", "The word דין here", "plain words"]
    {
        let (right, left) = letters(text.chars());
        assert_eq!(read(&visual(text).into_iter().collect::<String>(), right > left), text);
    }
}

#[test]
fn letters_at_the_ends_of_words_tell_their_order() {
    assert!(["םינוכיסה", "ןקת", "ملاعلا", "ةنس"].iter().all(|word| vote(word) < 0));
    assert!(["הסיכונים", "תקן", "العالم", "سنة"].iter().all(|word| vote(word) > 0));
    assert_eq!((vote("על"), vote("risk"), vote("ם")), (0, 0, 0));
}
