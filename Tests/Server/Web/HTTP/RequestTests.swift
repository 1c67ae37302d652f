import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import Web

@Suite("A request, as its route gets it")
struct RequestTests {
    @Test(arguments: [
        ("/a/b?c=d&e", "/a/b", "c=d&e"), ("/a", "/a", nil), ("/a?", "/a", ""), ("/?x=/y?z", "/", "x=/y?z"),
        ("/a#b?c", "/a", nil), ("/a?b#c", "/a", "b"), ("//a/b", "//a/b", nil), ("/%2e%2e/a", "/%2e%2e/a", nil),
        ("http://id.example.com/a?b", "/a", "b"), ("http://id.example.com", "/", nil),
        ("https://id.example.com:8443/a/b", "/a/b", nil), ("*", "*", nil), ("a://b c/d", "a://b c/d", nil),
    ])
    func `has its path and query as they were sent`(_ text: String, _ path: String, _ query: String?) {
        let target = RequestTarget(text)
        #expect(target.path == path && target.query == query)
    }

    @Test func `finds fields whatever the case of their names, and joins those that came twice`() {
        let fields = RequestFields([
            "HOST": "a.example", "content-type": "text/plain", "Cookie": "a=1", "cookie": "b=2", "DPoP": "x",
            "dpop": "y",
        ])
        #expect(fields[.contentType] == "text/plain" && fields.host == "a.example")
        #expect(fields[values: .cookie] == ["a=1", "b=2"])
        #expect(fields[.dpop] == "x, y", "two proofs are none")
        #expect(fields[.authorization] == nil)
    }

    @Test func `an answer has the length of its body, and no line of its own making`() {
        var response = Response(status: .ok, body: ByteBuffer(string: "abc"))
        response.headers[.location] = "/a\r\nSet-Cookie: b"
        let head = response.head
        #expect(head.headers["content-length"] == ["3"] && head.status == .ok)
        #expect(head.headers.allSatisfy { !$0.value.contains("\n") && !$0.value.contains("\r") })
        #expect(Response(status: .noContent).head.headers.isEmpty)
    }

    @Test func `a body that is whole is bounded as one that arrives`() async throws {
        let body = RequestBody.whole(ByteBuffer(string: "abcd"))
        #expect(try await body.collect(upTo: 4).readableBytes == 4)
        await #expect(throws: NIOTooManyBytesError.self) { try await body.collect(upTo: 3) }
    }
}
