//! The languages that are told apart: their scripts, their stems, and the words that carry no topic in them.

use frostem::Algorithm;

/// What a language is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Devanagari,
    Tamil,
    Armenian,
    Thai,
    Lao,
    Khmer,
    Myanmar,
    /// Han with or without kana.
    Han,
    Hangul,
    Other,
}

/// How many scripts there are.
pub(crate) const SCRIPTS: usize = Script::Other as usize + 1;

/// A language.
#[derive(Debug)]
pub(crate) struct Entry {
    /// After ISO 639-1.
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) script: Script,
    pub(crate) algorithm: Option<Algorithm>,
    /// Whether it writes compounds as one word.
    pub(crate) compounds: bool,
    /// Articles, pronouns, prepositions, auxiliaries, words of questions.
    pub(crate) stop: &'static str,
}

const fn entry(
    code: &'static str,
    name: &'static str,
    script: Script,
    algorithm: Option<Algorithm>,
    stop: &'static str,
) -> Entry {
    let compounds = matches!(code.as_bytes(), b"de" | b"nl" | b"sv" | b"da" | b"no" | b"fi" | b"hu");
    Entry { code, name, script, algorithm, compounds, stop }
}

use Algorithm as A;
use Script as S;

/// English first: it is what a text is read as of which nothing else is known. The order is part of stored indexes.
pub(crate) const LANGUAGES: [Entry; 31] = [
    // Negations and modals are kept out of the index too: what a paragraph obliges someone to do is checked on its text,
    // never by search.
    entry(
        "en",
        "English",
        S::Latin,
        Some(A::English),
        "a an and are as at be been but by can could did do does for from had has have how if in into is it its may must \
         no not of on or shall should so such than that the their them then there these they this those to was were what \
         when where which who why will with would you",
    ),
    entry(
        "de",
        "German",
        S::Latin,
        Some(A::German),
        "aber als am an auch auf aus bei beim bin bis bist da damit das dass dem den denn der des dessen die dies diese \
         diesem diesen dieser dieses du durch ein eine einem einen einer eines er es etwas für gegen hat hatte haben ich \
         ihr ihre ihrem ihren ihrer im in ins ist ja kann können man mit muss müssen nach nicht noch nur ob oder ohne sehr \
         sein seine seinem seinen seiner sich sie sind so soll sollen sowie über um und uns unter vom von vor war waren \
         warum was wegen welche welchem welchen welcher welches wenn wer werden wie wieviel wird wo worden wurde wurden zu \
         zum zur zwischen lange lang viel viele",
    ),
    entry(
        "fr",
        "French",
        S::Latin,
        Some(A::French),
        "à au aux avec ce ces cet cette chez comme comment dans de des du elle elles en entre est et être eu il ils je la \
         le les leur leurs lui mais même ne nous on ont ou où par pas pendant peut plus pour pourquoi qu quand que quel \
         quelle quelles quels qui sa sans se sera ses si son sont sous sur tout toute toutes tous très un une vers vos \
         votre vous été combien doit doivent avant après ainsi aussi donc dont leurs",
    ),
    entry(
        "es",
        "Spanish",
        S::Latin,
        Some(A::Spanish),
        "a al ante como cómo con contra cual cuál cuales cuando cuándo cuanto cuánto de del desde donde dónde durante e el \
         él ella ellas ellos en entre era es esa ese eso esta está estas este esto estos están fue ha hacia han hasta hay \
         la las le les lo los más me mi mientras muy ni no nos o otra otro para pero por porque puede pueden que qué quién \
         se sea según ser si sí sin sobre son su sus también tiene todo toda todos un una uno y ya debe deben",
    ),
    entry(
        "it",
        "Italian",
        S::Latin,
        Some(A::Italian),
        "a ad agli ai al alla alle allo anche che chi ci come con cui da dagli dai dal dalla dalle dei degli del dell della \
         delle dello di dove dopo e è ed era essere fra gli ha hanno i il in io l la le lo loro ma nei nel nella nelle \
         nello non o ogni per perché più può qual quale quali quando quanto quanti quella quello questa queste questi \
         questo se sei senza si sia sono sua sue sugli sui sul sulla sulle suo tra tutti un una uno deve devono entro",
    ),
    entry(
        "pt",
        "Portuguese",
        S::Latin,
        Some(A::Portuguese),
        "a à ao aos as até com como da das de deve devem do dos e é ela elas ele eles em entre era essa esse esta está este \
         foi há isso isto já lhe mais mas mesmo muito na não nas nem no nos o onde os ou para pela pelas pelo pelos pode \
         podem por porque qual quais quando quanto quantos que quem se sem ser seu seus sob sobre sua suas são também tem \
         têm um uma você",
    ),
    entry(
        "nl",
        "Dutch",
        S::Latin,
        Some(A::Dutch),
        "aan al als ander andere bij dan dat de deze die dit door dus een en er gebruik geen haar had hebben heeft hem het \
         hij hoe hoelang hun ik in is je kan kunnen lang maar mag met mijn moet moeten na naar niet nog of om onder ons ook \
         op over te tegen ten ter tot tussen u uit van veel voor waar waarom was wat welke wanneer wel werd wie wij worden \
         wordt zal ze zich zij zijn zo zonder zou",
    ),
    entry(
        "sv",
        "Swedish",
        S::Latin,
        Some(A::Swedish),
        "alla att av både de dem den denna deras dess det detta dig din du där efter eller en ett får från för genom ha \
         hade han hans har hon hur här i in inte jag kan kommer ska skall måste man med mellan men mot mycket många någon \
         något när och om oss på sig sin sina som så till under upp ut utan vad var varför vem vi vid vilken vilket vilka \
         vår är över",
    ),
    entry(
        "da",
        "Danish",
        S::Latin,
        Some(A::Danish),
        "af alle at blev bliver da de dem den denne der deres det dette dig din du efter eller en er et for fra få får før \
         ham han hans har havde hen hos hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i ikke ind \
         jeg kan kun mange med meget mellem men mod må man ned nogle nogen noget når og også om op os over på sig sin \
         skal som så til ud uden under var ved vi vil være efter",
    ),
    entry(
        "no",
        "Norwegian",
        S::Latin,
        Some(A::Norwegian),
        "alle at av bare ble blir da de dem den denne der deres det dette du eller en er et etter for fra få får før ha \
         hadde han har her hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke inn jeg kan kun mange med \
         meget mellom men mot må man noen noe når og også om opp oss over på seg sin skal skulle som så til under ut uten \
         var ved vi vil være",
    ),
    entry(
        "fi",
        "Finnish",
        S::Latin,
        Some(A::Finnish),
        "ei eivät että he hän ilman itse ja jo joka joko jonka jos jota jotka joissa kaikki kanssa kuin kuinka kun kuka \
         kuten koska mikä mikäli miksi millä milloin minä missä mitä mitkä mukaan muut mutta myös ne niiden niin noin nyt \
         ole oli olla on ovat paljon pitää saa se sekä sen siitä sitä sinä tai tämä tämän tässä tätä tulee vain vaan vai \
         voi voidaan voivat yli pitkä",
    ),
    entry(
        "pl",
        "Polish",
        S::Latin,
        Some(A::Polish),
        "a aby albo ale być był była było co czy dla do gdy gdzie go i ich ile im jak jaka jaki jakie jakich jako jego jej \
         jest jeśli jeżeli już każdy kiedy kto która które którego której których który lub ma może mogą można na nad nie \
         niż o od oraz po pod poza przed przez przy są się składa ta tak także tego tej ten to tu tych tylko tym u w we \
         wszystkie z za ze że",
    ),
    entry(
        "cs",
        "Czech",
        S::Latin,
        Some(A::Czech),
        "a aby ale ani až bez bude by byl byla být co či do ho i jak jaká jaké jaký jako je jeho jejich její jen ji již jsou \
         k kde kdo kdy kolik která které který ke ku mezi může musí má na nad ne nebo není o od po pod podle pokud pro \
         proč před přes při s se si tak také tato ten tento těchto to toho tomto tyto u v ve však všechny z za ze že",
    ),
    entry(
        "hu",
        "Hungarian",
        S::Latin,
        Some(A::Hungarian),
        "a abban ahol aki akkor alatt amely amelyek ami amikor amit az azok azt be csak de e egy ennek és ez ezek ezt \
         feletti ha hány hogy hogyan illetve is itt ki kell lehet lesz ma már meg mely melyik mert mi mikor milyen mint \
         mit minden nem nincs össze ott s sem szerint között után vagy van vannak volt",
    ),
    entry(
        "ro",
        "Romanian",
        S::Latin,
        Some(A::Romanian),
        "a acea aceasta această acest aceste acestei acestui ai al ale am ar are au ca care căreia cât câte ce cel cele cu \
         cum când dacă de deci din după ea ei el este eu fi fie fost iar in în între îl îi la le lor lui mai nu o ori pe \
         pentru prin poate sa să sau se si și sunt sub trebuie un una unde unei unor unui va vor fără",
    ),
    entry(
        "tr",
        "Turkish",
        S::Latin,
        Some(A::Turkish),
        "acaba ama ancak ben bir biz bu bunlar bunu bunun çok da daha de değil diye en gibi göre hangi hem hepsi her hiç \
         için ile ise kaç kadar ki kim mi mı mu mü nasıl ne neden nedir nerede o olan olarak oldu olduğu olup olur sadece \
         sen siz sonra şu tüm tarafından üzere üzerinde var ve veya ya yok",
    ),
    entry(
        "ru",
        "Russian",
        S::Cyrillic,
        Some(A::Russian),
        "а без бы был была были было быть в вам вас вы во вот все всех где для до его ее её если есть еще ещё за и из или \
         им их к как какая какие каков какова каково какой когда кто ли либо мы на над не него нет но о об он она они от \
         по под при с сколько со так также то того только том у уже что чтобы эта эти это этого этой этот я",
    ),
    entry(
        "uk",
        "Ukrainian",
        S::Cyrillic,
        None,
        "а або але без був була були бути в ви від він вона вони все всіх де для до його її є за з зі і із їх й коли \
         ким ми на над не немає ні о об один про при під після та так також то того тільки у хто це цей ці цього що щоб \
         як яка яке який які якщо скільки",
    ),
    entry(
        "el",
        "Greek",
        S::Greek,
        Some(A::Greek),
        "αλλά από αν για δεν είναι είχε εκείνο ένα ένας έχει έχουν η ή θα και κάθε κατά με μετά μέχρι μην μπορεί να ο οι \
         όπου όπωσ ότι όταν όχι πότε πού πρέπει προσ πριν πόσο πόση πόσοσ πόσεσ ποια ποιεσ ποιο ποιοσ που πωσ πώσ σασ σε στη \
         στην στησ στισ στο στον στουσ στα τα τη την τησ τι τισ το τον του τουσ των ως ώσ",
    ),
    entry(
        "ar",
        "Arabic",
        S::Arabic,
        Some(A::Arabic),
        "في من على إلى عن مع ما ماذا متى أين كيف كم هل هو هي هم هذا هذه ذلك تلك التي الذي الذين أو أن إن لا لم لن قد كان كانت \
         يكون كل بعد قبل بين حتى إذا ثم أي كما لكن و هناك عند غير منذ يجب",
    ),
    entry(
        "fa",
        "Persian",
        S::Arabic,
        Some(A::Persian),
        "از به با در که را این آن و یا تا بر برای است بود شد شود می هر هم نیز چه چقدر چند کجا چگونه کی آیا باید نیست ها های یک اگر \
         پس دو خود دارد باشد",
    ),
    entry(
        "he",
        "Hebrew",
        S::Hebrew,
        None,
        "של על את לא כי אם או גם עם הוא היא הם הן זה זו זאת אשר יש אין כל בין עד אל אך כן לפי כדי אחרי לפני מה מהי מהו מי מתי \
         איפה איך כמה אילו איזה איזו האם היה היתה יהיה ניתן",
    ),
    entry(
        "hi",
        "Hindi",
        S::Devanagari,
        Some(A::Hindi),
        "और का की के को में से है हैं था थी थे पर यह ये वह वे इस उस एक भी तो ही या कि जो ने हो नहीं लिए साथ तक कर क्या कब कहाँ कैसे कितना कितने कौन",
    ),
    entry("ta", "Tamil", S::Tamil, Some(A::Tamil), "ஒரு என்று மற்றும் இந்த அந்த என்ன எப்போது எங்கே எப்படி அது இது"),
    entry(
        "hy",
        "Armenian",
        S::Armenian,
        Some(A::Armenian),
        "և է են որ ի մեջ համար այս այն ինչ երբ որտեղ ինչպես կամ",
    ),
    entry("th", "Thai", S::Thai, None, ""),
    entry("lo", "Lao", S::Lao, None, ""),
    entry("km", "Khmer", S::Khmer, None, ""),
    entry("my", "Burmese", S::Myanmar, None, ""),
    entry("zh", "Chinese", S::Han, None, ""),
    entry("ko", "Korean", S::Hangul, None, ""),
];

/// Letters of which hardly another language has some.
pub(crate) const OWN_LETTERS: [(&str, &str); 8] = [
    ("es", "ñ"),
    ("pt", "ãõ"),
    ("da", "ø"),
    ("no", "ø"),
    ("pl", "łąęśźżń"),
    ("cs", "řěů"),
    ("hu", "őű"),
    ("tr", "ğı"),
];

/// Written with the signs of Chinese and its own.
pub(crate) const JAPANESE: Entry = entry("ja", "Japanese", S::Han, None, "");
