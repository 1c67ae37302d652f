"""Holds the adapters against the table: what they name is known, and is there wherever it is compiled."""

import re

from facts import MISSING, PLATFORMS, shown
from stand_ins import number, types
from swift_source import Condition, active_lines, blanked, closing, raised

SYMBOL = re.compile(r"\b(?:AS|LA|TK|Sec|kSec|errSec|CF|NS|UI|WK|CLOCK_)[A-Z_]\w*|\bOSStatus\b")
# Types of ours whose numbers are Apple's: our name, and what the table calls the same.
NUMBERS_OF_OURS = {"KeychainStatus": "errSec{}", "SecurityFailure.TokenError": "TKError.Code.{}",
                   "SecurityFailure.AuthenticationError": "LAError.Code.{}"}
# Statuses whose names of ours are longer or shorter.
NAMES_OF_OURS = {"authenticationFailed": "authFailed"}


def names_of_members(source):
    """Names that a file of ours declares."""
    return set(re.findall(r"\b(?:let|var|func|case) (\w+)", blanked(source)))


class Use:
    """A place where a symbol is named."""

    def __init__(self, facts, line, position, text):
        self.facts, self.line, self.position, self.text = facts, line, position, text


def result_types(text, facts):
    """Variables of a file and their types as far as Apple's: [(position, name, type)], in order."""
    found = []
    name_of_type = r"((?:AS|LA|Sec|UI|NS|WK)[A-Z][\w.]*)"
    for match in re.finditer(rf"\b(\w+):\s*(?:any |some |sending )?{name_of_type}", text):
        found.append((match.start(), match.group(1), match.group(2).rstrip(".")))
    for match in re.finditer(rf"let (\w+)(?: = [\w.]+)? as\??\s*{name_of_type}", text):
        found.append((match.start(), match.group(1), match.group(2)))
    for match in re.finditer(rf"(?:let|var) (\w+) = (?:try |unsafe )*{name_of_type}\s*\(", text):
        end = closing(text, match.end() - 1, "(", ")")
        type_ = match.group(2)
        while chained := re.compile(r"\s*\.(\w+)\(").match(text, end + 1):
            method = facts.member(type_, chained.group(1))
            type_ = method[0].type if method else ""
            end = closing(text, chained.end() - 1, "(", ")")
        if type_:
            found.append((match.start(), match.group(1), type_))
    return sorted(found)


def type_at(variables, name, position):
    """The type of the nearest declaration above; the file's properties stand above their uses."""
    above = [type_ for start, variable, type_ in variables if variable == name and start < position]
    return above[-1] if above else None


def labels_of(text, start):
    """The labels of a call whose bracket opens at `start`."""
    end = closing(text, start, "(", ")")
    flat, depth = "", 0
    for character in text[start + 1:end]:
        depth += character in "([{"
        flat += character if depth == 0 else " "
        depth -= character in ")]}"
    return [match.group(1) or "_" for part in flat.split(",") if part.strip()
            for match in [re.match(r"\s*(?:(\w+)\s*:)?", part)]], text[end + 1:end + 3]


def chosen(members, text, end):
    """Of overloads, the one whose labels the call has; a trailing closure may stand for the last."""
    call = re.compile(r"\(").match(text, end)
    if len(members) < 2 or not call:
        return members
    labels, after = labels_of(text, end)
    for fact in members:
        wanted = [label for label in fact.name.partition("(")[2].rstrip(")").split(":") if label]
        if wanted == labels or (after.strip().startswith("{") and wanted[:-1] == labels):
            return [fact]
    return []


def words_of_swiftui(text, facts):
    """Types of SwiftUI, which have no prefix, in a file that imports it."""
    if not re.search(r"\bimport SwiftUI\b", text):
        return []
    return [Use([facts.get(match.group())], text.count("\n", 0, match.start()) + 1, match.start(), match.group())
            for match in re.finditer(r"\b[A-Z]\w+\b", text)
            if facts.get(match.group()) and not SYMBOL.fullmatch(match.group())]


