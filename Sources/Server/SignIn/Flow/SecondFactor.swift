public import KeyturnBase
public import KeyturnWire
public import Model

/// Combines two verifications of one session.
public enum SecondFactor {
    /// The facts of a session after its first verification, or after a further one.
    ///
    /// Two different factors count as several only if the second came within ``Limits/secondFactorSeconds`` of the
    /// first: a session that was open for a day does not show that its user is present. A late one still adds its
    /// method, but the time of the first stays, so that a third verification cannot renew it.
    ///
    /// - Parameters:
    ///   - isOfTwoFactors: this verification counts as two factors, for example a passkey with user verification.
    ///   - tenant: whose connection vouched for the user now; an earlier one is kept otherwise.
    ///   - mustCombine: refuse a first factor that is too old, instead of going on without `mfa`.
    /// - Throws: ``MethodProblem/invalidRequest``.
    public static func combine(
        _ method: AuthenticationMethod, isOfTwoFactors: Bool = false, tenant: String? = nil,
        with previous: AuthenticationFacts?, mustCombine: Bool, at now: UnixTime
    ) throws(MethodProblem) -> AuthenticationFacts {
        guard let previous else {
            return AuthenticationFacts(
                time: now, methods: [method.word] + (isOfTwoFactors ? [AuthenticationMethod.severalFactors] : []),
                contextClass: isOfTwoFactors ? AuthenticationFacts.severalFactorsClass : method.contextClass,
                tenantID: tenant)
        }
        let isRecent = now <= previous.time + Limits.secondFactorSeconds
        guard isRecent || !mustCombine else {
            throw .invalidRequest.saying("The first factor was shown too long ago: sign in with it again")
        }
        var methods = previous.methods.filter { $0 != AuthenticationMethod.severalFactors && $0 != method.word }
        methods.append(method.word)
        var factors = Set(methods.compactMap { AuthenticationMethod(word: $0)?.factor })
        // The session that approved may rest on the same password or mailbox.
        if !factors.contains(where: \.isStrong) {
            factors.remove(.otherDevice)
            // A link that was opened on another device shows no mailbox of this one.
            if methods.contains(AuthenticationMethod.approval.word) { factors.subtract([.mailbox, .telephone]) }
        }
        // A password before may be the one that the directory checked.
        if methods.contains(AuthenticationMethod.directoryPassword.word) { factors.remove(.knowledge) }
        let wereSeveral = previous.methods.contains(AuthenticationMethod.severalFactors)
        let areSeveral = wereSeveral || isRecent && (factors.count > 1 || isOfTwoFactors)
        if areSeveral { methods.append(AuthenticationMethod.severalFactors) }
        return AuthenticationFacts(
            time: isRecent ? now : previous.time, methods: methods,
            contextClass: areSeveral ? AuthenticationFacts.severalFactorsClass : previous.contextClass,
            tenantID: tenant ?? previous.tenantID)
    }
}

extension SessionStore {
    /// Counts a factor in a session whose user has just set it up, and so used it.
    package func strengthen(
        _ session: BrowserSession, by method: AuthenticationMethod, isOfTwoFactors: Bool = false, at now: UnixTime
    ) async throws(StoreError) {
        // Refused is only a factor that must be combined.
        guard
            let facts = try? SecondFactor.combine(
                method, isOfTwoFactors: isOfTwoFactors, with: session.authentication.inMethods, mustCombine: false,
                at: now)
        else { return }
        try await strengthen(session.id, to: facts, at: now)
    }
}
