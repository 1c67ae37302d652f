internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/settings/password`.
extension SettingsRoutes {
    private static let path = SettingsSection.password.path

    @Sendable func showPassword(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.path, of: .password, isSensitive: true, request) { visit in page(visit) }
    }

    @Sendable func password(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.take(Self.path, of: .password, isSensitive: true, request, context) { visit in
            let errand = frame.errand(visit, .changePassword)
            if let errand, visit.action == "deny" { return try await frame.gaveUp(errand) }
            let outcome = try await settings.setPassword(
                Secret(try visit.form.one("password") ?? ""),
                current: Secret(try visit.form.one("current_password") ?? ""),
                endsOthers: try visit.form.one("end_others") == "true" || visit.account.passwordHash == nil,
                but: errand.flatMap { frame.services.authorization.waiting($0.journey, visit.owner.session) },
                of: visit.owner)
            switch outcome {
            case .saved(let cookie):
                let cookies = [frame.cookies.setSession(cookie)]
                if let errand { return try await frame.done(errand, cookies: cookies) }
                return frame.done("saved", at: Self.path, cookies: cookies)
            case .signedOut:
                return frame.done(nil, at: Self.path)
            case .refused(let flaws, let wasUsedBefore):
                return page(
                    visit, refusals: flaws.map(Self.refusal) + (wasUsedBefore ? [.reused] : []),
                    status: .unprocessableContent)
            case .wrongCurrent:
                return page(visit, .wrongCurrent, status: .unprocessableContent)
            case .throttled(let seconds):
                var response = page(visit, .tooManyAttempts(retryAfterSeconds: seconds), status: .tooManyRequests)
                response.headers[.retryAfter] = String(seconds)
                return response
            case .busy:
                var response = page(visit, .busy, status: .serviceUnavailable)
                response.headers[.retryAfter] = "2"
                return response
            }
        }
    }

    private func page(
        _ visit: SettingsFrame.Visit, _ problem: PasswordProblem? = nil, refusals: [PasswordRefusal] = [],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let errand = frame.errand(visit, .changePassword)
        let policy = frame.services.project.passwordPolicy
        let rules = PasswordRules(
            minLength: policy.minLength, needsLowercase: policy.requiresLowercase,
            needsUppercase: policy.requiresUppercase, needsNumber: policy.requiresNumber,
            needsSymbol: policy.requiresNonAlphanumeric)
        return frame.page(
            SettingsPasswordPage(
                form: frame.form(visit, errand), visitor: visit.visitor,
                userName: visit.account.identifiers.keys.map(\.value).min() ?? "",
                hasPassword: visit.account.passwordHash != nil,
                password: NewPasswordField(rules: rules, refusals: refusals), problem: problem,
                wasSaved: visit.done == "saved", isErrand: errand != nil), visit, status: status)
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
