import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Files that arrive in parts, RFC 9110 §14")
struct DownloadTests {
    private static let path = "/2.0/files/123/content"
    private static let part = 65_536

    /// Has one file, and redirects to it as Box does.
    private actor FileServer: HTTPTransport {
        enum Conduct: Sendable {
            case wellBehaved, withoutParts, withoutLength, changing, shifted, tooMuch, missing
        }

        let file: [UInt8]
        let conduct: Conduct
        private(set) var ranges: [String] = []
        private(set) var longest = 0
        private(set) var hasSentToken = false
        private var faults: Int
        private var version = 1

        init(_ bytes: Int, _ conduct: Conduct = .wellBehaved, faults: Int = 0) {
            file = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            self.conduct = conduct
            self.faults = faults
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let isFile = request.url.hasPrefix("https://dl.example.com/")
            guard isFile else {
                guard conduct != .missing else {
                    return HTTPResponse(status: 404, body: Array(#"{"code":"not_found"}"#.utf8))
                }
                return HTTPResponse(status: 302, headers: [("Location", "https://dl.example.com/f")])
            }
            if request.headers.contains(where: { $0.name == "Authorization" }) { hasSentToken = true }
            if faults > 0 {
                faults -= 1
                throw AuthError(.unavailable, "the line broke")
            }
            let response = answer(request)
            longest = max(longest, response.body.count)
            return response
        }

        private func answer(_ request: HTTPRequest) -> HTTPResponse {
            guard conduct != .withoutParts, let text = request.headers.first(where: { $0.name == "Range" })?.value,
                let match = text.wholeMatch(of: #/bytes=(\d+)-(\d+)/#), let first = Int(match.1),
                let last = Int(match.2)
            else { return HTTPResponse(status: 200, body: file) }
            ranges.append(text)
            if conduct == .changing { version += 1 }
            let tag = "\"\(version)\""
            let condition = request.headers.first { $0.name == "If-Range" }?.value
            guard condition == nil || condition == tag else { return HTTPResponse(status: 200, body: file) }
            guard first < file.count else {
                return HTTPResponse(status: 416, headers: [("Content-Range", "bytes */\(file.count)")])
            }
            let shift = conduct == .shifted && first > 0 ? 1 : 0
            let end = min(file.count - 1, conduct == .tooMuch ? last + 1 : last)
            let total = conduct == .withoutLength ? "*" : "\(file.count)"
            return HTTPResponse(
                status: 206,
                headers: [("Content-Range", "bytes \(first + shift)-\(end)/\(total)"), ("ETag", tag)],
                body: Array(file[(first + shift)...end]))
        }
    }

    private func client(_ server: FileServer) -> ServiceClient {
        ServiceClient(
            .developerToken("T"), application: nil, configuration: .box, store: nil, transport: server,
            ambient: VirtualClock().ambient(wrongBy: 0), pause: { _ in })
    }

    private func download(_ server: FileServer) async throws -> [UInt8] {
        var file: [UInt8] = []
        let count = try await client(server).download(Self.path, partBytes: Self.part) { file += $0 }
        #expect(count == Int64(file.count))
        return file
    }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 1_000_000])
    func `a file arrives whole, and no more than a part of it is in memory`(_ bytes: Int) async throws {
        let server = FileServer(bytes)
        #expect(try await download(server) == server.file)
        #expect(await server.longest <= Self.part)
        #expect(await server.ranges.count == (bytes + Self.part - 1) / Self.part)
        #expect(await !server.hasSentToken, "the token goes to the API alone")
    }

    @Test func `an empty file, one of unknown length, and a server without parts`() async throws {
        #expect(try await download(FileServer(0)).isEmpty)
        let unknown = FileServer(200_000, .withoutLength)
        #expect(try await download(unknown) == unknown.file)
        let whole = FileServer(200_000, .withoutParts)
        #expect(try await download(whole) == whole.file)
    }

    @Test func `a part that is lost is asked for again`() async throws {
        let server = FileServer(200_000, faults: 2)
        #expect(try await download(server) == server.file)
    }

    @Test(arguments: [
        (FileServer.Conduct.changing, AuthError.Code.unavailable), (.shifted, .protocolViolation),
        (.tooMuch, .protocolViolation), (.missing, .refused),
    ])
    private func `what is not the file is not taken for it`(
        _ conduct: FileServer.Conduct, _ code: AuthError.Code
    ) async throws {
        await #expect(throws: AuthError(code, "")) { try await download(FileServer(200_000, conduct)) }
    }

    @Test func `what the app throws ends it`() async throws {
        struct Full: Error {}
        let server = FileServer(200_000)
        await #expect(throws: Full.self) {
            try await client(server).download(Self.path, partBytes: Self.part) { _ in throw Full() }
        }
        #expect(await server.ranges.count == 1)
        for wrong in [0, 65_535, 33_554_433] {
            await #expect(throws: AuthError(.misconfigured, "")) {
                try await client(server).download(Self.path, partBytes: wrong) { _ in }
            }
        }
    }
}
