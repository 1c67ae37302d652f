public import KeyturnBase
internal import KeyturnWire
public import Model
public import OAuth

/// Sign-ins at providers in the flow of an app: its web view hands the provider's page to the system's browser, and gets
/// a code back, which goes on with that flow alone.
extension MethodFederation {
    /// Where the browser ends. The app that opened it takes the address; other apps get a code that they cannot use.
    static let flowRedirect = "descopewebauth://redirect"

    /// What the system's browser is opened with.
    ///
    /// - Parameter loginHint: for the provider; too long a text is left out.
    public func asked(inFlow flow: AppFlow, loginHint: String?) -> Asked {
        var asked = Asked(
            kind: .flow, redirectURL: Self.flowRedirect,
            loginHint: loginHint.flatMap { $0.utf8.count > Identifier.bytesMax ? nil : $0 },
            options: String(decoding: LoginOptions.none.json.serialized, as: UTF8.self), presented: nil)
        asked.flow = flow.id
        return asked
    }

    /// Whom a provider vouched for in a flow.
    public struct Vouched: Sendable {
        public let account: Account
        public let connection: Connection
        public let key: FederatedIdentity.Key
        public let isOfTwoFactors: Bool
    }

    /// Redeems the code that the system's browser brought.
    ///
    /// - Throws: ``MethodProblem/wrongExchangeCode``, also if another flow began it: the code counts no more then;
    ///   ``StoreError``.
    public func redeem(
        _ code: Secret, inFlow flow: AppFlow, connection: @Sendable (String) -> Connection?
    ) async throws -> Vouched {
        let (proof, account, connection) = try await taken(code, .flow, connection)
        guard proof.asked.flow == flow.id, let key = proof.key else { throw MethodProblem.wrongExchangeCode }
        return Vouched(account: account, connection: connection, key: key, isOfTwoFactors: proof.isOfTwoFactors)
    }
}
