/// Writes JSON straight into bytes: the compact form, members in the order in which they are added.
///
/// Signing an access token is the hottest path of the server, and its payload is known; building it here costs a
/// fraction of a general encoder.
public struct JSONWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// An empty text. `capacity` is the number of bytes to reserve; more are taken when needed.
    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// One object, written by `members`.
    public static func object(capacity: Int = 512, _ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        members(&writer)
        writer.endObject()
        return writer.bytes
    }

    /// Writes a member of the object that is open.
    public mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        write(value)
    }

    /// Writes a member of the object that is open.
    public mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        write(value)
    }

    /// Writes a member of the object that is open.
    public mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        write(value)
    }

    /// Writes nothing at all when the value is `nil`.
    public mutating func member(_ name: StaticString, _ value: String?) {
        if let value { member(name, value) }
    }

    /// Writes nothing at all when the value is `nil`.
    public mutating func member(_ name: StaticString, _ value: Int64?) {
        if let value { member(name, value) }
    }

    /// Writes a member of the object that is open.
    public mutating func member(_ name: StaticString, _ values: [String]) {
        key(name)
        beginArray()
        for value in values { write(value) }
        endArray()
    }

    /// Writes a member of the object that is open.
    public mutating func member(_ name: StaticString, _ value: JSONValue) {
        key(name)
        write(value)
    }

    /// A member whose name is not known when the program is compiled.
    public mutating func member(named name: String, _ value: JSONValue) {
        write(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        write(value)
    }

    /// Opens an object.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Closes the object that was opened last.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Opens an array.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Closes the array that was opened last.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a value of its own, or the next element of the array that is open.
    public mutating func write(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { text in unsafe append(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        // Most texts go in as they are, in one piece.
        guard unsafe text.contains(where: Self.needsEscape) else { return unsafe bytes.append(contentsOf: text) }
        unsafe text.forEach { byte in
            if Self.needsEscape(byte) { escape(byte) } else { bytes.append(byte) }
        }
    }

    /// Writes a value of its own, or the next element of the array that is open.
    public mutating func write(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a value of its own, or the next element of the array that is open.
    public mutating func write(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Any value; the members of objects in alphabetical order, so that equal values are equal bytes.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null:
            separate()
            bytes.append(contentsOf: "null".utf8)
        case .bool(let value): write(value)
        case .integer(let value): write(value)
        case .number(let value):
            precondition(value.isFinite, "JSON has no infinities and no NaN")
            separate()
            bytes.append(contentsOf: value.description.utf8)
        case .string(let value): write(value)
        case .array(let values):
            beginArray()
            for value in values { write(value) }
            endArray()
        case .object(let members):
            beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { member(named: name, value) }
            endObject()
        }
    }

    private mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        default:
            let hexadecimal = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(hexadecimal[Int(byte >> 4)])
            bytes.append(hexadecimal[Int(byte & 0x0F)])
        }
    }
}

extension JSONValue {
    /// The compact text, members in alphabetical order.
    public var serialized: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
