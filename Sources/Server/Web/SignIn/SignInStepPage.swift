internal import Model
internal import SignIn

/// The page of one step of a sign-in.
struct SignInStepPage: Sendable {
    let step: SignInProgress.Step
    /// Its address.
    let path: String
    /// Whether its forms have the buttons of all pages: other methods, and a second factor that was lost.
    var hasCommonButtons = true
    /// What the step needs, before its page is shown for the first time.
    var prepare: @Sendable (SignInRoutes, OpenedSignIn, User) async throws -> OpenedSignIn = {
        _, signIn, _ in signIn
    }
    let show: @Sendable (SignInRoutes, OpenedSignIn, StepProblem) async throws -> Response
    let submit: @Sendable (SignInRoutes, OpenedSignIn, SameSiteForm) async throws -> Response

    /// Of every step, except those that are never sealed.
    static let all: [SignInStepPage] = SignInMethodPages.all.flatMap(\.steps) + [.ways, .journey] + lost

    private static let byStep = Dictionary(uniqueKeysWithValues: all.map { ($0.step, $0) })

    /// - Returns: `nil` for a step that is never sealed.
    static func of(_ step: SignInProgress.Step) -> SignInStepPage? {
        if case .journey = step { .journey } else { byStep[step] }
    }
}

extension SignInStepPage {
    /// The page that asks for a code of a second factor.
    static func secondFactor(
        _ method: any SecondFactorMethod.Type, path: String,
        show: @escaping @Sendable (SignInRoutes, OpenedSignIn, StepProblem) async throws -> Response
    ) -> SignInStepPage {
        SignInStepPage(step: .secondFactor(method.factor), path: path, show: show) {
            try await $0.checkSecond($1, $2, by: method.factor)
        }
    }
}

/// Why the form of a step was refused; empty for a page that is shown for the first time.
struct StepProblem: Sendable {
    var refusal: Refusal?
    /// Why a passkey instead of the page's own method was refused.
    var passkey: SignInRoutes.PasskeyFailure?

    /// What is wrong with the code.
    var code: CodeProblem? { passkey == nil ? refusal?.code : nil }
}

extension SignInProgress.Step {
    /// The address of its page; `nil` for steps that are never sealed.
    var path: String? { SignInStepPage.of(self)?.path }

    /// Whether its page takes other second factors than its own.
    var takesOtherFactors: Bool { self == .ways || secondFactor != nil }
}
