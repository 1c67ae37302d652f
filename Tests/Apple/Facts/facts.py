"""The table of facts about Apple's symbols, and the systems that it speaks of."""

import pathlib
import re
from dataclasses import dataclass

FOLDER = pathlib.Path(__file__).resolve().parent
PLATFORMS = ("iOS", "Catalyst", "macOS", "tvOS", "watchOS", "visionOS")
SOURCES = {"header", "page", "bindings"}
KINDS = {
    "module", "class", "struct", "protocol", "alias", "enum", "options", "strings", "numbers", "error", "global", "function",
    "constant", "status", "option", "case", "alias-of-case", "string", "number", "init", "method", "renamed",
    "property",
}
# What has a number that must be equal.
NUMBERED = {"status", "option", "case", "alias-of-case", "number"}
MISSING = object()


def version(text):
    """A version as three numbers, which compare."""
    return (tuple(int(part) for part in text.split(".")) + (0, 0))[:3]


def shown(numbers):
    return ".".join(str(number) for number in numbers).removesuffix(".0")


def from_ios(platform, ios):
    """What a header that names iOS alone means for the systems that take their availability from it."""
    if platform == "Catalyst":
        return max(ios, (13, 1, 0))
    if platform == "watchOS":
        return (max(ios[0] - 7, 2),) + ios[1:]
    if platform == "visionOS":
        if ios <= (17, 0, 0):
            return (1, 0, 0)
        return (1, 1, 0) if ios < (18, 0, 0) else (ios[0] - 16,) + ios[1:]
    return ios


@dataclass
class Fact:
    symbol: str
    kind: str
    value: str
    type: str
    since: dict  # platform → version, MISSING, or None where it is unknown
    unsettled: set  # platforms whose version is believed, not known
    source: str
    line: int

    @property
    def owner(self):
        """The type that a member belongs to; empty for what stands by itself."""
        return self.symbol.split("(")[0].rpartition(".")[0]

    @property
    def name(self):
        """The member with its labels, without its type."""
        return self.symbol[len(self.owner) + 1:] if self.owner else self.symbol

    @property
    def base(self):
        return self.name.split("(")[0]


def parse_since(cells, line):
    since, unsettled = {}, set()
    for platform, cell in zip(PLATFORMS, cells):
        if cell == "-":
            since[platform] = MISSING
        elif cell == "?":
            since[platform] = None
            unsettled.add(platform)
        elif cell == "as-ios":
            since[platform] = "as-ios"
        elif re.fullmatch(r"\d+(\.\d+)*\??", cell):
            since[platform] = version(cell.rstrip("?"))
            if cell.endswith("?"):
                unsettled.add(platform)
        else:
            raise ValueError(f"line {line}: {cell!r} is no availability")
    for platform in PLATFORMS:
        if since[platform] == "as-ios":
            if not isinstance(since["iOS"], tuple):
                raise ValueError(f"line {line}: as-ios without a version for iOS")
            since[platform] = from_ios(platform, since["iOS"])
    return since, unsettled


class Facts:
    """The table, by symbol."""

    def __init__(self, text):
        self.by_symbol = {}
        for number, line in enumerate(text.splitlines(), 1):
            if number == 1 or not line or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) != 5 + len(PLATFORMS):
                raise ValueError(f"line {number}: {len(cells)} columns")
            symbol, kind, value, type_ = cells[:4]
            if kind not in KINDS or cells[-1] not in SOURCES:
                raise ValueError(f"line {number}: kind {kind!r} or source {cells[-1]!r}")
            if symbol in self.by_symbol:
                raise ValueError(f"line {number}: {symbol} again")
            since, unsettled = parse_since(cells[4:-1], number)
            self.by_symbol[symbol] = Fact(symbol, kind, value, type_, since, unsettled, cells[-1], number)
        self.members = {}
        for fact in self.by_symbol.values():
            if fact.owner:
                self.members.setdefault(fact.base, []).append(fact)

    @classmethod
    def read(cls, path=FOLDER / "symbols.tsv"):
        return cls(path.read_text())

    def get(self, symbol):
        return self.by_symbol.get(symbol)

    def supertypes(self, type_):
        """A type and what it inherits from, nearest first."""
        seen, queue = [], [type_]
        while queue:
            name = queue.pop(0)
            if name in seen:
                continue
            seen.append(name)
            fact = self.get(name)
            if fact and fact.kind in ("class", "struct", "protocol"):
                queue += fact.type.split()
        return seen

    def member(self, type_, base):
        """The facts of all members of that base name: overloads of one type."""
        for owner in self.supertypes(type_):
            found = [fact for fact in self.members.get(base, []) if fact.owner == owner]
            if found:
                return found
        return []

    def nested(self, type_, name):
        return self.get(f"{type_}.{name}")


def deployment_targets(package):
    """The oldest systems that the package is built for, from its manifest."""
    found = dict(re.findall(r"\.(macOS|iOS|tvOS|watchOS|visionOS|macCatalyst)\(\.v(\d+)\)", package))
    targets = {platform: version(found[platform]) for platform in PLATFORMS if platform in found}
    targets["Catalyst"] = version(found.get("macCatalyst", found["iOS"]))
    return {platform: targets[platform] for platform in PLATFORMS}
