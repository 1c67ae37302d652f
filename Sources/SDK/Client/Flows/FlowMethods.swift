public import KeyturnBase
internal import KeyturnWire

/// Runs flows, in the system's browser or in a view of the app.
public struct FlowMethods: Sendable {
    let container: Keyturn
    /// The sheet of a provider that this platform has; `nil`: there is none.
    let platformSheet: @Sendable (SocialProvider) -> (any NativeSignIn)?

    /// Runs a flow in the system's browser: an authorization that asks for it by name.
    ///
    /// ```swift
    /// let result = try await auth.flows.start("sign-up", redirectURI: "com.example.app:/callback")
    /// ```
    ///
    /// - Parameters:
    ///   - name: Of the flow.
    ///   - redirectURI: See ``SignInOptions/redirectURI``.
    /// - Throws: as ``start(_:_:)``.
    @discardableResult
    public func start(_ name: String, redirectURI: String) async throws(AuthError) -> SignInResult {
        try await start(Flow(name), FlowOptions(redirectURI: redirectURI))
    }

    /// Runs a flow in the system's browser, with all options.
    ///
    /// - Throws: `service.unsupported` where flows run in views of apps only, and for a flow known by its page;
    ///   `argument.invalid`; `server.refused` for a name that the service does not know; otherwise as
    ///   ``Keyturn/authorize(_:)``.
    @discardableResult
    public func start(_ flow: Flow, _ options: FlowOptions) async throws(AuthError) -> SignInResult {
        guard let parameter = container.service.wire.journeyParameter, let name = flow.name else {
            throw AuthError(.unsupported, "this flow runs in a view of the app: see open(_:_:)")
        }
        var request = SignInOptions(redirectURI: options.redirectURI)
        request.uiLocales = options.uiLocales
        request.colorScheme = options.colorScheme
        request.loginHint = options.loginHint
        request.extra = [parameter: try Self.checked(name)]
        request.extra[FlowInputs.parameter] = try FlowInputs.text(options.clientInputs)
        return try await container.authorize(request)
    }

    /// Prepares a flow for a view of the app, such as `FlowView` of KeyturnUI, or a ``FlowPage`` of the app's own.
    ///
    /// It ends with a session of the project, as ``Keyturn/otp`` and its relatives do.
    ///
    /// - Throws: `service.unsupported` for a service without a project; `argument.invalid`; `configuration.invalid` for
    ///   a page that is not `https`; `store.unavailable` before the user is asked.
    @MainActor
    public func open(
        _ flow: Flow, _ options: EmbeddedFlowOptions = EmbeddedFlowOptions()
    ) async throws(AuthError) -> FlowSession {
        let access = MethodAccess(container, "flows")
        let endpoint = try access.endpoint()
        let url = try address(of: flow, options, project: endpoint.projectID)
        guard URLText.isAcceptableEndpoint(url) else {
            throw AuthError(.misconfigured, "the page of a flow is https, or on this machine")
        }
        if container.service.wire.journeyParameter == nil { try FlowInputs.check(options.clientInputs) }
        try await access.keeper.checkStore()
        let session = FlowSession(
            flow, url: url, options: options, access: access,
            native: options.nativeProvider.flatMap(platformSheet), browser: container.browser,
            logger: container.runningFlow.logger)
        session.timesGivenUp = await access.keeper.timesGivenUp
        container.runningFlow.session = session
        return session
    }

    /// The flow that was opened last and is not over; `nil`: there is none, or nothing holds it any more.
    @MainActor public var current: FlowSession? {
        container.runningFlow.session.flatMap { $0.state.isOver ? nil : $0 }
    }

    private func address(
        of flow: Flow, _ options: EmbeddedFlowOptions, project: String
    ) throws(AuthError) -> String {
        guard let name = flow.name else { return flow.url ?? "" }
        var query = FormParameters(["mobile": "true", "flow": try Self.checked(name)])
        if container.service.wire.journeyParameter != nil {
            query.append("locale", options.uiLocales.isEmpty ? nil : options.uiLocales.joined(separator: " "))
            query.append("theme", options.colorScheme?.rawValue)
            query.append(FlowInputs.parameter, try FlowInputs.text(options.clientInputs))
        }
        return URLText.adding(query, to: "\(container.service.issuer)/login/\(project)")
    }

    private static func checked(_ name: String) throws(AuthError) -> String {
        guard !name.isEmpty, name.utf8.count <= Limits.flowNameMaxBytes else {
            throw AuthError(.invalidArgument, "the flow's name is empty or too long")
        }
        return name
    }
}

/// The flow that waits for addresses the app is opened with. Held weakly: the view holds it.
@MainActor final class RunningFlow {
    weak var session: FlowSession?

    let logger: KeyturnLogger?

    nonisolated init(_ logger: KeyturnLogger?) {
        self.logger = logger
    }

    func resume(with url: String) -> Bool { session?.resume(with: url) ?? false }
}

/// What an app tells a flow.
enum FlowInputs {
    /// Of a Keyturn server, as the other parameters that begin a journey.
    static let parameter = "journey_inputs"

    /// For the address of a Keyturn server's page; `nil`: nothing is said.
    ///
    /// - Throws: `argument.invalid`.
    static func text(_ inputs: [String: JSONValue]) throws(AuthError) -> String? {
        guard !inputs.isEmpty else { return nil }
        try check(inputs, maxBytes: Limits.journeyInputsMaxBytes)
        return String(decoding: JSONValue.object(inputs).serialized, as: UTF8.self)
    }

    /// - Throws: `argument.invalid`.
    static func check(_ inputs: [String: JSONValue], maxBytes: Int = Limits.flowInputsMaxBytes) throws(AuthError) {
        let isPlain = inputs.values.allSatisfy { value in
            switch value {
            case .array, .object, .null: false
            default: true
            }
        }
        guard isPlain, JSONValue.object(inputs).serialized.count <= maxBytes else {
            throw AuthError(
                .invalidArgument, "inputs of a flow are texts, numbers and booleans, \(maxBytes) bytes at most")
        }
    }
}
