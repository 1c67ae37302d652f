public import KeyturnBase

/// Keeps each container's session in a sealed file of its own.
///
/// The session lies in `<state>/keyturn/<container>/session.<n>`, encrypted with AES-256-GCM under a random key in
/// `<configuration>/keyturn/<container>/key`: a copy of one directory, from a backup or a
/// synchronised folder, is worthless. A program that can read both as this user has the session, as with every file:
/// where the desktop offers a keyring, prefer a store over that.
///
/// Directories have mode 0700 and files 0600; anything that is wider, another user's or a link is refused (the
/// directory `keyturn` itself only if others may write to it): `store.unavailable`, and the error names the path. A
/// write or removal without a condition, as of a sign-in, replaces what lay open, with its key. Replacing is atomic and
/// survives a power cut: each record gets a file with the next number, which exactly one writer can make. An advisory
/// lock (`flock`) spares requests, so both directories belong on a local disk.
///
/// A small sealed file beside the session tells *nothing stored* from *cannot be read*: where it was written and does
/// not open any more, the answer is ``StoreReading/unavailable(_:)``. If the key is gone or a file is damaged, its code
/// is `store.key_lost`: that never passes.
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

    let locations: Locations
    let ambient: Ambient

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
            let record = try requireSeal(container).open(sealed, container: container)
            return record == Self.nobody ? .absent : .found(record)
        } catch {
            return .unavailable(error)
        }
    }

    public func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        let isReplacing = condition == .always
        let (state, seal) = try isReplacing ? replacedPlaces(container) : places(container)
        try removeLeftovers(state)
        try makeCanary(Self.nobody, container, state, seal, isReplacing: isReplacing)
        let sealed = try seal.seal(record, container: container, ambient: ambient)
        return try append(sealed, container, state, seal, when: condition)
    }

    public func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        let exposure: PrivateDirectory.Exposure = condition == .always ? .tolerated : .refused
        guard let state = try stateDirectory(container, creating: false, exposure) else {
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
        let seal = try requireSeal(container)
        try removeLeftovers(state)
        let sealed = try seal.seal(Self.nobody, container: container, ambient: ambient)
        do throws(AuthError) {
            return try append(sealed, container, state, seal, when: condition)
        } catch {
            // A full disk has room for nothing, but a file can always be taken away.
            guard try holds(condition, container, state, seal) else { return .overtaken }
            try removeSessions(state)
            return .done
        }
    }

    public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        let state = try makeStateDirectory(container, .tolerated)
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

    func numbers(_ state: PrivateDirectory) throws(AuthError) -> [UInt64] {
        try state.names().compactMap(Name.number)
    }
}
