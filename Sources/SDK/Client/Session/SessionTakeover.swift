internal import KeyturnBase

/// Takes over, once, the session that another library left on this device.
///
/// Ours is stored first, then it is renewed, and only then theirs is removed. Whatever stops in between, one of the two
/// is there and good.
protocol SessionTakeover: Sendable {
    /// Takes the session over if there certainly is no own one, and no user has signed in or out here.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now whether there is something to take over.
    func takeOver() async throws(AuthError) -> SessionTakeoverOutcome

    /// What would be taken over, as far as that can be known without waiting. Changes nothing.
    func preview() -> SessionRecord?

    /// Removes what was taken over from where it came from, once its session was renewed or given up. What fails is
    /// tried again later.
    ///
    /// - Returns: Whether nothing is left to do.
    func finish() async -> Bool

    /// A user has signed in, in the place of whatever was there or could have been taken over.
    func signedIn() async

    /// The session is about to be given up by its user: what it was taken from is then to be removed.
    ///
    /// - Throws: `store.unavailable`: a session that is removed now would be taken over anew.
    func retire() async throws(AuthError)

    /// The session is about to be removed: nothing is taken over any more.
    ///
    /// - Throws: as ``retire()``.
    func close() async throws(AuthError)
}

/// What became of another library's session.
enum SessionTakeoverOutcome: Hashable, Sendable {
    /// There is nothing to do.
    case nothing
    /// It is stored as this container's own.
    case taken
    /// It was taken over earlier, and was not renewed since.
    case waiting
    /// It cannot be taken over, and was left alone.
    case refused(AuthError)
}

extension SessionKeeper {
    /// What other libraries left, if the plain store counts now.
    private var openTakeover: (any SessionTakeover)? { context.separateStore == nil ? takeover : nil }

    /// Takes over what another library left, before the first reading counts.
    ///
    /// - Parameter reading: What the store showed.
    /// - Returns: What it shows now, and what became of the other library's session.
    func takeOver(
        _ reading: SessionMachine.Reading, _ context: SessionContext
    ) async -> (SessionMachine.Reading, SessionTakeoverOutcome) {
        guard let takeover = openTakeover, machine.phase == .unknown else { return (reading, .nothing) }
        if case .unavailable = reading { return (reading, .nothing) }
        var outcome = SessionTakeoverOutcome.nothing
        var failure: AuthError?
        do throws(AuthError) {
            outcome = try await takeover.takeOver()
        } catch {
            failure = error
        }
        if outcome == .taken || outcome == .waiting { isTakeoverOpen = true }
        // What was read before is old by now: this process or another one has changed it.
        let reading = await read(context)
        // An own session counts, whatever else there may be.
        if let failure, case .absent = reading { return (.unavailable(failure), .nothing) }
        return (reading, outcome)
    }

    /// What was taken over is renewed at once: theirs can then be removed, and no other library can spend its refresh
    /// token.
    func renewTakenOver() {
        guard isTakeoverOpen, machine.record?.refreshToken != nil else { return }
        startRenewal()
    }

    /// A renewal succeeded: what the session was taken from is of no use any more.
    func finishTakeover() async {
        guard isTakeoverOpen, let takeover = openTakeover else { return }
        isTakeoverOpen = await !takeover.finish()
    }

    /// Before the session is given up: what could still be taken over is, so that it is given up as well.
    ///
    /// - Parameter force: Whether it is given up in any case.
    func retireTakeover(force: Bool) async throws(AuthError) {
        guard let takeover = openTakeover else { return }
        do throws(AuthError) {
            if machine.phase == .unknown { try await load(renewsTakenOver: false) }
            try await takeover.retire()
        } catch {
            guard force else { throw error }
            try await takeover.close()
        }
    }

    /// Before the stored session is removed. What is removed in any case is not kept by a mark that cannot be written.
    func closeTakeover(before condition: StoreCondition, _ context: SessionContext) async throws(AuthError) {
        guard context.separateStore == nil, let takeover else { return }
        do throws(AuthError) {
            try await takeover.close()
        } catch {
            guard condition == .always else { throw error }
        }
    }

    /// After it was given up.
    func endTakeover() async {
        guard let takeover = openTakeover else { return }
        isTakeoverOpen = await !takeover.finish()
    }
}
