#if os(Linux)
    /// The keyring of the desktop, as freedesktop.org's Secret Service API 0.2 offers it on the session bus. For one
    /// thread, which it may hold up until the deadline of its connection.
    ///
    /// Secrets travel in a session of the kind `plain`: the bus is a local socket of this user, and a program that may
    /// read along there may as well ask the keyring.
    final class SecretService {
        let connection: BusConnection
        private var session: String?

        init(_ connection: BusConnection) {
            self.connection = connection
        }

        private static let name = "org.freedesktop.secrets"
        private static let root = "/org/freedesktop/secrets"

        /// What a search found.
        struct Found {
            let unlocked: [String]
            let locked: [String]
        }

        /// Where new items go; `nil` if there is no such place.
        func defaultCollection() throws(BusProblem) -> String? {
            let answer = try call(Self.root, "Service", "ReadAlias", "s") { $0.write("default") }
            var reader = try answer.reader("o")
            let path = try reader.objectPath()
            return path == BusPath.none ? nil : path
        }

        func isLocked(_ collection: String) throws(BusProblem) -> Bool {
            var reader = try property(of: collection, "Collection", "Locked")
            try reader.variant("b")
            return try reader.bool()
        }

        /// The items of all collections that have these attributes.
        func search(_ attributes: [String: String]) throws(BusProblem) -> Found {
            let answer = try call(Self.root, "Service", "SearchItems", "a{ss}") { $0.write(attributes) }
            var reader = try answer.reader("aoao")
            return Found(unlocked: try Self.paths(&reader), locked: try Self.paths(&reader))
        }

        func attributes(of item: String) throws(BusProblem) -> [String: String] {
            var reader = try property(of: item, "Item", "Attributes")
            try reader.variant("a{ss}")
            let pairs = try reader.array(alignment: 8, countMax: Limits.keyringItemsMax) {
                reader throws(BusProblem) in
                try reader.beginStructure()
                return (try reader.string(), try reader.string())
            }
            return Dictionary(pairs) { first, _ in first }
        }

        /// - Throws: ``BusProblem/locked`` if the keyring would have to ask first.
        func secret(of item: String) throws(BusProblem) -> [UInt8] {
            let session = try openSession()
            let answer = try call(item, "Item", "GetSecret", "o") { $0.write(session) }
            var reader = try answer.reader("(oayays)")
            try reader.beginStructure()
            _ = try reader.objectPath()
            _ = try reader.byteArray()
            return try reader.byteArray()
        }

        /// Puts an item into a collection; one with the very same attributes is replaced.
        ///
        /// - Returns: the prompt that the service wants answered before; `nil` if it is done.
        func create(
            in collection: String, label: String, attributes: [String: String], secret: [UInt8]
        ) throws(BusProblem) -> String? {
            let session = try openSession()
            let answer = try call(collection, "Collection", "CreateItem", "a{sv}(oayays)b") { writer in
                writer.array(alignment: 8, ["Attributes", "Label"]) { writer, name in
                    writer.beginStructure()
                    writer.write("org.freedesktop.Secret.Item.\(name)")
                    writer.write(signature: name == "Label" ? "s" : "a{ss}")
                    if name == "Label" { writer.write(label) } else { writer.write(attributes) }
                }
                writer.beginStructure()
                writer.write(session)
                writer.write([UInt8]())
                writer.write(secret)
                writer.write("text/plain")
                writer.write(true)
            }
            var reader = try answer.reader("oo")
            _ = try reader.objectPath()
            return try Self.prompt(&reader)
        }

        /// - Throws: ``BusProblem/locked`` if the keyring would have to ask first.
        func delete(_ item: String) throws(BusProblem) {
            let answer = try call(item, "Item", "Delete", "") { _ in }
            var reader = try answer.reader("o")
            guard try Self.prompt(&reader) == nil else { throw .locked }
        }

        /// Unlocks what can be unlocked without asking.
        ///
        /// - Returns: the prompt for the rest; `nil` if there is none.
        func unlock(_ objects: [String]) throws(BusProblem) -> String? {
            let answer = try call(Self.root, "Service", "Unlock", "ao") { writer in
                writer.array(alignment: 4, objects) { $0.write($1) }
            }
            var reader = try answer.reader("aoo")
            _ = try Self.paths(&reader)
            return try Self.prompt(&reader)
        }

        /// The session in which secrets are sent; made at first use, and gone with the connection.
        private func openSession() throws(BusProblem) -> String {
            if let session { return session }
            let answer = try call(Self.root, "Service", "OpenSession", "sv") { writer in
                writer.write("plain")
                writer.write(signature: "s")
                writer.write("")
            }
            var reader = try answer.reader("vo")
            try reader.variant("s")
            _ = try reader.string()
            let path = try reader.objectPath()
            session = path
            return path
        }

        private func property(
            of object: String, _ interface: String, _ name: String
        ) throws(BusProblem) -> BusReader {
            var message = Self.message(object, "org.freedesktop.DBus.Properties", "Get")
            message.signature = "ss"
            var writer = BusWriter()
            writer.write("org.freedesktop.Secret.\(interface)")
            writer.write(name)
            message.body = writer.bytes
            return try send(message).reader("v")
        }

        /// Calls a method of one of the service's own interfaces.
        func call(
            _ object: String, _ interface: String, _ member: String, _ signature: String,
            _ arguments: (inout BusWriter) -> Void
        ) throws(BusProblem) -> BusMessage {
            var message = Self.message(object, "org.freedesktop.Secret.\(interface)", member)
            message.signature = signature
            var writer = BusWriter()
            arguments(&writer)
            message.body = writer.bytes
            return try send(message)
        }

        /// Calls, and tells the errors apart that have a meaning of their own.
        private func send(_ message: BusMessage) throws(BusProblem) -> BusMessage {
            do throws(BusProblem) {
                return try connection.call(message)
            } catch .refused("org.freedesktop.Secret.Error.IsLocked") {
                throw .locked
            } catch .refused("org.freedesktop.DBus.Error.ServiceUnknown") {
                throw .unreachable("no keyring service on the session bus")
            } catch .refused("org.freedesktop.DBus.Error.NoReply") {
                throw .closed
            }
        }

        private static func message(_ object: String, _ interface: String, _ member: String) -> BusMessage {
            var message = BusMessage(.call)
            message.destination = name
            message.path = object
            message.interface = interface
            message.member = member
            return message
        }

        private static func paths(_ reader: inout BusReader) throws(BusProblem) -> [String] {
            try reader.array(alignment: 4, countMax: Limits.keyringItemsMax) { reader throws(BusProblem) in
                try reader.objectPath()
            }
        }

        private static func prompt(_ reader: inout BusReader) throws(BusProblem) -> String? {
            let path = try reader.objectPath()
            return path == BusPath.none ? nil : path
        }
    }
#endif
