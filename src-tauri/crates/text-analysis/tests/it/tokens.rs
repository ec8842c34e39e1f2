use pretty_assertions::assert_eq;
use text_analysis::{
    Kind, Language, counted_signs, each_token, forms, joined, sought, without_accents, worth_in_words,
};

fn tokens(text: &str) -> Vec<(String, String, Kind)> {
    let mut all = Vec::new();
    each_token(text, |one| all.push((one.text.to_owned(), text[one.from..one.to].to_owned(), one.kind)));
    all
}

fn texts(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|(text, ..)| text).collect()
}

#[test]
fn ascii_is_cut_at_what_is_no_letter_and_no_digit() {
    assert_eq!(
        texts("The auditor’s 2nd over-all_view, x=3."),
        ["The", "auditor", "s", "2nd", "over", "all", "view", "x", "3"]
    );
    assert_eq!(texts(""), [] as [&str; 0]);
}

#[test]
fn words_meet_whatever_their_normal_form_case_and_hidden_signs() {
    for (one, other) in [
        ("Ku\u{308}ndigungsfrist", "KÜNDIGUNGSFRIST"),
        ("mate\u{ad}riality", "Materiality"),
        ("ﬁnal", "FINAL"),
        ("Ｋｇ５", "kg5"),
        ("STRASSE", "straße"),
        ("İSTANBUL", "istanbul"),
        ("ΣΟΦΟΣ", "σοφος"),
        ("ع\u{64f}م\u{640}ر", "عمر"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("\u{1112}\u{1161}\u{11ab}글", "한글"),
        ("か\u{3099}く", "がく"),
        ("葛\u{e0100}城", "葛城"),
        ("٣٠", "30"),
        ("ก\u{200b}ข", "กข"),
        ("שָׁלוֹם", "שלום"),
        ("Œuvre", "oeuvre"),
    ] {
        assert_eq!(joined(one), joined(other), "{one} {other}");
    }
    // A vowel sign is a letter, and so are the marks that make another letter.
    for (one, other) in [("กิน", "กน"), ("हिंदी", "हद"), ("がく", "かく"), ("мой", "мои")]
    {
        assert_ne!(joined(one), joined(other), "{one} {other}");
    }
}

#[test]
fn raised_digits_do_not_run_into_the_digits_before() {
    assert_eq!(texts("10² m² CO₂ 1½ ①"), ["10", "2", "m2", "co2", "1", "1", "2", "1"]);
}

#[test]
fn runs_without_blanks_are_pairs_and_words_inside_them_stand_alone() {
    let found = tokens("付款期限itgc后50条。");
    let expected = [
        ("付款", "付款", Kind::Pair),
        ("款期", "款期", Kind::Pair),
        ("期限", "期限", Kind::Pair),
        ("限", "限", Kind::Last),
        ("itgc", "itgc", Kind::Word),
        ("后", "后", Kind::Sign),
        ("50", "50", Kind::Word),
        ("条", "条", Kind::Sign),
    ];
    assert_eq!(found, expected.map(|(text, at, kind)| (text.to_owned(), at.to_owned(), kind)));
    assert_eq!(texts("ชำระ").len(), 5, "marks are signs of the run");
    assert_eq!(texts("ᠮᠣᠩ ꀀꀁ ကခ ខគ ກຂ").len(), 1 + 2 + 2 + 2 + 2);
}

#[test]
fn a_piece_of_a_run_is_looked_for_as_it_is_indexed() {
    let words = |text| sought(text);
    assert_eq!(words("悬空引用"), (vec!["悬空".into(), "空引".into(), "引用".into()], false));
    assert_eq!(words("款"), (vec!["款".into()], true));
    assert_eq!(words("Größe"), (vec!["grosse".into()], false));
    let indexed = format!(" {} ", joined("步2 重跑gen-itgc后50条悬空引用清零，修复已验证"));
    for text in ["悬空引用", "itgc后", "引用清零", "50条悬空"] {
        assert!(indexed.contains(&format!(" {} ", words(text).0.join(" "))), "{text} in {indexed}");
    }
}

#[test]
fn stems_are_those_of_the_language_and_meet_without_accents() {
    let stem = |word: &str, code: &str| forms(word, Language::from_code(code).unwrap()).main;
    for (code, one, other) in [
        ("en", "controls", "control"),
        ("de", "kündigungsfristen", "kündigungsfrist"),
        ("fr", "obligations", "obligation"),
        ("es", "contratos", "contrato"),
        ("ru", "договора", "договор"),
        ("tr", "sözleşmeler", "sözleşme"),
        ("el", "συμβάσεισ", "σύμβαση"),
        ("zh", "controls", "control"),
    ] {
        assert_eq!(stem(one, code), stem(other, code), "{code} {one}");
    }
    for (code, word) in [("fr", "sécurité"), ("de", "gebühren"), ("es", "obligación"), ("pt", "obrigações")]
    {
        let language = Language::from_code(code).unwrap();
        let (with, without) = (forms(word, language), forms(&without_accents(word), language));
        assert!(with.main == without.main || with.bare.as_deref() == Some(&without.main), "{word}");
    }
    let hebrew = Language::from_code("he").unwrap();
    assert_eq!(forms("השכירות", hebrew).bare.as_deref(), Some("שכירות"));
    assert_eq!(forms("של", hebrew).bare, None);
}

#[test]
fn signs_count_where_words_do_not() {
    assert_eq!(counted_signs("付款期限为30日"), 6);
    assert_eq!(worth_in_words("付款期限为30日"), 3);
    assert_eq!(worth_in_words("the time limit is"), 4);
    assert_eq!(counted_signs("the time limit, für alle"), 0);
    assert_eq!(counted_signs("ชำระเงิน"), 7);
}
