internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// A request of a signed-in user to a page of the settings.
struct OpenedSettings: Sendable {
    /// The signed-in user.
    let person: SignedInOwner
    /// The query, or the form.
    let form: FormParameters
    let look: PageLook
    /// The address of the page; its forms are valid only there.
    let path: String
    /// The sections that this server offers.
    let sections: [SettingsSection]
    /// What an app wanted, on this page or an earlier one.
    let wish: SettingsWish
    let browser: String

    fileprivate init(
        _ person: SignedInOwner, form: FormParameters, look: PageLook, path: String, sections: [SettingsSection],
        wish: SettingsWish, browser: String
    ) {
        self.person = person
        self.form = form
        self.look = look
        self.path = path
        self.sections = sections
        self.wish = wish
        self.browser = browser
    }

    var owner: AccountOwner { person.owner }
    var account: Account { owner.account }
    var strings: Strings { look.language.strings }
    var action: String? { form.values("action").first }
    /// What was done before this page, as ``SettingsMiddleware/done(_:at:cookies:)`` wrote it.
    var done: String? { form.values("done").first }

    /// The user, for the layout of the page.
    var settingsUser: SettingsUser {
        SettingsUser(
            name: account.user.displayName ?? account.user.id.rawValue, sections: sections,
            isInApp: owner.session.openedBy != nil)
    }
}

/// A request of a user who signed in a moment ago, with the second factor if there is one.
struct RecentlyOpenedSettings: Sendable {
    let opened: OpenedSettings
    let person: RecentlySignedInOwner

    fileprivate init(_ opened: OpenedSettings, _ person: RecentlySignedInOwner) {
        self.opened = opened
        self.person = person
    }

    var owner: AccountOwner { person.owner }
}

/// The form of a page of the settings.
struct SettingsForm: Sendable {
    let opened: OpenedSettings
    let form: SameSiteForm

    fileprivate init(_ opened: OpenedSettings, _ form: SameSiteForm) {
        self.opened = opened
        self.form = form
    }

    var owner: AccountOwner { opened.owner }
    var action: String? { opened.action }
    func one(_ name: String) throws(FormProblem) -> String? { try form.one(name) }
}

/// A form of the settings, from a user who signed in a moment ago, with the second factor if there is one.
struct RecentForm: Sendable {
    let opened: OpenedSettings
    let form: SameSiteForm
    let person: RecentlySignedInOwner

    fileprivate init(_ posted: SettingsForm, _ person: RecentlySignedInOwner) {
        opened = posted.opened
        form = posted.form
        self.person = person
    }

    var owner: AccountOwner { person.owner }
    var action: String? { opened.action }
    func one(_ name: String) throws(FormProblem) -> String? { try form.one(name) }
}

/// What pages and forms of the settings demand: a session, a form of this server, a recent sign-in. Users who must sign
/// in do so and come back, to a page and never to a form.
extension SettingsMiddleware {
    /// A page for every signed-in user.
    ///
    /// - Parameter section: where a user returns to after a sign-in.
    func signedInPage(_ path: String, of section: SettingsSection) -> Check<OpenedSettings> {
        Check(.session) { request, _ in
            try await openSettings(path, section, try request.queryParameters(), request, nil)
        }
    }

    /// A page for users who signed in a moment ago.
    func recentPage(_ path: String, of section: SettingsSection) -> Check<RecentlyOpenedSettings> {
        signedInPage(path, of: section).then(.recentSignIn) { opened, _, _ in
            RecentlyOpenedSettings(opened, try recent(opened, section))
        }
    }

    /// A form of a page of this server.
    func settingsForm(_ path: String, of section: SettingsSection) -> Check<SettingsForm> {
        checks.anyForm.then(.session) { fields, request, context in
            try await openSettings(path, section, fields, request, context)
        }.then(.sameSite) { opened, request, _ in
            do throws(PageProblem) {
                let form = try checks.sameSite(
                    opened.form, request, transaction: path, session: opened.owner.session.id)
                return SettingsForm(opened, form)
            } catch {
                var problem = error
                (problem.uiLocales, problem.colorScheme) = (opened.look.language.code, opened.look.colorScheme.rawValue)
                throw problem
            }
        }
    }

    /// A form of a page of this server, from a user who signed in a moment ago.
    func recentForm(_ path: String, of section: SettingsSection) -> Check<RecentForm> {
        settingsForm(path, of: section).then(.recentSignIn) { form, _, _ in try recent(form, section) }
    }

    func recent(_ form: SettingsForm, _ section: SettingsSection) throws(Refused) -> RecentForm {
        RecentForm(form, try recent(form.opened, section))
    }

    private func recent(_ opened: OpenedSettings, _ section: SettingsSection) throws(Refused) -> RecentlySignedInOwner {
        guard let person = checks.recent(opened.person) else {
            throw Refused(signIn(section, opened.wish, again: opened.owner, awaited: awaited(opened)))
        }
        let caller = Caller.session(opened.owner.standing(at: services.ambient.now()))
        if let act = section.act,
            !services.project.rulebook.allows(act, to: caller, on: opened.owner.account.subject)
        {
            throw Refused(
                signIn(section, opened.wish, again: opened.owner, withFactor: true, awaited: awaited(opened)))
        }
        return person
    }

    /// - Parameter context: of a request that changes something.
    private func openSettings(
        _ path: String, _ section: SettingsSection, _ fields: FormParameters, _ request: Request,
        _ context: WebContext?
    ) async throws -> OpenedSettings {
        let wish = SettingsWish(
            fields, earlier: checks.cookies.settingsWish(request, presenter.languages), presenter.languages)
        guard let person = try await checks.owner(request, context) else { throw Refused(signIn(section, wish)) }
        let transaction = checks.transaction(in: fields)
        let locale = person.owner.account.user.claims["locale"]?.stringValue
        // The app's wish goes before the language that the user chose earlier.
        let locales = [transaction?.uiLocales, wish.language, locale].compactMap(\.self).joined(separator: " ")
        let opened = OpenedSettings(
            person, form: fields,
            look: presenter.look(
                request, uiLocales: locales, colorScheme: transaction?.colorScheme ?? wish.colorScheme?.rawValue),
            path: path,
            sections: SettingsSection.all.filter { $0.isOffered(by: services) }, wish: wish,
            browser: checks.browser(request))
        if let answer = try await unsupported(opened) { throw Refused(answer) }
        return opened
    }
}
