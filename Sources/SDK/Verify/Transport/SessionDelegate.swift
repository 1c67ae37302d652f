internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What the URL session reports about the exchange with a task identifier.
enum ExchangeEvent: Sendable {
    case head(Int, status: Int, headers: [(name: String, value: String)])
    case body(Int, [UInt8])
    case tooLarge(Int)
    case end(Int, URLError.Code?)
}

/// Turns the URL session's calls into events. Keeps no state: what it must know about a task, the task knows.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let responseBytesMax: Int
    private let events: AsyncStream<ExchangeEvent>.Continuation

    init(responseBytesMax: Int, events: AsyncStream<ExchangeEvent>.Continuation) {
        self.responseBytesMax = responseBytesMax
        self.events = events
    }

    /// A redirect is an answer: following it could carry a token to another host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// A 401 is an answer: the user is not asked for a password. Certificates are for the system to judge.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Here the whole answer has arrived, and any disposition but this one waits for a password for ever.
            events.yield(.end(task.taskIdentifier, nil))
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        guard response.expectedContentLength <= Int64(responseBytesMax) else {
            events.yield(.tooLarge(dataTask.taskIdentifier))
            return completionHandler(.cancel)
        }
        let headers = response.allHeaderFields.compactMap { name, value -> (name: String, value: String)? in
            guard let name = name as? String, let value = value as? String else { return nil }
            return (name, value)
        }
        events.yield(.head(dataTask.taskIdentifier, status: response.statusCode, headers: headers))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.yield(.body(dataTask.taskIdentifier, Array(data)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.yield(.end(task.taskIdentifier, error.map { ($0 as? URLError)?.code ?? .unknown }))
    }
}
