internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/promotion`: an app's user without an account signed in to an account that exists, and says what becomes of what the
/// app had of them before.
extension AuthorizeRoutes {
    /// `GET /promotion`.
    @Sendable func showPromotion(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = opened.transaction
        let person = try await checks.person(request)
        let step = try await checks.services.authorization.next(transaction, session: person?.asPair)
        guard case .promotion(let question) = step, let person else {
            return try await respond(step, transaction, request, context)
        }
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let form = PageForm(
            action: Routes.promotion, transaction: sealed,
            csrf: checks.guardian.token(browser: browser, session: person.session.id, transaction: sealed),
            redirectOrigins: [transaction.redirectURI])
        let page = PromotionPage(
            form: form, appName: checks.services.clients.client(transaction.clientID)?.name ?? transaction.clientID,
            userName: question.user.displayName ?? question.user.id.rawValue,
            secondsAgo: Int(checks.services.ambient.now().seconds(since: question.anonymous.user.createdAt)),
            details: question.anonymous.user.claims.count + question.anonymous.user.attributes.count,
            memberships: question.anonymous.memberships.tenants.count + question.anonymous.memberships.roles.count)
        return presenter.response(
            page, look: look(transaction, request), cookies: [checks.cookies.setBrowser(browser)])
    }

    /// `POST /promotion`.
    @Sendable func promotion(
        _ asked: AnsweredForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (transaction, authorization) = (asked.transaction, checks.services.authorization)
        let action = try asked.form.one("action") ?? ""
        if action == "deny" {
            return respond(
                try await authorization.deny(transaction, session: asked.person?.session), request, context)
        }
        let step = try await authorization.next(transaction, session: asked.person?.asPair)
        guard case .promotion = step, let person = asked.person,
            let choice = AnonymousPromotion.Choice(rawValue: action), choice != .adopt
        else { return try await respond(step, transaction, request, context) }
        return try await proceed(
            authorization.choose(choice, by: person.user.id, transaction), session: person.asPair, request, context)
    }
}
