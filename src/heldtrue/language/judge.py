"""Whether a text is worth keeping, and whether it states something: judged by words, without a model.

The judge is conservative. A text is chatter only if each of its sentences is known chatter: a greeting, an
acknowledgement, a bare question, an assistant's narration of its own work, log output, noise. Anything
else, and any language the tables do not cover, counts as useful. Opinion and speculation are useful too,
but not factual; rules ("never push to main") and preferences ("Sam prefers tea") are facts.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from heldtrue.language.guard import guarded

USEFUL_AT_LEAST = 0.7
"""Below this `useful`, a text is chatter."""


class TextQuality(msgspec.Struct, frozen=True):
    """How far a text states facts and is worth keeping, both from 0 to 1, and why, in plain words."""

    factual: float
    useful: float
    reasons: tuple[str, ...] = ()


_rule = cache(re.compile)  # compiled when first needed
_WORD = re.compile(r"\w[\w'’-]*")

# --- chatter: words that make a message of no content ------------------------------------------------------

_GREETING_WORDS = frozenset(
    """hi hello hey hiya howdy yo greetings morning evening afternoon night gm gn goodnight goodbye bye cya ciao
    cheers welcome sup bonjour salut bonsoir coucou hallo moin servus tschüss hola adiós adios buenas buenos olá
    ola oi tchau привет здравствуйте здравствуй пока مرحبا السلام عليكم أهلا 안녕 안녕하세요 안녕히""".split()
)
_THANKS_WORDS = frozenset(
    """thanks thank thx ty tysm appreciated appreciate danke dankeschön merci gracias obrigado obrigada valeu
    спасибо благодарю شكرا شكراً 감사합니다 고마워 고마워요 감사""".split()
)
_ASSENT_WORDS = frozenset(
    """ok okay okey k kk yes yeah yep yup ya nope nah no sure fine cool great nice perfect awesome excellent lovely
    wonderful good alright right agreed understood noted gotcha roger ack done exactly absolutely definitely
    indeed correct true sounds sgtm lgtm np yw affirmative copy oui non d'accord parfait super génial ja nein
    genau klar alles gut passt sí si vale claro perfecto genial bueno bien sim não nao perfeito beleza ótimo да
    нет хорошо ладно понятно отлично ясно нормально نعم لا حسنا طيب تمام 네 아니요 알겠습니다 좋아요 응""".split()
)
_FILLER_WORDS = frozenset(
    """lol lmao rofl haha hahaha hehe heh xd omg wtf wow oh ah aha hm hmm hmmm um umm uh uhh er eh huh whoa yay
    oops ugh meh brb afk bbl ttyl gtg g2g idk tbh smh btw sorry pls plz nvm whatever anyway anyways congrats
    congratulations entschuldigung bitte perdón désolé pardon desculpa извините пожалуйста ㅋㅋ ㅋㅋㅋ ㅎㅎ jaja jajaja
    kkk rs хаха sweet""".split()
)
_CORE_WORDS = _GREETING_WORDS | _THANKS_WORDS | _ASSENT_WORDS | _FILLER_WORDS
# words that add nothing to a message made of the words above, and say nothing by themselves
_CARRIER_WORDS = frozenset(
    """a an the so very much many lot lots all everyone everybody guys folks team there again then now well just
    too and but of to for i i'm im me my you you're your u it it's its is are was that that's thats this what's
    be have has day one weekend up see later soon talk got get go let's it'll works will do mate man dude friend
    buddy sir bro as always help time back here really pretty totally such still we she how problem worries bad
    way point idea job stuff und der die das ist sehr viel vielen dir ihnen dank guten morgen tag abend nacht
    auf wiedersehen schön schönen bis bald alle zusammen beaucoup bien vous toi à bientôt bonne journée soirée
    tout le tous monde de rien ça va merci muchas muy todos días tardes noches hasta luego de nada que tal muito
    bom boa dia tarde noite tudo bem até amanhã logo por todo nada большое вам всем добрый доброе день утро
    вечер до свидания صباح الخير مساء جزيلا لك وعليكم 정말 여러분 만나서 반갑습니다""".split()
)
# whole messages of words that mean something elsewhere
_CHATTER_PHRASES = frozenset(
    {
        *("got it", "i got it", "never mind", "of course", "certainly", "makes sense", "that makes sense", "will do"),
        *("got you", "my bad", "no idea", "i see", "oh i see", "same here", "me too", "talk soon", "well done"),
        *(
            "sure thing",
            "looks good",
            "looks good to me",
            "sounds like a plan",
            "talk later",
            "nothing much",
            "okie dokie",
        ),
        *("guten morgen", "guten tag", "guten abend", "gute nacht", "vielen dank", "auf wiedersehen", "bis bald"),
        *(
            "de rien",
            "c'est bon",
            "à bientôt",
            "bonne journée",
            "ça va",
            "de nada",
            "hasta luego",
            "por nada",
            "até logo",
        ),
        *("bom dia", "boa tarde", "boa noite", "tudo bem", "доброе утро", "добрый день", "добрый вечер"),
        *("до свидания", "صباح الخير", "مساء الخير", "만나서 반갑습니다", "not bad", "too bad", "whatever works"),
    }
)
_UNSPACED_CHATTER = (
    "(?:你好|您好|大家好|早上好|早安|晚安|下午好|晚上好|谢谢|謝謝|多谢|感谢|好的|好吧|好啊|好|嗯|哦|哈|呵|是的|对的|对|没问题|明白了?|"
    "知道了|收到|了解|再见|拜拜|不客气|不用谢|辛苦了|加油|太好了|可以|行|没事|"
    "こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|ありがとう(?:ございます|ございました)?|どうも|はい|いいえ|"
    "うん|了解(?:です|しました)?|承知(?:しました|いたしました)|わかりました|分かりました|なるほど|すみません|ごめん(?:なさい)?|"
    "さようなら|またね|お疲れ様(?:です|でした)?|おつかれ(?:さま)?|よろしく(?:お願いします|お願いいたします)?|いいですね|そうですね|大丈夫(?:です)?|笑|w|"
    "你|您|们|大家|非常|啊|呢|吧|呀|啦|了|ね|よ|です|[\\s,.!~、。，！～…\u2764\U0001f300-\U0001faff])+"
)

# --- an assistant that tells what it does ---------------------------------------------------------------------

_NARRATION = (
    r"(?:(?:ok|okay|sure|alright|great|now|first|next|then|perfect|good|so|and|certainly|of course"
    r"|absolutely)[,!.]?\s+)*"
    r"(?:i can help (?:you|with)\b|(?:i(?:'ll|’ll| will| am going to|'m going to|’m going to| need to)|let me"
    r"|allow me to)\s+"
    r"(?:(?:now|first|also|quickly|just|then|start by|begin by|go ahead and|try to|take a moment to)\s+)*"
    r"(?:run|check|look|read|reading|looking|checking|search|examine|analy[sz]e|investigate|inspect|explore"
    r"|proceed|continue|try|verify"
    r"|review|see|think|explain|summari[sz]e|dig|double-check|take a|walk you|find|open|create|update|fix|test)"
    r"(?:\s(?:the|this|that|it|these|those|your|its|all|if|what|how|why|whether|again|into|at|through|on|by|with|to"
    r"|about|look|some)\b|\W*$)"
    r"|(?:let's|let’s|let us)\s+(?:see\W*$|see (?:if|what|how)|start|begin|proceed|continue|take a look|look at"
    r"|check (?:the|this|that|if|it)"
    r"|get started|dive in)\b"
    r"|i(?:'m|’m| am)\s+(?:now\s+|currently\s+|still\s+)?(?:running the|checking|looking (?:at|into|through)"
    r"|reading the"
    r"|searching the|working on (?:it|that|this)|trying to|investigating|analy[sz]ing)\b"
    r"|(?:running|checking|searching|looking|reading|analy[sz]ing|loading|thinking"
    r"|investigating)\b[^:=]{0,60}(?:\.\.\.|…|now)$"
    r"|here(?:'s|’s| is| are)\s+(?:the|your|a|an|my|some)\s+(?:\w+\s+){0,3}(?:code|file|files|version"
    r"|implementation|summary|result|results|output|answer|example|plan|list|solution|snippet|script|draft"
    r"|function|changes|fix|diff)\b"
    r"|(?:as|i am|i'm|i’m)\s+(?:just\s+)?an?\s+(?:ai|large language model|language model|virtual assistant)\b"
    r"|(?:i(?:'m|’m| am)\s+sorry,?\s+but|i apologi[sz]e|my apologies|sorry (?:about|for) (?:that|the))\b"
    r"|(?:let me know|feel free to|hope (?:this|that) helps|i hope (?:this|that) helps|is there anything else"
    r"|how (?:can|may) i (?:help|assist)|happy to help|glad (?:to|i could) help)\b"
    r"|(?:what a |that's a |that’s a )?(?:great|good|excellent) (?:question|point|catch|idea)\W*$"
    r"|(?:be right back|one (?:moment|sec|second)|just a (?:moment|sec|second|minute)|hold on|give me a (?:sec"
    r"|second|minute|moment)|on it|working on it|will do|talk to you later|see you (?:later|soon|tomorrow|then))\b"
    r"|you(?:'re|’re| are) (?:right|welcome|absolutely right)\b)"
)
_NARRATION_STARTS = frozenset(
    """ok okay sure alright great now first next then perfect good so and certainly of absolutely i i'll i’ll i'm
    i’m let let's let’s allow running checking searching looking reading analyzing analysing loading thinking
    investigating here here's here’s as my sorry feel hope is how happy glad what that's that’s excellent be one
    just hold give on working will talk see you you're you’re""".split()
)
# What a narration would need to be a commitment worth keeping: a time or a number.
_COMMITMENT = (
    r"\d|\b(?:tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|month|year"
    r"|until|by|every|always|never"
    r"|january|february|march|april|june|july|august|september|october|november|december|because|instead)\b"
)

