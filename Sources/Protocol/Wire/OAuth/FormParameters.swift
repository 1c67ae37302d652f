/// The parameters of a request or a form, in `application/x-www-form-urlencoded` (WHATWG URL §5, RFC 6749 app. B).
///
/// Order and repetition are kept: OAuth refuses a parameter that is sent twice (RFC 6749 §3.1), so a reader
/// must not silently pick the first or the last.
public struct FormParameters: Hashable, Sendable {
    /// One `name=value`.
    public struct Parameter: Hashable, Sendable {
        /// The name, decoded.
        public let name: String
        /// The value, decoded.
        public let value: String
    }

    /// Up to so many names are compared with each other faster than hashed.
    private static let fewMax = 16
    /// Longest name of a parameter as it is sent, in bytes.
    public static let nameBytesMax = 256

    /// The parameters, in their order.
    public private(set) var all: [Parameter]
    /// Whether a name or a value that was parsed holds U+0000, which no parameter of OAuth may have (RFC 6749 appendix A) and
    /// no database takes.
    public private(set) var holdsZeroByte = false

    /// Parameters; those whose value is `nil` are left out.
    public init(_ parameters: KeyValuePairs<String, String?> = [:]) {
        all = []
        for (name, value) in parameters { append(name, value) }
    }

    /// Parses a query or a body.
    ///
    /// - Throws: ``FormProblem`` for invalid percent-encoding, invalid UTF-8, a name of more than ``nameBytesMax`` bytes, or
    ///   more than `parametersMax`.
    public init(parsing text: some StringProtocol, parametersMax: Int = 128) throws(FormProblem) {
        all = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            if end > start { try append(bytes[start..<end], parametersMax: parametersMax) }
            start = end + 1
        }
        // Without either, no decoded text has it.
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == 0 }) else { return }
        holdsZeroByte = all.contains { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) }
    }

    private mutating func append(_ pair: ArraySlice<UInt8>, parametersMax: Int) throws(FormProblem) {
        guard all.count < parametersMax else { throw .tooManyParameters }
        let separator = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        // Names are compared with each other, which takes time in the square of a run of combining marks.
        guard separator - pair.startIndex <= Self.nameBytesMax else { throw .encoding }
        let name = try Self.decode(pair[..<separator])
        let value = separator == pair.endIndex ? "" : try Self.decode(pair[(separator + 1)...])
        all.append(Parameter(name: name, value: value))
    }

    /// The value of `name`, `nil` if it is not there. An empty value counts as absent (RFC 6749 §3.1).
    ///
    /// - Throws: ``FormProblem/repeated(_:)`` if it is there more than once.
    public func one(_ name: String) throws(FormProblem) -> String? {
        var found: String?
        for parameter in all where parameter.name == name {
            guard found == nil else { throw .repeated(name) }
            found = parameter.value
        }
        return found?.isEmpty == true ? nil : found
    }

    /// Every value of `name`, for the few parameters that may repeat, such as `resource` (RFC 8707 §2).
    public func values(_ name: String) -> [String] {
        all.compactMap { $0.name == name && !$0.value.isEmpty ? $0.value : nil }
    }

    /// The first name that stands more than once, apart from those that may.
    public func firstRepeated(except allowed: Set<String> = []) -> String? {
        guard all.count > Self.fewMax else {
            return all.indices.first { index in
                all[..<index].contains { $0.name == all[index].name } && !allowed.contains(all[index].name)
            }.map { all[$0].name }
        }
        var seen: Set<String> = []
        return all.first { !allowed.contains($0.name) && !seen.insert($0.name).inserted }?.name
    }

    /// The same form with the parameters of these names alone.
    public func keeping(_ names: Set<String>) -> FormParameters {
        var kept = self
        kept.all.removeAll { !names.contains($0.name) }
        return kept
    }

    /// Adds a parameter; `nil` adds nothing.
    public mutating func append(_ name: String, _ value: String?) {
        if let value { all.append(Parameter(name: name, value: value)) }
    }

    /// Whether there is none.
    public var isEmpty: Bool { all.isEmpty }

    /// `a=1&b=2`, everything escaped but letters, digits and `-._~`.
    public var encoded: String {
        var result: [UInt8] = []
        for parameter in all {
            if !result.isEmpty { result.append(UInt8(ascii: "&")) }
            Self.encode(parameter.name, into: &result)
            result.append(UInt8(ascii: "="))
            Self.encode(parameter.value, into: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// One value, escaped as in ``encoded``.
    public static func percentEncode(_ text: String) -> String {
        var result: [UInt8] = []
        encode(text, into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// One value, unescaped: `+` is a space, `%41` is `A`.
    public static func percentDecode(_ text: some StringProtocol) throws(FormProblem) -> String {
        try decode(Array(text.utf8)[...])
    }

    private static func encode(_ text: String, into result: inout [UInt8]) {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default:
                result.append(UInt8(ascii: "%"))
                result.append(hexadecimal[Int(byte >> 4)])
                result.append(hexadecimal[Int(byte & 0x0F)])
            }
        }
    }

    static func decode(_ bytes: ArraySlice<UInt8>) throws(FormProblem) -> String {
        guard bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
            // Nothing to unescape, as in tokens and names.
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .encoding }
            return text
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            var byte = bytes[index]
            if byte == UInt8(ascii: "+") {
                byte = 0x20
            } else if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
                else { throw .encoding }
                byte = high << 4 | low
                index += 2
            }
            result.append(byte)
            index += 1
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw .encoding }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Why a form could not be read.
public enum FormProblem: Error, Hashable, Sendable {
    /// A stray `%`, bytes that are not UTF-8, or a name that is too long.
    case encoding
    /// There are more parameters than the bound allows.
    case tooManyParameters
    /// The parameter of this name stands more than once.
    case repeated(String)
}
