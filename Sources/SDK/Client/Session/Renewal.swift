internal import KeyturnBase

/// How a renewal ended.
struct Renewal: Sendable {
    let result: Result<SessionRecord, AuthError>
    /// The ID token that came with it, or why it was not accepted; `nil` when none came.
    var idToken: Result<IDToken, AuthError>?
}

extension SessionKeeper {
    /// The renewal under way, or a new one.
    @discardableResult
    func startRenewal() -> Task<Renewal, Never> {
        if let renewal { return renewal }
        let asked = machine.record?.generation
        renewalCount += 1
        let number = renewalCount
        // Unstructured on purpose: a renewal serves every caller, so no caller's cancellation may cancel it.
        let task = Task { await renew(asked: asked, number: number) }
        renewal = task
        return task
    }

    /// Gives up the renewal under way, because its session is being given up.
    func abandonRenewal() {
        renewal?.cancel()
        renewal = nil
        renewalCount += 1
        resumeWaiters(.failure(AuthError(.signedOut, "the session was given up while it was renewed")))
    }

    private func renew(asked: Generation?, number: Int) async -> Renewal {
        var renewal: Renewal
        var received: String?
        do throws(AuthError) {
            let lock = try await store.lock(container, timeoutSeconds: Limits.renewalLockSeconds)
            (renewal, received) = await renewLocked(asked: asked)
            await lock.unlock()
        } catch {
            await note(error, of: asked)
            renewal = Renewal(result: .failure(error))
        }
        if number == renewalCount {
            // Whoever waits for an access token has one now; its ID token may need the network once more.
            self.renewal = nil
            resumeWaiters(renewal.result)
        }
        if let received, case .success(let record) = renewal.result {
            renewal.idToken = await accept(received, for: record)
        }
        return renewal
    }

    /// With the lock held: looks what others did, then asks the server; once more if the store had moved on.
    private func renewLocked(asked: Generation?) async -> (Renewal, idToken: String?) {
        var generation = asked
        for _ in 0..<2 {
            await rereadLocked()
            guard let record = machine.record else { break }
            if record.generation != generation, isGoodForAWhile(record) {
                return (Renewal(result: .success(record)), nil)
            }
            generation = record.generation
            do throws(AuthError) {
                return try await ask(record)
            } catch {
                guard isFinal(error) else {
                    await note(error, of: record.generation)
                    return (Renewal(result: .failure(error)), nil)
                }
                if await settle(error, of: record) {
                    let ended = AuthError(.sessionEnded, "the server ended the session", cause: error)
                    return (Renewal(result: .failure(ended)), nil)
                }
            }
        }
        let error =
            machine.record == nil
            ? AuthError(.signedOut, "nobody is signed in")
            : AuthError(.unavailable, "the session changed again and again while it was renewed")
        return (Renewal(result: .failure(error)), nil)
    }

    private func ask(_ record: SessionRecord) async throws(AuthError) -> (Renewal, idToken: String?) {
        // Without a readable store the successor could not be kept: better not to make one.
        if case .unavailable(let error) = await read() { throw error }
        let grant = try await renewer.renew(record)
        let next = record.renewed(by: grant, at: ambient.now())
        // Somebody may have gone on without the lock: a forced sign-out does.
        if machine.record?.generation == record.generation { await noticeRemoval(of: record) }
        await handle(.renewed(next, from: record.generation))
        guard let current = machine.record else { throw AuthError(.signedOut, "signed out while renewing") }
        let isOurs = current.generation == next.generation
        return (Renewal(result: .success(current)), isOurs ? grant.idToken : nil)
    }

    private func noticeRemoval(of record: SessionRecord) async {
        switch await read() {
        case .absent: await handle(.read(.absent))
        case .found(let found) where found.generation.signIn != record.generation.signIn:
            await handle(.read(.found(found)))
        case .found, .unavailable: break
        }
    }

    /// The server's definite word on `record`. Looks into the store once more: only if nobody has moved on does the
    /// session end.
    ///
    /// - Returns: whether it ended.
    private func settle(_ error: AuthError, of record: SessionRecord) async -> Bool {
        switch await read() {
        case .found(let found) where !isNews(found, to: record):
            await handle(.ended(error, of: record.generation))
            return true
        case .unavailable: return false
        case let reading:
            await handle(.read(reading))
            return false
        }
    }

    /// Whether `found` is anything but `record` or what it was made from.
    private func isNews(_ found: SessionRecord, to record: SessionRecord) -> Bool {
        found.generation.signIn != record.generation.signIn || found.generation.isLater(than: record.generation)
    }

    private func isFinal(_ error: AuthError) -> Bool {
        error.code == .refused && error.server?.code == "invalid_grant"
    }

    private func isGoodForAWhile(_ record: SessionRecord) -> Bool {
        let now = ambient.now()
        guard let remaining = record.remainingSeconds(at: now) else { return true }
        return remaining >= Limits.renewAheadSeconds && !record.isLifetimeInDoubt(at: now)
    }

    private func note(_ error: AuthError, of generation: Generation?) async {
        guard let generation, !error.isTaskCancelled else { return }
        await handle(.renewalFailed(error, of: generation))
    }

    /// Verifies the ID token of a renewal and stores it. Failing keeps the old one: the session does not depend on it.
    private func accept(_ compact: String, for record: SessionRecord) async -> Result<IDToken, AuthError> {
        do throws(AuthError) {
            let idToken = try await renewer.verify(renewedIDToken: compact, of: record)
            let lock = try await store.lock(container, timeoutSeconds: Limits.lockSeconds)
            await rereadLocked()
            if var next = machine.record, next.generation == record.generation {
                next.idToken = idToken
                next.generation = next.generation.next
                await replaceIDToken(next, from: record.generation)
            }
            await lock.unlock()
            return .success(idToken)
        } catch {
            return .failure(error)
        }
    }

    private func replaceIDToken(_ next: SessionRecord, from: Generation) async {
        do throws(AuthError) {
            try await store.write(next.stored, for: container)
            await handle(.idTokenReplaced(next, from: from))
        } catch {
            await handle(.saveFailed(from))
        }
    }
}
