import Identity
import Keyturn
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// What a server keeps of its user.
struct KeptAccount: Equatable {
    /// Whether each login identifier is verified.
    var identifiers: [String: Bool]
    var hasNewPassword: Bool
    var hasAuthenticator: Bool
    var recoveryCodes: Int
    var passkeys: Int
    var providers: [String]

    /// `nil`: the account is gone.
    init?(_ server: TestServer) async throws {
        guard let account = try await server.services.stores.users.account(TestServer.subject) else { return nil }
        identifiers = [:]
        for (identifier, state) in account.identifiers { identifiers[identifier.value] = state == .verified }
        let signedIn = try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret(SettingsActionCase.newPassword), from: nil)
        hasNewPassword = if case .recognised = signedIn { true } else { false }
        hasAuthenticator = account.hasAuthenticator
        recoveryCodes = try await server.services.methods.recoveryCodes.count(of: TestServer.subject)
        passkeys = try await server.passkeys().count
        providers = try await server.services.stores.identities.identities(of: TestServer.subject)
            .map(\.key.connectionID)
    }
}

/// One kind of settings action: what there is before it, what the user does, and what is kept afterwards.
struct SettingsActionCase: Sendable, CustomTestStringConvertible {
    static let newPassword = "a-longer-and-better-one"
    static let newEmail = "ann@example.org"
    static let newPhone = "+15557654321"

    let change: SettingsMethods.Change
    let testDescription: String
    var prepare: @Sendable (TestServer, SettingsPerson) async throws -> Void = { _, _ in }
    let steps: @Sendable (TestServer) -> [SettingsPerson.Step]
    /// The pages that have a button to cancel, by their numbers.
    var cancellable: [Int] = [0]
    /// The effect; sets `nil` where the account is gone.
    let effect: @Sendable (inout KeptAccount?) -> Void

    private init(
        _ name: String, _ change: SettingsMethods.Change,
        steps: @escaping @Sendable (TestServer) -> [SettingsPerson.Step],
        effect: @escaping @Sendable (inout KeptAccount?) -> Void
    ) {
        testDescription = name
        self.change = change
        self.steps = steps
        self.effect = effect
    }

    private func on(_ pages: Int...) -> SettingsActionCase {
        var copy = self
        copy.cancellable = pages
        return copy
    }

    private func after(_ prepare: @escaping @Sendable (TestServer, SettingsPerson) async throws -> Void)
        -> SettingsActionCase
    {
        var copy = self
        copy.prepare = prepare
        return copy
    }

    /// A page with one form, filled in with these fields.
    private static func send(_ server: TestServer, _ fields: KeyValuePairs<String, String?>) -> SettingsPerson.Step {
        { page, device in try await server.send(page, in: device.browser, fields) }
    }

    /// The form of the row that the page shows.
    private static func sendRow(_ server: TestServer, _ action: String) -> SettingsPerson.Step {
        { page, device in
            try await server.send(page, in: device.browser, ["action": action, "id": page.hidden("id").first])
        }
    }

    /// Types the code that came to an address.
    private static func code(_ server: TestServer, _ address: String) -> SettingsPerson.Step {
        { page, device in
            let code = try #require(try await server.newestMessage(to: address).code)
            return try await server.send(page, in: device.browser, ["code": code])
        }
    }

    private static func add(_ address: String) -> @Sendable (TestServer) -> [SettingsPerson.Step] {
        { [send($0, ["action": "add", "identifier": address]), code($0, address)] }
    }

    private static func has(_ identifier: Identifier, _ state: Account.IdentifierState)
        -> @Sendable (TestServer, SettingsPerson) async throws -> Void
    {
        { server, _ in
            _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) {
                $0.identifiers[identifier] = state
            }
        }
    }
}

