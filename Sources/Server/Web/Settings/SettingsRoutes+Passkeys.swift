internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/settings/passkeys`: what somebody signs in with, by device.
extension SettingsRoutes {
    private static let path = SettingsSection.passkeys.path

    private var own: UserPasskeys { frame.services.methods.passkeys }

    @Sendable func showPasskeys(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.path, of: .passkeys, request) { visit in try await page(visit) }
    }

    @Sendable func passkeys(_ request: Request, _ context: WebContext) async throws -> Response {
        // A challenge is given to recent sign-ins alone, and lives for minutes: what came of it is not thrown away.
        let isSensitive = { (visit: SettingsFrame.Visit) in visit.action != "add" && visit.action != "sign-in" }
        return try await frame.take(Self.path, of: .passkeys, isSensitive: isSensitive, request, context) { visit in
            // A name is a name; everything else changes what stands between a thief with the password and two factors.
            guard visit.action == "rename" ? visit.owner.holdsEveryFactor : visit.owner.mayChangeFactors else {
                return again(visit)
            }
            let id = PasskeyID(rawValue: try visit.form.one("id") ?? "")
            switch visit.action {
            case "add": return try await add(visit)
            case "sign-in": return again(visit)
            case "rename":
                let name = try visit.form.one("name") ?? ""
                guard PasskeyName(name) != nil else { return try await page(visit, .nameInvalid) }
                let isDone = try await own.rename(id, to: name, of: visit.owner)
                return frame.done(isDone ? SettingsPasskeysPage.Notice.renamed.rawValue : nil, at: Self.path)
            case "on", "off":
                let outcome = try await own.setActive(
                    visit.action == "on", id, of: visit.owner, canBeReached: canBeReached(visit))
                switch outcome {
                case .done: return frame.done(visit.action, at: Self.path)
                case .unknown: return frame.done(nil, at: Self.path)
                case .isOnlyWay: return try await page(visit, .onlyWay)
                }
            default: return frame.done(nil, at: Self.path)
            }
        }
    }

    @Sendable func showRemoval(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.removalPath, of: .passkeys, isSensitive: true, request) { visit in
            guard visit.owner.mayChangeFactors else { return again(visit) }
            return try await removalPage(visit)
        }
    }

    @Sendable func removal(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.take(Self.removalPath, of: .passkeys, isSensitive: true, request, context) { visit in
            guard visit.owner.mayChangeFactors else { return again(visit) }
            guard visit.action == "remove", let passkey = try await passkey(visit) else {
                return frame.done(nil, at: Self.path)
            }
            switch try await own.remove(passkey.id, of: visit.owner, canBeReached: canBeReached(visit)) {
            case .done:
                let credential = Base64URL.encode(passkey.record.id)
                return .seeOther("\(Self.path)?done=removed&forget=\(credential)")
            case .unknown: return frame.done(nil, at: Self.path)
            case .isOnlyWay: return try await removalPage(visit, status: .unprocessableContent)
            }
        }
    }

    private func again(_ visit: SettingsFrame.Visit) -> Response {
        frame.signIn(.passkeys, visit.wish, again: visit.owner, withFactor: true)
    }

    /// What the device is told after a name was changed.
    func nameSignals(_ visit: SettingsFrame.Visit) async throws(StoreError) -> [PasskeySignal] {
        guard visit.done != nil else { return [] }
        return [PasskeySignal(.details, try await own.userDetails(of: visit.account))].compactMap(\.self)
    }

    private func add(_ visit: SettingsFrame.Visit) async throws -> Response {
        do {
            _ = try await own.finishAdding(try SignInRoutes.answer(visit.form), to: visit.owner)
            return frame.done(SettingsPasskeysPage.Notice.added.rawValue, at: Self.path)
        } catch let problem as PasskeyProblem {
            return try await page(visit, Self.problem(problem))
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

    /// Whether a message gets to a proved address of theirs.
    private func canBeReached(_ visit: SettingsFrame.Visit) -> Bool {
        visit.account.identifiers.contains {
            $0.key.kind != .username && $0.value == .verified && reach.channel(to: $0.key) != nil
        }
    }

    /// The one that is named, if it is the visitor's own.
    private func passkey(_ visit: SettingsFrame.Visit) async throws -> StoredPasskey? {
        let id = try visit.form.one("id") ?? ""
        return try await own.passkeys(of: visit.owner.userID).first { $0.id.rawValue == id }
    }

    private func removalPage(_ visit: SettingsFrame.Visit, status: HTTPResponse.Status = .ok) async throws -> Response {
        guard let passkey = try await passkey(visit) else { return frame.done(nil, at: Self.path) }
        let outlook: SettingsPasskeyRemovalPage.Outlook
        if try await own.isOnlyWay(passkey.id, of: visit.owner, canBeReached: canBeReached(visit)) {
            outlook = .nothing
        } else {
            let others = try await own.passkeys(of: visit.owner.userID).filter { $0.id != passkey.id }
            outlook = others.contains(where: \.isActive) ? .others : .noPasskey
        }
        return frame.page(
            SettingsPasskeyRemovalPage(
                form: frame.form(visit), visitor: visit.visitor, id: passkey.id.rawValue, passkeyName: passkey.name,
                outlook: outlook), visit, status: status)
    }

    private func page(_ visit: SettingsFrame.Visit, _ problem: SettingsPasskeysPage.Problem? = nil) async throws
        -> Response
    {
        let stored = try await own.passkeys(of: visit.owner.userID)
        return frame.page(
            SettingsPasskeysPage(
                form: frame.form(visit), visitor: visit.visitor, passkeys: stored.map(row),
                adding: try await adding(visit, among: stored.count), problem: problem,
                notice: visit.done.flatMap(SettingsPasskeysPage.Notice.init(rawValue:)),
                signals: try await signals(visit)), visit, status: problem == nil ? .ok : .unprocessableContent)
    }

    private func adding(_ visit: SettingsFrame.Visit, among count: Int) async throws -> SettingsPasskeysPage.Adding {
        guard count < Limits.passkeysOfUserMax else { return .never }
        guard visit.owner.isRecent(at: frame.services.ambient.now()), visit.owner.mayChangeFactors else {
            return own.parties.own == nil ? .never : .afterSignIn
        }
        guard let options = try await own.beginAdding(to: visit.owner) else { return .never }
        return .here(PasskeyButton(kind: .create, options: options.publicKey))
    }

    /// After a change the device is told which passkeys are still good.
    private func signals(_ visit: SettingsFrame.Visit) async throws(StoreError) -> [PasskeySignal] {
        guard visit.done != nil else { return [] }
        var signals = [PasskeySignal(.accepted, try await own.acceptedCredentials(of: visit.account))]
        if let gone = visit.form.values("forget").first.flatMap({ Base64URL.decode($0) }) {
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
