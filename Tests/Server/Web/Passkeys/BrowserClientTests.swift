import Crypto
import Foundation
import KeyturnBase
import ServerTesting
import Testing

@testable import Web

@Suite("The browser client's files")
struct BrowserClientTests {
    private func get(
        _ path: String, at server: TestServer, method: String = "GET", _ headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        try await server.send(method, path, headers: headers, body: nil)
    }

    @Test func `each file is served at both of its addresses, to every site, and its hash is the one that is said`()
        async throws
    {
        let server = try await TestServer.start()
        let list = try await get("/js/v1/passkeys.json", at: server)
        #expect(list.headers["content-type"] == "application/json")
        let files = try #require(list.json["files"]?.arrayValue)
        #expect(files.compactMap { $0["name"]?.stringValue } == ["passkeys.mjs", "passkeys.js", "passkeys.d.mts"])
        for file in files {
            let path = try #require(file["path"]?.stringValue)
            let pinned = try #require(file["pinnedPath"]?.stringValue)
            let addresses = [(path, "public, max-age=3600"), (pinned, "public, max-age=31536000, immutable")]
            for (address, caching) in addresses {
                let answer = try await get(address, at: server, [("Origin", "https://anything.example")])
                #expect(answer.status == 200)
                let digest = Data(SHA384.hash(data: Data(answer.body.utf8))).base64EncodedString()
                #expect(file["integrity"]?.stringValue == "sha384-\(digest)", "\(address)")
                #expect(file["bytes"]?.integerValue == Int64(answer.body.utf8.count))
                #expect(answer.headers["cache-control"] == caching)
                #expect(answer.headers["access-control-allow-origin"] == "*")
                #expect(answer.headers["access-control-allow-credentials"] == nil)
                #expect(answer.headers["cross-origin-resource-policy"] == "cross-origin")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["set-cookie"] == nil)
                let type = address.hasSuffix(".d.mts") ? "text/plain" : "text/javascript"
                #expect(answer.headers["content-type"] == "\(type); charset=utf-8")
            }
            let tag = SHA256.hash(data: Data(try await get(path, at: server).body.utf8)).prefix(8)
                .map { String(format: "%02x", $0) }.joined()
            #expect(pinned.contains("-\(tag)."))
        }
        await server.stop()
    }

    @Test func `a file that the browser has is not sent again`() async throws {
        let server = try await TestServer.start()
        for path in [BrowserClient.script.path, BrowserClient.script.pinnedPath, "/js/v1/passkeys.json"] {
            let tag = try #require(try await get(path, at: server).headers["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
            for known in [tag, "W/\(tag)", "\"other\", \(tag) ", "*"] {
                let answer = try await get(path, at: server, [("If-None-Match", known)])
                #expect(answer.status == 304 && answer.body.isEmpty, "\(known)")
                #expect(answer.headers["etag"] == tag && answer.headers["access-control-allow-origin"] == "*")
            }
            for known in ["\"other\"", String(tag.dropLast()), ""] {
                #expect(try await get(path, at: server, [("If-None-Match", known)]).status == 200, "\(known)")
            }
            let head = try await get(path, at: server, method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == tag)
            #expect(Int(head.headers["content-length"] ?? "").map { $0 > 500 } == true)
            #expect(try await get(path, at: server, method: "POST").status == 405)
        }
        #expect(try await get("/js/v1/passkeys-0123456789abcdef.mjs", at: server).status == 404, "another release's")
        await server.stop()
    }

    @Test func `the script is the module, apart from how it is loaded`() throws {
        let module = String(decoding: BrowserClient.module.content, as: UTF8.self)
        let script = String(decoding: BrowserClient.script.content, as: UTF8.self)
        let (inModule, inScript) = (Set(module.split(separator: "\n")), Set(script.split(separator: "\n")))
        #expect(inModule.subtracting(inScript) == ["const loadedFrom = import.meta.url;", "export { SDK };"])
        #expect(inScript.subtracting(inModule).count == 6)
        #expect(!module.contains("eval(") && !module.contains("innerHTML") && !module.contains("document.cookie"))
    }

    @Test func `the types name what the module has, and the versions are one`() throws {
        let module = String(decoding: BrowserClient.module.content, as: UTF8.self)
        let types = String(decoding: BrowserClient.types.content, as: UTF8.self)
        // Methods and getters of the class, two spaces deep.
        let members = module.matches(of: #/\n  (?:async |get )?([a-z]\w+)\([^\n]*\) \{\n/#).map { String($0.1) }
        let described = types.matches(of: #/\n  (?:readonly )?([a-z]\w+)(?:\([^\n]*\): |: boolean;|\(signal: \{)/#)
            .map { String($0.1) }
        let ceremony = ["signal", "abort", "prompt", "offer", "pause"]
        #expect(Set(members).subtracting(ceremony + ["constructor"]) == Set(described).subtracting(["constructor"]))
        #expect(described.count > 10)
        let codes = types.matches(of: #/\| "([a-z_?]+)"/#).map { String($0.1) }
        for code in Set(codes).subtracting(["superseded", "canceled", "late"]) {
            #expect(module.contains("\"\(code)\""), "\(code)")
        }
    }
}
