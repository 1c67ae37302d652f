internal import SignIn

/// What the web adds to a sign-in method: its pages, its buttons on other pages, and its calls for apps.
///
/// To add one: a folder beside this file with such a value, and its line in ``all``. A test compares the list with
/// ``SignInMethods/registry``.
struct SignInMethodPages: Sendable {
    /// The method of the registry.
    let method: any SignInMethod.Type
    /// Its buttons on the first page.
    var buttons: [SignInButton] = []
    /// Its entries on the page of other methods.
    var ways: [SignInWay] = []
    /// Its buttons on the pages that ask for a second factor.
    var factorButtons: [FactorButton] = []
    /// The pages of its steps.
    var steps: [SignInStepPage] = []
    /// Pages with addresses that are no steps.
    var routes: @Sendable (SignInRoutes) -> [Route] = { _ in [] }
    /// The calls of the methods' interface.
    var calls: @Sendable (DescopeMiddleware) -> [Route] = { _ in [] }

    /// The registry: one line for each method, in the order in which pages list them.
    static let all: [SignInMethodPages] = [
        .oneTimeCode,
        .magicLink,
        .enchantedLink,
        .embeddedLink,
        .totp,
        .recoveryCode,
        .password,
        .passkey,
        .approval,
    ]
}

/// A button of the first page, which begins a sign-in.
struct SignInButton: Sendable {
    /// The value of `action` in the form.
    let action: String
    var isOffered: @Sendable (SignInRoutes) -> Bool = { _ in true }
    let submit: @Sendable (SignInRoutes, TransactionForm) async throws -> Response

    /// The button of a form; the password's for forms without one, which browsers send when the user presses Enter.
    ///
    /// - Returns: `nil` for a method that the journey does not accept.
    static func pressed(_ action: String?, at routes: SignInRoutes, in entry: JourneyEntry) -> SignInButton? {
        let known = SignInMethodPages.all.lazy.filter { $0.buttons.contains { $0.action == action } }.first
        guard entry.allows((known ?? .password).method.proves) else { return nil }
        return known?.buttons.first { $0.action == action && $0.isOffered(routes) }
            ?? (entry.allows(PasswordMethods.proves) ? .password : nil)
    }
}

/// An entry on the page of other methods.
struct SignInWay: Sendable {
    /// The value of `method` in the form.
    let value: String
    /// Whether it is offered as a first factor, or as a second one.
    let place: SignInPlace
    /// What the entry is called, and the masked address to which a message goes.
    let label: @Sendable (SignInRoutes, OpenedSignIn) -> (VerificationMethod, destination: String?)
    let choose: @Sendable (SignInRoutes, OpenedSignIn) async throws -> Response
}

/// A button on the pages that ask for a second factor, which takes another method instead.
struct FactorButton: Sendable {
    /// The value of `action` in the form.
    let action: String
    let submit: @Sendable (SignInRoutes, OpenedSignIn, SameSiteForm) async throws -> Response

    /// The button of a form; `nil`: it is the page's own.
    static func pressed(_ action: String?) -> FactorButton? {
        SignInMethodPages.all.lazy.flatMap(\.factorButtons).first { $0.action == action }
    }
}
