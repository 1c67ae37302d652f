#if os(Linux)
    import KeyturnBase

    @testable import Keyturn

    /// A keyring in memory for ``FakeBus``, whose person does what a test says.
    final class FakeKeyring: Sendable {
        /// What the person does about a prompt.
        enum Person: Sendable {
            case agrees, refuses, isAway
            /// Agrees before the keyring has said that it asks.
            case isQuick
            /// Is away, while somebody else on the bus says that they agreed.
            case isForged
        }

        private struct Item {
            let attributes: [String: String]
            let secret: [UInt8]
        }

        private struct State {
            var isLocked = false
            var person = Person.agrees
            var items: [String: Item] = [:]
            var count = 0
        }

        private let state = Locked(State())
        private static let collection = "/org/freedesktop/secrets/collection/fake"
        private static let prompt = "/org/freedesktop/secrets/prompt/p1"

        func lock(_ person: Person) {
            state.withLock { ($0.isLocked, $0.person) = (true, person) }
        }

        func unlock() {
            state.withLock { $0.isLocked = false }
        }

        func answer(_ message: BusMessage) -> [[UInt8]]? {
            state.withLock { state in
                try? Self.answer(message, &state)
            }
        }

        private static func answer(_ message: BusMessage, _ state: inout State) throws -> [[UInt8]] {
            switch message.member {
            case "ReadAlias": return [FakeBus.reply(to: message, "o") { $0.write(collection) }]
            case "Get": return [try property(message, state)]
            case "SearchItems": return [try search(message, state)]
            case "OpenSession":
                return [
                    FakeBus.reply(to: message, "vo") { writer in
                        writer.write(signature: "s")
                        writer.write("")
                        writer.write("/session")
                    }
                ]
            case "CreateItem": return [try create(message, &state)]
            case "GetSecret": return [secret(message, state)]
            case "Delete":
                state.items[message.path ?? ""] = nil
                return [FakeBus.reply(to: message, "o") { $0.write("/") }]
            case "Unlock":
                return [
                    FakeBus.reply(to: message, "aoo") { writer in
                        writer.array(alignment: 4, [String]()) { $0.write($1) }
                        writer.write(prompt)
                    }
                ]
            case "Prompt": return ask(message, &state)
            default: return [FakeBus.reply(to: message, "") { _ in }]
            }
        }

        private static func ask(_ message: BusMessage, _ state: inout State) -> [[UInt8]] {
            let reply = FakeBus.reply(to: message, "") { _ in }
            switch state.person {
            case .agrees, .isQuick:
                state.isLocked = false
                let completed = FakeBus.completed(prompt, isDismissed: false)
                return state.person == .agrees ? [reply, completed] : [completed, reply]
            case .refuses: return [reply, FakeBus.completed(prompt, isDismissed: true)]
            case .isAway: return [reply]
            case .isForged: return [reply, FakeBus.completed(prompt, isDismissed: false, sender: ":1.66")]
            }
        }

        private static func property(_ message: BusMessage, _ state: State) throws -> [UInt8] {
            guard let item = state.items[message.path ?? ""] else {
                return FakeBus.reply(to: message, "v") { writer in
                    writer.write(signature: "b")
                    writer.write(state.isLocked)
                }
            }
            return FakeBus.reply(to: message, "v") { writer in
                writer.write(signature: "a{ss}")
                writer.write(item.attributes)
            }
        }

        private static func search(_ message: BusMessage, _ state: State) throws -> [UInt8] {
            var reader = try message.reader("a{ss}")
            let wanted = try attributes(&reader)
            let found = state.items.filter { item in wanted.allSatisfy { item.value.attributes[$0.key] == $0.value } }
            return FakeBus.reply(to: message, "aoao") { writer in
                writer.array(alignment: 4, state.isLocked ? [] : Array(found.keys)) { $0.write($1) }
                writer.array(alignment: 4, state.isLocked ? Array(found.keys) : []) { $0.write($1) }
            }
        }

        private static func create(_ message: BusMessage, _ state: inout State) throws -> [UInt8] {
            var reader = try message.reader("a{sv}(oayays)b")
            let values = try reader.array(alignment: 8, countMax: 8) { reader throws(BusProblem) in
                try reader.beginStructure()
                guard try reader.string().hasSuffix("Attributes") else {
                    try reader.variant("s")
                    _ = try reader.string()
                    return [:] as [String: String]
                }
                try reader.variant("a{ss}")
                return try attributes(&reader)
            }
            try reader.beginStructure()
            _ = try reader.objectPath()
            _ = try reader.byteArray()
            state.count += 1
            let path = collection + "/\(state.count)"
            state.items[path] = Item(attributes: values.first { !$0.isEmpty } ?? [:], secret: try reader.byteArray())
            return FakeBus.reply(to: message, "oo") { writer in
                writer.write(path)
                writer.write("/")
            }
        }

        private static func secret(_ message: BusMessage, _ state: State) -> [UInt8] {
            FakeBus.reply(to: message, "(oayays)") { writer in
                writer.beginStructure()
                writer.write("/session")
                writer.write([UInt8]())
                writer.write(state.items[message.path ?? ""]?.secret ?? [])
                writer.write("text/plain")
            }
        }

        private static func attributes(_ reader: inout BusReader) throws(BusProblem) -> [String: String] {
            let pairs = try reader.array(alignment: 8, countMax: 16) { reader throws(BusProblem) in
                try reader.beginStructure()
                return (try reader.string(), try reader.string())
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }
#endif