extension SettingsActionCase {
    static let all: [SettingsActionCase] =
        names + factors + [
            SettingsActionCase(
                "change_password", .changePassword,
                steps: {
                    [send($0, ["current_password": TestServer.password, "password": newPassword])]
                }, effect: { $0?.hasNewPassword = true }),
            SettingsActionCase(
                "delete_account", .deleteAccount, steps: { [send($0, ["action": "delete", "confirm": "true"])] },
                effect: { $0 = nil }),
            SettingsActionCase(
                "link_oauth", .linkProvider("acme"),
                steps: { server in
                    [
                        { page, device in
                            let gone = try await server.send(
                                page, in: device.browser, ["action": "link", "id": "acme"])
                            let handle = try ScriptedProvider.handle(gone)
                            return try await device.browser.open("/federation/acme/callback?state=\(handle)&code=code")
                        }
                    ]
                }, effect: { $0?.providers = ["acme"] }),
            SettingsActionCase(
                "unlink_oauth", .unlinkProvider("acme"), steps: { [sendRow($0, "unlink")] },
                effect: { $0?.providers = [] }
            ).after { server, _ in
                let identity = FederatedIdentity(
                    key: FederatedProfile.person().key(at: "acme"), userID: TestServer.subject,
                    linkedAt: server.clock.now,
                    usedAt: server.clock.now)
                let epoch = try await server.services.stores.users.account(TestServer.subject)?.user.epoch
                _ = try await server.services.stores.identities.link(identity, epoch: try #require(epoch))
            },
        ]

    private static let names: [SettingsActionCase] = [
        SettingsActionCase(
            "verify_email", .verifyEmail,
            steps: {
                [send($0, ["action": "verify", "kind": "email", "value": newEmail]), code($0, newEmail)]
            }, effect: { $0?.identifiers[newEmail] = true }
        ).on(0, 1).after(has(Identifier(kind: .email, storedValue: newEmail), .unverified)),
        SettingsActionCase(
            "add_email", .addEmail, steps: add(newEmail), effect: { $0?.identifiers[newEmail] = true }
        ).on(0, 1),
        SettingsActionCase(
            "change_email", .changeEmail(from: "old@example.org"), steps: add(newEmail),
            effect: {
                $0?.identifiers["old@example.org"] = nil
                $0?.identifiers[newEmail] = true
            }
        ).on(0, 1).after(has(Identifier(kind: .email, storedValue: "old@example.org"), .verified)),
        SettingsActionCase(
            "add_phone", .addPhone, steps: add(newPhone), effect: { $0?.identifiers[newPhone] = true }
        ).on(0, 1),
        SettingsActionCase(
            "change_phone", .changePhone(from: "+15550001111"), steps: add(newPhone),
            effect: {
                $0?.identifiers["+15550001111"] = nil
                $0?.identifiers[newPhone] = true
            }
        ).on(0, 1).after(has(Identifier(kind: .phone, storedValue: "+15550001111"), .verified)),
        SettingsActionCase(
            "add_username", .addUsername, steps: { [send($0, ["action": "add", "identifier": "andy-one"])] },
            effect: { $0?.identifiers["andy-one"] = true }),
        SettingsActionCase(
            "change_username", .changeUsername(from: "andy-old"),
            steps: { [send($0, ["action": "add", "identifier": "andy-one"])] },
            effect: {
                $0?.identifiers["andy-old"] = nil
                $0?.identifiers["andy-one"] = true
            }
        ).after(has(Identifier(kind: .username, storedValue: "andy-old"), .verified)),
    ]

    private static let factors: [SettingsActionCase] = [
        SettingsActionCase(
            "setup_totp", .setUpAuthenticator,
            steps: { server in
                [
                    send(server, ["action": "add"]),
                    { page, device in
                        let key = try #require(page.body.firstMatch(of: #/<code>([A-Z2-7 ]+)</code>/#)?.1)
                        let code = try TOTPCode(typed: String(key)).code(at: server.clock.now).exposed()
                        return try await server.send(page, in: device.browser, ["code": code])
                    },
                    send(server, ["action": "continue"]),
                ]
            },
            effect: {
                $0?.hasAuthenticator = true
                $0?.recoveryCodes = Limits.recoveryCodesPerUser
            }
        ).on(0, 1),
        SettingsActionCase(
            "remove_totp", .removeAuthenticator, steps: { [sendRow($0, "remove")] },
            effect: {
                $0?.hasAuthenticator = false
                $0?.recoveryCodes = 0
            }
        ).after { server, person in
            try await person.takeAuthenticator()
            _ = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        },
        SettingsActionCase(
            "setup_recovery_codes", .renewRecoveryCodes,
            steps: { [send($0, ["action": "renew-codes"]), send($0, ["action": "continue"])] },
            effect: { $0?.recoveryCodes = Limits.recoveryCodesPerUser }
        ).after { _, person in try await person.takeAuthenticator() },
        SettingsActionCase(
            "add_passkey", .addPasskey,
            steps: { _ in [{ page, device in try await device.press(page, action: "add") }] },
            effect: { $0?.passkeys = 1 }),
        SettingsActionCase(
            "remove_passkey", .removePasskey,
            steps: { server in
                [
                    { page, device in
                        let link = try #require(page.body.firstMatch(of: #/href="([^"]*\/remove\?[^"]*)"/#)?.1)
                        return try await device.browser.open(String(link).replacing("&amp;", with: "&"))
                    }, sendRow(server, "remove"),
                ]
            }, effect: { $0?.passkeys = 0 }
        ).on(0, 1).after { _, person in try await person.takePasskey() },
    ]
}
