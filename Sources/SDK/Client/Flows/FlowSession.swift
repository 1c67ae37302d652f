public import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The web view of a flow, as far as the flow needs one.
@MainActor
public protocol FlowPage: AnyObject {
    /// Loads a page.
    func load(_ url: String)
    /// Runs a script in the page itself.
    func evaluate(_ script: String)
}

/// A flow in a view of the app, from its first page to the stored session.
///
/// `FlowView` of KeyturnUI shows it on Apple's systems. A view of another kind conforms to ``FlowPage``, runs
/// ``documentStartScript``, and hands in messages and failures; it must say truthfully which frame a message is from.
///
/// ```swift
/// let flow = try await auth.flows.open(Flow("sign-in"))
/// flow.start(in: page)
/// let response = try await flow.result()
/// ```
@MainActor
public final class FlowSession {
    /// What runs.
    public let flow: Flow
    /// The address of its first page.
    public let url: String
    /// Hears what becomes of it.
    public weak var delegate: (any FlowDelegate)?

    private var bridge: FlowBridge
    private var loading: FlowLoading?
    private let options: EmbeddedFlowOptions
    private let access: MethodAccess
    private let browser: any BrowserAgent
    private let native: (any NativeSignIn)?
    private let logger: KeyturnLogger?
    /// How often the container's session had been given up when the flow was opened.
    var timesGivenUp = 0

    private weak var page: (any FlowPage)?
    private var outcome: Result<AuthenticationResponse, AuthError>?
    private var listeners: [AsyncStream<FlowEvent>.Continuation] = []
    /// The system's browser or sheet, the pause before another try, or the session on its way into the store.
    private var task: Task<Void, Never>?

    init(
        _ flow: Flow, url: String, options: EmbeddedFlowOptions, access: MethodAccess,
        native: (any NativeSignIn)?, browser: any BrowserAgent, logger: KeyturnLogger?
    ) {
        self.flow = flow
        self.url = url
        bridge = FlowBridge(origin: URLText.origin(url) ?? "")
        self.options = options
        self.access = access
        self.browser = browser
        self.logger = logger
        self.native = native
    }

    /// Where it stands.
    public var state: FlowState { bridge.state }

    /// What a view runs at the start of every page, in the page itself and in no frame of it.
    public static var documentStartScript: String { FlowScript.atDocumentStart }

    /// Everything that happens from now on. Ends with the flow.
    public var events: AsyncStream<FlowEvent> {
        let (stream, listener) = AsyncStream.makeStream(
            of: FlowEvent.self, bufferingPolicy: .bufferingNewest(Limits.changesBuffered))
        if state.isOver { listener.finish() } else { listeners.append(listener) }
        return stream
    }

    /// Waits for the end.
    ///
    /// - Throws: `sign_in.cancelled` if the user gave up; with a `CancellationError` as its cause if the calling task
    ///   was cancelled, and then the flow goes on; `sign_in.flow_failed`; `transport.unavailable`;
    ///   `protocol.violation`; `store.unavailable`.
    public func result() async throws(AuthError) -> AuthenticationResponse {
        for await _ in events {}
        guard let outcome else { throw .taskCancelled }
        return try outcome.get()
    }

    /// Loads the first page. Once.
    ///
    /// - Parameter page: Held weakly: the view holds the flow.
    public func start(in page: any FlowPage) {
        guard change(.started) else { return }
        self.page = page
        loading = FlowLoading(at: access.ambient.coarseMilliseconds())
        tell(.started)
        page.load(url)
    }

    /// Ends it without a session. A session that is on its way is taken nevertheless. The service is not told.
    public func cancel() {
        // The page has said how it ended, or it is over.
        guard !bridge.isClosed else { return }
        end(.cancelled, .failure(AuthError(.cancelled, "the flow was cancelled")))
    }

    /// Goes on with a link that the app was opened with, if it belongs to this flow.
    ///
    /// - Returns: `false` for any other address, and while the flow is not ready: nothing happens then.
    public func resume(with url: String) -> Bool {
        guard let page, bridge.expects(url, flow: flow.name, magicLinkURL: options.magicLinkURL) else { return false }
        page.evaluate(FlowScript.resume("magicLink", ["url": .string(url)], at: bridge.origin))
        return true
    }
}

/// What a view reports.
extension FlowSession {
    /// A script posted a message.
    public func receive(_ message: FlowMessage) {
        for command in bridge.receive(message, provider: options.nativeProvider) { perform(command) }
    }

    /// A page is there.
    public func didLoad() {
        loading?.loaded()
    }

