internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// Links in messages: waiting for one in the window where the sign-in began, and landing on one, wherever that is.
extension SignInRoutes {
    /// `GET /login/link-status`: 204 while nothing has happened. The page itself finds out what did.
    @Sendable func linkStatus(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let visit = try visit(try request.queryParameters(), request, context),
            let reference = visit.progress.sent?.reference
        else { return .text(.gone, "over") }
        let isWaiting = try await services.methods.enchantedLinks.isWaiting(Secret(reference))
        return isWaiting
            ? Response(status: .noContent, headers: [.cacheControl: "no-store"]) : .text(.ok, "go on")
    }

    /// The page that waits; goes on once the right link was followed.
    func waitForLink(_ visit: Visit) async throws -> Response {
        guard let reference = visit.progress.sent?.reference else { return linkSentPage(visit, isExpired: true) }
        do {
            let proof = try await services.methods.enchantedLinks.collect(Secret(reference))
            return try await proved(visit, proof.identity.account.user, by: proof.identity.method)
        } catch let problem as MethodProblem {
            return linkSentPage(visit, isExpired: problem.code != MethodProblem.linkPending.code)
        }
    }

    func linkSentPage(_ visit: Visit, isExpired: Bool, _ refusal: Refusal? = nil) -> Response {
        let wait = Int(visit.progress.resendWaitSeconds(at: services.ambient.now()))
        let sent = visit.progress.sent
        return respond(
            LinkSentPage(
                form: form(visit), destination: sent?.destination ?? "", number: sent?.number,
                pollURI: "\(Self.statusPath)?journey=\(visit.sealed)", isExpired: isExpired,
                wasSentAgain: sent?.isRepeated ?? false,
                resending: isExpired || wait == 0 ? .now : .after(seconds: wait), hasCode: !isExpired,
                hasOtherWays: true), visit, refusal)
    }

    /// From waiting for a link to typing the code of the same message.
    func typeInstead(_ visit: Visit) throws -> Response {
        guard let sent = visit.progress.sent else { throw SignInProgress.Misplaced() }
        return try move(
            visit, .codeSent(SignInProgress.Sent(at: sent.at, destination: sent.destination, isRepeated: false)))
    }

    /// `GET /link`: says what the link is for. Spends nothing, however often machines look.
    @Sendable func showLanding(_ request: Request, _ context: WebContext) async throws -> Response {
        let query = try request.queryParameters()
        return try await landing(try query.one("t") ?? "", number: try query.one("n"), request, context)
    }

    /// `POST /link`: spends it.
    @Sendable func landed(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        let token = Secret(try form.one("t") ?? "")
        guard let browser = authorize.cookies.browser(request),
            authorize.guardian.admits(
                try form.one("csrf"), request, browser: browser, session: nil, journey: token.exposed())
        else { return authorize.crossSite(request, context) }
        let look = authorize.presenter.look(request)
        if try form.one("action") == "deny" {
            try await services.methods.refuse(token)
            return authorize.presenter.response(DonePage(kind: .linkRefused, way: nil), look: look)
        }
        // A page that asks "sign in?" does not give an address away: apps show their own page for that.
        guard let link = try await services.methods.magicLinks.describe(token), link.facts.purpose != .update else {
            return try await landing(token.exposed(), number: nil, request, context, .unprocessableContent)
        }
        let waiting = waiting(request, context, for: link)
        do {
            let address = authorize.addresses.address(of: request, context)
            guard link.isEnchanted else {
                let proof = try await services.methods.magicLinks.verify(token, from: address)
                let visit = waiting ?? stray(link, browser, request, context)
                return try await proved(visit, proof.identity.account.user, by: proof.identity.method)
            }
            try await services.methods.enchantedLinks.verify(token, from: address)
            guard let waiting else {
                return authorize.presenter.response(DonePage(kind: .linkConfirmed, way: nil), look: look)
            }
            return .seeOther(location(waiting.passage))
        } catch is MethodProblem {
            return try await landing(token.exposed(), number: nil, request, context, .unprocessableContent)
        }
    }

    private func landing(
        _ token: String, number: String?, _ request: Request, _ context: WebContext,
        _ status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let browser = authorize.cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
        let link = try await services.methods.magicLinks.describe(Secret(token))
        let visit = link.flatMap { waiting(request, context, for: $0) }
        var state = LinkPage.State.unknown
        if let link, link.facts.purpose != .update {
            let begunAt = link.expiresAt - Limits.proofSeconds
            let isNumber = number.map { $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) } ?? false
            state = .ready(
                token: token,
                LinkPage.Attempt(
                    appName: appName(visit?.passage), device: nil,
                    secondsAgo: Int(max(0, services.ambient.now().seconds(since: begunAt))), isHere: visit != nil,
                    number: link.isEnchanted && isNumber ? number : nil))
        }
        let form = PageForm(
            action: Self.linkPath, journey: nil,
            csrf: authorize.guardian.token(browser: browser, session: nil, journey: token),
            redirectOrigins: visit?.passage.journey.map { [$0.redirectURI] } ?? [])
        return authorize.presenter.response(
            LinkPage(form: form, state: state, codeURI: codeURI(request, context)),
            look: visit.map(look) ?? authorize.presenter.look(request), status: status,
            cookies: [authorize.cookies.setBrowser(browser)])
    }

    /// The passage that waits in this browser for this very link: of the same person, for the same purpose. Anybody's
    /// link would otherwise sign somebody else in to what was begun here.
    private func waiting(_ request: Request, _ context: WebContext, for link: LinkDescription) -> Visit? {
        guard let visit = waiting(request, context),
            Identifier(loginID: visit.progress.loginID) == link.facts.loginID,
            (visit.progress.goal == .passwordReset) == (link.facts.purpose == .passwordReset),
            link.isEnchanted == (visit.progress.step == .link)
        else { return nil }
        return visit
    }

    private func waiting(_ request: Request, _ context: WebContext) -> Visit? {
        guard let sealed = authorize.cookies.waiting(request), let browser = authorize.cookies.browser(request),
            let passage = open(sealed), passage.progress.browser == Self.mark(browser)
        else { return nil }
        return Visit(passage: passage, sealed: sealed, request: request, context: context, browser: browser)
    }

    /// Where the code of the same message can be typed: only where its sign-in began.
    private func codeURI(_ request: Request, _ context: WebContext) -> String? {
        guard var passage = waiting(request, context)?.passage, let sent = passage.progress.sent else { return nil }
        if passage.progress.step == .link {
            guard
                (try? passage.progress.apply(
                    .codeSent(SignInProgress.Sent(at: sent.at, destination: sent.destination)))) != nil
            else { return nil }
        }
        return location(passage)
    }

    /// A link that was opened where nothing waits for it: it leads to this server alone.
    private func stray(_ link: LinkDescription, _ browser: String, _ request: Request, _ context: WebContext) -> Visit {
        let progress = SignInProgress(
            link.facts.purpose == .passwordReset ? .passwordReset : .signIn, loginID: link.facts.loginID.value,
            channel: DeliveryMethod.email.rawValue, browser: Self.mark(browser))
        return Visit(
            passage: SignInPassage(journey: nil, progress: progress, startedAt: services.ambient.now()), sealed: "",
            request: request, context: context, browser: browser)
    }
}
