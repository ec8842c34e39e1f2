//! The words that decide, in English and German. Letters are folded (`ü` is `ue`); `*` stands for any ending.

use std::sync::LazyLock;

use domain::agent::OutsideAct;

/// What a word or phrase does in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Says nothing about a choice: articles, politeness, prepositions.
    Fill,
    /// A word of the subject.
    Word,
    /// Negates what stands in its clause.
    Not,
    /// "no", either an answer of its own or a negation of the noun that follows.
    No,
    /// Leaves out what stands in its clause.
    Skip,
    /// Negates what follows.
    Without,
    /// Consents, as an answer of its own.
    Yes,
    /// Consents.
    Go,
    /// Consents where nothing else is said in its clause.
    WeakGo,
    /// Says that nothing is to be changed.
    Content,
    /// Holds the run up.
    Halt,
    /// Holds the run up, or announces a correction.
    Wait,
    /// Announces a correction.
    Turn,
    /// Disapproves.
    Against,
    /// Says that something is not there.
    Lacks,
    /// Leaves the decision open.
    Hedge,
    /// A verb of doing, part of an act that is named beside it.
    Do,
    /// Searches, wherever.
    Search,
    /// Names what acts outside.
    Act(OutsideAct),
    /// Names what keeps the run from the web.
    Offline,
    /// The material at hand.
    Local,
    /// Limits to what stands beside it.
    Only,
    /// Straight on, without what is offered in between.
    Directly,
    /// Changes the plan.
    Amend,
    /// A word of an offered choice, by its place.
    Own(usize),
    /// Begins a clause.
    And,
    /// Begins a clause that shares a negation.
    Or,
    /// Begins a clause that is contrasted.
    But,
    /// Begins a clause that says more about a noun.
    Relative,
    /// Begins a reason.
    Because,
    /// Begins a condition.
    If,
}

/// One entry: its words and what it does.
pub(crate) type Entry = (Vec<String>, Role);

