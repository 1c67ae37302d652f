internal import KeyturnBase

/// Where the files are, what they are called, and the key that they are sealed with.
extension SealedFileStore {
    enum Name {
        private static let sessionPrefix = "session."
        static let canary = "canary"
        static let lock = "lock"
        static let key = "key"
        static let asidePrefix = "new-"

        static func session(_ number: UInt64) -> String { sessionPrefix + String(number) }

        static func number(_ name: String) -> UInt64? {
            name.hasPrefix(sessionPrefix) ? UInt64(name.dropFirst(sessionPrefix.count)) : nil
        }

        /// A name that is not used now.
        static func aside(_ ambient: Ambient) -> String {
            asidePrefix + ambient.randomToken(byteCount: 12)
        }
    }

    private static let vanished = AuthError(.storeUnavailable, "a directory of the store vanished while it was made")

    func stateDirectory(
        _ container: String, creating: Bool, _ exposure: PrivateDirectory.Exposure = .refused
    ) throws(AuthError) -> PrivateDirectory? {
        try directory(locations.stateRoot, container, creating: creating, exposure)
    }

    /// The directory, made if need be; but not where it should be mounted and is not, for there it would look empty.
    func makeStateDirectory(
        _ container: String, _ exposure: PrivateDirectory.Exposure = .refused
    ) throws(AuthError) -> PrivateDirectory {
        if try stateDirectory(container, creating: false, exposure) == nil { _ = try absentUnlessUnmounted(container) }
        guard let state = try stateDirectory(container, creating: true, exposure) else { throw Self.vanished }
        return state
    }

    private func keyDirectory(
        _ container: String, creating: Bool, _ exposure: PrivateDirectory.Exposure = .refused
    ) throws(AuthError) -> PrivateDirectory? {
        try directory(locations.configurationRoot, container, creating: creating, exposure)
    }

    private func directory(
        _ root: String, _ container: String, creating: Bool, _ exposure: PrivateDirectory.Exposure
    ) throws(AuthError) -> PrivateDirectory? {
        let names = ["keyturn", ContainerFolder.name(for: container)]
        switch try PrivateDirectory.open(root: root, names, creating: creating, exposure: exposure) {
        case .opened(let directory): return directory
        case .absent: return nil
        }
    }

    /// Nothing was ever stored here, unless there is a key and not even the directory above: then that is not mounted.
    func absentUnlessUnmounted(_ container: String) throws(AuthError) -> StoreReading {
        if case .opened = try PrivateDirectory.open(root: locations.stateRoot, [], creating: false) { return .absent }
        guard try seal(container) == nil else {
            throw AuthError(
                .storeUnavailable,
                "the directory \(locations.stateRoot) of the store is gone, but its key is there: mount it, or else "
                    + "sign in again, or sign out by force",
                cause: UnusableRecord())
        }
        return .absent
    }

    /// Nothing is stored, provided that what was once written beside it still opens.
    func absentIfReadable(_ container: String, _ state: PrivateDirectory) throws(AuthError) -> StoreReading {
        guard let canary = try state.read(Name.canary, maxBytes: Limits.recordMaxBytes) else { return .absent }
        _ = try requireSeal(container).open(canary, container: container)
        return .absent
    }
}

/// What is written to.
extension SealedFileStore {
    /// What a write under a condition goes to. A key is made where nothing was ever sealed.
    func places(_ container: String) throws(AuthError) -> (PrivateDirectory, Seal) {
        let state = try makeStateDirectory(container)
        if let seal = try seal(container) { return (state, seal) }
        // Another process may have been first: then there is a key by now.
        let isUsed = try state.names().contains { $0 == Name.canary || Name.number($0) != nil }
        return (state, try isUsed ? requireSeal(container) : makeSeal(container))
    }

    /// What a write without a condition goes to: what lay open, and what no key opens any more, gives way to it.
    func replacedPlaces(_ container: String) throws(AuthError) -> (PrivateDirectory, Seal) {
        guard let state = try stateDirectory(container, creating: true, .tolerated),
            let keys = try keyDirectory(container, creating: true, .tolerated)
        else { throw Self.vanished }
        if state.isExposed || keys.isExposed { try removeAll(container, state) }
        do throws(AuthError) {
            return (state, try makeSeal(container))
        } catch {
            // The key is damaged, or lay open.
            guard error.isAboutStoredRecord else { throw error }
        }
        try keys.replace(Name.key, aside: Name.aside(ambient), with: ambient.randomBytes(Seal.keyBytes))
        return (state, try requireSeal(container))
    }

