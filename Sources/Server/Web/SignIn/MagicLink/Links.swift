internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Links in messages: the window where the sign-in began waits for one.
extension SignInRoutes {
    /// `GET /login/link-status`: 204 while nothing has happened. The reloaded page finds out what did.
    @Sendable func linkStatus(_ page: SignInPage) async throws -> Response {
        guard let reference = page.signIn.progress.sent?.reference else { return .text(.gone, Self.over) }
        let isWaiting = try await services.methods.enchantedLinks.isWaiting(Secret(reference))
        return isWaiting
            ? Response(status: .noContent, headers: [.cacheControl: "no-store"]) : .text(.ok, "go on")
    }

    /// The page that waits; continues once the user followed the right link.
    func waitForLink(_ signIn: OpenedSignIn) async throws -> Response {
        guard let reference = signIn.progress.sent?.reference else { return linkSentPage(signIn, isExpired: true) }
        do {
            let proof = try await services.methods.enchantedLinks.collect(Secret(reference))
            let isHere = signIn.progress.sent?.isOpenedHere == true
            return try await proved(
                signIn, proof.identity.account.user, by: proof.identity.method,
                proving: proof.identity.provedAddress, isLetIn: proof.isLetIn && !isHere,
                isFirst: proof.identity.isFirst)
        } catch let problem as MethodProblem {
            return linkSentPage(signIn, isExpired: problem.code != MethodProblem.linkPending.code)
        }
    }

    func linkSentPage(_ signIn: OpenedSignIn, isExpired: Bool, _ refusal: Refusal? = nil) -> Response {
        let wait = Int(signIn.progress.resendWaitSeconds(at: services.ambient.now()))
        let sent = signIn.progress.sent
        return respond(
            LinkSentPage(
                form: form(signIn), channel: channel(signIn.progress), destination: sent?.destination ?? "",
                number: sent?.number,
                pollURI: "\(Self.statusPath)?transaction=\(signIn.sealed)", isExpired: isExpired,
                wasSentAgain: sent?.isRepeated ?? false,
                resending: isExpired || wait == 0 ? .now : .after(seconds: wait), hasCode: !isExpired,
                hasOtherWays: signIn.progress.goal == .signIn), signIn, refusal)
    }

    /// Switches from the link to the code of the same message.
    func typeInstead(_ signIn: OpenedSignIn) throws -> Response {
        guard let sent = signIn.progress.sent else { throw SignInProgress.Misplaced() }
        return try move(
            signIn, .codeSent(SignInProgress.Sent(at: sent.at, destination: sent.destination, isRepeated: false)))
    }
}
