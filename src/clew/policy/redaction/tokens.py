"""Tokens of known services: their prefixes, and what follows them.

The shapes are facts that the services document, or that the rule sets of gitleaks and detect-secrets
list.  Each has a sign, a lower-case substring that every such token contains: a text without any sign
is not searched (`redact.py` has the same list, a test compares them).

Publishable keys (`pk_live_…`) are public by design and are not listed; nor are ids without a secret
part, and shapes that any hash has.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

_WORD = "[A-Za-z0-9]"
_TAIL = "[A-Za-z0-9_-]"
_HEX = "[a-fA-F0-9]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_STOP = "(?![A-Za-z0-9])"
_GITLAB = (
    "glpat", "gldt", "glrt", "glcbt", "glptt", "glft", "glffct", "glimt", "glagent", "gloas", "glsoat",
)  # fmt: skip


class Token(NamedTuple):
    """One kind of token."""

    sign: str
    shape: str
    is_strict: bool = False
    """Whether it must begin a word: its prefix is too short to be searched for inside a name."""


def _begins(sign: str, rest: str, *, strict: bool = False) -> Token:
    return Token(sign.lower(), sign.replace(".", r"\.") + rest, strict)


def _strict(sign: str, shape: str) -> Token:
    return Token(sign, shape, True)


def _spelled(prefix: str, rest: str) -> tuple[Token, Token]:
    """Return a token, and as a package registry would spell it in a name."""
    other = prefix.replace("_", "-")
    return Token(prefix, prefix + rest), Token(other, other + rest)


TOKENS: tuple[Token, ...] = (
    # clouds
    Token("akia", rf"AKIA[A-Z0-9]{{16}}{_STOP}"),
    Token("asia", rf"ASIA[A-Z0-9]{{16}}{_STOP}"),
    _strict("a3t", rf"A3T[A-Z0-9]{{17}}{_STOP}"),
    Token("abia", rf"ABIA[A-Z0-9]{{16}}{_STOP}"),
    Token("acca", rf"ACCA[A-Z0-9]{{16}}{_STOP}"),
    Token("absk", r"ABSK[A-Za-z0-9+/]{80,}+={0,2}"),
    _begins("bedrock-api-key-", r"[A-Za-z0-9+/=]{20,}+"),
    Token("amzn", rf"amzn\.mws\.{_UUID}|amzn1\.oa2-cs\.v1\.{_HEX}{{64}}"),
    _begins("AIza", rf"{_TAIL}{{35,}}+"),
    _begins("ya29.", rf"{_TAIL}{{20,}}+"),
    _begins("GOCSPX-", rf"{_TAIL}{{20,}}+"),
    Token("1//0", rf"1//0{_TAIL}{{30,}}+"),
    Token("q~", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}+"),
    _begins("LTAI", rf"{_WORD}{{20}}{_STOP}"),
    _begins("AQVN", rf"{_TAIL}{{35,}}+", strict=True),
    _begins("SCW", rf"[A-Z0-9]{{17}}{_STOP}", strict=True),
    Token("_v1_", rf"do[opr]_v1_{_HEX}{{32,}}+"),
    Token("hrku-", rf"HRKU-{_TAIL}{{30,}}+"),
    Token("fo1_", rf"fo1_{_TAIL}{{40,}}+"),
    Token("fm1", r"fm1[ar]_[A-Za-z0-9+/]{100,}+={0,3}"),
    Token("fm2_", r"fm2_[A-Za-z0-9+/]{100,}+={0,3}"),
    Token("nfp_", rf"nfp_{_WORD}{{36,}}+"),
    _strict("rnd_", rf"rnd_{_WORD}{{30,}}+"),
    # code hosts and package registries
    *_spelled("gho_", rf"{_WORD}{{20,}}+"),
    *_spelled("ghp_", rf"{_WORD}{{20,}}+"),
    *_spelled("ghr_", rf"{_WORD}{{20,}}+"),
    *_spelled("ghs_", rf"{_WORD}{{20,}}+"),
    *_spelled("ghu_", rf"{_WORD}{{20,}}+"),
    *_spelled("github_pat_", rf"{_TAIL}{{20,}}+"),
    Token("gr1348941", rf"GR1348941{_TAIL}{{16,}}+"),
    *(
        Token(
            f"{prefix}{mark}",
            rf"{prefix}{mark}{_TAIL}{{16,}}+(?:\.[0-9a-z]{{2}}\.?[0-9a-z]{{6,9}}{_STOP})?+",
        )
        for prefix in _GITLAB
        for mark in "-_"  # an identifier has no hyphen
    ),
    Token("atatt", r"ATATT3[A-Za-z0-9_=-]{20,}+"),
    Token("atctt", r"ATCTT3[A-Za-z0-9_=-]{20,}+"),
    Token("atbb", rf"ATBB{_WORD}{{28,}}+"),
    *_spelled("npm_", rf"{_WORD}{{30,}}+"),
    Token("pypi-", rf"pypi-{_TAIL}{{50,}}+"),
    Token("dckr", rf"dckr_(?:pat|oat)_{_TAIL}{{20,}}+"),
    Token("rubygems", rf"rubygems_{_HEX}{{40,}}+"),
    Token("clojars_", r"(?i:clojars_)[A-Za-z0-9]{50,}+"),
    _strict("oy2", rf"oy2[a-z0-9]{{43}}{_STOP}"),
    _strict("cio", rf"cio{_WORD}{{32}}{_STOP}"),
    Token("akcp", rf"AKCp{_WORD}{{60,}}+"),
    Token("cmvmd", rf"cmVmd{_WORD}{{55,}}+"),
    Token("ccipat", rf"CCIPAT_{_WORD}{{16,}}+_{_HEX}{{40}}"),
    Token("bkua_", rf"bkua_{_HEX}{{40}}"),
    Token("sgp_", rf"sgp_(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    Token("squ_", rf"squ_{_HEX}{{40}}"),
    Token("sqp_", rf"sqp_{_HEX}{{40}}"),
    Token("sqa_", rf"sqa_{_HEX}{{40}}"),
    # messages and mail
    Token("xox", r"xox[a-z](?:[._]xox[a-z])?[-_][A-Za-z0-9_-]{10,}+"),
    Token("xapp", r"xapp-\d-[A-Za-z0-9-]{20,}+"),
    _strict("bot", rf"bot\d{{8,10}}:{_TAIL}{{35}}(?!{_TAIL})"),
    _strict(":aa", rf"\d{{8,10}}:AA{_TAIL}{{33}}(?!{_TAIL})"),
    # the number of the bot in base64, a time, a signature; `redact.py` looks for the dots
    _strict("", rf"[MNO]{_TAIL}{{22,28}}\.{_TAIL}{{6}}\.{_TAIL}{{27,}}+"),
    Token("sg.", rf"SG\.{_TAIL}{{16,}}+\.{_TAIL}{{16,}}+"),
    _strict("sk", rf"SK{_HEX}{{32}}{_STOP}"),
    _strict("key-", rf"key-{_HEX}{{32}}{_STOP}"),
    *(_strict(f"-us{digit}", rf"{_HEX}{{32}}-us{digit}\d?{_STOP}") for digit in "123456789"),
    _strict("re_", rf"re_{_WORD}{{8}}_{_WORD}{{20,}}+"),
    # payments and shops
    *(
        token
        for prefix in ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_")
        for token in _spelled(prefix, rf"{_WORD}{{10,}}+")
    ),
    Token("whsec", r"whsec_[A-Za-z0-9+/]{20,}+={0,2}"),
    Token("rzp_", rf"rzp_(?:live|test)_{_WORD}{{14,}}+"),
    Token("sq0", rf"sq0[a-z]{{3}}-{_TAIL}{{20,}}+"),
    Token("eaa", rf"EAAA{_TAIL}{{56,}}+|EAA[A-Z](?=[A-Za-z]*+[0-9]){_WORD}{{40,}}+"),
    Token("shpat", rf"shpat_{_HEX}{{32}}{_STOP}"),
    Token("shpca", rf"shpca_{_HEX}{{32}}{_STOP}"),
    Token("shppa", rf"shppa_{_HEX}{{32}}{_STOP}"),
    Token("shpss", rf"shpss_{_HEX}{{32}}{_STOP}"),
    Token("shippo", rf"shippo_(?:live|test)_{_HEX}{{40}}"),
    Token("duffel", rf"duffel_(?:live|test)_{_TAIL}{{40,}}+"),
    Token("eza", rf"EZAK{_WORD}{{50,}}+"),
    Token("ezt", rf"EZTK{_WORD}{{50,}}+"),
    Token("flwseck", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}+(?:-X)?"),
    Token("access-", rf"access-(?:sandbox|development|production)-{_UUID}"),
    # models
    _strict("sk-", r"sk-(?=[A-Za-z_-]{0,200}+[0-9])[A-Za-z0-9_-]{20,}+"),  # not `sk-learn-…`
    Token("sk-", r"sk-(?!learn)(?=[A-Za-z_-]{0,200}+[0-9])[A-Za-z0-9_-]{40,}+"),
    Token("sk-ant", rf"sk-ant-{_TAIL}{{20,}}+"),
    Token("sk-proj", rf"sk-proj-{_TAIL}{{20,}}+"),
    _strict("sk_", rf"sk_{_HEX}{{40,}}+"),
    *_spelled("hf_", rf"{_WORD}{{30,}}+"),
    Token("api_org", rf"api_org_{_WORD}{{30,}}+"),
    Token("gsk_", rf"gsk_{_WORD}{{30,}}+"),
    Token("r8_", rf"r8_{_WORD}{{30,}}+"),
    *(
        Token(f"{prefix}-", rf"{prefix}-{_TAIL}{{20,}}+")
        for prefix in ("nvapi", "pplx", "tvly", "xai", "tskey", "xkeysib")
    ),
    Token("lsv2_", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    # operations
    Token("eyj", rf"eyJ{_TAIL}{{5,}}+\.{_TAIL}{{5,}}+\.{_TAIL}*+"),
    Token("eyjrijoi", r"eyJrIjoi[A-Za-z0-9]{50,}+={0,3}"),
    Token("ops_eyj", r"ops_eyJ[A-Za-z0-9+/_-]{60,}+={0,3}"),
    Token("hvs.", rf"hvs\.{_TAIL}{{20,}}+"),
    Token("hvb.", rf"hvb\.{_TAIL}{{20,}}+"),
    Token("hvr.", rf"hvr\.{_TAIL}{{20,}}+"),
    Token("atlasv1", rf"{_WORD}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{50,}}+"),
    Token("dapi", rf"dapi{_HEX}{{32}}(?:-\d)?{_STOP}"),
    Token("sntry", r"sntry[su]_[A-Za-z0-9_=+/-]{20,}+"),
    Token("nrak-", rf"NRAK-[A-Z0-9]{{27}}{_STOP}"),
    Token("nrii-", rf"NRII-{_TAIL}{{32}}"),
    Token("nrjs-", rf"NRJS-{_HEX}{{19}}"),
    Token("nral", rf"{_HEX}{{32,36}}(?:FFFF)?NRAL{_STOP}"),
    Token("glsa_", rf"glsa_{_WORD}{{32}}_{_HEX}{{8}}"),
    Token("glc_", r"glc_[A-Za-z0-9+/]{32,}+={0,3}"),
    Token("dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{8,}+"),
    Token("pmak-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    Token("pul-", rf"pul-{_HEX}{{40}}{_STOP}"),
    Token("pnu_", rf"pnu_{_WORD}{{36}}"),
    Token("api-", rf"API-[A-Z0-9]{{26}}{_STOP}"),
    Token("a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    Token("v1.0-", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{16,}}+"),
    Token("dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_WORD}{{40,}}+"),
    Token("sha256~", rf"sha256~{_TAIL}{{40,}}+"),
    Token("age-secret", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{30,}+"),
    Token("age-plugin", r"AGE-PLUGIN-[A-Z0-9-]{2,30}-1[A-Z0-9]{20,}+"),
    Token("ico-", rf"ico-{_WORD}{{32}}{_STOP}", True),
    Token("p8e-", rf"p8e-{_WORD}{{32}}{_STOP}"),
    Token("dnkey-", r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    Token("sdk-", rf"sdk-{_UUID}"),
    Token("pat-", rf"pat-(?:na|eu)\d-{_UUID}"),
    # data and design
    Token("pscale_", r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{30,}+"),
    Token("sbp_", rf"sbp_{_HEX}{{40}}"),
    Token("sb_secret", rf"sb_secret_{_TAIL}{{20,}}+"),
    Token("napi_", rf"napi_{_WORD}{{40,}}+"),
    Token("mdb_sa", rf"mdb_sa_sk_{_TAIL}{{30,}}+"),
    Token("4b1d", rf"4b1d{_WORD}{{38}}{_STOP}"),
    Token("pat", rf"pat{_WORD}{{14}}\.{_HEX}{{16,}}+"),
    Token("_mmk", rf"{_WORD}{{6}}_{_WORD}{{29}}_mmk{_STOP}"),
    Token("cfpat-", rf"CFPAT-{_TAIL}{{40,}}+"),
    Token("lin_", rf"lin_(?:api|oauth)_{_WORD}{{30,}}+"),
    Token("ntn_", rf"ntn_\d{{11}}{_WORD}{{30,}}+"),
    Token("secret_", rf"secret_(?=[A-Za-z]*+[0-9]){_WORD}{{40,}}+"),
    Token("figd_", rf"figd_{_TAIL}{{20,}}+"),
    Token("rdme_", rf"rdme_[a-z0-9]{{70}}|rdme_{_WORD}{{60,}}+"),
    Token("tfp_", r"tfp_[A-Za-z0-9_.=-]{40,}+"),
    Token("fio-u-", r"fio-u-[A-Za-z0-9_=-]{60,}+"),
    Token("phx_", rf"phx_{_WORD}{{40,}}+"),
    Token("sk.", rf"sk\.{_TAIL}{{40,}}+\.{_TAIL}{{20,}}+"),
    Token("sl.", rf"sl\.{_TAIL}{{100,}}+"),
    _strict("aaaaaaaaaaaaaaaaaaaaa", r"A{20,24}(?!A)[A-Za-z0-9%]{24,}+"),
    Token("secret-token:", r"secret-token:[A-Za-z0-9._~%!$&'()*+,;=:@-]{8,}+"),
)
