/// Reads the few structures of ASN.1 in DER (X.690 §10) that private keys are written in.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element's tag; `nil` at the end.
    var nextTag: UInt8? { rest.first }

    /// The contents of the next element, which must have this tag; `nil` for anything else, or a length that DER would
    /// write otherwise.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.first == tag else { return nil }
        var bytes = rest.dropFirst()
        guard let first = bytes.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let octets = Int(first & 0x7F)
            guard (1...3).contains(octets), bytes.count >= octets, bytes.first != 0 else { return nil }
            count = bytes.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(octets)
            guard count >= 0x80 else { return nil }
        }
        guard bytes.count >= count else { return nil }
        rest = bytes.dropFirst(count)
        return bytes.prefix(count)
    }

    /// The next element, a sequence, as a reader of its own.
    mutating func readSequence() -> DERReader? {
        read(Self.sequence).map { DERReader($0) }
    }

    /// The next element, an integer that is not negative and fits 31 bits.
    mutating func readNumber() -> Int? {
        guard let bytes = read(Self.integer), (1...4).contains(bytes.count), bytes.first ?? 0x80 < 0x80 else {
            return nil
        }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
