#if os(Linux)
    internal import Crypto
    internal import KeyturnBase
    internal import KeyturnWebAuthn

    /// One ceremony with one open key: says when to touch it, asks for its PIN, tries the algorithms in their order.
    struct SecurityKeyConnection: Sendable {
        let port: any SecurityKeyPort
        let interaction: (any SecurityKeyInteraction)?

        func create(
            _ options: PublicKeyCredentialCreationOptions, clientData: [UInt8]
        ) async throws(AuthError) -> RegistrationResponse {
            let facts = port.facts
            let selection = options.authenticatorSelection
            guard selection.residentKey != .required || facts.keepsDiscoverable else {
                throw .passkeyUnavailable("this security key cannot keep a passkey")
            }
            let isDiscoverable = facts.keepsDiscoverable && selection.residentKey != .discouraged
            // None named means these (WebAuthn Level 3 §5.1.3 step 10).
            var algorithms = options.algorithms.isEmpty ? [-7, -257] : options.algorithms
            var request = SecurityKeyCreation(
                rpID: options.rpID, rpName: options.rpName, userID: options.user.id,
                userName: options.user.name ?? "", displayName: options.user.displayName ?? options.user.name ?? "",
                clientDataHash: Array(SHA256.hash(data: clientData)), algorithm: algorithms.removeFirst(),
                excluded: options.excludeCredentials.map(\.id), isDiscoverable: isDiscoverable,
                verifiesByItself: false, pin: nil)
            var proof = try proof(selection.userVerification)
            while true {
                request.verifiesByItself = proof == .byItself
                request.pin = try await pin(for: proof)
                let asked = request
                let outcome = await perform(.register) { (port) throws(SecurityKeyStatus) in
                    try port.makeCredential(asked)
                }
                switch outcome {
                case .success(let credential):
                    return Self.response(credential, options, clientData, isDiscoverable, facts.transports)
                case .failure(.unsupportedAlgorithm) where !algorithms.isEmpty:
                    request.algorithm = algorithms.removeFirst()
                case .failure(let status):
                    proof = try next(proof, after: status)
                }
            }
        }

        func get(
            _ options: PublicKeyCredentialRequestOptions, clientData: [UInt8]
        ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            var proof = try proof(options.userVerification)
            var request = SecurityKeyRequest(
                rpID: options.rpID, clientDataHash: Array(SHA256.hash(data: clientData)),
                allowed: options.allowCredentials.map(\.id), verifiesByItself: false, pin: nil)
            while true {
                request.verifiesByItself = proof == .byItself
                request.pin = try await pin(for: proof)
                let asked = request
                let outcome = await perform(.signIn) { (port) throws(SecurityKeyStatus) in
                    try port.assertions(asked)
                }
                switch outcome {
                case .success(let assertions):
                    return try Self.response(try await choose(assertions), request.allowed, clientData)
                case .failure(let status):
                    proof = try next(proof, after: status)
                }
            }
        }

        /// How the person is verified.
        private enum Proof: Hashable {
            case none, byItself
            case pin(wasWrong: Bool)
        }

        private func proof(_ wanted: UserVerificationRequirement) throws(AuthError) -> Proof {
            if wanted == .discouraged { return .none }
            if port.facts.hasUserVerification { return .byItself }
            if port.facts.hasPIN { return .pin(wasWrong: false) }
            guard wanted != .required else {
                throw .passkey(
                    .passkeyPIN, .unexpected, .failed, "the service wants a PIN, and this security key has none yet")
            }
            return .none
        }

        private func pin(for proof: Proof) async throws(AuthError) -> Secret? {
            guard case .pin(let wasWrong) = proof else { return nil }
            guard let interaction else {
                throw .passkey(
                    .passkeyPIN, .unexpected, .notInteractive, "the security key wants its PIN, and nobody can be asked"
                )
            }
            let port = port
            let triesLeft = await DetachedThread.run { port.pinTriesLeft() }
            guard let pin = await interaction.pin(triesLeft: triesLeft, wasWrong: wasWrong) else {
                throw .passkeyCancelled("the person did not tell the PIN")
            }
            return pin
        }

        /// What to try after a refusal.
        private func next(_ proof: Proof, after status: SecurityKeyStatus) throws(AuthError) -> Proof {
            switch (status, proof) {
            case (.pinInvalid, .pin): return .pin(wasWrong: true)
            case (.pinRequired, .none), (.verificationBlocked, .byItself), (.verificationInvalid, .byItself):
                guard port.facts.hasPIN else { throw Self.failure(status) }
                return .pin(wasWrong: false)
            default:
                if status == .cancelled, Task.isCancelled { throw .taskCancelled }
                throw Self.failure(status)
            }
        }

        private func perform<Answer: Sendable>(
            _ purpose: SecurityKeyTouch,
            _ body: @escaping @Sendable (any SecurityKeyPort) throws(SecurityKeyStatus) -> Answer
        ) async -> Result<Answer, SecurityKeyStatus> {
            guard !Task.isCancelled else { return .failure(.cancelled) }
            await interaction?.touchKey(purpose)
            let port = port
            let isOver = Locked(false)
            return await withTaskCancellationHandler {
                await DetachedThread.run { () -> Result<Answer, SecurityKeyStatus> in
                    defer { isOver.withLock { $0 = true } }
                    do throws(SecurityKeyStatus) {
                        return .success(try body(port))
                    } catch {
                        return .failure(error)
                    }
                }
            } onCancel: {
                // Unstructured, and more than once: a key forgets a cancellation that comes before the command.
                Task {
                    while !isOver.withLock({ $0 }) {
                        port.cancel()
                        try? await Task.sleep(for: .milliseconds(200))
                    }
                }
            }
        }

        private func choose(_ assertions: [SecurityKeyAssertion]) async throws(AuthError) -> SecurityKeyAssertion {
            guard let first = assertions.first else { throw Self.failure(.noCredentials) }
            // Without a user to ask it is the one that was made last.
            guard assertions.count > 1, let interaction else { return first }
            let accounts = assertions.map { SecurityKeyAccount(name: $0.userName, displayName: $0.displayName) }
            guard let position = await interaction.chooseAccount(among: accounts),
                assertions.indices.contains(position)
            else { throw .passkeyCancelled("the person chose no account") }
            return assertions[position]
        }
    }
#endif