def member_uses(text, facts, variables, ours):
    """Members behind a dot: of a variable or type that is known, or of the only type that has such a name."""
    uses, problems = [], []
    has_views = re.search(r"\bimport SwiftUI\b", text)
    for match in re.finditer(r"(?:\b([\w.]+?)[?!]?)?\.(\w+)", text):
        receiver, name = match.groups()
        position = match.start(2)
        line = text.count("\n", 0, position) + 1
        type_ = receiver and (receiver if facts.get(receiver) else type_at(variables, receiver, match.start()))
        if type_ and facts.get(type_):
            if facts.nested(type_, name) and facts.nested(type_, name).kind not in ("property", "case"):
                uses.append(Use([facts.nested(type_, name)], line, position, f"{type_}.{name}"))
                continue
            if name in ("rawValue", "self", "init", "map", "union"):
                continue
            members = chosen(facts.member(type_, name), text, match.end())
            if not members:
                problems.append((line, position, f"{type_}.{name} is not in the table, or not with these labels"))
            else:
                uses.append(Use(members, line, position, f"{type_}.{name}"))
        elif name in facts.members and name not in ours and not type_ and (
                has_views or re.search("[A-Z]", name)):
            # Not known whose: wrong only where it is wrong for every type that has it.
            uses.append(Use(facts.members[name], line, position, name))
    return uses, problems


def type_of(expression, position, facts, variables):
    """The type of a variable, or of a property of one, as far as it is Apple's."""
    name, _, property_ = expression.partition(".")
    type_ = type_at(variables, name, position)
    if property_:
        members = facts.member(type_, property_) if type_ else []
        type_ = members[0].type if members else None
    return type_ if type_ and facts.get(type_) else None


def case_uses(text, facts, variables):
    """Cases without their type: in a `switch` over a value that is known, and beside `==` or `=`."""
    found = []  # (position, type, name)
    for match in re.finditer(r"\bswitch ([\w.]+) \{", text):
        type_ = type_of(match.group(1), match.start(), facts, variables)
        if not type_:
            continue
        end, depth = closing(text, match.end() - 1), 0
        for piece in re.finditer(r"[{}]|\bcase ((?:\.\w+[,\s]*)+):", text[match.end():end]):
            depth += (piece.group() == "{") - (piece.group() == "}")
            if piece.group(1) and depth == 0:
                found += [(match.end() + piece.start(1) + case.start(1), type_, case.group(1))
                          for case in re.finditer(r"\.(\w+)", piece.group(1))]
    for match in re.finditer(r"\b(\w+\.\w+) (?:==|!=|=) \.(\w+)", text):
        type_ = type_of(match.group(1), match.start(), facts, variables)
        if type_:
            found.append((match.start(2), type_, match.group(2)))
    uses, problems = [], []
    for position, type_, name in found:
        line, fact = text.count("\n", 0, position) + 1, facts.nested(type_, name)
        if fact:
            uses.append(Use([fact], line, position, fact.symbol))
        else:
            problems.append((line, position, f"{type_}.{name} is not in the table"))
    return uses, problems


def call_uses(text, facts):
    """Initialisers of Apple's types, by their labels."""
    uses, problems = [], []
    for match in re.finditer(r"\b((?:AS|LA)[A-Z][\w.]*)\(", text):
        members = facts.member(match.group(1), "init")
        if not members:
            continue
        line = text.count("\n", 0, match.start()) + 1
        found = chosen(members, text, match.end() - 1)
        labels, _ = labels_of(text, match.end() - 1)
        if len(members) == 1:
            wanted = [label for label in members[0].name.partition("(")[2].rstrip(")").split(":") if label]
            found = members if wanted == labels else []
        if found:
            uses.append(Use(found, line, match.start(), found[0].symbol))
        else:
            problems.append((line, match.start(), f"{match.group(1)}({':'.join(labels)}) is not in the table"))
    return uses, problems


