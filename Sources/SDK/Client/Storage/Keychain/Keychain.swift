#if canImport(Security)
    /// The few things that this library does with generic-password items.
    ///
    /// Each is one call of the Security framework; what several of them mean together is decided elsewhere.
    protocol Keychain: Sendable {
        /// The item with its secret.
        func read(_ item: KeychainItem) throws(KeychainStatus) -> KeychainContents
        /// The item's label, without touching its secret.
        func readLabel(_ item: KeychainItem) throws(KeychainStatus) -> [UInt8]
        /// Replaces what is there, in one step; with a label, only an item that has it, looked at in the same step.
        func update(_ item: KeychainItem, labelled label: [UInt8]?, to contents: KeychainContents)
            throws(KeychainStatus)
        /// Adds an item, unless there is one of that name.
        func add(_ item: KeychainItem, _ contents: KeychainContents) throws(KeychainStatus)
        /// Removes the item; with a label, only if it has it, looked at in the same step.
        func remove(_ item: KeychainItem, labelled label: [UInt8]?) throws(KeychainStatus)
        /// Removes every item of a service.
        func removeAll(service: String) throws(KeychainStatus)
    }

    /// An item's name.
    struct KeychainItem: Hashable, Sendable {
        let service: String
        let account: String
    }

    /// What an item holds: one item, so that the secret and what is said about it never part.
    struct KeychainContents: Hashable, Sendable {
        /// Not secret, but not for everybody either.
        let label: [UInt8]
        let secret: [UInt8]
    }

    /// The generation of a record as an item's label: a version, the number, the sign-in.
    enum GenerationLabel {
        private static let version: UInt8 = 1

        static func bytes(_ generation: Generation) -> [UInt8] {
            let number = (0..<8).map { UInt8(truncatingIfNeeded: generation.number >> (56 - 8 * UInt64($0))) }
            return [version] + number + Array(generation.signIn.utf8)
        }

        /// The generation; `nil` for anything that ``bytes(_:)`` did not write.
        static func generation(_ label: [UInt8]) -> Generation? {
            guard label.count >= 9, label[0] == version,
                let signIn = String(validating: label[9...], as: UTF8.self)
            else { return nil }
            return Generation(signIn: signIn, number: label[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        /// The label as numbers, eight bytes in each, its length first.
        static func mark(_ label: [UInt8]) -> ChangeMark {
            let words = stride(from: 0, to: label.count, by: 8).map { start in
                label[start..<min(start + 8, label.count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            return ChangeMark([Int64(label.count)] + words.map { Int64(bitPattern: $0) })
        }
    }
#endif
