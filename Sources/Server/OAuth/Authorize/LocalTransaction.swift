internal import KeyturnBase
internal import KeyturnWire
public import Model

/// Sign-ins without an app: they lead to a page of this server, through the usual pages.
extension AuthorizationEndpoint {
    /// A transaction that leads to one of this server's own pages.
    ///
    /// - Parameters:
    ///   - path: where it ends; never taken from a request.
    ///   - user: the user who must sign in, if a signed-in user must reauthenticate.
    ///   - maxAgeSeconds: the largest age of their sign-in; `nil`: any age.
    ///   - needsSeveralFactors: whether it must have two factors.
    ///   - choosesAccount: whether the user wants to switch to another account.
    ///   - uiLocales: languages of the sign-in pages, separated by spaces; `nil`: as the browser says.
    ///   - colorScheme: `light` or `dark`; `nil`: as the browser prefers.
    public func transaction(
        to path: String, as user: UserID? = nil, maxAgeSeconds: Int64? = nil, needsSeveralFactors: Bool = false,
        choosesAccount: Bool = false, uiLocales: String? = nil, colorScheme: String? = nil
    ) -> AuthorizationTransaction {
        precondition(path.hasPrefix("/") && !path.hasPrefix("//"), "a page of this server")
        return AuthorizationTransaction(
            clientID: "", redirectURI: path, redirectURIWasSent: false, responseMode: ResponseMode.query.rawValue,
            scope: [], resources: [], state: nil, nonce: nil, codeChallenge: nil, keyThumbprint: nil,
            prompts: choosesAccount ? [Prompt.selectAccount.rawValue] : [],
            maxAge: maxAgeSeconds, requiredSubject: user?.rawValue, loginHint: nil, uiLocales: uiLocales,
            colorScheme: colorScheme,
            claims: nil, wantsSeveralFactors: needsSeveralFactors ? true : nil, startedAt: ambient.now(), ownPath: path)
    }

    /// Whether the client still has the address that waits for the answer. The operator may have removed it meanwhile, or
    /// the client may be another one with the same identifier.
    func isRegistered(_ transaction: AuthorizationTransaction, by client: Client) -> Bool {
        guard transaction.ownPath == nil else { return true }
        return client.registeredURI(of: transaction.redirectURI) != nil
            && client.createdAt.map { $0 <= transaction.startedAt } ?? true
    }

    /// The client that began the transaction, or this server itself.
    public func client(of transaction: AuthorizationTransaction) -> Client? {
        guard transaction.ownPath != nil else { return clients.client(transaction.clientID) }
        var metadata = ClientMetadata()
        metadata.clientName = project.name
        return Client(id: "", metadata: metadata, secretDigests: [], isFirstParty: true)
    }

    /// Ends a transaction at a page of this server. No client gets a response.
    func arrive(_ transaction: AuthorizationTransaction) -> AuthorizationAnswer {
        transaction.answer(.code(""), issuer: project.issuer)
    }

    /// The user cancelled such a transaction.
    func leave(_ transaction: AuthorizationTransaction) -> AuthorizationAnswer {
        transaction.answer(.refused(OAuthProblem(.accessDenied, "the person refused")), issuer: project.issuer)
    }
}
