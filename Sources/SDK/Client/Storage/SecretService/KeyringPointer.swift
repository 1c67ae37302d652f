#if os(Linux)
    internal import KeyturnBase

    /// Says, in the place of a record's contents, which item of the keyring has them.
    ///
    /// The keyring cannot replace an item only if no other process did, but the sealed file can. So each record gets an
    /// item with a name of its own first, and then the file points to it, in the one step that decides.
    struct KeyringPointer: Hashable, Sendable {
        /// Random; base64url.
        let item: String

        private static let mark = Array("keyturn-keyring-item:".utf8)

        init(_ ambient: Ambient) {
            item = ambient.randomToken(byteCount: 18)
        }

        /// - Parameter record: As the sealed file has it; `nil` if it has the contents themselves.
        init?(_ record: StoredRecord) {
            guard record.contents.starts(with: Self.mark),
                let item = String(validating: record.contents.dropFirst(Self.mark.count), as: UTF8.self),
                Base64URL.decode(item) != nil
            else { return nil }
            self.item = item
        }

        /// What the sealed file has of a record whose contents are in the keyring.
        func record(_ generation: Generation) -> StoredRecord {
            StoredRecord(generation: generation, contents: Self.mark + Array(item.utf8))
        }
    }
#endif
