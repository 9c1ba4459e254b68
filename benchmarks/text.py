"""Text that compresses like what packages ship: code, declarations, minified code, JSON, prose.

A package uses few names and repeats them; between them are common words.
Both are drawn with falling weights, as in real text, and lines come from a small set of forms.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from random import Random

VOCABULARY = 6000
NAMES = 260

_CODE = [
    "  const {0} = {1}.{2}({3});",
    "    return {0}({1}, {2});",
    "  }}",
    "}}",
    "  if ({0} === undefined || !{0}.{1}) {{",
    "",
    "  // {4} the {5} when {6} is {7}",
    "  {0}: {1}.{2},",
    "export function {0}({1}, {2}) {{",
    "   * @param {{{0}}} {1} - {4} {5} {6}",
    "    {0}.{1} = {0}.{1} || [];",
    "  for (let i = 0; i < {0}.length; i++) {{",
    "    .then(({0}) => {0}.{1}({2}))",
    "  }} else if (typeof {0} === 'function') {{",
    "exports.{0} = {0};",
    "    case '{4}': return this.{0}({1});",
    "  let {0} = options.{1} != null ? options.{1} : {8};",
    "  var _{0} = _interopRequireDefault(require('./{1}'));",
    "    throw new TypeError('Expected {0} to be a {4}, got ' + typeof {1});",
    "  return Object.assign({{}}, {0}, {{ {1}: {8}, {2}: '{4}' }});",
]
_DECLARATIONS = [
    "  readonly {0}: {1};",
    "  {0}?: string | undefined;",
    "  {0}({1}: {2}, {3}?: number): void;",
    "  /** {4} {5} the {6} of {7} */",
    "}}",
    "export interface {0} extends {1} {{",
    "export declare function {0}<T>({1}: T, {2}?: {3}): Promise<T>;",
    "export type {0} = {1} | {2} | '{4}';",
    "import {{ {0}, {1} }} from './{2}';",
]
_TABLE = [
    '  "{0}": {{ "since": "{8}.{8}", "{1}": {8} }},',
    '  "{0}": "{4} {5} {6}",',
    '  "{0}": ["{1}", "{2}"],',
]
_PROSE = [
    "The {4} {5} of {6} and {7} is {4} by the {5} of a {7}.",
    "* `{0}` {4} {5} {6}",
    "{4} {5} {6} {7}, {5} {6} {4}.",
    "",
    "const {0} = require('{1}');",
    "## {4} {5}",
]
_MINIFIED = [
    "function {9}({10},{11}){{return {10}.{0}({11})}}",
    "{9}={10}?{11}.{0}:{11},",
    "var {9}={10}.{0};",
    "if({9}&&{10}){11}({9});",
]
_HEADER = """/*! {0}: {1} */
"use strict";
Object.defineProperty(exports, "__esModule", {{ value: true }});
const {2} = require("./{2}");
"""
_SHORT = "abcdefghijklmnopqrstuvwxyzABCDEFGH"
_MAPPING = "ACEDGIKSUYOQWagB,;"
_MAPPING_FALL = 1.2


def vocabulary(random: Random) -> list[str]:
    """Return words of two to four syllables, the most frequent first."""
    syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "er", "at")]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(random.choices(syllables, k=random.choice([2, 2, 3, 3, 4])))] = None
    return list(words)


class PackageText:
    """The text of the files of one package."""

    def __init__(self, random: Random, words: list[str]) -> None:
        own = random.sample(words, 60)
        self._random = random
        self._words = words
        self._names = [
            _camel(random.sample(own, random.choice([1, 2, 2, 3]))) for _ in range(NAMES)
        ]
        self._word_falls = _falling(len(words), 1.0)
        words = random.choices(words, cum_weights=self._word_falls, k=12)
        self._header = _HEADER.format(self.name(), " ".join(words), self.name())
        self.kinds: list[tuple[str, float, Callable[[int], bytes]]] = [
            (".js", 55, lambda size: self._lines(_CODE, size)),
            (".d.ts", 20, lambda size: self._lines(_DECLARATIONS, size)),
            (".mjs", 9, lambda size: self._lines(_CODE, size)),
            (".js.map", 5, self._source_map),
            (".min.js", 3, lambda size: self._lines(_MINIFIED, size, "")),
            (".json", 3, lambda size: self._lines(_TABLE, size)),
            (".md", 4, lambda size: self._lines(_PROSE, size)),
            (".png", 0.6, self._noise),
        ]

    def name(self) -> str:
        return self._random.choice(self._names)

    def manifest(self) -> bytes:
        """Return a package.json."""
        wants = "".join(
            f'    "{self.name()}": "^{self._random.randrange(20)}.{self._random.randrange(30)}.0",\n'
            for _ in range(self._random.randrange(1, 20))
        )
        about = " ".join(self._random.choices(self._words, cum_weights=self._word_falls, k=9))
        return (
            f'{{\n  "name": "{self.name()}",\n  "version": "{self._random.randrange(20)}.0.1",\n'
            f'  "description": "{about}",\n  "license": "MIT",\n  "main": "dist/index.js",\n'
            f'  "types": "dist/index.d.ts",\n  "scripts": {{ "test": "jest", "build": "tsc" }},\n'
            f'  "dependencies": {{\n{wants}    "tslib": "^2.6.2"\n  }}\n}}\n'
        ).encode()

    def _lines(self, forms: list[str], size: int, end: str = "\n") -> bytes:
        random, falls = self._random, _falling(len(forms), 0.5)
        known = random.sample(self._names, min(NAMES, 10 + size // 350))  # a file uses only some
        known_falls = _falling(len(known), 1.0)
        lines = [self._header] if forms is _CODE and end == "\n" else []
        length = sum(map(len, lines))
        while length < size:
            count = min(100, (size - length) // 30 + 1)  # drawing many at once is much faster
            names = random.choices(known, cum_weights=known_falls, k=4 * count)
            words = random.choices(self._words, cum_weights=self._word_falls, k=4 * count)
            short = random.choices(_SHORT, k=3 * count)
            for at, form in enumerate(random.choices(forms, cum_weights=falls, k=count)):
                four = slice(4 * at, 4 * at + 4)
                number = random.randrange(100)
                line = form.format(*names[four], *words[four], number, *short[3 * at : 3 * at + 3])
                lines.append(line + end)
                length += len(line) + len(end)
                if length >= size:
                    break
        return "".join(lines).encode()

    def _source_map(self, size: int) -> bytes:
        falls = _falling(len(_MAPPING), _MAPPING_FALL)
        mapped = "".join(self._random.choices(_MAPPING, cum_weights=falls, k=size // 3))
        code = self._lines(_CODE, size - size // 3, "\\n").decode()
        return (
            f'{{"version":3,"sources":["../src/{self.name()}.ts"],'
            f'"sourcesContent":["{code}"],"mappings":"{mapped}"}}'
        ).encode()

    def _noise(self, size: int) -> bytes:
        return b"\x89PNG\r\n\x1a\n" + self._random.randbytes(size)


def twin(random: Random, content: bytes) -> bytes:
    """Return the same module as another build would write it: most lines equal, some not."""
    lines = content.split(b"\n")
    for _ in range(1 + len(lines) // 30):
        lines[random.randrange(len(lines))] = b"export { _%d as default };" % random.randrange(9999)
    return b"\n".join(lines)


def _falling(count: int, steepness: float) -> list[float]:
    return list(accumulate(1 / (rank + 2) ** steepness for rank in range(count)))


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])
