//! Questions over small documents in many scripts, in one base.

use std::sync::atomic::AtomicBool;

use knowledge::{Base, Query, ingest};
use pretty_assertions::assert_eq;
use unicode_normalization::UnicodeNormalization as _;

use crate::world::World;

/// A document: its name, and its paragraphs with the questions that each answers.
type Document = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const DOCUMENTS: [Document; 10] = [
    (
        "zh",
        &[
            ("承租人应在每月五日前支付租金，付款期限不得延长。", &["付款期限", "租金什么时候支付"]),
            ("逾期付款的，按每日万分之五支付违约金。", &["逾期付款的违约金"]),
            ("双方对商业秘密负有保密义务，期限为三年。", &["商业秘密", "保密期限是几年", "秘"]),
            ("任何一方可提前三十日书面通知解除合同。", &["如何解除合同"]),
            ("因不可抗力不能履行合同的，不承担责任。", &["不可抗力"]),
            ("争议提交上海国际仲裁中心仲裁解决。", &["仲裁"]),
            ("重跑gen-itgc后50条悬空引用清零，修复已验证。", &["itgc", "悬空引用"]),
            ("审计师应当确定财务报表整体的重要性水平。", &["重要性水平"]),
        ],
    ),
    (
        "ja",
        &[
            ("賃借人は毎月末日までに賃料を支払うものとする。", &["賃料の支払い"]),
            ("支払いが遅れた場合、年十四パーセントの遅延利息を支払う。", &["遅延利息"]),
            ("受領者は営業秘密を第三者に開示してはならない。", &["営業秘密", "秘密を開示できるか"]),
            ("いずれの当事者も三か月前の予告により本契約を解除できる。", &["契約の解除", "予告期間"]),
            ("監査人は重要性の基準値を決定する。", &["重要性の決定", "基準値"]),
            ("見積書の有効期限は発行日から三十日間とする。", &["見積書", "有効期限"]),
            ("本契約に関する紛争は東京地方裁判所の管轄とする。", &["裁判所"]),
            ("データベースのバックアップは毎晩自動的に行われる。", &["ﾊﾞｯｸｱｯﾌﾟ"]),
        ],
    ),
    (
        "ko",
        &[
            ("임차인은 매월 말일까지 임대료를 지급하여야 한다.", &["임대료", "임대료는 언제 지급하나"]),
            ("지급이 지연된 경우 연 12퍼센트의 지연이자를 지급한다.", &["지연이자"]),
            ("수령자는 영업비밀을 제3자에게 공개하지 아니한다.", &["영업비밀", "비밀 공개"]),
            ("각 당사자는 60일 전에 서면으로 통지하여 계약을 해지할 수 있다.", &["계약 해지", "통지 기한"]),
            ("감사인은 재무제표 전체에 대한 중요성을 결정한다.", &["중요성", "재무제표"]),
            ("보증금은 계약 종료 후 30일 이내에 반환한다.", &["보증금 반환"]),
            ("분쟁은 서울중앙지방법원의 관할로 한다.", &["관할 법원"]),
            ("개인정보는 목적 달성 후 지체 없이 파기한다.", &["개인정보 파기"]),
        ],
    ),
    (
        "th",
        &[
            ("ผู้เช่าต้องชำระค่าเช่าภายในวันที่ห้าของทุกเดือน", &["ค่าเช่า"]),
            ("หากชำระเงินล่าช้า ผู้เช่าต้องเสียดอกเบี้ยร้อยละเจ็ดครึ่งต่อปี", &["ชำระเงินล่าช้า", "ดอกเบี้ย"]),
            ("คู่สัญญาต้องรักษาความลับทางการค้าเป็นเวลาสามปี", &["ความลับทางการค้า"]),
            ("คู่สัญญาฝ่ายใดฝ่ายหนึ่งอาจบอกเลิกสัญญาโดยแจ้งล่วงหน้าสามสิบวัน", &["บอกเลิกสัญญา", "แจ้งล่วงหน้ากี่วัน"]),
            ("เงินประกันจะคืนให้หลังจากส่งมอบทรัพย์สิน", &["เงินประกัน"]),
            ("ข้อพิพาทให้ระงับโดยอนุญาโตตุลาการในกรุงเทพ", &["อนุญาโตตุลาการ"]),
            ("ผู้สอบบัญชีกำหนดระดับความมีสาระสำคัญของงบการเงิน", &["งบการเงิน"]),
            ("ข้อมูลส่วนบุคคลต้องลบเมื่อหมดความจำเป็น", &["ข้อมูลส่วนบุคคล"]),
        ],
    ),
    (
        "ar",
        &[
            ("يجب على المستأجر دفع الإيجار في اليوم الأول من كل شهر.", &["الإيجار", "دفع ايجار"]),
            ("في حالة التأخر في السداد تستحق فائدة بنسبة خمسة بالمئة سنوياً.", &["فائدة التأخر"]),
            (
                "يلتزم الطرفان بالحفاظ على سرية المعلومات التجارية لمدة ثلاث سنوات.",
                &["السرية", "معلومات تجارية"],
            ),
            ("يجوز لأي طرف إنهاء العقد بإشعار كتابي قبل ثلاثين يوماً.", &["انهاء العقد", "الإشعار"]),
            ("تعاد الوديعة بعد تسليم العين المؤجرة.", &["وديعة"]),
            ("تحال النزاعات إلى التحكيم في القاهرة.", &["التَّحْكِيم"]),
            ("يحدد المدقق مستوى الأهمية النسبية للقوائم المالية.", &["القوائم المالية"]),
            ("تحذف البيانات الشخصية عند انتهاء الغرض.", &["بيانات شخصية"]),
        ],
    ),
    (
        "he",
        &[
            ("השוכר ישלם את דמי השכירות בראשון לכל חודש.", &["דמי שכירות"]),
            ("איחור בתשלום יחויב בריבית של שבעה אחוזים לשנה.", &["ריבית", "איחור"]),
            ("הצדדים ישמרו על סודיות המידע המסחרי במשך שלוש שנים.", &["סודיות", "מידע מסחרי"]),
            ("כל צד רשאי לסיים את ההסכם בהודעה מוקדמת של שלושים יום.", &["הסכם", "הודעה מוקדמת"]),
            ("הפיקדון יוחזר לאחר מסירת הנכס.", &["פיקדון"]),
            ("סכסוכים יובאו לבוררות בתל אביב.", &["בוררות"]),
            ("רואה החשבון קובע את רמת המהותיות של הדוחות הכספיים.", &["דוחות כספיים"]),
            ("מידע אישי יימחק כאשר אין בו עוד צורך.", &["מידע אישי"]),
        ],
    ),
    (
        "el",
        &[
            (
                "Ο μισθωτής καταβάλλει το μίσθωμα την πρώτη ημέρα κάθε μήνα.",
                &["μίσθωμα", "ΜΙΣΘΩΜΑ", "μισθωμα"],
            ),
            (
                "Σε περίπτωση καθυστέρησης οφείλονται τόκοι υπερημερίας πέντε τοις εκατό.",
                &["τόκος υπερημερίας", "καθυστέρηση"],
            ),
            (
                "Τα μέρη τηρούν το απόρρητο των εμπορικών πληροφοριών για τρία έτη.",
                &["εμπορικές πληροφορίες"],
            ),
            (
                "Κάθε μέρος μπορεί να καταγγείλει τη σύμβαση με έγγραφη προειδοποίηση τριάντα ημερών.",
                &["προειδοποίηση"],
            ),
            ("Η εγγύηση επιστρέφεται μετά την παράδοση του μισθίου.", &["εγγύηση"]),
            ("Οι διαφορές επιλύονται με διαιτησία στην Αθήνα.", &["διαιτησία"]),
            (
                "Ο ελεγκτής καθορίζει το επίπεδο σημαντικότητας των οικονομικών καταστάσεων.",
                &["οικονομική κατάσταση"],
            ),
            ("Τα προσωπικά δεδομένα διαγράφονται όταν παύσει ο σκοπός.", &["προσωπικών δεδομένων"]),
        ],
    ),
    (
        "de",
        &[
            (
                "Die Kündigungsfrist beträgt drei Monate zum Quartalsende.",
                &[
                    "Frist",
                    "Kündigung",
                    "Kündigungsfristen",
                    "Kuendigungsfrist",
                    "Wie lang ist die Kündigungsfrist?",
                ],
            ),
            (
                "Der Mieter zahlt die Miete spätestens am dritten Werktag des Monats.",
                &["Wann ist die Miete zu zahlen?"],
            ),
            (
                "Bei Zahlungsverzug werden Verzugszinsen in Höhe von neun Prozentpunkten fällig.",
                &["Zinsen", "Zahlungsverzuges"],
            ),
            (
                "Die Parteien wahren die Geschäftsgeheimnisse auch nach Vertragsende.",
                &["Geheimnis", "Geschäftsgeheimnis"],
            ),
            (
                "Der Abschlussprüfer legt die Wesentlichkeitsgrenze für den Jahresabschluss fest.",
                &["Prüfer", "Jahresabschlüsse"],
            ),
            (
                "Für Streitigkeiten ist das Landgericht Zürich zuständig; Gebühren trägt die unterlegene Partei.",
                &["Gericht", "Gebuhren Zurich"],
            ),
            ("Personenbezogene Daten werden nach Ablauf der Aufbewahrungsdauer gelöscht.", &["Aufbewahrung"]),
            ("Die Größe der Lagerfläche beträgt vierhundert Quadratmeter.", &["grosse", "Fläche"]),
        ],
    ),
    (
        "tr",
        &[
            ("Kiracı kirayı her ayın ilk günü öder.", &["kira", "KİRACI"]),
            ("Geciken ödemeler için yıllık yüzde dokuz faiz uygulanır.", &["faiz", "ödeme"]),
            ("Taraflar ticari sırları üç yıl boyunca gizli tutar.", &["ticari sır"]),
            (
                "Her iki taraf da otuz gün önceden yazılı bildirimle sözleşmeyi feshedebilir.",
                &["sözleşme", "yazılı bildirim"],
            ),
            ("Depozito, taşınmazın tesliminden sonra iade edilir.", &["depozito"]),
            ("Uyuşmazlıklar İstanbul mahkemelerinde çözülür.", &["ISTANBUL", "istanbul mahkemesi"]),
            ("Denetçi finansal tabloların önemlilik düzeyini belirler.", &["finansal tablo"]),
            ("Kişisel veriler amacın sona ermesiyle silinir.", &["kişisel veri"]),
        ],
    ),
    // Written with letters and marks apart.
    (
        "nfd",
        &[
            ("Le délai de préavis est fixé à trois mois.", &["préavis", "delai"]),
            ("La sécurité des données est vérifiée chaque année.", &["sécurité", "securite"]),
            (
                "Toute société établie à l'étranger déclare ses bénéfices.",
                &["sociétés étrangères", "SOCIETE"],
            ),
            ("Le dépôt de garantie est restitué après l'état des lieux.", &["dépôts", "état des lieux"]),
        ],
    ),
];

