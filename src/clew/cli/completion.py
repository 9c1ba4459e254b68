"""`clew completion`: tab completion for bash, zsh and fish, generated from the declarations.

A positional offers the words that its description has in backquotes (`` `add`, `start` or `list` ``).
What only the store knows (checkpoints and their headlines, paths in them, sessions, forks, settings) is
asked of `clew offer` when the key is pressed. Its answer is data: no script evaluates it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from clew.cli.commands import GROUPS, module_name
from clew.cli.declare import COMMON, TOP, Command, Option, Positional
from clew.cli.exits import ExitCode
from clew.errors import BadOption
from clew.model.offer import OfferKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.cli.context import CommandContext
    from clew.cli.parse import Arguments

COMMAND = Command(
    "completion",
    "Print a script that completes clew commands in a shell",
    """\
bash: put `eval "$(clew completion bash)"` into ~/.bashrc.
zsh: write the output to a file named `_clew` in a directory of $fpath, or `eval` it after compinit.
fish: write the output to ~/.config/fish/completions/clew.fish.""",
    (Positional("SHELL", "`bash`, `zsh` or `fish`"),),
)

_FILE = "file"
_DIRECTORY = "directory"
_PROGRAM = "program"
_KINDS = {"DIR": _DIRECTORY, "PATH": _FILE, "FILE": _FILE, "OUT": _FILE, "SUBJECT": _FILE}
_KINDS |= {"CMD": _PROGRAM, "COMMAND": _PROGRAM}
_OFFERED = dict.fromkeys(("REF", "GOOD", "BAD", "A", "B", "MOMENT"), OfferKind.CHECKPOINT)
_OFFERED |= {"FORK": OfferKind.FORK, "KEY": OfferKind.SETTING}
_IN_CHECKPOINT = ("cat", "ls")
"""Commands whose path is one of the checkpoint before it."""


def run(args: Arguments, context: CommandContext) -> int:
    shell = args.one("SHELL")
    if shell not in SCRIPTS:
        raise BadOption("SHELL", f"must be one of {', '.join(SCRIPTS)}: {shell!r}")
    script = list(SCRIPTS[shell]())
    context.emit(
        lambda: {"shell": shell, "script": "".join(line + "\n" for line in script)},
        lambda: script,
    )
    return ExitCode.DONE


def declared() -> list[Command]:
    """Return the declaration of every command, in the order of `clew --help`."""
    verbs = [verb for _, commands in GROUPS for verb, _ in commands]
    return [import_module(module_name(verb) or "").COMMAND for verb in verbs]


def words_of(positional: Positional) -> list[str]:
    """Return the words that may be given for a positional, as far as they are known."""
    if positional.noun == "AGENT":
        from clew.agents.setup.catalogue import AGENTS

        return list(AGENTS)
    quoted = positional.description.split("`")[1::2]
    return [word for word in quoted if word.islower() and " " not in word]


def offered(command: Command, positional: Positional) -> str:
    """Return what `clew offer` knows about a positional, one of `OfferKind`, or nothing."""
    if positional.noun == "PATH" and command.name in _IN_CHECKPOINT:
        return OfferKind.PATH
    if positional.noun == "ID" and command.name == "session":
        return OfferKind.SESSION
    return _OFFERED.get(positional.noun, "")


def offered_as_value(option: Option) -> str:
    """Return the same about the value of an option."""
    return OfferKind.SESSION if option.key == "--session" else _OFFERED.get(option.value, "")


def _names(command: Command) -> list[str]:
    return [command.name, *command.aliases]


# bash

_BASH = """\
_clew() {
    local cur=${COMP_WORDS[COMP_CWORD]} verb= word kind= pending= option= dashes= options ref= i at=0
    local -a where=()
    [[ $cur == = ]] && cur=
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == = ]]; then
            continue
        elif [[ -n $pending ]]; then
            [[ $pending == directory && $option =~ ^(-C|--store)$ ]] && where+=("$option" "$word")
            pending=
        elif [[ -n $dashes ]]; then
            ((at++))
        elif [[ $word == -- ]]; then
            dashes=1 at=0
        elif [[ $word == -* ]]; then
            _clew_option "$verb" "$word" && pending=$kind option=$word
        elif [[ -z $verb ]]; then
            verb=$word
        else
            ((at++ == 0)) && ref=$word
        fi
    done
    kind=$pending
    if [[ -z $kind && -z $dashes && $cur == -* ]]; then
        _clew_options "$verb"
        kind="=$options"
    elif [[ -z $kind ]]; then
        _clew_argument "$verb" "$dashes$at"
    fi
    COMPREPLY=()
    case $kind in
    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    program) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    @*) _clew_offer "${kind#@}" ;;
    =*) mapfile -t COMPREPLY < <(compgen -W "${kind#=}" -- "$cur") ;;
    esac
}

