internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let identifiers: SettingsSection = .init(
        path: Routes.settingsIdentifiers, title: { $0[IdentifiersStrings.self].title },
        card: { overview, strings in
            let account = overview.summary
            return Card(
                summary: account.identifiers.joined(separator: ", "),
                badge: account.hasUnverified ? strings[IdentifiersStrings.self].unverified : nil)
        },
        act: .removeAddress,
        routes: { routes in
            routes.pair(
                .identifiers, routes.frame.signedInPage, routes.showIdentifiers, routes.frame.recentForm,
                routes.identifiers)
                + routes.pair(
                    .identifiers, at: SettingsRoutes.codePath, routes.frame.recentPage, routes.showCode,
                    routes.frame.recentForm, routes.code)
        })
}

/// `/settings/identifiers`: the addresses, numbers and names that the user signs in with.
extension SettingsRoutes {
    private static let path = SettingsSection.identifiers.path
    fileprivate static let codePath = SettingsSection.identifiers.path + "/code"
    private static let seal = "settings/identifier"

    @Sendable func showIdentifiers(_ opened: OpenedSettings) async throws -> Response {
        try await identifiersPage(opened)
    }

    @Sendable func identifiers(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        if form.action == "deny", let requested = requestedIdentifier(opened) {
            return try await frame.gaveUp(requested)
        }
        if form.action == "add" {
            let text = try form.one("identifier") ?? ""
            if asksForName(text, opened) { return try await addUsername(text, form) }
            guard Identifier(loginID: text).map(isReached) != false else {
                return try await identifiersPage(opened, .unreachable, typed: text, status: .unprocessableContent)
            }
            return try await send(text, opened)
        }
        guard let kind = Identifier.Kind(rawValue: try form.one("kind") ?? "") else {
            return try await identifiersPage(opened, .invalid, status: .unprocessableContent)
        }
        // Looked up among the user's own, so that no other can be named.
        let identifier = Identifier(kind: kind, storedValue: try form.one("value") ?? "")
        guard opened.account.identifiers[identifier] != nil else { return frame.done(nil, at: Self.path) }
        switch form.action {
        case "verify" where isReached(identifier):
            return try await send(identifier.value, opened)
        case "remove":
            if let problem = try await settings.remove(identifier, of: form.owner, leaving: ways) {
                return try await identifiersPage(opened, Self.problem(problem), status: .unprocessableContent)
            }
            return frame.done("removed", at: Self.path)
        case "primary":
            let isDone = try await settings.makePrimary(identifier, of: form.owner)
            return frame.done(isDone ? "primary" : nil, at: Self.path)
        default:
            return frame.done(nil, at: Self.path)
        }
    }

    @Sendable func showCode(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        guard let proof = pending(opened) else { return frame.done(nil, at: Self.path) }
        return codePage(proof, nil, opened)
    }

    @Sendable func code(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        guard let proof = pending(opened) else { return frame.done(nil, at: Self.path) }
        let requested = requestedIdentifier(proof.requested, opened)
        guard form.action != "deny" else {
            if let requested { return try await frame.gaveUp(requested) }
            return frame.done(nil, at: Self.path)
        }
        let pending = proof.pending
        if form.action == "resend" { return try await send(pending.identifier.value, opened, isAgain: true) }
        let code = Secret(try form.one("code") ?? "")
        let outcome = try await settings.prove(pending, code: code, of: form.owner)
        switch outcome {
        case .added, .verified:
            let isNew = if case .added = outcome { true } else { false }
            guard let requested, requested.isDone(by: pending.identifier, isNew: isNew) else {
                return frame.done("verified", at: Self.path)
            }
            try await replace(requested, by: pending.identifier, of: form.owner)
            return try await frame.done(requested)
        case .wrong: return codePage(proof, .wrong, opened, status: .unprocessableContent)
        case .expired: return codePage(proof, .expired, opened, status: .unprocessableContent)
        case .exhausted(let seconds):
            return codePage(
                proof, .tooManyAttempts(retryAfterSeconds: seconds), opened, status: .tooManyRequests)
        case .refused(let problem): return frame.done(Self.word(problem), at: Self.path)
        }
    }

    /// Whether a code can be sent to this identifier.
    private func isReached(_ identifier: Identifier) -> Bool {
        identifier.kind == .username || reach.channel(to: identifier) != nil
    }

    /// Whether a typed text is to be a user name: an app asks for one, or the form takes names and it is no address.
    private func asksForName(_ text: String, _ opened: OpenedSettings) -> Bool {
        guard frame.services.methodSettings.offersUsernames else { return false }
        if let requested = requestedIdentifier(opened) { return requested.identifierKind == .username }
        return Identifier(loginID: text)?.kind == .username
    }

    private var addable: [SettingsIdentifiersPage.Kind] {
        let names: [SettingsIdentifiersPage.Kind] = frame.services.methodSettings.offersUsernames ? [.username] : []
        return switch reach.kind {
        case .emailOrPhone: [.email, .phone] + names
        case .email: [.email] + names
        case .phone: [.phone] + names
        case nil: names
        }
    }

