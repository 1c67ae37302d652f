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
            of: machine.record?.generation, jitter: 50 + Int64(ambient.randomBytes(1)[0]) * 50 / 255)
        let context = context
        // Unstructured on purpose: a renewal serves every caller, so no caller's cancellation may cancel it.
        renewal = Task {
            let outcome = await run(procedure, in: context)
            finishRenewal(number, outcome)
            if case .success = outcome { await finishTakeover() }
            if case .success(let success) = outcome, let compact = success.idToken, context === self.context {
                // A caller that waits for an access token has one now; its ID token may need the network once more.
                _ = try? await accept(compact, for: success.record)
            }
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
    func accept(_ compact: String, for renewed: SessionRecord) async throws(AuthError) -> IDToken {
        if let known = machine.record?.idToken, known.compact == compact { return known }
        let idToken = try await renewer.verify(renewedIDToken: compact, of: renewed)
        let replacement = RecordReplacement(telling: nil) { record, _ in
            guard record.accessToken == renewed.accessToken else {
                return .failure(AuthError(.signedOut, "the session moved on"))
            }
            var next = record
            next.generation = record.generation.next
            next.idToken = idToken
            return .success(next)
        }
        _ = await run(replacement)
        return idToken
    }
}
