use super::*;

#[test]
fn numbers_in_words_are_read() {
    let read = |words| spelled(words);
    assert_eq!(read("ONE"), Some(1));
    assert_eq!(read("Nineteen"), Some(19));
    assert_eq!(read("TWENTYTWO"), Some(22));
    assert_eq!(read("Thirty-one"), Some(31));
    assert_eq!(read("twentyten"), None);
    assert_eq!(read("Oneness"), None);
}
