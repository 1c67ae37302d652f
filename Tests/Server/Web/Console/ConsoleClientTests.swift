import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@testable import Web

@Suite("Console: clients")
struct ConsoleClientTests {
    private static let path = "/admin/clients/client?id=shop"
    private static let fields: KeyValuePairs<String, String?> = [
        "client_id": " shop ", "client_name": "<b>Shop</b>", "kind": "confidential",
        "redirect_uris": "https://shop.example/callback\r\n\r\n https://shop.example/other \r\n",
        "grant_types": "authorization_code", "grant_types": "client_credentials", "scope": "openid  profile",
    ]

    private func shop(_ server: TestServer, _ browser: ScriptedBrowser) async throws -> String {
        let page = try await server.send(try await browser.open("/admin/clients/new"), in: browser, Self.fields)
        try #require(page.status == 200)
        return try #require(page.body.firstMatch(of: #/id="secret">([^<]+)</#)).1.description
    }

    private func ownToken(_ server: TestServer, _ secret: String) async throws -> EndpointAnswer {
        let header = BasicCredentials(clientID: "shop", clientSecret: Secret(secret)).header
        return try await server.send(
            "POST", "/oauth2/token",
            headers: [("Authorization", header), ("Content-Type", "application/x-www-form-urlencoded")],
            body: "grant_type=client_credentials")
    }

