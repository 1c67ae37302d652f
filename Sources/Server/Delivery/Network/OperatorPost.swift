internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// Posts to an address of the operator's configuration, which may lie in a private network. Redirects are not
/// followed.
struct OperatorPost: Sendable {
    private let url: String
    private let contentType: String
    private let client: HTTPClient

    init(url: String, contentType: String) {
        self.url = url
        self.contentType = contentType
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: .seconds(DeliveryLimits.connectSeconds), read: .seconds(DeliveryLimits.commandSeconds))
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Lets go of connections. Nothing can be sent afterwards.
    func shutdown() async {
        try? await client.shutdown()
    }

    /// - Returns: The status of the answer; `nil`: there was none.
    func send(_ body: [UInt8], headers: [(name: String, value: String)]) async -> Int? {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: contentType)
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await client.execute(request, timeout: .seconds(DeliveryLimits.commandSeconds))
            // Read, so that the connection can be used again; a long answer costs it that.
            _ = try? await response.body.collect(upTo: DeliveryLimits.gatewayAnswerBytesMax)
            return Int(response.status.code)
        } catch {
            return nil
        }
    }
}
