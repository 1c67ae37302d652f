internal import KeyturnBase
internal import KeyturnWire

/// Where new tokens come from.
extension ServiceSession {
    func fetch() async throws(AuthError) -> ServiceTokens {
        switch credential.kind {
        case .clientCredentials(let subject, let scope, let resource):
            return try await ask(.clientCredentials(subject: subject, scope: scope, resource: resource))
        case .assertion(let key, let subject, let scope, let resource):
            return try await ask(.assertion(key, subject: subject, scope: scope, resource: resource))
        case .delegated(let uniqueID, let delegate): return try await fetch(from: delegate, for: uniqueID)
        case .tokens: return try await refresh()
        case .exchanged(let parent, let restriction): return try await parent.exchange(restriction)
        case .developerToken, .session: preconditionFailure("these have their token by themselves")
        }
    }

    private func ask(
        _ grant: ServiceGrant, after previous: ServiceTokens? = nil
    ) async throws(AuthError) -> ServiceTokens {
        try ServiceTokens(answer: try await endpoint.ask(grant), after: previous, at: endpoint.ambient.now())
    }

    private func fetch(
        from delegate: ServiceCredential.Delegate, for uniqueID: String
    ) async throws(AuthError) -> ServiceTokens {
        let token: DelegatedToken
        do {
            token = try await delegate(uniqueID)
        } catch {
            throw error as? AuthError ?? AuthError(.delegateFailed, "no token from elsewhere", cause: error)
        }
        guard HeaderText.isToken(token.accessToken.exposed()) else {
            throw AuthError(.delegateFailed, "what came from elsewhere is no token")
        }
        return ServiceTokens(
            accessToken: token.accessToken.exposed(), refreshToken: nil, obtainedAt: endpoint.ambient.now(),
            expiresInSeconds: token.expiresInSeconds)
    }

    /// Renews what is stored, or held where nothing is (RFC 6749 §6). A renewal that was overtaken takes what the other
    /// got.
    private func refresh() async throws(AuthError) -> ServiceTokens {
        var refusal: (error: AuthError, token: String)?
        for _ in 0..<Limits.replacedTokensMax {
            let stored = isStoreBehind ? nil : try await stored()
            let known = stored ?? held?.tokens
            guard let known, let token = known.refreshToken, token != refusal?.token else { break }
            let now = endpoint.ambient.moment()
            if refusal != nil, HeldTokens(known, at: now).isGood(for: endpoint.configuration.leewaySeconds, at: now) {
                return known
            }
            do throws(AuthError) {
                return try await ask(.refresh(Secret(token)), after: known)
            } catch {
                guard error.server?.code == OAuthProblem.Code.invalidGrant.rawValue else { throw error }
                refusal = (error, token)
            }
        }
        guard let refusal else {
            throw AuthError(.signedOut, "nobody has given access yet, or what came of it cannot be renewed")
        }
        held = nil
        await forget()
        throw AuthError(
            .sessionEnded, "the service ended the session", cause: refusal.error, server: refusal.error.server)
    }

    /// Trades the token for a lesser one, with a new token once if this one turns out to be dead (RFC 8693 §2.2.2).
    func exchange(_ restriction: TokenRestriction) async throws(AuthError) -> ServiceTokens {
        let token = try await accessToken(minimumSeconds: 0)
        do throws(AuthError) {
            return try await exchange(restriction, token)
        } catch {
            // RFC 8693 §2.2.2 says `invalid_request` of a subject token that is not good, and of much else.
            let aboutTheToken = ["invalid_request", "invalid_grant", "invalid_token"]
            let isAboutTheToken = error.server?.status == 401 || aboutTheToken.contains(error.server?.code ?? "")
            guard error.code == .refused, isAboutTheToken, canReplace else { throw error }
        }
        return try await exchange(restriction, try await replacement(for: token))
    }

    private var canReplace: Bool {
        if case .developerToken = credential.kind { false } else { true }
    }

    private func exchange(_ restriction: TokenRestriction, _ token: String) async throws(AuthError) -> ServiceTokens {
        let answer = try await endpoint.ask(
            .exchange(
                restriction.request(for: token),
                isAuthenticated: restriction.isAuthenticated(at: endpoint.configuration)))
        let tokens = try ServiceTokens(answer: answer, at: endpoint.ambient.now())
        guard tokens.issuedTokenType ?? .accessToken == .accessToken else {
            throw AuthError(.protocolViolation, "the exchange brought something else than an access token")
        }
        return tokens
    }
}

/// The store, and the end.
extension ServiceSession {
    /// What is stored. Where the credential can make tokens by itself, a store that cannot be read is as good as empty.
    func stored() async throws(AuthError) -> ServiceTokens? {
        guard let storageName else { return nil }
        do {
            return try await store.read(storageName)
        } catch {
            let problem = Self.storeError(error)
            storageProblem = problem
            guard case .tokens = credential.kind, held == nil else { return nil }
            throw problem
        }
    }

    func takeLock() async -> (any StoreLock)? {
        guard let storageName else { return nil }
        return try? await store.lock(storageName, timeoutSeconds: Limits.serviceLockSeconds)
    }

    private func forget() async {
        do throws(AuthError) {
            try await clear()
        } catch {
            storageProblem = error
        }
    }

    private func clear() async throws(AuthError) {
        guard let storageName else { return }
        do {
            try await store.clear(storageName)
        } catch {
            throw Self.storeError(error)
        }
    }

    static func storeError(_ error: any Error) -> AuthError {
        error as? AuthError ?? AuthError(.storeUnavailable, "the token store failed", cause: error)
    }

    /// Ends the tokens at the service, then forgets them. The session goes on.
    func revoke() async throws(AuthError) {
        try await checkAlive()
        if case .session(let session) = credential.kind { return try await session.logout() }
        _ = await fetching?.value
        guard let token = try await revocable() else { return }
        try await endpoint.revoke(token)
        held = nil
        try await clear()
    }

    /// Stops all use of the session, forgets the tokens, and ends them at the service.
    func destroy() async throws(AuthError) {
        let isFirst = !isDestroyed
        isDestroyed = true
        if case .session(let session) = credential.kind {
            return isFirst ? try await session.logout(force: true) : ()
        }
        resumeWaiters(.failure(Self.destroyed))
        fetching?.cancel()
        _ = await fetching?.value
        var problem: AuthError?
        if isFirst, let token = try? await revocable() { farewell = farewell ?? token }
        held = nil
        do throws(AuthError) {
            try await clear()
        } catch {
            problem = error
        }
        if let token = farewell {
            do throws(AuthError) {
                try await endpoint.revoke(token)
                farewell = nil
            } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
    }

    /// What stands for the whole session at the service; `nil` if there is nothing, or it may not be ended.
    private func revocable() async throws(AuthError) -> String? {
        if case .developerToken(let token) = credential.kind {
            return endpoint.application == nil ? nil : token.exposed()
        }
        guard endpoint.application != nil else { return nil }
        var known = held?.tokens
        if known == nil { known = try await stored() }
        guard let tokens = known else { return nil }
        return tokens.refreshToken ?? tokens.accessToken
    }
}
