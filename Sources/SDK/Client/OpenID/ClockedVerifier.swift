internal import KeyturnBase
internal import KeyturnVerify

/// Verifies ID tokens that came straight from the token endpoint, by two clocks: a token is in time if the service's
/// accepts it or this device's does.
///
/// The one is told by the `Date` of the service's answers, which a proxy may have written, and the other may have been
/// set wrong.
struct ClockedVerifier: Sendable {
    let verifier: IDTokenVerifier
    let clock: ServiceClock
    let ambient: Ambient

    /// As ``IDTokenVerifier/verify(_:nonce:accessToken:maxAgeSeconds:at:)``.
    ///
    /// - Parameter now: The service's time.
    func verify(
        _ idToken: String, nonce: String?, accessToken: String?, maxAgeSeconds: Int64?, at now: UnixTime
    ) async throws(AuthError) -> VerifiedIDToken {
        let received = Received(
            idToken: idToken, nonce: nonce, accessToken: accessToken, maxAgeSeconds: maxAgeSeconds)
        let failure: AuthError
        do throws(AuthError) {
            return try await verify(received, at: now)
        } catch {
            failure = error
        }
        guard failure.isAboutTime else { throw failure }
        guard clock.isKnown else {
            throw AuthError(
                failure.code, "\(failure.detail), by this device's clock: the service's answers have no Date",
                cause: failure)
        }
        let device = ambient.now()
        do throws(AuthError) {
            return try await verify(received, at: device)
        } catch {
            guard error.isAboutTime else { throw error }
            throw AuthError(
                failure.code,
                "\(failure.detail), by the Date of the service's answers; \(error.detail), by this device's clock; the "
                    + "two differ by \(device.seconds(since: now).magnitude) seconds",
                cause: failure)
        }
    }

    /// What is verified, and what it must match.
    private struct Received: Sendable {
        let idToken: String
        let nonce: String?
        let accessToken: String?
        let maxAgeSeconds: Int64?
    }

    private func verify(_ received: Received, at now: UnixTime) async throws(AuthError) -> VerifiedIDToken {
        do throws(AuthError) {
            return try await verifier.verify(
                received.idToken, nonce: received.nonce, accessToken: received.accessToken,
                maxAgeSeconds: received.maxAgeSeconds, at: now)
        } catch {
            guard error.code == .tokenMisdirected, await lacksNonce(received, at: now) else { throw error }
            throw AuthError(
                .tokenMisdirected,
                "the ID token has no nonce, though the request had one: without it nothing says that the token is of "
                    + "this sign-in (OpenID Connect Core §3.1.3.7, step 11), and this provider cannot be used",
                cause: error)
        }
    }

    /// Whether the token is good but for its nonce, and has none.
    private func lacksNonce(_ received: Received, at now: UnixTime) async -> Bool {
        guard received.nonce != nil else { return false }
        let token = try? await verifier.verify(
            received.idToken, nonce: nil, accessToken: received.accessToken, maxAgeSeconds: received.maxAgeSeconds,
            at: now)
        return token.map { $0["nonce"] == nil } ?? false
    }
}

extension AuthError {
    /// Whether a token was refused because of the time.
    fileprivate var isAboutTime: Bool { code == .tokenExpired || code == .tokenNotYetValid }
}
