/// Why a text is not the JSON that was asked for.
public struct JSONProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Hashable, Sendable {
        /// A bound was exceeded, a member came twice, or the bytes are not one JSON text in UTF-8 (RFC 8259).
        case tooLarge, tooLongName, tooDeep, tooManyMembers, duplicateMember, syntax, invalidText, trailingBytes
    }

    /// The first rule that was broken.
    public let rule: Rule
    /// Where, counted in bytes from the start.
    public let offset: Int
}

extension JSONValue {
    /// The bounds within which a text is parsed at all.
    public struct Limits: Sendable {
        /// Longest text, in bytes.
        public var bytesMax: Int
        /// Deepest nesting; the outermost value is at depth 1.
        public var depthMax: Int
        /// Most members or elements in one object or array.
        public var membersMax: Int
        /// Longest name of a member, in bytes. A name is hashed, and a text of combining marks takes time in the square of
        /// its length for that.
        public var nameBytesMax: Int

        /// Bounds; sizes are in bytes, and the outermost value is at depth 1.
        public init(bytesMax: Int = 65_536, depthMax: Int = 16, membersMax: Int = 512, nameBytesMax: Int = 1_024) {
            self.bytesMax = bytesMax
            self.depthMax = depthMax
            self.membersMax = membersMax
            self.nameBytesMax = nameBytesMax
        }

        /// Fit for tokens, keys and requests: 64 KiB, 16 deep, 512 members, names of 1 KiB.
        public static let standard = Limits()
    }

    /// Parses exactly one value (RFC 8259), refusing what other parsers resolve in different ways: a member named
    /// twice, bytes after the value, a byte order mark, unpaired surrogates, invalid UTF-8.
    public init(parsing bytes: some Collection<UInt8>, limits: Limits = .standard) throws(JSONProblem) {
        var parser = JSONParser(bytes: Array(bytes), limits: limits)
        self = try parser.parseDocument()
    }
}

/// A recursive-descent parser over bytes; see ``JSONValue/init(parsing:limits:)``.
struct JSONParser {
    private let bytes: [UInt8]
    private let limits: JSONValue.Limits
    private var position = 0

    init(bytes: [UInt8], limits: JSONValue.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func parseDocument() throws(JSONProblem) -> JSONValue {
        guard bytes.count <= limits.bytesMax else { throw JSONProblem(rule: .tooLarge, offset: bytes.count) }
        skipWhitespace()
        let value = try parseValue(depth: 1)
        skipWhitespace()
        guard position == bytes.count else { throw problem(.trailingBytes) }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONProblem) -> JSONValue {
        guard depth <= limits.depthMax else { throw problem(.tooDeep) }
        switch peek() {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw problem(.syntax)
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONProblem) -> JSONValue {
        position += 1
        var members: [String: JSONValue] = [:]
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipWhitespace()
            guard peek() == UInt8(ascii: "\"") else { throw problem(.syntax) }
            let start = position
            let name = try parseString()
            guard name.utf8.count <= limits.nameBytesMax else { throw JSONProblem(rule: .tooLongName, offset: start) }
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw problem(.syntax) }
            skipWhitespace()
            let value = try parseValue(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else {
                throw JSONProblem(rule: .duplicateMember, offset: start)
            }
            guard members.count <= limits.membersMax else { throw problem(.tooManyMembers) }
            skipWhitespace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw problem(.syntax) }
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONProblem) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            skipWhitespace()
            elements.append(try parseValue(depth: depth + 1))
            guard elements.count <= limits.membersMax else { throw problem(.tooManyMembers) }
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw problem(.syntax) }
        }
    }

    private mutating func parseLiteral(_ text: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
        for byte in text.utf8 {
            guard take(byte) else { throw problem(.syntax) }
        }
        return value
    }

    private mutating func parseString() throws(JSONProblem) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = try decodeText(bytes[start..<position], at: start)
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try parseEscapedString(from: start) }
            guard byte >= 0x20 else { throw problem(.syntax) }
            position += 1
        }
        throw problem(.syntax)
    }

    /// The slow path: a string with at least one escape, which `position` stands on.
    private mutating func parseEscapedString(from start: Int) throws(JSONProblem) -> String {
        var text = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try decodeText(text[...], at: start)
            case UInt8(ascii: "\\"):
                position += 1
                try parseEscape(into: &text)
            case 0..<0x20:
                throw problem(.syntax)
            default:
                text.append(byte)
                position += 1
            }
        }
        throw problem(.syntax)
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws(JSONProblem) {
        let escape = peek()
        position += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: Array(String(try parseUnicodeEscape()).utf8))
        default: throw problem(.syntax)
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONProblem) -> Character {
        let first = try parseHexadecimal()
        var code = UInt32(first)
        if (0xD800...0xDBFF).contains(first) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw problem(.invalidText) }
            let second = try parseHexadecimal()
            guard (0xDC00...0xDFFF).contains(second) else { throw problem(.invalidText) }
            code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw problem(.invalidText) }
        return Character(scalar)
    }

    private mutating func parseHexadecimal() throws(JSONProblem) -> UInt16 {
        guard position + 4 <= bytes.count else { throw problem(.syntax) }
        var value: UInt16 = 0
        for _ in 0..<4 {
            let byte = bytes[position]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw problem(.syntax)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private mutating func parseNumber() throws(JSONProblem) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try skipDigits()
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw problem(.syntax) }
        return .number(value)
    }

    private mutating func skipDigits() throws(JSONProblem) {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek()) { position += 1 }
        guard position > start else { throw problem(.syntax) }
    }

    private mutating func skipWhitespace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private func decodeText(_ utf8: ArraySlice<UInt8>, at offset: Int) throws(JSONProblem) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw JSONProblem(rule: .invalidText, offset: offset)
        }
        return text
    }

    /// The byte at the position, or 0 at the end: NUL is not allowed anywhere in JSON.
    private func peek() -> UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func problem(_ rule: JSONProblem.Rule) -> JSONProblem {
        JSONProblem(rule: rule, offset: position)
    }
}
