import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Service clients: redirects, and who may see what")
struct RedirectTests {
    let world = BoxWorld()

    private func redirect(_ status: Int, to location: String) -> FakeBox.Fault {
        .answer(HTTPResponse(status: status, headers: [("Location", location)]))
    }

    private var client: ServiceClient {
        world.client().acting(as: "777").withSharedLink("https://x", password: "pw").withHeaders(["X-Mine": "1"])
    }

    private let request = HTTPRequest(
        url: "https://api.box.com/2.0/files/1/content",
        headers: [("Accept", "*/*"), ("Range", "bytes=0-9"), ("Cookie", "a=b"), ("X-Own", "o")])

    @Test(arguments: [301, 302, 303, 307, 308])
    func `another host gets no token, no As-User, no shared link, nothing of the client's`(_ status: Int) async throws {
        await world.service.fail("/2.0/files/1/content", redirect(status, to: "https://dl.boxcloud.com/d/1?sig=x"))
        await world.service.fail("/d/1", .answer(HTTPResponse(status: 206, body: [1, 2])))
        let response = try await client.send(request)
        #expect(response.status == 206 && response.body == [1, 2])
        let second = try #require(await world.service.sent("/d/1").first)
        #expect(second.url == "https://dl.boxcloud.com/d/1?sig=x")
        #expect(second.headers.map(\.name) == ["Accept", "Range"])
    }

    @Test(arguments: ["https://api.box.com:8443/d/1", "https://API.box.com.evil.example/d/1", "//evil.example/d/1"])
    func `another port or a name that looks alike is another host`(_ location: String) async throws {
        await world.service.fail("/2.0/files/1/content", redirect(302, to: location))
        await world.service.fail("/d/1", .answer(HTTPResponse(status: 200)))
        _ = try await client.send(request)
        let second = try #require(await world.service.sent("/d/1").first)
        #expect(second.headers.map(\.name) == ["Accept", "Range"])
    }

    @Test func `the way back brings the token to nobody`() async throws {
        await world.service.fail("/2.0/files/1/content", redirect(302, to: "https://evil.example/d/1"))
        await world.service.fail("/d/1", redirect(302, to: "https://api.box.com/2.0/files/1/content"))
        await world.service.fail("/2.0/files/1/content", .answer(HTTPResponse(status: 200)))
        _ = try await client.send(request)
        let last = try #require(await world.service.sent("/2.0/files/1/content").last)
        #expect(last.headers.map(\.name) == ["Accept", "Range"])
    }

    @Test func `within the host everything goes along`() async throws {
        await world.service.fail("/2.0/files/1/content", redirect(307, to: "/2.0/users/me"))
        #expect(try await client.send(request).status == 200)
        let second = try #require(await world.service.sent(BoxWorld.me).first)
        #expect(second.headers.contains { $0.name == "As-User" && $0.value == "777" })
        #expect(second.headers.contains { $0.name == "Authorization" })
    }

    @Test(arguments: ["http://api.box.com/d/1", "http://127.0.0.1/d/1", "ftp://a/d/1", "file:///d/1"])
    func `from https to anything without protection no way leads`(_ location: String) async throws {
        await world.service.fail("/2.0/files/1/content", redirect(302, to: location))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await client.send(request) }
        #expect(await world.service.count("/d/1") == 0)
    }

    @Test func `a body goes to no other host`() async throws {
        await world.service.fail("/2.0/files/1/content", redirect(307, to: "https://evil.example/d/1"))
        var post = request
        (post.method, post.body) = ("POST", [1])
        #expect(try await client.send(post).status == 307)
        #expect(await world.service.count("/d/1") == 0)
    }

    @Test func `a circle ends`() async throws {
        for _ in 0..<20 {
            await world.service.fail("/2.0/files/1/content", redirect(302, to: "https://b.example/d/1"))
            await world.service.fail("/d/1", redirect(302, to: "https://c.example/d/1"))
        }
        #expect(try await client.send(request).status == 302)
        #expect(await world.service.requests.count < 10)
    }
}