# --- questions, noise, logs -----------------------------------------------------------------------------------

_QUESTION_WORDS = frozenset(
    """what what's whats where where's when who who's whose whom why which how how's is are am was were do does did
    can could should would will shall have has had may might any anyone anybody anything isn't aren't don't
    doesn't didn't can't couldn't wer was wo wann warum wie welche kannst können ist sind qui quoi où quand
    pourquoi comment est-ce quel quelle qué dónde cuándo cómo quién cuál por o onde quando como quem qual кто
    что где когда почему как зачем сколько""".split()
)
_TOLD_IN_A_QUESTION = (
    "did you know", "remember", "make sure", "please", "always", "never", "note that", "keep in mind",
    "don't forget", "by the way", "could you use", "can you use", "would you use", "right?", "correct?",
    "isn't it", "didn't", "because", "instead of",
)  # fmt: skip
_UNMARKED_QUESTION = (
    r"(?:what|where|when|who|why|how)(?:'s| is| are| do| does| did| can| could| should| would| time| many| much"
    r"| long)"
    r"\s[^.:=;]{2,60}$"
)
_ASKS = r"\b(?:is|are|do|does|did|can|could|should|would)\b"
_KEYBOARD_RUNS = tuple("asdf sdfg dfgh qwer wert zxcv xcvb hjkl uiop fdsa lkjh poiu".split())
_LOG_STARTS = frozenset(
    """debug info trace verbose collecting downloading requirement using npm fetching resolving unpacking setting
    get hit remote file at""".split()
)
_LOG_LINE = (
    r"\W{0,2}(?:\d{4}-\d\d-\d\d[t ])?(?:\d\d:\d\d:\d\d\S*\s+)?\W{0,3}(?:debug|info|trace|verbose)\b(?:\W|$)"
    r"|(?:collecting|downloading|requirement already satisfied|using cached|npm warn|npm notice|fetching|resolving"
    r"|unpacking|setting up|get:\d+|hit:\d+|remote: (?:counting|compressing|enumerating))\b"
    r"|\s*(?:file \"[^\"]+\", line \d+|at \S+ \(\S+:\d+:\d+\))|\s*\d{1,3}%\s?[|\[█#=]|[.fsex]{8,}\s*(?:\[\s*\d+%\])?$"
)
_ACCESS_LOG = r"\"(?:get|post|put|delete|head|patch|options) /\S* http/\d"

