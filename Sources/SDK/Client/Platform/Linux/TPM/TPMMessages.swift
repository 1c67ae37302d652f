#if os(Linux)
    /// A command to a TPM, big end first (TPM 2.0 Part 1, 18).
    struct TPMCommand {
        /// What commands are called (Part 2, 6.5.2).
        enum CommandCode: UInt32 {
            case createPrimary = 0x0000_0131
            case create = 0x0000_0153
            case load = 0x0000_0157
            case sign = 0x0000_015D
            case unseal = 0x0000_015E
            case flushContext = 0x0000_0165
        }

        private let code: CommandCode
        private let handle: UInt32?
        private(set) var parameters: [UInt8] = []

        /// - Parameter handle: What is used, with an empty password; `nil`: nothing.
        init(_ code: CommandCode, using handle: UInt32? = nil) {
            self.code = code
            self.handle = handle
        }

        mutating func write(_ number: UInt16) { parameters += Self.bytes(number) }
        mutating func write(_ number: UInt32) { parameters += Self.bytes(number) }
        /// As it is.
        mutating func write(raw bytes: [UInt8]) { parameters += bytes }

        /// With its length in front (`TPM2B_…`).
        mutating func write(sized bytes: [UInt8]) {
            write(UInt16(bytes.count))
            parameters += bytes
        }

        /// The command as bytes.
        var encoded: [UInt8] {
            var body: [UInt8] = []
            if let handle { body = Self.bytes(handle) + Self.bytes(UInt32(Self.password.count)) + Self.password }
            body += parameters
            let tag: UInt16 = handle == nil ? 0x8001 : 0x8002
            return Self.bytes(tag) + Self.bytes(UInt32(10 + body.count)) + Self.bytes(code.rawValue) + body
        }

        static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        static func bytes(_ number: UInt32) -> [UInt8] {
            stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        /// The authorization by a password that is empty (TPM_RS_PW): no nonce, no attributes, no password.
        private static let password: [UInt8] = bytes(UInt32(0x4000_0009)) + [0, 0, 0, 0, 0]
    }

    /// Reads a TPM's answer; nothing in it is believed to be as long as it says.
    struct TPMReader {
        private var rest: ArraySlice<UInt8>

        /// Tag, length and response code.
        static let headBytes = 10

        /// The length of the whole answer that begins with these bytes.
        static func length(_ head: [UInt8]) throws(TPMProblem) -> Int {
            var reader = TPMReader(rest: head.dropFirst(2))
            let length = Int(try reader.uint32())
            guard (headBytes...Limits.tpmAnswerMaxBytes).contains(length) else { throw .malformed }
            return length
        }

        private init(rest: ArraySlice<UInt8>) {
            self.rest = rest
        }

        /// What follows the response code.
        ///
        /// - Throws: ``TPMProblem/refused(_:)``; ``TPMProblem/foreign``.
        init(_ answer: [UInt8]) throws(TPMProblem) {
            rest = answer.dropFirst(6)
            let code = try uint32()
            guard code != 0 else { return }
            // Of the first format (bit 7), the integrity check: wrapped by another TPM, or by this one's former self.
            throw code & 0x80 != 0 && code & 0x3F == 0x1F ? .foreign : .refused(code)
        }

        mutating func uint16() throws(TPMProblem) -> UInt16 {
            try take(2).reduce(0) { $0 << 8 | UInt16($1) }
        }

        mutating func uint32() throws(TPMProblem) -> UInt32 {
            try take(4).reduce(0) { $0 << 8 | UInt32($1) }
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
    }
#endif