fn base() -> (World, Base) {
    let mut rows = String::new();
    for (name, paragraphs) in DOCUMENTS {
        for (number, (text, _)) in (1..).zip(paragraphs) {
            let text: String = if name == "nfd" { text.nfd().collect() } else { (*text).to_owned() };
            let row = serde_json::json!({"id": format!("{name}-{number}"), "doc": name, "text": text});
            rows.push_str(&format!("{row}\n"));
        }
    }
    let world = World::with(&[("scripts.jsonl", rows.as_str())]);
    let options = world.options(&world.sources.path().join("scripts.jsonl"));
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let base = Base::open(world.home.path(), "primer").unwrap();
    (world, base)
}

fn found(base: &Base, text: &str) -> Vec<String> {
    let query = Query { text: text.to_owned(), limit: 3, ..Query::default() };
    base.search(&query).unwrap().into_iter().map(|hit| hit.id).collect()
}

#[test]
fn questions_in_any_script_find_their_paragraph() {
    let (_world, base) = base();
    let (mut asked, mut missed) = (0, Vec::new());
    for (name, paragraphs) in DOCUMENTS {
        for (number, (_, questions)) in (1..).zip(paragraphs) {
            for question in *questions {
                asked += 1;
                let hits = found(&base, question);
                if !hits.contains(&format!("{name}-{number}")) {
                    missed.push(format!("{name}-{number} {question}: {hits:?}"));
                }
            }
        }
    }
    assert!(asked >= 100, "{asked}");
    assert!(missed.len() * 20 <= asked, "{} of {asked} missed: {missed:#?}", missed.len());
}

