"""Plain words: words without names or counts that a writer may use in addition to the facts."""

from __future__ import annotations

PLAIN_WORDS = frozenset(
    """
    a about above across added adding adds adjusted after again against all along already also
    although an and another any anything appear appeared appears are around as aside at away back
    be became because become been before began behind being below beside besides between both
    brought built but by came can cannot changed changes changing checked cleaned closed column
    columns come command comment commit commits committed config configuration configured
    connection containing contains content contents could count created creating current data
    database databases deleted dependencies dependency despite different directories directory
    disabled dropped during each edit edited edits either else enabled entries entry environment
    even ever every everything except executable existing extra few file files first following for
    format fresh from generated given gone got grew group groups grown had half has have headline
    here high hook hooks however if in including index indexes inside install installed installing
    instead intent into is it its itself job just keeps kept key keys last later left less like
    line lines listening little local lock log logs longer made mainly make makes making many
    masked memory migrated migration modified more most moved much must name named near nearly new
    newer next no none nor not note nothing now of off old older on once only open opened or order
    other others otherwise out outside over own package packages part parts password path paths
    per permission permissions port ports previous process processes program programs project
    quietly ran rather read really rebased refactored related removed removing rename renamed
    replaced repository reset result rewritten rights root rotated row rows run running runs same
    saved schema script secret secrets security see seems server service services set setting
    settings setup several shell should since so some something soon source sources stale started
    stash state still stopped such suggests switched system table tables than that the their them
    then there these they thing things this those though through thus to together too tool
    toolchain tools touched tree under unit until up updated upgrade upgraded use used user users
    uses using value values variable variables version versions via warning warnings was watch we
    were what when where whether which while who whole whose will with within without work
    workspace would writes wrote yet you your
    """.split()  # noqa: SIM905 - a page of words reads better than a column of quotes
)

NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000, "million": 1_000_000,
}  # fmt: skip
