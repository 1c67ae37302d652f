internal import Authority
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// A request of an operator to a page of the console.
struct ConsoleRequest: Sendable {
    let person: SignedInOwner
    /// The operator, as the rules and audit events name them.
    let actor: Actor
    let role: ConsoleRole
    /// The query, or the form.
    let fields: FormParameters
    let look: PageLook
    /// The address that was asked for; its forms are valid only there.
    let path: String
    let browser: String

    fileprivate init(
        _ person: SignedInOwner, _ standing: OperatorStanding, fields: FormParameters, look: PageLook, path: String,
        browser: String
    ) {
        self.person = person
        actor = Actor(standing.user, .operator(standing))
        role = standing.role
        self.fields = fields
        self.look = look
        self.path = path
        self.browser = browser
    }

    var owner: AccountOwner { person.owner }
    var strings: Strings { look.language.strings }

    /// A field that is there and not empty.
    func value(_ name: String) -> String? {
        fields.values(name).first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The page of a list, from 0.
    var pageNumber: Int { value("page").flatMap(Int.init).map { min(max($0, 0), Limits.searchPageMax) } ?? 0 }

    /// The page of the form, or the page itself.
    var returnPath: String {
        let path = path == ConsoleUserPaths.sessions ? ConsoleUserPaths.user : path
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
    var actor: Actor { request.actor }
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
    func page(of section: ConsoleSection, for act: Act) -> Check<ConsoleRequest> {
        opened(
            section, RuleTable.demand(onOperatorsFor: act).role, Check { request, _ in try request.queryParameters() })
    }

    func form(of section: ConsoleSection, for act: Act) -> Check<ConsoleForm> {
        let demand = RuleTable.demand(onOperatorsFor: act)
        let posted = opened(section, demand.role, checks.anyForm).then(.sameSite) { opened, request, _ in
            ConsoleForm(
                opened,
                try checks.sameSite(
                    opened.fields, request, transaction: opened.path, session: opened.owner.session.id))
        }
        guard demand.isRecent else { return posted }
        return posted.then(.recentSignIn) { posted, _, _ in
            guard checks.recent(posted.request.person) != nil else { throw signInAgain(posted.request) }
            return posted
        }
    }

    /// What the rulebook misses: a recent sign-in is asked for, and the operator comes back.
    func refusal(_ denial: Denial, _ opened: ConsoleRequest) -> any Error {
        denial == .missing(.recentSignIn) ? signInAgain(opened) : PageProblem.denied(denial)
    }

    private func signInAgain(_ opened: ConsoleRequest) -> Refused {
        Refused(signIn(to: opened.returnPath, again: opened.owner, maxAgeSeconds: Limits.sensitiveSeconds - 1))
    }

    private func opened(_ section: ConsoleSection, _ role: ConsoleRole, _ fields: Check<FormParameters>)
        -> Check<ConsoleRequest>
    {
        fields.then(.session) { fields, request, context in
            // An app's session is for the settings: what an app holds, its maker may hold.
            guard let person = try await checks.owner(request, context), person.owner.session.openedBy == nil else {
                throw Refused(signIn(to: returnPath(request, section)))
            }
            return (fields, person)
        }.then(.consoleRole(role)) { found, request, _ in
            let (fields, person) = found
            let account = person.owner.account
            guard let own = account.consoleRole, own >= role else { throw PageProblem.consoleRole(role) }
            let standing = OperatorStanding(
                user: account.user.id.rawValue, role: own, isRecent: checks.recent(person) != nil,
                actingRoles: ActingPermissions.roles(services.directory))
            return ConsoleRequest(
                person, standing, fields: fields,
                look: look(request, locale: account.user.claims["locale"]?.stringValue), path: request.target.path,
                browser: checks.browser(request))
        }.then(.severalFactors) { opened, request, _ in
            let facts = opened.owner.session.authentication
            let isFresh = services.ambient.now() < facts.time + Limits.consoleSeconds
            guard facts.areStrong, !facts.isOfProvider, isFresh, !facts.isOfApproval else {
                throw Refused(
                    signIn(
                        to: returnPath(request, section), again: opened.owner,
                        maxAgeSeconds: Limits.consoleSeconds - 1))
            }
            return opened
        }
    }
}
