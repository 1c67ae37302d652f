#if os(Linux)
    internal import KeyturnBase

    /// What a store does on one connection to the keyring. For one thread, which it may hold up.
    struct KeyringSession {
        private let service: SecretService
        private let folder: String

        /// - Parameters:
        ///   - addresses: Where the session bus may be.
        ///   - folder: The container's name, spelled as its folder is.
        ///   - deadline: When every answer must be there; `nil`: as late as ``Limits/keyringSeconds`` says.
        init(
            _ addresses: [BusAddress], _ folder: String, until deadline: ContinuousClock.Instant? = nil
        ) throws(BusProblem) {
            let deadline = deadline ?? ContinuousClock.now + .seconds(Limits.keyringSeconds)
            let socket = try BusSocket.connect(addresses, until: deadline)
            service = SecretService(try BusConnection(socket, deadline: deadline))
            self.folder = folder
        }

        /// Whether a new item could be put into the default collection now, without asking the user.
        func isOpen() throws(BusProblem) -> Bool {
            guard let collection = try service.defaultCollection() else { return false }
            return try !service.isLocked(collection)
        }

        /// The record in an item; `nil` if the keyring is open and has no such item.
        func read(_ pointer: KeyringPointer, _ generation: Generation) throws(BusProblem) -> StoredRecord? {
            guard let path = try find(pointer) else { return nil }
            return try KeyringItem.record(service.secret(of: path), folder, generation)
        }

        /// Where an item is; `nil` if the keyring is open and has no such item.
        ///
        /// - Throws: ``BusProblem/locked`` if it cannot be known without unlocking it.
        func find(_ pointer: KeyringPointer) throws(BusProblem) -> String? {
            let found = try service.search(KeyringItem.search(folder, pointer))
            if let path = found.unlocked.first { return path }
            guard found.locked.isEmpty else { throw .locked }
            if let collection = try service.defaultCollection(), try service.isLocked(collection) { throw .locked }
            return nil
        }

        /// Puts a record into an item of its own.
        func put(
            _ record: StoredRecord, _ pointer: KeyringPointer, _ asking: Asking, at now: UnixTime
        ) throws(BusProblem) {
            guard let collection = try service.defaultCollection() else { throw .noCollection }
            try open(collection, asking)
            let attributes = KeyringItem.attributes(folder, pointer, record.generation, at: now)
            let prompt = try service.create(
                in: collection, label: "Keyturn session (\(folder))", attributes: attributes,
                secret: KeyringItem.secret(record, folder))
            if let prompt { try service.answer(prompt, asking) }
            guard try find(pointer) != nil else { throw .dismissed }
        }

        /// Removes an item that nothing points to.
        func remove(_ pointer: KeyringPointer) throws(BusProblem) {
            for path in try service.search(KeyringItem.search(folder, pointer)).unlocked { try service.delete(path) }
        }

        /// Removes what interrupted writers left.
        ///
        /// - Parameter current: What was pointed to a moment ago and stays, however old it is; whatever is pointed to
        ///   since is young. `nil`: nothing was.
        func sweep(keeping current: KeyringPointer?, at now: UnixTime) throws(BusProblem) {
            for path in try service.search(KeyringItem.search(folder)).unlocked {
                let item = KeyringItem(path: path, attributes: try service.attributes(of: path))
                guard item.isAbandoned(at: now), item.attributes["item"] != current?.item else { continue }
                try service.delete(path)
            }
        }

        private func open(_ collection: String, _ asking: Asking) throws(BusProblem) {
            guard try service.isLocked(collection) else { return }
            guard case .until = asking else { throw .locked }
            if let prompt = try service.unlock([collection]) { try service.answer(prompt, asking) }
            guard try !service.isLocked(collection) else { throw .dismissed }
        }
    }
#endif
