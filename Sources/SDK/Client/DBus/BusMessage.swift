#if os(Linux)
    /// One message on a bus (D-Bus Specification, “Message Protocol”).
    struct BusMessage {
        /// What a message is for. Other numbers belong to later versions of the protocol and are passed over.
        enum Kind: UInt8 {
            case call = 1
            case reply, error, signal
        }

        /// Header fields, by their numbers.
        private enum Field: UInt8, CaseIterable {
            case path = 1
            case interface, member, errorName, replySerial, destination, sender, signature
        }

        var kind: Kind?
        var serial: UInt32 = 0
        var replySerial: UInt32?
        var path: String?
        var interface: String?
        var member: String?
        var errorName: String?
        var destination: String?
        var sender: String?
        var signature = ""
        var body: [UInt8] = []
        private var isBigEndian = false

        init(_ kind: Kind) {
            self.kind = kind
        }

        /// Reads the values of the body, which must have the types expected.
        func reader(_ expected: String) throws(BusProblem) -> BusReader {
            guard signature == expected else { throw .malformed("an answer has unexpected types") }
            return BusReader(body, isBigEndian: isBigEndian)
        }
    }

    extension BusMessage {
        /// The message as bytes.
        func encoded() -> [UInt8] {
            var writer = BusWriter()
            writer.write(UInt8(ascii: "l"))
            writer.write(kind?.rawValue ?? 0)
            writer.write(UInt8(0))
            writer.write(UInt8(1))
            writer.write(UInt32(body.count))
            writer.write(serial)
            writer.array(alignment: 8, Field.allCases.filter(isPresent)) { writer, field in write(field, to: &writer) }
            writer.align(8)
            return writer.bytes + body
        }

        private func isPresent(_ field: Field) -> Bool {
            switch field {
            case .replySerial: replySerial != nil
            case .signature: !signature.isEmpty
            default: text(field) != nil
            }
        }

        private func text(_ field: Field) -> String? {
            switch field {
            case .path: path
            case .interface: interface
            case .member: member
            case .errorName: errorName
            case .destination: destination
            case .sender: sender
            case .replySerial, .signature: nil
            }
        }

        private func write(_ field: Field, to writer: inout BusWriter) {
            writer.beginStructure()
            writer.write(field.rawValue)
            switch field {
            case .replySerial:
                writer.write(signature: "u")
                writer.write(replySerial ?? 0)
            case .signature:
                writer.write(signature: "g")
                writer.write(signature: signature)
            default:
                writer.write(signature: field == .path ? "o" : "s")
                writer.write(text(field) ?? "")
            }
        }
    }

    extension BusMessage {
        /// How many bytes of every message say how long it is.
        static let headBytes = 16
        /// Longest list of header fields, in bytes: names are at most 255 long, and there are nine fields.
        private static let fieldsMaxBytes: UInt32 = 16_384
        /// Most header fields; the specification has nine.
        private static let fieldsMax = 32

        /// The length of the whole message that begins with these 16 bytes.
        static func length(_ head: [UInt8]) throws(BusProblem) -> Int {
            try Lengths(head).total
        }

        /// - Parameter bytes: As many as ``length(_:)`` says.
        init(_ bytes: [UInt8]) throws(BusProblem) {
            let lengths = try Lengths(Array(bytes.prefix(Self.headBytes)))
            guard bytes.count == lengths.total else { throw .malformed("a message is cut off") }
            kind = Kind(rawValue: bytes[1])
            isBigEndian = lengths.isBigEndian
            serial = lengths.serial
            var header = BusReader(Array(bytes[..<lengths.bodyStart]), isBigEndian: isBigEndian)
            for _ in 0..<12 { _ = try header.byte() }
            var fields = BusMessage(.call)
            _ = try header.array(alignment: 8, countMax: Self.fieldsMax) { reader throws(BusProblem) in
                try fields.readField(&reader)
            }
            (replySerial, path, interface, member) = (fields.replySerial, fields.path, fields.interface, fields.member)
            (errorName, destination, sender) = (fields.errorName, fields.destination, fields.sender)
            signature = fields.signature
            body = Array(bytes[lengths.bodyStart...])
        }

        /// Known fields are kept; others are read by the types that header fields have, and forgotten.
        private mutating func readField(_ reader: inout BusReader) throws(BusProblem) {
            try reader.beginStructure()
            let field = Field(rawValue: try reader.byte())
            switch (try reader.signature(), field) {
            case ("o", .path): path = try reader.objectPath()
            case ("s", .interface): interface = try reader.string()
            case ("s", .member): member = try reader.string()
            case ("s", .errorName): errorName = try reader.string()
            case ("u", .replySerial): replySerial = try reader.uint32()
            case ("s", .destination): destination = try reader.string()
            case ("s", .sender): sender = try reader.string()
            case ("g", .signature): signature = try reader.signature()
            case ("u", nil): _ = try reader.uint32()
            case ("s", nil), ("o", nil): _ = try reader.string()
            case ("g", nil): _ = try reader.signature()
            default: throw .malformed("a header field has an unexpected type")
            }
        }

        /// What the first 16 bytes say.
        private struct Lengths {
            let isBigEndian: Bool
            let serial: UInt32
            let bodyStart: Int
            let total: Int

            init(_ head: [UInt8]) throws(BusProblem) {
                guard head.count == headBytes, head[3] == 1,
                    head[0] == UInt8(ascii: "l") || head[0] == UInt8(ascii: "B")
                else { throw .malformed("this is no D-Bus") }
                isBigEndian = head[0] == UInt8(ascii: "B")
                var reader = BusReader(head, isBigEndian: isBigEndian)
                for _ in 0..<4 { _ = try reader.byte() }
                let body = try reader.uint32()
                serial = try reader.uint32()
                let fields = try reader.uint32()
                guard serial != 0 else { throw .malformed("a message has no serial number") }
                guard fields <= fieldsMaxBytes, body <= UInt32(Limits.busMessageMaxBytes) else {
                    throw .malformed("a message is too long")
                }
                bodyStart = (headBytes + Int(fields) + 7) / 8 * 8
                total = bodyStart + Int(body)
            }
        }
    }
#endif
