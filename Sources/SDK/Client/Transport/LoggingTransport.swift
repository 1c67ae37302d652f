internal import KeyturnBase
internal import KeyturnVerify

/// Tells a logger of every request and its answer.
struct LoggingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    let logger: KeyturnLogger
    private let namesPaths: Bool

    /// - Parameters:
    ///   - inner: Carries the requests.
    ///   - logger: Is told; `nil`: there is none, and `inner` is returned.
    ///   - namesPaths: Whether the paths are the service's endpoints. Those of an app's own requests may hold anything.
    static func telling(
        _ logger: KeyturnLogger?, over inner: any HTTPTransport, namesPaths: Bool = true
    ) -> any HTTPTransport {
        guard let logger else { return inner }
        return LoggingTransport(inner: inner, logger: logger, namesPaths: namesPaths)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let began = ContinuousClock.now
        let address = { request.method + " " + KeyturnLogger.address(request.url, namesPath: namesPaths) }
        do throws(AuthError) {
            let response = try await inner.send(request)
            let level: KeyturnLogger.Level =
                switch response.status {
                case ..<400: .debug
                case ..<500: .info
                default: .error
                }
            logger.log(level, "\(address()): \(response.status) in \(Self.milliseconds(since: began)) ms")
            return response
        } catch {
            logger.log(
                error.isTaskCancelled ? .debug : .error,
                "\(address()): no answer in \(Self.milliseconds(since: began)) ms" + KeyturnLogger.text(error))
            throw error
        }
    }

    private static func milliseconds(since began: ContinuousClock.Instant) -> Int64 {
        Int64((ContinuousClock.now - began) / .milliseconds(1))
    }
}

extension HTTPTransport {
    /// The log that is told of the requests over this transport; `nil`: there is none.
    var requestLogger: KeyturnLogger? { (self as? LoggingTransport)?.logger }
}
