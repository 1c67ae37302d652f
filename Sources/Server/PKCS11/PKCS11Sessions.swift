internal import CPKCS11
internal import Dispatch
internal import KeyturnBase
internal import Synchronization

/// The sessions with one token. What is not used is kept for the next caller.
@safe final class PKCS11Sessions: Sendable {
    /// At most so many at once: a caller beyond waits for one.
    private static let countMax = 16

    private struct State {
        var slot: CK_SLOT_ID?
        var free: [CK_SESSION_HANDLE] = []
        /// Grows when all sessions were ended: what is given back from before is not used again.
        var generation = 0
    }

    private nonisolated(unsafe) let module: keyturn_p11
    private let label: String
    private let pin: Secret
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: countMax)
    /// Whether the last work failed.
    private let isAway = Atomic(false)
    private let isTried = Atomic(false)

    /// Opens the first session, so that a wrong PIN is known at once and not tried again and again.
    init(module path: String, token label: String, pin: Secret) throws(PKCS11Problem) {
        var words: UnsafePointer<CChar>?
        var code = CK_RV(CKR_OK)
        guard let module = unsafe keyturn_p11_load(path, &words, &code) else {
            guard let words = unsafe words else { throw PKCS11Problem(code, label: label) }
            throw .module(unsafe String(cString: words))
        }
        unsafe self.module = module
        self.label = label
        self.pin = pin
        try run { (_) throws(PKCS11Problem) in }
    }

    /// Does something in a session, and once more in a new one if the token has lost the first.
    func run<Value>(
        _ work: (PKCS11Session) throws(PKCS11Problem) -> Value
    ) throws(PKCS11Problem) -> Value {
        room.wait()
        defer { room.signal() }
        do throws(PKCS11Problem) {
            let value = try onceOrTwice(work)
            isAway.store(false, ordering: .relaxed)
            return value
        } catch {
            isAway.store(true, ordering: .relaxed)
            throw error
        }
    }

    /// Whether the token answers. After a failure one caller at a time tries.
    func isReady(trying work: () throws -> Void) -> Bool {
        guard isAway.load(ordering: .relaxed) else { return true }
        guard !isTried.exchange(true, ordering: .relaxed) else { return false }
        defer { isTried.store(false, ordering: .relaxed) }
        return (try? work()) != nil
    }

    private func onceOrTwice<Value>(
        _ work: (PKCS11Session) throws(PKCS11Problem) -> Value
    ) throws(PKCS11Problem) -> Value {
        do throws(PKCS11Problem) {
            return try once(work)
        } catch {
            guard error.isOfSession else { throw error }
            endAll()
            return try once(work)
        }
    }

    private func once<Value>(
        _ work: (PKCS11Session) throws(PKCS11Problem) -> Value
    ) throws(PKCS11Problem) -> Value {
        let (session, generation) = try take()
        defer {
            state.withLock { if $0.generation == generation { $0.free.append(session.handle) } }
        }
        return try work(session)
    }

    private func take() throws(PKCS11Problem) -> (PKCS11Session, generation: Int) {
        let (kept, known, generation) = state.withLock { ($0.free.popLast(), $0.slot, $0.generation) }
        if let kept { return (unsafe PKCS11Session(module, kept, label: label), generation) }
        let slot: CK_SLOT_ID
        if let known { slot = known } else { slot = try findSlot() }
        let pin = Array(pin.exposed().utf8)
        return (try unsafe PKCS11Session(module, slot: slot, pin: pin, label: label), generation)
    }

    private func findSlot() throws(PKCS11Problem) -> CK_SLOT_ID {
        var slot: CK_SLOT_ID = 0
        let code = unsafe keyturn_p11_slot(module, label, &slot)
        guard code == CKR_OK else { throw PKCS11Problem(code, label: label) }
        state.withLock { $0.slot = slot }
        return slot
    }

    /// Ends all sessions of this process with the token; the next caller signs in anew.
    func endAll() {
        let slot = state.withLock { state in
            let slot = state.slot
            (state.slot, state.free, state.generation) = (nil, [], state.generation + 1)
            return slot
        }
        if let slot { unsafe keyturn_p11_close_all(module, slot) }
    }
}
