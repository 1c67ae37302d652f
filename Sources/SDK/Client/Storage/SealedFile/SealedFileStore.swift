public import KeyturnBase

/// Keeps each container's session in a sealed file of its own.
///
/// The session lies in `<state>/keyturn/<container>/session`, encrypted with AES-256-GCM under a random key in
/// `<configuration>/keyturn/<container>/key`: whoever gets hold of a copy of one directory, from a backup or a
/// synchronised folder, has nothing. Whoever can read both as this user has the session, as with every file: where
/// the desktop offers a keyring, prefer a store over that.
///
/// Directories have mode 0700 and files 0600; anything that is wider, somebody else's or a link is refused (the
/// directory `keyturn` itself only if others may write to it). Replacing is atomic and survives a power cut. Processes
/// exclude each other by an advisory lock (`flock`), so both directories belong on a local disk.
///
/// A small sealed file beside the session tells *nothing stored* from *cannot be read*: where it was written and does
/// not open any more, the answer is ``StoreReading/unavailable(_:)``.
public struct SealedFileStore: SessionStore {
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

    public func read(_ container: String) async -> StoreReading {
        do throws(AuthError) {
            guard let state = try stateDirectory(container, creating: false) else {
                return try absentUnlessUnmounted(container)
            }
            guard let sealed = try state.read(Name.session, maxBytes: Limits.recordMaxBytes) else {
                return try absentIfReadable(container, state)
            }
            guard let seal = try seal(container) else {
                throw AuthError(.storeUnavailable, "the key of the store is missing")
            }
            return .found(try seal.open(sealed, container: container))
        } catch {
            return .unavailable(error)
        }
    }

    public func write(_ record: StoredRecord, for container: String) async throws(AuthError) {
        guard let state = try stateDirectory(container, creating: true) else { throw Self.vanished }
        let seal = try await makeSeal(container)
        try removeLeftovers(container, state)
        let canary = try state.read(Name.canary, maxBytes: Limits.recordMaxBytes)
        if canary.flatMap({ try? seal.open($0, container: container) }) == nil {
            let fresh = StoredRecord(generation: Generation(signIn: "canary", number: 0), contents: [])
            let sealed = try seal.seal(fresh, container: container, ambient: ambient)
            try state.replace(Name.canary, aside: Name.aside(ambient), with: sealed)
        }
        let sealed = try seal.seal(record, container: container, ambient: ambient)
        try state.replace(Name.session, aside: Name.aside(ambient), with: sealed)
    }

    public func remove(_ container: String) async throws(AuthError) {
        guard let state = try stateDirectory(container, creating: false) else { return }
        try removeLeftovers(container, state)
        try state.remove(Name.session)
        // What does not open would make every later look say unavailable, for a session that is gone.
        guard case .unavailable = await read(container) else { return }
        try state.remove(Name.canary)
        try directory(locations.configurationRoot, container, creating: false)?.remove(Name.key)
    }

    public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> any StoreLock {
        guard let state = try stateDirectory(container, creating: true) else { throw Self.vanished }
        return try await FileLock.take(state, Name.lock, timeoutSeconds: timeoutSeconds)
    }

    public func changeMark(_ container: String) async -> ChangeMark? {
        try? stateDirectory(container, creating: false)?.mark(Name.session)
    }
}

extension SealedFileStore {
    private enum Name {
        static let session = "session"
        static let canary = "canary"
        static let lock = "lock"
        static let key = "key"
        static let asidePrefix = "new-"

        /// A name that nobody else uses now.
        static func aside(_ ambient: Ambient) -> String {
            asidePrefix + ambient.randomToken(byteCount: 12)
        }
    }

    private static let vanished = AuthError(.storeUnavailable, "a directory of the store vanished while it was made")

    private func stateDirectory(_ container: String, creating: Bool) throws(AuthError) -> PrivateDirectory? {
        try directory(locations.stateRoot, container, creating: creating)
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
            throw AuthError(.storeUnavailable, "the directory of the store is gone, but its key is there")
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
    private func makeSeal(_ container: String) async throws(AuthError) -> Seal {
        if let seal = try seal(container) { return seal }
        guard let keys = try directory(locations.configurationRoot, container, creating: true) else {
            throw Self.vanished
        }
        // Another process may be first; then its key is the one.
        _ = try keys.create(Name.key, aside: Name.aside(ambient), with: ambient.randomBytes(Seal.keyBytes))
        guard let seal = try seal(container) else { throw Self.vanished }
        return seal
    }

    /// Removes what a process left behind that was killed while writing.
    private func removeLeftovers(_ container: String, _ state: PrivateDirectory) throws(AuthError) {
        let path = locations.stateRoot + "/keyturn/" + ContainerFolder.name(for: container)
        for name in Self.names(in: path) where name.hasPrefix(Name.asidePrefix) { try state.remove(name) }
    }
}