# --- opinion and speculation ------------------------------------------------------------------------------------

_SPECULATIVE_WORDS = frozenset(
    """maybe perhaps probably possibly hopefully supposedly hypothetically presumably conceivably imo imho imagine
    suppose wonder guess vielleicht wahrscheinlich vermutlich peut-être probablement quizás quizá probablemente
    tal-vez talvez provavelmente возможно наверное""".split()
)
_SPECULATIVE_PHRASES = (
    "i think", "i believe", "i feel", "i guess", "i'd guess", "i suspect", "i assume", "i doubt",
    "in my opinion", "in my view", "not sure", "would be cool", "would be nice", "would be great",
    "would be fun", "would be better", "would love", "what if", "if only", "i wish", "if i were", "if we had",
    "if i had", "would have been", "could have been", "who knows", "one day we", "some day", "someday",
    "it feels like", "ich glaube", "ich denke", "je pense", "je crois", "creo que", "acho que", "я думаю",
    "kind of feel",
)  # fmt: skip
# no phrase above without one of these words: the usual statement is spared thirty substring tests
_PHRASE_WORDS = frozenset(
    """i i'd my if would could not who what day some someday feels feel ich je creo acho я kind sort far iirc""".split()
)
_HEDGING_WORDS = frozenset(
    "might seems seem apparently allegedly likely looks sounds roughly somewhat reportedly rumour rumor rumored".split()
)
_HEDGING_PHRASES = ("could be", "kind of", "sort of", "as far as i", "if i remember", "iirc")
_TASTE_WORDS = frozenset(
    """nicer better best worst worse ugly uglier beautiful awesome terrible horrible amazing overrated underrated
    annoying boring elegant awful sucks gorgeous coolest cooler prettier fantastic lame hate love loves""".split()
)
_PREFERENCE_WORDS = frozenset(
    "prefers prefer preferred likes favourite favorite wants hates loves dislikes allergic".split()
)
_RULE_WORDS = frozenset("must never always only required mandatory forbidden shall".split())
_STATING_WORDS = frozenset(
    """is are was were has have had uses use used runs run lives works owns costs contains means needs requires
    returns takes supports depends belongs became changed moved switched decided agreed deployed released fixed
    merged stored called named ist sind war hat est sont a es son está é são está wird heißt lebt arbeitet это
    является""".split()
)
_IMPERATIVE_WORDS = frozenset(
    """use run never always don't do avoid prefer keep write put store commit push deploy ask call set add remove
    delete name format test check make send read start stop install pin log import export return wrap treat
    follow include exclude ensure remember note rebase squash review document validate escape quote round sort
    limit close open bump tag update wait""".split()
)


