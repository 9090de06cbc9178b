"""The shapes of secrets, and of the values beside secret names that are none: patterns as text, and one quick look.

The shapes of vendors' keys are public facts (each vendor documents its prefix so that scanners can find it).
`heldtrue.language.secrets` compiles a pattern when a text first calls for it; most texts do not even need it loaded.
"""

from __future__ import annotations

import re

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
    ("telegram-bot-token", ":A", r"(?<![A-Za-z0-9])\d{8,10}:A[\w-]{33,}+"),
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
    "(?P<name>pass(?:word|wd|wort|phrase|code)?|pwd?|kennwort|contrase[n\u00f1]a|mot de passe|senha|wachtwoord"
    "|\u043f\u0430\u0440\u043e\u043b[\u044c\u044f\u044e]|\u5bc6[\u7801\u78bc]|\u30d1\u30b9\u30ef\u30fc\u30c9"
    "|\ube44\ubc00\ubc88\ud638|secret(?:[ _-]?(?:access|api))?(?:[ _-]?key)?|token|credential"
    "|clave|chave|schl\u00fcssel|pin ?code|key|auth(?:orization)?|salt|signature|cookie|session_?id|hmac)"
    "(?:[_-]?(?:[0-9]{1,2}|prod|dev|test|staging|live|new|old|value|raw|plain|plaintext))?"
)
# parts of the names above and of the other rules' words: a text without any of them holds no named secret
NAME_PARTS = (
    *("pass", "key", "token", "secret", "://", "auth", "log", "pw", "cred", "bearer", "basic ", "salt", "signature"),
    *("cookie", "session", "hmac", "contrase", "senha", "kennwort", "wachtwoord", "clave", "chave", "schl", " -u"),
    *("pin code", "pincode"),
)
NAMES_IN_OTHER_SCRIPTS = (
    "\u043f\u0430\u0440\u043e\u043b|\u5bc6[\u7801\u78bc]|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638"
)
_LONG_RUN = r"[\w+/=.-]{18}"  # what every secret contains that is known by its own shape


def may_hold_named(low: str) -> bool:
    """Whether a text in small letters has a name that says secret.

    Cheap, and never wrong in the dangerous direction: substring tests cost less than one combined pattern.
    """
    if any(map(low.__contains__, NAME_PARTS)):
        return True
    return not low.isascii() and re.search(NAMES_IN_OTHER_SCRIPTS, low) is not None


def may_hold_token(text: str) -> bool:
    """Whether a text has anything as long as a key; as cheap, and as cautious."""
    return re.search(_LONG_RUN, text) is not None


BEFORE_KEY = (
    "(?:api|app|access|account|private|signing|encryption|master|session|shared|auth|service|deploy|consumer|client"
    "|license|bot|application|hmac|jwt|admin|write|sas)[ _-]?$"
)
# "the password for the staging box is ..."
_FOR = r"\s(?:for|of|to|on|in|at|de|du|f\u00fcr|\u043e\u0442)\s"
_WORD = r"[\w'*-]{1,40}"
SIGN = (
    rf"(?:[\"'`\])*]{{0,3}}[ \t]{{0,4}}|{_FOR}(?:{_WORD}\s){{0,4}}{_WORD}[ \t]?)"
    r"(?:(?P<equals>:=|=>|->|={1,3}|value ?=|>(?=[^\s<]))|:(?!//)|[\uff1a\u2192\u21d2])[*_]{0,2}[ \t]{0,4}"
)
VERB = (
    rf"[\"'`*]{{0,2}}(?:(?:{_FOR}(?:{_WORD}\s){{1,5}}?|\s{{1,2}})"
    r"(?:is|was|becomes|remains|(?:should|will|shall) be|ist|lautet|est|es|\u00e9|\u044d\u0442\u043e|to|as)\s"
    r"|'s\s|\u662f|\u306f|\ub294)\s?(?:(?:now|still|set to|changed to|just|currently|literally|actually|to|:)\s){0,2}"
)
NAMED = rf"{NAME}(?:{SIGN}|(?P<spoken>{VERB})|(?P<beside>[ \t]))"
OPTION = (
    r"(?<![\w-])(?:--?(?:password|passwd|pass|token|api-?key|secret|auth-token|access-token)[ =]{1,2}"
    r"|(?:-u|--user)[ =][\"']?[\w.@+-]{1,64}:)"
)
HEADER = r"(?P<scheme>bearer|basic|x-api-key:|authorization: ?(?:token|apikey))[ \t]{1,2}"
CREDENTIAL_PAIR = (
    r"(?<![\w/.@-])(?:creds?|credentials?|log[ -]?in)(?:[:=][ \t]?|[ \t](?:(?:is|are|with|as|using)[ \t])?)"
    r"[\w.@+-]{1,64}(?::|/|[ \t][:/][ \t])(?=\S)"
)
URL_PLACE = r"[^\s/\"'<>]{1,300}"
WEB_PLACE = r"[^\s/?#\"'<>]{1,300}"

# --- values that are no secrets -------------------------------------------------------------------------

PLACEHOLDER = (
    r"(?i)[x*.\-_#?\u2022]{3,}|.*x{4,}.*|.*\*{3,}.*|.*\.{3}|.*(?:example|your|placeholder|dummy|redacted|change_?-?me).*"
    r"|.*(?:goes.?here|insert|replace).*|my[_-].*|none|null|nil|undefined|true|false|yes|no|on|off|empty|default"
    r"|test(?:ing)?|todo|tbd|n/a|secret|passw(?:or)?d|pass|token|key|foo|bar|baz|foobar|abc|hidden|masked|required"
    r"|optional|invalid|incorrect|wrong|string|str|text|bytes?|int|bool|weak|strong|expired|missing|unset|reset"
    r"|forgotten|rotated|confirm|encrypted|hashed|stored|username|user|admin@.*|bearer|basic|oauth"
)
REFERENCE = (
    r"[$%<{\[@&].*|(?:env|file|vault|op|ssm|arn|secret|secrets|sops|aws|gcp|https?|enc|ref|data|keyring|projects)[:/(\[].*"
    r"|ENC\[.*|(?:[~.]{1,2})?/(?:[\w.@-]{1,40}/)*[\w.@-]*|[A-Za-z]:\\.*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
    r"|[\w-]+\.(?:json|ya?ml|toml|env|pem|txt|py|ts|js|go|ini|cfg|key|crt)"
)
CODE = (
    r"[A-Za-z_]\w*(?:(?:\.|::|->)\w+)*\s?[(\[{].*|[A-Za-z_]{2,}(?:(?:\.|::|->)[A-Za-z_]+\d?(?:\(.*)?)+|[a-z]+(?:[A-Z][a-z]+)+"
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
