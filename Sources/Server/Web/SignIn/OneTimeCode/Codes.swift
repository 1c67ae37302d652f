internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Codes of messages.
extension SignInRoutes {
    /// Checks the code of a message.
    func checkCode(_ signIn: OpenedSignIn, _ form: SameSiteForm) async throws -> Response {
        let progress = signIn.progress
        do {
            let proof = try await services.methods.codes.verify(
                loginID: progress.loginID, code: Secret(try form.one("code") ?? ""),
                method: DeliveryMethod(rawValue: progress.channel) ?? .email, isPage: true,
                from: addresses.address(of: signIn.request, signIn.context))
            var user = proof.identity.account.user
            if proof.identity.isFirst, let hash = progress.chosenHash {
                try await services.methods.passwords.setFirst(hash, of: proof.identity.account)
                user = try await services.stores.users.account(user.id)?.user ?? user
            }
            return try await proved(
                signIn, user, by: proof.identity.method, proving: proof.identity.provedAddress,
                isFirst: proof.identity.isFirst)
        } catch let problem as MethodProblem {
            return codePage(signIn, Refusal(problem))
        }
    }

    /// The page for the code of a message.
    func codePage(_ signIn: OpenedSignIn, _ refusal: Refusal?) -> Response {
        let progress = signIn.progress
        let wait = Int(progress.resendWaitSeconds(at: services.ambient.now()))
        return respond(
            CodePage(
                form: form(signIn), channel: channel(progress), destination: progress.sent?.destination,
                problem: refusal?.code, wasSentAgain: progress.sent?.isRepeated ?? false,
                hasLink: progress.sent?.hasLink == true, resending: wait > 0 ? .after(seconds: wait) : .now,
                hasOtherWays: progress.goal == .signIn), signIn, refusal)
    }
}
