import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Provisioning by SCIM: searches and bulk requests")
struct ProvisioningSearchTests {
    private func query(_ text: String) -> String {
        text.replacing(" ", with: "%20").replacing("\"", with: "%22").replacing("[", with: "%5B")
            .replacing("]", with: "%5D")
    }

    private func names(_ answer: EndpointAnswer) -> [String] {
        answer.json["Resources"]?.arrayValue?.compactMap { ($0["userName"] ?? $0["displayName"])?.stringValue } ?? []
    }

    @Test func `pages by index are bounded and in the order of creation`() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        for name in ["c", "a", "b"] { _ = try await directory.user(name, ["title": .string("title \(name)")]) }
        let all = try await directory.send("GET", "/Users?count=100000")
        #expect(names(all) == ["c", "a", "b"] && all.json["startIndex"] == 1 && all.json["itemsPerPage"] == 3)
        #expect(names(try await directory.send("GET", "/Users?startIndex=2&count=1")) == ["a"])
        #expect(names(try await directory.send("GET", "/Users?startIndex=-5&count=1")) == ["c"])
        let none = try await directory.send("GET", "/Users?count=0")
        #expect(none.json["totalResults"] == 3 && names(none) == [])
        #expect(try await directory.send("GET", "/Users?count=-1").json["Resources"] == [])
        #expect(try await directory.send("GET", "/Users?count=x").json["scimType"] == "invalidCount")
        let sorted = try await directory.send("GET", "/Users?sortBy=userName&sortOrder=descending")
        #expect(names(sorted) == ["c", "b", "a"])
        let search = try await directory.send(
            "POST", "/Users/.search", ["filter": "title sw \"title \" and not (userName eq \"a\")", "count": 9])
        #expect(names(search) == ["c", "b"])
        for bad in ["title co \"\"", "active gt true", "nothing eq 1"] {
            let refused = try await directory.send("GET", query("/Users?filter=\(bad)"))
            #expect(refused.status == 400 && refused.json["scimType"] == "invalidFilter", "M-10: \(bad)")
        }
        await server.stop()
    }

    @Test("M-18: cursors lead through all, whoever comes meanwhile, and belong to one search of one tenant")
    func cursors() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let other = try await Directory.of("t2", at: server)
        for number in 0..<5 { _ = try await directory.user("u\(number)") }
        var seen: [String] = []
        var cursor = ""
        var pages = 0
        repeat {
            let page = try await directory.send("GET", "/Users?cursor=\(cursor)&count=2")
            seen += names(page)
            pages += 1
            if pages == 1 { _ = try await directory.user("late") }
            let next = page.json["nextCursor"]?.stringValue
            if let next, pages == 1 {
                #expect(next.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) })
                #expect(try await other.send("GET", "/Users?cursor=\(next)").json["scimType"] == "invalidCursor")
                let changed = try await directory.send("GET", query("/Users?filter=title pr&cursor=\(next)"))
                #expect(changed.json["scimType"] == "invalidCursor")
                #expect(try await directory.send("GET", "/Groups?cursor=\(next)").status == 400)
            }
            cursor = next ?? ""
        } while !cursor.isEmpty && pages < 9
        #expect(seen == ["u0", "u1", "u2", "u3", "u4", "late"] && pages == 3)
        let first = try await directory.send("GET", "/Users?cursor=&count=1")
        let old = try #require(first.json["nextCursor"]?.stringValue)
        server.clock.advance(Limits.scimCursorSeconds)
        #expect(try await directory.send("GET", "/Users?cursor=\(old)").json["scimType"] == "expiredCursor")
        #expect(try await directory.send("GET", "/Users?cursor=&startIndex=1").status == 400)
        #expect(try await directory.send("GET", "/Users?cursor=&count=-1").json["scimType"] == "invalidCount")
        await server.stop()
    }

    @Test func `a bulk request resolves references in any order, and ends at its errors`() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        func post(_ kind: String, _ id: String, _ data: JSONValue) -> JSONValue {
            ["method": "POST", "path": .string("/\(kind)"), "bulkId": .string(id), "data": data]
        }
        let made = try await directory.send(
            "POST", "/Bulk",
            [
                "Operations": [
                    post("Groups", "g", ["displayName": "staff", "members": [["value": "bulkId:u"]]]),
                    post("Users", "u", ["userName": "kim"]),
                    [
                        "method": "PATCH", "path": "/Users/bulkId:u",
                        "data": [
                            "Operations": [["op": "add", "path": "title", "value": "Captain"]]
                        ],
                    ],
                ]
            ])
        #expect(made.json["Operations"]?.arrayValue?.compactMap { $0["status"]?.stringValue } == ["201", "201", "200"])
        let groups = try await directory.send("GET", "/Groups")
        #expect(groups.json["Resources"]?.arrayValue?.first?["members"]?.arrayValue?.count == 1)
        #expect(names(try await directory.send("GET", query("/Users?filter=title eq \"captain\""))) == ["kim"])
        let circle = try await directory.send(
            "POST", "/Bulk",
            [
                "Operations": [
                    post("Groups", "a", ["displayName": "a", "members": [["value": "bulkId:b"]]]),
                    post("Groups", "b", ["displayName": "b", "members": [["value": "bulkId:a"]]]),
                ]
            ])
        #expect(circle.json["Operations"]?.arrayValue?.compactMap { $0["status"]?.stringValue } == ["409", "409"])
        let failing = try await directory.send(
            "POST", "/Bulk",
            [
                "failOnErrors": 1,
                "Operations": [post("Users", "x", ["userName": "kim"]), post("Users", "y", ["userName": "new"])],
            ])
        #expect(failing.json["Operations"]?.arrayValue?.count == 1)
        #expect(failing.json["Operations"]?.arrayValue?.first?["response"]?["scimType"] == "uniqueness")
        let many = [JSONValue](repeating: ["method": "DELETE", "path": "/Users/x"], count: 1_001)
        #expect(try await directory.send("POST", "/Bulk", ["Operations": .array(many)]).status == 413)
        let nested = try await directory.send(
            "POST", "/Bulk", ["Operations": [["method": "POST", "path": "/Bulk", "bulkId": "n", "data": [:]]]])
        #expect(nested.json["Operations"]?.arrayValue?.first?["status"] == "400")
        await server.stop()
    }

    @Test func `documents are open, and take no filter and no changes`() async throws {
        let server = try await TestServer.start()
        for name in ["ServiceProviderConfig", "ResourceTypes", "Schemas"] {
            let answer = try await server.get("/scim/v2/\(name)")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/scim+json")
            #expect(try await server.get("/scim/v2/\(name)?filter=id%20pr").status == 403)
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                let refused = try await server.send(method, "/scim/v2/\(name)", headers: [], body: nil)
                #expect(refused.status == 405 && refused.json["status"] == "405")
            }
        }
        let schemas = try await server.get("/scim/v2/Schemas")
        for schema in schemas.json["Resources"]?.arrayValue ?? [] {
            let id = try #require(schema["id"]?.stringValue)
            #expect(try await server.get("/scim/v2/Schemas/\(id)").json == schema)
        }
        #expect(schemas.json["totalResults"] == 3 && !schemas.body.contains("password"))
        #expect(try await server.get("/scim/v2/Schemas/none").json["status"] == "404")
        #expect(try await server.get("/scim/v2/Nothing").json["status"] == "404")
        #expect(try await server.get("/scim/v2/Me").status == 401)
        await server.stop()
    }
}
