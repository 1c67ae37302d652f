import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Web

@Suite("Requests that are made to mislead people, or to keep others out")
struct RequestAbuseTests {
    private static func project(_ issuer: String) -> Project {
        Project(id: "test", name: "Test", issuer: issuer, authorizationDetailTypes: ["payment"])
    }

    @Test func `21: details with characters that nobody sees are refused, wherever they stand`() async throws {
        let server = try await TestServer.start(project: Self.project)
        let hidden = ["202E", "200B", "2028", "2029", "0000", "000A", "FEFF", "E000"].map { #"\u\#($0)"# }
        for text in hidden {
            let cases = [
                #"[{"type":"payment","amount":"1 EUR\#(text)"}]"#, #"[{"type":"payment","cred\#(text)itor":"A"}]"#,
                #"[{"type":"payment","actions":["rea\#(text)d"]}]"#,
                #"[{"type":"payment","a":[{"b":{"c\#(text)":1}}]}]"#,
            ]
            for details in cases {
                var request = server.request(TestClients.web, proof: nil)
                request.authorizationDetails = details
                let screen = try await server.authorize(request, in: server.browser())
                #expect(try TestServer.callback(screen)?.refusal == .invalidAuthorizationDetails, "\(details)")
                let pushed = try await server.push(request, as: TestClients.web)
                #expect(pushed.status == 400 && pushed.error == "invalid_authorization_details", "\(details)")
            }
        }
        var request = server.request(TestClients.web, proof: nil)
        request.authorizationDetails = #"[{"type":"payment","creditorName":"Café Müller 東京 🙂"}]"#
        #expect(try await server.push(request, as: TestClients.web).status == 201)
        await server.stop()
    }

    @Test func `21: on the consent page, nothing that an app says reads as two things, or as another one`() {
        let cases: [(JSONValue, String)] = [
            (["read", "write"], "read, write"), (["read, write"], #""read, write""#),
            (["read", ""], #"read, """#), ([" a", "b"], #"" a", b"#), (["a，b"], #""a，b""#),
            (["https://bank.example/a?b=c"], "https://bank.example/a?b=c"), ([#"a", "b"#], #""a\", \"b""#),
            ([1, 2, ["b": "x; amount: 0"]], #"1, 2, (b: "x; amount: 0")"#), ([["a"], ["b", "c"]], "(a), (b, c)"),
            (["(a)"], #""(a)""#), (["a: 0; b": "1"], #""a: 0; b": 1"#), (["a": ["b": "c"]], "a: (b: c)"),
            (["creditorName": "Café Müller", "is_due": true], "creditor name: Café Müller; is due: yes"),
        ]
        for (value, expected) in cases {
            let rows =
                ConsentDetail(["type": "payment", "x": value]).values(Language.english.texts(DetailStrings.self))[
                    "rows"] as? [[String: Any]]
            #expect(rows?.first?["value"] as? String == expected)
        }
        let alike: [String: JSONValue] = ["type": "payment", "amount": "1", "Amount": "2", "amount ": "3", "note": "4"]
        let rows =
            ConsentDetail(alike).values(Language.english.texts(DetailStrings.self))["rows"] as? [[String: Any]] ?? []
        #expect(rows.map { $0["name"] as? String } == [#""Amount""#, #""amount""#, #""amount ""#, "Note"])
    }

    @Test func `115: one network's pushed requests keep nobody else from a public client`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        let flooding = [("X-Forwarded-For", "192.0.2.1")]
        for _ in 0..<Limits.pushedRequestsPerClientMax {
            let answer = try await server.push(request, as: TestClients.tool, headers: flooding)
            #expect(answer.status == 201, "\(answer.body)")
        }
        let refused = try await server.push(request, as: TestClients.tool, headers: flooding)
        #expect(refused.status == 429 && refused.headers["retry-after"] == "300" && refused.error != nil)
        let elsewhere = [("X-Forwarded-For", "192.0.2.2")]
        #expect(try await server.push(request, as: TestClients.tool, headers: elsewhere).status == 201)
        let known = server.request(TestClients.web, proof: nil)
        #expect(try await server.push(known, as: TestClients.web, headers: flooding).status == 201)
        server.clock.advance(300)
        #expect(try await server.push(request, as: TestClients.tool, headers: flooding).status == 201)

        let charge = RateLimitCharge(
            "pushed:192.0.2.1", max: Limits.pushedRequestsPerNetworkMax, windowSeconds: Limits.sendWindowSeconds)
        while try await server.services.stores.rateLimits.spend([charge], at: server.clock.now) == nil {}
        server.clock.advance(300)
        let spent = try await server.push(request, as: TestClients.tool, headers: flooding)
        #expect(spent.status == 429, "for all public clients together")
        #expect(try await server.push(request, as: TestClients.tool, headers: elsewhere).status == 201)
        await server.stop()
    }

    @Test func `115: what nobody knows is not kept of a pushed request, and of the rest no more than is needed`()
        async throws
    {
        let server = try await TestServer.start()
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.extra.append("junk", String(repeating: "j", count: 22_000))
        request.extra.append("x_color_scheme", "dark")
        let answer = try await server.push(request, as: TestClients.tool)
        let reference = try #require(answer.json["request_uri"]?.stringValue, "\(answer.body)")
        let kept = try #require(
            try await server.services.stores.pushedRequests.find(SecretDigest(of: Secret(reference))))
        #expect(!kept.parameters.contains("junk") && kept.parameters.contains("x_color_scheme=dark"))
        request.display = String(repeating: "d", count: Limits.pushedRequestBytesMax)
        let large = try await server.push(request, as: TestClients.tool)
        #expect(large.status == 400 && large.error == "invalid_request")
        await server.stop()
    }

    @Test func `36: a client that registered to sign its requests cannot begin otherwise`() async throws {
        let signer = try SigningClient()
        let client = signer.client { $0.requireSignedRequestObject = true }
        let server = try await TestServer.start(clients: [client])
        let request = server.request(client, proof: nil)
        let bare = try await server.authorize(request, in: server.browser())
        #expect(try TestServer.callback(bare)?.refusal == .invalidRequest)
        let pushed = try await server.push(request, as: client)
        #expect(pushed.status == 400 && pushed.error == "invalid_request")
        var form = FormParameters(["client_id": client.id, "redirect_uri": TestClients.callback])
        form.append("request", try signer.object(request, server))
        #expect(try await server.browser().open("/oauth2/authorize?\(form.encoded)").page == "login")
        var signed = AuthorizationRequest(clientID: client.id)
        signed.extra.append("request", try signer.object(request, server))
        let answer = try await server.push(signed, as: client)
        let reference = try #require(answer.json["request_uri"]?.stringValue, "\(answer.body)")
        #expect(try await server.visit(reference, client.id, in: server.browser()).page == "login")
        await server.stop()
    }

    @Test func `35: a signed request that was opened in a browser and pushed as well leads to one answer`()
        async throws
    {
        let signer = try SigningClient()
        let client = signer.client()
        let server = try await TestServer.start(clients: [client])
        let object = try signer.object(server.request(client, proof: nil), server)
        var form = FormParameters(["client_id": client.id, "redirect_uri": TestClients.callback])
        form.append("request", object)
        let browser = server.browser()
        let login = try await browser.open("/oauth2/authorize?\(form.encoded)")
        #expect(login.page == "login")
        var signed = AuthorizationRequest(clientID: client.id)
        signed.extra.append("request", object)
        #expect(try await server.push(signed, as: client).status == 201)
        server.clock.advance(120)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 500, at: server.clock.now)
        let screen = try await server.complete(login, in: browser)
        #expect(try TestServer.callback(screen)?.refusal == .invalidRequestURI)
        await server.stop()
    }
}
