#if os(Linux)
    import KeyturnBase
    import KeyturnVerify
    import Testing

    @testable import Keyturn

    @Suite("Service clients: uploads")
    struct UploadTests {
        private func client(_ server: LoopbackServer, uploads: String) -> ServiceClient {
            ServiceClient(
                .developerToken("DEV"), application: nil, configuration: .box(apiURL: server.base, uploadURL: uploads),
                transport: URLSessionTransport())
        }

        @Test func `a file goes to the upload address and to no other, after what is said of it`() async throws {
            let api = try LoopbackServer { _ in HTTPResponse(status: 500) }
            let uploads = try LoopbackServer { _ in
                HTTPResponse(status: 201, body: Array(#"{"entries":[{"id":"1"}]}"#.utf8))
            }
            defer {
                api.stop()
                uploads.stop()
            }
            let client = client(api, uploads: uploads.base + "/api")
            let answer = try await client.upload(
                "/2.0/files/content", attributes: ["name": "a.txt", "parent": ["id": "0"]], file: Array("hello".utf8),
                named: "a\"\r\nX: y.txt")
            #expect(answer["entries"]?.arrayValue?.first?["id"] == "1")
            #expect(api.heard.isEmpty)
            let heard = try #require(uploads.heard.first)
            #expect(heard.line == "POST /api/2.0/files/content HTTP/1.1")
            let fields = Dictionary(heard.fields.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            #expect(fields["authorization"] == "Bearer DEV")
            let type = try #require(fields["content-type"])
            let boundary = try #require(type.split(separator: "boundary=").last.map(String.init))
            #expect(type == "multipart/form-data; boundary=\(boundary)" && boundary.utf8.count == 32)
            let parts = heard.body.split(separator: "--\(boundary)").map(String.init)
            #expect(parts.count == 3 && parts[2] == "--\r\n")
            #expect(parts[0].hasPrefix("\r\nContent-Disposition: form-data; name=\"attributes\"\r\n"))
            #expect(parts[0].contains(#"{"name":"a.txt","parent":{"id":"0"}}"#))
            #expect(parts[1].contains("name=\"file\"; filename=\"a%22%0D%0AX: y.txt\"\r\n"))
            #expect(parts[1].hasSuffix("\r\n\r\nhello\r\n"))
        }

        @Test func `what is out of bounds is not sent`() async throws {
            let server = try LoopbackServer { _ in HTTPResponse(status: 201) }
            defer { server.stop() }
            let client = client(server, uploads: server.base)
            let large = [UInt8](repeating: 0, count: Limits.uploadMaxBytes + 1)
            for (path, file, name) in [
                ("/x", large, "a"), ("x", [], "a"), ("/x", [], ""),
                ("/x", [], String(repeating: "a", count: Limits.uploadNameMaxBytes + 1)),
            ] {
                await #expect(throws: AuthError(.misconfigured, "")) {
                    try await client.upload(path, attributes: [:], file: file, named: name)
                }
            }
            #expect(server.heard.isEmpty)
        }
    }
#endif
