#if os(Linux)
    /// Reads structures in the form that the TPM's specification gives them, big end first (Part 1, 18); nothing in them
    /// is believed to be as long as it says.
    struct TPMBytes {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) {
            rest = bytes[...]
        }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func uint16() throws(TPMProblem) -> UInt16 {
            try take(2).reduce(0) { $0 << 8 | UInt16($1) }
        }

        /// What has its length in front (`TPM2B_…`).
        mutating func sized() throws(TPMProblem) -> [UInt8] {
            try Array(take(Int(uint16())))
        }

        private mutating func take(_ count: Int) throws(TPMProblem) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .malformed }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        /// With the length in front.
        static func sized(_ bytes: [UInt8]) -> [UInt8] {
            [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
        }

        static func of(_ number: UInt32) -> [UInt8] {
            stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
    }
#endif
