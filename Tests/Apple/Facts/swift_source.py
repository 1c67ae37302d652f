"""Swift source as the checks see it: without comments and texts, and what is active on which system."""

import re

from facts import version

OS_OF = {"iOS": "iOS", "Catalyst": "iOS", "macOS": "macOS", "tvOS": "tvOS", "watchOS": "watchOS",
         "visionOS": "visionOS"}
# What is nowhere on Apple's systems.
ELSEWHERE = {"Glibc", "Musl", "FoundationNetworking"}


def blanked(text):
    """The text with comments and string literals replaced by blanks, so that lines and columns stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"', re.S)

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return pattern.sub(blank, text)


class Condition:
    """A condition of `#if`, for one system: `os`, `canImport`, `targetEnvironment`, `&&`, `||`, `!`, brackets."""

    token = re.compile(r"\s*(\(|\)|&&|\|\||!|(?:os|canImport|targetEnvironment)\([A-Za-z]+\)|\w+)")

    def __init__(self, platform, can_import):
        self.platform = platform
        self.can_import = can_import

    def holds(self, text):
        tokens, at = [], 0
        while text[at:].strip():
            match = self.token.match(text, at)
            if not match:
                raise ValueError(f"cannot read the condition {text!r}")
            tokens.append(match.group(1))
            at = match.end()
        value = self.either(tokens)
        if tokens:
            raise ValueError(f"cannot read the condition {text!r}")
        return value

    def either(self, tokens):
        value = self.both(tokens)
        while tokens[:1] == ["||"]:
            tokens.pop(0)
            value = self.both(tokens) or value
        return value

    def both(self, tokens):
        value = self.single(tokens)
        while tokens[:1] == ["&&"]:
            tokens.pop(0)
            value = self.single(tokens) and value
        return value

    def single(self, tokens):
        first = tokens.pop(0)
        if first == "!":
            return not self.single(tokens)
        if first == "(":
            value = self.either(tokens)
            tokens.pop(0)
            return value
        match = re.fullmatch(r"(\w+)\((\w+)\)", first)
        if not match:
            return False  # A flag of ours: none is set for apps.
        kind, name = match.groups()
        if kind == "os":
            return name == OS_OF[self.platform]
        if kind == "targetEnvironment":
            return name == "macCatalyst" and self.platform == "Catalyst"
        return name not in ELSEWHERE and self.can_import(name)


def active_lines(text, condition):
    """For each line, whether it is compiled."""
    active, stack = [], []
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("#if "):
            outer = stack[-1][0] if stack else True
            holds = condition.holds(words[4:])
            stack.append([outer and holds, outer, holds])
        elif words.startswith("#elseif "):
            _, outer, taken = stack[-1]
            holds = not taken and condition.holds(words[8:])
            stack[-1] = [outer and holds, outer, taken or holds]
        elif words == "#else":
            _, outer, taken = stack[-1]
            stack[-1] = [outer and not taken, outer, True]
        elif words == "#endif":
            stack.pop()
        active.append((stack[-1][0] if stack else True) and not words.startswith("#"))
    return active


def closing(text, start, opening="{", ending="}"):
    """Where the bracket that opens at `start` is closed."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] == opening:
            depth += 1
        elif text[at] == ending:
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def enclosing_end(text, start):
    """Where the block around `start` ends."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            if depth == 0:
                return at
            depth -= 1
    return len(text)


def next_block(text, start):
    """Where the next block begins that is not inside brackets; a closure in a condition is."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "([":
            depth += 1
        elif text[at] in ")]":
            depth -= 1
        elif text[at] == "{" and depth == 0:
            return at
    return len(text)


def raised(text):
    """Stretches of the text in which newer systems are certain: (from, to, {system: version})."""
    stretches = []
    for match in re.finditer(r"(#available|@available)\(([^)]*)\)", text):
        systems = {name: version(number)
                   for name, number in re.findall(r"(\w+) (\d+(?:\.\d+)*)", match.group(2))}
        if not systems:
            continue
        if "iOS" in systems:
            systems.setdefault("macCatalyst", systems["iOS"])
        if "macCatalyst" in systems:
            systems["Catalyst"] = systems.pop("macCatalyst")
        before = re.findall(r"\b(?:guard|if|while)\b", text[:match.start()])
        block = next_block(text, match.end())
        if match.group(1) == "#available" and before and before[-1] == "guard":
            end = closing(text, block)
            stretches.append((match.end(), block, systems))
            stretches.append((end, enclosing_end(text, end + 1), systems))
        else:
            stretches.append((match.end(), closing(text, block), systems))
    return stretches
