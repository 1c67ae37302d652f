internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth

/// An app opens a page of a web application signed in (Authgear's pre-authenticated URLs).
extension AuthorizeRoutes {
    /// Opens the page, and gives this browser the pass.
    ///
    /// A browser in which another user is signed in is left as it is: the link may be an attacker's, who wants that user to
    /// take the attacker's account for their own.
    func openPage(
        _ parameters: FormParameters, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let services = checks.services
        switch try await services.authorization.openPage(parameters, services.transactions) {
        case .refused(let refusal): return refused(refusal, request, context)
        case .unknown(let location): return .seeOther(location)
        case .open(let user, let pass, let location):
            guard let person = try await checks.person(request) else {
                return .seeOther(location, cookies: [checks.cookies.setPagePass(pass)])
            }
            guard person.user.id == user else {
                return presenter.error(
                    .otherAccount, "The app's session and this browser's are of different users.", status: .conflict,
                    request, context)
            }
            return .seeOther(location)
        }
    }

    /// The answer to the web application's own request, by the pass that this browser has; `nil`: it has none, or not for
    /// this request.
    func answerByPass(_ transaction: AuthorizationTransaction, _ request: Request, _ context: WebContext)
        async throws -> Response?
    {
        guard let pass = checks.cookies.pagePass(request),
            let answer = try await checks.services.authorization.answer(
                transaction, by: pass, checks.services.transactions)
        else { return nil }
        var response = respond(answer, request, context)
        response.headers.append(HTTPField(name: .setCookie, value: checks.cookies.clearPagePass()))
        return response
    }
}
