"""Holds the stand-ins of Apple's frameworks against the table: names, numbers, texts, selectors."""

import re

from facts import NUMBERED
from swift_source import blanked, closing

APPLE = re.compile(r"(AS|LA|TK|Sec|CF|NS|UI|WK)[A-Z]\w*$|OSStatus$")
# What the stand-in of SwiftUI declares of Swift's own, and a builder's functions, which no source names.
OF_SWIFT = ("Never", "Optional")
BUILDER = re.compile(r"build[A-Z]\w*\(")
# What the stand-ins add for tests: cases of later systems, and initialisers with this label.
OURS = ("fromTheFuture", "standIn", "StandIn")


class Declaration:
    """A type of the stand-ins, with its members by what they are."""

    def __init__(self, name, kind, raw, line, is_public):
        self.name, self.kind, self.raw, self.line, self.is_public = name, kind, raw, line, is_public
        self.numbers = {}  # case or constant → number, or the name of another case
        self.texts = {}
        self.members = []  # (kind, Swift name with labels, types of the parameters, line)


def number(text):
    """`1 << 30` and `-25_300` as numbers; `None` for anything else."""
    text = text.replace("_", "").strip()
    shift = re.fullmatch(r"(\d+) << (\d+)", text)
    if shift:
        return int(shift.group(1)) << int(shift.group(2))
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def parameters(text):
    """Labels and types of a parameter list."""
    depth, parts, part = 0, [], ""
    for character in text.replace("->", "  "):
        depth += (character in "([<{") - (character in ")]>}")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    parts.append(part)
    found = []
    for part in parts:
        match = re.match(r"\s*(?:@\w+\s+)*(\w+)(?:\s+\w+)?\s*:\s*(.*)", part, re.S)
        if match:
            found.append((match.group(1), match.group(2).strip()))
    return found


def members(body, offset_line, declaration, protocol):
    """Reads the declarations of one type, not of types within it."""
    flat, at = "", 0
    while at < len(body):  # Types within are other types: their bodies are blanked out.
        match = re.compile(r"\b(?:class|struct|enum|extension|protocol)\s+\w[^{;]*?\{").search(body, at)
        if not match:
            flat += body[at:]
            break
        end = closing(body, match.end() - 1)
        flat += body[at:match.start()] + re.sub(r"[^\n]", " ", body[match.start():end + 1])
        at = end + 1
    public = "" if protocol else r"(?:public|open)\s+"
    line_of = lambda position: offset_line + flat.count("\n", 0, position)
    names = r"(?:[a-z@()]+\s+)*"
    for match in re.finditer(rf"{public}{names}(func\s+\w+|init\??)(?:<[^()]*>)?\s*\(", flat):
        end = closing(flat, match.end() - 1, "(", ")")
        pairs = parameters(flat[match.end():end])
        base = match.group(1).split()[-1].rstrip("?")
        labels = "".join(f"{label}:" for label, _ in pairs)
        declaration.members.append(
            ("init" if base == "init" else "method", f"{base}({labels})", [type_ for _, type_ in pairs],
             line_of(match.start())))
    for match in re.finditer(rf"{public}{names}(?:let|var)\s+(\w+)\s*:", flat):
        declaration.members.append(("property", match.group(1), [], line_of(match.start())))
    return flat


def read_type(text, source, match, outer):
    """A declaration and what stands in it. `source` has the texts that `text` lacks."""
    name = f"{outer}.{match.group(2)}" if outer else match.group(2)
    start = match.end() - 1
    end = closing(text, start)
    raw = re.search(r":\s*(Int|UInt|String)\b", match.group(3) or "")
    declaration = Declaration(name, match.group(1), raw and raw.group(1), text.count("\n", 0, match.start()) + 1,
                              re.search(r"\b(?:public|open)\b", match.group()) is not None)
    body = text[start + 1:end]
    flat = members(body, text.count("\n", 0, start) + 1, declaration, match.group(1) == "protocol")
    value = 0
    for found in re.finditer(r"^\s*case ([^\n:]+)$", flat, re.M):
        for part in found.group(1).split(","):
            case, _, given = part.partition("=")
            value = number(given) if given.strip() else value
            declaration.numbers[case.strip()] = value
            value = value + 1 if value is not None else None
    for found in re.finditer(r"static let (\w+) = Self\(rawValue: ([^)\n]+)\)", flat):
        declaration.numbers[found.group(1)] = number(found.group(2))
    for found in re.finditer(r"static var (\w+): \w+ \{ \.(\w+) \}", flat):
        declaration.numbers[found.group(1)] = found.group(2)
    domain = re.search(r'static (?:let|var) errorDomain[^"\n]*"([^"]*)"', source[start:end])
    if domain:
        declaration.texts["errorDomain"] = domain.group(1)
    return declaration, end


TYPE = re.compile(
    r"^[ \t]*(?:@MainActor )?(?:public|open)?[ \t]*(?:final )?(class|struct|enum|protocol|extension) (\w+)"
    r"([^{\n]*(?:\n[^{\n]*)?)\{", re.M)


def types(source, outer="", text=None, offset=0):
    """Every type of a file, with those within it."""
    text = blanked(source) if text is None else text
    found, at = [], 0
    while match := TYPE.search(text, at):
        declaration, end = read_type(text, source, match, outer)
        declaration.line += offset
        found.append(declaration)
        start = match.end()
        inner_offset = offset + text.count("\n", 0, start)
        found += types(source[start:end], declaration.name, text[start:end], inner_offset)
        at = end
    return found


