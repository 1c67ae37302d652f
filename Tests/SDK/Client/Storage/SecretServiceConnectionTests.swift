#if os(Linux)
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("A connection to a session bus that means no good")
    struct SecretServiceConnectionTests {
        /// Connects and asks one thing, within half a second.
        private func ask(_ bus: FakeBus) throws(BusProblem) -> String? {
            let deadline = ContinuousClock.now + .milliseconds(500)
            let socket = try BusSocket.connect([bus.address], until: deadline)
            return try SecretService(BusConnection(socket, deadline: deadline)).defaultCollection()
        }

        /// What asking comes to, with the time that it takes.
        private func problem(_ bus: FakeBus) throws -> BusProblem {
            defer { bus.stop() }
            let start = ContinuousClock.now
            let problem = #expect(throws: BusProblem.self) { try ask(bus) }
            #expect(ContinuousClock.now - start < .seconds(30))
            return try #require(problem)
        }

        private static func path(_ message: BusMessage, _ path: String = "/c") -> [UInt8] {
            FakeBus.reply(to: message, "o") { $0.write(path) }
        }

        @Test(arguments: [false, true])
        func `one that means well is understood`(_ isAbstract: Bool) throws {
            let bus = try FakeBus(isAbstract: isAbstract) { [Self.path($0)] }
            defer { bus.stop() }
            #expect(try ask(bus) == "/c")
        }

        @Test func `the first address where somebody listens is the one`() throws {
            let bus = try FakeBus { [Self.path($0)] }
            defer { bus.stop() }
            let deadline = ContinuousClock.now + .seconds(5)
            let nowhere = BusAddress.path(Array("/nowhere/bus".utf8))
            let socket = try BusSocket.connect([nowhere, bus.address], until: deadline)
            #expect(try SecretService(BusConnection(socket, deadline: deadline)).defaultCollection() == "/c")
        }

        @Test func `no default collection is no collection`() throws {
            let bus = try FakeBus { [Self.path($0, "/")] }
            defer { bus.stop() }
            #expect(try ask(bus) == nil)
        }

        @Test func `a refused or endless welcome`() throws {
            let refusing = try FakeBus(welcome: "REJECTED EXTERNAL\r\n") { _ in [] }
            #expect(try problem(refusing) == .unreachable("the bus does not let us in"))
            let endless = try FakeBus(welcome: String(repeating: "O", count: 100_000)) { _ in [] }
            #expect(try problem(endless) == .malformed("a line is too long"))
            let silent = try FakeBus(welcome: "") { _ in [] }
            #expect(try problem(silent) == .timedOut)
        }

        @Test func `silence lasts until the deadline`() throws {
            #expect(try problem(FakeBus { _ in [] }) == .timedOut)
        }

        @Test func `hanging up is noticed at once`() throws {
            #expect(try problem(FakeBus { _ in nil }) == .closed)
        }

        @Test func `half an answer is none`() throws {
            #expect(try problem(FakeBus { [Array(Self.path($0).prefix(20))] }) == .timedOut)
            #expect(try problem(FakeBus { [Array(Self.path($0).dropLast())] }) == .timedOut)
        }

        @Test func `other people's messages do not go on without end`() throws {
            let signal = FakeBus.completed("/p", isDismissed: true)
            let flood = try FakeBus { _ in Array(repeating: signal, count: Limits.busStrayMax) }
            #expect(try problem(flood) == .malformed("nothing but other people's messages"))
            let few = try FakeBus { Array(repeating: signal, count: Limits.busStrayMax - 1) + [Self.path($0)] }
            defer { few.stop() }
            #expect(try ask(few) == "/c")
        }

        @Test func `answers to other questions do not count`() throws {
            let bus = try FakeBus { message in
                var other = message
                other.serial += 1
                return [Self.path(other, "/other"), Self.path(message)]
            }
            defer { bus.stop() }
            #expect(try ask(bus) == "/c")
        }

        @Test func `an error is an error, and the known ones have a meaning`() throws {
            let names = [
                ("a.b", BusProblem.refused("a.b")), ("org.freedesktop.Secret.Error.IsLocked", .locked),
                ("org.freedesktop.DBus.Error.NoReply", .closed),
                ("org.freedesktop.DBus.Error.ServiceUnknown", .unreachable("no keyring service on the session bus")),
            ]
            for (name, expected) in names {
                #expect(try problem(FakeBus { [FakeBus.error(to: $0, name)] }) == expected)
            }
        }

        @Test func `another type, or none, is no answer`() throws {
            let unexpected = BusProblem.malformed("an answer has unexpected types")
            #expect(try problem(FakeBus { [FakeBus.reply(to: $0, "s") { $0.write("/c") }] }) == unexpected)
            #expect(try problem(FakeBus { [FakeBus.reply(to: $0, "") { _ in }] }) == unexpected)
            let empty = try FakeBus { [FakeBus.reply(to: $0, "o") { _ in }] }
            #expect(try problem(empty) == .malformed("a value is cut off"))
        }

        struct Head: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let index: Int
            let bytes: [UInt8]
            let expected: String
        }

        static let heads = [
            Head(testDescription: "endianness", index: 0, bytes: [0x78], expected: "this is no D-Bus"),
            Head(testDescription: "version", index: 3, bytes: [2], expected: "this is no D-Bus"),
            Head(testDescription: "body", index: 4, bytes: [1, 0, 32, 0], expected: "a message is too long"),
            Head(
                testDescription: "endless body", index: 4, bytes: [255, 255, 255, 255],
                expected: "a message is too long"),
            Head(testDescription: "serial", index: 8, bytes: [0, 0, 0, 0], expected: "a message has no serial number"),
            Head(testDescription: "fields", index: 12, bytes: [1, 64, 0, 0], expected: "a message is too long"),
            Head(
                testDescription: "endless fields", index: 12, bytes: [255, 255, 255, 255],
                expected: "a message is too long"),
        ]

        @Test(arguments: heads)
        func `a head that lies is not believed`(_ head: Head) throws {
            let bus = try FakeBus { message in
                var bytes = Self.path(message)
                bytes.replaceSubrange(head.index..<(head.index + head.bytes.count), with: head.bytes)
                return [bytes]
            }
            #expect(try problem(bus) == .malformed(head.expected))
        }

        @Test func `a longest message is read, and a kind that nobody knows passed over`() throws {
            let bus = try FakeBus { message in
                var long = BusMessage(.signal)
                (long.serial, long.body) = (1, [UInt8](repeating: 0, count: Limits.busMessageMaxBytes))
                var unknown = Self.path(message, "/unknown")
                unknown[1] = 9
                return [long.encoded(), unknown, Self.path(message)]
            }
            defer { bus.stop() }
            let deadline = ContinuousClock.now + .seconds(20)
            let socket = try BusSocket.connect([bus.address], until: deadline)
            #expect(try SecretService(BusConnection(socket, deadline: deadline)).defaultCollection() == "/c")
        }

        @Test func `a search that finds far too much is refused`() throws {
            let bus = try FakeBus { message in
                let paths = Array(repeating: "/c/1", count: Limits.keyringItemsMax + 1)
                return [
                    FakeBus.reply(to: message, "aoao") { writer in
                        writer.array(alignment: 4, paths) { $0.write($1) }
                        writer.array(alignment: 4, [String]()) { $0.write($1) }
                    }
                ]
            }
            defer { bus.stop() }
            let deadline = ContinuousClock.now + .seconds(5)
            let socket = try BusSocket.connect([bus.address], until: deadline)
            let service = SecretService(try BusConnection(socket, deadline: deadline))
            #expect(throws: BusProblem.malformed("an array is too long")) { try service.search([:]) }
        }
    }
#endif
