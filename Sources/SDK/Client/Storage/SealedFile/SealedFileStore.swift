public import KeyturnBase

/// Keeps each container's session in a sealed file of its own.
///
/// The session lies in `<state>/keyturn/<container>/session.<n>`, encrypted with AES-256-GCM under a random key in
/// `<configuration>/keyturn/<container>/key`: a copy of one directory, from a backup or a
/// synchronised folder, is worthless. A program that can read both as this user has the session, as with every file:
/// where the desktop offers a keyring, prefer a store over that.
///
/// Directories have mode 0700 and files 0600; anything that is wider, another user's or a link is refused (the
/// directory `keyturn` itself only if others may write to it). Replacing is atomic and survives a power cut: each
/// record gets a file with the next number, which exactly one writer can make. An advisory lock (`flock`) spares
/// requests, so both directories belong on a local disk.
///
/// A small sealed file beside the session tells *nothing stored* from *cannot be read*: where it was written and does
/// not open any more, the answer is ``StoreReading/unavailable(_:)``.
public struct SealedFileStore: ImmediateStore {
    /// Where the files lie.
    public struct Locations: Hashable, Sendable {
        /// What changes while running: sessions and locks. Absolute.
        public let stateRoot: String
        /// What seldom changes: keys. Absolute.
        public let configurationRoot: String

        /// - Parameters:
        ///   - stateRoot: An absolute path; made when missing.
        ///   - configurationRoot: An absolute path; made when missing.
        public init(stateRoot: String, configurationRoot: String) {
            self.stateRoot = stateRoot
            self.configurationRoot = configurationRoot
        }
    }

    private let locations: Locations
    private let ambient: Ambient

    /// A store at `locations`. Touches no disk.
    public init(_ locations: Locations, ambient: Ambient) {
        precondition(locations.stateRoot.hasPrefix("/"), "the state directory must be an absolute path")
        precondition(locations.configurationRoot.hasPrefix("/"), "the configuration directory must be an absolute path")
        self.locations = locations
        self.ambient = ambient
    }

    public func read(_ container: String) async -> StoreReading { readNow(container) }

    public func readNow(_ container: String) -> StoreReading {
        do throws(AuthError) {
            guard let state = try stateDirectory(container, creating: false) else {
                return try absentUnlessUnmounted(container)
            }
            guard let (_, sealed) = try current(container, state) else {
                return try absentIfReadable(container, state)
            }
            guard let seal = try seal(container) else {
                throw AuthError(.storeUnavailable, "the key of the store is missing")
            }
            let record = try seal.open(sealed, container: container)
            return record == Self.nobody ? .absent : .found(record)
        } catch {
            return .unavailable(error)
        }
    }

    public func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        let state = try makeStateDirectory(container)
        let seal = try makeSeal(container)
        try removeLeftovers(container, state)
        let canary = try state.read(Name.canary, maxBytes: Limits.recordMaxBytes)
        if canary.flatMap({ try? seal.open($0, container: container) }) == nil {
            let sealed = try seal.seal(Self.nobody, container: container, ambient: ambient)
            try state.replace(Name.canary, aside: Name.aside(ambient), with: sealed)
        }
        let sealed = try seal.seal(record, container: container, ambient: ambient)
        return try append(sealed, container, state, seal, when: condition)
    }

    public func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        guard let state = try stateDirectory(container, creating: false) else {
            // Without its key, what is not mounted now will never be a session again.
            if condition == .always { try removeKey(container) }
            return condition.holds(for: nil) ? .done : .overtaken
        }
        switch await read(container) {
        case .absent: return condition.holds(for: nil) ? .done : .overtaken
        case .unavailable(let error):
            guard condition == .always else { throw error }
            try removeAll(container, state)
            return .done
        case .found: return try removeFound(container, state, when: condition)
        }
    }

    private func removeFound(
        _ container: String, _ state: PrivateDirectory, when condition: StoreCondition
    ) throws(AuthError) -> StoreOutcome {
        guard let seal = try seal(container) else { throw Self.vanished }
        try removeLeftovers(container, state)
        let sealed = try seal.seal(Self.nobody, container: container, ambient: ambient)
        do throws(AuthError) {
            return try append(sealed, container, state, seal, when: condition)
        } catch {
            // A full disk has room for nothing, but a file can always be taken away.
            guard try holds(condition, container, state, seal) else { return .overtaken }
            try removeSessions(container, state)
            return .done
        }
    }

    public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        let state = try makeStateDirectory(container)
        return try await FileLock.take(state, Name.lock, timeoutSeconds: timeoutSeconds)
    }

    public func changeMark(_ container: String) async -> ChangeMark? {
        guard let state = try? stateDirectory(container, creating: false),
            let number = try? numbers(state).max()
        else { return nil }
        return state.mark(Name.session(number))
    }
}

/// The numbered files. The highest is what is stored; who adds the next number has replaced it, and only one can.
extension SealedFileStore {
    /// What stands for an empty store where something was stored before.
    private static let nobody = StoredRecord(generation: Generation(signIn: "", number: 0), contents: [])

    /// The highest number and what its file holds; `nil` if there is none.
    private func current(_ container: String, _ state: PrivateDirectory) throws(AuthError) -> (UInt64, [UInt8])? {
        for _ in 0..<Limits.fileRetries {
            guard let number = try numbers(state).max() else { return nil }
            // A file that has gone since was replaced since.
            guard let sealed = try state.read(Name.session(number), maxBytes: Limits.recordMaxBytes) else { continue }
            return (number, sealed)
        }
        throw AuthError(.storeUnavailable, "the store changes too fast to be read")
    }

