"""The shapes of secrets, and of the values beside secret names that are none: patterns as text, and one quick look.

The shapes of vendors' keys are public facts (each vendor documents its prefix so that scanners can find it).
`heldtrue.language.secrets` compiles a pattern when a text first calls for it; most texts do not even need it loaded.
"""

from __future__ import annotations

from heldtrue.language.findings import compiled

# kind, a string that every such secret contains, and its shape. A shape starts behind a character that
# cannot be part of it and takes all it can without giving back, so a hostile text costs no more than its length.
TOKEN_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("aws-access-key-id", "IA", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-access-key-id", "ACCA", r"(?<![A-Za-z0-9])ACCA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github-token", "gh", r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9_]{30,}+"),
    ("github-fine-grained-token", "github_pat_", r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{30,}+"),
    ("gitlab-token", "gl", r"(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[\w.-]{18,}+"),
    ("slack-token", "xox", r"(?<![A-Za-z0-9])xox[abceoprs](?:\.xox[bp])?-[\w-]{10,}+"),
    ("slack-token", "xapp-", r"(?<![A-Za-z0-9])xapp-\d-[\w-]{20,}+"),
    ("slack-webhook", "hooks.slack.com", r"https?://hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{16,}+"),
    (
        "discord-webhook",
        "/api/webhooks/",
        r"https?://[\w.]{0,30}discord(?:app)?\.com/api/webhooks/\d{10,}+/[\w-]{20,}+",
    ),
    ("anthropic-key", "sk-ant-", r"(?<![A-Za-z0-9])sk-ant-[\w-]{20,}+"),
    ("openai-key", "sk-", r"(?<![A-Za-z0-9])sk-[\w-]{20,}+"),
    ("google-api-key", "AIza", r"(?<![A-Za-z0-9])AIza[\w-]{33,}+"),
    ("google-oauth-secret", "GOCSPX-", r"(?<![A-Za-z0-9])GOCSPX-[\w-]{20,}+"),
    ("google-oauth-token", "ya29.", r"(?<![A-Za-z0-9])ya29\.[\w.-]{20,}+"),
    ("azure-storage-key", "Key=", r"(?<=AccountKey=)[A-Za-z0-9+/]{40,}+={0,2}"),
    ("azure-connection-string", "AccessKey=", r"(?<=AccessKey=)[A-Za-z0-9+/]{30,}+={0,2}"),
    ("azure-sas-signature", "sig=", r"(?<=[?&]sig=)[A-Za-z0-9%+/]{40,}+={0,2}"),
    ("azure-client-secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,}+"),
    ("stripe-key", "k_", r"(?<![A-Za-z0-9])[sr]k_(?:live|test|prod)_[A-Za-z0-9_]{16,}+"),
    ("stripe-webhook-secret", "whsec_", r"(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/=]{24,}+"),
    ("twilio-key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", r"(?<![A-Za-z0-9])SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    ("mailgun-key", "key-", r"(?<![A-Za-z0-9])key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailgun-key", "-", r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"),
    ("mailchimp-key", "-us", r"(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?![\w-])"),
    ("npm-token", "npm_", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}+"),
    ("pypi-token", "pypi-", r"(?<![A-Za-z0-9])pypi-[\w-]{50,}+"),
    ("heldtrue-token", "ht_", r"(?<![A-Za-z0-9])ht_[\w-]{43}(?![\w-])"),
    ("huggingface-token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}+"),
    ("telegram-bot-token", ":A", r"(?:(?<![A-Za-z0-9])|(?<=/bot))\d{8,10}:A[\w-]{33,}+"),
    ("discord-bot-token", ".", r"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,}+"),
    ("jwt", "eyJ", r"(?<![\w.-])eyJ[\w-]{6,}+(?:\.[\w-]{6,}+){1,4}"),
    ("shopify-token", "shp", r"(?<![A-Za-z0-9])shp(?:at|ca|pa|ss|tka)_[0-9A-Fa-f]{32,}+"),
    ("digitalocean-token", "_v1_", r"(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{40,}+"),
    ("docker-token", "dckr_", r"(?<![A-Za-z0-9])dckr_(?:pat|oat)_[\w-]{20,}+"),
    ("vault-token", "hv", r"(?<![A-Za-z0-9])hv[sbr]\.[\w-]{20,}+"),
    ("grafana-token", "gl", r"(?<![A-Za-z0-9])gl(?:sa|c)_[A-Za-z0-9+/=_]{30,}+"),
    ("databricks-token", "dapi", r"(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("linear-key", "lin_", r"(?<![A-Za-z0-9])lin_(?:api|oauth)_[A-Za-z0-9]{32,}+"),
    ("notion-token", "ntn_", r"(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{40,}+"),
    ("model-provider-key", "_", r"(?<![A-Za-z0-9])(?:gsk_|r8_|nvapi-|sbp_|fw_)[A-Za-z0-9_-]{36,}+"),
    ("model-provider-key", "-", r"(?<![A-Za-z0-9])(?:xai|pplx|tvly|csk|jina)-[A-Za-z0-9_-]{32,}+"),
    ("square-token", "sq0", r"(?<![A-Za-z0-9])sq0(?:atp|csp|idp)-[\w-]{22,}+"),
    ("sentry-token", "sntry", r"(?<![A-Za-z0-9])sntry[su]_[A-Za-z0-9+/=_]{40,}+"),
    ("planetscale-token", "pscale_", r"(?<![A-Za-z0-9])pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}+"),
    ("atlassian-token", "ATATT3", r"(?<![A-Za-z0-9])ATATT3[\w=-]{50,}+"),
    ("postman-key", "PMAK-", r"(?<![A-Za-z0-9])PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("newrelic-key", "NRAK-", r"(?<![A-Za-z0-9])NRAK-[A-Z0-9]{27}"),
    ("rubygems-key", "rubygems_", r"(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}"),
    ("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}+"),
    ("slack-token", "xwfp-", r"(?<![A-Za-z0-9])xwfp-[\w-]{20,}+"),
    ("discord-token", "mfa.", r"(?<![A-Za-z0-9])mfa\.[\w-]{60,}+"),
    ("matrix-token", "syt_", r"(?<![A-Za-z0-9])syt_[A-Za-z0-9+/=]{1,80}_[A-Za-z]{20}_[A-Za-z0-9]{6}"),
    ("teams-webhook", "webhook.office.com", r"https?://[\w.-]{1,60}webhook\.office\.com/webhookb2/[\w@/-]{40,}+"),
    (
        "google-chat-webhook",
        "chat.googleapis.com",
        r"https?://chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?[\w=&%.-]{30,}+",
    ),
    ("facebook-token", "EAA", r"(?<![A-Za-z0-9])EAA[A-Za-z0-9]{60,}+"),
    ("twitch-token", "oauth:", r"(?<![A-Za-z0-9])oauth:[a-z0-9]{30}(?![A-Za-z0-9])"),
    ("wallet-key", "prv", r"(?<![A-Za-z0-9])[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}+"),
    ("wallet-key", "", r"(?<![A-Za-z0-9])[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])"),
    (
        "password-hash",
        "$",
        r"(?<![A-Za-z0-9$])\$(?:2[abxy]|5|6|1|y|argon2id?|argon2i|pbkdf2[\w-]{0,12}|scrypt)\$[\w./$=,+-]{20,}+",
    ),
    ("cloudflare-token", "v1.0-", r"(?<![A-Za-z0-9])v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+"),
    ("pulumi-token", "pul-", r"(?<![A-Za-z0-9])pul-[0-9a-f]{40}(?![A-Za-z0-9])"),
    ("terraform-token", "atlasv1", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}+"),
    ("doppler-token", "dp.", r"(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}+"),
    ("figma-token", "figd_", r"(?<![A-Za-z0-9])figd_[\w-]{36,}+"),
    ("airtable-token", "pat", r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}+"),
    ("dropbox-token", "sl.", r"(?<![A-Za-z0-9.])sl\.[\w-]{100,}+"),
    ("supabase-key", "sb_", r"(?<![A-Za-z0-9])sb_secret_[\w-]{20,}+"),
    ("gitea-token", "gt", r"(?<![A-Za-z0-9])gto_[a-z0-9]{40,}+"),
    ("netlify-token", "nfp_", r"(?<![A-Za-z0-9])nfp_[A-Za-z0-9]{36,}+"),
    ("vercel-token", "vcp_", r"(?<![A-Za-z0-9])vcp_[A-Za-z0-9]{40,}+"),
    ("alibaba-key", "LTAI", r"(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9])"),
    ("clickup-token", "pk_", r"(?<![A-Za-z0-9])pk_\d{6,9}_[A-Z0-9]{32}(?![A-Za-z0-9])"),
    ("asana-token", "/", r"(?<![\w/])[12]/\d{16}(?:/\d{16})?:[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("openrouter-key", "sk-or-", r"(?<![A-Za-z0-9])sk-or-[\w-]{30,}+"),
    ("okta-token", "SSWS", r"(?<=SSWS )[\w-]{30,}+"),
    ("age-key", "AGE-PLUGIN", r"AGE-PLUGIN-[A-Z0-9-]{50,}+"),
    ("private-key", "LS0tLS1CRUdJTi", r"(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}+={0,2}"),
    ("tailscale-key", "tskey-", r"(?<![A-Za-z0-9])tskey-[a-z]{2,10}-[\w-]{16,}+"),
)

KEY_BEGIN = r"-{5}BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{5}"
KEY_END = r"-{5}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{5}"
# lines of a key block that lost its end: headers, full lines, and one last short line
KEY_LINES = (
    r"(?:(?:\s|\\[nr])*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n\\]*+|=?[A-Za-z0-9+/=]{16,}+))*+"
    r"(?:(?:\r?\n|\\[nr])(?=[A-Za-z+/]*[0-9+/=])[A-Za-z0-9+/]{1,15}={0,2}(?=\s*(?:\\[nr]|[\"'\n-]|$)))?"
)

# --- names that say secret, read in lower case ------------------------------------------------------------

# Every name starts with a plain letter, which lets the pattern engine skip to the few places that matter.
NAME = (
    "(?P<name>pass(?:[ -]?word|wd|wort|phrase|code|ord)?|pwd?|kennwort|contrase[n\u00f1](?:ya|a)"
    "|mot de passe|mdp|senha|wachtwoord"
    "|palavra-passe|parola(?: d'ordine| chiave)?|parol[a\u0103]|has[l\u0142][oa]|hesl[oa]"
    "|jelsz[o\u00f3]|l\u00f6senord(?:et)?|salasanan?|adgangskoden?|kodeord(?:et)?|passordet"
    "|[s\u015f]ifre|m\u1eadt kh\u1ea9u|kata sandi|\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2"
    "|\u05e1\u05d9\u05e1\u05de\u05d4"
    "|\u0643\u0644\u0645\u0629 (?:\u0627\u0644\u0645\u0631\u0648\u0631"
    "|\u0627\u0644\u0633\u0631)|\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19"
    "|\u043f\u0430\u0440\u043e\u043b[\u044c\u044f\u044e]|\u5bc6[\u7801\u78bc]|\u53e3\u4ee4"
    "|\u30d1\u30b9\u30ef\u30fc\u30c9"
    "|\ube44\ubc00\ubc88\ud638|secret(?:[ _-]?(?:access|api))?(?:[ _-]?key)?|token|credential"
    "|clave|chave|cl[e\u00e9] (?:d['\u2019])?(?:api|acc\u00e8s|secr[e\u00e8]te)|schl\u00fcssel|pin ?code|key"
    "|auth(?:orization)?|salt|signature|cookie|session_?id|hmac)"
    "(?:[_-]?(?:[0-9]{1,2}|prod|dev|test|staging|live|new|old|value|raw|plain|plaintext))?"
)
NAME_OF_MACHINES = r"token|key|auth|salt|signature|cookie|session|secret|credential|hmac|clave|chave|schl"
"""Names above that machines fill, or that may be no secret."""
ABOUT_VALUES = (
    r"hash|reset|polic|expir|chang|last|updated|length|hint|status|age\b|strength|rule|type|method|manager|link|url"
    r"|date"
    r"|required|enabled|min|max|field|protected|less|history|attempt|retr|rotat|valid|count|score"
)
"""What a column says about passwords without having them."""
BELOW_NAME = (
    r"(?<![^\W_])(?:pass ?(?:word|wort|phrase|code)|pw|pwd|kennwort|mot de passe|contrase\u00f1a|wachtwoord|senha"
    r"|has\u0142o"
    r"|heslo|l\u00f6senord)(?![^\W_])"
    r"(?![^:]{0,60}\b(?:must|should|polic\w*|rules?|requirements?|fields?|reset|cannot|can't|not|contain\w*|hash\w*"
    r"|errors?|fail\w*|manager|length|changed|expire[sd]?|prompt|check|tests?)\b)"
)
"""A name of a password that the next line may fill, whatever stands between the two."""
LOOKALIKE_PARTS = (*(f"p{sign}a{sign}s{sign}s" for sign in " -._*"), "p@s", "p4s", "pa$$", "pas$", "pa5")
# parts of the names above and of the other rules' words: a text without any of them holds no named secret
COMMON_PARTS = (
    *("pass", "key", "token", "secret", "://", "auth", "log", "pw", "cred", "bearer", "basic ", "salt", "signature"),
    *LOOKALIKE_PARTS,
    *("cookie", "session", "hmac", "contrase", "senha", "kennwort", "wachtwoord", "clave", "chave", "schl"),
    *("wifi", "wi-fi", "wlan", "cl\u00e9 ", "cle api", "cle d"),
)
# of these, only values with a digit count
_RARE_PARTS = (
    *("pin code", "pincode", "mdp", "parol", "haslo", "heslo", "jelsz", "salasana", "adgangsk", "sifre", "sandi"),
    *("kodeord", "zugangsd", "anmelded", "identifiants"),
)
NAMES_IN_OTHER_SCRIPTS = (
    "\u043f\u0430\u0440\u043e\u043b|\u5bc6[\u7801\u78bc]|\u53e3\u4ee4"
    "|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638|\u043f\u0438\u043d"
    "|\u03ba\u03c9\u03b4|\u05e1\u05d9\u05e1|\u0643\u0644\u0645\u0629|\u0e23\u0e2b\u0e31"
    "|m\u1eadt kh|has\u0142o|\u015fifre|l\u00f6senord"
)
_LONG_RUN = r"[\w+/=.-]{18}"  # what every secret contains that is known by its own shape
_SHORTEST_NUMBER = r"\d[ ./A-Z\u00a0\u2009\u202f\u2010-\u2015-]{0,3}\d[ ./A-Z\u00a0\u2009\u202f\u2010-\u2015-]{0,3}\d"
PHRASE_PARTS = (
    *("seed", "mnemonic", "phrase", "frase", "wallet", "words", "bip", "backup", "recovery", "palabras", "wiederherst"),
)
_SPACES_IN_A_PHRASE = 11
COMMAND_PARTS = (
    *("identified", "wifi:", "psk", "net us", "wpa", "/p:", "sqlplus", "pdp ", "2fa", "totp", "rabbitmqctl"),
    *("backup code", "recovery code", "imp ", "exp ", "rman", "jdbc:", "sip:", "sips:", "turn:"),
)
_PHRASES_IN_OTHER_SCRIPTS = "\u52a9\u8bb0\u8bcd|\u0441\u0438\u0434"
_WORDS_AND_SIGNS = r"[,;/|-][^\w.!?]{0,16}(?:\d{1,2}[^\w!?]{0,8})?[^\W\d_]{3,8}[^\w.!?]{0,4}" * 4
_SHORT_LINES = r"(?:^|\n)[^\n]{2,80}\n\s{0,4}[^\n]{2,60}\n\s{0,4}[^\n]{2,60}(?:\n|$)"
_WORDS_AT_START = r"[\W\d_]{0,8}(?:[^\W\d_]{3,8}(?![^\W_])[^\w.!?]{0,16}(?:[\d_][\W_]{0,16}){0,3}){12}"
_WORDS_IN_A_ROW = r"(?<![^\W_])(?:[^\W\d_]{3,8}(?![^\W_])[^\w.!?]{0,16}(?:[\d_][\W_]{0,16}){0,3}){12}"


def may_hold_any(text: str, low: str) -> bool:
    """Whether any rule has to look closer at a text; most texts end here."""
    if may_hold_number(text) or may_hold_token(text):
        return True
    return may_hold_named(low) or may_hold_command(low) or may_hold_phrase(low)


def may_hold_named(low: str) -> bool:
    """Whether a text in small letters has a name that says secret.

    Cheap, and never wrong in the dangerous direction: substring tests cost less than one combined pattern.
    """
    if any(map(low.__contains__, COMMON_PARTS)):
        return True
    if not low.isascii() and compiled(NAMES_IN_OTHER_SCRIPTS).search(low):
        return True
    return _has_digit(low) and any(map(low.__contains__, _RARE_PARTS))


def _has_digit(low: str) -> bool:
    return compiled(r"\d").search(low) is not None


def may_hold_token(text: str) -> bool:
    """Whether a text has anything as long as a key; as cheap, and as cautious."""
    return compiled(_LONG_RUN).search(text) is not None


def may_hold_number(text: str) -> bool:
    """Whether a text has three digits with little between them: the shortest number of a person has as many."""
    return compiled(_SHORTEST_NUMBER).search(text) is not None


def may_hold_command(low: str) -> bool:
    """Whether a text without the name of a secret has what a program takes one by."""
    return " -" in low or (_has_digit(low) and any(map(low.__contains__, COMMAND_PARTS)))


def may_hold_phrase(low: str) -> bool:
    """Whether a text names a seed phrase or words that give access, or has a dozen short words in a row."""
    if "passphrase" in low or "pass phrase" in low:
        return True
    counts = [low.count(sign) for sign in " \n,-/|"]
    if sum(counts) < _SPACES_IN_A_PHRASE:
        return False
    if any(map(low.__contains__, PHRASE_PARTS)):
        return True
    if not low.isascii() and compiled(_PHRASES_IN_OTHER_SCRIPTS).search(low):
        return True
    # prose has few signs between its words; only what has many, or short lines, is worth the longer look
    has_signs = max(counts[2:]) >= _SPACES_IN_A_PHRASE and compiled(_WORDS_AND_SIGNS).search(low)
    if has_signs or (counts[1] > 1 and compiled(_SHORT_LINES).search(low)):
        return compiled(_WORDS_IN_A_ROW).search(low) is not None
    return _begins_with_words(low, "\n") or _begins_with_words(low, ":")


def _begins_with_words(low: str, sign: str) -> bool:
    """Whether the text, or what follows a sign, begins with a dozen short words."""
    place = 0
    while not compiled(_WORDS_AT_START).match(low, place):
        place = low.find(sign, place) + 1
        if not place:
            return False
    return True


BEFORE_KEY = (
    "(?:api|app|access|account|private|signing|encryption|master|session|shared|auth|service|deploy|consumer|client"
    "|license|bot|application|hmac|jwt|admin|write|sas)[ _-]?$"
)
# "the password for the staging box is ..."
_FOR = (
    r"\s(?:for|of|to|on|in|at|de|du|del|della|des|do|da|van|von|vom|zum|zur|f\u00fcr|f\u00f6r|til|till|pour|para|per|do"
    r"|k|ke|dla|w|na|u|al|alla|naar|voor|\u00e0|au"
    r"|\u043e\u0442|\u0434\u043b\u044f)\s"
)
_WORD = r"[\w'*-]{1,40}"
_QUALIFIER = (
    "(?:wi-?fi|wlan|prod|dev|test|staging|root|admin|router|server|db|e?mail|vpn|ftp|ssh|smtp|nas|temp|initial)"
)
SIGN = (
    rf"(?:[\"'`\])*]{{0,3}}[ \t]{{0,4}}|[ \t]?[(\[][^()\[\]\n]{{1,40}}[)\]][ \t]{{0,2}}"
    rf"|[ \t]{_QUALIFIER}[ \t]?|{_FOR}(?:{_WORD}\s){{0,4}}{_WORD}[ \t]?)"
    r"(?:(?P<equals>:=|=>|->|={1,3}|value ?=|>(?=[^\s<]))|:(?!//)|[\uff1a\u2192\u21d2\u279c\u27a1\u27f6]"
    r"|\u2026|(?<=[ \t])[\u2013\u2014-](?=[ \t]))[*_]{0,2}[ \t]{0,4}"
)
VERB = (
    rf"[\"'`*]{{0,2}}(?:(?:{_FOR}(?:{_WORD}\s){{1,5}}?|,[^,.\n]{{1,40}},\s|[ \t]?\([^()\n]{{1,40}}\)[ \t]|\?\sit[ ]?"
    rf"|\s{{1,2}})"
    r"(?:(?:dazu|daf\u00fcr|hier|there|here|itself|again|wifi|wi-fi|wlan)\s)?"
    r"(?:is|was|becomes|remains|(?:should|will|shall|would|must|used to|can|could) be|has been|ist|lautet|war|est|es"
    r"|\u00e8"
    r"|jest|er|je|on|van|var|wurde auf|wordt|a \u00e9t\u00e9 chang\u00e9 en|c['\u2019]est|c['\u2019]\u00e9tait|era"
    r"|being|reads|equals|bude|heter"
    r"|\u00e4r|\u00e9|\u044d\u0442\u043e|to|as)(?:\s|:\s?)"
    r"|(?:\?\s(?:it|that))?['\u2019]s\s|\u662f|\u306f|\ub294)\s?"
    r"(?:(?:now|still|(?:set|changed|reset|updated|rotated) to|just|currently|actually|to|always|simply|noch|immer"
    r"|jetzt|toujours|again|literally|:)\s){0,2}"
)
NAMED = rf"{NAME}(?:{SIGN}|(?P<spoken>{VERB})|(?P<beside>,?[ \t]))"
CHOSEN_VALUE = r"(?=[a-z]{0,20}[^\sa-z])(?=\S{0,30}\d)(?=\S{0,30}[a-z]{3})[^\s()/:]{7,64}(?:[\s.,;!?)]|$)"
"""A value that makes "pass is" mean a password."""
OPTION = (
    r"(?<![\w-])(?:--?(?:password|passwd|pass|token|api-?key|secret|auth-token|access-token)[ =]{1,2}"
    r"|(?:-u|--user)[ =][\"']?[\w.@+-]{1,64}:)"
)
HEADER = r"(?P<scheme>bearer|basic|x-api-key:|authorization: ?(?:token|apikey))[ \t]{1,2}"
CREDENTIAL_PAIR = (
    r"(?<![\w/.@-])(?:creds?|credentials?|log[ -]?in|logins|zugangsdaten|anmeldedaten|identifiants|credenziali"
    r"|credenciales)(?:[:=][ \t]?|[ \t](?:(?:is|are|with|as|using)[ \t])?\(?)[\w.@+-]{1,64}(?::|/|[ \t][:/][ \t])(?=\S)"
)
USER_PAIR = r"(?<![\w/.@:-])(?:root|admin|administrator|sa|postgres|guest|deploy|ubuntu|pi)(?: ?/ ?|:(?!//))(?=[^\s/])"
URL_PLACE = r"[^\s/\"'<>]{1,300}"
WEB_PLACE = r"[^\s/?#\"'<>]{1,300}"

# --- values that are no secrets -------------------------------------------------------------------------

PLACEHOLDER = (
    r"(?i)[x*.\-_#?\u2022]{3,}|.*x{4,}.*|.*\*{3,}.*|.*\.{3}|.*(?:example|your|placeholder"
    r"|dummy|redacted).*|.*change_?-?me[!.]*"
    r"|.*(?:goes.?here|insert|replace).*|my[_-].*|none|null|nil|undefined|true|false|yes|no|on|off|empty|default"
    r"|test(?:ing)?|todo|tbd|n/a|secret|passw(?:or)?d|pass|token|key|foo|bar|baz|foobar|abc|hidden|masked|required"
    r"|optional|invalid|incorrect|wrong|string|str|text|bytes?|int|bool|weak|strong|expired|missing|unset|reset"
    r"|forgotten|rotated|confirm|encrypted|hashed|stored|username|user|admin@.*|bearer|basic|oauth"
)
REFERENCE = (
    r"[$%<{\[@&].*|(?:env|file|vault|op|ssm|arn|secret|secrets|sops|aws|gcp|https?|enc|ref"
    r"|data|keyring|projects)[:/(\[].*"
    r"|ENC\[.*|(?:[~.]{1,2})?/(?:[\w.@-]{1,40}/)*[\w.@-]*|[A-Za-z]:\\.*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
    r"|[\w-]+\.(?:json|ya?ml|toml|env|pem|txt|py|ts|js|go|ini|cfg|key|crt)"
)
CODE = (
    r"[A-Za-z_]\w*(?:(?:\.|::|->)\w+)*\s?[(\[{].*|(?![A-Z][a-z]+(?:\.[A-Z][a-z]+)+\d)[A-Za-z_]{2,}(?:(?:\.|::"
    r"|->)[A-Za-z_]+\d?(?:\(.*)?)+|[a-z]+(?:[A-Z][a-z]+)+"
    r"|lambda|await|new|return|self"
)
TECHNICAL = (
    r"(?i)(?:(?:hmac-?)?(?:sha|aes|md|rs|hs|es|ps|rsa|ed|oauth|auth|base|utf|tls|ssl|argon|pbkdf|scrypt|bcrypt|http|ipv"
    r"|int|uint|float|varchar|char|web|log4j|curve|ecdsa|secp|gpt|claude|llama|ntlmv|totp|python|fido|u2f|level|step"
    r"|phase|rfc|cve|iso|nist|pkcs|port|line|page|version|sprint|q)[-_ ./]?|[vuifpsxohk])\d{1,5}(?:[-._]\d+)*"
    r"(?:[-_]?(?:gcm|cbc|ctr|bits?|id|k1|r1|url|crypt|[a-z]{1,2}))?"
    r"|\d{1,2}fa|\d{1,4}-?(?:[a-z]{1,3}|(?:char|bit|byte|day|hour|minute|digit|word|letter|week|month)\w*)"
    r"|[A-Za-z0-9]+-(?:based|encoded|encrypted|protected|only|signed|issued|less|free|style|like|aware)"
    r"|\d{4}-\d\d-\d\d\S*"
)
