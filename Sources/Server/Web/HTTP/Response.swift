internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The answer of a route.
struct Response: Sendable {
    var status: HTTPResponse.Status
    var headers: HTTPFields = [:]
    var body = ByteBuffer()

    /// What is sent before the body. The length is that of the body, also in answer to HEAD.
    var head: HTTPResponseHead {
        var fields = HTTPHeaders()
        fields.reserveCapacity(headers.count + 3)
        for field in headers { fields.add(name: field.name.rawName, value: field.value) }
        if status != .noContent, !headers.contains(.contentLength) {
            fields.add(name: "content-length", value: String(body.readableBytes))
        }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status.code), headers: fields)
    }
}