    private func append(
        _ sealed: [UInt8], _ container: String, _ state: PrivateDirectory, _ seal: Seal, when condition: StoreCondition
    ) throws(AuthError) -> StoreOutcome {
        for _ in 0..<Limits.fileRetries {
            let last = try numbers(state).max() ?? 0
            guard try holds(condition, container, state, seal) else { return .overtaken }
            guard try numbers(state).max() ?? 0 == last else { continue }
            let isMade = try state.create(Name.session(last + 1), aside: Name.aside(ambient), with: sealed)
            guard isMade else { continue }
            // Held up for so long that the number had come and gone: then this file counts for nothing.
            guard try numbers(state).max() == last + 1 else {
                try state.remove(Name.session(last + 1))
                continue
            }
            for number in try numbers(state) where number <= last { try state.remove(Name.session(number)) }
            return .done
        }
        throw AuthError(.storeUnavailable, "others change the store all the time")
    }

    private func holds(
        _ condition: StoreCondition, _ container: String, _ state: PrivateDirectory, _ seal: Seal
    ) throws(AuthError) -> Bool {
        guard condition != .always else { return true }
        guard let (_, found) = try current(container, state) else { return condition.holds(for: nil) }
        let record = try seal.open(found, container: container)
        return condition.holds(for: record == Self.nobody ? nil : record.generation)
    }

    private func numbers(_ state: PrivateDirectory) throws(AuthError) -> [UInt64] {
        try state.names().compactMap(Name.number)
    }

    private func removeSessions(_ container: String, _ state: PrivateDirectory) throws(AuthError) {
        // The highest last: killed in between, this must not bring an older one back.
        for number in try numbers(state).sorted() { try state.remove(Name.session(number)) }
    }

    /// What does not open would make every later look say unavailable, for a session that is gone.
    private func removeAll(_ container: String, _ state: PrivateDirectory) throws(AuthError) {
        try removeSessions(container, state)
        try state.remove(Name.canary)
        try removeKey(container)
    }

    private func removeKey(_ container: String) throws(AuthError) {
        try directory(locations.configurationRoot, container, creating: false)?.remove(Name.key)
    }
}

extension SealedFileStore {
    private enum Name {
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

    private func stateDirectory(_ container: String, creating: Bool) throws(AuthError) -> PrivateDirectory? {
        try directory(locations.stateRoot, container, creating: creating)
    }

    /// The directory, made if need be; but not where it should be mounted and is not, for there it would look empty.
    private func makeStateDirectory(_ container: String) throws(AuthError) -> PrivateDirectory {
        if try stateDirectory(container, creating: false) == nil { _ = try absentUnlessUnmounted(container) }
        guard let state = try stateDirectory(container, creating: true) else { throw Self.vanished }
        return state
    }

    private func directory(
        _ root: String, _ container: String, creating: Bool
    ) throws(AuthError) -> PrivateDirectory? {
        let names = ["keyturn", ContainerFolder.name(for: container)]
        switch try PrivateDirectory.open(root: root, names, creating: creating) {
        case .opened(let directory): return directory
        case .absent: return nil
        }
    }

    /// Nothing was ever stored here, unless there is a key and not even the directory above: then that is not mounted.
    private func absentUnlessUnmounted(_ container: String) throws(AuthError) -> StoreReading {
        if case .opened = try PrivateDirectory.open(root: locations.stateRoot, [], creating: false) { return .absent }
        guard try seal(container) == nil else {
            throw AuthError(
                .storeUnavailable,
                "the directory of the store is gone, but its key is there: mount it, or sign out by force")
        }
        return .absent
    }

    /// Nothing is stored, provided that what was once written beside it still opens.
    private func absentIfReadable(_ container: String, _ state: PrivateDirectory) throws(AuthError) -> StoreReading {
        guard let canary = try state.read(Name.canary, maxBytes: Limits.recordMaxBytes) else { return .absent }
        guard let seal = try seal(container) else {
            throw AuthError(.storeUnavailable, "the key of the store is missing")
        }
        _ = try seal.open(canary, container: container)
        return .absent
    }

    /// The key that is there; `nil` if none is.
    private func seal(_ container: String) throws(AuthError) -> Seal? {
        guard let keys = try directory(locations.configurationRoot, container, creating: false),
            let key = try keys.read(Name.key, maxBytes: 1_024)
        else { return nil }
        guard key.count == Seal.keyBytes else {
            throw AuthError(.storeUnavailable, "the key of the store is damaged")
        }
        return Seal(key: key)
    }

    /// The key that is there, or a new one.
    private func makeSeal(_ container: String) throws(AuthError) -> Seal {
        if let seal = try seal(container) { return seal }
        guard let keys = try directory(locations.configurationRoot, container, creating: true) else {
            throw Self.vanished
        }
        // Another process may be first; then its key is the one.
        _ = try keys.create(Name.key, aside: Name.aside(ambient), with: ambient.randomBytes(Seal.keyBytes))
        guard let seal = try seal(container) else { throw Self.vanished }
        return seal
    }

    /// Removes what a process left behind that was killed while writing; what is young may still be in the making.
    private func removeLeftovers(_ container: String, _ state: PrivateDirectory) throws(AuthError) {
        for name in try state.names()
        where name.hasPrefix(Name.asidePrefix) && state.ageSeconds(name) ?? 0 > Limits.leftoverSeconds {
            try state.remove(name)
        }
    }
}
