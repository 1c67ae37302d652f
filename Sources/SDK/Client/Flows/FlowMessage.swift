public import KeyturnBase
internal import KeyturnWire

/// A message that a page posted to the app's code.
public struct FlowMessage: Sendable {
    /// The name of its handler.
    public let name: String
    /// What it says; `.null` if it says nothing.
    public let body: JSONValue
    /// Whose script posted it, as the web view says it. Nothing that the page says counts for it.
    public let frame: FlowFrame

    /// A message, as it came.
    public init(name: String, body: JSONValue, frame: FlowFrame) {
        self.name = name
        self.body = body
        self.frame = frame
    }

    /// The names of the handlers that a view registers.
    public static let names = FlowMessageName.allCases.map(\.rawValue)
}

/// The frame of a page.
public struct FlowFrame: Hashable, Sendable {
    /// As in RFC 6454 §6.2, without a default port.
    public let origin: String
    /// Whether it is the page itself, and no frame in it.
    public let isMain: Bool

    /// - Parameters:
    ///   - scheme: Such as `https`.
    ///   - host: Without brackets or with them.
    ///   - port: 0: the scheme's own.
    ///   - isMain: Whether it is the page itself.
    public init(scheme: String, host: String, port: Int, isMain: Bool) {
        let bare = host.hasPrefix("[") || !host.contains(":") ? host : "[\(host)]"
        let isDefault = port == 0 || (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
        origin = "\(scheme)://\(bare)" + (isDefault ? "" : ":\(port)")
        self.isMain = isMain
    }
}

enum FlowMessageName: String, CaseIterable {
    case log, found, ready, bridge, abort, failure, success

    /// The longest body, in bytes of JSON.
    var bytesMax: Int { self == .success ? Limits.answerMaxBytes : Limits.flowMessageMaxBytes }
}

/// What a page wants of the system.
enum FlowRequest: Sendable {
    /// The system's browser, until it comes back with a code. The kind is repeated in the answer.
    case web(kind: String, startURL: String)
    /// The system's sheet of a provider.
    case native(NativeSocialStart)

    static let webKinds: Set<String> = ["oauthWeb", "sso", "externalAuth"]
    static let nativeKind = "oauthNative"

    /// `nil`: it is none that is known here.
    init?(_ body: JSONValue, provider: SocialProvider?) {
        guard let kind = body["type"]?.stringValue, let payload = body["payload"] else { return nil }
        if Self.webKinds.contains(kind) {
            guard let url = payload["startUrl"]?.stringValue, url.utf8.count <= Limits.callbackMaxBytes,
                URLText.isAcceptableEndpoint(url)
            else { return nil }
            self = .web(kind: kind, startURL: url)
            return
        }
        guard kind == Self.nativeKind, let provider, let start = payload["start"],
            let clientID = start["clientId"]?.stringValue, let stateID = start["stateId"]?.stringValue,
            let nonce = start["nonce"]?.stringValue, let isImplicit = start["implicit"]?.boolValue
        else { return nil }
        self = .native(
            NativeSocialStart(
                provider: provider, clientID: clientID, nonce: nonce, takesIDToken: isImplicit, stateID: stateID))
    }

    /// The word of a failure, for the page.
    func failure(_ error: AuthError) -> String {
        let end = error.code == .cancelled ? "Cancelled" : "Failed"
        return switch self {
        case .web: "WebAuth" + end
        case .native: "OAuthNative" + end
        }
    }
}
