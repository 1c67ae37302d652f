internal import KeyturnBase

/// Takes another library's session over into one container.
///
/// 1. The mark says what is being taken, with digests.
/// 2. The session is stored as the container's own, if there is none.
/// 3. The container renews it, as any other.
/// 4. Theirs is removed, if it still holds what was taken.
/// 5. The mark says that this is done. It stays for good: what a user signs out of is not found again.
///
/// Until then, and until a user has signed in or out here, it is looked for at each start. A process that ends after 1
/// begins again; after 2 the next one renews; after 3 or 4 it finds other tokens than those that were taken, and goes on
/// with 4.
struct LegacyTakeover: SessionTakeover {
    let session: LegacySession
    let items: any LegacySessionItems
    let store: any SessionStore
    let container: String
    let client: SessionRecord.Client
    /// See ``SessionRecord/serviceDetails``.
    let serviceDetails: [String: String]
    let ambient: Ambient

    func takeOver() async throws(AuthError) -> SessionTakeoverOutcome {
        guard try await isOpen() else { return .nothing }
        guard let lock = try await store.lock(container, timeoutSeconds: Limits.lockSeconds) else {
            throw AuthError(.storeUnavailable, "another process uses the session")
        }
        let result: Result<SessionTakeoverOutcome, AuthError>
        do throws(AuthError) {
            result = .success(try await takeOverLocked())
        } catch {
            result = .failure(error)
        }
        await lock.unlock()
        return try result.get()
    }

    func preview() -> SessionRecord? {
        guard let store = store as? any ImmediateStore else { return nil }
        switch store.readNow(place) {
        case .absent: break
        case .found(let mark) where TakeoverMark(mark.contents).stage == .taking: break
        case .found, .unavailable: return nil
        }
        guard case .found(let tokens) = try? session.find(in: items) else { return nil }
        return record(of: tokens)
    }

    func finish() async -> Bool {
        do throws(AuthError) {
            guard let (mark, generation) = try await mark(), mark.stage != .done else { return true }
            if let own = try await own() {
                guard !mark.isUnchanged(own) else { return false }
            } else if mark.stage == .taking {
                return false
            }
            try removeTheirs(mark)
            try await write(.done, over: generation)
            return true
        } catch {
            return false
        }
    }

    func signedIn() async {
        do throws(AuthError) {
            if try await mark() == nil { try await close() } else { _ = await finish() }
        } catch {
            // Before the session is removed, this is made up for.
        }
    }

    func retire() async throws(AuthError) {
        try await advance { $0.stage == .taking ? $0.at(.removing) : $0 }
    }

    func close() async throws(AuthError) {
        try await advance { $0.stage == .taking ? .done : $0 }
    }
}

extension LegacyTakeover {
    /// Whether there may be something to do: without waiting for the lock, which others may hold for long.
    private func isOpen() async throws(AuthError) -> Bool {
        if let (mark, _) = try await mark() { return mark.stage != .done }
        if case .absent = await store.read(container) { return true }
        return false
    }

    private func takeOverLocked() async throws(AuthError) -> SessionTakeoverOutcome {
        let found = try await mark()
        if let (mark, generation) = found {
            guard mark.stage != .done else { return .nothing }
            if let own = try await own() {
                if mark.isUnchanged(own) { return .waiting }
                _ = await finish()
                return .nothing
            }
            if mark.stage == .removing {
                try removeTheirs(mark)
                try await write(.done, over: generation)
                return .nothing
            }
        }
        return try await take(over: found?.generation)
    }

    private func take(over generation: Generation?) async throws(AuthError) -> SessionTakeoverOutcome {
        // Another client's session is none of ours, and stands in the way all the same.
        guard case .absent = await store.read(container) else { return .nothing }
        let tokens: LegacyTokens
        switch try session.find(in: items) {
        // No mark: a keychain may not show what is locked, and an earlier release of the app may be used once more.
        case .absent: return .nothing
        case .unusable(let code): return .refused(AuthError(code, "another library's session is left alone"))
        case .found(let found): tokens = found
        }
        guard let record = record(of: tokens) else { return .refused(LegacyDecoding.damaged) }
        try await write(TakeoverMark(taking: record, from: tokens.sources), over: generation)
        let outcome = try await store.write(record.stored, for: container, when: .absent)
        return outcome == .done ? .taken : .nothing
    }

