internal import Account
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// `/settings/authenticators`: the second step, and the codes for the day on which it is lost.
extension SettingsRoutes {
    private static let path = SettingsSection.authenticators.path

    @Sendable func showAuthenticators(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.path, of: .authenticators, request) { visit in
            let apps = try await settings.authenticators(of: visit.owner)
            let left = try await settings.recoveryCodesLeft(of: visit.owner)
            let notice: SettingsAuthenticatorsPage.Notice? =
                switch visit.done {
                case "added": .added
                case "removed": .removed
                default: nil
                }
            return frame.page(
                SettingsAuthenticatorsPage(
                    form: frame.form(visit), visitor: visit.visitor,
                    authenticators: apps.map { app in
                        SettingsAuthenticatorsPage.Authenticator(
                            id: app.id, name: visit.strings.proof.method(.authenticator),
                            addedSecondsAgo: frame.age(app.addedAt), usedSecondsAgo: app.usedAt.map(frame.age))
                    },
                    recoveryCodesLeft: left, canAdd: apps.isEmpty, notice: notice), visit)
        }
    }

    @Sendable func authenticators(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.take(Self.path, of: .authenticators, isSensitive: true, request, context) { visit in
            switch visit.action {
            case "add":
                guard visit.owner.mayChangeFactors else {
                    return frame.signIn(.authenticators, visit.wish, again: visit.owner, withFactor: true)
                }
                guard let id = try await settings.beginAuthenticator(of: visit.owner) else {
                    return frame.done(nil, at: Self.path)
                }
                return .seeOther("\(Self.setupPath)?journey=\(id)")
            case "remove":
                let isDone = try await settings.removeAuthenticator(try visit.form.one("id") ?? "", of: visit.owner)
                return frame.done(isDone ? "removed" : nil, at: Self.path)
            case "renew-codes":
                guard let codes = try await settings.renewRecoveryCodes(of: visit.owner) else {
                    return frame.done(nil, at: Self.path)
                }
                return codesPage(codes, replacesEarlier: true, visit)
            default:
                // The button under new codes, too: they were kept.
                return frame.done(nil, at: Self.path)
            }
        }
    }

    @Sendable func showSetup(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.setupPath, of: .authenticators, isSensitive: true, request) { visit in
            try await setupPage(visit, nil)
        }
    }

    @Sendable func setup(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.take(Self.setupPath, of: .authenticators, isSensitive: true, request, context) { visit in
            switch visit.action {
            case "deny": return frame.done(nil, at: Self.path)
            case "continue": return frame.done("added", at: Self.path)
            default: break
            }
            let codes = try await settings.confirmAuthenticator(
                try visit.form.one("journey") ?? "", code: Secret(try visit.form.one("code") ?? ""), of: visit.owner)
            guard let codes else { return try await setupPage(visit, .wrong) }
            return codesPage(codes, replacesEarlier: false, visit)
        }
    }

    /// The key and its picture, as long as it waits for its first code.
    private func setupPage(_ visit: SettingsFrame.Visit, _ problem: CodeProblem?) async throws -> Response {
        let id = visit.form.values("journey").first ?? ""
        guard let setup = try await settings.setup(id, of: visit.owner) else { return frame.done(nil, at: Self.path) }
        return frame.page(
            TOTPSetupPage(
                form: frame.form(visit, journey: id), keyURI: setup.keyURI.exposed(),
                pictureURI: "data:image/png;base64," + Data(setup.picture).base64EncodedString(),
                key: setup.key.exposed(), problem: problem), visit,
            status: problem == nil ? .ok : .unprocessableContent)
    }

    private func codesPage(_ codes: [Secret], replacesEarlier: Bool, _ visit: SettingsFrame.Visit) -> Response {
        frame.page(
            RecoveryCodesPage(
                form: frame.form(visit), codes: codes.map { $0.exposed() }, replacesEarlier: replacesEarlier),
            visit)
    }
}