    /// A page did not load.
    public func didFailToLoad(_ failure: FlowLoadFailure) {
        guard [.started, .ready].contains(state), var loading else { return }
        let verdict = loading.failed(failure, at: access.ambient.coarseMilliseconds())
        self.loading = loading
        switch verdict {
        case .ignore: break
        case .giveUp:
            let status: Int? = if case .status(let status) = failure { status } else { nil }
            end(
                .failed,
                .failure(
                    AuthError(
                        .unavailable, "a page of the flow did not load",
                        server: status.map { AuthError.ServerAnswer(status: $0) })))
        case .retry(let milliseconds):
            run { session in
                guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil, session.state == .started
                else { return }
                session.page?.load(session.url)
            }
        }
    }

    /// A page wants to go to an address.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - isLink: Whether the user tapped a link; forms and redirects are none.
    /// - Returns: Whether the view goes there. Otherwise the delegate was told.
    public func mayNavigate(to url: String, isLink: Bool) -> Bool {
        guard !bridge.allows(url, isLink: isLink) else { return true }
        intercept(url, external: false)
        return false
    }

    /// A page wanted another window: the delegate is told.
    public func didAskForWindow(_ url: String) { intercept(url, external: true) }

    private func intercept(_ url: String, external: Bool) {
        guard [.started, .ready].contains(state) else { return }
        delegate?.flow(self, didInterceptNavigationTo: url, external: external)
        tell(.intercepted(url: url, external: external))
    }
}

extension FlowSession {
    private func perform(_ command: FlowBridge.Command) {
        switch command {
        case .initialize: page?.evaluate(FlowScript.initialize(options, at: bridge.origin))
        case .becameReady:
            delegate?.flow(self, didChangeTo: .ready, from: .started)
            delegate?.flowDidBecomeReady(self)
            tell(.ready)
        case .request(let request): serve(request)
        case .refuseRequest:
            end(.failed, .failure(AuthError(.flowFailed, "the page asks for what this app cannot do")))
        case .take(let json): take(json)
        case .fail(let error): end(.failed, .failure(error))
        case .cancel: end(.cancelled, .failure(AuthError(.cancelled, "the user gave up")))
        case .log(let level, let text): logger?.log(level, text)
        }
    }

    /// Shows the browser or the sheet, and tells the page what came of it.
    private func serve(_ request: FlowRequest) {
        run { session in
            var answer: (type: String, json: JSONValue)
            do throws(AuthError) {
                answer = try await FlowAnswers.answer(
                    request, session.browser, session.native)
            } catch {
                answer = ("failure", ["failure": .string(request.failure(error))])
            }
            guard !Task.isCancelled, !session.bridge.isClosed else { return }
            session.page?.evaluate(FlowScript.resume(answer.type, answer.json, at: session.bridge.origin))
        }
    }

    /// Makes the session of the page's answer the container's.
    private func take(_ json: String) {
        run { session in
            let outcome: Result<AuthenticationResponse, AuthError>
            do throws(AuthError) {
                let reply = try MethodReply(HTTPResponse(status: 200, body: Array(json.utf8)))
                outcome = .success(
                    try await session.access.begin(
                        reply, at: session.access.endpoint(), since: session.timesGivenUp))
            } catch {
                outcome = .failure(error)
            }
            session.end((try? outcome.get()) == nil ? .failed : .finished, outcome)
        }
    }

    /// One thing at a time, for as long as there is this flow.
    private func run(_ work: @escaping @MainActor (FlowSession) async -> Void) {
        task?.cancel()
        // Unstructured on purpose: the page asked, and no caller waits.
        task = Task { [weak self] in
            guard let self else { return }
            await work(self)
        }
    }

    private func end(_ event: FlowMachine.Event, _ outcome: Result<AuthenticationResponse, AuthError>) {
        guard change(event, keeping: outcome) else { return }
        if event == .cancelled { task?.cancel() }
        switch outcome {
        case .success(let response):
            delegate?.flow(self, didFinishWith: response)
            tell(.finished(response))
        case .failure(let error) where event == .failed:
            delegate?.flow(self, didFailWith: error)
            tell(.failed(error))
        case .failure:
            delegate?.flowDidCancel(self)
            tell(.cancelled)
        }
        for listener in listeners { listener.finish() }
        listeners = []
    }

    private func change(
        _ event: FlowMachine.Event, keeping outcome: Result<AuthenticationResponse, AuthError>? = nil
    ) -> Bool {
        let previous = state
        guard bridge.apply(event) else { return false }
        self.outcome = outcome
        delegate?.flow(self, didChangeTo: state, from: previous)
        return true
    }

    private func tell(_ event: FlowEvent) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(event) { true } else { false }
        }
    }
}
