internal import KeyturnBase

/// The store of one container, which finds out where the container's records lie.
///
/// Earlier releases kept every container without a name under `default`, whatever its program. What is left there stays
/// where it is, and one container takes it over: the first that writes the claim, a record that only one can write. Its
/// session, device key, vault, touch and locks are then those of `default`. Nothing is moved, so that nothing can be lost
/// on the way, and an older release of the same program still finds it.
///
/// The container that is called `default` on purpose keeps its records there, unless another one took them over; it then
/// has a place of its own.
final class ContainerStore: ImmediateStore, PlacedStore {
    private static let claim = ContainerName.shared + "/owner"
    private static let ownGeneration = Generation(signIn: "own", number: 1)
    private static let aside = ContainerName.shared + "/named"

    private let inner: any SessionStore
    private let name: String
    /// Whose records count; `nil`: nothing is claimed.
    private let client: SessionRecord.Client?
    /// Where the records lie, once it is known.
    private let known = Locked<String?>(nil)

    init(_ inner: any SessionStore, name: String, client: SessionRecord.Client?) {
        self.inner = inner
        self.name = name
        self.client = client
    }

    func read(_ container: String) async -> StoreReading {
        do throws(AuthError) {
            return await inner.read(try await place(container))
        } catch {
            return .unavailable(error)
        }
    }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        try await inner.write(record, for: try await place(container), when: condition)
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        try await inner.remove(try await place(container), when: condition)
    }

    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await inner.lock(try await place(container), timeoutSeconds: timeoutSeconds)
    }

    func changeMark(_ container: String) async -> ChangeMark? {
        guard let place = try? await place(container) else { return nil }
        return await inner.changeMark(place)
    }

    func readNow(_ container: String) -> StoreReading {
        guard let inner = inner as? any ImmediateStore else { return Self.waiting }
        if let slot = known.withLock({ $0 }) { return inner.readNow(mapped(container, to: slot)) }
        let own = inner.readNow(name)
        guard case .absent = own else { return container == name && name != ContainerName.shared ? own : Self.waiting }
        let (claim, shared) = (inner.readNow(Self.claim), inner.readNow(ContainerName.shared))
        switch (claim, shared) {
        case (.absent, .absent):
            guard container != name else { return .absent }
            return name == ContainerName.shared ? Self.waiting : inner.readNow(container)
        // What this container took over in an earlier run, as long as it is still its client's.
        case (.found(let claim), .found(let record)):
            guard container == name, claim == claimRecord, let client,
                let owner = try? SessionRecord(record).client, owner == client
            else { return Self.waiting }
            return shared
        default: return Self.waiting
        }
    }

    private static let waiting = StoreReading.unavailable(
        AuthError(.storeUnavailable, "finding the session takes waiting"))
}

extension ContainerStore {
    /// Where the container's records lie.
    ///
    /// - Throws: `store.unavailable` while that cannot be read.
    func slot() async throws(AuthError) -> String {
        if let slot = known.withLock({ $0 }) { return slot }
        let found = try await name == ContainerName.shared ? findShared() : findDerived()
        // Nothing is known for good while the claim cannot be written.
        guard let found else { return ContainerName.shared }
        return know(found)
    }

    /// A person is about to sign in: what cannot be read now does not keep them from it, and what turns up there later is
    /// not taken over any more.
    func settle() async {
        guard (try? await slot()) == nil else { return }
        let own = ownPlace
        guard know(own) == own else { return }
        try? await markSettled(own)
    }

    private func markSettled(_ own: String) async throws(AuthError) {
        let record = StoredRecord(generation: Self.ownGeneration, contents: [])
        _ = try await inner.write(record, for: own + "/own", when: .always)
    }

    @discardableResult
    private func know(_ slot: String) -> String {
        known.withLock { known in
            let slot = known ?? slot
            known = slot
            return slot
        }
    }

    /// Where a record lies in the store below.
    func place(_ container: String) async throws(AuthError) -> String {
        mapped(container, to: try await slot())
    }

    private func mapped(_ container: String, to slot: String) -> String {
        guard container == name || container.hasPrefix(name + "/") else { return container }
        return slot + container.dropFirst(name.count)
    }

    /// Where the records lie that no other container can claim.
    private var ownPlace: String { name == ContainerName.shared ? Self.aside : name }

    /// Whether a person signed in there while nothing else could be read. What can never be read again was written.
    private func isSettled() async throws(AuthError) -> Bool {
        do throws(AuthError) {
            return try await found(ownPlace + "/own") != nil
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return true
        }
    }