#[test]
fn a_base_knows_its_languages_and_says_so_in_its_manifest() {
    let (_world, base) = base();
    let mut codes: Vec<&str> = base.languages().iter().map(|one| one.code()).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["ar", "de", "el", "fr", "he", "ja", "ko", "th", "tr", "zh"]);
    let told: Vec<&str> = base.manifest().languages.iter().map(String::as_str).collect();
    assert_eq!(told, base.languages().iter().map(|one| one.code()).collect::<Vec<_>>());
}

#[test]
fn what_was_found_is_shown_where_it_stands() {
    let (_world, base) = base();
    let hit = |text: &str| {
        let query = Query { text: text.to_owned(), limit: 1, ..Query::default() };
        base.search(&query).unwrap().remove(0)
    };
    assert_eq!(hit("悬空引用").matched, ["悬空", "空引", "引用"]);
    assert_eq!(hit("Frist").matched, ["Frist"]);
    let places = |query: &str, text: &str| -> Vec<String> {
        knowledge::found_in(query, text).into_iter().map(|range| text[range].to_owned()).collect()
    };
    assert_eq!(places("付款期限", "承租人的付款期限。"), ["付款", "款期", "期限"]);
    assert_eq!(places("款", "付款，借款。"), ["款", "款"]);
    assert_eq!(places("Kündigung", "Die Ku\u{308}ndigung ist nicht zu spät."), ["Ku\u{308}ndigung"]);
    assert_eq!(places("Frist", "Die Kündigungsfrist ist nicht lang."), ["Kündigungsfrist"]);
}
