internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/continue`: a user who is signed in lets an app on this device know who they are.
extension AuthorizeRoutes {
    /// `GET /continue`.
    @Sendable func showContinuation(
        _ opened: OpenedTransaction, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let transaction = opened.transaction
        let person = try await checks.person(request)
        let step = try await checks.services.authorization.next(transaction, session: person?.asPair)
        guard case .confirmation(let client, let user) = step, let person else {
            return try await respond(step, transaction, request, context)
        }
        let browser = checks.browser(request)
        let sealed = checks.sealed(transaction)
        let page = ContinuationPage(
            form: PageForm(
                action: Routes.continuation, transaction: sealed,
                csrf: checks.guardian.token(browser: browser, session: person.session.id, transaction: sealed),
                redirectOrigins: [transaction.redirectURI]),
            appName: client.name, userName: user.displayName ?? user.id.rawValue, isUnverified: client.isUnverified)
        return presenter.response(
            page, look: look(transaction, request), cookies: [checks.cookies.setBrowser(browser)])
    }

    /// `POST /continue`.
    @Sendable func continuation(
        _ asked: AnsweredForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (transaction, authorization) = (asked.transaction, checks.services.authorization)
        let action = try asked.form.one("action")
        if action == "deny" {
            return respond(
                try await authorization.deny(transaction, session: asked.person?.session), request, context)
        }
        if action == "other" {
            return try await proceed(
                authorization.choosingAnother(transaction), session: asked.person?.asPair, request, context)
        }
        let step = try await authorization.next(transaction, session: asked.person?.asPair)
        guard case .confirmation = step, action == "continue", let session = asked.person?.session else {
            return try await respond(step, transaction, request, context)
        }
        return respond(try await authorization.confirm(transaction, session: session), request, context)
    }
}
