internal import KeyturnBase

/// Renewals, one for all who wait.
extension SessionKeeper {
    /// Waits for the renewal under way, or for a new one. Cancelling the waiting task ends its waiting alone.
    func joinRenewal() async throws(AuthError) -> Renewal.Success {
        let id = nextWaiter
        nextWaiter += 1
        startRenewal()
        let result: Renewal.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if Task.isCancelled {
                    waiter.resume(returning: .failure(AuthError.taskCancelled))
                } else {
                    waiters[id] = waiter
                }
            }
        } onCancel: {
            Task { await self.giveUpWaiting(id) }
        }
        return try result.get()
    }

    func startRenewal() {
        guard renewal == nil else { return }
        machine.isRenewing = true
        renewalCount += 1
        let number = renewalCount
        let procedure = Renewal(
            of: machine.record, jitter: 50 + Int64(ambient.randomBytes(1)[0]) * 50 / 255)
        let context = context
        // Unstructured on purpose: a renewal serves every caller, so no caller's cancellation may cancel it.
        renewal = Task {
            let outcome = await run(procedure, in: context)
            if case .failure(let error) = outcome { await noteFailure(error, context) }
            finishRenewal(number, outcome)
            if case .success = outcome { await finishTakeover() }
            if case .success(let success) = outcome, let compact = success.idToken, context === self.context {
                // A caller that waits for an access token has one now; its ID token may need the network once more.
                await takeUp(compact, for: success.record)
            }
        }
    }

    private func noteFailure(_ error: AuthError, _ context: SessionContext) async {
        if error.code == .tokenMisdirected { hub.note(.error, "a renewal named another user, and is not used", error) }
        await keepEnd(context)
    }

    /// The session does not depend on the ID token of a renewal: one that is not acceptable is told to the log alone.
    private func takeUp(_ compact: String, for renewed: SessionRecord) async {
        do throws(AuthError) {
            _ = try await accept(compact, for: renewed)
        } catch {
            hub.note(.info, "the renewed ID token is not used", error)
        }
    }

    private func finishRenewal(_ number: Int, _ outcome: Renewal.Outcome) {
        guard number == renewalCount else { return }
        renewal = nil
        machine.isRenewing = false
        publish()
        resumeWaiters(outcome)
    }

    /// Gives up the renewal under way, because its session is being given up.
    func abandonRenewal() {
        renewal?.cancel()
        renewal = nil
        machine.isRenewing = false
        renewalCount += 1
        resumeWaiters(.failure(AuthError(.signedOut, "the session was given up while it was renewed")))
    }

    private func giveUpWaiting(_ id: Int) {
        waiters.removeValue(forKey: id)?.resume(
            returning: .failure(AuthError.taskCancelled))
    }

    func resumeWaiters(_ result: Renewal.Outcome) {
        let resumed = waiters.values
        waiters = [:]
        for waiter in resumed { waiter.resume(returning: result) }
    }

    /// Verifies the ID token of a renewal and stores it. Failing keeps the old one: the session does not depend on it.
    ///
    /// - Parameter deviceSecret: What came with it; `nil`: the one before stays.
    func accept(
        _ compact: String, for renewed: SessionRecord, deviceSecret: String? = nil
    ) async throws(AuthError) -> IDToken {
        if deviceSecret == nil, let known = machine.record?.idToken, known.compact == compact { return known }
        let idToken = try await renewer.verify(renewedIDToken: compact, of: renewed)
        let replacement = RecordReplacement(telling: nil) { record, _ in
            let isOfThis = record.accessToken == renewed.accessToken
            guard isOfThis || deviceSecret != nil && record.generation.signIn == renewed.generation.signIn else {
                return .failure(AuthError(.unavailable, "the session moved on: try again"))
            }
            var next = record
            next.generation = record.generation.next
            if isOfThis { next.idToken = idToken }
            // Only who sent the last secret was given the next one.
            if let deviceSecret, record.deviceSecret == renewed.deviceSecret { next.deviceSecret = deviceSecret }
            return .success(next)
        }
        let outcome = await run(replacement)
        // The secret before this one is of no use any more: it must not be lost in silence.
        if deviceSecret != nil { _ = try outcome.get() }
        return idToken
    }

    /// The session's ID token anew, where the service issues it for an access token alone; `nil`: it does not.
    ///
    /// A refusal of the access token is no verdict on the session: the refresh token is asked.
    func refreshIDTokenAlone() async throws(AuthError) -> IDToken? {
        if machine.phase == .unknown { try await load() }
        guard let record = machine.record, renewer.renewsIDToken(of: record) else { return nil }
        for isLast in [false, true] {
            let token = try await accessToken(minimumSeconds: Limits.presentedSeconds)
            guard let record = machine.record, record.accessToken == token else { continue }
            do throws(AuthError) {
                let renewed = try await renewer.renewIDToken(of: record)
                return try await accept(renewed.compact, for: record, deviceSecret: renewed.deviceSecret)
            } catch {
                guard error.server?.status == 401, !isLast else { throw error }
                _ = try await replacement(for: token)
            }
        }
        throw AuthError(.unavailable, "the session changed while its ID token was renewed: try again")
    }
}
