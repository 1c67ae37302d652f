internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let passkeys: SettingsSection = .init(
        path: Routes.settingsPasskeys, title: { $0[SettingsPasskeysStrings.self].title },
        signInMethods: [UserPasskeys.self],
        card: { overview, strings in
            let count = overview.summary.passkeys
            return Card(
                summary: strings[SettingsPasskeysStrings.self].count(count),
                badge: count == 0 ? strings[SettingsStrings.self].off : nil)
        },
        routes: { routes in
            routes.pair(
                .passkeys, routes.frame.signedInPage, routes.showPasskeys, routes.passkeysForm, routes.passkeys)
                + routes.pair(
                    .passkeys, at: SettingsRoutes.removalPath, routes.frame.recentPage, routes.showRemoval,
                    routes.frame.recentForm, routes.removal)
        })
}

/// `/settings/passkeys`: the user's passkeys, by device.
extension SettingsRoutes {
    private static let path = SettingsSection.passkeys.path
    fileprivate static let removalPath = SettingsSection.passkeys.path + "/remove"

    private var own: UserPasskeys { frame.services.methods.passkeys }

    @Sendable func showPasskeys(_ opened: OpenedSettings) async throws -> Response {
        try await page(opened)
    }

    private func requestedPasskey(_ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        frame.requested(
            opened.form.values("transaction").first, opened, in: [SettingsAction.addPasskey, .removePasskey])
    }

    /// A form of the page: all but three need a recent sign-in.
    enum PasskeysForm: Sendable {
        /// Gives an app's action up.
        case cancel(SettingsForm)
        /// Needs none: only recent sign-ins get a challenge, and it lives for minutes.
        case answer(SettingsForm)
        case signIn(SettingsForm)
        case change(RecentForm)
    }

    func passkeysForm(_ path: String, of section: SettingsSection) -> Check<PasskeysForm> {
        frame.settingsForm(path, of: section).then(.recentSignIn) { form, _, _ in
            switch form.action {
            case "add": .answer(form)
            case "sign-in": .signIn(form)
            case "deny": .cancel(form)
            default: .change(try frame.recent(form, section))
            }
        }
    }

    @Sendable func passkeys(_ form: PasskeysForm) async throws -> Response {
        switch form {
        case .cancel(let form):
            try requireOneID(form)
            guard let requested = requestedPasskey(form.opened) else { return frame.done(nil, at: Self.path) }
            return try await frame.gaveUp(requested)
        case .signIn(let form):
            try requireOneID(form)
            return again(form.opened)
        case .answer(let form):
            guard form.owner.mayChangeFactors else { return again(form.opened) }
            try requireOneID(form)
            return try await add(form)
        case .change(let form): return try await change(form)
        }
    }

    /// A form names one passkey at most, also where none is read.
    private func requireOneID(_ form: SettingsForm) throws(FormProblem) {
        _ = try form.one("id")
    }

    private func change(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        // A name may be changed; the rest could give a thief of the password the second factor.
        guard form.action == "rename" ? form.owner.holdsEveryFactor : form.owner.mayChangeFactors else {
            return again(opened)
        }
        let id = PasskeyID(rawValue: try form.one("id") ?? "")
        switch form.action {
        case "rename":
            let name = try form.one("name") ?? ""
            guard PasskeyName(name) != nil else { return try await page(opened, .nameInvalid) }
            let isDone = try await own.rename(id, to: name, of: form.owner)
            return frame.done(isDone ? SettingsPasskeysPage.Notice.renamed.rawValue : nil, at: Self.path)
        case "on", "off":
            let outcome = try await own.setActive(form.action == "on", id, of: form.owner, leaving: ways)
            switch outcome {
            case .done: return frame.done(form.action, at: Self.path)
            case .unknown: return frame.done(nil, at: Self.path)
            case .isOnlyWay: return try await page(opened, .onlyWay)
            }
        default: return frame.done(nil, at: Self.path)
        }
    }

    @Sendable func showRemoval(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        guard opened.owner.mayChangeFactors else { return again(opened) }
        return try await removalPage(opened)
    }

    @Sendable func removal(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        guard form.owner.mayChangeFactors else { return again(opened) }
        let requested = requestedPasskey(opened)
        guard form.action == "remove", let passkey = try await passkey(opened) else {
            if let requested { return try await frame.gaveUp(requested) }
            return frame.done(nil, at: Self.path)
        }
        switch try await own.remove(passkey.id, of: form.owner, leaving: ways) {
        case .done:
            if let requested, requested.transaction.settingsAction == .removePasskey {
                return try await frame.done(requested)
            }
            let credential = Base64URL.encode(passkey.record.id)
            return .seeOther("\(Self.path)?done=removed&forget=\(credential)")
        case .unknown: return frame.done(nil, at: Self.path)
        case .isOnlyWay: return try await removalPage(opened, status: .unprocessableContent)
        }
    }