    /// Whether there is something under `name`, be it lost for ever.
    private func isUsed(_ name: String) async throws(AuthError) -> Bool {
        do throws(AuthError) {
            return try await !owners(of: name).isEmpty
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return true
        }
    }

    /// The first client that has something under `name`; `nil`: none has, or what it has is lost for ever.
    private func owner(of name: String) async throws(AuthError) -> SessionRecord.Client? {
        do throws(AuthError) {
            return try await owners(of: name).first
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return nil
        }
    }

    private func findDerived() async throws(AuthError) -> String? {
        guard try await !isSettled(), try await !isUsed(name) else { return name }
        switch try await owner() {
        case name: return try await keepsClaim() ? ContainerName.shared : name
        case .some: return name
        case nil: break
        }
        guard let client, try await owner(of: ContainerName.shared) == client else { return name }
        return try await takeOver { $0 ? ContainerName.shared : name }
    }

    private func findShared() async throws(AuthError) -> String? {
        if try await isSettled() { return Self.aside }
        if let owner = try await owner() { return owner == name ? name : Self.aside }
        guard let client, try await owner(of: name) == client else { return name }
        return try await takeOver { $0 ? name : Self.aside }
    }

    /// Whether what was taken over is still this client's. An earlier release of another program may have written its own
    /// session there since; the claim is then given up, and that program can make it.
    private func keepsClaim() async throws(AuthError) -> Bool {
        guard let client, let other = try? await owners(of: ContainerName.shared).first, other != client else {
            return true
        }
        _ = try await inner.remove(Self.claim, when: .generation(claimRecord.generation))
        return false
    }

    /// - Returns: `nil` if the claim could not be written, on a full disk for one, and no other container made it.
    private func takeOver(_ slot: (Bool) -> String) async throws(AuthError) -> String? {
        do throws(AuthError) {
            return slot(try await claim())
        } catch {
            guard let owner = try await owner() else { return nil }
            return slot(owner == name)
        }
    }

    /// A person signs in: if the container is called `default` on purpose, no other one takes that over any more.
    func claimOnSignIn() async throws(AuthError) {
        guard name == ContainerName.shared, try await slot() == name else { return }
        do throws(AuthError) {
            guard try await !claim() else { return }
        } catch {
            // Whose it is can never be known again.
            guard error.code == .storeKeyLost else { throw error }
            try await markSettled(Self.aside)
        }
        known.withLock { $0 = Self.aside }
    }

    /// Takes `default` over.
    ///
    /// - Returns: Whether it is this container's: one container alone can write the claim.
    private func claim() async throws(AuthError) -> Bool {
        guard try await inner.write(claimRecord, for: Self.claim, when: .absent) == .overtaken else { return true }
        return try await owner() == name
    }

    private var claimRecord: StoredRecord {
        StoredRecord(generation: Generation(signIn: "owner " + name, number: 1), contents: Array(name.utf8))
    }

    /// The container that took `default` over; `nil`: none did, or its claim is lost for ever.
    private func owner() async throws(AuthError) -> String? {
        do throws(AuthError) {
            return try await found(Self.claim).map { String(decoding: $0.contents, as: UTF8.self) }
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return nil
        }
    }

    /// The clients that have a session, a vault or a touch under `name`, in this order.
    private func owners(of name: String) async throws(AuthError) -> [SessionRecord.Client] {
        var clients: [SessionRecord.Client] = []
        if let record = try await found(name) { clients.append(try SessionRecord(record).client) }
        let records = VaultRecords(store: inner, container: name, ambient: .live)
        if let index = try await records.index()?.index, let kind = index.kind, !index.users.isEmpty {
            clients.append(SessionRecord.Client(kind: kind, issuer: index.issuer, clientID: index.clientID))
        }
        if let record = try await found(BiometricMemory.place(name)), let key = try BiometricRecord(record).key {
            clients.append(key.client)
        }
        return clients
    }

    private func found(_ place: String) async throws(AuthError) -> StoredRecord? {
        switch await inner.read(place) {
        case .absent: nil
        case .unavailable(let error): throw error
        case .found(let record): record
        }
    }
}

/// Device keys of the app's own, under the name where the container's records lie.
struct ContainerDeviceKeys: DeviceKeys {
    let inner: any DeviceKeys
    let store: ContainerStore

    func key(_ name: String) async -> DeviceKeyReading {
        do throws(AuthError) {
            return await inner.key(try await store.place(name))
        } catch {
            return .unavailable(error)
        }
    }

    func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey {
        try await inner.makeKey(try await store.place(name))
    }

    func removeKey(_ name: String) async throws(AuthError) {
        try await inner.removeKey(try await store.place(name))
    }
}
