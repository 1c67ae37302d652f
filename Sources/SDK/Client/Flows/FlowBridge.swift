internal import KeyturnBase
internal import KeyturnWire

/// Judges what the page of a flow says, and decides what follows. Values alone: no view, no network.
///
/// The page is a web page, and other scripts may run in it or in frames of it. Only the page itself counts, at the
/// flow's own origin, while the flow runs.
struct FlowBridge: Sendable {
    /// What the flow's owner does.
    enum Command: Sendable {
        /// The page has the element: it is told what it needs.
        case initialize
        case becameReady
        case request(FlowRequest)
        /// The request is none that is known here.
        case refuseRequest
        /// The answer with the session, as JSON.
        case take(String)
        case fail(AuthError)
        case cancel
        /// For the log: what the page said, or why it was not heard.
        case log(KeyturnLogger.Level, String)
    }

    let origin: String
    private(set) var machine = FlowMachine()
    /// Whether the page has said how it ended: nothing that it says counts any more.
    private(set) var isClosed = false

    init(origin: String) {
        self.origin = origin
    }

    var state: FlowState { machine.state }

    /// - Returns: Whether the state changed.
    mutating func apply(_ event: FlowMachine.Event) -> Bool {
        let isChanged = machine.apply(event)
        if state.isOver { isClosed = true }
        return isChanged
    }

    /// A message of the page.
    ///
    /// - Parameter provider: The one that the system's sheet signs in with.
    mutating func receive(_ message: FlowMessage, provider: SocialProvider?) -> [Command] {
        guard let name = FlowMessageName(rawValue: message.name) else { return drop("of an unknown kind") }
        guard message.frame.isMain else { return drop("from a frame") }
        guard message.frame.origin == origin else { return drop("from another origin") }
        guard [.started, .ready].contains(state) else { return drop("outside of the flow") }
        guard !isClosed else { return drop("after the end") }
        guard message.body.serialized.count <= name.bytesMax else { return drop("too long") }
        switch name {
        case .log: return Self.note(message.body)
        case .found: return [.initialize]
        // Each page of a flow says it.
        case .ready: return machine.apply(.becameReady) ? [.becameReady] : []
        case .bridge:
            return [FlowRequest(message.body, provider: provider).map(Command.request) ?? .refuseRequest]
        case .abort:
            isClosed = true
            guard let reason = message.body.stringValue, !reason.isEmpty else { return [.cancel] }
            return [.fail(Self.problem(code: nil, reason))]
        case .failure:
            isClosed = true
            return [Self.failure(message.body)]
        case .success:
            isClosed = true
            guard let answer = message.body.stringValue, !answer.isEmpty else {
                return [.fail(AuthError(.flowFailed, "the flow ended without a session"))]
            }
            return [.take(answer)]
        }
    }

    private func drop(_ why: String) -> [Command] { [.log(.info, "flow: dropped a message \(why)")] }

    /// Only that there was one: what a page writes may hold anything.
    private static func note(_ body: JSONValue) -> [Command] {
        switch body["tag"]?.stringValue {
        case "fail": [.log(.error, "flow: a script of the page failed")]
        case "error", "warn": [.log(.debug, "flow: the page wrote a warning")]
        default: []
        }
    }

    /// The code with which Descope's pages say that the user gave up.
    private static let cancelledCode = "E102122"

    private static func failure(_ body: JSONValue) -> Command {
        let code = body["errorCode"]?.stringValue ?? body["code"]?.stringValue
        if code == cancelledCode { return .cancel }
        let text = body.stringValue ?? body["errorDescription"]?.stringValue
        return .fail(problem(code: code, text))
    }

    /// What the page says stays apart from our own words: it may hold anything.
    private static func problem(code: String?, _ text: String?) -> AuthError {
        AuthError(
            .flowFailed, "the page ended the flow",
            server: AuthError.ServerAnswer(
                status: 200, code: Exchange.clean(code, max: 128), description: Exchange.clean(text, max: 256)))
    }

    /// Whether a link that the app was opened with belongs to this flow: it leads to the flow's own server, or to where
    /// the app says its links lead, and names no other flow.
    ///
    /// - Parameters:
    ///   - url: As the system brought it.
    ///   - name: Of the flow; `nil`: it has none.
    ///   - magicLinkURL: Where the app's links lead, if elsewhere.
    func expects(_ url: String, flow name: String?, magicLinkURL: String?) -> Bool {
        guard state == .ready, !isClosed, url.utf8.count <= Limits.callbackMaxBytes,
            let (base, query) = URLText.split(url),
            let parameters = try? FormParameters(parsing: query),
            let token = try? parameters.one("t"), !token.isEmpty
        else { return false }
        let isOwn = magicLinkURL.flatMap { URLText.split($0)?.base } == base
        guard isOwn || URLText.origin(String(base)) == origin else { return false }
        guard let step = parameters.values("descope-login-flow").first, let name else { return true }
        return step.prefix { $0 != "|" } == name
    }

    /// Whether a view may go to an address by itself; what it may not goes to the app.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - isLink: Whether the user tapped a link.
    func allows(_ url: String, isLink: Bool) -> Bool {
        let target = URLText.origin(url)
        return isLink ? target == origin : target != nil
    }
}