    /// An address whose code is awaited.
    private struct PendingProof: Codable {
        let pending: AccountSettings.PendingIdentifier
        /// The sealed transaction of an app that waits until an address is verified.
        let requested: String?
    }

    private func pending(_ opened: OpenedSettings) -> PendingProof? {
        opened.form.values("transaction").first
            .flatMap { frame.services.transactions.open($0, as: PendingProof.self, kind: Self.seal) }
            .flatMap { $0.pending.isOf(opened.owner.userID) ? $0 : nil }
    }

    private func send(_ text: String, _ opened: OpenedSettings, isAgain: Bool = false) async throws -> Response {
        switch try await settings.sendCode(to: text, of: opened.owner) {
        case .sent(let pending):
            let requested = requestedIdentifier(opened)?.sealed ?? self.pending(opened)?.requested
            let sealed = frame.services.transactions.close(
                PendingProof(pending: pending, requested: requested), kind: Self.seal)
            return .seeOther("\(Self.codePath)?transaction=\(sealed)\(isAgain ? "&done=again" : "")")
        case .refused(let problem):
            return try await identifiersPage(opened, Self.problem(problem), typed: text, status: .unprocessableContent)
        case .throttled(let seconds):
            guard let proof = pending(opened) else {
                var response = try await identifiersPage(
                    opened, .tooManyMessages, typed: text, status: .tooManyRequests)
                response.headers[.retryAfter] = String(seconds)
                return response
            }
            return codePage(
                proof, .tooManyAttempts(retryAfterSeconds: seconds), opened, status: .tooManyRequests)
        }
    }

    private func codePage(
        _ proof: PendingProof, _ problem: CodeProblem?, _ opened: OpenedSettings,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let pending = proof.pending
        let wait = Self.resendSeconds - frame.age(pending.sentAt)
        var form = frame.form(opened, transaction: frame.services.transactions.close(proof, kind: Self.seal))
        let requested = requestedIdentifier(proof.requested, opened)
        form.redirectOrigins = requested.map { [$0.transaction.redirectURI] } ?? []
        return frame.page(
            CodePage(
                form: form,
                channel: pending.identifier.kind == .phone ? .sms : .email, destination: pending.masked,
                problem: problem, wasSentAgain: opened.done == "again",
                resending: wait > 0 ? .after(seconds: wait) : .now, hasOtherWays: false), opened, status: status)
    }

    /// Mail takes a while: a user who asks again sooner gets two messages.
    private static let resendSeconds = 30

    func identifiersPage(
        _ opened: OpenedSettings, _ problem: SettingsIdentifiersPage.Problem? = nil, typed: String = "",
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let account = opened.account
        let removable = try await settings.removable(of: opened.owner, leaving: ways)
        let items = account.identifiers.sorted { $0.key.value < $1.key.value }.map { identifier, state in
            SettingsIdentifiersPage.Item(
                kind: SettingsIdentifiersPage.Kind(rawValue: identifier.kind.rawValue) ?? .username,
                value: identifier.value, isVerified: state == .verified,
                isPrimary: AccountSettings.isPrimary(identifier, of: account),
                isRemovable: removable.contains(identifier),
                isReached: isReached(identifier))
        }
        let notice: SettingsIdentifiersPage.Notice? =
            switch opened.done {
            case "verified": .verified
            case "removed": .removed
            case "primary": .madePrimary
            case "name": .nameAdded
            default: nil
            }
        let requested = requestedIdentifier(opened)
        return frame.page(
            SettingsIdentifiersPage(
                form: frame.form(opened, requested), settingsUser: opened.settingsUser, items: items,
                addable: requested.map { asked in addable.filter { $0.rawValue == asked.identifierKind.rawValue } }
                    ?? addable,
                typed: String(typed.prefix(Identifier.bytesMax)), problem: problem ?? Self.problem(opened.done),
                notice: notice, signals: try await nameSignals(opened), isRequestedAction: requested != nil),
            opened, status: status)
    }

    private static func problem(_ problem: AccountSettings.IdentifierProblem) -> SettingsIdentifiersPage.Problem {
        switch problem {
        case .invalid: .invalid
        case .taken: .taken
        case .tooMany: .tooMany
        case .lastOne: .lastOne
        case .closed: .closed
        }
    }

    /// The page's address carries the problem as one word of a fixed set.
    private static func word(_ problem: AccountSettings.IdentifierProblem) -> String {
        switch problem {
        case .tooMany: "too-many"
        case .closed: "closed"
        case .invalid, .taken, .lastOne: "taken"
        }
    }

    private static func problem(_ word: String?) -> SettingsIdentifiersPage.Problem? {
        switch word {
        case "too-many": .tooMany
        case "closed": .closed
        case "taken": .taken
        default: nil
        }
    }
}
