"""What a clause that declines to answer is made of, and what is mere courtesy.

Who speaks (the speaker, or the documents), a negation, and a word of knowing or telling,
close together; rules of this kind hold for sentences that nobody listed.
"""

from collections.abc import Mapping
from typing import Final

from ragmon.text.word_rules import rule_pattern

_NAMES: Final[Mapping[str, str]] = {
    "SOURCE": """document documents documentation context contexts passage passages source sources
        text texts article articles excerpt excerpts material materials file files page pages
        snippet snippets paragraph paragraphs transcript transcripts manual manuals knowledge
        record records reference references content extract extracts section sections corpus
        database dataset chunk chunks report reports result results docs""",
    "INFORMATION": """information info detail details answer answers mention mentions indication
        data context specifics discussion reference references explanation clue clues guidance
        fact facts""",
    "TELL": """mention mentions specify specifies state states say says discuss discusses address
        addresses indicate indicates describe describes explain explains reveal reveals detail
        details clarify clarifies disclose discloses name names answer answers tell tells""",
    "HOLD": """contain contains include includes provide provides cover covers give gives list
        lists offer offers have has show shows define defines identify identifies confirm
        confirms supply supplies hold holds present presents report reports note notes touch
        touches go goes elaborate make makes appear seem""",
    "TOLD": """mentioned specified stated provided given found covered discussed described
        included contained listed addressed answered determined available present clear disclosed
        indicated detailed explained documented revealed identified named shown reported known
        inferred established part appear appears exist exists""",
    "FIND": """find locate determine know answer tell say confirm verify see identify provide give
        help comment speak access establish ascertain conclude infer deduce assist respond""",
    "LEARN": """find locate determine know answer tell confirm verify see identify establish
        ascertain conclude infer deduce""",
    "NOT": "not never no nothing neither hardly",
    "THEREOF": """about on regarding concerning in within available provided given to that here
        for of from""",
    "SETTLED": "answered determined inferred established found verified",
}
_SPEAKER: Final = (
    "i|my ..3 not ..2 FIND !was|is|were|by",
    "we ..2 not ..2 LEARN",
    "i|we|m|am|are|was|were ..1 unable to ..2 FIND",
    "i|we ..1 lack|have|had|see|found|find ..1 no|nothing|little|insufficient|not_enough",
    "i|we do|did not ..1 have !to",
    "i m|am? not ..1 sure|certain|aware|familiar|able|allowed|permitted",
    "i lack",
    "not something|anything that? i|we can",
    "i|we ..1 decline|refuse",
)
_DOCUMENTS: Final = (
    "SOURCE ..4 NOT ..2 TELL|HOLD",
    "SOURCE ..8 do|does|did not ..1 TELL",
    "SOURCE ..4 HOLD ..1 no|not|nothing|little|insufficient ..3 INFORMATION|about|on|regarding",
    "SOURCE ..4 TELL|HOLD nothing",
    "SOURCE ..4 silent|lack|lacks|omit|omits|insufficient|unclear|irrelevant",
    "SOURCE ..4 fail|fails to",
    "nothing|none|neither|nowhere ..4 SOURCE ..3 TELL|HOLD",
    "SOURCE ..3 nothing ..3 TELL",
    "it|they do|does|did not ..1 mention|specify|state|say|discuss|address|indicate|describe",
    "it|they do|does|did not ..1 explain|reveal|detail|clarify|disclose",
    "^ do|does|did not ..1 TELL",
)
_NOTHING_THERE: Final = (
    "there|here ..2 no|any|enough|sufficient|insufficient|nothing ..2 INFORMATION THEREOF",
    "there|here ..2 no|enough|sufficient|insufficient ..2 INFORMATION $",
    "there ..2 nothing|no ... in ..3 SOURCE",
    "^ no|insufficient|not_enough|nothing ..2 INFORMATION ... SOURCE|TOLD",
    "^ no|insufficient|not_enough ..2 INFORMATION $",
    "^ no|nothing ... TOLD|made|relevant ... in ..3 SOURCE",
)
_NOT_TOLD: Final = (
    "INFORMATION ..6 not|nowhere be|been? ..1 TOLD|there|in",
    "not|never|nowhere be|been? ..1 TOLD ... in|from|within|by|on|among|using|based ... SOURCE",
    "question|query|this|that ..3 not be SETTLED",
    "^ it? can|could not be SETTLED",
    "^ not|unable_to|can_not|could_not FIND",
    "beyond|outside ... SOURCE|scope|knowledge|expertise",
    "^ it|this|that? is|s|was? not ..1 TOLD $",
    "missing|absent from ... SOURCE",
    "not in the|these|those|this|my|any ..2 SOURCE $",
    "unclear|uncertain|unknown|not_clear|not_known ... from|based_on ... SOURCE",
    "not be? possible to ..1 FIND",
)

DECLINES: Final = rule_pattern((*_SPEAKER, *_DOCUMENTS, *_NOTHING_THERE, *_NOT_TOLD), names=_NAMES)
"""A clause that says that there is no answer."""

COURTESY: Final = rule_pattern(
    (
        "^ i|we? m|am|are? very|so|really? sorry|apologies|apologize|apologise",
        "^ please|kindly|feel_free|let_me_know|thank|thanks|hello|hi|dear|good_question|sure",
        "^ you may|might|could|can|should want|wish|need|try|consider|check|consult|contact|refer",
        "^ if you ... please|let_me_know|i_can|i_d|i_ll|i_will|i_would|happy_to|feel_free",
        "^ i|we ..1 recommend|suggest|advise|encourage",
        "^ i? d|would|ll|will|am|m? be? happy|glad to",
        "^ is_there|can_i|could_you|would_you|do_you|how_can_i",
        "^ i|we have|ve? looked|searched|checked|reviewed|read|gone|went|examined",
        "^ as a|an ai|language|assistant|large",
        "^ ..3 SOURCE ..3 discuss|discusses|focus|focuses|talk|talks|relate|relates|pertain",
        "^ ..3 SOURCE ..3 pertains|deal|deals|concern|concerns|about",
    ),
    names=_NAMES,
)
"""A clause that says nothing of the matter."""

BLANK: Final = frozenset(
    {
        *("", "n a", "na", "unknown", "idk", "unanswerable", "no idea", "unsure", "unclear"),
        *("no answer", "no information", "no data", "not known", "not applicable", "not sure"),
        *("i do not know", "do not know", "can not answer", "can not say", "no comment"),
        *("insufficient information", "not enough information", "insufficient context"),
        *("no answer available", "answer unknown", "the answer is unknown", "none available"),
    }
)
"""Whole answers that stand in for none."""
