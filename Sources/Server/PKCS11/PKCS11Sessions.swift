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
        /// Grows when all sessions are to end: what is given back from before is closed.
        var generation = 0
        /// Then it is not shown again: a token locks after a few wrong ones.
        var isPINRefused = false
    }

    /// The module's list of functions, as a number: pointers cannot go from thread to thread.
    private let address: UInt
    private let label: String
    private let pin: Secret
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: countMax)
    /// Held while a session is opened: of many callers one shows the PIN.
    private let opening = Mutex(())

    /// Opens the first session, so that a wrong PIN is known at once.
    init(module path: String, token label: String, pin: Secret) throws(PKCS11Problem) {
        address = try PKCS11Modules.load(path)
        self.label = label
        self.pin = pin
        try run { (_) throws(PKCS11Problem) in }
    }

    private var module: keyturn_p11 {
        guard let module = unsafe keyturn_p11(bitPattern: address) else {
            preconditionFailure("a module that was loaded is somewhere")
        }
        return unsafe module
    }

    /// Does something in a session, and once more in a new one if the token has lost the first.
    func run<Value>(
        _ work: (PKCS11Session) throws(PKCS11Problem) -> Value
    ) throws(PKCS11Problem) -> Value {
        room.wait()
        defer { room.signal() }
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
            let isCurrent = state.withLock { state in
                if state.generation == generation { state.free.append(session.handle) }
                return state.generation == generation
            }
            if !isCurrent { session.close() }
        }
        return try work(session)
    }

    private func take() throws(PKCS11Problem) -> (PKCS11Session, generation: Int) {
        let (kept, known, generation) = state.withLock { ($0.free.popLast(), $0.slot, $0.generation) }
        if let kept { return (unsafe PKCS11Session(module, kept, label: label), generation) }
        let session = try opening.withLock { (_) throws(PKCS11Problem) in try open(known) }
        return (session, generation)
    }

    private func open(_ known: CK_SLOT_ID?) throws(PKCS11Problem) -> PKCS11Session {
        guard !state.withLock({ $0.isPINRefused }) else { throw .pin }
        let slot: CK_SLOT_ID
        if let known { slot = known } else { slot = try findSlot() }
        do throws(PKCS11Problem) {
            let pin = Array(pin.exposed().utf8)
            return try unsafe PKCS11Session(module, slot: slot, pin: pin, label: label)
        } catch {
            if error == .pin { state.withLock { $0.isPINRefused = true } }
            throw error
        }
    }

    private func findSlot() throws(PKCS11Problem) -> CK_SLOT_ID {
        var slot: CK_SLOT_ID = 0
        let code = unsafe keyturn_p11_slot(module, label, &slot)
        guard code == CKR_OK else { throw PKCS11Problem(code, label: label) }
        state.withLock { $0.slot = slot }
        return slot
    }

    /// Ends the sessions that are not in use now, and lets none of those in use be used again.
    private func endAll() {
        let free = state.withLock { state in
            let free = state.free
            (state.slot, state.free, state.generation) = (nil, [], state.generation + 1)
            return free
        }
        for handle in free { unsafe PKCS11Session(module, handle, label: label).close() }
    }
}
