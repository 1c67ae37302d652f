internal import Authority
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// A request of an operator to a page of the console.
struct ConsoleRequest: Sendable {
    let person: SignedInOwner
    let role: ConsoleRole
    /// The query, or the form.
    let fields: FormParameters
    let look: PageLook
    /// The address that was asked for; its forms are valid only there.
    let path: String
    let browser: String

    fileprivate init(
        _ person: SignedInOwner, role: ConsoleRole, fields: FormParameters, look: PageLook, path: String,
        browser: String
    ) {
        self.person = person
        self.role = role
        self.fields = fields
        self.look = look
        self.path = path
        self.browser = browser
    }

    var owner: AccountOwner { person.owner }
    var strings: Strings { look.language.strings }

    /// The operator, as audit events name them.
    var actor: String { owner.userID.rawValue }

    /// A field that is there and not empty.
    func value(_ name: String) -> String? {
        fields.values(name).first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The page of a list, from 0.
    var pageNumber: Int { value("page").flatMap(Int.init).map { min(max($0, 0), Limits.searchPageMax) } ?? 0 }

    /// The page of the form, or the page itself.
    var returnPath: String {
        guard let id = value("id"), path != "" else { return path }
        return ConsoleMiddleware.address(path, ["id": id])
    }

    /// What was done before this page, as ``ConsoleMiddleware/done(_:at:)`` wrote it.
    var done: String? { value("done") }
}

/// The form of a page of the console.
struct ConsoleForm: Sendable {
    let request: ConsoleRequest
    let form: SameSiteForm

    fileprivate init(_ request: ConsoleRequest, _ form: SameSiteForm) {
        self.request = request
        self.form = form
    }

    var action: String? { request.value("action") }
    var actor: String { request.actor }
    func value(_ name: String) -> String? { request.value(name) }
}

/// A form of the console, from an operator who signed in a moment ago.
struct RecentConsoleForm: Sendable {
    let request: ConsoleRequest
    let form: SameSiteForm
    let person: RecentlySignedInOwner

    fileprivate init(_ posted: ConsoleForm, _ person: RecentlySignedInOwner) {
        request = posted.request
        form = posted.form
        self.person = person
    }

    var action: String? { request.value("action") }
    var actor: String { request.actor }
    func value(_ name: String) -> String? { request.value(name) }
}

extension Demand {
    /// Redirects to the sign-in with a second factor, and back.
    fileprivate static let severalFactors = Demand(.severalFactors, .redirect("\(Routes.login)?transaction="))

    fileprivate static func consoleRole(_ role: ConsoleRole) -> Demand {
        Demand(.consoleRole, PageProblem.consoleRole(role).refusal)
    }
}

/// What pages and forms of the console demand, in this order: a session, a role, a second factor or a passkey, a form of
/// this server, a recent sign-in. Operators who must sign in do so and come back, to a page and never to a form.
extension ConsoleMiddleware {
    func page(of section: ConsoleSection, from role: ConsoleRole) -> Check<ConsoleRequest> {
        opened(section, role, Check { request, _ in try request.queryParameters() })
    }

    func form(of section: ConsoleSection, from role: ConsoleRole) -> Check<ConsoleForm> {
        opened(section, role, checks.anyForm).then(.sameSite) { opened, request, _ in
            ConsoleForm(
                opened,
                try checks.sameSite(
                    opened.fields, request, transaction: opened.path, session: opened.owner.session.id))
        }
    }

    func recentForm(of section: ConsoleSection, from role: ConsoleRole) -> Check<RecentConsoleForm> {
        form(of: section, from: role).then(.recentSignIn) { posted, _, _ in
            guard let person = checks.recent(posted.request.person) else {
                let owner = posted.request.owner
                throw Refused(
                    signIn(to: posted.request.returnPath, again: owner, maxAgeSeconds: Limits.sensitiveSeconds - 1))
            }
            return RecentConsoleForm(posted, person)
        }
    }

    private func opened(_ section: ConsoleSection, _ role: ConsoleRole, _ fields: Check<FormParameters>)
        -> Check<ConsoleRequest>
    {
        fields.then(.session) { fields, request, context in
            guard let person = try await checks.owner(request, context) else {
                throw Refused(signIn(to: returnPath(request, section)))
            }
            return (fields, person)
        }.then(.consoleRole(role)) { found, request, _ in
            let (fields, person) = found
            guard let own = try await services.stores.consoleOperators.role(of: person.owner.userID), own >= role
            else { throw PageProblem.consoleRole(role) }
            let locale = person.owner.account.user.claims["locale"]?.stringValue
            return ConsoleRequest(
                person, role: own, fields: fields, look: look(request, locale: locale), path: request.target.path,
                browser: checks.browser(request))
        }.then(.severalFactors) { opened, request, _ in
            let facts = opened.owner.session.authentication
            let isFresh = services.ambient.now() < facts.time + Limits.consoleSeconds
            guard facts.areStrong, isFresh, !facts.isOfApproval else {
                throw Refused(
                    signIn(
                        to: returnPath(request, section), again: opened.owner,
                        maxAgeSeconds: Limits.consoleSeconds - 1))
            }
            return opened
        }
    }
}
