import Model
@testable import Web

extension Gallery {
    var settingsUser: SettingsUser {
        SettingsUser(name: untrusted("Maria Lindqvist"), sections: SettingsSection.all)
    }

    var settings: [Specimen] {
        func overview(_ authenticators: Int, password: Int?) -> SettingsOverviewPage {
            SettingsOverviewPage(
                settingsUser: settingsUser,
                summary: .init(
                    identifiers: [untrusted("maria@example.test"), untrusted("+49 151 23456789")],
                    hasUnverified: authenticators == 0, passwordAgeSeconds: password, authenticators: authenticators,
                    recoveryCodes: 9, passkeys: authenticators, sessions: authenticators + 1))
        }
        func profile(_ problem: SettingsProfilePage.Problem?, saved: Bool) -> SettingsProfilePage {
            SettingsProfilePage(
                form: form("/settings/profile"), settingsUser: settingsUser, displayName: untrusted("Maria Lindqvist"),
                givenName: untrusted("Maria"), familyName: untrusted("Lindqvist"),
                picture: untrusted("https://example.test/maria.png"), locale: "de", languages: Language.all,
                problem: problem,
                wasSaved: saved)
        }
        func password(
            _ has: Bool, _ refusals: [PasswordRefusal] = [], _ problem: PasswordProblem? = nil, saved: Bool = false
        ) -> SettingsPasswordPage {
            SettingsPasswordPage(
                form: form("/settings/password"), settingsUser: settingsUser, userName: untrusted("maria@example.test"),
                hasPassword: has, password: .init(rules: .init(minLength: 15), refusals: refusals), problem: problem,
                wasSaved: saved)
        }
        let first: [Specimen] = [
            ("settings", overview(2, password: 8_000_000)), ("settings-bare", overview(0, password: nil)),
            ("settings-profile", profile(nil, saved: false)), ("settings-profile-saved", profile(nil, saved: true)),
            ("settings-password", password(true)), ("settings-password-first", password(false)),
            ("settings-password-wrong", password(true, [], .wrongCurrent)),
            ("settings-password-refused", password(true, [.tooShort])),
            ("settings-password-saved", password(true, saved: true)),
        ]
        return first
            + SettingsProfilePage.Problem.allCases.map { ("settings-profile-\($0)", profile($0, saved: false)) }
    }

    var access: [Specimen] { identifiers + authenticators + sessions }

    private var identifiers: [Specimen] {
        func page(
            _ problem: SettingsIdentifiersPage.Problem?, _ notice: SettingsIdentifiersPage.Notice?
        ) -> SettingsIdentifiersPage {
            SettingsIdentifiersPage(
                form: form("/settings/identifiers"), settingsUser: settingsUser,
                items: [
                    item(.email, "maria@example.test", verified: true, primary: true),
                    item(.email, "maria.lindqvist.of.the.northern.harbour@a-long-domain.example.test", verified: true),
                    item(.phone, "+49 151 23456789", verified: false), item(.username, "maria", verified: true),
                ], addable: [.email, .phone], typed: problem == nil ? "" : untrusted("maria"), problem: problem,
                notice: notice)
        }
        return [("settings-identifiers", page(nil, nil))]
            + SettingsIdentifiersPage.Problem.allCases.map { ("settings-identifiers-\($0)", page($0, nil)) }
            + SettingsIdentifiersPage.Notice.allCases.map { ("settings-identifiers-\($0)", page(nil, $0)) }
    }

    private func item(
        _ kind: SettingsIdentifiersPage.Kind, _ value: String, verified: Bool, primary: Bool = false
    ) -> SettingsIdentifiersPage.Item {
        .init(
            kind: kind, value: untrusted(value), isVerified: verified, isPrimary: primary, isRemovable: !primary)
    }

    private var authenticators: [Specimen] {
        func page(_ count: Int, left: Int, _ notice: SettingsAuthenticatorsPage.Notice?) -> SettingsAuthenticatorsPage {
            SettingsAuthenticatorsPage(
                form: form("/settings/authenticators"), settingsUser: settingsUser,
                authenticators: (0..<count).map {
                    .init(
                        id: untrusted("a\($0)"), name: untrusted("Phone \($0 + 1)"), addedSecondsAgo: 9_000_000,
                        usedSecondsAgo: $0 == 0 ? 86_400 : nil)
                }, recoveryCodesLeft: left, canAdd: count < 2, notice: notice)
        }
        return [
            ("settings-authenticators", page(1, left: 9, nil)), ("settings-authenticators-none", page(0, left: 0, nil)),
            ("settings-authenticators-low", page(2, left: 1, .added)),
            ("settings-authenticators-removed", page(0, left: 0, .removed)),
        ]
    }

    private var sessions: [Specimen] {
        func session(_ id: String, _ device: String?) -> SettingsSessionsPage.Session {
            .init(
                id: untrusted(id), device: device.map(untrusted), place: untrusted("192.0.2.7"), usedSecondsAgo: 4_000)
        }
        func signIn(_ id: String, _ device: String?) -> SettingsSessionsPage.AppSignIn {
            .init(
                id: untrusted(id), device: device.map(untrusted), place: device == nil ? nil : untrusted("192.0.2.7"),
                begunSecondsAgo: 90_000, usedSecondsAgo: 600)
        }
        func page(_ others: Int, _ notice: SettingsSessionsPage.Notice?) -> SettingsSessionsPage {
            let apps = (0..<others).map { number in
                SettingsSessionsPage.App(
                    id: untrusted("c\(number)"), name: untrusted(number == 0 ? "Harbour Tickets" : "Harbour Mail"),
                    scopes: ["openid", "profile", "email", untrusted("tickets.write")].dropLast(number),
                    claims: number == 0 ? [untrusted("department")] : [],
                    signIns: (number..<2).map { signIn("g\(number)\($0)", $0 == 0 ? "Safari on iPhone" : nil) })
            }
            let keys = (0..<others).map { number in
                SettingsSessionsPage.KeyRow(
                    id: untrusted("k\(number)"), device: number == 0 ? untrusted("Andy's phone") : "",
                    app: untrusted("Harbour Tickets"), addedSecondsAgo: 90_000, usedSecondsAgo: number == 0 ? 60 : nil)
            }
            let copies = (0..<others).map { number in
                SettingsSessionsPage.Copy(
                    app: untrusted("Harbour Tickets"), kind: number == 0 ? .ended : .usedElsewhere(count: 2),
                    secondsAgo: 3_600)
            }
            return SettingsSessionsPage(
                form: form("/settings/sessions"), settingsUser: settingsUser,
                current: session("s0", "Firefox on Linux"),
                others: (0..<others).map { session("s\($0)", $0 == 0 ? "Safari on iPhone" : nil) }, apps: apps,
                keys: keys, copies: copies, notice: notice)
        }
        func delete(_ isUnconfirmed: Bool) -> SettingsDeletePage {
            SettingsDeletePage(form: form("/settings/delete"), settingsUser: settingsUser, isUnconfirmed: isUnconfirmed)
        }
        return [
            ("settings-sessions", page(2, nil)), ("settings-sessions-ended", page(1, .ended)),
            ("settings-sessions-alone", page(0, .othersEnded)), ("settings-delete", delete(false)),
            ("settings-delete-unsure", delete(true)),
        ]
    }
}