# Offer what the store knows; a list that is only looked at shows meanings too.
_clew_offer() { # KIND
    local line width=$((${COLUMNS:-80} - 2))
    local -a found=()
    mapfile -t found < <(command clew "${where[@]}" offer bash "$1" -- "$cur" "$ref" 2>/dev/null </dev/null)
    compopt -o nosort 2>/dev/null
    if [[ ${#found[@]} -gt 1 && $COMP_TYPE == 63 && $1 != path ]]; then
        for line in "${found[@]}"; do
            printf -v line '%-10s  %s' "${line%%$'\\t'*}" "${line#*$'\\t'}"
            COMPREPLY+=("${line:0:width}")
        done
        return
    fi
    for line in "${found[@]}"; do
        COMPREPLY+=("${line%%$'\\t'*}")
    done
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
}
complete -F _clew clew
"""


def bash() -> Iterator[str]:
    """Yield the script for bash."""
    commands = declared()
    yield "# bash completion for clew, generated by `clew completion bash`"
    yield ""
    yield "# Set `kind` to what the value of an option is; fail if it takes none."
    yield "_clew_option() { # COMMAND OPTION"
    yield "    case $1:$2 in"
    for option in TOP:
        yield from _bash_option("*", option)
    for command in commands:
        for option in command.options:
            for name in _names(command):
                yield from _bash_option(name, option)
    yield "    *) return 1 ;;"
    yield "    esac"
    yield "}"
    yield ""
    yield "# Set `options` to those of a command."
    yield "_clew_options() { # COMMAND"
    yield "    case $1 in"
    yield f"    '') options='{_flags(TOP)}' ;;"
    for command in commands:
        flags = _flags((*command.options, *COMMON))
        yield f"    {' | '.join(_names(command))}) options='{flags}' ;;"
    yield "    esac"
    yield "}"
    yield ""
    yield "# Set `kind` to what an argument is; AT counts from 0, and is 1N after `--`."
    yield "_clew_argument() { # COMMAND AT"
    yield "    case $1:$2 in"
    yield f"    :* | help:0) kind='={' '.join([*_verbs(commands), 'help'])}' ;;"
    for command in commands:
        yield from _bash_arguments(command)
    yield "    esac"
    yield "}"
    yield ""
    yield from _BASH.splitlines()


def _bash_option(name: str, option: Option) -> Iterator[str]:
    if option.value and not option.optional:
        pattern = " | ".join(f"{name}:{flag}" for flag in option.flags)
        kind = _KINDS.get(option.value, "text")
        if found := offered_as_value(option):
            kind = f"@{found}"
        yield f"    {pattern}) kind={kind} ;;"


def _bash_arguments(command: Command) -> Iterator[str]:
    dashes = 0
    for at, positional in enumerate(command.positionals):
        words = words_of(positional)
        kind = f"'={' '.join(words)}'" if words else _KINDS.get(positional.noun, "text")
        if found := offered(command, positional):
            kind = f"@{found}"
        before = f"1{dashes}" if positional.after_dashes else f"{at}"
        dashes += positional.after_dashes
        if kind == _PROGRAM:
            yield f"    {_bash_pattern(command, before)}) kind={kind} ;;"
            kind, before = _FILE, before[:-1] + "*"
        elif positional.many:
            before = "1*" if positional.after_dashes else "*"
        yield f"    {_bash_pattern(command, before)}) kind={kind} ;;"


def _bash_pattern(command: Command, at: str) -> str:
    return " | ".join(f"{name}:{at}" for name in _names(command))


def _flags(options: Sequence[Option]) -> str:
    return " ".join(flag for option in options for flag in option.flags)


def _verbs(commands: Sequence[Command]) -> list[str]:
    return [name for command in commands for name in _names(command)]


# zsh

_ZSH = """\
# Offer what the store knows, with its meaning.
_clew_offer() { # KIND
    local -a where=("${clew_where[@]}") refs=() found=() ends shown
    local line word pending= end i width=8
    for ((i = 2; i < CURRENT; i++)); do
        word="${(Q)words[i]}"
        if [[ -n $pending ]]; then
            where+=("$pending" "$word")
            pending=
        elif [[ $word == (-C|--store) ]]; then
            pending=$word
        elif [[ $word != -* ]]; then
            refs+=("$word")
        fi
    done
    found=("${(@f)$(command clew "${where[@]}" offer zsh "$1" -- "${(Q)PREFIX}" "${refs[1]}" 2>/dev/null </dev/null)}")
    for line in "${found[@]}"; do
        word="${line%%$'\\t'*}"
        (($#word > width)) && width=$#word
    done
    for line in "${found[@]}"; do
        word="${line%%$'\\t'*}"
        [[ -z $word ]] && continue
        shown=("${(r:width:)word}  ${line#*$'\\t'}")
        shown=("${shown[1][1,COLUMNS-1]}")
        ends=()
        [[ $1 == path && $word == */ ]] && ends=(-S '')
        compadd -V clew -l -d shown "${ends[@]}" -- "$word"
    done
    return 0
}
"""

_ZSH_ACTIONS = {_FILE: "_files", _DIRECTORY: "_files -/", _PROGRAM: "_command_names -e"}


def zsh() -> Iterator[str]:
    """Yield the script for zsh."""
    commands = declared()
    yield "#compdef clew"
    yield "# zsh completion for clew, generated by `clew completion zsh`"
    yield ""
    yield from _ZSH.splitlines()
    yield ""
    yield "_clew() {"
    yield "    local -a clew_where"
    yield "    local curcontext=$curcontext state line"
    yield "    typeset -A opt_args"
    yield "    local -a commands=("
    for command in commands:
        for name in _names(command):
            yield f"        {_quoted(f'{name}:{command.summary}')}"
    yield f"        {_quoted('help:Show the help of a command')}"
    yield "    )"
    yield "    _arguments -C \\"
    for option in TOP:
        yield from (f"        {spec} \\" for spec in _zsh_option(option))
    yield "        '1:command:->command' '*::argument:->argument'"
    yield "    case $state in"
    yield "    command) _describe -t commands 'clew command' commands ;;"
    yield "    argument)"
    yield '        [[ -n $opt_args[-C] ]] && clew_where+=(-C "${(Q)opt_args[-C]}")'
    yield '        [[ -n $opt_args[--store] ]] && clew_where+=(--store "${(Q)opt_args[--store]}")'
    yield "        case $line[1] in"
    yield "        help) _describe -t commands 'clew command' commands ;;"
    for command in commands:
        specs = [spec for option in (*command.options, *COMMON) for spec in _zsh_option(option)]
        specs += [_zsh_argument(command, at, one) for at, one in enumerate(command.positionals, 1)]
        yield f"        {' | '.join(_names(command))})"
        yield "            _arguments \\"
        yield from (f"                {spec} \\" for spec in specs[:-1])
        yield f"                {specs[-1]} ;;"
    yield "        esac ;;"
    yield "    esac"
    yield "}"
    yield ""
    yield 'if [[ $funcstack[1] == _clew ]]; then _clew "$@"; else compdef _clew clew; fi'


def _zsh_option(option: Option) -> Iterator[str]:
    value = ""
    if option.value:
        colons = "::" if option.optional else ":"
        action = _zsh_action(option.value, [], offered_as_value(option))
        value = f"{colons}{_zsh_text(option.value)}:{action}"
    for flag in option.flags:
        others = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
        prefix = "*" if option.many else others
        yield _quoted(f"{prefix}{flag}[{_zsh_text(option.description)}]{value}")


def _zsh_argument(command: Command, at: int, positional: Positional) -> str:
    place = "*" if positional.many else str(at)
    colons = ":" if positional.required or positional.many else "::"
    if _KINDS.get(positional.noun) == _PROGRAM:
        return _quoted(f"*:{_zsh_text(positional.noun)}:{{_command_names -e; _files}}")
    action = _zsh_action(positional.noun, words_of(positional), offered(command, positional))
    return _quoted(f"{place}{colons}{_zsh_text(positional.noun)}:{action}")


def _zsh_action(noun: str, words: Sequence[str], found: str) -> str:
    if found:
        return f"{{_clew_offer {found}}}"
    return f"({' '.join(words)})" if words else _ZSH_ACTIONS.get(_KINDS.get(noun, ""), " ")


def _zsh_text(text: str) -> str:
    for character in "\\:[]":
        text = text.replace(character, "\\" + character)
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# fish

_FISH = """\
function __clew_command --description 'Test whether the command is one of these; if none, whether it is not given yet'
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case -C --store
                set is_value 1
            case '-*'
            case '*'
                contains -- $word $argv
                return
        end
    end
    test (count $argv) = 0
end

function __clew_words --description 'Print the arguments before the cursor, the command first'
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
        else if contains -- $word @VALUED@
            set is_value 1
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end

function __clew_at --description 'Test whether an argument is the one at AT, or with + one after it'
    set -l at (math (count (__clew_words)) - 1)
    test $at = $argv[1]; or begin
        string match -q -- '*+' $argv[1]; and test $at -ge (string trim -c + -- $argv[1])
    end
end

function __clew_offer --description 'Print what the store knows, with its meaning' # KIND
    set -l words (commandline -opc)
    set -l where
    for at in (seq 2 (math (count $words) - 1))
        if contains -- $words[$at] -C --store
            set -a where $words[$at] $words[(math $at + 1)]
        end
    end
    set -l ref (__clew_words)[2]
    set -l current (commandline -ct | string unescape)
    command clew $where offer fish $argv[1] -- "$current" "$ref" 2>/dev/null </dev/null
end

complete -c clew -f
"""
_FISH_ACTIONS = {
    _FILE: "-r -F",
    _DIRECTORY: "-x -a '(__fish_complete_directories)'",
    _PROGRAM: "-x -a '(__fish_complete_command)'",
}


def fish() -> Iterator[str]:
    """Yield the script for fish."""
    commands = declared()
    yield "# fish completion for clew, generated by `clew completion fish`"
    yield ""
    yield from _FISH.replace("@VALUED@", " ".join(_valued(commands))).splitlines()
    for command in commands:
        for name in _names(command):
            yield f"complete -c clew -n __clew_command -a {name} -d {_fish_quoted(command.summary)}"
    for option in TOP:
        is_common = option in COMMON
        yield _fish_option("" if is_common else " -n __clew_command", option)
    for command in commands:
        yield ""
        where = f" -n '__clew_command {' '.join(_names(command))}'"
        for option in command.options:
            yield _fish_option(where, option)
        yield from _fish_arguments(command)


def _fish_arguments(command: Command) -> Iterator[str]:
    names = " ".join(_names(command))
    is_placed = any(offered(command, one) for one in command.positionals)
    for at, positional in enumerate(command.positionals):
        where = f" -n '__clew_command {names}'"
        if is_placed and not positional.after_dashes:
            place = f"{at}+" if positional.many else f"{at}"
            where = f" -n '__clew_command {names}; and __clew_at {place}'"
        words, kind = words_of(positional), _KINDS.get(positional.noun)
        if found := offered(command, positional):
            yield f"complete -c clew{where} -k -a '(__clew_offer {found})'"
        elif words:
            yield f"complete -c clew{where} -a '{' '.join(words)}' -d {positional.noun}"
        elif kind == _PROGRAM:
            yield f"complete -c clew{where} -a '(__fish_complete_command)'"
        elif kind is not None:
            yield f"complete -c clew{where} -F"


def _valued(commands: Sequence[Command]) -> list[str]:
    """Return the flags that take a value, wherever they are accepted."""
    options = [option for one in commands for option in (*one.options, *COMMON)]
    valued = {flag for one in options if one.value and not one.optional for flag in one.flags}
    return sorted(valued - {flag for one in options if not one.value for flag in one.flags})


def _fish_option(where: str, option: Option) -> str:
    flags = " ".join(
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags
    )
    value = _FISH_ACTIONS.get(_KINDS.get(option.value, ""), "-x") if option.value else ""
    if option.optional:
        value = ""  # the word behind it may be an argument
    if found := offered_as_value(option):
        value = f"-x -k -a '(__clew_offer {found})'"
    described = f" -d {_fish_quoted(option.description)}"
    return f"complete -c clew{where} {flags}{' ' + value if value else ''}{described}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
