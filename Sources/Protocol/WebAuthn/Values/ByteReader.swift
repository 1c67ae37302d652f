/// Reads numbers and fields of fixed length from the front of bytes, as TPMs and authenticators write them: the highest
/// byte first.
struct ByteReader {
    /// The bytes end inside a field.
    struct Truncated: Error {}

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) {
        rest = ArraySlice(bytes)
    }

    mutating func bytes(_ count: Int) throws(Truncated) -> [UInt8] {
        guard count <= rest.count else { throw Truncated() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func uint8() throws(Truncated) -> UInt8 {
        try bytes(1)[0]
    }

    mutating func uint16() throws(Truncated) -> UInt16 {
        try bytes(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    mutating func uint32() throws(Truncated) -> UInt32 {
        try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// A field that begins with its length in two bytes (`TPM2B`).
    mutating func sized() throws(Truncated) -> [UInt8] {
        try bytes(Int(try uint16()))
    }
}
