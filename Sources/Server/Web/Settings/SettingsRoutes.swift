internal import Account
internal import HTTPTypes
internal import Identity
internal import Model
internal import SignIn

/// What users change about their own accounts: a folder for each page.
struct SettingsRoutes: Sendable {
    let frame: SettingsMiddleware
    /// The addresses that messages can be sent to: others are not accepted, as they could not be verified.
    let reach: DeliveryReach
    /// The way to identity providers.
    let gate: FederationGate

    var settings: AccountSettings { frame.services.settings }

    /// The ways to sign in, one of which stays open to the user.
    var ways: SignInWays {
        SignInWays(
            passwords: frame.services.methods.offers(PasswordMethods.self),
            passkeys: frame.services.methods.offers(UserPasskeys.self), reached: reach.addresses,
            connections: Set(frame.services.connections.all.map(\.id).filter { gate.connection($0) != nil }))
    }

    var routes: [Route] { SettingsSection.all.flatMap { $0.routes(self) } }

    typealias Checking<Value: Sendable> = (_ path: String, _ section: SettingsSection) -> Check<Value>

    /// The page of a section and its form, each with its check.
    ///
    /// - Parameter path: their address; by default the section's.
    func pair<Page, Form>(
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
}