    @Test func `a registered client works at once, its secret is shown once, and its texts are escaped`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.operator)
        let secret = try await shop(server, browser)
        #expect(try await ownToken(server, secret).status == 200)
        let page = try await browser.open(Self.path)
        #expect(page.status == 200 && !page.body.contains(secret) && !page.body.contains("<b>Shop"))
        #expect(page.body.contains("&lt;b&gt;Shop&lt;/b&gt;") && page.body.contains("https://shop.example/other"))
        #expect(page.body.contains("code_challenge_method=S256") && page.body.contains("client_credentials"))
        #expect(try await browser.open("/admin/clients?q=SHO").body.contains(">shop<"))
        #expect(try await !browser.open("/admin/clients?q=sho").body.contains(">portal<"))
        let client = try #require(try await server.services.stores.clients.find("shop"))
        #expect(client.metadata.redirectURIs == ["https://shop.example/callback", "https://shop.example/other"])
        #expect(client.metadata.scope == "openid profile" && !client.isPublic && !client.isFirstParty)
        #expect(try await server.wasRecorded(.clientRegistered))
        await server.stop()
    }

    @Test func `the streams of a receiver of shared signals are shown, here and to the management interface`()
        async throws
    {
        let server = try await TestServer.start(clients: [TestServer.receiver("partner")])
        let streams = server.services.signalStreams
        let client = TestServer.receiver("partner")
        let pushed = try await streams.create(
            ["delivery": ["method": "urn:ietf:rfc:8935", "endpoint_url": "http://127.0.0.1:9/x"]], of: client)
        _ = try await streams.create([:], of: client)
        let id = try #require(pushed["stream_id"]?.stringValue)
        _ = try await streams.setStatus(
            ["stream_id": .string(id), "status": "paused", "reason": "<b>work</b>"], of: client)
        let browser = try await server.operatorsBrowser(.viewer)
        let page = try await browser.open("/admin/clients/client?id=partner")
        #expect(page.status == 200 && page.body.contains("http://127.0.0.1:9/x") && page.body.contains(">Polled<"))
        #expect(page.body.contains(">Paused</em> &lt;b&gt;work&lt;/b&gt;") && page.body.contains("session-revoked"))
        #expect(try await !browser.open("/admin/clients/client?id=web").body.contains("security events"))
        let shown = try await server.manage("client?id=partner", nil, method: "GET").json["signal_streams"]?.arrayValue
        #expect(shown?.count == 2)
        #expect(shown?.first { $0["status"] == "paused" }?["delivery"] == "push")
        await server.stop()
    }

    @Test func `the request to try a client leads to its sign-in`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.viewer)
        let page = try await browser.open("/admin/clients/client?id=web")
        let match = try #require(page.body.firstMatch(of: #/id="try-link">([^<]+)</#))
        let address = match.1.replacing("&amp;", with: "&")
        let login = try await server.browser().open(String(address.dropFirst(server.issuer.count)))
        #expect(login.page == "login")
        await server.stop()
    }

    @Test func `each mistake stands beside its field, and nothing is saved`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.operator)
        let page = try await browser.open("/admin/clients/new")
        let wrong = try await server.send(
            page, in: browser,
            [
                "client_id": "", "kind": "public", "redirect_uris": "javascript:alert(1)\nhttps://a.example/*",
                "post_logout_redirect_uris": "nonsense", "grant_types": "client_credentials",
                "grant_types": "urn:ietf:params:oauth:grant-type:jwt-bearer", "grant_types": "unknown",
                "scope": "caf\u{e9}",
            ])
        #expect(wrong.status == 422 && wrong.page == "admin-clients")
        for part in [
            "javascript:alert(1): ", "Wildcards", "nonsense: ", "identifier is empty", "public keys", "unknown",
        ] {
            #expect(wrong.body.contains(part), "\(part)")
        }
        #expect(wrong.body.components("aria-invalid") == 4, "identifier, two kinds of addresses, scope")
        // The project's own sessions are kept under its identifier.
        for id in ["web", server.services.project.id] {
            let taken = try await server.send(
                page, in: browser,
                ["client_id": id, "redirect_uris": "https://a.example/", "grant_types": "authorization_code"])
            #expect(taken.status == 422 && taken.body.contains("There is a client with this identifier"), "\(id)")
        }
        let idle = try await server.send(page, in: browser, ["client_id": "idle", "kind": "public"])
        #expect(idle.status == 422 && idle.body.contains("Choose a grant type"))
        #expect(try await server.events(.clientRegistered).isEmpty)
        await server.stop()
    }

    @Test func `a client is edited, its secret rotated with and without the old one, and it is removed`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(.operator)
        let first = try await shop(server, browser)
        let form = try await browser.open("/admin/clients/edit?id=shop")
        #expect(form.body.contains("https://shop.example/callback\nhttps://shop.example/other"))
        let edited = try await server.send(
            form, in: browser,
            ["id": "shop", "client_name": "Shop 2", "grant_types": "client_credentials", "scope": ""])
        #expect(edited.url.contains("/admin/clients/client?id=shop") && edited.hasNotice)
        let client = try #require(server.services.clients.client("shop"))
        #expect(client.name == "Shop 2" && client.metadata.scope == nil && client.metadata.redirectURIs == [])
        #expect(try await server.wasRecorded(.clientChanged))
        let page = try await browser.open(Self.path)
        let kept = try await server.send(page, in: browser, ["id": "shop", "action": "rotate", "keep_old": "1"])
        let second = try #require(kept.body.firstMatch(of: #/id="secret">([^<]+)</#)).1.description
        for secret in [first, second] { #expect(try await ownToken(server, secret).status == 200) }
        let replaced = try await server.send(page, in: browser, ["id": "shop", "action": "rotate"])
        let third = try #require(replaced.body.firstMatch(of: #/id="secret">([^<]+)</#)).1.description
        for secret in [first, second] { #expect(try await ownToken(server, secret).status == 401) }
        #expect(try await ownToken(server, third).status == 200)
        #expect(try await server.events(.clientSecretChanged).count == 2)
        let unsure = try await server.send(page, in: browser, ["id": "shop", "action": "remove", "confirmation": "x"])
        #expect(unsure.status == 422 && unsure.hasProblem && server.services.clients.client("shop") != nil)
        let gone = try await server.send(page, in: browser, ["id": "shop", "action": "remove", "confirmation": "shop"])
        #expect(gone.url.contains("/admin/clients?done=removed") && gone.hasNotice)
        #expect(try await ownToken(server, third).status == 401)
        #expect(try await server.wasRecorded(.clientRemoved))
        #expect(try await browser.open(Self.path).url.hasSuffix("/admin/clients"))
        await server.stop()
    }

    @Test func `the page says how many sign-ins end with a client, and they do`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(TestClients.web)
        let browser = try await server.operatorsBrowser(.operator)
        let page = try await browser.open("/admin/clients/client?id=web")
        #expect(page.body.contains("1 sign-in ends at once"))
        _ = try await server.send(page, in: browser, ["id": "web", "action": "remove", "confirmation": "web"])
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        await server.stop()
    }

    @Test func `the configuration file decides about its clients`() async throws {
        let file = Client(
            id: "file", metadata: TestClients.web.metadata, secretDigests: TestClients.web.secretDigests,
            isFromConfiguration: true)
        let server = try await TestServer.start(clients: [file])
        let browser = try await server.operatorsBrowser(.owner)
        let before = try #require(try await server.services.stores.clients.find("file"))
        let page = try await browser.open("/admin/clients/client?id=file")
        #expect(page.body.contains("configuration file") && !page.body.contains("value=\"remove\""))
        let mark = try await browser.open("/admin/clients/client?id=web")
        for fields: KeyValuePairs<String, String?> in [
            ["id": "file", "action": "remove", "confirmation": "file"], ["id": "file", "action": "rotate"],
        ] {
            let refused = try await server.send(mark, in: browser, fields)
            #expect(refused.status == 422 && refused.hasProblem)
        }
        #expect(try await browser.open("/admin/clients/edit?id=file").url.contains("/admin/clients/client"))
        #expect(try await server.services.stores.clients.find("file") == before)
        await server.stop()
    }

    @Test(arguments: [ConsoleRole.viewer, .support])
    func `lower roles see clients and change none`(_ role: ConsoleRole) async throws {
        let server = try await TestServer.start()
        let browser = try await server.operatorsBrowser(role)
        let page = try await browser.open("/admin/clients/client?id=web")
        #expect(page.status == 200 && !page.body.contains("value=\"remove\""))
        #expect(try await !browser.open("/admin/clients").body.contains("/admin/clients/new"))
        #expect(try await browser.open("/admin/clients/new").status == 403)
        #expect(try await browser.open("/admin/clients/edit?id=web").status == 403)
        for path in ["/admin/clients/client", "/admin/clients/new", "/admin/clients/edit"] {
            var form = FormParameters()
            form.append("id", "web")
            #expect(try await browser.post(path, form).status == 403)
        }
        await server.stop()
    }

    @Test func `management registers, changes, rotates and removes a client by the names of RFC 7591`() async throws {
        let server = try await TestServer.start()
        let made = try await server.manage(
            "client/create",
            [
                "client_id": "shop", "grant_types": ["client_credentials"],
                "token_endpoint_auth_method": "client_secret_basic",
            ])
        let secret = try #require(made.json["client_secret"]?.stringValue)
        #expect(try await ownToken(server, secret).status == 200)
        let changed = try await server.manage(
            "client/patch", ["client_id": "shop", "client_name": "Shop"], method: "PATCH")
        #expect(changed.json["client_name"] == "Shop" && changed.json["grant_types"] == ["client_credentials"])
        let rotated = try await server.manage("client/rotate-secret", ["client_id": "shop"])
        #expect(try await ownToken(server, secret).status == 401)
        #expect(try await ownToken(server, rotated.json["client_secret"]?.stringValue ?? "").status == 200)
        let one = try await server.manage("client?id=shop", nil, method: "GET")
        #expect(one.json["client_id"] == "shop" && one.json["live_grants"] == 0 && one.json["client_secret"] == nil)
        let all = try await server.manage("client/all", nil, method: "GET")
        #expect(all.json["clients"]?.arrayValue?.contains { $0["client_id"] == "shop" } == true)
        let wrong = try await server.manage(
            "client/patch", ["client_id": "shop", "redirect_uris": ["javascript:x"]], method: "PATCH")
        #expect(wrong.status == 400 && wrong.json["errorMessage"]?.stringValue?.contains("redirect_uris") == true)
        #expect(try await server.manage("client/delete", ["client_id": "shop"]).status == 200)
        #expect(try await server.manage("client/delete", ["client_id": "shop"]).status == 400)
        #expect(try await server.events(.clientRemoved).count == 1)
        await server.stop()
    }
}

extension String {
    fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
