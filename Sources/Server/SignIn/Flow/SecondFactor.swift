public import KeyturnBase
public import KeyturnWire
public import Model

/// What two proofs in one session amount to.
public enum SecondFactor {
    /// The facts of a session that began with one proof, and of one that goes on from another with a further proof.
    ///
    /// Two different factors are several only if the second came within ``Limits/secondFactorSeconds`` of the first: a
    /// session that lay open for a day is no proof that its owner sits there. A late one still adds its method, but the
    /// time of the first stays, so that no third proof can make fresh what was not.
    ///
    /// - Parameters:
    ///   - isOfTwoFactors: the proof is several by itself, as a passkey's that verified its user.
    ///   - mustCombine: refuse a first factor that is too old, instead of going on without saying `mfa`.
    /// - Throws: ``MethodProblem/invalidRequest``.
    public static func combine(
        _ method: AuthenticationMethod, isOfTwoFactors: Bool = false, with previous: AuthenticationFacts?,
        mustCombine: Bool, at now: UnixTime
    ) throws(MethodProblem) -> AuthenticationFacts {
        guard let previous else {
            let single = method == .password ? AuthenticationFacts.passwordClass : AuthenticationFacts.singleFactorClass
            return AuthenticationFacts(
                time: now, methods: [method.word] + (isOfTwoFactors ? [AuthenticationMethod.severalFactors] : []),
                contextClass: isOfTwoFactors ? AuthenticationFacts.severalFactorsClass : single)
        }
        let isRecent = now <= previous.time + Limits.secondFactorSeconds
        guard isRecent || !mustCombine else {
            throw .invalidRequest.saying("The first factor was shown too long ago: sign in with it again")
        }
        var methods = previous.methods.filter { $0 != AuthenticationMethod.severalFactors && $0 != method.word }
        methods.append(method.word)
        let factors = Set(methods.compactMap { AuthenticationMethod(word: $0)?.factor })
        let wereSeveral = previous.methods.contains(AuthenticationMethod.severalFactors)
        let areSeveral = wereSeveral || isRecent && (factors.count > 1 || isOfTwoFactors)
        if areSeveral { methods.append(AuthenticationMethod.severalFactors) }
        return AuthenticationFacts(
            time: isRecent ? now : previous.time, methods: methods,
            contextClass: areSeveral ? AuthenticationFacts.severalFactorsClass : previous.contextClass)
    }
}
