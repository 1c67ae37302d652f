internal import Identity
internal import KeyturnWire
internal import SignIn

extension SignInMethodPages {
    static let recoveryCode = SignInMethodPages(
        method: RecoveryCodes.self,
        ways: [
            SignInWay(
                value: "recovery", place: .second, label: { _, _ in (.recoveryCode, nil) },
                choose: { try $0.move($1, .secondFactorChosen(RecoveryCodes.factor)) })
        ],
        steps: [
            .secondFactor(RecoveryCodes.self, path: "/login/recovery") { try await $0.recoveryCodePage($1, $2) }
        ])
}

extension SignInRoutes {
    /// The page for a recovery code.
    func recoveryCodePage(_ signIn: OpenedSignIn, _ problem: StepProblem) async throws -> Response {
        respond(
            RecoveryPage(
                form: form(signIn), problem: problem.code,
                passkey: try await passkeyButton(signIn), passkeyProblem: problem.passkey?.refusal,
                signals: problem.passkey?.signals ?? [], canBeLost: services.recovery.isOffered), signIn,
            problem.refusal)
    }
}