@guarded(lambda _text: TextQuality(1.0, 1.0, ("it could not be analysed",)))
def judge_text(text: str) -> TextQuality:
    """How factual and how useful a text is; in doubt it is useful."""
    text = text.strip()
    low = text.lower()
    words = _WORD.findall(low)
    if not words:
        return TextQuality(0.0, 0.0, ("there are no words in it",))
    chatter = _name_chatter(text, low, words)
    if chatter is not None:
        return TextQuality(0.1, 0.3, (chatter,))
    return _judge_statement(text, low, words)


def _name_chatter(text: str, low: str, words: list[str]) -> str | None:
    """Why the whole text is chatter; None as soon as one sentence is not."""
    if not (". " in low or "! " in low or "? " in low or "\n" in low or not low.isascii()):
        return _name_chatter_sentence(text, low, words)
    reason = None
    for sentence in _rule(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+").split(text):
        small = sentence.strip().lower()
        parts = _WORD.findall(small)
        if not parts:
            continue
        found = _name_chatter_sentence(sentence.strip(), small, parts)
        if found is None:
            return None
        reason = reason or found
    return reason


def _name_chatter_sentence(text: str, low: str, words: list[str]) -> str | None:
    if len(words) <= 9 and (reason := _name_small_talk(low, words)):
        return reason
    if low.endswith(("?", "？")):
        return _name_question(low, words)
    if len(words) <= 10 and words[0] in _QUESTION_WORDS and _rule(_UNMARKED_QUESTION).match(low):
        return "it only asks" if len(words) > 2 and _rule(_ASKS).search(low) else None
    if len(words) <= 3 and all(map(_is_keyboard_noise, text.split())):
        return "it is keyboard noise"
    if (
        len(words) <= 30
        and words[0] in _NARRATION_STARTS
        and _rule(_NARRATION).match(low)
        and not _rule(_COMMITMENT).search(low)
    ):
        return "it tells what the speaker is doing, not what is so"
    return "it is log output" if _is_log_line(low, words) else None


def _is_log_line(low: str, words: list[str]) -> bool:
    if words[0] in _LOG_STARTS or not low[0].isalpha() or len(words) == 1:
        return _rule(_LOG_LINE).match(low) is not None or _rule(_ACCESS_LOG).search(low) is not None
    return False


def _name_small_talk(low: str, words: list[str]) -> str | None:
    if " ".join(words) in _CHATTER_PHRASES:
        return "it is small talk"
    core = [word for word in words if word in _CORE_WORDS]
    if core and len(core) + sum(word in _CARRIER_WORDS and word not in _CORE_WORDS for word in words) == len(words):
        if any(word in _THANKS_WORDS for word in core):
            return "it only says thanks"
        return "it only greets" if any(word in _GREETING_WORDS for word in core) else "it only acknowledges"
    if all(word.isdigit() for word in words) and len(words) == 1:
        return "it is a number without a name"
    if not low.isascii() and len(low) <= 60 and _rule(_UNSPACED_CHATTER).fullmatch(low):
        return "it only greets, thanks or acknowledges"
    return None


def _name_question(low: str, words: list[str]) -> str | None:
    if any(map(low.__contains__, _TOLD_IN_A_QUESTION)):
        return None
    asks = words[0] in _QUESTION_WORDS or (len(words) <= 3 and low.isascii())
    unspaced = not low.isascii() and len(low) <= 24 and len(words) <= 3
    return "it only asks" if asks or unspaced else None


def _is_keyboard_noise(word: str) -> bool:
    """A run of keys that is no word: same key held, a keyboard row, or small letters without a vowel."""
    word = word.strip(".,!?;")
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return False
    if len(set(word.lower())) <= 2 and len(word) >= 5:
        return True
    if len(word) >= 6 and any(map(word.lower().__contains__, _KEYBOARD_RUNS)):
        return word.lower() not in ("qwerty", "qwertz", "property", "werther")
    return word.islower() and len(word) >= 7 and not set("aeiouy") & set(word)


def _judge_statement(text: str, low: str, words: list[str]) -> TextQuality:
    seen = set(words)
    reasons = []
    preference = not seen.isdisjoint(_PREFERENCE_WORDS)
    rule = not seen.isdisjoint(_RULE_WORDS) or words[0] in _IMPERATIVE_WORDS
    states = not seen.isdisjoint(_STATING_WORDS)
    named = _names_something(text, low)
    factual = 0.6 + 0.15 * named + 0.1 * states + (0.2 if rule or preference else 0.0)
    if rule:
        reasons.append("it sets a rule")
    elif preference:
        reasons.append("it states a preference")
    elif named or states:
        reasons.append("it states something")
    phrased = not seen.isdisjoint(_PHRASE_WORDS)
    if not seen.isdisjoint(_SPECULATIVE_WORDS) or (phrased and any(map(low.__contains__, _SPECULATIVE_PHRASES))):
        factual -= 0.5
        reasons.append("it is opinion or speculation")
    elif not seen.isdisjoint(_HEDGING_WORDS) or (phrased and any(map(low.__contains__, _HEDGING_PHRASES))):
        factual -= 0.25
        reasons.append("it is hedged")
    if not (rule or preference or seen.isdisjoint(_TASTE_WORDS)):
        factual -= 0.3
        reasons.append("it is a matter of taste")
    if low.endswith(("?", "？")):
        factual -= 0.2
        reasons.append("it asks while it tells")
    return TextQuality(round(min(max(factual, 0.05), 0.95), 2), 1.0, tuple(reasons))


def _names_something(text: str, low: str) -> bool:
    """Whether it holds a number, a name or an identifier: a capital behind the first letter, a digit, a code sign."""
    return text[1:] != low[1:] or not set(low).isdisjoint("0123456789`_/")
