internal import KeyturnBase

/// The store.
extension SessionKeeper {
    /// Loads the stored session, or takes over what another library left.
    ///
    /// - Parameter renewsTakenOver: Whether what was taken over is renewed as well.
    func load(renewsTakenOver: Bool = true) async throws(AuthError) {
        let context = context
        let (reading, takeover) = await takeOver(await read(context), context)
        context.machine.absorb(reading, after: takeover, at: ambient.moment())
        noteLook(at: ambient.uptime())
        publish()
        if renewsTakenOver { renewTakenOver() }
        if machine.phase == .unknown, case .unavailable(let error) = reading { throw error }
    }

    /// Notices what other containers and processes did: once a second looks whether the store changed, and only then
    /// reads it. Also makes up for a record that could not be stored.
    func lookAround() async {
        let now = ambient.uptime()
        guard machine.phase != .unknown, lastLook != now else { return }
        noteLook(at: now)
        let context = context
        let mark = await context.store.changeMark(container)
        if mark != context.lastMark || !context.machine.isDurable {
            context.machine.absorb(await read(context), at: ambient.moment())
            if !context.machine.isDurable { await makeDurable(context) }
        }
        publish()
    }

    private func noteLook(at uptime: Int64) {
        lastLook = uptime
        shelfUntil = ambient.coarseMilliseconds() + 1_000
    }

    /// Stores what is in memory alone, over what it was made from.
    private func makeDurable(_ context: SessionContext) async {
        _ = await run(RecordReplacement(telling: nil) { record, _ in .success(record) }, in: context)
    }

    /// What the store holds for this client, read at a time when nothing else happened here.
    func read(_ context: SessionContext) async -> SessionMachine.Reading {
        while true {
            let epoch = context.machine.epoch
            let (reading, mark) = await readOnce(context.store)
            let end: SessionEnd? = if case .absent = reading { await findEnd(context) } else { nil }
            guard epoch == context.machine.epoch else { continue }
            context.machine.foundEnd = end
            if let mark { context.lastMark = mark }
            return reading
        }
    }

    /// A session of another client under the same name is not this one's, and its tokens must not go to this one's
    /// server.
    private func readOnce(_ store: any SessionStore) async -> (SessionMachine.Reading, mark: ChangeMark??) {
        let mark = await store.changeMark(container)
        switch await store.read(container) {
        case .absent: return (.absent, mark)
        case .unavailable(let error): return (.unavailable(error), nil)
        case .found(let stored):
            do throws(AuthError) {
                let record = try SessionRecord(stored)
                return (record.client == identity ? .found(record) : .absent, mark)
            } catch {
                return (.unavailable(error), nil)
            }
        }
    }
}
