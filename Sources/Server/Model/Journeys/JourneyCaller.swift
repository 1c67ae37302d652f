public import KeyturnBase

/// Asks services of the operator during a sign-in.
public protocol JourneyCaller: Sendable {
    /// The outcome that the service answers with; `nil`: it did not answer as it should.
    ///
    /// - Parameters:
    ///   - body: JSON, which is signed with ``JourneyCall/secret``.
    ///   - key: the same for every repetition of one call.
    func outcome(of call: JourneyCall, body: JSONValue, key: String) async -> String?
}

/// Where no service can be asked: every call fails.
public struct NoJourneyCaller: JourneyCaller {
    public init() {}

    public func outcome(of call: JourneyCall, body: JSONValue, key: String) async -> String? { nil }
}
