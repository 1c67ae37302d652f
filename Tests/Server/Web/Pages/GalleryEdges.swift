import KeyturnBase
import KeyturnWire
import Model

@testable import Web

/// The first page, and those after a sign-in and before a sign-out.
extension Gallery {
    var edges: [Specimen] {
        let issuer = untrusted("https://id.example.test")
        let demo = HomePage.Demo(
            username: untrusted("demo@example.com"), password: untrusted("correct-horse-battery"), tryURI: "/dev/try",
            commands: [untrusted("keyturn login")])
        let rows: [ClaimsPage.Row] = [("sub", untrusted("U1")), (untrusted("email"), "maria@example.test")]
        let claims = ClaimsPage(
            signedInAt: "2026-01-01T00:00:00Z", methods: untrusted("pwd"), expiresAt: "2026-01-01T01:00:00Z",
            idToken: rows, accessToken: rows, userInfo: rows, rawIDToken: untrusted("e30.e30.e30"),
            rawAccessToken: nil, signOutURI: "/logout")
        func logout(_ name: String?) -> LogoutPage {
            LogoutPage(request: untrusted("sealed"), csrf: untrusted("mark"), userName: name, redirectOrigins: [])
        }
        return [
            ("home", HomePage(issuer: issuer, demo: nil)),
            ("home-demo", HomePage(issuer: issuer, demo: demo, outboxURI: "/dev/outbox")),
            ("home-time", HomePage(issuer: issuer, demo: demo, time: time(nil, nil))),
            ("home-time-ahead", HomePage(issuer: issuer, demo: demo, time: time("2030-01-28T12:00:00Z", .unreadable))),
            ("home-time-far", HomePage(issuer: issuer, demo: demo, time: time("2030-01-28T12:00:00Z", .tooFar))),
            ("claims", claims), ("outbox", OutboxPage(messages: [])),
            ("outbox-message", OutboxPage(messages: [message])),
            ("theme", Self.themes[0]), ("theme-own", Self.themes[1]),
            ("logout", logout(untrusted("Maria Lindqvist"))), ("logout-unnamed", logout(nil)),
        ]
    }

    /// The built-in look, and one with colours, corners and a typeface of its own.
    static let themes: [ThemePage] = {
        var theme = UnverifiedTheme()
        theme.light = [.accent: HexColor(red: 0x7a, green: 0x1f, blue: 0x5c)]
        theme.cornerPixels = 4
        theme.font = .serif
        return [ThemePage(theme: nil, hasOutbox: false), ThemePage(theme: try? theme.verified(), hasOutbox: true)]
    }()

    private func time(_ machine: String?, _ problem: HomePage.TimeForm.Problem?) -> HomePage.TimeForm {
        HomePage.TimeForm(
            form: PageForm(action: "/dev/time/form", transaction: nil, csrf: untrusted("mark")),
            now: "2030-01-31T12:00:00Z", machine: machine, problem: problem)
    }

    private var message: OutboxMessage {
        OutboxMessage(
            id: MessageID(idempotencyKey: "1"), kind: .code, channel: .email, to: untrusted("maria@example.test"),
            subject: untrusted("Your code"), body: untrusted("123456 is your code."), code: untrusted("123456"),
            links: [untrusted("app://link")], createdAt: UnixTime(rawValue: 1_700_000_000))
    }
}
