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
    static let password: SettingsSection = .init(
        path: Routes.settingsPassword, title: { $0[SettingsPasswordStrings.self].title },
        signInMethods: [PasswordMethods.self],
        card: { overview, strings in
            let text = strings[SettingsPasswordStrings.self]
            let since = overview.summary.passwordAgeSeconds.map(strings.time.since)
            return Card(summary: since.map(text.set) ?? text.none)
        },
        act: .setPassword,
        routes: { routes in
            routes.pair(
                .password, routes.frame.recentPage, routes.showPassword, routes.frame.recentForm, routes.password)
        })
}

/// `/settings/password`.
extension SettingsRoutes {
    private static let path = SettingsSection.password.path

    @Sendable func showPassword(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        return page(opened)
    }

    @Sendable func password(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        let requested = frame.requested(opened, .changePassword)
        if let requested, form.action == "deny" { return try await frame.gaveUp(requested) }
        let outcome = try await settings.setPassword(
            Secret(try form.one("password") ?? ""),
            current: Secret(try form.one("current_password") ?? ""),
            endsOthers: try form.one("end_others") == "true" || opened.account.passwordHash == nil,
            but: requested.flatMap { frame.services.authorization.waiting($0.transaction, form.owner.session) },
            of: form.owner)
        switch outcome {
        case .saved(let cookie):
            let cookies = [frame.cookies.setSession(cookie, of: form.owner.session)]
            if let requested { return try await frame.done(requested, cookies: cookies) }
            return frame.done("saved", at: Self.path, cookies: cookies)
        case .signedOut:
            return frame.done(nil, at: Self.path)
        case .refused(let flaws, let wasUsedBefore):
            return page(
                opened, refusals: flaws.map(Self.refusal) + (wasUsedBefore ? [.reused] : []),
                status: .unprocessableContent)
        case .wrongCurrent:
            return page(opened, .wrongCurrent, status: .unprocessableContent)
        case .throttled(let seconds):
            var response = page(opened, .tooManyAttempts(retryAfterSeconds: seconds), status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        case .busy:
            var response = page(opened, .busy, status: .serviceUnavailable)
            response.headers[.retryAfter] = "2"
            return response
        }
    }

    private func page(
        _ opened: OpenedSettings, _ problem: PasswordProblem? = nil, refusals: [PasswordRefusal] = [],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let requested = frame.requested(opened, .changePassword)
        let policy = frame.services.project.passwordPolicy
        let rules = PasswordRules(
            minLength: policy.minLength, needsLowercase: policy.requiresLowercase,
            needsUppercase: policy.requiresUppercase, needsNumber: policy.requiresNumber,
            needsSymbol: policy.requiresNonAlphanumeric)
        return frame.page(
            SettingsPasswordPage(
                form: frame.form(opened, requested), settingsUser: opened.settingsUser,
                userName: opened.account.identifiers.keys.map(\.value).min() ?? "",
                hasPassword: opened.account.passwordHash != nil,
                password: NewPasswordField(rules: rules, refusals: refusals), problem: problem,
                wasSaved: opened.done == "saved", isRequestedAction: requested != nil), opened, status: status)
    }

    private static func refusal(_ flaw: PasswordPolicy.Flaw) -> PasswordRefusal {
        switch flaw {
        case .tooShort: .tooShort
        case .tooLong, .containsNUL: .tooLong
        case .lacksLowercase: .noLowercase
        case .lacksUppercase: .noUppercase
        case .lacksNumber: .noNumber
        case .lacksNonAlphanumeric: .noSymbol
        case .common, .breached: .breached
        case .containsIdentifier: .likeName
        }
    }
}