def is_selector(selector, swift, argument_types):
    """Whether Swift imports `selector` under the name `swift` by its rules."""
    base, _, labels = swift.partition("(")
    labels = [label for label in labels.rstrip(")").split(":") if label]
    if not labels:
        return selector == base
    first, rest = labels[0], labels[1:]
    tail = "".join(f"{label}:" for label in rest)
    if first == "_":
        heads = [base]
    else:
        # Words after With become the first label; of a label that is a preposition the type's own words are left out.
        words = re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", argument_types[0].rstrip("?"))
        suffixes = [""] + ["".join(words[index:]) for index in range(len(words))]
        heads = [base + "With" + first] + [base + first + suffix for suffix in suffixes]
    return any(selector.lower() == f"{head}:{tail}".lower() for head in heads)


def check_members(declaration, facts, where):
    problems = []
    for kind, name, argument_types, line in declaration.members:
        if BUILDER.match(name):
            continue
        if any(word in name for word in OURS) or name == "rawValue" or name == "init(rawValue:)":
            continue
        if declaration.name in facts_of_errors(facts) and kind == "init":
            continue
        owners = facts.supertypes(declaration.name) if kind != "init" else [declaration.name]
        fact = next(filter(None, (facts.get(f"{owner}.{name}") for owner in owners)), None)
        if fact is None and name in ("errorCode", "errorUserInfo"):
            continue
        if fact is None:
            # A type may be built by tests although the real one cannot be.
            if kind == "property" or kind == "method" or not declaration.name.endswith("Anchor"):
                problems.append(f"{where}:{line}: {declaration.name}.{name} is not in the table")
            continue
        if fact.kind in ("init", "method") and fact.value and not is_selector(fact.value, name, argument_types):
            problems.append(f"{where}:{line}: {declaration.name}.{name} is not what {fact.value} is imported as")
        if fact.kind == "property" and fact.value and fact.value != name:
            problems.append(f"{where}:{line}: {declaration.name}.{name} is called {fact.value}")
    return problems


def facts_of_errors(facts):
    return {fact.symbol for fact in facts.by_symbol.values() if fact.kind == "error"}


def check_values(declaration, facts, where):
    problems = []
    for name, value in declaration.numbers.items():
        if name in OURS:
            continue
        if isinstance(value, str):
            value = declaration.numbers.get(value)
        fact = facts.get(f"{declaration.name}.{name}")
        if fact is None:
            problems.append(f"{where}:{declaration.line}: {declaration.name}.{name} is not in the table")
        elif fact.kind in NUMBERED and value is not None and value != int(fact.value):
            problems.append(f"{where}:{declaration.line}: {fact.symbol} is {fact.value}, not {value}")
        elif fact.kind == "alias-of-case" and not isinstance(declaration.numbers[name], str):
            problems.append(f"{where}:{declaration.line}: {fact.symbol} is another name of a case, not a case")
    fact = facts.get(declaration.name)
    if fact and fact.kind == "error" and fact.value:
        domain = declaration.texts.get("errorDomain")
        if domain is not None and domain != fact.value:
            problems.append(f"{where}:{declaration.line}: the domain of {fact.symbol} is {fact.value}, not {domain}")
    return problems


def check_globals(source, facts, where):
    problems = []
    for match in re.finditer(r'^public let (\w+): \w+ = "([^"]*)"', source, re.M):
        line, (name, value) = source.count("\n", 0, match.start()) + 1, match.groups()
        fact = facts.get(name)
        if fact is None:
            problems.append(f"{where}:{line}: {name} is not in the table")
        elif fact.value != value:
            problems.append(f"{where}:{line}: {name} is {fact.value!r}, not {value!r}")
    for match in re.finditer(r"^public (?:func|typealias) (\w+)", source, re.M):
        if facts.get(match.group(1)) is None:
            line = source.count("\n", 0, match.start()) + 1
            problems.append(f"{where}:{line}: {match.group(1)} is not in the table")
    return problems


def check_statuses(source, facts, where):
    """Numbers of five digits below zero are statuses, and the table knows each."""
    known = {int(fact.value) for fact in facts.by_symbol.values() if fact.kind == "status"}
    return [
        f"{where}:{source.count(chr(10), 0, match.start()) + 1}: {match.group()} is no status of the table"
        for match in re.finditer(r"-\d{2}_\d{3}\b", blanked(source)) if number(match.group()) not in known
    ]


def is_apples(declaration, where):
    """Whether a type stands for one of Apple's. SwiftUI's have no prefix: there, all that others see."""
    name = declaration.name.split(".")[0]
    if APPLE.match(name):
        return True
    if "/SwiftUI/" not in where or name in OF_SWIFT or "StandIn" in declaration.name:
        return False
    return declaration.is_public or declaration.kind == "extension"


def check(source, facts, where):
    """What is wrong with one file of the stand-ins."""
    problems = check_globals(source, facts, where) + check_statuses(source, facts, where)
    for declaration in types(source):
        if not is_apples(declaration, where):
            continue
        if facts.get(declaration.name) is None and declaration.kind != "extension":
            problems.append(f"{where}:{declaration.line}: {declaration.name} is not in the table")
            continue
        problems += check_members(declaration, facts, where) + check_values(declaration, facts, where)
    return problems
