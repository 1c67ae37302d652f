internal import AsyncHTTPClient
internal import KeyturnBase
internal import KeyturnVerify
internal import NIOCore
internal import NIOHTTP1

/// Carries the command line's requests over the HTTP client that the server uses too, through the proxy that the
/// environment names.
///
/// Not over Foundation's: of release 6.3 on Linux, that ends the whole process when a connection breaks in the middle
/// of an answer's head.
struct NetworkTransport: HTTPTransport {
    /// Longest answer, in bytes.
    var responseBytesMax = 1_048_576
    /// A file of certificate authorities, trusted beside the usual ones.
    var caFile: String?
    /// Names the proxies, and the file of the usual authorities.
    var environment = Live.environment

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        _ = try request.checkedURL()
        let way = try NetworkWay(to: request.url, caFile: caFile, environment)
        let client = try NetworkClients.client(way)
        let deadline = NIODeadline.now() + .seconds(Int64(request.timeoutSeconds))
        var retry = ConnectionRetry(secondsMax: request.timeoutSeconds)
        while true {
            do {
                return try await exchange(request, client, deadline)
            } catch let error as CancellationError {
                throw Self.cancellation(error)
            } catch {
                let failure = ConnectionFailure(error, way, url: request.url)
                guard failure.isWorthAnotherTry, await retry.pause() else {
                    throw Task.isCancelled ? Self.cancellation(error) : failure.authError
                }
            }
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ client: HTTPClient, _ deadline: NIODeadline
    ) async throws -> HTTPResponse {
        var native = HTTPClientRequest(url: request.url)
        native.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { native.headers.add(name: name, value: value) }
        if let body = request.body { native.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(native, deadline: deadline)
        let body = try await response.body.collect(upTo: responseBytesMax)
        return HTTPResponse(
            status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
            body: Array(buffer: body))
    }

    private static func cancellation(_ error: any Error) -> AuthError {
        AuthError(.cancelled, "the request was cancelled", cause: error)
    }
}
