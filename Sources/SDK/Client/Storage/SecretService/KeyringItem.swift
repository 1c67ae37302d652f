#if os(Linux)
    internal import Crypto
    internal import KeyturnBase

    /// How a record looks in the keyring: attributes, which every program may read, and a secret text.
    struct KeyringItem {
        let path: String
        let attributes: [String: String]

        static let schema = "dev.keyturn.Session"

        /// What a search for all items of a container asks for.
        ///
        /// - Parameter folder: The container's name, spelled as its folder is: attributes take no zero byte.
        static func search(_ folder: String) -> [String: String] {
            ["xdg:schema": schema, "container": folder]
        }

        /// What a search for one item asks for.
        static func search(_ folder: String, _ pointer: KeyringPointer) -> [String: String] {
            var result = search(folder)
            result["item"] = pointer.item
            return result
        }

        static func attributes(
            _ folder: String, _ pointer: KeyringPointer, _ generation: Generation, at now: UnixTime
        ) -> [String: String] {
            var result = search(folder, pointer)
            result["generation"] = spell(generation)
            result["written"] = String(now.rawValue)
            return result
        }

        /// Whether it is so old that no writer can be about to point to it; `false` for what this store did not write.
        func isAbandoned(at now: UnixTime) -> Bool {
            guard attributes["item"] != nil, let written = attributes["written"].flatMap({ Int64($0) }) else {
                return false
            }
            return written < now.rawValue - Limits.leftoverSeconds
        }

        private static func spell(_ generation: Generation) -> String {
            "\(generation.number).\(Base64URL.encode(Array(generation.signIn.utf8)))"
        }
    }

    extension KeyringItem {
        /// The first part of every secret text; another form will have another.
        private static let form = "keyturn1"

        /// The form, the generation, the contents in base64url, and a digest that shows damage and foreign values. It
        /// covers the container, so that a value moved under another name is noticed.
        static func secret(_ record: StoredRecord, _ folder: String) -> [UInt8] {
            let text = "\(form).\(spell(record.generation)).\(Base64URL.encode(record.contents))"
            return Array("\(text).\(digest(text, folder))".utf8)
        }

        /// The record in a secret text.
        ///
        /// - Throws: ``BusProblem/damaged`` for anything that was not written under this name and generation.
        static func record(
            _ secret: [UInt8], _ folder: String, _ generation: Generation
        ) throws(BusProblem) -> StoredRecord {
            guard let text = String(validating: secret, as: UTF8.self) else { throw .damaged }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0] == form, parts[1...2].joined(separator: ".") == spell(generation),
                parts[4] == digest(parts[..<4].joined(separator: "."), folder),
                let contents = Base64URL.decode(parts[3])
            else { throw .damaged }
            return StoredRecord(generation: generation, contents: contents)
        }

        private static func digest(_ text: String, _ folder: String) -> String {
            Base64URL.encode(Array(SHA256.hash(data: Array("\(folder)\n\(text)".utf8))))
        }
    }
#endif
