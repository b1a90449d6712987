//! The most common orders in other languages. Accents and apostrophes are folded away.

use crate::phrase::Phrase;

const IGNORE: &str = "marker-ignore-instructions";
const CONCEAL: &str = "marker-conceal";

/// The phrases, each with its rule.
pub(crate) const LANGUAGES: &[Phrase] = &[
    // German
    (
        IGNORE,
        "ignoriere|ignorieren|ignoriert|missachte|missachten|vergiss|vergessen|verwirf|übergehe ~4 vorherigen|vorherige|früheren|frueheren|bisherigen|bisherige|obigen|anderen|vorigen|deine|deinen|alle|sämtliche|vorangegangenen ~4 anweisungen|anweisung|regeln|vorgaben|instruktionen|befehle|hinweise|aufträge",
    ),
    (
        CONCEAL,
        "sage|sag|sagen|teile|teilen|verrate|verraten|erzähle|erwähne|informiere|zeige|melde ~4 nutzer|benutzer|anwender|user|nutzerin|kunden|nutzern ~5 nicht|nichts|niemals|nie",
    ),
    (
        CONCEAL,
        "nicht|nichts|niemals|nie ~6 nutzer|benutzer|anwender|user|nutzern|kunden ~4 mit|mitteilen|sagen|erwähnen|verraten|informieren|erzählen|mitgeteilt",
    ),
    (
        CONCEAL,
        "erwähne|erwähnen|verrate|verraten|sage|sag ~3 nicht|nichts|niemals ~4 nutzer|benutzer|anwender|user|nutzern|kunden",
    ),
    (
        CONCEAL,
        "ohne ~4 nutzer|benutzer|anwender|user|nutzern|kunden ~3 informieren|fragen|sagen|benachrichtigen|mitzuteilen|unterrichten|erwähnen",
    ),
    (
        CONCEAL,
        "nutzer|benutzer|anwender|nutzern ~2 nicht|nichts|niemals ~3 erzählen|sagen|mitteilen|verraten|erwähnen",
    ),
    (CONCEAL, "erwähne|verrate ~1 das|dies|es|davon ~1 niemals|nicht|nie|nichts"),
    (CONCEAL, "ohne_dass ~3 nutzer|benutzer|anwender ~3 weiß|merkt|erfährt|bemerkt|sieht"),
    (CONCEAL, "sag|sage|erzähle|verrate ~1 niemandem|keinem"),
    (CONCEAL, "verschweige|verschweigen|verheimliche|verheimlichen"),
    // French
    (
        IGNORE,
        "ignore|ignorez|ignorer|oublie|oubliez|oublier|négligez ~4 instructions|consignes|directives|règles|ordres ~3 précédentes|précédents|antérieures|autres|initiales|précèdent|ci_dessus",
    ),
    (
        IGNORE,
        "ignore|ignorez|oublie|oubliez ~2 toutes|autres|précédentes ~3 instructions|consignes|directives|règles",
    ),
    (
        CONCEAL,
        "ne|n ~2 dis|dites|dire|mentionne|mentionnez|révèle|révélez|informe|informez|parle|parlez|signale|signalez|préviens|prévenez ~2 pas|rien|jamais ~5 utilisateur|utilisatrice|lutilisateur|utilisateurs|client",
    ),
    (
        CONCEAL,
        "ne_pas|ne_rien|ne_jamais|ninformez|ninforme ~3 dire|mentionner|révéler|informer|signaler|parler|pas|jamais ~5 utilisateur|lutilisateur|utilisateurs|client",
    ),
    (
        CONCEAL,
        "sans ~1 informer|prévenir|demander|avertir|dire|consulter|linformer ~4 utilisateur|lutilisateur|utilisatrice|client",
    ),
    (CONCEAL, "à_linsu"),
    (CONCEAL, "nen ~1 informe|informez|parle|parlez|dis|dites ~1 pas|rien|jamais"),
    (
        CONCEAL,
        "ne ~1 mentionne|mentionnez|révèle|révélez ~1 jamais|pas ~2 cet|cette|ce|ceci|cela|outil",
    ),
    (CONCEAL, "sans_que ~2 utilisateur|lutilisateur|client ~3 sache|voie|remarque"),
    // Spanish
    (
        IGNORE,
        "ignora|ignore|ignorar|ignoren|olvida|olvide|olvidar|descarta|desestima ~4 instrucciones|indicaciones|reglas|órdenes|directrices ~3 anteriores|previas|precedentes|recibidas|dadas",
    ),
    (
        IGNORE,
        "ignora|ignore|ignorar|olvida|olvide ~2 todas|otras|demás|anteriores ~3 instrucciones|indicaciones|reglas|órdenes",
    ),
    (
        CONCEAL,
        "no|nunca|jamás ~2 digas|diga|decir|menciones|mencione|mencionar|informes|informe|informar|reveles|revele|avises|avise|cuentes|cuente|comuniques ~5 usuario|usuaria|usuarios|cliente",
    ),
    (
        CONCEAL,
        "sin ~1 avisar|informar|decir|preguntar|decirle|decírselo|consultar|notificar ~3 usuario|usuaria|usuarios|cliente",
    ),
    (
        IGNORE,
        "olvida|olvide|ignora|ignore ~2 instrucción|indicación|regla|orden ~1 anterior|previa|recibida",
    ),
    (IGNORE, "olvida|olvide|ignora|ignore ~1 todo ~1 lo anterior|previo|dicho"),
    (CONCEAL, "sin_que ~2 usuario|usuaria|cliente ~2 sepa|note|entere|vea"),
    // Portuguese
    (
        IGNORE,
        "ignore|ignora|ignorar|esqueça|desconsidere ~4 instruções|orientações|regras|ordens ~3 anteriores|prévias|acima",
    ),
    (
        CONCEAL,
        "não|nunca|jamais ~2 diga|dizer|mencione|mencionar|informe|informar|revele|conte|avise ~5 usuário|usuários|utilizador|cliente",
    ),
    (CONCEAL, "sem ~1 avisar|informar|dizer|perguntar|contar ~3 usuário|utilizador|cliente"),
    // Italian
    (
        IGNORE,
        "ignora|ignorare|ignorate|dimentica|dimenticare|trascura ~4 istruzioni|indicazioni|regole|direttive ~3 precedenti|anteriori|altre",
    ),
    (IGNORE, "ignora|ignorare|dimentica ~3 precedenti|altre ~2 istruzioni|regole|indicazioni"),
    (
        CONCEAL,
        "non ~2 dire|dirlo|menzionare|rivelare|informare|parlarne|comunicare ~5 utente|utenti|allutente|lutente|cliente",
    ),
    (
        CONCEAL,
        "senza ~1 informare|avvisare|dirlo|chiedere|avvertire ~3 utente|allutente|lutente|cliente",
    ),
    // Dutch
    (
        IGNORE,
        "negeer|negeren|vergeet ~4 vorige|eerdere|voorgaande|andere|alle ~3 instructies|opdrachten|regels|aanwijzingen",
    ),
    (CONCEAL, "vertel|zeg|meld|informeer ~3 gebruiker|gebruikers ~5 niet|niets|nooit"),
    // Russian
    (
        IGNORE,
        "игнорируй|игнорируйте|игнорировать|забудь|забудьте ~3 предыдущие|прежние|все|прошлые|предыдущих ~3 инструкции|указания|правила|инструкций",
    ),
    (
        CONCEAL,
        "не ~2 говори|говорите|сообщай|сообщайте|упоминай|упоминайте|рассказывай|рассказывайте|раскрывай ~4 пользователю|пользователям|юзеру",
    ),
    // Chinese: every character is a word.
    (
        IGNORE,
        "忽略|无视|忘记|忘掉|無視|忘記|不要理会|不要遵循 ~4 之前|以上|先前|前面|上述|所有|此前|其他|原有|以前 ~5 指令|指示|提示|规则|规定|要求|规則|內容|内容",
    ),
    (
        CONCEAL,
        "不要|别|请勿|切勿|不得|不可|无需|勿|別|請勿|無需 ~4 告诉|告知|透露|通知|提及|提醒|告訴|提到|说明 ~6 用户|使用者|用戶|人类",
    ),
    (
        CONCEAL,
        "不要|别|请勿|切勿|不得|勿 ~2 向|对|跟|让|讓|對 ~2 用户|使用者|用戶 ~4 提及|透露|说|知道|提到|披露|說|发现",
    ),
    (CONCEAL, "不要|别|请勿|切勿|不得 ~1 提及|提到|透露 ~2 此|这|该|本"),
    (CONCEAL, "瞒着|背着|不通知|不告诉 ~1 用户|使用者"),
    (CONCEAL, "悄悄|暗中|偷偷|秘密 ~2 发送|调用|上传|读取|执行|复制|傳送|讀取"),
    // Japanese
    (IGNORE, "以前|これまで|前|上記|すべて|従来|他 ~5 指示|命令|ルール|プロンプト ~4 無視|忘れ"),
    (
        CONCEAL,
        "ユーザー|ユーザ|利用者 ~8 知らせない|伝えない|言わない|教えない|知らせず|伝えず|言わず|教えず|報告しない|明かさない|内緒|秘密",
    ),
    // Korean
    (
        IGNORE,
        "이전|기존|모든|앞선|위의 ~2 지시|지시를|지침을|명령을|지시사항을|규칙을|지시는 ~2 무시|무시하고|무시하세요|무시해|무시하십시오|잊어",
    ),
    (CONCEAL, "사용자에게|유저에게 ~4 말하지|알리지|언급하지|밝히지|보고하지"),
];
