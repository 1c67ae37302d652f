internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Model

/// What users change about their own accounts: one file for each subject.
struct SettingsRoutes: Sendable {
    let frame: SettingsMiddleware
    /// The addresses that messages can be sent to: others are not accepted, as they could not be verified.
    let reach: DeliveryReach

    var settings: AccountSettings { frame.services.settings }

    /// Pages that are not in the menu.
    static let codePath = SettingsSection.identifiers.path + "/code"
    static let setupPath = SettingsSection.authenticators.path + "/add"
    static let removalPath = SettingsSection.passkeys.path + "/remove"

    var routes: [Route] {
        let anyVisit = frame.signedInVisit(_:of:)
        var all = [
            Route(.get, "/settings", anyVisit("/settings", .overview), isPage: true, handler: overview)
        ]
        all += pair(.profile, anyVisit, showProfile, frame.settingsForm, profile)
        all += pair(.sessions, anyVisit, showSessions, frame.settingsForm, sessions)
        all += pair(.password, frame.recentVisit, showPassword, frame.recentForm, password)
        all += pair(.delete, frame.recentVisit, showDelete, frame.recentForm, delete)
        all += pair(.identifiers, anyVisit, showIdentifiers, frame.recentForm, identifiers)
        all += pair(.identifiers, at: Self.codePath, frame.recentVisit, showCode, frame.recentForm, code)
        all += pair(.authenticators, anyVisit, showAuthenticators, frame.recentForm, authenticators)
        all += pair(.authenticators, at: Self.setupPath, frame.recentVisit, showSetup, frame.recentForm, setup)
        all += pair(.passkeys, anyVisit, showPasskeys, passkeysForm, passkeys)
        all += pair(.passkeys, at: Self.removalPath, frame.recentVisit, showRemoval, frame.recentForm, removal)
        return all
    }

    private typealias Checking<Value: Sendable> = (_ path: String, _ section: SettingsSection) -> Check<Value>

    /// The page of a section and its form, each with its check.
    ///
    /// - Parameter path: their address; by default the section's.
    private func pair<Page, Form>(
        _ section: SettingsSection, at path: String? = nil,
        _ page: Checking<Page>, _ get: @escaping @Sendable (Page) async throws -> Response,
        _ form: Checking<Form>, _ post: @escaping @Sendable (Form) async throws -> Response
    ) -> [Route] {
        let path = path ?? section.path
        return [
            Route(.get, path, page(path, section), isPage: true, handler: get),
            Route(.post, path, form(path, section), isPage: true, handler: post),
        ]
    }

    /// `GET /settings`.
    @Sendable func overview(_ visit: SettingsVisit) async throws -> Response {
        let summary = try await settings.summary(of: visit.owner)
        let identifiers = visit.account.identifiers
        return frame.page(
            SettingsPage(
                visitor: visit.visitor,
                summary: SettingsPage.Summary(
                    identifiers: identifiers.keys.map(\.value).sorted(),
                    hasUnverified: identifiers.contains { $0.key.kind != .username && $0.value == .unverified },
                    passwordAgeSeconds: summary.passwordSetAt.map(frame.age),
                    authenticators: summary.hasAuthenticator ? 1 : 0, recoveryCodes: summary.recoveryCodes,
                    passkeys: summary.passkeys, sessions: summary.sessions)), visit)
    }
}
