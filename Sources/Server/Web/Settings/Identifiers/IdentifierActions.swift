internal import Account
internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// What apps send users to the page of their login identifiers for.
extension SettingsRoutes {
    /// The action that an app waits for; `nil`: no app does.
    func requestedIdentifier(_ sealed: String?, _ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        frame.requested(sealed, opened, in: [.verifyEmail, .addEmail, .addPhone, .changeEmail, .changePhone])
    }

    func requestedIdentifier(_ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        requestedIdentifier(opened.form.values("transaction").first, opened)
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
        _ = try await settings.remove(old, of: owner)
    }
}

extension SettingsMiddleware.RequestedAction {
    fileprivate var isChange: Bool {
        transaction.settingsAction == .changeEmail || transaction.settingsAction == .changePhone
    }

    /// The kind of identifiers that the action is about.
    var identifierKind: Identifier.Kind {
        [.addPhone, .changePhone].contains(transaction.settingsAction) ? .phone : .email
    }

    /// Whether a verified identifier is what the app waits for.
    ///
    /// - Parameter isNew: whether the account did not have it before.
    func isDone(by identifier: Identifier, isNew: Bool) -> Bool {
        guard identifier.kind == identifierKind else { return false }
        return isNew || ![.addEmail, .addPhone].contains(transaction.settingsAction)
    }
}