    /// The session as this container's own; `nil` if its tokens are not those of this service.
    private func record(of tokens: LegacyTokens) -> SessionRecord? {
        var claims = tokens.userClaims
        if client.projectID != nil {
            guard let token = SessionToken(Secret(tokens.accessToken)) else { return nil }
            if claims["sub"]?.stringValue != token.entityId { claims = ["sub": .string(token.entityId)] }
        }
        let now = ambient.now()
        let end: UnixTime? = if case .at(let end) = tokens.end { end } else { nil }
        var record = ManagedSession(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken, expiresAt: end, userClaims: claims
        ).record(signIn: ambient.randomToken(byteCount: 16), client: client, at: now)
        record.serviceDetails = serviceDetails
        if tokens.end == .over { (record.obtainedAt, record.expiresAt) = (now, now) }
        return record
    }

    /// Removes the items that still hold what was taken. What that library has stored since is not ours.
    private func removeTheirs(_ mark: TakeoverMark) throws(AuthError) {
        for source in mark.sources {
            guard let data = try items.item(source.item), TakeoverMark.digest(data) == source.digest else { continue }
            try items.removeItem(source.item)
        }
    }
}

/// The records.
extension LegacyTakeover {
    private var place: String { container + "/takeover" }

    private func mark() async throws(AuthError) -> (mark: TakeoverMark, generation: Generation)? {
        switch await store.read(place) {
        case .absent: nil
        case .unavailable(let error): throw error
        case .found(let record): (TakeoverMark(record.contents), record.generation)
        }
    }

    /// This client's session.
    private func own() async throws(AuthError) -> SessionRecord? {
        switch await store.read(container) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let stored): return try SessionRecord(stored)
        }
    }

    private func write(_ mark: TakeoverMark, over generation: Generation?) async throws(AuthError) {
        let next = generation?.next ?? Generation(signIn: "takeover", number: 1)
        let condition: StoreCondition = generation.map { .generation($0) } ?? .absent
        let record = StoredRecord(generation: next, contents: mark.contents)
        guard try await store.write(record, for: place, when: condition) == .done else {
            throw AuthError(.storeUnavailable, "another process takes the session over")
        }
    }

    /// Changes the mark; without one, nothing is taken over from now on.
    private func advance(_ change: (TakeoverMark) -> TakeoverMark) async throws(AuthError) {
        for attempt in 1...3 {
            let found = try await mark()
            let next = found.map { change($0.mark) } ?? .done
            guard next != found?.mark else { return }
            do throws(AuthError) {
                return try await write(next, over: found?.generation)
            } catch {
                guard attempt < 3 else { throw error }
            }
        }
    }
}

extension LegacyTakeover {
    /// What a container takes over; `nil`: nothing.
    ///
    /// - Parameters:
    ///   - service: The container's service.
    ///   - isNamed: Whether the app gave the container its name. One of several may then be meant, and only the app knows
    ///     which.
    ///   - storage: Where the container keeps its session.
    ///   - store: The same, as the container uses it.
    ///   - container: The container's name.
    ///   - ambient: Clock and randomness.
    init?(
        of service: Service, isNamed: Bool, storage: SessionStorage, store: any SessionStore, container: String,
        ambient: Ambient
    ) {
        guard let session = service.legacySession, service.choosesLegacySession || !isNamed, storage.lasts,
            let items = session.items ?? PlatformLegacyItems.make()
        else { return nil }
        self.init(
            session: session, items: items, store: store, container: container,
            client: SessionRecord.Client(service), serviceDetails: service.details, ambient: ambient)
    }
}

extension SessionStorage {
    /// Whether a session outlives the process. One that does not would be gone with it, and theirs as well.
    fileprivate var lasts: Bool {
        switch self {
        case .memory: false
        case .custom(let store): !(store is MemoryStore)
        case .automatic: true
        }
    }
}
