@testable import Web

/// Every page in every state that a person can meet, with sample data or with data of an attacker.
struct Gallery: Sendable {
    typealias Specimen = (name: String, page: any Page)

    /// What everything that people or apps provide is passed through.
    let untrusted: @Sendable (String) -> String

    static let plain = Gallery { $0 }
    static let hostileText = "\"><script>alert(1)</script>'&{{csrf}}"
    static let hostile = Gallery { _ in hostileText }

    var all: [Specimen] {
        login + consent + promotions + proofs + links + accounts + enrolment + settings + access + passkeys
            + devices + approvals + lostFactors + disputes + federation + journeys + flows + edges + errors
    }

    func form(_ action: String) -> PageForm {
        PageForm(action: action, transaction: untrusted("sealed"), csrf: untrusted("mark"))
    }

    var app: String { untrusted("Harbour Tickets") }
    private var mail: String { untrusted("m•••a@example.test") }

    private var errors: [Specimen] {
        ErrorPage.Kind.allCases.map { kind in
            let page = ErrorPage(
                status: 400, kind: kind, detail: untrusted("Unknown client_id."), reference: untrusted("9085ce")
            )
            return ("error-\(kind)", page)
        }
    }

    private var login: [Specimen] {
        func page(_ problem: LoginPage.Problem?, _ ways: LoginPage.Ways) -> LoginPage {
            LoginPage(
                transaction: untrusted("sealed"), csrf: untrusted("mark"), clientName: app,
                loginHint: problem == nil ? nil : untrusted("maria@example.test"), problem: problem,
                reauthenticating: nil, redirectOrigins: [], ways: ways)
        }
        let uri = untrusted("/signup?transaction=sealed")
        let every = LoginPage.Ways(sendsTo: .emailOrPhone, signUpURI: uri, resetURI: uri)
        let other = LoginPage.Ways(resetURI: uri, asksOtherDevice: true)
        func wanted(_ account: String?) -> LoginPage.Ways {
            var ways = every
            ways.wanted = LoginPage.Wanted(account: account)
            return ways
        }
        func another(_ account: String?) -> OtherAccountPage {
            OtherAccountPage(
                form: form("/login"), appName: app, userName: untrusted("Nina Berg"), account: account)
        }
        return [
            ("login-other-device", page(nil, other)),
            ("login", page(nil, .init())), ("login-ways", page(nil, every)),
            ("login-email", page(nil, .init(sendsTo: .email, resetURI: uri))),
            ("login-phone", page(.unreachable(.phone), .init(sendsTo: .phone, resetURI: uri))),
            ("login-wrong", page(.wrongCredentials, every)),
            ("login-locked", page(.tooManyAttempts(retryAfterSeconds: 900), every)),
            ("login-nobody", page(.nameMissing, every)),
            ("login-wanted", page(nil, wanted(mail))), ("login-wanted-unnamed", page(nil, wanted(nil))),
            ("other-account", another(mail)), ("other-account-unnamed", another(nil)),
        ]
    }

