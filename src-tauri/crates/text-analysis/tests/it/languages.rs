use pretty_assertions::assert_eq;
use text_analysis::Language;

fn code(text: &str) -> Option<&'static str> {
    Language::find(text).map(Language::code)
}

#[test]
fn a_sentence_tells_its_language() {
    for (expected, text) in [
        ("en", "The lessee shall pay the rent on the first day of the month."),
        ("en", "Il cammino di una grande amica is a 1951 Italian film directed by Lino Lionello."),
        ("en", "Jean-Pierre de la Croix was the mayor of Le Mans and of La Roche."),
        ("tr", "Geciken ödemeler için yıllık yüzde dokuz faiz uygulanır."),
        ("de", "Der Mieter zahlt die Miete am ersten Tag des Monats."),
        ("fr", "Le locataire paie le loyer le premier jour du mois."),
        ("es", "El arrendatario pagará la renta el primer día de cada mes."),
        ("it", "Il conduttore paga il canone il primo giorno del mese."),
        ("pt", "O arrendatário paga a renda no primeiro dia do mês e não pode ceder."),
        ("nl", "De huurder betaalt de huur op de eerste dag van de maand."),
        ("sv", "Hyresgästen ska betala hyran den första dagen i månaden och inte senare."),
        ("fi", "Vuokralainen maksaa vuokran ja se on maksettava, kun kuukausi alkaa."),
        ("pl", "Najemca płaci czynsz w pierwszym dniu miesiąca i nie może go odstąpić."),
        ("cs", "Nájemce platí nájemné v první den měsíce a nesmí se opozdit."),
        ("hu", "A bérlő a bérleti díjat a hónap első napján fizeti meg, és ez nem módosítható."),
        ("ro", "Chiriașul plătește chiria în prima zi a lunii și nu poate să întârzie."),
        ("tr", "Kiracı kirayı her ayın ilk günü için ve bir gün sonra olarak öder."),
        ("ru", "Арендатор платит арендную плату в первый день месяца."),
        ("uk", "Орендар сплачує орендну плату в перший день місяця, якщо це не вихідний."),
        ("el", "Ο μισθωτής πληρώνει το μίσθωμα την πρώτη ημέρα του μήνα."),
        ("ar", "يدفع المستأجر الإيجار في اليوم الأول من الشهر."),
        ("fa", "مستأجر اجاره را در روز اول ماه پرداخت می کند و این است."),
        ("he", "השוכר משלם את דמי השכירות ביום הראשון של החודש."),
        ("hi", "किराएदार महीने के पहले दिन किराया देता है।"),
        ("zh", "承租人应在每月第一天支付租金。"),
        ("ja", "賃借人は毎月一日に賃料を支払う。"),
        ("ko", "임차인은 매월 첫째 날에 임대료를 지급한다."),
        ("th", "ผู้เช่าชำระค่าเช่าในวันแรกของเดือน"),
    ] {
        assert_eq!(code(text), Some(expected), "{text}");
    }
}

#[test]
fn what_does_not_tell_its_language_has_none() {
    for text in
        ["", "2024", "ISA 315", "Charles de la Tour", "Kündigungsfrist", "Table 3 | 17 | 24", "Acme GmbH"]
    {
        assert_eq!(code(text), None, "{text}");
    }
}

#[test]
fn a_short_question_is_in_one_of_the_languages_at_hand() {
    let some = |codes: &[&str]| codes.iter().filter_map(|code| Language::from_code(code)).collect::<Vec<_>>();
    let among = |text: &str, codes: &[&str]| Language::among(text, &some(codes)).map(Language::code);
    assert_eq!(among("Wie lang ist die Frist?", &["en", "de"]), Some("de"));
    assert_eq!(among("die Frist", &["en", "de"]), Some("de"));
    assert_eq!(among("notice period", &["en", "de"]), Some("en"), "the commonest where nothing tells");
    assert_eq!(among("Hoe lang is de termijn?", &["en", "nl"]), Some("nl"));
    assert_eq!(among("срок", &["en", "ru"]), Some("ru"));
    assert_eq!(among("срок", &["en"]), Some("en"));
    assert_eq!(among("die Frist", &[]), None);
    assert_eq!(among("Frist", &["zh", "de"]), Some("de"), "the script tells");
    assert_eq!(Language::find_among("Frist", &some(&["en", "de"])), None);
}

#[test]
fn codes_and_numbers_lead_back_to_the_language() {
    for one in Language::all() {
        assert_eq!(Language::from_code(one.code()), Some(one));
        assert_eq!(Language::from_number(one.number()), Some(one));
    }
    assert_eq!(Language::from_number(200), None);
}
