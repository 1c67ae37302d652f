import KeyturnBase
import Model
import SignIn
@testable import Web

extension Gallery {
    /// Pages about identity providers.
    var federation: [Specimen] { providers + [departure, departureForm] + connections }

    private func button(_ name: String, _ preset: String?, isLastUsed: Bool = false) -> ProviderButton {
        let settings = OpenIDConnectionSettings(preset: preset, issuer: "https://provider.test", clientID: "client")
        let time = UnixTime(rawValue: 0)
        return ProviderButton(
            Connection(
                id: "c-\(preset ?? "own")", name: untrusted(name), settings: .openID(settings), createdAt: time,
                updatedAt: time), isLastUsed: isLastUsed)
    }

    private var buttons: [ProviderButton] {
        [
            button("Acme", nil, isLastUsed: true), button("Google", "google"), button("Apple", "apple"),
            button("GitHub", "github"),
        ]
    }

    /// Every preset, and names that need more than a line.
    private var crowd: [ProviderButton] {
        [
            button("Städtische Verkehrsbetriebe und Hafengesellschaft Brunsbüttel", nil, isLastUsed: true),
            button("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", "gitlab"),
        ]
            + [
                "google", "apple", "microsoft", "github", "facebook", "linkedin", "discord", "slack", "x",
                "entra-external-id",
            ].map { button($0.prefix(1).uppercased() + $0.dropFirst(), $0) }
    }

    private var providers: [Specimen] {
        func page(_ problem: LoginPage.Problem?, pending: String? = nil, all: [ProviderButton]? = nil) -> LoginPage {
            var ways = LoginPage.Ways(
                sendsTo: .email, signUpURI: untrusted("/signup?transaction=sealed"),
                resetURI: untrusted("/login/reset?transaction=sealed"))
            ways.providers = LoginPage.Providers(buttons: buttons, hasOrganisations: true)
            ways.pending = pending
            if let all { ways.providers = LoginPage.Providers(buttons: all, hasOrganisations: true) }
            return LoginPage(
                transaction: untrusted("sealed"), csrf: untrusted("mark"), clientName: untrusted("Harbour Tickets"),
                loginHint: nil, problem: problem, reauthenticating: nil, redirectOrigins: [], ways: ways)
        }
        return [
            ("login-providers", page(nil)), ("login-pending", page(nil, pending: untrusted("Google"))),
            ("login-providers-many", page(nil, all: crowd)),
        ]
            + FederationProblem.all.map {
                ("login-provider-\($0.word)", page(.federation($0, provider: untrusted("Google"))))
            }
    }

    private var departure: Specimen {
        ("departure", DeparturePage(provider: untrusted("Google"), uri: untrusted("https://provider.test/authorize")))
    }

    private var departureForm: Specimen {
        (
            "departure-form",
            DepartureFormPage(
                provider: untrusted("Acme"), action: untrusted("https://provider.test/sso"),
                fields: [(untrusted("SAMLRequest"), untrusted("PHNhbWw+"))])
        )
    }

    private var many: SettingsConnectionsPage {
        SettingsConnectionsPage(
            form: form("/settings/connections"), settingsUser: settingsUser,
            items: crowd.enumerated().map { index, button in
                .init(
                    id: untrusted("i\(index)"), provider: button,
                    account: untrusted("maria.von.und.zu.hohenlohe-waldenburg-schillingsfuerst@harbour.example"),
                    linkedSecondsAgo: 8_000_000, usedSecondsAgo: 300)
            }, linkable: crowd, problem: nil, isLinked: nil)
    }

    private var connections: [Specimen] {
        func page(_ problem: SettingsConnectionsPage.Problem?, _ isLinked: Bool? = nil, any: Bool = true)
            -> SettingsConnectionsPage
        {
            SettingsConnectionsPage(
                form: form("/settings/connections"), settingsUser: settingsUser,
                items: any
                    ? [
                        .init(
                            id: untrusted("i1"), provider: buttons[1], account: untrusted("maria@example.test"),
                            linkedSecondsAgo: 8_000_000, usedSecondsAgo: 300),
                        .init(
                            id: untrusted("i2"), provider: buttons[0], account: nil, linkedSecondsAgo: 90_000,
                            usedSecondsAgo: 90_000),
                    ] : [],
                linkable: [buttons[2], buttons[3]], problem: problem, isLinked: isLinked)
        }
        return [
            ("settings-connections", page(nil)), ("settings-connections-none", page(nil, any: false)),
            ("settings-connections-linked", page(nil, true)), ("settings-connections-unlinked", page(nil, false)),
            ("settings-connections-last", page(.lastWay)), ("settings-connections-many", many),
            (
                "settings-connections-problem",
                page(.provider(.refusal(.taken), name: untrusted("Google")))
            ),
        ]
    }
}
