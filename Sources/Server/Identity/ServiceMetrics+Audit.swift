internal import Model
internal import Telemetry

extension ServiceMetrics {
    /// Makes the series that alerts look at: a series that begins with its first event hides that event from them.
    func prepareSignIns() {
        for outcome in ["succeeded", "failed"] { signIns.prepare(AuthenticationMethod.password.word, outcome) }
        for outcome in ["throttled", Self.locked] { signIns.prepare("any", outcome) }
    }

    /// Counts a security event, and a sign-in or its failure by its method.
    func count(_ event: AuditEvent) {
        auditEvents.increment(event.kind.rawValue)
        let outcome: String? =
            switch event.kind {
            case .signedIn: "succeeded"
            case .signInFailed: "failed"
            case .signInThrottled: event.reason == Self.locked ? Self.locked : "throttled"
            default: nil
            }
        guard let outcome else { return }
        // What is throttled is refused before its method is looked at.
        let method = event.kind == .signInThrottled ? "any" : event.reason ?? "none"
        signIns.increment(Self.words[method] ?? method.replacing(" ", with: "+"), outcome)
    }

    /// Reasons of failed sign-ins that name a method otherwise than those that succeeded.
    private static let words = ["password": AuthenticationMethod.password.word]

    /// The reason of an event whose password is locked.
    private static let locked = "locked"
}
