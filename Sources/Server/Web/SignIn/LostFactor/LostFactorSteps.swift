internal import SignIn

extension SignInStepPage {
    /// The pages of a second factor that was lost.
    static let lost: [SignInStepPage] = [
        makeLost(.lost, "/login/lost"), makeLost(.lostCode, "/login/lost/code"),
        makeLost(.lostWaiting, "/login/lost/waiting"), makeLost(.lostRemoval, "/login/lost/remove"),
    ]

    private static func makeLost(_ step: SignInProgress.Step, _ path: String) -> SignInStepPage {
        SignInStepPage(
            step: step, path: path, hasCommonButtons: false,
            show: { routes, signIn, _ in try await routes.showLost(signIn) }
        ) {
            try await $0.submitLost($1, try $2.one("action"), $2)
        }
    }
}
