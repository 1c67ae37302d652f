import KeyturnBase

@testable import Web

extension Gallery {
    /// What a browser is asked for, as far as pages look at it.
    private func options(_ kind: PasskeyButton.Kind) -> JSONValue {
        let challenge = JSONValue.string(Base64URL.encode(Array(0..<16)))
        guard kind == .create else { return ["challenge": challenge, "rpId": "localhost"] }
        let algorithm: JSONValue = ["type": "public-key", "alg": -7]
        return [
            "challenge": challenge, "rp": ["id": "localhost", "name": .string(untrusted("Harbour"))],
            "user": ["id": challenge, "name": .string(untrusted("maria")), "displayName": .string(untrusted("Maria"))],
            "pubKeyCredParams": [algorithm],
        ]
    }

    private func button(_ kind: PasskeyButton.Kind, returning: String? = nil) -> PasskeyButton {
        PasskeyButton(kind: kind, options: options(kind), isAutofilled: false, returning: returning)
    }

    private var signals: [PasskeySignal] {
        let details: JSONValue = ["rpId": "localhost", "credentialId": .string(untrusted("AAEC"))]
        return [.init(.unknown, details), .init(.accepted, details), .init(.details, details)].compactMap(\.self)
    }

    var passkeys: [Specimen] { signIns + ceremonies + removals + lists }

    private var signIns: [Specimen] {
        let uri = untrusted("/signup?transaction=sealed")
        let ways = LoginPage.Ways(sendsTo: .emailOrPhone, signUpURI: uri, resetURI: uri, passkey: button(.get))
        func login(_ problem: LoginPage.Problem?) -> LoginPage {
            LoginPage(
                transaction: untrusted("sealed"), csrf: untrusted("mark"), clientName: untrusted("Harbour Tickets"),
                loginHint: nil, problem: problem, reauthenticating: nil, redirectOrigins: [], ways: ways,
                signals: problem == nil ? [] : signals)
        }
        func code(_ problem: PasskeyRefusal?) -> CodePage {
            CodePage(
                form: form("/code"), channel: .authenticator, destination: nil, problem: nil, wasSentAgain: false,
                resending: .never, hasOtherWays: true, passkey: button(.get), passkeyProblem: problem)
        }
        func methods(_ purpose: MethodsPage.Purpose, _ ways: [VerificationMethod], _ problem: PasskeyRefusal?)
            -> MethodsPage
        {
            MethodsPage(
                form: form("/methods"), purpose: purpose, appName: untrusted("Harbour Tickets"),
                options: ways.map { .init(method: $0, value: untrusted("\($0)"), destination: nil) },
                passkey: button(.get), problem: problem, canBeLost: purpose != .signIn)
        }
        return [
            ("login-passkey", login(nil)), ("code-passkey", code(nil)), ("code-passkey-refused", code(.refused)),
            (
                "recovery-passkey",
                RecoveryPage(
                    form: form("/recovery"), problem: nil, passkey: button(.get),
                    passkeyProblem: .expired)
            ),
            ("methods-passkey", methods(.signIn, [.codeOrLink, .numberedLink, .password], nil)),
            ("methods-passkey-second", methods(.secondFactor, [.authenticator, .recoveryCode], .refused)),
            ("methods-passkey-only", methods(.passkey, [], nil)),
            (
                "methods-passkey-elsewhere",
                MethodsPage(
                    form: form("/methods"), purpose: .passkey, appName: untrusted("Harbour Tickets"), options: [],
                    canBeLost: true)
            ),
        ] + PasskeyRefusal.allCases.map { ("login-passkey-\($0)", login(.passkey($0))) }
    }

    private var ceremonies: [Specimen] {
        func offer(quiet: Bool, asks: Bool) -> PasskeyOfferPage {
            PasskeyOfferPage(
                form: form("/login/passkey"), button: button(.create), quiet: quiet ? options(.create) : nil, asks: asks
            )
        }
        func ceremony(_ kind: PasskeyButton.Kind, _ account: String?) -> PasskeyCeremonyPage {
            PasskeyCeremonyPage(
                projectName: untrusted("Harbour"), account: account.map(untrusted),
                button: button(kind, returning: untrusted("http://127.0.0.1:1/?")),
                cancelURI: untrusted("http://127.0.0.1:1/?error=canceled_by_user"))
        }
        return [
            ("passkey-offer", offer(quiet: false, asks: true)), ("passkey-offer-quiet", offer(quiet: true, asks: true)),
            ("passkey-offer-only-quiet", offer(quiet: true, asks: false)),
            ("passkey-get", ceremony(.get, "maria.lindqvist.of.the.northern.harbour@a-long-domain.example.test")),
            ("passkey-anybody", ceremony(.get, nil)), ("passkey-create", ceremony(.create, "maria@example.test")),
        ]
    }

    private var removals: [Specimen] {
        SettingsPasskeyRemovalPage.Outlook.allCases.map { outlook in
            (
                "settings-passkey-remove-\(outlook)",
                SettingsPasskeyRemovalPage(
                    form: form("/settings/passkeys/remove"), settingsUser: settingsUser, id: untrusted("ctl_1"),
                    passkeyName: untrusted("iCloud Keychain"), outlook: outlook)
            )
        }
    }

    private var lists: [Specimen] {
        func passkey(
            _ number: Int, _ name: String, _ authenticator: String?, _ storage: SettingsPasskeysPage.Storage,
            isActive: Bool = true
        ) -> SettingsPasskeysPage.Passkey {
            .init(
                id: untrusted("ctl_\(number)"), name: untrusted(name), authenticator: authenticator.map(untrusted),
                isSecurityKey: storage == .oneDevice, storage: storage, isActive: isActive,
                addedSecondsAgo: 9_000_000, usedSecondsAgo: isActive ? 86_400 : nil)
        }
        let some = [
            passkey(1, "iCloud Keychain", "iCloud Keychain", .synced),
            passkey(2, "The laptop that stands in the kitchen, beside the window", "Windows Hello", .oneDevice),
            passkey(3, "Blue key", nil, .oneDevice, isActive: false), passkey(4, "Passkey", nil, .notYetSynced),
        ]
        func page(
            _ passkeys: [SettingsPasskeysPage.Passkey], _ adding: SettingsPasskeysPage.Adding,
            _ problem: SettingsPasskeysPage.Problem? = nil, _ notice: SettingsPasskeysPage.Notice? = nil
        ) -> SettingsPasskeysPage {
            SettingsPasskeysPage(
                form: form("/settings/passkeys"), settingsUser: settingsUser, passkeys: passkeys, adding: adding,
                problem: problem, notice: notice, signals: notice == nil ? [] : signals)
        }
        let here = SettingsPasskeysPage.Adding.here(button(.create))
        return [
            ("settings-passkeys", page(some, here)), ("settings-passkeys-none", page([], here)),
            ("settings-passkeys-later", page(some, .afterSignIn)), ("settings-passkeys-full", page(some, .never)),
        ] + SettingsPasskeysPage.Problem.allCases.map { ("settings-passkeys-\($0)", page(some, here, $0)) }
            + SettingsPasskeysPage.Notice.allCases.map { ("settings-passkeys-\($0)", page(some, here, nil, $0)) }
    }
}
