internal import AsyncHTTPClient
internal import KeyturnBase
internal import KeyturnVerify
internal import NIOCore
internal import NIOHTTP1

/// Carries the command line's requests over the HTTP client that the server uses too.
///
/// Not over Foundation's: of release 6.3 on Linux, that ends the whole process when a connection breaks in the middle
/// of an answer's head.
struct NetworkTransport: HTTPTransport {
    /// Longest answer, in bytes.
    var responseBytesMax = 1_048_576

    /// One for the life of the program.
    private static let client = HTTPClient(
        eventLoopGroup: HTTPClient.defaultEventLoopGroup,
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))

    /// Scheme, host and port: what follows may hold a secret.
    private static func origin(of url: String) -> String {
        URIParts(url, bytesMax: .max)?.origin ?? "the service"
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        _ = try request.checkedURL()
        var native = HTTPClientRequest(url: request.url)
        native.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { native.headers.add(name: name, value: value) }
        if let body = request.body { native.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            let response = try await Self.client.execute(native, timeout: .seconds(Int64(request.timeoutSeconds)))
            let body = try await response.body.collect(upTo: responseBytesMax)
            return HTTPResponse(
                status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
                body: Array(buffer: body))
        } catch let error as CancellationError {
            throw AuthError(.cancelled, "the request was cancelled", cause: error)
        } catch is NIOTooManyBytesError {
            throw AuthError(.protocolViolation, "the answer is too large")
        } catch {
            throw AuthError(.unavailable, "no answer from \(Self.origin(of: request.url))", cause: error)
        }
    }
}
