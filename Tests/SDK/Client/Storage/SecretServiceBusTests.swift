#if os(Linux)
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("A session bus that may be anybody")
    struct SecretServiceBusTests {
        struct Address: Sendable, CustomTestStringConvertible {
            let variables: [String: String]
            let expected: [BusAddress]
            var testDescription: String { variables.description }

            init(_ list: String, _ expected: BusAddress...) {
                (variables, self.expected) = (["DBUS_SESSION_BUS_ADDRESS": list], expected)
            }

            init(variables: [String: String], _ expected: BusAddress...) {
                (self.variables, self.expected) = (variables, expected)
            }
        }

        static func path(_ text: String) -> BusAddress { .path(Array(text.utf8)) }
        static func abstract(_ text: String) -> BusAddress { .abstract(Array(text.utf8)) }

        static let addresses = [
            Address("unix:path=/run/bus", path("/run/bus")),
            Address("unix:path=/run/bus,guid=0123", path("/run/bus")),
            Address("unix:guid=0123,abstract=/tmp/x", abstract("/tmp/x")),
            Address("unix:path=/a;unix:abstract=b;unix:path=/c", path("/a"), abstract("b"), path("/c")),
            Address("tcp:host=localhost,port=1;unix:path=/a", path("/a")),
            Address("unix:path=/a%20b%2c%5F", path("/a b,_")),
            Address("unix:path=/a%2"), Address("unix:path=/a%zz"), Address("unix:path=/a%+1"),
            Address("unix:path=/a%00"), Address("unix:path="), Address("unix:"), Address(";;"),
            Address("unix:path=/" + String(repeating: "x", count: 106), path("/" + String(repeating: "x", count: 106))),
            Address("unix:path=/" + String(repeating: "x", count: 107)),
            Address(variables: ["XDG_RUNTIME_DIR": "/run/user/1"], path("/run/user/1/bus")),
            Address(
                variables: ["XDG_RUNTIME_DIR": "/run/user/1", "DBUS_SESSION_BUS_ADDRESS": ""], path("/run/user/1/bus")),
            Address(
                variables: ["XDG_RUNTIME_DIR": "/run/user/1", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/a"], path("/a")),
            Address(variables: ["XDG_RUNTIME_DIR": "relative"]), Address(variables: [:]),
        ]

        @Test(arguments: addresses)
        func `where the bus may be`(_ address: Address) {
            #expect(BusAddress.session(address.variables) == address.expected)
        }

        @Test func `a long list of addresses ends`() {
            let list = Array(repeating: "unix:path=/a", count: 1_000).joined(separator: ";")
            #expect(BusAddress.parse(list).count == BusAddress.countMax)
        }

        static let paths = [
            ("/", true), ("/a", true), ("/a/B_9", true), ("", false), ("a", false), ("//", false), ("/a/", false),
            ("/a//b", false), ("/a-b", false), ("/'", false), ("/ä", false),
            ("/" + String(repeating: "a", count: 1_024), false),
        ]

        @Test(arguments: paths)
        func `what an object may be called`(_ path: String, _ isValid: Bool) {
            #expect(BusPath.isValid(path) == isValid)
        }

        @Test func `what is written is read`() throws {
            var message = BusMessage(.signal)
            (message.serial, message.replySerial) = (7, 9)
            (message.path, message.interface, message.member) = ("/a/b", "c.d", "E")
            (message.errorName, message.destination, message.sender) = ("f.g", "h.i", ":1.1")
            message.signature = "sbayua{ss}"
            var writer = BusWriter()
            writer.write("text ä")
            writer.write(true)
            writer.write([1, 2, 3] as [UInt8])
            writer.write(UInt32.max)
            writer.write(["k": "v", "l": ""])
            message.body = writer.bytes
            let bytes = message.encoded()
            #expect(try BusMessage.length(Array(bytes.prefix(16))) == bytes.count)
            let read = try BusMessage(bytes)
            #expect((read.serial, read.replySerial, read.kind) == (7, 9, .signal))
            #expect((read.path, read.interface, read.member) == ("/a/b", "c.d", "E"))
            #expect((read.errorName, read.destination, read.sender) == ("f.g", "h.i", ":1.1"))
            var reader = try read.reader("sbayua{ss}")
            #expect(try reader.string() == "text ä")
            #expect(try reader.bool())
            #expect(try reader.byteArray() == [1, 2, 3])
            #expect(try reader.uint32() == .max)
            #expect(try pairs(&reader) == ["k", "v", "l", ""])
            #expect(reader.isAtEnd)
            #expect(throws: BusProblem.malformed("an answer has unexpected types")) { try read.reader("s") }
        }

        private func pairs(_ reader: inout BusReader) throws(BusProblem) -> [String] {
            try reader.array(alignment: 8, countMax: 4) { reader throws(BusProblem) in
                try reader.beginStructure()
                return [try reader.string(), try reader.string()]
            }.flatMap { $0 }
        }

        @Test func `the big end may come first`() throws {
            let header: [UInt8] =
                [0x42, 2, 0, 1, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0, 15] + [5, 1, 0x75, 0, 0, 0, 0, 3]
                + [8, 1, 0x67, 0, 1, 0x73, 0, 0]
            let message = try BusMessage(header + [0, 0, 0, 3, 0x61, 0x62, 0x63, 0])
            #expect((message.serial, message.replySerial) == (5, 3))
            var reader = try message.reader("s")
            #expect(try reader.string() == "abc")
        }

        struct Bad: Sendable, CustomTestStringConvertible {
            let name: String
            let bytes: [UInt8]
            let read: @Sendable (inout BusReader) throws(BusProblem) -> Void
            var testDescription: String { name }

            init(
                _ name: String, _ bytes: [UInt8],
                _ read: @escaping @Sendable (inout BusReader) throws(BusProblem) -> Void
            ) {
                (self.name, self.bytes, self.read) = (name, bytes, read)
            }
        }

        static let bad: [Bad] = [
            Bad("no number", [1, 2, 3]) { reader throws(BusProblem) in _ = try reader.uint32() },
            Bad("no truth", [2, 0, 0, 0]) { reader throws(BusProblem) in _ = try reader.bool() },
            Bad("text beyond the end", [4, 0, 0, 0, 65, 0]) { reader throws(BusProblem) in
                _ = try reader.string()
            },
            Bad("endless text", [255, 255, 255, 255, 65, 0]) { reader throws(BusProblem) in
                _ = try reader.string()
            },
            Bad("no end of text", [1, 0, 0, 0, 65]) { reader throws(BusProblem) in _ = try reader.string() },
            Bad("another end of text", [1, 0, 0, 0, 65, 66]) { reader throws(BusProblem) in
                _ = try reader.string()
            },
            Bad("zero in text", [2, 0, 0, 0, 65, 0, 0]) { reader throws(BusProblem) in _ = try reader.string() },
            Bad("no UTF-8", [1, 0, 0, 0, 255, 0]) { reader throws(BusProblem) in _ = try reader.string() },
            Bad("no path", [1, 0, 0, 0, 65, 0]) { reader throws(BusProblem) in _ = try reader.objectPath() },
            Bad("another type", [1, 117, 0, 0, 1, 0, 0, 0]) { reader throws(BusProblem) in
                try reader.variant("s")
            },
            Bad("bytes beyond the end", [9, 0, 0, 0, 1]) { reader throws(BusProblem) in
                _ = try reader.byteArray()
            },
            Bad("array beyond the end", [8, 0, 0, 0, 1, 0, 0, 0]) { reader throws(BusProblem) in
                _ = try numbers(&reader)
            },
            Bad("array that ends within an element", [2, 0, 0, 0, 1, 0, 0, 0]) { reader throws(BusProblem) in
                _ = try numbers(&reader)
            },
            Bad("array with an element too many", [12, 0, 0, 0] + [UInt8](repeating: 0, count: 12)) {
                reader throws(BusProblem) in _ = try numbers(&reader)
            },
            Bad("padding", [1, 9, 0, 0, 0, 0, 0, 0]) { reader throws(BusProblem) in
                _ = try reader.byte()
                _ = try reader.uint32()
            },
        ]

        static func numbers(_ reader: inout BusReader) throws(BusProblem) -> [UInt32] {
            try reader.array(alignment: 4, countMax: 2) { reader throws(BusProblem) in try reader.uint32() }
        }

        @Test(arguments: bad)
        func `what is badly formed is refused`(_ bad: Bad) {
            var reader = BusReader(bad.bytes, isBigEndian: false)
            #expect(throws: BusProblem.self) { try bad.read(&reader) }
        }

        @Test func `an array within its bound is read`() throws {
            var reader = BusReader([8, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0], isBigEndian: false)
            #expect(try Self.numbers(&reader) == [1, 2])
        }

        @Test func `no damaged byte and no cut does harm`() throws {
            let bytes = FakeBus.completed("/prompt", isDismissed: true)
            for index in bytes.indices {
                for value in [0, 1, 127, 255] as [UInt8] {
                    var damaged = bytes
                    damaged[index] = value
                    if let message = try? BusMessage(damaged) { _ = try? message.reader("bv") }
                }
                #expect(throws: BusProblem.self) { try BusMessage(Array(bytes[..<index])) }
            }
        }
    }
#endif