    /// Makes sure that there is what says later that nothing is stored.
    ///
    /// - Parameter isReplacing: Whether one that cannot be used gives way.
    func makeCanary(
        _ empty: StoredRecord, _ container: String, _ state: PrivateDirectory, _ seal: Seal, isReplacing: Bool
    ) throws(AuthError) {
        do throws(AuthError) {
            let canary = try state.read(Name.canary, maxBytes: Limits.recordMaxBytes)
            if canary.flatMap({ try? seal.open($0, container: container) }) != nil { return }
        } catch {
            guard isReplacing, error.isAboutStoredRecord else { throw error }
        }
        let sealed = try seal.seal(empty, container: container, ambient: ambient)
        try state.replace(Name.canary, aside: Name.aside(ambient), with: sealed)
    }

    func removeSessions(_ state: PrivateDirectory) throws(AuthError) {
        // The highest last: killed in between, this must not bring an older one back.
        for number in try numbers(state).sorted() { try state.remove(Name.session(number)) }
    }

    /// What does not open would make every later look say unavailable, for a session that is gone.
    func removeAll(_ container: String, _ state: PrivateDirectory) throws(AuthError) {
        try removeSessions(state)
        try state.remove(Name.canary)
        try removeKey(container)
        try state.narrow()
    }

    func removeKey(_ container: String) throws(AuthError) {
        guard let keys = try keyDirectory(container, creating: false, .tolerated) else { return }
        try keys.remove(Name.key)
        try keys.narrow()
    }

    /// Removes what a process left behind that was killed while writing; what is young may still be in the making.
    func removeLeftovers(_ state: PrivateDirectory) throws(AuthError) {
        for name in try state.names()
        where name.hasPrefix(Name.asidePrefix) && state.ageSeconds(name) ?? 0 > Limits.leftoverSeconds {
            try state.remove(name)
        }
    }
}

/// The key.
extension SealedFileStore {
    /// The key that is there; `nil` if none is.
    private func seal(_ container: String) throws(AuthError) -> Seal? {
        guard let keys = try keyDirectory(container, creating: false),
            let key = try keys.read(Name.key, maxBytes: 1_024)
        else { return nil }
        guard key.count == Seal.keyBytes else { throw .lost("the key \(keyPath(container)) of the store is damaged") }
        return Seal(key: key)
    }

    /// The key that something was sealed with.
    func requireSeal(_ container: String) throws(AuthError) -> Seal {
        guard let seal = try seal(container) else { throw missingKey(container) }
        return seal
    }

    /// The key that is there, or a new one.
    private func makeSeal(_ container: String) throws(AuthError) -> Seal {
        if let seal = try seal(container) { return seal }
        guard let keys = try keyDirectory(container, creating: true) else { throw Self.vanished }
        // Another process may be first; then its key is the one.
        _ = try keys.create(Name.key, aside: Name.aside(ambient), with: ambient.randomBytes(Seal.keyBytes))
        guard let seal = try seal(container) else { throw Self.vanished }
        return seal
    }

    /// A key is not gone for good while not even the place of its directory is there.
    private func missingKey(_ container: String) -> AuthError {
        let above = "/" + locations.configurationRoot.split(separator: "/").dropLast().joined(separator: "/")
        do throws(AuthError) {
            if case .opened = try PrivateDirectory.open(root: above, [], creating: false) {
                return .lost("the key of the store is gone (\(keyPath(container)))")
            }
        } catch {}
        return AuthError(
            .storeUnavailable,
            "the directory \(locations.configurationRoot) with the store's key is gone: mount it, or else sign in "
                + "again",
            cause: UnusableRecord())
    }

    private func keyPath(_ container: String) -> String {
        "\(locations.configurationRoot)/keyturn/\(ContainerFolder.name(for: container))/\(Name.key)"
    }
}
