import Identity
import KeyturnBase
import KeyturnTesting
import KeyturnWire
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
            let rows = ConsentDetail(["type": "payment", "x": value]).values(.english)["rows"] as? [[String: Any]]
            #expect(rows?.first?["value"] as? String == expected)
        }
        let alike: [String: JSONValue] = ["type": "payment", "amount": "1", "Amount": "2", "amount ": "3", "note": "4"]
        let rows = ConsentDetail(alike).values(.english)["rows"] as? [[String: Any]] ?? []
        #expect(rows.map { $0["name"] as? String } == [#""Amount""#, #""amount""#, #""amount ""#, "Note"])
    }
}
