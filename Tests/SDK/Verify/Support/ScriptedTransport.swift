import KeyturnBase
import KeyturnVerify

/// Answers from a table, counts what it was asked, and can be told to fail or to wait.
actor ScriptedTransport: HTTPTransport {
    private var answers: [String: HTTPResponse] = [:]
    private var isDown = false
    private var gate: Gate?
    private(set) var requests: [HTTPRequest] = []

    init(_ answers: [String: HTTPResponse] = [:]) {
        self.answers = answers
    }

    /// A transport that serves `document` at ``keys``.
    init(keys document: [UInt8], cacheControl: String? = nil) {
        answers = [Self.keys: Self.answer(document, cacheControl: cacheControl)]
    }

    static let keys = TestIssuer.url + "/jwks"

    static func answer(_ body: [UInt8], cacheControl: String? = nil) -> HTTPResponse {
        HTTPResponse(status: 200, headers: cacheControl.map { [("Cache-Control", $0)] } ?? [], body: body)
    }

    func serve(_ body: [UInt8], at url: String = keys, cacheControl: String? = nil) {
        answers[url] = Self.answer(body, cacheControl: cacheControl)
    }

    func serve(_ response: HTTPResponse, at url: String) {
        answers[url] = response
    }

    func setDown(_ isDown: Bool) {
        self.isDown = isDown
    }

    /// Requests wait at `gate` from now on.
    func hold(at gate: Gate) {
        self.gate = gate
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        if let gate { await gate.pass() }
        if isDown { throw AuthError(.unavailable, "down") }
        return answers[request.url] ?? HTTPResponse(status: 404)
    }
}

/// Closed until it is opened; then everybody passes.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