    private var proofs: [Specimen] {
        let options = VerificationMethod.allCases.map { method in
            let isSent = ![.passkey, .password, .authenticator, .recoveryCode, .otherDevice].contains(method)
            return MethodsPage.Option(
                method: method, value: untrusted("\(method)"), destination: isSent ? mail : nil)
        }
        func code(
            _ channel: CodeChannel, _ problem: CodeProblem? = nil, again: Bool = false, _ resending: Resending = .now
        ) -> CodePage {
            CodePage(
                form: form("/code"), channel: channel,
                destination: channel == .authenticator ? nil : mail, problem: problem, wasSentAgain: again,
                resending: resending, hasOtherWays: true, canBeLost: channel == .authenticator)
        }
        func recovery(_ problem: CodeProblem?) -> RecoveryPage {
            RecoveryPage(
                form: form("/recovery"), problem: problem, canBeLost: problem == nil)
        }
        return MethodsPage.Purpose.allCases.map { purpose in
            let page = MethodsPage(
                form: form("/methods"), purpose: purpose, appName: app, options: options,
                canBeLost: purpose == .secondFactor)
            return ("methods-\(purpose)", page)
        }
            + CodeChannel.allCases.map { channel in
                ("code-\(channel)", code(channel, nil, channel == .authenticator ? .never : .after(seconds: 30)))
            } + [
                ("code-wrong", code(.email, .wrong)), ("code-expired", code(.email, .expired)),
                ("code-spent", code(.email, .tooManyCodes(retryAfterSeconds: 540))),
                ("code-throttled", code(.sms, .tooManyAttempts(retryAfterSeconds: 600), .after(seconds: 600))),
                ("code-again", code(.email, again: true, .after(seconds: 60))),
                (
                    "code-or-link",
                    CodePage(
                        form: form("/code"), channel: .email, destination: mail, problem: nil, wasSentAgain: false,
                        hasLink: true, resending: .after(seconds: 30), hasOtherWays: true)
                ),
                ("recovery", recovery(nil)), ("recovery-wrong", recovery(.wrong)),
                ("recovery-throttled", recovery(.tooManyAttempts(retryAfterSeconds: 90))),
            ]
    }

    private var links: [Specimen] {
        func attempt(_ purpose: LinkPage.Purpose, here: Bool, _ number: String? = nil) -> LinkPage.State {
            let isUpdate = purpose == .newAddress
            return .ready(
                token: untrusted("token"),
                .init(
                    purpose: purpose, appName: app, device: here ? nil : untrusted("Firefox on Linux"),
                    secondsAgo: 130, isHere: here, number: number, account: isUpdate ? mail : nil,
                    newAddress: isUpdate ? untrusted("maria.lindqvist.of.the.harbour@a-long-domain.test") : nil,
                    hasCode: purpose == .signIn && number == nil))
        }
        let states: [(String, LinkPage.State, LinkPage.Way?)] =
            LinkPage.Purpose.allCases.flatMap { purpose in
                [
                    ("link-\(purpose)", attempt(purpose, here: true), nil),
                    ("link-\(purpose)-elsewhere", attempt(purpose, here: false), nil),
                    ("link-\(purpose)-number", attempt(purpose, here: false, untrusted("42")), nil),
                ]
            } + [
                ("link-unknown", .unknown, nil), ("link-unknown-code", .unknown, .code(untrusted("/code"))),
                ("link-expired", .expired, .again(untrusted("/login"))),
                ("link-expired-elsewhere", .expired, .signIn("/settings")),
                ("link-used", .used, .settings("/settings")),
                ("link-failed", .failed, .settings("/settings")),
            ]
        func sent(_ number: String?, expired: Bool = false, again: Bool = false) -> LinkSentPage {
            LinkSentPage(
                form: form("/link-sent"), channel: number == nil ? .email : .sms, destination: mail, number: number,
                pollURI: untrusted("/link-sent/state"),
                isExpired: expired, wasSentAgain: again, resending: expired ? .now : .after(seconds: 30),
                hasCode: number == nil, hasOtherWays: true)
        }
        let way = DonePage.Way(uri: untrusted("https://app.example.test/"), appName: app)
        return states.map { name, state, way in
            (name, LinkPage(form: form("/link"), state: state, way: way))
        } + [
            ("link-sent", sent(nil)), ("link-sent-number", sent(untrusted("42"))),
            ("link-sent-again", sent(nil, again: true)), ("link-sent-expired", sent(untrusted("42"), expired: true)),
            (
                "done-passwordChanged-settings",
                DonePage(kind: .passwordChanged, way: .init(uri: "/settings", appName: nil))
            ),
            ("signed-out", SignedOutPage()),
        ] + DonePage.Kind.allCases.map { ("done-\($0)", DonePage(kind: $0, way: way)) }
    }