    private func again(_ opened: OpenedSettings) -> Response {
        frame.signIn(
            .passkeys, opened.wish, again: opened.owner, withFactor: true, awaited: frame.awaited(opened))
    }

    /// Tells the device about a changed name.
    func nameSignals(_ opened: OpenedSettings) async throws(StoreError) -> [PasskeySignal] {
        guard opened.done != nil else { return [] }
        return [PasskeySignal(.details, try await own.userDetails(of: opened.account))].compactMap(\.self)
    }

    private func add(_ form: SettingsForm) async throws -> Response {
        do {
            _ = try await own.finishAdding(try form.form.passkeyAnswer, to: form.owner)
            if let requested = requestedPasskey(form.opened),
                requested.transaction.settingsAction == .addPasskey
            {
                return try await frame.done(requested)
            }
            return frame.done(SettingsPasskeysPage.Notice.added.rawValue, at: Self.path)
        } catch let problem as PasskeyProblem {
            return try await page(form.opened, Self.problem(problem))
        }
    }

    private static func problem(_ problem: PasskeyProblem) -> SettingsPasskeysPage.Problem {
        switch problem {
        case .challengeUnknown, .challengeExpired, .challengeSpent, .overtaken: .expired
        case .credentialTaken: .taken
        case .tooMany: .tooMany
        case .malformed, .refused, .credentialUnknown, .deactivated: .refused
        }
    }

    /// The named passkey, if it is the user's own.
    private func passkey(_ opened: OpenedSettings) async throws -> StoredPasskey? {
        let id = try opened.form.one("id") ?? ""
        return try await own.passkeys(of: opened.owner.userID).first { $0.id.rawValue == id }
    }

    private func removalPage(_ opened: OpenedSettings, status: HTTPResponse.Status = .ok) async throws -> Response {
        guard let passkey = try await passkey(opened) else { return frame.done(nil, at: Self.path) }
        let outlook: SettingsPasskeyRemovalPage.Outlook
        if try await own.isOnlyWay(passkey.id, of: opened.owner, among: ways) {
            outlook = .nothing
        } else {
            let others = try await own.passkeys(of: opened.owner.userID).filter { $0.id != passkey.id }
            outlook = others.contains(where: \.isActive) ? .others : .noPasskey
        }
        return frame.page(
            SettingsPasskeyRemovalPage(
                form: frame.form(opened, requestedPasskey(opened)), settingsUser: opened.settingsUser,
                id: passkey.id.rawValue,
                passkeyName: passkey.name,
                outlook: outlook), opened, status: status)
    }

    private func page(_ opened: OpenedSettings, _ problem: SettingsPasskeysPage.Problem? = nil) async throws
        -> Response
    {
        let stored = try await own.passkeys(of: opened.owner.userID)
        let requested = requestedPasskey(opened)
        return frame.page(
            SettingsPasskeysPage(
                form: frame.form(opened, requested), settingsUser: opened.settingsUser, passkeys: stored.map(row),
                adding: try await adding(opened, among: stored.count), problem: problem,
                notice: opened.done.flatMap(SettingsPasskeysPage.Notice.init(rawValue:)),
                signals: try await signals(opened), requested: requested?.transaction.settingsAction),
            opened, status: problem == nil ? .ok : .unprocessableContent)
    }

    private func adding(_ opened: OpenedSettings, among count: Int) async throws -> SettingsPasskeysPage.Adding {
        guard count < Limits.passkeysOfUserMax else { return .never }
        guard opened.owner.isRecent(at: frame.services.ambient.now()), opened.owner.mayChangeFactors else {
            return own.parties.own == nil ? .never : .afterSignIn
        }
        guard let options = try await own.beginAdding(to: opened.owner) else { return .never }
        return .here(PasskeyButton(kind: .create, options: options.publicKey))
    }

    /// Tells the device, after a change, which passkeys are still valid.
    private func signals(_ opened: OpenedSettings) async throws(StoreError) -> [PasskeySignal] {
        guard opened.done != nil else { return [] }
        var signals = [PasskeySignal(.accepted, try await own.acceptedCredentials(of: opened.account))]
        if let gone = opened.form.values("forget").first.flatMap({ Base64URL.decode($0) }) {
            signals.append(PasskeySignal(.unknown, try await own.unknownCredential(gone)))
        }
        return signals.compactMap(\.self)
    }

    private func row(_ passkey: StoredPasskey) -> SettingsPasskeysPage.Passkey {
        let record = passkey.record
        return SettingsPasskeysPage.Passkey(
            id: passkey.id.rawValue, name: passkey.name, authenticator: passkey.authenticatorName,
            isSecurityKey: passkey.isSecurityKey, hasOwnName: passkey.hasOwnName,
            storage: record.backupState ? .synced : record.backupEligible ? .notYetSynced : .oneDevice,
            isActive: passkey.isActive, addedSecondsAgo: frame.age(passkey.createdAt),
            usedSecondsAgo: passkey.usedAt.map(frame.age))
    }
}
