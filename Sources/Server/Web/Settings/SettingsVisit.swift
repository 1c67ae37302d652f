internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// A person looks at a page of their settings, or sends its form.
struct SettingsVisit: Sendable {
    /// Who is signed in.
    let person: SignedInOwner
    /// What was sent: the query, or the form.
    let form: FormParameters
    let look: PageLook
    /// The address of the page, to which its forms belong.
    let path: String
    /// What there is to be set here.
    let sections: [SettingsSection]
    /// What an app asked for, on this page or one before.
    let wish: SettingsWish
    let browser: String

    var owner: AccountOwner { person.owner }
    var account: Account { owner.account }
    var strings: Strings { look.language.strings }
    var action: String? { form.values("action").first }
    /// What was done before the page was shown, as ``SettingsFrame/done(_:at:)`` says it.
    var done: String? { form.values("done").first }

    /// Who looks, for the frame of the page.
    var visitor: SettingsVisitor {
        SettingsVisitor(
            name: account.user.displayName ?? account.user.id.rawValue, sections: sections,
            returning: nil)
    }
}

/// A visit of a person who signed in a moment ago.
struct RecentVisit: Sendable {
    let visit: SettingsVisit
    let person: RecentlySignedInOwner

    var owner: AccountOwner { person.owner }
}

/// The form of a page of the settings.
struct SettingsForm: Sendable {
    let visit: SettingsVisit
    let form: SameSiteForm

    var owner: AccountOwner { visit.owner }
    var action: String? { visit.action }
    func one(_ name: String) throws(FormProblem) -> String? { try form.one(name) }
}

/// The same from a person who signed in a moment ago.
struct RecentForm: Sendable {
    let visit: SettingsVisit
    let form: SameSiteForm
    let person: RecentlySignedInOwner

    var owner: AccountOwner { person.owner }
    var action: String? { visit.action }
    func one(_ name: String) throws(FormProblem) -> String? { try form.one(name) }
}

/// What pages and forms of the settings demand: a session, a form of ours, a recent sign-in. Users who must sign in do so and
/// come back; only pages are come back to, never forms.
extension SettingsMiddleware {
    /// A page for everybody who is signed in.
    ///
    /// - Parameter section: where a user who has to sign in comes back to.
    func signedInVisit(_ path: String, of section: SettingsSection) -> Check<SettingsVisit> {
        Check(.session) { request, _ in
            try await makeVisit(path, section, try request.queryParameters(), request, nil)
        }
    }

    /// A page for those who signed in a moment ago.
    func recentVisit(_ path: String, of section: SettingsSection) -> Check<RecentVisit> {
        signedInVisit(path, of: section).then(.recentSignIn) { visit, _, _ in
            RecentVisit(visit: visit, person: try recent(visit, section))
        }
    }

    /// A form of a page of ours.
    func settingsForm(_ path: String, of section: SettingsSection) -> Check<SettingsForm> {
        checks.anyForm.then(.session) { fields, request, context in
            try await makeVisit(path, section, fields, request, context)
        }.then(.sameSite) { visit, request, _ in
            do throws(PageProblem) {
                let form = try checks.sameSite(
                    visit.form, request, journey: path, session: visit.owner.session.id)
                return SettingsForm(visit: visit, form: form)
            } catch {
                var problem = error
                (problem.uiLocales, problem.colorScheme) = (visit.look.language.code, visit.look.colorScheme.rawValue)
                throw problem
            }
        }
    }

    /// A form of a page of ours, from a person who signed in a moment ago.
    func recentForm(_ path: String, of section: SettingsSection) -> Check<RecentForm> {
        settingsForm(path, of: section).then(.recentSignIn) { form, _, _ in try recent(form, section) }
    }

    func recent(_ form: SettingsForm, _ section: SettingsSection) throws(Refused) -> RecentForm {
        RecentForm(visit: form.visit, form: form.form, person: try recent(form.visit, section))
    }

    private func recent(_ visit: SettingsVisit, _ section: SettingsSection) throws(Refused) -> RecentlySignedInOwner {
        guard let person = checks.recent(visit.person) else {
            throw Refused(signIn(section, visit.wish, again: visit.owner))
        }
        return person
    }

    /// - Parameter context: of a request that changes something.
    private func makeVisit(
        _ path: String, _ section: SettingsSection, _ fields: FormParameters, _ request: Request,
        _ context: WebContext?
    ) async throws -> SettingsVisit {
        let wish = SettingsWish(fields, earlier: checks.cookies.settingsWish(request))
        guard let person = try await checks.owner(request, context) else { throw Refused(signIn(section, wish)) }
        let journey = checks.journey(in: fields)
        let locale = person.owner.account.user.claims["locale"]?.stringValue
        // What the app asked for goes before what its user once chose.
        let locales = [journey?.uiLocales, wish.language, locale].compactMap(\.self).joined(separator: " ")
        return SettingsVisit(
            person: person, form: fields,
            look: presenter.look(
                request, uiLocales: locales, colorScheme: journey?.colorScheme ?? wish.colorScheme?.rawValue),
            path: path,
            sections: SettingsSection.allCases.filter {
                $0 != .passkeys || services.methods.passkeys.parties.own != nil
            }, wish: wish, browser: checks.browser(request))
    }
}