    private var accounts: [Specimen] {
        let strict = PasswordRules(
            minLength: 8, needsLowercase: true, needsUppercase: true, needsNumber: true, needsSymbol: true)
        let field = NewPasswordField(rules: PasswordRules(minLength: 15))
        let refused = NewPasswordField(rules: strict, refusals: PasswordRefusal.allCases)
        let breached = NewPasswordField(rules: PasswordRules(minLength: 15), refusals: [.breached])
        let name = untrusted("maria@example.test")
        func signUp(
            _ identifier: DeliveryReach.Kind, _ password: NewPasswordField?, _ problem: SignUpPage.Problem?
        ) -> SignUpPage {
            SignUpPage(
                form: form("/signup"), appName: app, step: nil, identifier: identifier,
                typed: .init(name: untrusted("Maria"), identifier: name), password: password,
                termsURI: "https://example.test/terms", policyURI: "https://example.test/privacy",
                problem: problem, signInURI: untrusted("/login?transaction=sealed"))
        }
        func fresh(_ field: NewPasswordField, _ problem: PasswordProblem? = nil) -> PasswordNewPage {
            PasswordNewPage(form: form("/password-new"), userName: name, password: field, problem: problem)
        }
        func expired(_ temporary: Bool, _ problem: PasswordProblem?) -> PasswordExpiredPage {
            PasswordExpiredPage(
                form: form("/password-expired"), userName: name, isTemporary: temporary, password: field,
                problem: problem)
        }
        func reset(_ problem: PasswordResetPage.Problem?) -> PasswordResetPage {
            PasswordResetPage(form: form("/password-reset"), loginHint: name, problem: problem)
        }
        let problems: [SignUpPage.Problem] =
            DeliveryReach.Kind.allCases.map { .identifierInvalid($0) } + [.tooManyAttempts, .addressNotAdmitted]
        return DeliveryReach.Kind.allCases.map {
            ("signup-\($0)", signUp($0, $0 == .phone ? nil : field, nil)) as Specimen
        } + problems.enumerated().map { ("signup-problem-\($0)", signUp(.emailOrPhone, field, $1)) } + [
            ("signup-refused", signUp(.email, refused, nil)),
            (
                "signup-closed",
                SignUpClosedPage(
                    form: form("/signup"), appName: app, signInURI: untrusted("/login?transaction=sealed"))
            ), ("password-reset", reset(nil)),
            ("password-reset-nobody", reset(.nameMissing)), ("password-reset-email", reset(.unreachable(.email))),
            ("password-reset-throttled", reset(.tooManyAttempts(retryAfterSeconds: 60))),
            ("password-new", fresh(field)), ("password-new-refused", fresh(refused)),
            ("password-new-breached", fresh(breached)), ("password-new-busy", fresh(field, .busy)),
            ("password-expired", expired(false, nil)), ("password-expired-temporary", expired(true, .wrongCurrent)),
        ]
    }

    private var enrolment: [Specimen] {
        func setup(_ problem: CodeProblem?) -> TOTPSetupPage {
            TOTPSetupPage(
                form: form("/totp-setup"),
                keyURI: "otpauth://totp/" + untrusted("Keyturn:maria?secret=JBSWY3DPEHPK3PXP"),
                pictureURI: Self.picture, key: untrusted("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"), problem: problem)
        }
        let codes = (0..<10).map { untrusted("k7wq-9m2\($0)-hx4t") }
        return [
            ("totp-setup", setup(nil)), ("totp-setup-wrong", setup(.wrong)),
            ("recovery-codes", RecoveryCodesPage(form: form("/recovery-codes"), codes: codes, replacesEarlier: false)),
            (
                "recovery-codes-new",
                RecoveryCodesPage(form: form("/recovery-codes"), codes: codes, replacesEarlier: true)
            ),
        ]
    }

    /// A picture of nothing in particular: one pixel.
    private static let picture =
        "data:image/gif;base64,R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs="
}
