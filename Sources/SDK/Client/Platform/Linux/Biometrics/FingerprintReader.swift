#if os(Linux)
    internal import KeyturnBase

    /// The machine's fingerprint reader, for tasks: each use has a thread of its own.
    struct FingerprintReader: Sendable {
        let addresses: [BusAddress]
        let showing: @Sendable (FingerprintMoment, BiometricPrompt) -> Void

        /// The enrolled fingers.
        ///
        /// - Throws: `biometric.unsupported`; `transport.unavailable` if it cannot be known now.
        func enrolledFingers() async throws(AuthError) -> [String] {
            let addresses = addresses
            do throws(BusProblem) {
                return try await DetachedThread.run { () throws(BusProblem) in
                    try FprintdClient(addresses).enrolledFingers()
                }
            } catch {
                throw error.fingerprintError
            }
        }

        /// Waits for a finger that it knows. Cancelling the task ends the waiting.
        ///
        /// - Returns: The fingers that were enrolled at that moment.
        func recognise(_ prompt: BiometricPrompt) async throws(AuthError) -> [String] {
            let (addresses, showing) = (addresses, showing)
            let interrupt = BusInterrupt()
            let deadline = ContinuousClock.now + .seconds(Limits.touchSeconds)
            let result: Result<(FprintdClient.Outcome, [String]), BusProblem> = await withTaskCancellationHandler {
                do throws(BusProblem) {
                    return .success(
                        try await DetachedThread.run { () throws(BusProblem) in
                            let reader = try FprintdClient(addresses)
                            let fingers = try reader.enrolledFingers()
                            guard !fingers.isEmpty else { throw .refused(FprintdClient.noPrints) }
                            let outcome = try reader.verify(until: deadline, or: interrupt) { showing($0, prompt) }
                            return (outcome, fingers)
                        })
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                interrupt.raise()
            }
            switch result {
            case .success((.recognised, let fingers)): return fingers
            case .success((.somebodyElse, _)):
                throw AuthError(.biometricFailed, "the finger is none of those that are enrolled")
            case .failure(.timedOut) where ContinuousClock.now >= deadline:
                throw AuthError(.cancelled, "nobody touched the reader in time")
            case .failure(let problem): throw problem.fingerprintError
            }
        }
    }
#endif
