import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: the language and the colours that an app asks for")
struct SettingsWishTests {
    private static let wish = "ui_locales=tlh%20de-AT%20en&x_color_scheme=dark"
    private static let shown = "lang=\"de\" data-theme=\"dark\""

    /// What a page is shown in, by its first element.
    private func look(_ screen: ScriptedBrowser.Screen) -> String {
        String(
            screen.body.firstMatch(of: #/<html (lang="[^"]*") dir="ltr" (data-theme="[^"]*")>/#).map {
                "\($0.1) \($0.2)"
            } ?? "")
    }

    @Test func `the sign-in, the page after it, the page after a form and every other page keep them`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.visit("/settings", in: server.browser())
        let login = try await browser.open("/settings/sessions?\(Self.wish)")
        #expect(login.page == "login" && look(login) == Self.shown)
        let wrong = try await browser.submit(login, ["username": TestServer.username, "password": "wrong"])
        #expect(wrong.status == 422 && look(wrong) == Self.shown)
        let page = try await browser.submit(
            wrong, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.page == "settings-sessions" && look(page) == Self.shown)
        let ended = try await server.send(page, in: browser, ["action": "end-others"])
        #expect(ended.page == "settings-sessions" && ended.hasNotice && look(ended) == Self.shown)
        for section in ["", "/profile", "/identifiers", "/password", "/passkeys", "/authenticators", "/delete"] {
            #expect(look(try await browser.open("/settings\(section)")) == Self.shown, "\(section)")
        }
        let password = try await browser.open("/settings/password")
        let refused = try await server.send(password, in: browser, ["current_password": "wrong", "password": "x"])
        #expect(refused.status == 422 && look(refused) == Self.shown)
        let forged = try await browser.post("/settings/profile", FormParameters(["name": "Mallory"]))
        #expect(forged.status == 403 && look(forged) == Self.shown)
        await server.stop()
    }

    @Test func `a page that wants a recent sign-in keeps them on the way through it`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.visit("/settings", in: browser)
        server.clock.advance(Limits.sensitiveSeconds + 1)
        let login = try await browser.open("/settings/password?\(Self.wish)")
        #expect(login.page == "login" && look(login) == Self.shown)
        let page = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.page == "settings-password" && look(page) == Self.shown)
        await server.stop()
    }

    @Test(arguments: [
        "ui_locales=xx&x_color_scheme=pink", "ui_locales=%01&x_color_scheme=", "ui_locales=&x_color_scheme=dark%3B",
        "ui_locales=de%2Cen&x_color_scheme=DARK",
    ])
    func `what is not known is ignored and not kept`(_ query: String) async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings?\(query)", in: browser)
        #expect(page.page == "settings" && look(page) == "lang=\"en\" data-theme=\"system\"")
        #expect(browser.cookieJar["keyturn-look"] == nil)
        await server.stop()
    }

    @Test func `what stands in the cookie is ignored unless this server could have set it`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.visit("/settings", in: browser)
        for value in ["de", "de.pink", "xx.dark.de", ".", "\"><script>", String(repeating: "de.", count: 100)] {
            browser.cookieJar["keyturn-look"] = value
            let page = try await browser.open("/settings")
            #expect(page.status == 200 && page.body.contains("data-theme=\"system\""), "\(value)")
            #expect(!page.body.contains("<script>"))
        }
        await server.stop()
    }

    @Test func `the cookie is for the settings alone, for a while, and renewed by each page`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.visit("/settings", in: browser)
        let first = try await browser.open("/settings?\(Self.wish)")
        let second = try await browser.open("/settings/profile")
        for page in [first, second] {
            let cookie = try #require(
                page.headers.first { $0.name.lowercased() == "set-cookie" && $0.value.hasPrefix("keyturn-look=") })
            #expect(
                cookie.value
                    == "keyturn-look=de.dark; Max-Age=\(Limits.settingsLookSeconds); Path=/settings; HttpOnly; SameSite=Lax"
            )
        }
        let light = try await browser.open("/settings?x_color_scheme=light")
        #expect(look(light) == "lang=\"de\" data-theme=\"light\"", "what is not asked again stays")
        await server.stop()
    }

    @Test func `a language that the user chooses here wins over the app's`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/profile?\(Self.wish)", in: browser)
        #expect(look(page) == Self.shown)
        let same = try await server.send(page, in: browser, ["name": "Andy", "locale": "en"])
        #expect(same.hasNotice && look(same) == Self.shown)
        let chosen = try await server.send(same, in: browser, ["name": "Andy", "locale": ""])
        #expect(chosen.hasNotice && look(chosen) == "lang=\"en\" data-theme=\"dark\"")
        await server.stop()
    }
}
