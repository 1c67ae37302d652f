internal import KeyturnBase
public import Model

/// A run of a journey in a web view of an app. It ends with a session for the page that the app shows, and not with a
/// redirect to a client.
public struct AppFlow: Codable, Hashable, Sendable {
    /// The flow as the app named it; empty: the project's default.
    public let name: String
    /// Of this run alone, unguessable. Its result is handed out once.
    public let id: String
    /// The digest of the mark of the browser that began it.
    public let browser: String
}

extension AuthorizationEndpoint {
    /// Begins a run of a flow: an authorization transaction that always asks the user, also in a browser with a
    /// session.
    ///
    /// - Parameters:
    ///   - name: of a journey that lists no clients; `standard`: the built-in one, unless a journey has this name;
    ///     empty: the default journey.
    ///   - browser: the digest of the browser's mark.
    ///   - inputs: what the app told the journey; `nil`: nothing yet.
    ///   - path: the page of this server to which a user goes who cancels.
    ///   - uiLocales: languages of the pages, separated by spaces; `nil`: as the browser says.
    ///   - colorScheme: `light` or `dark`; `nil`: as the browser prefers.
    /// - Returns: `nil` if there is no such flow.
    public func transaction(
        ofFlow name: String, in browser: String, inputs: JourneyInputs?, cancelledAt path: String, uiLocales: String?,
        colorScheme: String?
    ) -> AuthorizationTransaction? {
        let open = project.journeys.filter { $0.isOpen(to: project.id) }
        let journey = name.isEmpty ? open.first(where: \.isDefault) : open.first { $0.name == name }
        guard journey != nil || name.isEmpty || name == Journey.standard.name else { return nil }
        var transaction = transaction(
            to: path, choosesAccount: true, uiLocales: uiLocales, colorScheme: colorScheme)
        transaction.flow = AppFlow(name: name, id: ambient.randomToken(), browser: browser)
        transaction.journey = journey?.name
        transaction.journeyClass = journey?.contextClass
        transaction.journeyInputs = inputs
        return transaction
    }

    /// How the user was verified, as the session of a completed flow says it.
    public func facts(_ transaction: AuthorizationTransaction, _ session: BrowserSession) -> AuthenticationFacts {
        completed(transaction, session.authentication.inMethods)
    }
}

extension AppFlow {
    /// What is used up when its result is handed out.
    public func mark(_ transaction: AuthorizationTransaction) -> ReplayMark {
        ReplayMark(
            of: Array("flow\u{0}\(id)".utf8), expiresAt: transaction.startedAt + Limits.transactionSeconds)
    }
}