def uses_in(text, facts, ours):
    """Every use of Apple's symbols, and what is in no table. `ours` are names of members that are not Apple's."""
    uses, problems = [], []
    for match in SYMBOL.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        fact = facts.get(match.group())
        if fact:
            uses.append(Use([fact], line, match.start(), match.group()))
        else:
            problems.append((line, match.start(), f"{match.group()} is not in the table"))
    uses += words_of_swiftui(text, facts)
    variables = result_types(text, facts)
    for found, wrong in (member_uses(text, facts, variables, ours), case_uses(text, facts, variables),
                         call_uses(text, facts)):
        uses += found
        problems += wrong
    return uses, problems


def importable(facts, platform, unknown):
    """Whether a module is there; `unknown` is the answer where that is not settled."""
    def answer(module):
        fact = facts.get(module)
        if fact is None or fact.kind != "module":
            raise ValueError(f"the module {module} is not in the table")
        since = fact.since[platform]
        return unknown if since is None else since is not MISSING
    return answer


def worlds(facts):
    """Each system, with modules that may be there taken for there and for missing."""
    return [(platform, unknown, Condition(platform, importable(facts, platform, unknown)))
            for platform in PLATFORMS for unknown in (True, False)]


def lint(source, facts, targets, where, ours=frozenset()):
    """What a file names that is not there; and how many uses are on systems where that is not settled."""
    text = blanked(source)
    uses, unknown_symbols = uses_in(text, facts, ours)
    stretches = raised(text)
    problems, unsettled = [], set()
    for platform, _, condition in worlds(facts):
        active = active_lines(text, condition)
        for line, position, problem in unknown_symbols:
            if active[line - 1]:
                problems.append(f"{where}:{line}: {problem}")
        for use in uses:
            if not active[use.line - 1]:
                continue
            have = max([targets[platform]] + [
                systems[platform] for start, end, systems in stretches
                if start <= use.position < end and platform in systems])
            verdicts = [verdict(fact, platform, have) for fact in use.facts]
            if all(verdicts):
                problems.append(f"{where}:{use.line}: {platform}: {use.text} {verdicts[0]}")
            elif any(platform in fact.unsettled for fact in use.facts):
                unsettled.add((use.text, platform))
    return sorted(set(problems)), unsettled


def verdict(fact, platform, have):
    """What is wrong with using a symbol there; empty if nothing is known to be."""
    since = fact.since[platform]
    if since is MISSING:
        return "is not there"
    if since is not None and since > have:
        return f"is there from {shown(since)} on, and this runs on {shown(have)}"
    return ""


def check_numbers(source, facts, where):
    """Numbers of Apple's that the adapters write down under names of ours."""
    problems = []
    for declaration in types(source):
        form = NUMBERS_OF_OURS.get(declaration.name)
        if form is None:
            continue
        for name, value in declaration.numbers.items():
            name_there = NAMES_OF_OURS.get(name, name) if form.startswith("errSec") else name
            if form.startswith("errSec"):
                name_there = name_there[0].upper() + name_there[1:]
            fact = facts.get(form.format(name_there))
            if fact is None:
                problems.append(f"{where}:{declaration.line}: {form.format(name_there)} is not in the table")
            elif int(fact.value) != value:
                problems.append(f"{where}:{declaration.line}: {fact.symbol} is {fact.value}, not {value}")
    return problems


def vanished(sources, facts):
    """Types of ours that one file names where the file that declares them is compiled out."""
    texts = {where: blanked(source) for where, source in sources.items()}
    declared = {}
    for where, text in texts.items():
        for match in re.finditer(r"^ *(?:public )?(?:final )?(?:struct|class|actor|enum|protocol) (\w+)", text, re.M):
            declared.setdefault(match.group(1), []).append((where, text.count("\n", 0, match.start())))
    problems = []
    for platform, _, condition in worlds(facts):
        active = {where: active_lines(text, condition) for where, text in texts.items()}
        here = {name for name, places in declared.items() if any(active[where][line] for where, line in places)}
        for where, text in texts.items():
            for line, words in enumerate(text.splitlines(), 1):
                for name in set(re.findall(r"\b[A-Z]\w+", words)) & (declared.keys() - here):
                    if active[where][line - 1]:
                        problems.append(f"{where}:{line}: {platform}: {name} is compiled out there")
    return sorted(set(problems))