const LEXICON: &[(Role, &str)] = &[
    (
        Role::Fill,
        "if possible|if you can|if you like|no need to ask|no need to wait|no need to worry|answer|ruhig|if that is ok|moeglich|possible to|by all means|at will|if that is okay|if you please|if you would|wenn moeglich|wenn es geht|wenn geht|\
         falls moeglich|not only|not just|nicht nur|nicht bloss|not even|can not wait|no doubt|without further ado|without delay|without a doubt|\
         without hesitation|ohne weiteres|ohne umschweife|ohne zoegern|no hurry|no rush|at all|do not mind|does not mind|\
         would not mind|not mind|do you mind|would you mind|does not hurt|can not hurt|could not hurt|would not hurt|will not hurt|schadet nicht|\
         schadet ja nicht|kann nicht schaden|nothing against|nichts gegen|nichts dagegen|\
         spricht nichts gegen|spricht nichts dagegen|nothing wrong with|do not hesitate to|do not hesitate|feel free to|\
         feel free|do not forget to|do not forget|not forget to|not forget|vergiss nicht|nicht vergessen|do not worry|do not be afraid to|do not be shy|keine sorge|\
         no more than|not more than|nicht mehr als|nicht laenger als|no longer than|as it stands|as it is|as is|as planned|as proposed|as suggested|wie geplant|wie vorgeschlagen|so wie es ist|\
         one more time|how about|wie waere es mit|wie waere mit|wie waers mit|make sure to|make sure you|be sure to|for now|for the moment|fuers erste|erst einmal|zunaechst|\
         the|a|an|i|you|we|it|this|these|those|they|them|he|she|me|my|mine|your|our|us|its|of|to|in|on|at|with|by|from|for|about|into|up|out|off|over|any|some|all|both|each|\
         is|are|am|be|been|was|were|being|do|does|did|doing|will|would|could|can|should|shall|may|might|must|ought|need to|want to|want you to|wanted|want|wants|wish|prefer|prefer that|enough|genug|away|like|like to|like you to|love|love to|\
         has|had|got|gotten|having|let|lets|please|pls|plz|kindly|thanks|thank|thank you|thx|cheers|simply|really|ever|even|still|yet|now|here|there|too|also|very|much|quite|\
         more|further|additional|extra|other|anything|something|everything|anywhere|anyone|one|ones|thing|things|stuff|whole|entire|kind|sort|way|time|today|tomorrow|moment|part|\
         plan|plans|planned|run|runs|research|idea|point|case|bit|little|lot|first|again|once|anyway|anyhow|regardless|thoroughly|carefully|briefly|quickly|immediately|right away|right now|at once|so|well|oh|ah|hey|hi|hello|hm|hmm|um|uh|dear|then|as|think|guess|believe|suppose|say|said|tell|hope|know|see|sure to|\
         same|such a|under|circumstances|whatsoever|strictly|explicitly|expressly|rather|preferably|ideally|better|best|own|bother|bothering|dare|try|trying|trouble|happen|\
         der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|ich|du|er|sie|es|wir|ihr|ihnen|mir|mich|dir|dich|uns|euch|man|mein|meine|meinen|meiner|dein|deine|unser|unsere|zu|zum|zur|im|in|ins|am|an|auf|aus|bei|mit|von|vom|fuer|ueber|um|nach|durch|\
         ist|sind|war|waere|waeren|sein|bin|bist|werde|werden|wird|wirst|wuerde|wuerden|wuerdest|soll|sollen|sollst|sollte|sollten|solltest|sollt|kann|kannst|koennen|koennt|koennte|koennten|koenntest|muss|musst|muessen|muesst|darf|darfst|duerfen|duerft|mag|magst|moegen|\
         hab|habe|haben|hast|hat|hatte|haette|haetten|bitte|danke|dank|vielen dank|einfach|mal|ja mal|eben|bloss mal|gern auch|auch|noch|jetzt|nun|gleich|sofort|erst|zuerst|hier|da|dort|so|sehr|ganz|gar|mehr|weitere|weiteren|weiterer|zusaetzliche|zusaetzlich|etwas|irgendwas|irgend|irgendwie|alles|ding|sache|dinge|\
         plan|plaene|lauf|mach mal|denke|glaube|finde|meine ich|halte|trotzdem|dennoch|jedenfalls|auf jeden fall|unbedingt|gruendlich|kurz|schnell|nochmal|noch einmal|wieder|heute|morgen|dazu|davon|damit|dabei|dafuer|daran|bezueglich|lieber|besser|am besten|moeglichst|gerade|\
         s|t|re|ll|d|m|ve|per|via|um zu|zwecks|also bitte|hallo|ach|oh|na|tja|umstaenden|fall|keineswegs gern",
    ),
    (
        Role::Not,
        "not|never|nicht|nie|niemals|nie und nimmer|kein|keine|keinen|keiner|keinem|keines|keinerlei|keinesfalls|keineswegs|nichts|none|nothing|\
         neither|weder|nimmer|nix|nirgends|nowhere|hardly|kaum|unnecessary|unneeded|unwanted|undesired|undesirable|needless|superfluous|\
         pointless|redundant|unnoetig|unnoetige|ueberfluessig|unerwuenscht|entbehrlich|sinnlos|useless|forbidden|prohibited|verboten|untersagt|tabu|taboo|\
         off limits|out of bounds|off the table|no need|under no circumstances|under no circumstance|in no case|by no means|on no account|in no way|no way|auf keinen fall|\
         in keinem fall|unter keinen umstaenden|no longer|no more|nicht mehr|against|gegen|dagegen|doubt|refuse|refuses|reject|rejects|decline|declines|\
         deny|forbid|forbids|prohibit|prohibits|ban|banned|disallow|disallows|disallowed|unacceptable|object to|object|oppose|opposed|verbiete|verbieten|verbietet|verbitte|\
         untersage|untersagen|untersagt mir|lehne|ablehnen|lehnen|bezweifle|zweifle|disabled|deaktiviert|do away with|veto|hate|hates|dislike",
    ),
    (Role::No, "no|nope|nah|nay|nein|noe|nee|negative|naja nein"),
    (
        Role::Skip,
        "abraten|abzuraten|wait with|warte mit|warten mit|hold off with|postpone|defer|delay|skip|skips|skipping|skipped|omit|omits|omitting|avoid|avoids|avoiding|bypass|exclude|excludes|excluding|drop|dropping|ditch|forgo|forego|ignore|\
         ignoring|pass on|refrain from|refrain|abstain from|abstain|steer clear of|stay away from|keep away from|stay off|keep off|stay out of|keep out of|\
         keep off of|do without|go without|dispense with|get rid of|leave out|leaving out|leave aside|leave off|leave alone|rule out|\
         switch off|turn off|disable|deactivate|suppress|forget about|forget|never mind|nevermind|spare me|spare us|spare yourself|save me|save yourself|hold off on|\
         hold back on|hold off|opt out of|opt out|cut out|ueberspring*|uebergeh*|auslassen|auszulassen|ausgelassen|weglassen|wegzulassen|weggelassen|\
         unterlass*|vermeid*|verzicht*|absehen|abzusehen|vergiss|vergessen wir|streich*|spar dir|spar uns|spar mir|spare dir|sparen|erspar*|meide|meiden|ausschliess*|\
         ausblenden|ignorier*|abschalten|ausschalten|auszuschalten|deaktivier*|bleiben lassen|sein lassen|bleibenlassen|seinlassen|bleiben zu lassen|lass das|lass es|\
         lassen wir das|lassen sie das|fallen lassen",
    ),
    (
        Role::Without,
        "everything but|anything but|all but|everything except|anything except|everything besides|w o|w out|without|ohne|minus|sans|instead of|rather than|in place of|in lieu of|statt|anstatt|anstelle|except|except for|excepting|apart from|other than|ausser|\
         abgesehen von|bis auf|less the",
    ),
    (
        Role::Yes,
        "yes|yep|yeah|yup|yea|aye|ok|okay|okey|okeydoke|k|y|j|ja|jawohl|jo|jep|jup|jepp|klar|natuerlich|selbstverstaendlich|gerne|gern|of course|absolutely|\
         definitely|certainly|affirmative|sure|sure thing|alright|all right|fine by me|fine with me|sehr gerne|na gut|na klar|aber klar|aber gerne|aber ja",
    ),
    (
        Role::Go,
        "proceed|proceeding|go ahead|go right ahead|go straight ahead|go on|go for it|go with it|go with that|go with the plan|continue|continuing|carry on|move on|move forward|move ahead|keep going|press on|agreed|agree|\
         approved|approve|approve it|accept|accepted|confirm|confirmed|lgtm|do it|do that|do so|make it so|fire away|ship it|go forth|get going|get started|get on with it|let us go|\
         let us do it|let us do this|you may proceed|green light|give the green light|weitermachen|weiterzumachen|fortfahren|fortzufahren|mach weiter|mache weiter|macht weiter|\
         machen sie weiter|machen wir weiter|fahre fort|fahr fort|fahren sie fort|fahren wir fort|leg los|lege los|legen sie los|loslegen|geht los|geht es los|auf geht|weiter geht|weitergehen|\
         es kann losgehen|kann losgehen|losgehen|einverstanden|zustimmen|stimme zu|stimme dem zu|zugestimmt|genehmigt|genehmige|freigegeben|bestaetigt|bestaetige|akzeptiert|akzeptiere|\
         mach das|mach es|mach das so|so machen wir das|gruenes licht|passt so|passt mir|plan steht",
    ),
    (
        Role::WeakGo,
        "fine|good|great|perfect|right|correct|go|start|begin|starting|sounds good|sounds great|sounds fine|looks good|looks fine|looks right|looks great|looks ok|looks okay|works for me|that works|\
         works|happy with|happy|fair enough|cool|nice|excellent|super|gut|prima|toll|in ordnung|alles klar|alles gut|richtig|stimmt|genau|sicher|weiter|los|los los|fort|ready|thumbs up|no problem|\
         no problems|not a problem|no worries|no objection*|no objections to|no issue*|no concern*|kein problem|keine einwaende|keine einwaende gegen|kein einwand|keine bedenken|\
         keine bedenken gegen|keine probleme|nothing against it|nothing against that|nothing speaks against it|can not see why not|do not see why not|see no reason why not|why not|warum nicht|wieso nicht|passt|passt schon|geht klar|geht in ordnung|starte|starten|beginne|beginnen|okay so|run it|use it|be my guest|allowed|permitted|acceptable|welcome|\
         erlaubt|gestattet|willkommen|erwuenscht|satisfied|zufrieden",
    ),
    (
        Role::Content,
        "no change|no changes|no changes needed|no change needed|no edits|no amendments|no further changes|no other changes|no more changes|no remarks|no further remarks|no other remarks|no further objections|no comments|no comment|no further comments|no questions|no further questions|no more questions|nothing to add|\
         nothing to change|nothing else|nothing more|change nothing|without changes|without any changes|without change|unchanged|keine aenderungen|keine aenderung|keine weiteren aenderungen|ohne aenderungen|ohne aenderung|keine anmerkungen|\
         keine weiteren anmerkungen|keine fragen|keine weiteren fragen|nichts hinzuzufuegen|nichts zu aendern|nichts aendern|sonst nichts|unveraendert",
    ),
    (
        Role::Halt,
        "stop|stopp|halt|pause|cancel|abort|abbrechen|abbruch|brich ab|kill|quit|end|end it|no go|hold everything|anhalten|aufhoeren|hoer auf|beenden|verschieb*",
    ),
    (
        Role::Wait,
        "wait|hold on|hang on|hold it|hold your horses|warte|warten sie|warten|wart|moment mal|moment bitte|einen moment|one moment|one second|just a second|just a moment|give me a minute|not so fast|\
         nicht so schnell|langsam",
    ),
    (
        Role::Turn,
        "no wait|wait no|oh wait|oh no|nein warte|ne warte|nein moment|warte nein|no hold on|actually|on second thought|on second thoughts|on reflection|scratch that|strike that|i mean|i meant|i take that back|i changed my mind|changed my mind|\
         instead|sorry|correction|my mistake|oops|doch|doch lieber|quatsch|korrektur|ich meine|ich meinte|vielmehr|besser gesagt|nein doch|after all|entschuldigung|verzeihung|umentschieden|anders ueberlegt",
    ),
    (
        Role::Against,
        "wrong|incorrect|disagree|unhappy|bad|terrible|awful|rubbish|nonsense|falsch|schlecht|unsinn|bloedsinn|mist|unpassend|ungeeignet|mistake|bad idea|schlechte idee",
    ),
    (Role::Lacks, "missing|lacks|fehlt|fehlen|incomplete|unvollstaendig|fehler|error|errors"),
    (
        Role::Hedge,
        "maybe|perhaps|possibly|not sure|unsure|uncertain|undecided|not certain|do not know|dunno|no idea|whatever|up to you|your call|you decide|either way|either|let me think|think about it|need to think|vielleicht|eventuell|\
         keine ahnung|weiss nicht|weiss ich nicht|nicht sicher|unsicher|mal sehen|egal|ist mir egal|du entscheidest|entscheide du|wie du willst|wie du meinst|unentschlossen|ueberlege|it depends|depends|kommt darauf an|kommt drauf an|later|spaeter|\
         not yet decided|not necessarily|nicht unbedingt noetig oder doch",
    ),
    (
        Role::Do,
        "use|uses|using|used|run|make|making|take|perform|conduct|execute|carry out|include|includes|including|add|consult|consulting|allow|permit|enable|activate|have|get|give|needed|need|needs|necessary|require|\
         required|check|look|looking|look up|look it up|look things up|query|hit|access|accessing|touch|connect|step|stage|result|results|source|sources|page|pages|content|queries|request|requests|call|calls|help|useful|helpful|connection|check|checks|engine|wanted|go to|going|\
         touching|nutz*|benutz*|verwend*|mach|mache|machen|machst|macht|gemacht|tu|tue|tun|geh|gehe|gehen|gehst|geht|schau|schaue|schauen|guck|gucken|zieh|ziehe|ziehen|hinzuziehen|einbeziehen|erlaub*|gestatt*|brauch*|benoetig*|noetig|\
         notwendig|erforderlich|moecht*|will|willst|wollen|wollt|wuensch*|gewuenscht|fuehr|fuehre|fuehren|durchfuehren|durchgefuehrt|greif|greife|zugreifen|zugriff|quelle|quellen|schritt|ergebnisse|treffer|fahr|fahre|fahren|verlass*|lass|lasse|lassen|schalte|schalt|sieh|bleib|bleibe|bleiben|keep|stay|leave|turn|switch|anfrage|anfragen|abfrage|abfragen|einsetzen|setz|setze|nimm|nehmen|nehme|hilfe|zuhilfe|work|working|arbeite|arbeiten",
    ),
    (
        Role::Search,
        "search|searches|searching|do a search|run a search|browse|browsing|surf|surfing|surfen|surfe|recherchier*|recherche|recherchen|such|suche|suchen|sucht|suchst|zu suchen|gesucht|durchsuch*|nachschlagen|nachsehen|nachschauen",
    ),
    (
        Role::Act(OutsideAct::Web),
        "web search|web searches|web searching|websearch|websearches|web|internet|online|www|netz|websuche|websuchen|internetsuche|internetsuchen|onlinesuche|netzsuche|webrecherche|webrecherchen|internetrecherche|onlinerecherche|online recherche|online suche|internet search|internet searches|online search|online searches|\
         web recherche|web suche|web such|google|googling|googeln|googele|googelst|googel|googlen|gegoogelt|bing|duckduckgo|searxng|brave search|search engine|search engines|suchmaschine|suchmaschinen|world wide web|webseiten|website|websites|web sites|web pages|\
         external search|external searches|external sources|externe suche|externe quellen|webzugriff|internetzugriff|web access|internet access|web lookup|leave this machine|leaves this machine|leave my machine|leave the machine|leave this computer|leave the building|leave the house|inet|interwebs|net",
    ),
    (
        Role::Act(OutsideAct::Money),
        "money|spend|spends|spending|pay|pays|paying|paid|budget|cost|costs|dollar|dollars|usd|charge|charges|geld|ausgeben|auszugeben|bezahl*|zahle|zahlen|kosten|kostet|euro|euros",
    ),
    (
        Role::Act(OutsideAct::Files),
        "make the changes|make the change|make changes|file|files|edit|edits|editing|write|writes|writing|code|coding|implement|implements|implementing|implementation|modify|modifies|touch|touching|worktree|repository|repo|apply|datei|dateien|schreib*|programmier*|implementier*|umsetz*|umzusetzen|setz es um|setze es um|setz das um|setze das um|setzen sie es um",
    ),
    (
        Role::Offline,
        "in house|keep it internal|keep this internal|stay internal|keep it private|keep this private|on this machine|on my machine|auf diesem rechner|offline|locally|lokal|stay local|keep it local|local only|off the grid|airgapped|air gapped",
    ),
    (
        Role::Local,
        "vorhandene*|vorliegende*|existing|document|documents|knowledge base|knowledge bases|corpus|papers|library|standards|dokument|dokumente|dokumenten|unterlagen|wissensbasis|wissensdatenbank|bibliothek|bestand|local|lokale|lokalen|internal|intern|interne|internen|what we have|\
         what you have|what is there|what i gave you|what i uploaded|was wir haben|was da ist|was vorliegt|was du hast|eigene dateien|eigenen dateien|uploads|database|datenbank|base|basis",
    ),
    (
        Role::Only,
        "nothing but|nichts als|nichts ausser|only|just|nur|bloss|lediglich|ausschliesslich|solely|exclusively|purely|stick to|stick with|stay with|stay within|allein",
    ),
    (Role::Directly, "directly|direkt|straight|straight on|straight away"),
    (
        Role::Amend,
        "amend|revise|rework|replan|redo|change|adjust|modify|rewrite|refine|plan again|ueberarbeit*|aender*|passe|pass|anpassen|umplanen|plane neu|plan neu|neu planen",
    ),
    (Role::And, "and|und|plus|sowie|afterwards|danach|dann|and then"),
    (Role::Or, "or|nor|oder|beziehungsweise"),
    (Role::But, "but|however|though|although|aber|sondern|jedoch|allerdings|obwohl|whereas|yet still"),
    (Role::Relative, "that|which|who|whose|where|whether|dass|ob|welche|welcher|welches|wobei"),
    (Role::Because, "because|since|weil|denn|as i|as we|as the|due to|wegen|given that|damit|so that|sodass"),
    (
        Role::If,
        "if|unless|when|until|falls|wenn|sofern|es sei denn|bevor|before|bis|solange|only if|nur wenn|in case|depending on|once you",
    ),
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let phrases = |(role, phrases): &(Role, &str)| {
        phrases.split('|').map(|phrase| (words_of(phrase), *role)).collect::<Vec<_>>()
    };
    LEXICON.iter().flat_map(phrases).collect()
});

/// The words of an entry.
pub(crate) fn words_of(phrase: &str) -> Vec<String> {
    phrase.split_whitespace().map(str::to_owned).collect()
}

/// Every entry, in the order in which the first of two that are equally long counts.
pub(crate) fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// Whether a word of a sentence is that of an entry.
pub(crate) fn is_form(word: &str, entry: &str) -> bool {
    entry.strip_suffix('*').map_or_else(|| word == entry, |stem| word.starts_with(stem))
}
