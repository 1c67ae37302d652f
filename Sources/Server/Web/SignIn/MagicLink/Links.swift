internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Links in messages: the window where the sign-in began waits for one.
extension SignInRoutes {
    /// `GET /login/link-status`: 204 while nothing has happened. The reloaded page finds out what did.
    @Sendable func linkStatus(_ page: PassagePage) async throws -> Response {
        guard let reference = page.visit.progress.sent?.reference else { return .text(.gone, Self.over) }
        let isWaiting = try await services.methods.enchantedLinks.isWaiting(Secret(reference))
        return isWaiting
            ? Response(status: .noContent, headers: [.cacheControl: "no-store"]) : .text(.ok, "go on")
    }

    /// The page that waits; continues once the user followed the right link.
    func waitForLink(_ visit: SignInVisit) async throws -> Response {
        guard let reference = visit.progress.sent?.reference else { return linkSentPage(visit, isExpired: true) }
        do {
            let proof = try await services.methods.enchantedLinks.collect(Secret(reference))
            return try await proved(visit, proof.identity.account.user, by: proof.identity.method)
        } catch let problem as MethodProblem {
            return linkSentPage(visit, isExpired: problem.code != MethodProblem.linkPending.code)
        }
    }

    func linkSentPage(_ visit: SignInVisit, isExpired: Bool, _ refusal: Refusal? = nil) -> Response {
        let wait = Int(visit.progress.resendWaitSeconds(at: services.ambient.now()))
        let sent = visit.progress.sent
        return respond(
            LinkSentPage(
                form: form(visit), channel: channel(visit.progress), destination: sent?.destination ?? "",
                number: sent?.number,
                pollURI: "\(Self.statusPath)?journey=\(visit.sealed)", isExpired: isExpired,
                wasSentAgain: sent?.isRepeated ?? false,
                resending: isExpired || wait == 0 ? .now : .after(seconds: wait), hasCode: !isExpired,
                hasOtherWays: visit.progress.goal == .signIn), visit, refusal)
    }

    /// Switches from the link to the code of the same message.
    func typeInstead(_ visit: SignInVisit) throws -> Response {
        guard let sent = visit.progress.sent else { throw SignInProgress.Misplaced() }
        return try move(
            visit, .codeSent(SignInProgress.Sent(at: sent.at, destination: sent.destination, isRepeated: false)))
    }
}
