internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What apps send users to the page of their login identifiers for.
extension SettingsRoutes {
    /// The action that an app waits for; `nil`: no app does.
    func requestedIdentifier(_ sealed: String?, _ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        frame.requested(sealed, opened, in: SettingsMiddleware.RequestedAction.ofIdentifiers)
    }

    func requestedIdentifier(_ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        requestedIdentifier(opened.form.values("transaction").first, opened)
    }

    /// Adds a user name, in the place of the one that the app named. It needs no code.
    func addUsername(_ text: String, _ form: RecentForm) async throws -> Response {
        let opened = form.opened
        let requested = requestedIdentifier(opened)
        switch try await settings.addUsername(text, replacing: requested?.replacedUsername, of: form.owner) {
        case .invalid:
            return try await identifiersPage(opened, .nameInvalid, typed: text, status: .unprocessableContent)
        case .taken: return try await identifiersPage(opened, .taken, typed: text, status: .unprocessableContent)
        case .tooMany: return try await identifiersPage(opened, .tooMany, typed: text, status: .unprocessableContent)
        case .closed: return try await identifiersPage(opened, .closed, typed: text, status: .unprocessableContent)
        case .throttled(let seconds):
            var response = try await identifiersPage(opened, .tooManyNames, typed: text, status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        case nil:
            guard let requested, requested.identifierKind == .username else {
                return frame.done("name", at: SettingsSection.identifiers.path)
            }
            return try await frame.done(requested)
        }
    }

    /// Replaces the identifier that the app named, if it is the user's own: the new one takes its place as the primary one
    /// too.
    func replace(
        _ requested: SettingsMiddleware.RequestedAction, by new: Identifier, of owner: AccountOwner
    ) async throws {
        guard requested.isChange, let old = requested.transaction.replacedLoginID.flatMap(Identifier.init(loginID:)),
            old.kind == new.kind, old != new, owner.account.identifiers[old] != nil
        else { return }
        if AccountSettings.isPrimary(old, of: owner.account) { _ = try await settings.makePrimary(new, of: owner) }
        _ = try await settings.remove(old, of: owner, leaving: ways)
    }
}

extension SettingsMiddleware.RequestedAction {
    fileprivate static let ofIdentifiers: [SettingsAction] = [
        .verifyEmail, .addEmail, .addPhone, .addUsername, .changeEmail, .changePhone, .changeUsername,
    ]

    fileprivate var isChange: Bool {
        transaction.settingsAction == .changeEmail || transaction.settingsAction == .changePhone
    }

    /// The kind of identifiers that the action is about.
    var identifierKind: Identifier.Kind {
        switch transaction.settingsAction {
        case .addPhone?, .changePhone?: .phone
        case .addUsername?, .changeUsername?: .username
        default: .email
        }
    }

    /// The user name that the action replaces; `nil`: none.
    var replacedUsername: Identifier? {
        guard transaction.settingsAction == .changeUsername else { return nil }
        return transaction.replacedLoginID.flatMap(Identifier.init(loginID:))
    }

    /// Whether a verified identifier is what the app waits for.
    ///
    /// - Parameter isNew: whether the account did not have it before.
    func isDone(by identifier: Identifier, isNew: Bool) -> Bool {
        guard identifier.kind == identifierKind else { return false }
        return isNew || ![.addEmail, .addPhone].contains(transaction.settingsAction)
    }
}
