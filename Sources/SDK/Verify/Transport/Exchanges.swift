internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif
internal import KeyturnBase

/// The exchanges under way, each waiting for its answer.
actor Exchanges {
    typealias Answer = Result<HTTPResponse, AuthError>

    private struct Exchange {
        let continuation: CheckedContinuation<Answer, Never>
        var head: (status: Int, headers: [(name: String, value: String)])?
        var body: [UInt8] = []
    }

    /// The calling task was cancelled: the server refused nothing, and nothing is wrong with the network.
    private static let taskCancelled = AuthError.Code(rawValue: "task.cancelled")

    private let responseBytesMax: Int
    private var exchanges: [Int: Exchange] = [:]
    private var isClosed = false

    init(responseBytesMax: Int) {
        self.responseBytesMax = responseBytesMax
    }

    /// Starts `task` and waits for its answer, at most `timeoutSeconds`.
    func perform(_ task: URLSessionDataTask, timeoutSeconds: Int) async -> Answer {
        let identifier = task.taskIdentifier
        // Unstructured: it outlives nothing, for it is cancelled below. The session's own timeout starts anew with
        // each byte, so that a server sending one now and then would hold us for ever.
        let deadline = Task {
            try await Task.sleep(for: .seconds(timeoutSeconds))
            finish(identifier, .failure(AuthError(.unavailable, "the server took too long")))
        }
        defer {
            deadline.cancel()
            // An answer that was refused half-way must not go on arriving. After its end this does nothing.
            task.cancel()
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isClosed, !Task.isCancelled else {
                    return continuation.resume(returning: .failure(Self.cancellation()))
                }
                exchanges[identifier] = Exchange(continuation: continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
            // Unstructured: the handler is synchronous, and the session may not report a task that never began.
            Task { await finish(identifier, .failure(Self.cancellation())) }
        }
    }

    /// Takes what the session reports. Reports about exchanges that are over are ignored.
    func handle(_ event: ExchangeEvent) {
        switch event {
        case .head(let identifier, let status, let headers):
            exchanges[identifier]?.head = (status, headers)
        case .body(let identifier, let bytes):
            exchanges[identifier]?.body += bytes
            guard let size = exchanges[identifier]?.body.count, size > responseBytesMax else { return }
            finish(identifier, .failure(Self.excess()))
        case .tooLarge(let identifier):
            finish(identifier, .failure(Self.excess()))
        case .end(let identifier, let failure):
            finish(identifier, answer(identifier, failure))
        }
    }

    /// Fails what is still waiting; nothing can arrive any more.
    func close() {
        isClosed = true
        for identifier in Array(exchanges.keys) { finish(identifier, .failure(Self.cancellation())) }
    }

    private func finish(_ identifier: Int, _ answer: Answer) {
        exchanges.removeValue(forKey: identifier)?.continuation.resume(returning: answer)
    }

    private func answer(_ identifier: Int, _ failure: URLError.Code?) -> Answer {
        switch failure {
        case nil:
            guard let exchange = exchanges[identifier], let head = exchange.head else {
                return .failure(AuthError(.protocolViolation, "the answer is not HTTP"))
            }
            return .success(HTTPResponse(status: head.status, headers: head.headers, body: exchange.body))
        case .cancelled?:
            return .failure(Self.cancellation())
        case .timedOut?:
            return .failure(AuthError(.unavailable, "the server took too long"))
        case .some(let code):
            // The code alone: the error itself holds the URL, and the URL may hold a secret.
            return .failure(AuthError(.unavailable, "no answer (URL error \(code.rawValue))"))
        }
    }

    /// What a cancelled exchange ends with.
    static func cancellation() -> AuthError {
        AuthError(Self.taskCancelled, "the request was cancelled", cause: CancellationError())
    }

    private static func excess() -> AuthError {
        AuthError(.protocolViolation, "the answer is too large")
    }
}
